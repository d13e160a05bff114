package paint

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

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
	all := make([]float64, len(fields))
	for i, f := range fields {
		all[i], _ = strconv.ParseFloat(f, 64) // 0 for a name
	}
	return all
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

// tinted takes a colour most of the way to the shade of a named one that is as light.
func (c rgb) tinted(e *entry) rgb {
	dark, mid, pale, t := hex3(e.args[0]), hex3(e.args[1]), hex3(e.args[2]), 2*math.Sqrt(c.light())
	return c.mix(dark.mix(mid, min(1, t)).mix(pale, max(0, t-1)), 0.88)
}
