package paint

import (
	"cmp"
	_ "embed"
	"image"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/vector"

	"darkroom/api"
)

// scene is a picture as it is painted, the farthest first.
type scene struct {
	*rand.Rand
	*image.RGBA
	look
	pen                    vector.Rasterizer
	w, h                   int
	wide, high, side, lift float64 // side is the shorter one; lift moves the horizon
	manner                 []float64
	p                      [6]rgb // sky top, sky middle, horizon, light, near ground, far ground
	sky                    []rgb  // by row
	sun                    point
}

// painted is the picture of an input.
func painted(in Input, m Media) *image.RGBA {
	w, h := m.Width, m.Height
	s := &scene{
		Rand: rand.New(rand.NewPCG(in.Hash("one"), in.Hash("two"))), look: read(in.Prompt), RGBA: image.NewRGBA(image.Rect(0, 0, w, h)),
		w: w, h: h, wide: float64(w), high: float64(h), side: float64(min(w, h)),
	}
	if s.is["setting"] == nil && len(s.things) > 0 {
		s.is["setting"] = lookup("setting", s.things[0].args[0])
	}
	// What is still open is chosen by the prompt's hash, the time of day by the seed too.
	for _, class := range []string{"style", "setting", "mood"} { // the last one follows from the setting
		from := Input{Prompt: in.Prompt}
		if class == "mood" {
			from = in
		}
		if s.is[class] == nil {
			names := lookup("open", class).words
			if e := cmp.Or(s.is["weather"], s.is["setting"]); class == "mood" && e != nil && len(e.args) > 0 {
				names = e.args
			}
			s.is[class] = lookup(class, names[from.Hash(class)%uint64(len(names))])
		}
	}
	s.lift = 0.12 * (s.Float64() - 0.5)
	s.sun = point{s.wide * (0.2 + 0.6*s.Float64()), s.high * (0.3 + 0.2*s.Float64())}
	s.ground()
	whole := func(x, y float64) point { return point{x / 100 * s.wide, (y/100 + s.lift) * s.high} }
	for _, class := range []string{"mood", "setting", "style", "thing", "weather"} {
		if e := s.is[class]; class == "thing" {
			s.stand()
		} else if e != nil {
			s.put(e.parts, whole, s.side/100, 1, rgb{}, 1)
		}
	}
	return s.RGBA
}

// ground chooses the palette, takes it to the colour that the prompt names,
// and lays the sky or paper.
func (s *scene) ground() {
	style := s.is["style"]
	s.manner = numbers(style.args)
	if s.around == nil && style.name == "blueprint" {
		s.around = lookup("colour", "blue")
	}
	palettes := s.is["mood"].args
	for i, hex := range lookup("palette", palettes[s.IntN(len(palettes))]).args {
		c := hex3(hex)
		if s.around != nil {
			// most of the way to the shade of the named colour that is as light
			a, t := s.around.args, 2*math.Sqrt(c.light())
			c = c.mix(hex3(a[0]).mix(hex3(a[1]), min(1, t)).mix(hex3(a[2]), max(0, t-1)), 0.88)
		}
		s.p[i] = s.toned(c).mix(hex3(style.args[0]), s.manner[4+i])
	}
	draw.Draw(s.RGBA, s.Rect, image.Opaque, image.Point{}, draw.Src)
	s.sky = make([]rgb, s.h)
	for y := range s.sky {
		t := float64(y) / s.high / (0.62 + s.lift)
		if bands := s.manner[2]; bands > 0 {
			t = math.Floor(t*bands) / bands
		}
		s.sky[y] = s.p[0].mix(s.p[1], smooth(t/0.55)).mix(s.p[2], smooth((t-0.55)/0.45))
		blend(s.row(y), s.sky[y], 1)
	}
}

func smooth(t float64) float64 { t = max(0, min(1, t)); return t * t * (3 - 2*t) }

// toned takes a colour to what the style has: ink is grey where no colour is named.
func (s *scene) toned(c rgb) rgb {
	grey := s.manner[1]
	if s.around != nil {
		grey *= 0.3
	}
	return c.mix(rgb{255 * c.light(), 255 * c.light(), 255 * c.light()}, grey)
}

// tone is the colour of a letter in looks.txt.
func (s *scene) tone(letter byte, body rgb) rgb {
	switch letter {
	case 'b':
		return body
	case 'd':
		return body.mix(rgb{16, 12, 40}, 0.28)
	case 'p':
		return body.mix(rgb{255, 250, 240}, 0.42)
	}
	if letter <= '5' {
		return s.p[letter-'0']
	}
	return s.toned(hex3(lookup("tone", string(letter)).args[0])).mix(hex3(s.is["style"].args[0]), s.manner[3])
}

// line is a skyline out of a few waves; a rough below 0 makes straight slopes.
func (s *scene) line(base, height, rough float64) []point {
	const n = 150
	line := make([]point, n+1, n+3)
	amp, freq := height/2, (1.1+s.Float64()*1.2)*max(0.6, math.Sqrt(s.wide/s.high))
	for i := range line {
		line[i] = point{(float64(i)/n*1.04 - 0.02) * s.wide, base * s.high}
	}
	for range 6 {
		phase, bend := s.Float64()*7, s.Float64()*7
		for i := range line {
			u := float64(i) / n * 2 * math.Pi * freq
			v := math.Sin(u + phase + 0.8*math.Sin(u*0.53+bend))
			if rough < 0 {
				v = 2*math.Abs(2*math.Mod((u+phase)/7, 1)-1) - 1
			}
			line[i].y += amp * v * s.high
		}
		amp *= 0.3 + 0.08*math.Abs(rough)
		freq *= 1.9 + 0.2*s.Float64()
	}
	return append(line, point{s.wide + 99, s.high + 99}, point{-99, s.high + 99})
}

// roofs adds a row of houses, with lit windows but by day.
func (s *scene) roofs(base, height float64, c rgb) {
	var line, windows []point
	for x := -0.05 * s.side; x < s.wide+9; {
		width, pane := s.side*(0.09+0.11*s.Float64()), s.side*0.022
		top := s.high * (base - height*s.Float64()*s.Float64())
		line = append(line, point{x, top}, point{x + width, top})
		for i := range 24 {
			wx, wy := x+pane*(1+2.2*float64(i%4)), top+pane*(1.6+3*float64(i/4))
			if s.Float64() < 0.3 && wx+pane < x+width && s.is["mood"].name != "day" {
				windows = append(windows, stroke([]point{{wx + pane/2, wy + 0.3*pane}, {wx + pane/2, wy + 1.2*pane}}, pane)...)
			}
		}
		x += width
	}
	s.shape(append(line, point{s.wide + 99, s.high + 99}, point{-99, s.high + 99}), c, c.mix(s.p[2], 0.25), 1)
	s.fill(windows, s.tone('y', rgb{}), s.p[3], 0.85)
}

// scatter strews drops, flakes or stars, which are round when they are not long, or blots of that size.
func (s *scene) scatter(n int, c rgb, size, long, low, alpha float64) {
	var all []point
	for range n {
		x, y, r := 1.1*s.wide*s.Float64(), low*s.high*(1.1*s.Float64()-0.1), s.side*size*(0.3+s.Float64()*s.Float64())
		if long > 0 {
			all = append(all, stroke([]point{{x, y}, {x - long*s.side/4, y + long*s.side}}, r)...)
		} else if all = append(append(all, disc(x, y, r, r)...), gap); size > 0.1 {
			all = nil
			s.glow(x, y, r, c, alpha)
		}
	}
	s.fill(all, c, c, alpha)
}

// stand puts the things of the prompt where they belong, the first one last.
func (s *scene) stand() {
	for i := len(s.things) - 1; i >= 0; i-- {
		t, n, side := s.things[i], float64(len(s.things)), float64(1-2*s.IntN(2))
		size := numbers(t.args)[2] * s.side * (0.78 + 0.34*s.Float64()) * math.Pow(0.74, n-1)
		x := s.wide*(float64(i)+1)/(n+1) + (s.wide-size)*0.55*(s.Float64()-0.5)/n
		v := numbers(lookup("place", t.args[1]).args)
		y, turn := size*v[0]+(s.high-size*v[0])*(v[1]+v[2]*s.Float64()), v[3]*(s.Float64()-0.5)
		body := s.toned(hex3(t.args[3]))
		if i == 0 && s.body != nil {
			body = hex3(s.body.args[1])
		}
		sin, cos := math.Sincos(turn)
		at := func(x0, y0 float64) point {
			u, w := side*(x0-50)/100*size, (y0-50)/100*size
			return point{x + u*cos - w*sin, y - size/2 + u*sin + w*cos}
		}
		mirrored := func(x0, y0 float64) point { p := at(x0, y0); return point{p.x, y - size*0.16 + (y-size*0.1-p.y)*0.6} }
		back := s.sky[min(s.h-1, max(0, int(y-size/2)))].light()
		if t.args[1] == "water" {
			s.put(t.parts, mirrored, size/100, 0.6, body, 0.35)
		} else if t.args[1] == "ground" {
			s.fill(disc(x, y, size*0.55, size*0.05), rgb{}, rgb{}, 0.28)
		}
		if math.Abs(body.light()-back) < 0.28 { // it would be lost there
			s.glow(x, y-size/2, size*0.9, s.p[5].mix(s.p[3], math.Round(1-body.light())), 0.55)
		}
		s.put(t.parts, at, size/100, 1, body, 1)
	}
}

// put paints the parts of an entry; at says where a point of its square of 100 is.
func (s *scene) put(parts []part, at func(x, y float64) point, unit, squeeze float64, body rgb, alpha float64) {
	white, dark := rgb{255, 255, 255}, rgb{10, 6, 30}
	for _, p := range parts {
		c, v := s.tone(p.tone, body), p.at
		var line []point
		for i := len(v) % 2; i+1 < len(v); i += 2 {
			line = append(line, at(v[i], v[i+1]))
		}
		switch p.kind {
		case 'p':
			s.shape(line, c.mix(white, 0.06), c.mix(dark, 0.12), alpha)
		case 'c':
			s.shape(rounded(line), c.mix(white, 0.08), c.mix(dark, 0.16), alpha)
		case 'o':
			s.shape(disc(line[0].x, line[0].y, v[2]*unit, v[3]*unit*squeeze), c.mix(white, 0.1), c, alpha)
		case 'l':
			s.fill(stroke(line, 2*v[0]*unit), c, c, alpha)
		case 'g':
			s.glow(line[0].x, line[0].y, v[2]*unit, c, v[3]*alpha)
		case 's': // the sun, unless a thing is
			if !slices.ContainsFunc(s.things, func(t *entry) bool { return t.args[1] == "sky" && t.args[2] < ".5" }) {
				if s.is["style"].name == "ink" && s.around == nil {
					c = rgb{204, 62, 48}
				}
				r := v[0] * unit * (0.7 + 0.6*s.Float64())
				s.glow(s.sun.x, s.sun.y, r*6, c, 0.6)
				s.shape(disc(s.sun.x, s.sun.y, r, r), c, c.mix(s.p[2], 0.2), 1)
			}
		case 'h':
			for i := range int(v[0]) { // ridges, the farthest at the horizon, each nearer one lower down and darker
				t, base := float64(i)/max(1, v[0]-1), v[2]/100+s.lift
				ridge := c.mix(s.p[int(v[1])], t)
				s.shape(s.line(base+t*(0.95-base)*0.8, v[3]/100*(1-0.4*t), v[4]), ridge.mix(s.p[2], 0.15*(1-t)), ridge.mix(s.p[2], 0.4*(1-t)), 1)
			}
		case 'r':
			s.roofs(v[0]/100+s.lift, v[1]/100, c.mix(s.p[2], v[2]))
		case 'w':
			s.mirror(int(s.high * (v[0]/100 + s.lift)))
		case 'x':
			s.scatter(int(v[0]), c, v[1]/100, v[2]/100, v[3], v[4])
		}
	}
}

// shape adds a shape in the manner of the style: fills and outlines, one over the other.
func (s *scene) shape(points []point, top, foot rgb, alpha float64) {
	pen := s.side / 90
	for _, p := range s.is["style"].parts {
		switch c, v := s.tone(p.tone, top), p.at; p.kind {
		case 'e':
			c = top.mix(c, v[1])
			s.fill(stroke(append(points, points[0]), v[0]*pen), c, c, v[2]*alpha)
		case 'f':
			moved := func(p point) point { return point{p.x + v[0]*pen, p.y + v[1]*pen} }
			s.fill(api.Map(points, moved), top.mix(c, v[2]), foot.mix(c, v[3]), v[4]*alpha)
		}
	}
}

// entry is a line of looks.txt: something that the words of a prompt name.
type entry struct {
	class, name string
	args, words []string
	parts       []part
}

// part is one step of painting an entry; looks.txt says what its numbers mean.
type part struct {
	kind, tone byte
	at         []float64
}

//go:embed looks.txt
var looksText string

var looks = sync.OnceValue(func() (all []entry) {
	for line := range strings.Lines(looksText) {
		head, words, _ := strings.Cut(line, ":")
		fields := strings.Fields(head)
		switch {
		case len(fields) < 2 || fields[0] == "#":
		case line[0] == ' ':
			last := &all[len(all)-1]
			last.parts = append(last.parts, part{fields[0][0], fields[1][0], numbers(fields[2:])})
		default:
			all = append(all, entry{fields[0], fields[1], fields[2:], strings.Fields(words), nil})
		}
	}
	return all
})

func numbers(fields []string) []float64 {
	return api.Map(fields, func(field string) float64 {
		number, _ := strconv.ParseFloat(field, 64) // 0 for a name
		return number
	})
}

func lookup(class, name string) *entry {
	return &looks()[slices.IndexFunc(looks(), func(e entry) bool { return e.class == class && e.name == name })]
}

// look is what a prompt asks for: entries by class, things in their order, and
// the colours of the first thing and of the scene. What it leaves open is nil.
type look struct {
	is           map[string]*entry
	things       []*entry
	body, around *entry
}

// read finds what a prompt names. A word that is part of another, such as 蓝 in
// 蓝图, goes to the class that is asked first.
func read(prompt string) look {
	l := look{is: map[string]*entry{}}
	text := " " + strings.Map(func(r rune) rune {
		if r < 0x80 && (r < 'a' || r > 'z') {
			return ' '
		}
		return r
	}, strings.ToLower(prompt)) + " "
	for _, class := range []string{"style", "mood", "weather", "setting"} {
		if all := find(text, class); len(all) > 0 {
			l.is[class] = all[0].entry
			if at := all[0].at; class == "style" || class == "mood" {
				text = text[:at] + " " + text[at+len(all[0].word):]
			}
		}
	}
	colours, things := find(text, "colour"), find(text, "thing")
	for _, t := range things[:min(3, len(things))] {
		l.things = append(l.things, t.entry)
	}
	for _, c := range colours {
		next := find(text[c.at+len(c.word):], "setting")
		lies := len(next) > 0 && next[0].at < 2 // the colour is that of the water, not of what swims in it
		if len(things) > 0 && (c.at < things[0].at || l.body == nil && !lies) {
			l.body = c.entry
		} else if l.around == nil {
			l.around = c.entry
		}
	}
	l.around = cmp.Or(l.around, l.body)
	return l
}

// named is an entry with the first of its words that a text holds.
type named struct {
	*entry
	at   int
	word string
}

// find gives the entries of a class that a text names, in their order. An
// English word counts by itself, singular or plural, a Chinese one anywhere.
func find(text, class string) (all []named) {
	for i := range looks() {
		e := &looks()[i]
		n := named{e, len(text), ""}
		for _, w := range e.words {
			at := strings.Index(text, w)
			if w[0] < 0x80 {
				at = max(strings.Index(text, " "+w+" "), strings.Index(text, " "+w+"s ")) + 1
			}
			if at > 0 && at < n.at {
				n.at, n.word = at, w
			}
		}
		if e.class == class && n.word != "" {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b named) int { return a.at - b.at })
	return all
}

// rgb is a colour; its parts go from 0 to 255.
type rgb struct{ r, g, b float64 }

func hex3(s string) rgb {
	v, _ := strconv.ParseUint(s, 16, 32)
	return rgb{float64(v >> 16), float64(v >> 8 & 255), float64(v & 255)}
}

func (c rgb) mix(d rgb, t float64) rgb {
	return rgb{c.r + (d.r-c.r)*t, c.g + (d.g-c.g)*t, c.b + (d.b-c.b)*t}
}

func (c rgb) light() float64 { return (0.3*c.r + 0.59*c.g + 0.11*c.b) / 255 }
