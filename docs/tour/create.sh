#!/usr/bin/env bash
# create.sh drives the demo in a real terminal through the exploring loop of
# Create and takes a picture of each step: a prompt, its image while it develops
# and when it is there, another one of it, and a video made from it.
#
#   docs/tour/create.sh [-s COLSxROWS] [-l] [-c zh] [-b DARKROOM] [-x] OUT_FOLDER
#
#   -s  size of the terminal (default 120x40)
#   -l  a light background
#   -c  language
#   -b  the program (default: built from this checkout)
#   -x  a terminal that draws sixels
#
# It says at its end how many keys each step took, and fails when a step does not
# show what it should.
set -euo pipefail
. "$(dirname "$0")/terminal.sh"
# at_once takes a picture of what moves: picture would wait for its end.
at_once() { import -window "$window" "$out/$1.png"; echo "$out/$1.png"; }
options "$@"
terminal "$program demo"

shows "$prompt"
picture 1-start
step
typed 'A paper boat drifts down a rain gutter, macro lens'
picture 2-prompt
step
press ctrl+s
shows "$review"
sleep 0.8
picture 3-review
press Return
shows "$accepted"
sleep 1
at_once 4-develops
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
at_once 8-video-develops
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
at_once 10-another-seed
step
typed 'A {paper boat|tin boat|leaf} drifts down a rain gutter, {dawn|night}'
press ctrl+s
shows "$review"
sleep 0.8
picture 11-variations
press Return
counted 'six variations, beside their text'
shows "$accepted"
sleep 1
at_once 12-variations-sent
step
press alt+3
shows 'standard_vip'
press d 1 0
shows '2,000'
counted 'the price of 10 seconds at 1080p'
picture 13-price
