package expand

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// name is how a prompt names a list: __colours__.
var name = api.Pattern(`^__([\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*)__`)

// choosing is the mark of a choice of several alternatives: {2$$a|b|c}.
var choosing = regexp.MustCompile(`^([0-9]{1,3})\$\$`)

// group is a pair of braces in a text.
type group struct {
	end  int   // of its closing brace
	bars []int // the alternatives' separators
	json bool  // a JSON object, which is literal
}

// jsonTries bounds how many braces of one text are looked at as the beginning
// of a JSON object that turns out to be none.
const jsonTries = 20

// groups finds the pairs of braces of a text, by the place of the opening one.
func groups(text string) map[int]*group {
	found := map[int]*group{}
	var open []int
	tries := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			run := backslashes(text, i)
			i += run - 1
			if run%2 == 1 && i+1 < len(text) && special(text[i+1]) {
				i++
			}
		case '{':
			if n := jsonLength(text[i:], &tries); n > 0 {
				found[i] = &group{end: i + n - 1, json: true}
				i += n - 1
				continue
			}
			open = append(open, i)
			found[i] = &group{end: -1}
		case '|':
			if len(open) > 0 {
				g := found[open[len(open)-1]]
				g.bars = append(g.bars, i)
			}
		case '}':
			if len(open) > 0 {
				found[open[len(open)-1]].end = i
				open = open[:len(open)-1]
			}
		}
	}
	return found
}

// jsonLength is how long the JSON object at the beginning of the text is, 0 when
// there is none.
func jsonLength(text string, tries *int) int {
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	if rest == "" || rest[0] != '"' && rest[0] != '}' || *tries >= jsonTries {
		return 0
	}
	d := json.NewDecoder(strings.NewReader(text))
	var object json.RawMessage
	if d.Decode(&object) != nil {
		*tries++
		return 0
	}
	return int(d.InputOffset())
}

func special(c byte) bool { return c == '{' || c == '}' || c == '|' }

func backslashes(text string, i int) int {
	n := 0
	for i+n < len(text) && text[i+n] == '\\' {
		n++
	}
	return n
}

// part is a piece of a text: literal, or a choice when it has alternatives.
type part struct {
	literal      string
	alternatives [][]part
	choose       int // how many of the alternatives are chosen together; 0: one
}

type parser struct {
	lists   Lists
	read    map[string]*part // of lists, by name; nil while one is being read
	path    []string         // the lists that are being read
	missing []string
}

func (p *parser) parse(text string) ([]part, error) {
	if !strings.ContainsAny(text, `{}|`) && !strings.Contains(text, "__") {
		return []part{{literal: text}}, nil
	}
	t := &scan{parser: p, text: text, groups: groups(text)}
	return t.between(0, len(text))
}

type scan struct {
	*parser
	text   string
	groups map[int]*group
}

// between reads the text from a place to another.
func (t *scan) between(from, to int) ([]part, error) {
	var parts []part
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			parts = append(parts, part{literal: literal.String()})
			literal.Reset()
		}
	}
	for i := from; i < to; {
		choice, text, n, err := t.next(i, to)
		if err != nil {
			return nil, err
		}
		if choice != nil {
			flush()
			parts = append(parts, *choice)
		}
		literal.WriteString(text)
		i += n
	}
	flush()
	return parts, nil
}

// next reads what stands at i: a choice, or a literal text, and how many bytes
// it takes.
func (t *scan) next(i, to int) (choice *part, literal string, n int, err error) {
	switch t.text[i] {
	case '\\':
		literal, n = t.escaped(i, to)
		return nil, literal, n, nil
	case '{':
		g := t.groups[i]
		if g != nil && g.json {
			return nil, t.text[i : g.end+1], g.end + 1 - i, nil
		}
		if g != nil && g.end >= 0 && len(g.bars) > 0 {
			if choice, err = t.alternatives(i, g); choice != nil || err != nil {
				return choice, "", g.end + 1 - i, err
			}
		}
	case '_':
		if m := name().FindStringSubmatch(t.text[i:to]); m != nil {
			choice, err = t.list(m[1])
			if choice != nil || err != nil {
				return choice, "", len(m[0]), err
			}
			return nil, m[0], len(m[0]), nil
		}
	}
	return nil, t.text[i : i+1], 1, nil
}

// escaped reads a run of backslashes. Before a brace, a bar or the name of a
// list two of them are one, and the last of an odd number makes it literal.
func (t *scan) escaped(i, to int) (literal string, n int) {
	run := backslashes(t.text[:to], i)
	after := t.text[i+run : to]
	taken := ""
	if after != "" && special(after[0]) {
		taken = after[:1]
	} else if m := name().FindString(after); m != "" {
		taken = m
	} else {
		return t.text[i : i+run], run
	}
	if run%2 == 0 {
		return t.text[i : i+run/2], run
	}
	return t.text[i:i+run/2] + taken, run + len(taken)
}

// alternatives reads the group at i, nil when it asks for more alternatives
// than it has.
func (t *scan) alternatives(i int, g *group) (*part, error) {
	from := i + 1
	choice := &part{}
	if m := choosing.FindStringSubmatch(t.text[from:g.end]); m != nil {
		choice.choose, _ = strconv.Atoi(m[1]) // digits
		if choice.choose < 1 || choice.choose > len(g.bars)+1 {
			return nil, nil
		}
		from += len(m[0])
	}
	for _, end := range append(slices.Clone(g.bars), g.end) {
		parts, err := t.between(from, end)
		if err != nil {
			return nil, err
		}
		choice.alternatives = append(choice.alternatives, parts)
		from = end + 1
	}
	return choice, nil
}

// list reads the list with the name, nil when there is none.
func (p *parser) list(name string) (*part, error) {
	if choice, ok := p.read[name]; ok && choice != nil {
		return choice, nil
	} else if ok {
		i := slices.Index(p.path, name)
		return nil, &CycleError{append(slices.Clone(p.path[i:]), name)}
	}
	entries, ok := p.lists[name]
	if !ok || len(entries) == 0 {
		if !slices.Contains(p.missing, name) {
			p.missing = append(p.missing, name)
		}
		return nil, nil
	}
	p.read[name] = nil
	p.path = append(p.path, name)
	choice := &part{}
	for _, e := range entries {
		parts, err := p.parse(e)
		if err != nil {
			return nil, err
		}
		choice.alternatives = append(choice.alternatives, parts)
	}
	p.path = p.path[:len(p.path)-1]
	p.read[name] = choice
	return choice, nil
}

// Literal writes a text so that it expands to itself alone, as it is where it
// does so already.
func Literal(text string, lists Lists) string {
	p := &parser{lists: lists, read: map[string]*part{}}
	if parts, err := p.parse(text); err == nil && len(parts) == 1 && parts[0].literal == text {
		return text
	}
	return Escape(text)
}

// Escape writes a text so that it expands to itself alone.
func Escape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		run := backslashes(text, i)
		b.WriteString(text[i : i+run])
		i += run
		taken := name().FindString(text[i:])
		if taken == "" && i < len(text) && special(text[i]) {
			taken = text[i : i+1]
		}
		if taken != "" {
			b.WriteString(text[i-run:i] + `\` + taken)
			i += len(taken)
		} else if i < len(text) {
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String()
}

// maxCount is where counting stops: whatever has so many expansions has too
// many.
const maxCount = 1 << 30

// count is how many texts the parts stand for, equal ones included.
func count(parts []part) int {
	n := 1
	for i := range parts {
		n = min(n*parts[i].count(), maxCount)
	}
	return n
}

func (p *part) count() int {
	if p.alternatives == nil {
		return 1
	}
	// ways[k] is in how many ways k of the alternatives so far are chosen.
	ways := make([]int, max(p.choose, 1)+1)
	ways[0] = 1
	for _, a := range p.alternatives {
		n := count(a)
		for k := len(ways) - 1; k > 0; k-- {
			ways[k] = min(ways[k]+min(ways[k-1]*n, maxCount), maxCount)
		}
	}
	return ways[len(ways)-1]
}

// texts are all that the parts stand for, the last choice changing first.
func texts(parts []part) []string {
	all := []string{""}
	for i := range parts {
		options := parts[i].texts()
		next := make([]string, 0, len(all)*len(options))
		for _, a := range all {
			for _, o := range options {
				next = append(next, a+o)
			}
		}
		all = next
	}
	return all
}

func (p *part) texts() []string {
	if p.alternatives == nil {
		return []string{p.literal}
	}
	var all []string
	if p.choose > 0 {
		p.combine(0, nil, &all)
		return all
	}
	for _, a := range p.alternatives {
		all = append(all, texts(a)...)
	}
	return all
}

// combine adds every choice of as many alternatives as are to be chosen, those
// before from being decided.
func (p *part) combine(from int, chosen []string, all *[]string) {
	if len(chosen) == p.choose {
		*all = append(*all, strings.Join(chosen, ", "))
		return
	}
	for i := from; i <= len(p.alternatives)-(p.choose-len(chosen)); i++ {
		for _, t := range texts(p.alternatives[i]) {
			p.combine(i+1, append(chosen[:len(chosen):len(chosen)], strings.TrimSpace(t)), all)
		}
	}
}
