package paint

import (
	"bytes"
	"fmt"
	"image"
	"testing"

	"darkroom/api"
)

// imageRatios are what the simulator's image model lists.
var imageRatios = []string{"1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "21:9"}

func TestPicturesHaveTheAskedShape(t *testing.T) {
	t.Parallel()
	var p Painter
	for size, long := range longSides {
		for _, ratio := range imageRatios {
			got := Input{Kind: api.KindImage, Prompt: "p", Size: size, Ratio: ratio}.Media(0)
			var w, h int
			fmt.Sscanf(ratio, "%d:%d", &w, &h)
			if got.Width*h != got.Height*w || max(got.Width, got.Height) > long || max(got.Width, got.Height) < long-21 {
				t.Errorf("%s %s: %dx%d", size, ratio, got.Width, got.Height)
			}
		}
	}
	in := Input{Kind: api.KindImage, Prompt: "同じ prompt 𠮷\x00", Ratio: "3:2"}
	a := p.File(in, in.Media(300))
	var other Painter
	if b := other.File(in, in.Media(300)); !bytes.Equal(a, b) {
		t.Error("the same prompt gave another picture")
	}
	for what, change := range map[string]func(*Input){
		"prompt": func(in *Input) { in.Prompt = "another" },
		"image":  func(in *Input) { in.Image = "https://example.com/a.png" },
		"seed":   func(in *Input) { in.Seed = 1 },
	} {
		changed := in
		change(&changed)
		if bytes.Equal(a, p.File(changed, changed.Media(300))) {
			t.Errorf("another %s gave the same picture", what)
		}
	}
}

func TestEveryClipIsEmbedded(t *testing.T) {
	t.Parallel()
	var p Painter
	for ratio, size := range clipSizes {
		for _, seconds := range []int{4, 12} {
			for seed := range int64(20) { // meets every variant
				in := Input{Kind: api.KindVideo, Prompt: "waves", Ratio: ratio, Seconds: seconds, Seed: seed}
				m := in.Media(0)
				if clip := p.File(in, m); !bytes.Equal(clip[4:8], []byte("ftyp")) {
					t.Errorf("%s %d s: no MP4", ratio, seconds)
				}
				c, format, err := image.DecodeConfig(bytes.NewReader(m.Poster()))
				if err != nil || format != "jpeg" || c.Width != size.width || c.Height != size.height {
					t.Errorf("%s: poster %v %s %dx%d", ratio, err, format, c.Width, c.Height)
				}
			}
		}
	}
}

func TestKeptPicturesAreBounded(t *testing.T) {
	t.Parallel()
	p := Painter{bytes: maxKept + 1, kept: map[pictureKey][]byte{{}: {}}}
	in := Input{Kind: api.KindImage, Prompt: "p"}
	data := p.File(in, in.Media(32))
	if len(p.kept) != 1 || p.bytes != len(data) {
		t.Errorf("%d pictures and %d bytes are kept", len(p.kept), p.bytes)
	}
}
