#!/usr/bin/env bash
# whole.sh goes the whole way by keys, against the embedded service: an image in
# six variations, culled in the gallery, two of them compared, the favourite made
# the first frame of a video, the video's contact sheet, and what was picked
# exported as a page. It takes a picture of each step.
#
#   docs/tour/whole.sh [-s COLSxROWS] [-l] [-c zh] [-b DARKROOM] [-x] OUT_FOLDER
#
# The options are those of create.sh. The page is OUT_FOLDER/export.
set -euo pipefail
. "$(dirname "$0")/terminal.sh"
options "$@"

"$program" simulate --addr 127.0.0.1:0 --time-scale 0.2 >"$work/service" 2>/dev/null &
pids+=($!)
for _ in $(seq 600); do [ -s "$work/service" ] && break; sleep 0.1; done
variables=(DARKROOM_BASE_URL="$(head -1 "$work/service")" DARKROOM_API_KEY=ak_0123456789abcdef0123456789abcdef
	DARKROOM_TIME_SCALE=0.2 DARKROOM_DOWNLOADS="$work/home/results")
run() { env -i HOME="$work/home" PATH="$PATH" "${variables[@]}" "$program" "$@"; }
# ended waits until so many jobs have ended.
ended() {
	for _ in $(seq 600); do
		if [ "$(run jobs --filter is:done --json --jq '.jobs | length' 2>/dev/null)" = "$1" ]; then sleep 2; return; fi
		sleep 0.2
	done
	echo "$0: fewer than $1 jobs have ended" >&2
	picture failed
	exit 1
}
terminal "$program" "${variables[@]}"

shows "$prompt"
step
typed 'A {paper boat|tin boat|leaf} drifts down a rain gutter, {dawn|night}'
press ctrl+s
shows "$review"
picture 1-variations
press Return
ended 6
picture 2-results
counted 'six variations'

step
press alt+2 g
shows "$gallery"
sleep 2
press x 4 x 3 5 x
picture 3-culled
counted 'culled'

press Home Right m Right Right m c
sleep 2
picture 4-compared
press Right f
counted 'two compared, one picked'

step
press v
shows "$frame"
picture 5-first-frame
press ctrl+s
shows "$review"
press Return
ended 7
picture 6-video
counted 'a video from it'

press alt+r Return
sleep 2
press z
sleep 4
picture 7-contact-sheet
press Escape
counted 'its contact sheet'

run export --html "$out/export" --filter is:picked
