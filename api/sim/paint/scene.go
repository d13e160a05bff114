package paint

import (
	"math"
	"math/rand/v2"
	"strings"
)

// rgb is a colour; its parts go from 0 to 255.
type rgb struct{ r, g, b float64 }

func hex3(v uint32) rgb { return rgb{float64(v >> 16), float64(v >> 8 & 255), float64(v & 255)} }

func (c rgb) mix(d rgb, t float64) rgb {
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
	*rand.Rand
	w, h    int
	wide    float64 // w
	high    float64 // h
	side    float64 // the shorter one
	sky     []rgb   // by row
	light   rgb
	glowMid rgb
	sunX    float64
	sunY    float64
	sunR    float64
	ridges  []ridge // nearest first
	water   int     // first row of water; h without any
	discs   []disc
	stars   []star
	waves   []float64 // brightness of the water by row
}

// ridge is one line of hills, dunes or roofs: everything below its line.
type ridge struct {
	line []float64 // by column: the row where it begins
	top  rgb
	foot rgb
}

type disc struct {
	x, y, r float64
	colour  rgb
	alpha   float64
}

type star struct {
	x, y  int
	light float64
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
	kind := sceneKind(in)
	set := palettes
	if kind == "night" {
		set = nights
	}
	s := &scene{
		Rand: rand.New(rand.NewPCG(in.Hash("one"), in.Hash("two"))),
		w:    w, h: h, wide: float64(w), high: float64(h), side: float64(min(w, h)), water: h,
	}
	p := set[s.IntN(len(set))]
	s.light, s.glowMid = hex3(p[3]), hex3(p[2])
	horizon := 0.52 + 0.16*s.Float64()
	s.sky = make([]rgb, h)
	for y := range s.sky {
		t := float64(y) / s.high / horizon
		if t < 0.55 {
			s.sky[y] = hex3(p[0]).mix(hex3(p[1]), smooth(t/0.55))
		} else {
			s.sky[y] = hex3(p[1]).mix(hex3(p[2]), smooth(min(1, (t-0.55)/0.45)))
		}
	}
	s.sunX = s.wide * (0.2 + 0.6*s.Float64())
	s.sunY = s.high * (horizon - 0.08 - 0.3*s.Float64())
	s.sunR = s.side * (0.045 + 0.05*s.Float64())
	near, far := hex3(p[4]), hex3(p[5])
	switch kind {
	case "night":
		s.sunY *= 0.6
		s.sprinkle(horizon)
		s.hills(4, horizon, 0.20, 2.2, far, near)
	case "water":
		s.water = int(s.high * (horizon + 0.04))
		s.hills(2, horizon, 0.10, 2.6, far, far.mix(near, 0.55))
		s.ripple()
	case "city":
		s.hills(1, horizon, 0.06, 1.4, far, far)
		s.roofs(horizon, far, near)
	case "dunes":
		s.hills(4, horizon+0.04, 0.16, 0.9, far.mix(hex3(p[2]), 0.35), near.mix(far, 0.25))
	case "discs":
		s.arrange(p)
		s.hills(2, 0.74, 0.10, 0.8, far, near)
	default:
		s.hills(5, horizon, 0.18, 2.0, far, near)
	}
	return s
}

func smooth(t float64) float64 { return t * t * (3 - 2*t) }

// hills adds n ridges, the farthest at the horizon, each nearer one lower
// down, darker and rougher at large.
func (s *scene) hills(n int, horizon, height, rough float64, far, near rgb) {
	for i := range n {
		t := float64(i) / float64(max(1, n-1))
		base := (horizon + 0.02 + t*(0.93-horizon)*0.8) * s.high
		line := s.line(base, height*(1-0.35*t)*s.high, rough)
		top := far.mix(near, t)
		r := ridge{line, top.mix(s.glowMid, 0.18*(1-t)), top.mix(s.glowMid, 0.35*(1-t))}
		if i == n-1 {
			r.foot = near.mix(rgb{}, 0.35)
		}
		s.ridges = append([]ridge{r}, s.ridges...)
	}
}

// line is a smooth skyline out of a few waves.
func (s *scene) line(base, height, rough float64) []float64 {
	line := make([]float64, s.w)
	amp, freq := height/2, 1.1+s.Float64()*1.2
	for range 6 {
		phase, bend := s.Float64()*7, s.Float64()*7
		for x := range line {
			u := float64(x) / s.wide * 2 * math.Pi * freq
			line[x] += amp * math.Sin(u+phase+0.8*math.Sin(u*0.53+bend))
		}
		amp *= 0.26 + 0.1*rough
		freq *= 1.9 + 0.2*s.Float64()
	}
	for x := range line {
		line[x] += base
	}
	return line
}

func (s *scene) roofs(horizon float64, far, near rgb) {
	for i := range 3 {
		t := float64(i) / 2
		line := make([]float64, s.w)
		for x := 0; x < s.w; {
			width := int(s.side * (0.03 + 0.06*s.Float64()))
			top := s.high * (horizon + 0.13*t - (0.26-0.1*t)*s.Float64()*s.Float64() - 0.03)
			for end := min(s.w, x+max(2, width)); x < end; x++ {
				line[x] = top
			}
		}
		c := far.mix(near, t)
		s.ridges = append([]ridge{{line, c.mix(s.glowMid, 0.25*(1-t)), c.mix(rgb{}, 0.3*t)}}, s.ridges...)
	}
}

func (s *scene) arrange(p [6]uint32) {
	for range 7 {
		s.discs = append(s.discs, disc{
			x: s.wide * s.Float64(), y: s.high * 0.75 * s.Float64(),
			r: s.side * (0.06 + 0.22*s.Float64()*s.Float64()), colour: hex3(p[s.IntN(6)]), alpha: 0.35 + 0.45*s.Float64(),
		})
	}
}

func (s *scene) sprinkle(horizon float64) {
	for range 260 {
		s.stars = append(s.stars, star{
			s.IntN(s.w), int(s.high * horizon * s.Float64()), 0.25 + 0.75*s.Float64()*s.Float64(),
		})
	}
}

func (s *scene) ripple() {
	s.waves = make([]float64, s.h)
	a, b := s.Float64()*7, s.Float64()*7
	for y := s.water; y < s.h; y++ {
		depth := float64(y-s.water)/float64(s.h-s.water) + 0.02
		s.waves[y] = 0.6*math.Sin(26/depth*0.35+a) + 0.4*math.Sin(34*math.Sqrt(depth)+b)
	}
}
