#!/bin/sh
# Makes noto-sans-sc.otf: Noto Sans CJK SC cut down to ASCII, Latin-1, the
# punctuation and kana in common use and the 3,755 characters of GB 2312
# level 1. Needs Debian's fonts-noto-cjk and fonttools packages.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-/usr/bin/python3}
"$python" - >chars.txt <<'PY'
out = [chr(c) for c in range(0x20, 0x7f)] + [chr(c) for c in range(0xa0, 0x100)]
out += [chr(c) for c in range(0x3000, 0x3020)] + [chr(c) for c in range(0x3041, 0x30ff)]
out += [chr(c) for c in range(0xff01, 0xff5f)]
out += list("–—‘’“”†•…‰′″※€℃№™←↑→↓∞≈≠≤≥■□▲△◆◇○●★☆♪")
for row in range(16, 56):
    for cell in range(1, 95):
        try:
            out.append(bytes([0xa0 + row, 0xa0 + cell]).decode("gb2312"))
        except UnicodeDecodeError:
            pass
print("".join(out))
PY
"$python" -m fontTools.subset /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc \
	--font-number=2 --text-file=chars.txt --output-file=noto-sans-sc.otf \
	--layout-features='' --no-hinting --notdef-outline --name-IDs='0,1,2,4,6,13,14' \
	--drop-tables+=GSUB,GPOS,GDEF,BASE,VORG,vhea,vmtx
rm chars.txt
