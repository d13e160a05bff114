#!/bin/sh
# Makes the clips that finished video jobs serve, and a poster for each: our
# own pictures from ffmpeg's generators, so there is nobody's footage in here.
# H.264 baseline, yuv420p, AAC, index first. Names: WIDTHxHEIGHT-SECONDS-VARIANT.
set -eu
cd "$(dirname "$0")"
rm -f ./*.mp4 ./*.jpg

clip() { # width height seconds variant colours seed frequency
	name="$1x$2-$3-$4"
	ffmpeg -nostdin -y -loglevel error \
		-f lavfi -i "gradients=s=$1x$2:$5:n=4:nb_colors=4:seed=$6:speed=0.012:rate=15" \
		-f lavfi -i "sine=frequency=$7:sample_rate=22050,volume=0.2,tremolo=f=0.4:d=0.7" \
		-t "$3" -vf "vignette=PI/5:dither=0,format=yuv420p" \
		-c:v libx264 -preset veryslow -profile:v baseline -pix_fmt yuv420p -crf 39 -g 90 -threads 1 \
		-c:a aac -ac 1 -b:a 16k -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact \
		-movflags +faststart "$name.mp4"
	ffmpeg -nostdin -y -loglevel error -ss 1 -i "$name.mp4" -frames:v 1 -q:v 5 -bitexact "$1x$2-$4.jpg"
}

dusk="c0=0x14213d:c1=0xfca311:c2=0x7a1e48:c3=0x2a6f97"
reef="c0=0x03506f:c1=0x57cc99:c2=0xffddd2:c3=0x22577a"
for seconds in 5 10; do
	clip 640 360 $seconds a "$dusk" 5 220
	clip 640 360 $seconds b "$reef" 8 262
	clip 360 640 $seconds a "$dusk" 11 247
	clip 360 640 $seconds b "$reef" 4 196
	clip 480 480 $seconds a "$dusk" 7 233
	clip 480 360 $seconds a "$reef" 9 175
done
