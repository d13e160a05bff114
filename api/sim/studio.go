package sim

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"strconv"
	"strings"
	"sync"
)

// maxKept is how many bytes of finished pictures a server keeps.
const maxKept = 64 << 20

// studio draws pictures and keeps the latest.
type studio struct {
	lettering lettering
	mu        sync.Mutex
	kept      map[string]*print
	bytes     int
}

// print is a picture that is drawn once, however many ask for it.
type print struct {
	once sync.Once
	data []byte
}

// longSides are the long sides of pictures in pixels, by size.
var longSides = map[string]int{"1K": 1024, "2K": 2048, "4K": 4096, "auto_2K": 2048}

// still tells what picture an order is for. Its long side is at most the
// size's, and its ratio is exact. auto_2K without a ratio picks one by prompt.
// A 4K picture is a JPEG, for a PNG of that size takes a second to make.
func (o *order) still(longSide int) shape {
	size := fallback(o.size, sizes[0])
	ratio := fallback(o.ratio, ratios[0])
	if size == "auto_2K" && o.ratio == "" {
		ratio = ratios[o.hash("ratio")%5]
	}
	if longSide <= 0 {
		longSide = longSides[size]
	}
	across, down, _ := strings.Cut(ratio, ":")
	w, _ := strconv.Atoi(across)
	h, _ := strconv.Atoi(down)
	unit := max(1, longSide/max(w, h))
	s := shape{name: "image.png", mediaType: "image/png", width: w * unit, height: h * unit}
	if size == "4K" {
		s.name, s.mediaType = "image.jpg", "image/jpeg"
	}
	return s
}

// draw gives the picture's bytes; the same order and shape give the same.
func (t *studio) draw(o *order, s shape) []byte {
	key := strings.Join([]string{o.prompt, o.image, o.quality, s.mediaType, strconv.Itoa(s.width), strconv.Itoa(s.height)}, "\x00")
	p := t.keep(key)
	p.once.Do(func() {
		p.data = encode(t.paint(o, s), s.mediaType)
		t.mu.Lock()
		t.bytes += len(p.data)
		t.mu.Unlock()
	})
	return p.data
}

// keep finds or makes the print of that key, and starts afresh when
// there are too many bytes.
func (t *studio) keep(key string) *print {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.kept[key]; p != nil {
		return p
	}
	if t.bytes > maxKept {
		clear(t.kept)
		t.bytes = 0
	}
	if t.kept == nil {
		t.kept = map[string]*print{}
	}
	p := &print{}
	t.kept[key] = p
	return p
}

// paint draws the scene and sets the prompt into it.
func (t *studio) paint(o *order, s shape) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, s.width, s.height))
	newScene(o, s.width, s.height).render(m)
	t.lettering.caption(m, o.prompt)
	return m
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
