package paint

import (
	"math"
	"math/rand/v2"
	"strings"
)

// rgb is a colour; its parts go from 0 to 255.
type rgb struct{ r, g, b float32 }

func hex3(v uint32) rgb { return rgb{float32(v >> 16), float32(v >> 8 & 255), float32(v & 255)} }

func (c rgb) mix(d rgb, t float32) rgb {
	return rgb{c.r + (d.r-c.r)*t, c.g + (d.g-c.g)*t, c.b + (d.b-c.b)*t}
}

// palettes are sky top, sky middle, horizon, light, near ground, far ground.
var palettes = [][6]uint32{
	{0x1b2a52, 0x8d4a7b, 0xf6a76c, 0xffe3b0, 0x121730, 0x7c5378},
	{0x10335a, 0x3f87b5, 0xf3dcb4, 0xfff3d6, 0x0c2f3f, 0x5f93a5},
	{0x2b1b47, 0xa3386b, 0xff8a5c, 0xffd27a, 0x1c1030, 0x7b2f63},
	{0x0e3b43, 0x3a8a80, 0xcfe3a8, 0xfff7c8, 0x0b2427, 0x4f9080},
	{0x304e8c, 0x8fb4e0, 0xf8d5d0, 0xfffdf2, 0x26375e, 0x8c9cc6},
	{0x3a1f2b, 0xb5533c, 0xf2b95f, 0xfff0b8, 0x2a1418, 0x9c5a45},
	{0x14213d, 0x4a5a8a, 0xd8a9b8, 0xffe9dc, 0x101628, 0x5b6088},
	{0x183a2d, 0x5c8d5a, 0xe9e2a0, 0xfffbd8, 0x0f261d, 0x6f9a68},
}

// nights are palettes for the dark.
var nights = [][6]uint32{
	{0x050a1e, 0x12264d, 0x3b5a80, 0xf4f1de, 0x04070f, 0x1f3352},
	{0x0a0618, 0x2a1a4f, 0x6a4c93, 0xffe8d6, 0x07040f, 0x33255a},
	{0x03131a, 0x0d3b46, 0x2f7f79, 0xe9fff4, 0x020b0e, 0x15444a},
}

// scene is a landscape or an arrangement, ready to be rendered row by row.
type scene struct {
	w, h    int
	sky     []rgb // by row
	light   rgb
	glowMid rgb
	sunX    float32
	sunY    float32
	sunR    float32
	ridges  []ridge // nearest first
	water   int     // first row of water; h without any
	discs   []disc
	stars   []star
	waves   []float32 // brightness of the water by row
}

// ridge is one line of hills, dunes or roofs: everything below its line.
type ridge struct {
	line []float32 // by column: the row where it begins
	top  rgb
	foot rgb
}

// disc is a translucent circle.
type disc struct {
	x, y, r float32
	colour  rgb
	alpha   float32
}

type star struct {
	x, y  int
	light float32
}

// kinds of scenes, and the words of a prompt that ask for them.
var sceneWords = []struct{ kind, words string }{
	{"night", "night moon star midnight galaxy space neon 夜 月 星 宇宙"},
	{"water", "sea ocean harbour harbor lake river water beach boat ship 海 湖 河 水 船 港"},
	{"city", "city street town skyline building tokyo tower 城 街 楼 镇"},
	{"dunes", "desert dune sand mars canyon 沙 漠"},
	{"discs", "abstract poster logo pattern geometric shape 抽象 海报 图案"},
	{"hills", "mountain hill forest valley field landscape 山 林 田 谷"},
}

// sceneKind picks by the prompt's words, else by its hash.
func sceneKind(in Input) string {
	text := strings.ToLower(in.Prompt)
	for _, k := range sceneWords {
		for _, word := range strings.Fields(k.words) {
			if strings.Contains(text, word) {
				return k.kind
			}
		}
	}
	return sceneWords[in.Hash("scene")%uint64(len(sceneWords))].kind
}

func newScene(in Input, w, h int) *scene {
	rng := rand.New(rand.NewPCG(in.Hash("one"), in.Hash("two")))
	kind := sceneKind(in)
	set := palettes
	if kind == "night" {
		set = nights
	}
	p := set[rng.IntN(len(set))]
	s := &scene{w: w, h: h, light: hex3(p[3]), glowMid: hex3(p[2]), water: h}
	horizon := float32(0.52 + 0.16*rng.Float64())
	s.sky = make([]rgb, h)
	for y := range s.sky {
		t := float32(y) / float32(h) / horizon
		if t < 0.55 {
			s.sky[y] = hex3(p[0]).mix(hex3(p[1]), smooth(t/0.55))
		} else {
			s.sky[y] = hex3(p[1]).mix(hex3(p[2]), smooth(min(1, (t-0.55)/0.45)))
		}
	}
	side := float32(min(w, h))
	s.sunX = float32(w) * float32(0.2+0.6*rng.Float64())
	s.sunY = float32(h) * (horizon - 0.08 - 0.3*rng.Float32())
	s.sunR = side * float32(0.045+0.05*rng.Float64())
	near, far := hex3(p[4]), hex3(p[5])
	switch kind {
	case "night":
		s.sunY *= 0.6
		s.sprinkle(rng, horizon)
		s.hills(rng, 4, horizon, 0.20, 2.2, far, near)
	case "water":
		s.water = int(float32(h) * (horizon + 0.04))
		s.hills(rng, 2, horizon, 0.10, 2.6, far, far.mix(near, 0.55))
		s.ripple(rng)
	case "city":
		s.hills(rng, 1, horizon, 0.06, 1.4, far, far)
		s.roofs(rng, horizon, far, near)
	case "dunes":
		s.hills(rng, 4, horizon+0.04, 0.16, 0.9, far.mix(hex3(p[2]), 0.35), near.mix(far, 0.25))
	case "discs":
		s.arrange(rng, p)
		s.hills(rng, 2, 0.74, 0.10, 0.8, far, near)
	default:
		s.hills(rng, 5, horizon, 0.18, 2.0, far, near)
	}
	return s
}

func smooth(t float32) float32 { return t * t * (3 - 2*t) }

// hills adds n ridges, the farthest at the horizon, each nearer one lower
// down, darker and rougher at large.
func (s *scene) hills(rng *rand.Rand, n int, horizon, height, rough float32, far, near rgb) {
	for i := range n {
		t := float32(i) / float32(max(1, n-1))
		base := (horizon + 0.02 + t*(0.93-horizon)*0.8) * float32(s.h)
		line := s.line(rng, base, height*(1-0.35*t)*float32(s.h), rough)
		top := far.mix(near, t)
		r := ridge{line, top.mix(s.glowMid, 0.18*(1-t)), top.mix(s.glowMid, 0.35*(1-t))}
		if i == n-1 {
			r.foot = near.mix(rgb{}, 0.35)
		}
		s.ridges = append([]ridge{r}, s.ridges...)
	}
}

// line is a smooth skyline out of a few waves.
func (s *scene) line(rng *rand.Rand, base, height, rough float32) []float32 {
	line := make([]float32, s.w)
	amp, freq := float64(height)/2, 1.1+rng.Float64()*1.2
	for range 6 {
		phase, bend := rng.Float64()*7, rng.Float64()*7
		for x := range line {
			u := float64(x) / float64(s.w) * 2 * math.Pi * freq
			line[x] += float32(amp * math.Sin(u+phase+0.8*math.Sin(u*0.53+bend)))
		}
		amp *= 0.26 + 0.1*float64(rough)
		freq *= 1.9 + 0.2*rng.Float64()
	}
	for x := range line {
		line[x] += base
	}
	return line
}

// roofs adds three rows of buildings.
func (s *scene) roofs(rng *rand.Rand, horizon float32, far, near rgb) {
	side := float32(min(s.w, s.h))
	for i := range 3 {
		t := float32(i) / 2
		line := make([]float32, s.w)
		for x := 0; x < s.w; {
			width := int(side * (0.03 + 0.06*rng.Float32()))
			top := float32(s.h) * (horizon + 0.13*t - (0.26-0.1*t)*rng.Float32()*rng.Float32() - 0.03)
			for end := min(s.w, x+max(2, width)); x < end; x++ {
				line[x] = top
			}
		}
		c := far.mix(near, t)
		s.ridges = append([]ridge{{line, c.mix(s.glowMid, 0.25*(1-t)), c.mix(rgb{}, 0.3*t)}}, s.ridges...)
	}
}

// arrange adds translucent circles.
func (s *scene) arrange(rng *rand.Rand, p [6]uint32) {
	side := float32(min(s.w, s.h))
	for range 7 {
		s.discs = append(s.discs, disc{
			x: float32(s.w) * rng.Float32(), y: float32(s.h) * 0.75 * rng.Float32(),
			r: side * (0.06 + 0.22*rng.Float32()*rng.Float32()), colour: hex3(p[rng.IntN(6)]), alpha: 0.35 + 0.45*rng.Float32(),
		})
	}
}

// sprinkle adds stars above the horizon.
func (s *scene) sprinkle(rng *rand.Rand, horizon float32) {
	for range 260 {
		s.stars = append(s.stars, star{
			rng.IntN(s.w), int(float32(s.h) * horizon * rng.Float32()), 0.25 + 0.75*rng.Float32()*rng.Float32(),
		})
	}
}

// ripple makes the water's bands.
func (s *scene) ripple(rng *rand.Rand) {
	s.waves = make([]float32, s.h)
	a, b := rng.Float64()*7, rng.Float64()*7
	for y := s.water; y < s.h; y++ {
		depth := float64(y-s.water)/float64(s.h-s.water) + 0.02
		s.waves[y] = float32(0.6*math.Sin(26/depth*0.35+a) + 0.4*math.Sin(34*math.Sqrt(depth)+b))
	}
}
