# terminal.sh is read by the tours: a real terminal, its keys and its pictures.
# It needs xterm, Xvfb, xdotool, ImageMagick's import and util-linux's script.

size=120x40 back='#14161b' fore='#e6e6e6' lang=en program= graphics=()
# options takes those that every tour has.
options() {
	while getopts s:lc:b:x flag; do
		case $flag in
		s) size=$OPTARG ;;
		l) back='#fbfbf8' fore='#1c1c1c' ;;
		c) lang=$OPTARG ;;
		b) program=$OPTARG ;;
		x) graphics=(-ti vt340 -xrm 'XTerm*maxGraphicSize: 2000x2000' -xrm 'XTerm*numColorRegisters: 256') ;;
		*) exit 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	out=${1:?the folder for the pictures is missing}
	for tool in xterm Xvfb xdotool import script; do
		command -v "$tool" >/dev/null || { echo "$0: $tool is missing" >&2; exit 2; }
	done
	mkdir -p "$out"
	work=$(mktemp -d)
	mkdir "$work/home"
	pids=()
	trap clean EXIT
	if [ -z "$program" ]; then
		program=$work/darkroom
		(cd "$(dirname "$0")/../.." && CGO_ENABLED=0 go build -o "$program" .)
	fi
}
clean() {
	set +e
	for pid in $(pgrep -f -- "$work/log") "${pids[@]}"; do kill "$pid" 2>/dev/null; done # script outlives its terminal
	wait 2>/dev/null
	rm -rf "$work"
}

# terminal opens a terminal in which a command runs, with variables of its own:
# terminal COMMAND [NAME=VALUE…]
terminal() {
	# The X server picks a free display and tells its number.
	Xvfb -displayfd 3 -screen 0 2600x1700x24 -nolisten tcp 3>"$work/display" >/dev/null 2>&1 &
	pids+=($!)
	for _ in $(seq 600); do [ -s "$work/display" ] && break; sleep 0.1; done
	DISPLAY=:$(cat "$work/display")
	export DISPLAY LANG=C.UTF-8 LC_ALL=C.UTF-8
	# What the program writes is kept in a log, so that each step can wait for
	# what it is to show.
	log=$work/log
	local command=$1
	shift
	xterm "${graphics[@]}" -u8 -xrm 'XTerm*metaSendsEscape: true' -xrm 'XTerm*directColor: true' -fa 'DejaVu Sans Mono' -fd 'Noto Sans Mono CJK SC' -fs 10 \
		-bg "$back" -fg "$fore" -b 6 -geometry "$size+0+0" +sb -tn xterm-256color \
		-e env -i HOME="$work/home" PATH="$PATH" TERM=xterm-256color COLORTERM=truecolor LANG=C.UTF-8 DARKROOM_LANG="$lang" "$@" \
		script -qfc "$command" "$log" &
	pids+=($!)
	window=
	for _ in $(seq 600); do
		window=$(xdotool search --onlyvisible --class xterm 2>/dev/null | tail -1) && [ -n "$window" ] && break
		sleep 0.1
	done
	xdotool windowfocus --sync "$window" 2>/dev/null || true
}

seen=0
# shows waits until the program has written a text since the last step. Cells
# that stay as they were are not written again, so the texts are short.
shows() {
	for _ in $(seq 600); do
		if tail -c +$((seen + 1)) "$log" 2>/dev/null | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | grep -aqF -- "$1"; then return; fi
		sleep 0.1
	done
	echo "$0: the terminal did not show $1" >&2
	picture failed
	exit 1
}
step() { seen=$(stat -c %s "$log"); }
# picture waits until two looks at the terminal are the same: pictures come after
# the text.
picture() {
	local before= now=
	for _ in $(seq 20); do
		sleep 1
		now=$(import -window "$window" png:- | cksum)
		[ "$now" = "$before" ] && break
		before=$now
	done
	import -window "$window" "$out/$1.png"
	echo "$out/$1.png"
}
typed() { xdotool type --delay 15 -- "$1"; sleep 1; }
keys=0
press() { for key in "$@"; do xdotool key "$key"; keys=$((keys + 1)); sleep 0.5; done; }
counted() { echo "$1: $keys keys"; keys=0; }

# words are what the screens say at each step.
case $lang in
zh) prompt='模型' review='/api/v1/' accepted='已接受' finished='已完成' frame='首帧' gallery='图库' ;;
*) prompt='Model' review='/api/v1/' accepted='Accepted' finished='is done' frame='First frame' gallery='Gallery' ;;
esac
