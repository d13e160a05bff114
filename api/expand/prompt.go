package expand

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"darkroom/api"
)

// name is how a prompt names a list: __colours__.
var name = api.Pattern(`^__([\p{L}\p{M}\p{N}]+(?:[-_.][\p{L}\p{M}\p{N}]+)*)__`)

// choosing is the mark of a choice of several alternatives: {2$$a|b|c}.
var choosing = regexp.MustCompile(`^([0-9]+)\$\$`)

type group struct {
	end  int   // of its closing brace
	bars []int // the alternatives' separators
	json bool  // a JSON object, which is literal
}

// Unclosed is the place, counted in characters from 1, of the first brace with alternatives
// that is not closed, 0 if there is none, and the text from there on.
func Unclosed(text string) (int, string) {
	_, open := groups(text)
	if len(open) == 0 {
		return 0, ""
	}
	return utf8.RuneCountInString(text[:open[0]]) + 1, text[open[0]:]
}

// groups finds the closed pairs of braces of a text by the place of the opening one, and
// where braces with alternatives are not closed.
func groups(text string) (found map[int]*group, unclosed []int) {
	found = map[int]*group{}
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
			found[i] = &group{}
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
	for _, i := range open {
		if len(found[i].bars) > 0 {
			unclosed = append(unclosed, i)
		}
		delete(found, i)
	}
	return found, unclosed
}

// jsonLength is how long the JSON object at the beginning of the text is, 0 when
// there is none. Few braces of a text are tried.
func jsonLength(text string, tries *int) int {
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	if rest == "" || rest[0] != '"' && rest[0] != '}' || *tries >= 20 {
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

func backslashes(text string, i int) int { return len(text) - i - len(strings.TrimLeft(text[i:], `\`)) }

// part is a piece of a text: literal, or a choice when it has alternatives.
type part struct {
	literal      string
	alternatives [][]*part
	choose       int      // how many of the alternatives are chosen together; 0: one
	n            int      // how many texts it stands for
	all          []string // these, once they were asked for: lists are shared
}

type parser struct {
	lists   Lists
	read    map[string]*part // of lists, by name
	path    []string         // the lists that are being read
	entries int              // of lists, as far as they were read
	missing []string
}

func (p *parser) parse(text string) ([]*part, error) {
	if !strings.ContainsAny(text, `{}|`) && !strings.Contains(text, "__") {
		return []*part{{literal: text, n: 1}}, nil
	}
	t := &scan{parser: p, text: text}
	t.groups, _ = groups(text)
	return t.between(0, len(text))
}

type scan struct {
	*parser
	text   string
	groups map[int]*group
}

func (t *scan) between(from, to int) (parts []*part, _ error) {
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			parts = append(parts, &part{literal: literal.String(), n: 1})
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
			parts = append(parts, choice)
		}
		literal.WriteString(text)
		i += n
	}
	flush()
	return parts, nil
}

// next reads what stands at i: a choice, or a literal text of n bytes.
func (t *scan) next(i, to int) (choice *part, literal string, n int, err error) {
	switch t.text[i] {
	case '\\':
		literal, n = t.escaped(i)
		return nil, literal, n, nil
	case '{':
		g := t.groups[i]
		if g != nil && g.json {
			return nil, t.text[i : g.end+1], g.end + 1 - i, nil
		}
		if g != nil && len(g.bars) > 0 {
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
func (t *scan) escaped(i int) (literal string, n int) {
	run := backslashes(t.text, i)
	after := t.text[i+run:]
	list := name().FindString(after)
	switch {
	case list == "" && (after == "" || !special(after[0])):
		return t.text[i : i+run], run
	case run%2 == 0: // of an odd one groups has left out the sign behind it
		list = ""
	}
	return t.text[i:i+run/2] + list, run + len(list)
}

// alternatives reads the group at i, nil when it asks for more than it has.
func (t *scan) alternatives(i int, g *group) (*part, error) {
	from := i + 1
	choice := &part{}
	if m := choosing.FindStringSubmatch(t.text[from:g.end]); m != nil {
		choice.choose, _ = strconv.Atoi(m[1]) // digits; of too many the largest number
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
	choice.count()
	return choice, nil
}

// maxMissing is how many names without a list are told.
const maxMissing = 100

// list reads the list with the name, nil when there is none.
func (p *parser) list(name string) (*part, error) {
	if choice := p.read[name]; choice != nil {
		return choice, nil
	}
	if i := slices.Index(p.path, name); i >= 0 {
		cycle := strings.Join(append(slices.Clone(p.path[i:]), name), " → ")
		return nil, api.Sentence("the list %v names itself: %v").Fault(ErrCycle, p.path[i], cycle)
	}
	entries := p.lists[name]
	if len(entries) == 0 {
		if len(p.missing) < maxMissing && !slices.Contains(p.missing, name) {
			p.missing = append(p.missing, name)
		}
		return nil, nil
	}
	choice := &part{}
	if p.entries += len(entries); p.entries > 2*MaxRequests { // too many, whatever stands in them
		choice.alternatives, choice.n = [][]*part{nil}, max(len(entries), MaxRequests+1)
		return choice, nil
	}
	p.path = append(p.path, name)
	for _, e := range entries {
		parts, err := p.parse(e[:min(len(e), maxText)])
		if err != nil {
			return nil, err
		}
		choice.alternatives = append(choice.alternatives, parts)
	}
	p.path = p.path[:len(p.path)-1]
	choice.count()
	p.read[name] = choice
	return choice, nil
}

// Literal writes a text so that it expands to itself alone, if it does not do so yet.
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

// maxCount is where counting stops.
const maxCount = 1 << 30

// count is how many texts the parts stand for, equal ones included.
func count(parts []*part) int {
	n := 1
	for i := range parts {
		n = min(n*parts[i].n, maxCount)
	}
	return n
}

func (p *part) count() {
	// ways[k] is in how many ways k of the alternatives so far are chosen.
	ways := make([]int, max(p.choose, 1)+1)
	ways[0] = 1
	for _, a := range p.alternatives {
		n := count(a)
		for k := len(ways) - 1; k > 0; k-- {
			ways[k] = min(ways[k]+min(ways[k-1]*n, maxCount), maxCount)
		}
	}
	p.n = ways[len(ways)-1]
}

// labelled is a text, and the options that were chosen for it.
type labelled struct {
	text   string
	chosen []string
}

// texts are all that the parts stand for, the last choice changing first.
func texts(parts []*part) []labelled {
	all := []labelled{{}}
	for _, p := range parts {
		var next []labelled
		for _, a := range all {
			for _, option := range p.texts() {
				l := labelled{a.text + option[:min(len(option), max(maxText-len(a.text), 0))], a.chosen}
				if p.alternatives != nil {
					l.chosen = append(slices.Clip(a.chosen), option)
				}
				next = append(next, l)
			}
		}
		all = next
	}
	return all
}

// maxText is how long a text grows: longer ones are refused.
const maxText = 4*api.MaxPrompt + 1

func (p *part) texts() []string {
	switch {
	case p.alternatives == nil:
		return []string{p.literal}
	case p.all != nil:
	case p.choose > 0:
		p.combine(0, nil)
	default:
		for _, a := range p.alternatives {
			p.all = append(p.all, api.Map(texts(a), func(t labelled) string { return t.text })...)
		}
	}
	return p.all
}

// combine adds every choice of as many alternatives as are to be chosen.
func (p *part) combine(from int, chosen []string) {
	if len(chosen) == p.choose {
		p.all = append(p.all, strings.Join(chosen, ", "))
		return
	}
	for i := from; i <= len(p.alternatives)-(p.choose-len(chosen)); i++ {
		for _, t := range texts(p.alternatives[i]) {
			p.combine(i+1, append(slices.Clip(chosen), strings.TrimSpace(t.text)))
		}
	}
}
