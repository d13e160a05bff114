package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"
)

// noise is a picture that no format makes small.
func noise() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 97, 61))
	seed := uint32(7)
	for i := range m.Pix {
		seed = seed*1664525 + 1013904223
		m.Pix[i] = byte(seed>>24) | 1
	}
	return m
}

func encoded(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	noError(t, encode(&b, noise()))
	return b.Bytes()
}

func boxOf(name string, content ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
	return append(append(b, name...), content...)
}

func clipBytes() []byte {
	ftyp := boxOf("ftyp", []byte("isom\x00\x00\x02\x00isommp41")...)
	moov := boxOf("moov", bytes.Repeat([]byte{1}, 300)...)
	mdat := boxOf("mdat", bytes.Repeat([]byte{2}, 3000)...)
	return bytes.Join([][]byte{ftyp, mdat, moov}, nil)
}

// partOf is a part that holds the bytes.
func partOf(t testing.TB, content []byte) *part {
	t.Helper()
	root := must(os.OpenRoot(t.TempDir()))(t)
	t.Cleanup(func() { root.Close() })
	p := must(openPart(root, "x.part", false))(t)
	t.Cleanup(p.close)
	must(p.Write(content))(t)
	return p
}

// TestJudgeFindsEveryCut takes whole files of each format, and cuts each at
// many places.
func TestJudgeFindsEveryCut(t *testing.T) {
	t.Parallel()
	big := encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
	whole := map[string][]byte{
		"png": encoded(t, png.Encode), "jpg": big, "mp4": clipBytes(),
		"long jpg": append(bytes.Clone(big[:len(big)-2]), append(bytes.Repeat([]byte{7}, 200<<10), 0xff, 0xd9)...),
		"gif":      encoded(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }),
		"webp":     []byte("RIFF\x14\x00\x00\x00WEBPVP8 \x08\x00\x00\x00abcdefgh"),
	}
	cuts := 0
	for name, content := range whole {
		for _, tail := range []string{"", "trailing bytes of somebody else"} {
			if err := partOf(t, append(bytes.Clone(content), tail...)).judge(""); err != nil {
				t.Errorf("a whole %s with %d more bytes: %v", name, len(tail), err)
			}
		}
		p := partOf(t, content)
		for at := len(content) - 1; at > 16; at -= 1 + len(content)/97 {
			if at == len(content)-1 && (name == "webp" || name == "gif") {
				continue // could be a missing padding byte, or end mark
			}
			noError(t, p.file.Truncate(int64(at)))
			p.size, p.head = int64(at), p.head[:min(at, len(p.head))]
			cuts++
			if err := p.judge(""); !errors.Is(err, errShort) {
				t.Errorf("a %s of %d bytes cut at %d: %v", name, len(content), at, err)
			}
		}
	}
	t.Logf("%d formats, %d cuts, all found", len(whole), cuts)
}

// TestJudgeRefusesNothingForADoubt takes what is odd, unknown or text that is
// a picture.
func TestJudgeRefusesNothingForADoubt(t *testing.T) {
	t.Parallel()
	palette := image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{color.White, color.Black})
	for name, content := range map[string]string{
		"gif":         string(encoded(t, func(w io.Writer, _ image.Image) error { return gif.Encode(w, palette, nil) })),
		"gif's mark":  strings.TrimSuffix(string(encoded(t, func(w io.Writer, _ image.Image) error { return gif.Encode(w, palette, nil) })), ";"),
		"live webm":   "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xffabc",
		"no chunks":   string(pngBytes),
		"drawing":     `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"playlist":    "#EXTM3U\n#EXT-X-VERSION:3\n",
		"unknown":     "\x00\x01\x02 something new",
		"end of file": "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + "\x00\x00\x00\x08moov" + "\x00\x00\x00\x00mdatabc",
		"long box":    "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + "\x00\x00\x00\x08moov" + "\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x13abc",
		"no boxes":    "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + "\x00\x00\x00\x02mdat",
	} {
		if err := partOf(t, []byte(content)).judge(""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, content := range map[string]string{
		"page":    "\n\n <!DOCTYPE HTML><title>Sign in</title>",
		"comment": "<!-- gateway --><html></html>",
		"storage": `<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>`,
		"json":    "\xef\xbb\xbf {\"error\": \"expired\"}",
		"message": "Not Found",
		"status":  "404 page not found\n",
		"chinese": "链接已过期",
		"log":     strings.Repeat("Service Unavailable\n", 100),
	} {
		if err := partOf(t, []byte(content)).judge(""); !errors.Is(err, errPage) {
			t.Errorf("%s: %v, want a page of text", name, err)
		}
	}
	for name, content := range map[string]string{
		"drawing": `<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>`,
		"pixels":  "P3\n2 2 255\n" + strings.Repeat("7 8 9\n", 4),
		"base64":  base64.StdEncoding.EncodeToString(pngBytes),
		"bytes":   "\x00\x01\x02 no text",
	} {
		if err := partOf(t, []byte(content)).judge(""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := partOf(t, []byte("a caption")).judge("https://a.example/caption.txt?x=1"); err != nil {
		t.Errorf("a text at an address that says so: %v", err)
	}
}

// TestEndlessBoxes: a file of nothing but boxes is not walked to its end, which
// would take minutes with the gigabytes that a video may have.
func TestEndlessBoxes(t *testing.T) {
	t.Parallel()
	boxes := strings.Repeat("\x00\x00\x00\x08free", maxWalk+1)
	p := partOf(t, []byte("\x00\x00\x00\x10ftypisom\x00\x00\x02\x00"+boxes+"\x00\x00\x00\x00mdat"))
	if err := p.judge(""); err != nil {
		t.Errorf("%v, although the walk ended before the film did", err)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"))
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x02\xff\xff\xda\x00\x02"))
	f.Add(clipBytes())
	f.Add([]byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41\x00\x00\x00\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("RIFF\xff\xff\xff\xffWEBP"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	dir := f.TempDir()
	root := must(os.OpenRoot(dir))(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		p, err := openPart(root, "x.part", false)
		if err != nil {
			t.Skip(err)
		}
		defer p.close()
		noError(t, p.restart())
		p.Write(content)
		_ = p.judge("")
	})
}
