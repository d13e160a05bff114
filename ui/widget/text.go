package widget

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

type Class uint8

const (
	ClassWord   Class = iota // letters, digits, everything that sticks together
	ClassBlank               // a space
	ClassBreak               // a line feed
	ClassWide                // an ideograph, a kana, an emoji: lines may break next to it
	ClassOpener              // must not end a line
	ClassCloser              // must not begin a line
	ClassHyphen              // a word longer than a line breaks behind it
	ClassMark                // other punctuation
)

// Cluster is one grapheme cluster: what a person takes for one character.
type Cluster struct {
	Text  string
	Runes uint16
	Cells uint8
	Class Class
}

// maxClusterRunes keeps any number of combining marks from becoming one character.
const maxClusterRunes = 24

// plainRune reports whether segmentation need not look around r, next to others.
func plainRune(r rune) bool {
	return r >= 0x20 && r < 0x7f || r == '\n' ||
		r >= 0x4e00 && r <= 0x9fff || // ideographs
		r >= 0x3001 && r <= 0x3029 || r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fa ||
		r >= 0xff01 && r <= 0xff60 || // wide forms of ASCII
		r >= 0xc0 && r <= 0x24f // Latin letters with marks of their own
}

// Plain reports whether the cluster is one plain rune.
func (c Cluster) Plain() bool {
	r, _ := utf8.DecodeRuneInString(c.Text)
	return c.Runes == 1 && plainRune(r)
}

const (
	openers = "([{（［｛〔〈《「『【〖“‘"
	closers = ")]}）］｝〕〉》」』】〗”’，。、！？；：．…·,.!?;:%％～ー々"
)

func newCluster(s string, r rune) Cluster {
	c := Cluster{Text: s, Runes: uint16(utf8.RuneCountInString(s)), Cells: 1}
	switch {
	case r == '\n':
		c.Class, c.Cells = ClassBreak, 0
	case r == ' ':
		c.Class = ClassBlank
	case r >= 0x4e00 && r <= 0x9fff && c.Runes == 1:
		c.Class, c.Cells = ClassWide, 2
	default:
		if r >= 0x7f {
			c.Cells = uint8(min(ansi.StringWidth(s), 8))
		}
		switch {
		case r == '-':
			c.Class = ClassHyphen
		case strings.ContainsRune(openers, r):
			c.Class = ClassOpener
		case strings.ContainsRune(closers, r):
			c.Class = ClassCloser
		case c.Cells == 2:
			c.Class = ClassWide
		case r < 0x80 && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			c.Class = ClassMark
		}
	}
	return c
}

// AppendClusters appends the clusters of s, which begins with a whole one.
func AppendClusters(dst []Cluster, s string) []Cluster {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		text, rest := s[:size], s[size:]
		next, _ := utf8.DecodeRuneInString(rest)
		if !plainRune(r) || rest != "" && !plainRune(next) {
			text, rest, _, _ = uniseg.FirstGraphemeClusterInString(s, -1)
			n := 0
			for i := range text {
				if n++; n > maxClusterRunes {
					text = text[:i]
					break
				}
			}
		}
		dst = append(dst, newCluster(text, r))
		s = rest
	}
	return dst
}

func JoinClusters(cs []Cluster) string {
	n := 0
	for i := range cs {
		n += len(cs[i].Text)
	}
	var s strings.Builder
	s.Grow(n)
	for i := range cs {
		s.WriteString(cs[i].Text)
	}
	return s.String()
}

func Cells(cs []Cluster) int {
	n := 0
	for i := range cs {
		n += int(cs[i].Cells)
	}
	return n
}

func (c Class) inWord() bool { return c == ClassWord || c == ClassWide }

// WordLeft is where a move by a word ends. A run of ideographs counts as a word.
func WordLeft(cs []Cluster, i int) int {
	for i > 0 && !cs[i-1].Class.inWord() {
		i--
	}
	for word := i - 1; i > 0 && cs[i-1].Class == cs[word].Class; {
		i--
	}
	return i
}

func WordRight(cs []Cluster, i int) int {
	for i < len(cs) && !cs[i].Class.inWord() {
		i++
	}
	for word := i; i < len(cs) && cs[i].Class == cs[word].Class; {
		i++
	}
	return i
}

// Lines knows where the lines of a text begin when it is wrapped to a width:
// Latin at blanks, Chinese between characters but for punctuation that belongs to
// its neighbour, a cluster never torn.
type Lines struct {
	width  int     // cells a line may take; a blank may stand one cell further
	starts []int32 // first cluster of each line; never empty
}

func (w *Lines) Len() int           { return len(w.starts) }
func (w *Lines) Start(line int) int { return int(w.starts[line]) }
func (w *Lines) Width() int         { return w.width }

// Wrap wraps a text, paragraph by paragraph.
func (w *Lines) Wrap(cs []Cluster, width int) {
	w.width, w.starts = max(width, 1), w.starts[:0]
	from := 0
	for i := range cs {
		if cs[i].Class == ClassBreak {
			w.paragraph(cs, from, i)
			from = i + 1
		}
	}
	w.paragraph(cs, from, len(cs))
}

// paragraph appends the lines of clusters[from:to], without the line feed.
func (w *Lines) paragraph(cs []Cluster, from, to int) {
	w.starts = append(w.starts, int32(from))
	start, brk, hyphen, cells := from, -1, -1, 0
	for i := from; i < to; i++ {
		class, wide := cs[i].Class, int(cs[i].Cells)
		if i > start && mayBreak(cs[i-1].Class, class) {
			brk = i
		}
		if i > start+1 && class == ClassWord && cs[i-1].Class == ClassHyphen && cs[i-2].Class == ClassWord {
			hyphen = i // a word that is longer than a line breaks behind it
		}
		switch {
		case cells+wide <= w.width, i == start: // or wider than a whole line
			cells += wide
		case class == ClassBlank && cells <= w.width:
			cells++
		default:
			if brk <= start {
				brk = hyphen
			}
			if brk <= start {
				brk = i
			}
			w.starts = append(w.starts, int32(brk))
			start, cells, i, brk = brk, 0, brk-1, -1
		}
	}
	if cells > w.width {
		w.starts = append(w.starts, int32(to))
	}
}

func mayBreak(a, b Class) bool {
	switch {
	case a == ClassBlank:
		return true
	case b == ClassBlank, b == ClassCloser, a == ClassOpener:
		return false
	case b == ClassOpener, a == ClassWide, b == ClassWide:
		return true
	}
	return a == ClassCloser && b != ClassWord && b != ClassMark && b != ClassHyphen
}

func (w *Lines) LineOf(i int) int {
	behind, _ := slices.BinarySearch(w.starts, int32(i+1))
	return behind - 1
}

// Span is the range of clusters of a line, without a line feed at its end.
func (w *Lines) Span(cs []Cluster, line int) (from, to int) {
	from, to = int(w.starts[line]), len(cs)
	if line+1 < len(w.starts) {
		to = int(w.starts[line+1])
		if to > from && cs[to-1].Class == ClassBreak {
			to--
		}
	}
	return from, to
}

func (w *Lines) Soft(cs []Cluster, line int) bool {
	return line+1 < len(w.starts) && cs[w.starts[line+1]-1].Class != ClassBreak
}

// Wrap breaks plain text into lines of at most width cells.
func Wrap(text string, width int) []string {
	cs := AppendClusters(make([]Cluster, 0, utf8.RuneCountInString(text)), api.CleanLines(text, len(text)).String())
	var w Lines
	w.Wrap(cs, width)
	out := make([]string, w.Len())
	for i := range out {
		from, to := w.Span(cs, i)
		out[i] = strings.TrimRight(JoinClusters(cs[from:to]), " ")
	}
	return out
}

// WrapTo is Wrap with the first n lines alone; … marks the cut.
func WrapTo(text string, width, n int) []string {
	lines := Wrap(text, width)
	if len(lines) > n {
		lines = append(lines[:n-1], theme.Cut(lines[n-1]+" …", width))
	}
	return lines
}

// Facts gathers lines of at most Width cells.
type Facts struct {
	Width int
	Theme *theme.Theme
	Lines []string
}

func (f *Facts) Painted(s string) { f.Lines = append(f.Lines, ansi.Truncate(s, f.Width, "…")) }

func (f *Facts) Add(lines ...string) { f.Lines = append(f.Lines, lines...) }
func (f *Facts) Gap() {
	if n := len(f.Lines); n > 0 && f.Lines[n-1] != "" {
		f.Lines = append(f.Lines, "")
	}
}

func (f *Facts) Wrapped(style theme.Style, s string) {
	if s != "" {
		f.Lines = append(f.Lines, api.Map(Wrap(s, f.Width), style.Paint)...)
	}
}

// Muted is a text alone, in lines of at most w cells.
func Muted(k *env.Env, text string, w int) []string {
	f := Facts{Width: w}
	f.Wrapped(k.Theme.Muted, text)
	return f.Lines
}

// Joined writes parts with dots between them; a part stays whole.
func (f *Facts) Joined(style theme.Style, parts []string) {
	line := ""
	for _, part := range parts {
		if longer := line + " · " + part; line != "" && theme.Width(longer) <= f.Width {
			line = longer
		} else {
			f.Wrapped(style, line)
			line = part
		}
	}
	f.Wrapped(style, line)
}

func Tilde(path, home string) string {
	if home != "" && strings.HasPrefix(path, home+"/") {
		path = "~" + path[len(home):]
	}
	return api.Clean(path, api.MaxAddressText).String()
}

// RequestFacts are the parts of a request but its texts and addresses.
func RequestFacts(k *env.Env, r api.Request) []string {
	parts := r.Said(k.Say)
	if n := len(r.ImageFiles) + len(r.VideoFiles) + len(r.AudioFiles); n > 0 {
		parts = append(parts, k.Words.Count(n, "%d material", "%d materials"))
	}
	return parts
}

type GridColumn struct {
	Width int  // in cells, the gap to the next column included
	Gap   int  // cells of it that wrapped text leaves
	Right bool // aligned to the right
}

// Grid is a table that is read: painted cells in columns of fixed widths.
type Grid struct {
	Columns []GridColumn
	Head    []string // painted; empty for no heading
	Rows    [][]string
	Wrap    bool // a long cell is written on several lines; else it is cut
}

// Lines draws the grid, each line as wide as the columns together.
func (g Grid) Lines() []string {
	if len(g.Rows) == 0 && len(g.Head) == 0 {
		return nil
	}
	styles := make([]lipgloss.Style, len(g.Columns))
	for i, c := range g.Columns {
		// Inline saves looking for where a line could be broken.
		styles[i] = lipgloss.NewStyle().Width(c.Width).PaddingRight(c.Gap).Inline(!g.Wrap)
		if c.Right {
			styles[i] = styles[i].Align(lipgloss.Right)
		}
	}
	t := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).BorderRow(false).
		Wrap(g.Wrap).
		StyleFunc(func(_, col int) lipgloss.Style { return styles[col] }).
		Headers(g.Head...).
		Rows(g.Rows...)
	return strings.Split(t.String(), "\n")
}
