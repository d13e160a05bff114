#!/usr/bin/env bash
# Makes the clips that finished video jobs serve, and a poster for each: slow
# moves of a camera over pictures that the painter draws, so there is nobody's
# footage in here. Needs Go, curl, jq and ffmpeg. H.264, yuv420p, AAC, index
# first. Names: WIDTHxHEIGHT-SECONDS-SUBJECT.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'kill "$service" 2>/dev/null; rm -rf "$work"' EXIT
(cd ../../../.. && CGO_ENABLED=0 go build -o "$work/darkroom" .)
"$work/darkroom" simulate --addr 127.0.0.1:0 --time-scale 0.001 >"$work/address" &
service=$!
until [ -s "$work/address" ]; do sleep 0.1; done
rm -f ./*.mp4 ./*.jpg

clip() { # width height ratio subject frequency zoom-by x-from x-to prompt
	local url
	url=$(curl -sf -H 'Authorization: Bearer ak_0123456789abcdef0123456789abcdef' -H 'Content-Type: application/json' \
		-d "{\"model\":\"lumen/still-1\",\"size\":\"2K\",\"aspect_ratio\":\"$3\",\"prompt\":\"$9\"}" \
		"$(head -1 "$work/address")/api/v1/images/generations" | jq -r '.job | .. | strings | select(test("/files/"))' | head -1)
	curl -sf -o "$work/picture.png" "$url"
	for seconds in 5 10; do
		frames=$((seconds * 15)) name="$1x$2-$seconds-$4"
		ffmpeg -nostdin -y -loglevel error -i "$work/picture.png" \
			-f lavfi -i "sine=frequency=$5:sample_rate=16000,volume=0.2,tremolo=f=0.4:d=0.7" \
			-t $seconds -vf "zoompan=z=1.2+$6*on/$frames:x=(iw-iw/zoom)*($7+($8-$7)*on/$frames):y=(ih-ih/zoom)*0.6:d=$frames:s=$1x$2:fps=15,format=yuv420p" \
			-c:v libx264 -preset veryslow -profile:v high -tune ssim -pix_fmt yuv420p -crf 37 -g 90 -threads 1 \
			-c:a aac -ac 1 -b:a 8k -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact \
			-movflags +faststart "$name.mp4"
	done
	ffmpeg -nostdin -y -loglevel error -ss 1 -i "$name.mp4" -frames:v 1 -q:v 5 -bitexact "$1x$2-$4.jpg"
}

boat='a paper boat drifts on the sea at dawn' light='a lighthouse at dusk, cinematic' fox='a red fox in the snow, cinematic' koi='two koi in black water, neon'
clip 640 360 16:9 boat 220 0.25 0.2 0.7 "$boat"
clip 640 360 16:9 lighthouse 262 0.2 0.8 0.4 "$light"
clip 360 640 9:16 boat 247 0.25 0.2 0.7 "$boat"
clip 360 640 9:16 lighthouse 196 0.2 0.7 0.4 "$light"
clip 640 360 16:9 koi 208 0.25 0.3 0.6 "$koi"
clip 360 640 9:16 koi 185 0.2 0.4 0.6 "$koi"
clip 480 480 1:1 fox 233 0.3 0.4 0.6 "$fox"
clip 480 360 4:3 boat 175 0.25 0.2 0.7 "$boat"
