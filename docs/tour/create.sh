#!/usr/bin/env bash
# create.sh drives the demo in a real terminal through the exploring loop of
# Create and takes a picture of each step: a prompt, its image while it develops
# and when it is there, another one of it, and a video made from it.
#
#   docs/tour/create.sh [-s COLSxROWS] [-l] [-c zh] [-b DARKROOM] OUT_FOLDER
#
#   -s  size of the terminal (default 120x40)
#   -l  a light background
#   -c  language
#   -b  the program (default: built from this checkout)
#
# It needs xterm, Xvfb, xdotool, ImageMagick's import and util-linux's script, and
# says at its end how many keys each step took. It fails when a step does not
# show what it should.
set -euo pipefail

size=120x40 back='#14161b' fore='#e6e6e6' lang=en program=
while getopts s:lc:b: flag; do
	case $flag in
	s) size=$OPTARG ;;
	l) back='#fbfbf8' fore='#1c1c1c' ;;
	c) lang=$OPTARG ;;
	b) program=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
out=${1:?the folder for the pictures is missing}
for tool in xterm Xvfb xdotool import script; do
	command -v "$tool" >/dev/null || { echo "create.sh: $tool is missing" >&2; exit 2; }
done

mkdir -p "$out"
work=$(mktemp -d)
pids=()
clean() {
	set +e
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
	wait 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
if [ -z "$program" ]; then
	program=$work/darkroom
	(cd "$(dirname "$0")/../.." && CGO_ENABLED=0 go build -o "$program" .)
fi

# The X server picks a free display and tells its number.
Xvfb -displayfd 3 -screen 0 2600x1700x24 -nolisten tcp 3>"$work/display" >/dev/null 2>&1 &
pids+=($!)
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
DISPLAY=:$(cat "$work/display")
export DISPLAY LANG=C.UTF-8 LC_ALL=C.UTF-8

# What the program writes is kept in a log, so that each step can wait for what
# it is to show.
log=$work/log
mkdir "$work/home"
xterm -u8 -xrm 'XTerm*metaSendsEscape: true' -xrm 'XTerm*directColor: true' -fa 'DejaVu Sans Mono' -fd 'Noto Sans Mono CJK SC' -fs 10 \
	-bg "$back" -fg "$fore" -b 6 -geometry "$size+0+0" +sb -tn xterm-256color \
	-e env -i HOME="$work/home" PATH="$PATH" TERM=xterm-256color COLORTERM=truecolor LANG=C.UTF-8 DARKROOM_LANG="$lang" \
	script -qfc "$program demo" "$log" &
pids+=($!)
window=
for _ in $(seq 100); do
	window=$(xdotool search --onlyvisible --class xterm 2>/dev/null | tail -1) && [ -n "$window" ] && break
	sleep 0.1
done
xdotool windowfocus --sync "$window" 2>/dev/null || true

seen=0
# shows waits until the program has written a text since the last step. Cells
# that stay as they were are not written again, so the texts are short.
shows() {
	for _ in $(seq 300); do
		if tail -c +$((seen + 1)) "$log" 2>/dev/null | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | grep -qF -- "$1"; then return; fi
		sleep 0.1
	done
	echo "create.sh: the terminal did not show $1" >&2
	picture failed
	exit 1
}
step() { seen=$(stat -c %s "$log"); }
picture() { sleep 0.4; import -window "$window" "$out/$1.png"; echo "$out/$1.png"; }
keys=0
press() { for key in "$@"; do xdotool key "$key"; keys=$((keys + 1)); sleep 0.5; done; }
counted() { echo "$1: $keys keys"; keys=0; }

case $lang in
zh) prompt='提示词' review='/api/v1/' accepted='已接受' finished='已完成' frame='首帧' ;;
*) prompt='Prompt' review='/api/v1/' accepted='Accepted' finished='is done' frame='First frame' ;;
esac

shows "$prompt"
picture 1-start
step
xdotool type --delay 15 -- 'A paper boat drifts down a rain gutter, macro lens'
sleep 1
picture 2-prompt
step
press ctrl+s
shows "$review"
sleep 0.8
picture 3-review
press Return
shows "$accepted"
sleep 1
picture 4-develops
shows "$finished"
sleep 1.5
picture 5-picture
counted 'the first picture, beside its prompt'
step
press alt+r
picture 6-chosen
press v
shows "$frame"
sleep 1
picture 7-video-from-it
step
press ctrl+s
shows "$review"
sleep 0.8
press Return
shows "$accepted"
sleep 2
picture 8-video-develops
shows "$finished"
sleep 3
picture 9-video
counted 'a video from it'
step
press alt+r n
shows "$review"
sleep 0.8
press Return
counted 'the same with another seed'
shows "$accepted"
sleep 1
picture 10-another-seed
