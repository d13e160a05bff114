// Package paint makes the files that the simulator serves: pictures drawn from
// a prompt and clips chosen by it. The same input always gives the same bytes.
package paint

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"hash/fnv"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"sync"

	"darkroom/api"
)

// Painter draws pictures and keeps the last one, which is often asked for again. Its
// zero value is ready, and its methods may be called by any goroutine.
type Painter struct {
	mu    sync.Mutex
	input Input
	media Media
	last  []byte // drawn from these
}

// longSides are the long sides of pictures in pixels, by size.
var longSides = map[string]int{"1K": 1024, "2K": 2048, "4K": 4096, "auto_2K": 2048}

// autoRatios are what auto_2K chooses from.
var autoRatios = []string{"1:1", "16:9", "9:16", "4:3", "3:4"}

// still describes the picture of an input. Its long side is at most the
// size's, and its ratio is exact. auto_2K without a ratio picks one by prompt.
// A 4K picture is a JPEG, for a PNG of that size takes a second to make.
func (in Input) still(longSide int) Media {
	size := cmp.Or(in.Size, "1K")
	ratio := cmp.Or(in.Ratio, "1:1")
	if size == "auto_2K" && in.Ratio == "" {
		ratio = autoRatios[in.Hash("ratio")%uint64(len(autoRatios))]
	}
	if longSide <= 0 {
		longSide = longSides[size]
	}
	across, down, _ := strings.Cut(ratio, ":")
	w, _ := strconv.Atoi(across)
	h, _ := strconv.Atoi(down)
	unit := max(1, longSide/max(w, h))
	m := Media{Name: "image.png", Type: "image/png", Width: w * unit, Height: h * unit}
	if size == "4K" {
		m.Name, m.Type = "image.jpg", "image/jpeg"
	}
	return m
}

// File gives a file's bytes: a clip, or the picture, drawn when it is first
// asked for. m is the input's Media.
func (p *Painter) File(in Input, m Media) []byte {
	if in.Kind == api.KindVideo {
		return embedded(m.clip)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || p.input != in || p.media != m {
		p.input, p.media, p.last = in, m, encode(draw(in, m), m.Type)
	}
	return p.last
}

func draw(in Input, m Media) *image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, m.Width, m.Height))
	newScene(in, m.Width, m.Height).render(canvas)
	return canvas
}

func encode(m *image.RGBA, mediaType string) []byte {
	var b bytes.Buffer
	var err error
	if mediaType == "image/jpeg" {
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 88})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m)
	}
	if err != nil {
		panic(err) // a buffer takes everything, and no picture is empty
	}
	return b.Bytes()
}

// Input is what decides how a file looks; zero values are the default.
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
// pixels at most; 0 takes the input's.
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

//go:embed clips/*.mp4 clips/*.jpg
var clips embed.FS

// clipSizes are the sizes of the embedded clips by ratio, and the
// subjects of each (clips/make.sh).
var clipSizes = map[string]struct {
	width, height int
	subjects      []string
}{
	"16:9": {640, 360, []string{"boat", "lighthouse", "koi"}}, "9:16": {360, 640, []string{"boat", "lighthouse", "koi"}},
	"1:1": {480, 480, []string{"fox"}}, "4:3": {480, 360, []string{"boat"}},
}

// clip picks the clip for a video: of its ratio, of the nearest length there
// is, and of a subject that the prompt names or the input's hash chooses from
// the first two, which suit most prompts.
func (in Input) clip() Media {
	size := clipSizes[cmp.Or(in.Ratio, "16:9")]
	seconds := 5
	if in.Seconds > 7 {
		seconds = 10
	}
	subject := size.subjects[in.Hash("clip")%uint64(min(len(size.subjects), 2))]
	for _, t := range read(in.Prompt).things {
		if slices.Contains(size.subjects, t.name) {
			subject = t.name
		}
	}
	poster := fmt.Sprintf("%dx%d", size.width, size.height)
	return Media{
		Name: "video.mp4", Type: "video/mp4", Width: size.width, Height: size.height, Seconds: seconds,
		clip: fmt.Sprintf("%s-%d-%s.mp4", poster, seconds, subject), poster: fmt.Sprintf("%s-%s.jpg", poster, subject),
	}
}

func (m Media) Poster() []byte { return embedded(m.poster) }

func embedded(name string) []byte {
	b, err := clips.ReadFile("clips/" + name)
	if err != nil {
		panic(err) // the table above and the folder differ: a test sees it
	}
	return b
}
