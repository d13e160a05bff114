// Package paint makes the files that the simulator serves: pictures drawn from
// a prompt and clips chosen by it. The same input always gives the same bytes.
package paint

import (
	"fmt"
	"hash/fnv"

	"darkroom/api"
)

// Input is what decides how a file looks. An empty Size, Ratio or Seconds
// stands for the default.
type Input struct {
	Kind    api.Kind
	Prompt  string
	Image   string // address of a reference image; it is not fetched, but changes the picture
	Seed    int64
	Size    string // of an image: 1K, 2K, 4K or auto_2K
	Quality string // of an image
	Ratio   string // such as 16:9
	Seconds int    // of a video
}

// Media describes a file before it is made.
type Media struct {
	Name    string // such as image.png
	Type    string // content type
	Width   int
	Height  int
	Seconds int    // of a video
	clip    string // its name in clips
	poster  string // likewise
}

// Media describes the file of an input. A picture's long side is longSide
// pixels at most; 0 takes that of the input's size.
func (in Input) Media(longSide int) Media {
	if in.Kind == api.KindVideo {
		return in.clip()
	}
	return in.still(longSide)
}

// Hash depends on what makes the files of two inputs look different, and on a
// word, so that each word gives a choice of its own.
func (in Input) Hash(word string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00%s\x00%s", in.Kind, in.Prompt, in.Seed, in.Image, word)
	sum := h.Sum64()
	// FNV spreads the last bytes badly; these two steps spread them.
	sum = (sum ^ sum>>32) * 0xd6e8feb86659fd93
	return sum ^ sum>>32
}
