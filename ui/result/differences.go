package result

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Word is a word, a blank, or a character of a script without blanks.
type Word struct {
	Text string
	New  bool // another text does not have it there
}

// Words are the words of a text, with those marked that another text does not have in
// this order, and the blanks between them.
func Words(text, other string) []Word {
	mine, last := wordsOf(text), -1
	words := api.Map(mine, func(w string) Word { return Word{Text: w} })
	for _, d := range lcs.DiffLines(mine, wordsOf(other)) {
		for i := range words[d.Start:d.End] {
			words[d.Start+i].New = true
		}
	}
	for i, w := range words { // blanks are new between new words alone
		switch {
		case strings.TrimSpace(w.Text) == "":
			words[i].New = false
		case w.New:
			for ; last >= 0 && last < i; last++ {
				words[last].New = true
			}
			last = i
		case hasLetter(w):
			last = -1
		}
	}
	return words
}

// hasLetter tells a word from blanks and punctuation.
func hasLetter(w Word) bool {
	return strings.ContainsFunc(w.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// unlessMost marks no word if most are: marking all of a text says nothing.
func unlessMost(words []Word) []Word {
	more := 0
	for _, w := range words {
		switch {
		case !hasLetter(w):
		case w.New:
			more++
		default:
			more--
		}
	}
	for i := range words {
		words[i].New = words[i].New && more <= 0
	}
	return words
}

// MarkWords paints words in a style, those that are new in another one.
func MarkWords(text, marked theme.Style, words []Word) string {
	var b strings.Builder
	for len(words) > 0 {
		run := words[0]
		for words = words[1:]; len(words) > 0 && words[0].New == run.New; words = words[1:] {
			run.Text += words[0].Text
		}
		b.WriteString(marked.If(run.New, text).Paint(run.Text))
	}
	return b.String()
}

// wordsBefore are the words and blanks that stand before the first new one.
const wordsBefore = 4

// Changes are the words of a text from shortly before the first new one. Of a text
// that lacks words only, it is those, behind a minus sign.
func Changes(before, after string) []Word {
	words := Words(after, before)
	if i := slices.IndexFunc(words, func(d Word) bool { return d.New && strings.TrimSpace(d.Text) != "" }); i > wordsBefore {
		from := i - wordsBefore
		if strings.TrimSpace(words[from].Text) == "" {
			from++
		}
		return append([]Word{{Text: "… "}}, words[from:]...)
	} else if i >= 0 {
		return words
	}
	out := []Word{{Text: "− "}}
	for _, d := range Words(before, after) {
		if d.New && (len(out) > 1 || strings.TrimSpace(d.Text) != "") {
			out = append(out, d)
		}
	}
	if len(out) == 1 {
		return words
	}
	return out
}

// said is what a job has of an aspect; of prompts the words that differ are marked, and what was chosen
// lies on the colour of its letter if it fits into room cells: then it begins with a blank, and has the
// width of a block at least.
func (c *compare) said(x *aspect, i int, text string, block, room int) string {
	t, said := c.k.Theme, cmp.Or(text, c.k.SayIf(x.label == c.k.Say("Settings"), "default"), "–")
	if x.label == c.k.Say("Prompt") {
		return MarkWords(t.Text, cmp.Or(t.Shades[i].Mark, t.Token), unlessMost(Words(text, x.texts[max(1-i, 0)])))
	}
	wide := max(theme.Width(said)+2, min(block, room))
	switch {
	case !x.differs():
		return t.Muted.Paint(said)
	case !t.Grounds() && !x.quiet && !x.common(i):
		return cmp.Or(t.Shades[i].Mark, t.Token).Paint(said)
	case x.quiet || x.common(i) || wide > room || strings.Contains(text, "\n"):
		if value, change, ok := strings.Cut(said, "  "); ok && x.quiet && block > 0 && wide <= room { // changes end at the edge
			said = widget.Between(value, change, room)
		}
		return t.Text.Paint(said)
	}
	return t.Shades[i].Tint.Lay(t.Text.Paint(theme.Fit(" "+said, wide)))
}

// wordsOf splits a text into words, blanks, and single characters of scripts
// that are written without blanks.
func wordsOf(text string) []string {
	var out []string
	word, from := false, 0 // the last part can be continued by a letter; where it begins
	text = api.CleanLines(text, len(text)).String()
	for g := uniseg.NewGraphemes(text); g.Next(); {
		r := g.Runes()[0]
		letter := (unicode.IsLetter(r) || unicode.IsDigit(r)) && r < 0x2e80
		at, to := g.Positions()
		if !letter || !word {
			out, from = append(out, ""), at
		}
		out[len(out)-1], word = text[from:to], letter
	}
	return out
}

type aspect struct {
	label string
	texts []string
	bare  []string // as they stand without the label
	quiet bool     // nobody chose it: a difference does not count
}

func (x *aspect) differs() bool {
	return slices.ContainsFunc(x.texts, func(s string) bool { return s != x.texts[0] })
}

// common reports whether most jobs have what job i has.
func (x *aspect) common(i int) bool {
	return 2*len(api.Pick(x.texts, func(text string) (bool, bool) { return true, text == x.texts[i] })) > len(x.texts)
}

// fixed reports whether texts say nothing: all are empty, or there is one among those of
// several tiers, and the others have only this value.
func (c *compare) fixed(texts []string) bool {
	said, first := slices.Compact(slices.Sorted(slices.Values(texts))), &c.jobs[0].Request
	tiers := slices.ContainsFunc(c.jobs, func(j state.Job) bool { return j.Request.VideoModel != first.VideoModel })
	return said[0] == "" && (len(said) == 1 || len(said) == 2 && tiers && !slices.ContainsFunc(c.jobs, func(j state.Job) bool {
		return j.Request.Model != first.Model
	}))
}

// aspects are what jobs are compared by, in the order in which they are shown.
func (c *compare) aspects() []aspect {
	k := c.k
	of := func(label string, text func(j *state.Job) string, said func(text string, bare bool) string) aspect {
		x := aspect{label: label}
		for i := range c.jobs {
			text := text(&c.jobs[i])
			if x.texts, x.bare = append(x.texts, text), append(x.bare, text); said != nil && text != "" {
				x.texts[i], x.bare[i] = said(text, false), said(text, true)
			}
		}
		return x
	}
	all := []aspect{
		of(k.Say("Prompt"), func(j *state.Job) string { return j.Request.Prompt }, nil),
		of(k.Say("Model"), func(j *state.Job) string { return j.Request.Model }, nil),
		of(k.Say("Mode"), func(j *state.Job) string {
			switch {
			case j.Request.Kind != api.KindVideo || j.Request.Model != api.Seedance2:
				return ""
			case j.Request.Mode() == api.ModeFirstLastFrame:
				return k.Say("first and last frame")
			}
			return k.Say("references")
		}, nil),
	}
	single := func(f *api.Field) (*api.Field, bool) { return f, f.Shape == api.ShapeURL && f.Max == 0 }
	for _, f := range append(api.Settings(""), api.Pick(api.Fields(""), single)...) {
		said := func(text string, bare bool) string { return f.Said(k.Say, text, bare) }
		all = append(all, of(k.Say(f.Label), func(j *state.Job) string { return f.Text(&j.Request) }, said))
	}
	materials := func(j *state.Job) string {
		return strings.Join(slices.Concat(j.Request.ImageFiles, j.Request.VideoFiles, j.Request.AudioFiles), "\n")
	}
	change := func(text string, first, value api.Credits, said func(api.Credits) string) string {
		if value != first && first > 0 && value > 0 {
			by := said(max(value-first, first-value))
			if value < first {
				by = "-" + by
			}
			text += "  " + strings.ReplaceAll(env.Signed(by)+"  "+env.Change(first, value), " ", "\u00a0")
		}
		return text
	}
	lasted := func(j *state.Job) api.Credits { return api.Credits(j.EndedAt.Sub(j.SentAt) / time.Second) }
	span := func(s api.Credits) string { return k.Lasted(time.Duration(s) * time.Second) }
	took := of(k.Say("Took"), func(j *state.Job) string {
		return change(Took(k, j, Typical{}), lasted(&c.jobs[0]), lasted(j), span)
	}, func(text string, bare bool) string { return cmp.Or(k.SayIf(bare, "took %s", text), text) })
	took.quiet = true
	timed := slices.ContainsFunc(c.jobs, func(j state.Job) bool { return j.Request.Duration != c.jobs[0].Request.Duration })
	credits := func(j *state.Job) string { // with the price of a second, and the change from the first one
		if !j.Estimate.Known() || j.Free() {
			return ""
		}
		text, first := k.Say("%s cr", j.Estimate.Credits.String()), c.jobs[0].Estimate.Credits
		if seconds, _ := strconv.Atoi(j.Request.Duration); timed && seconds > 0 {
			text += " · " + k.Say("%s/s", (j.Estimate.Credits/api.Credits(seconds)).String())
		}
		return change(text, first, j.Estimate.Credits, api.Credits.String)
	}
	// Settings that not all have stand in one row; the prompt has its own.
	settings := of(k.Say("Settings"), func(*state.Job) string { return "" }, nil)
	all = append(all[:1], slices.DeleteFunc(all[1:], func(x aspect) bool {
		lacking := x.differs() && slices.Contains(x.texts, "") && !c.fixed(x.texts)
		for i, text := range x.bare {
			if lacking && text != "" {
				settings.texts[i] = strings.TrimPrefix(settings.texts[i]+" · "+text, " · ")
			}
		}
		return lacking
	})...)
	settings.bare = settings.texts
	cost := of(k.Say("Credits"), credits, nil)
	cost.quiet = true
	all = append(all, settings, of(k.Say("Materials"), materials, nil), cost)
	if apart := func(j state.Job) bool { // by more than polls may be
		return max(lasted(&j)-lasted(&c.jobs[0]), lasted(&c.jobs[0])-lasted(&j)) > 2
	}; !took.differs() || slices.ContainsFunc(c.jobs, apart) {
		all = append(all, took)
	}
	return append(all[:1], slices.DeleteFunc(all[1:], func(x aspect) bool { return c.fixed(x.texts) })...)
}

// writeSame writes whether nothing differs, or only one thing, and what is the same.
func (c *compare) writeSame(different, alike []aspect) (apart, same []string) {
	k := c.k
	f, room := &widget.Facts{Width: c.w - 2*widget.Inset, Theme: c.k.Theme}, c.w-2*widget.Inset
	if c.pair() {
		f.Width, room = c.inner(0), c.inner(1)
	}
	different = slices.DeleteFunc(slices.Clone(different), func(x aspect) bool { return x.quiet })
	switch {
	case c.blinks || len(different) > 1:
	case len(different) == 0:
		apart = widget.Muted(k, k.Say("The requests are identical."), room)
	default:
		apart = widget.Muted(k, k.Say("Only difference: %s", strings.ToLower(different[0].label)), room)
	}
	label := k.Say("The same")
	label += theme.Blank(c.label - 2 - theme.Width(label)) // its values stand below the others
	texts := api.Map(alike, func(x aspect) string { return theme.Cut(api.Clean(api.OneLine(x.bare[0]), 200).String(), f.Width-12) })
	WriteFacts(f, []Fact{{label, texts}})
	if len(f.Lines) > maxSame {
		f.Lines = append(f.Lines[:maxSame-1], theme.Cut(f.Lines[maxSame-1]+" …", f.Width))
	}
	return apart, f.Lines
}

// writeFacts writes the aspects of each job, with labels if there is room. All jobs get equally many
// lines. Prompts that are no titles have no label; a blank line parts them from other facts where the panes stand side by side.
func (c *compare) writeFacts(aspects []aspect) [][]string {
	t, all, label, prompt, blocks := c.k.Theme, make([][]string, len(c.jobs)), 0, c.k.Say("Prompt"), make([]int, len(c.jobs))
	for _, x := range aspects {
		if x.label != prompt {
			label = max(label, theme.Width(x.label)+3)
		}
	}
	c.label = label
	bare := slices.Min(c.widths)-c.aside < 3*label // there is no room for labels
	if bare {
		label = 1
	}
	for _, x := range aspects {
		if bare {
			x.texts = x.bare
		}
		for i, text := range x.texts { // those of a column have one width
			if cells := theme.Width(text) + 2; !x.quiet && x.label != prompt && cells <= c.room(i)-label {
				blocks[i] = max(blocks[i], cells, minBlock)
			}
		}
	}
	brief := c.brief(aspects)
	for _, x := range aspects {
		if brief != nil && x.label != prompt {
			continue
		}
		most, cells := 0, make([][]string, len(c.jobs))
		for i, text := range x.texts {
			if name := x.bare[i]; name != "" && name == c.names[i] && max(theme.Width(name)+2, minName) <= c.nameRoom(i) {
				continue // a title says all of it, also if a sign comes to its rating
			}
			head, at := t.Muted.Paint(x.label), label
			if x.label == prompt {
				head, at = "", 0
			} else if bare {
				text, head = x.bare[i], ""
			}
			value := c.said(&x, i, text, blocks[i], c.room(i)-at)
			if strings.HasPrefix(ansi.Strip(value), " ") { // its text stands below the others
				at--
			}
			columns := []widget.GridColumn{{Width: at, Gap: min(at, 2)}, {Width: c.room(i) - at}}
			cells[i] = (&widget.Grid{Wrap: true, Columns: columns, Rows: [][]string{{head, value}}}).Lines()
			most = max(most, len(cells[i]))
		}
		if x.label == prompt && most > 0 && len(aspects) > 1 && c.across == len(c.jobs) {
			most++
		}
		for i := range all {
			all[i] = append(append(all[i], cells[i]...), make([]string, most-len(cells[i]))...)
		}
	}
	for i, line := range brief {
		all[i] = append(all[i], line)
	}
	return all
}

// brief are the facts of each job but for its prompt, in one line: below the pictures of two rows of
// panes, if each has some and all of them fit.
func (c *compare) brief(aspects []aspect) (lines []string) {
	if c.across == len(c.jobs) || c.aside > 0 || c.blinks {
		return nil
	}
	for i := range c.jobs {
		parts := api.Pick(aspects, func(x aspect) (string, bool) {
			return c.said(&x, i, x.bare[i], 0, c.room(i)), x.bare[i] != "" && x.label != c.k.Say("Prompt")
		})
		lines = append(lines, strings.Join(parts, "  "))
		if lines[i] == "" || theme.Width(lines[i]) > c.room(i) || strings.Contains(lines[i], "\n") {
			return nil
		}
	}
	return lines
}

// writeNames names each by the words of its prompt that another one lacks, or by its first value that differs.
func (c *compare) writeNames(different []aspect) []string {
	names := make([]string, len(c.jobs))
	if len(different) == 0 || different[0].quiet {
		return names
	}
	x := different[0]
	for i := range names {
		words := []Word{{Text: x.bare[i], New: true}}
		if x.label == c.k.Say("Prompt") {
			words = unlessMost(Words(x.texts[i], x.texts[max(1-i, 0)]))
		}
		text := ""
		for _, w := range words {
			if w.New || strings.TrimSpace(w.Text) == "" {
				text += w.Text
			} else {
				text += "\n" // what follows stands elsewhere
			}
		}
		apart := strings.Join(env.Said(api.Map(strings.Split(text, "\n"), strings.TrimSpace)...), " · ")
		names[i] = api.Clean(api.OneLine(cmp.Or(apart, x.bare[i])), 80).String()
	}
	return names
}

// flip shows the other one. The first time it puts both in one place.
func (c *compare) flip() tea.Cmd {
	if !c.blinks {
		return c.setBlink(true)
	}
	c.at, c.other, c.run = c.other, c.at, nil
	return nil
}

func (c *compare) setBlink(on bool) tea.Cmd {
	c.blinks, c.run = on, nil
	c.arrange()
	return c.paint()
}

// blinkOn lets them change by themselves, or holds the one in view.
func (c *compare) blinkOn() tea.Cmd {
	if c.run != nil {
		c.run = nil
		return nil
	}
	begin, run := c.setBlink(true), new(int)
	c.run = run
	return tea.Batch(begin, c.beat(run))
}

func (c *compare) beat(run *int) tea.Cmd {
	return env.Later(c.k.Context, time.Second/2, answerMsg{asker: c.verbs, then: func() tea.Cmd {
		if c.run != run || !c.k.Moves() {
			return nil
		}
		c.at, c.other = c.other, c.at
		return c.beat(run)
	}})
}
