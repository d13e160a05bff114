package paint

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
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
			expect.That(t, got.Width*h == got.Height*w && max(got.Width, got.Height) <= long && max(got.Width, got.Height) >= long-21,
				size, ratio, got.Width, "x", got.Height)
		}
	}
	in := Input{Kind: api.KindImage, Prompt: "同じ prompt 𠮷\x00", Ratio: "3:2"}
	a := p.File(in, in.Media(300))
	var other Painter
	expect.That(t, bytes.Equal(a, other.File(in, in.Media(300))), "the same prompt gave another picture")
	for what, change := range map[string]func(*Input){
		"prompt": func(in *Input) { in.Prompt = "another" },
		"image":  func(in *Input) { in.Image = "https://example.com/a.png" },
		"seed":   func(in *Input) { in.Seed = 1 },
	} {
		changed := in
		change(&changed)
		expect.That(t, !bytes.Equal(a, p.File(changed, changed.Media(300))), "another", what, "gave the same picture")
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
				expect.That(t, bytes.Equal(p.File(in, m)[4:8], []byte("ftyp")), ratio, seconds, "s: no MP4")
				c, format, err := image.DecodeConfig(bytes.NewReader(m.Poster()))
				expect.That(t, err == nil && format == "jpeg" && c.Width == size.width && c.Height == size.height,
					ratio, "poster", err, format, c.Width, "x", c.Height)
			}
		}
	}
}

func TestLastPictureIsKept(t *testing.T) {
	t.Parallel()
	var p Painter
	in, other := Input{Kind: api.KindImage, Prompt: "p"}, Input{Kind: api.KindImage, Prompt: "q"}
	first, again, next := p.File(in, in.Media(32)), p.File(in, in.Media(32)), p.File(other, other.Media(32))
	expect.That(t, &first[0] == &again[0] && !bytes.Equal(first, next), "a picture was drawn again, or is another one's")
	for seed := range int64(40) { // another painter draws the same
		in := Input{Kind: api.KindImage, Prompt: "killed 5", Seed: seed}
		expect.That(t, bytes.Equal(new(Painter).File(in, in.Media(32)), new(Painter).File(in, in.Media(32))), "drawn alike", seed)
	}
}

// shade is the mean colour of a picture, its hue in degrees weighed by how strong the colours are.
func shade(in Input) (hue, light float64) {
	var x, y float64
	m := painted(in, in.Media(96))
	for p := m.Pix; len(p) > 0; p = p[4:] {
		r, g, b := float64(p[0]), float64(p[1]), float64(p[2])
		x, y = x+r-(g+b)/2, y+(g-b)*math.Sqrt(3)/2
		light += rgb{r, g, b}.light() * 4 / float64(len(m.Pix))
	}
	return math.Mod(math.Atan2(y, x)*180/math.Pi+360, 360), light
}

func TestNamedColoursDominate(t *testing.T) {
	t.Parallel()
	for hue, names := range map[float64][]string{
		2: {"red", "红色的"}, 30: {"orange", "橙色"}, 50: {"yellow", "黄色"}, 130: {"green", "绿色"}, 216: {"blue", "蓝色"}, 275: {"purple", "紫色"},
	} {
		for _, name := range names {
			for i, subject := range []string{"kite", "fox, watercolour", "boat, paper cut", "狐狸", "cat, neon", "tree, gouache", "city", ""} {
				in := Input{Kind: api.KindImage, Prompt: "a " + name + " " + subject, Seed: int64(i)}
				got, _ := shade(in)
				expect.That(t, math.Abs(math.Mod(got-hue+540, 360)-180) <= 28, in.Prompt, "has the hue", got, "not about", hue)
			}
		}
	}
	for _, thing := range []string{"cat", "船"} {
		_, black := shade(Input{Prompt: "黑 " + thing})
		_, white := shade(Input{Prompt: "a white " + thing})
		expect.That(t, black <= 0.4 && white >= 0.7, thing, "black is", black, "and white", white, "light")
	}
	l := read("a red kite over a blue sea, pink")
	expect.That(t, l.body.name == "red" && l.around.name == "blue" && l.is["setting"].name == "sea", "read", l)
	l = read("蓝图: catalogue of drinks")
	expect.That(t, l.is["style"].name == "blueprint" && l.around == nil && l.things == nil, "parts of words are taken for words", l)
}

// TestLooksCanBePainted paints every entry in every style, and finds that its names are there.
func TestLooksCanBePainted(t *testing.T) {
	t.Parallel()
	flat := []byte(nil)
	for _, e := range looks() {
		for _, style := range looks() {
			if style.class == "style" && len(e.words) > 0 && e.class != "open" {
				in := Input{Kind: api.KindImage, Prompt: e.words[0] + ", " + style.words[0], Ratio: imageRatios[len(e.words[0])%len(imageRatios)]}
				a, b := painted(in, in.Media(48)).Pix, painted(Input{Prompt: in.Prompt, Ratio: in.Ratio, Seed: 2}, in.Media(48)).Pix
				expect.That(t, !bytes.Equal(a, b) && !bytes.Equal(a, flat), in.Prompt, "is the same with another seed")
				flat = a
			}
		}
	}
}

// FuzzPrompts: whatever is asked for is painted, and every pixel of it.
func FuzzPrompts(f *testing.F) {
	for _, prompt := range []string{"", "a red kite", "红色的狐狸，雪", "moon boat fox castle rocket \xff\x00", "ink paper neon"} {
		f.Add(prompt, int64(1), uint8(3))
	}
	f.Fuzz(func(t *testing.T, prompt string, seed int64, ratio uint8) {
		in := Input{Kind: api.KindImage, Prompt: prompt, Seed: seed, Ratio: imageRatios[int(ratio)%len(imageRatios)]}
		for pix := painted(in, in.Media(24)).Pix; len(pix) > 0; pix = pix[4:] {
			expect.Must(t, pix[3] == 255, prompt, "leaves pixels unpainted")
		}
	})
}
