package form

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/widget"
)

// In characters.
const (
	maxToken       = 16 // brackets included
	maxPlaceholder = 60 // of its name
)

// marked is a token or a placeholder among the clusters.
type marked struct {
	from, to int
	mark     Mark
}

// marks are the tokens and placeholders that lie whole in a part of the text.
func (p *Prompt) marks(from, to int) (out []marked) {
	for i := from; i < to; i++ {
		n, m := p.markAt(p.clusters[i:to])
		if m != MarkNone {
			out = append(out, marked{i, i + n, m})
		}
		i += max(n-1, 0)
	}
	return out
}

// markAt is the length and the mark of what clusters begin with; 0 is none.
func (p *Prompt) markAt(gs []widget.Cluster) (n int, m Mark) {
	switch {
	case gs[0].Text == "【" && p.Marks != nil:
		for n := 1; n < min(len(gs), maxToken) && gs[n].Text != "【"; n++ {
			if gs[n].Text == "】" {
				return n + 1, p.Marks(widget.JoinClusters(gs[:n+1]))
			}
		}
	case gs[0].Text == "@" && p.Marks != nil && len(gs) > 3:
		digit := func(i int) bool { return i < len(gs) && strings.Contains("0123456789", gs[i].Text) }
		for n = 3; digit(n); n++ {
		}
		if n > 3 && p.Marks("【"+widget.JoinClusters(gs[:n])+"】") != MarkNone {
			return n, MarkUnknown // it lacks brackets
		}
	case gs[0].Text == "{" && len(gs) > 4 && gs[1].Text == "{":
		name := slices.IndexFunc(gs[2:], func(g widget.Cluster) bool { return strings.Contains("{}|\n", g.Text) })
		if name > 0 && name <= maxPlaceholder && len(gs) > name+3 && gs[name+2].Text == "}" && gs[name+3].Text == "}" {
			return name + 4, MarkToken
		}
	}
	return 0, MarkNone
}

// unit is the start of what one backspace deletes before cluster i: a whole token.
func (p *Prompt) unit(i int) int {
	if p.clusters[i-1].Text == "】" {
		for _, found := range p.marks(max(i-maxToken, 0), i) {
			if found.to == i {
				return found.from
			}
		}
	}
	return i - 1
}

// completeWithin is how many characters before the cursor Complete is handed.
const completeWithin = 100

// completions are the texts that can stand before the cursor, and what writes one.
func (p *Prompt) completions() ([]Option, func(Option)) {
	from := max(p.at-completeWithin, 0)
	n, options := p.Complete(widget.JoinClusters(p.clusters[from:p.at]))
	return options, func(o Option) { p.replace(max(p.at-n, 0), p.at, o.Value, editOther) }
}

// take writes a token, in the place of the @ that asked for it.
func (p *Prompt) take(o Option) {
	from := p.at
	if from > 0 && (p.clusters[from-1].Text == "@" || p.clusters[from-1].Text == "＠") {
		from--
		if from > 0 && p.clusters[from-1].Text == "【" {
			from--
		}
	}
	p.replace(from, p.at, o.Value, editOther)
	if o.Value == "" {
		p.Add()
	}
}

// placeholder is a gap of a saved prompt that is to be filled in: {{subject}}.
var placeholder = api.Pattern(`\{\{[^{}|\n]{1,60}\}\}`)

// Placeholders returns the placeholders of a text, each once.
func Placeholders(text string) []string {
	var out []string
	for _, p := range placeholder().FindAllString(text, -1) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// NextPlaceholder selects the next placeholder behind the cursor; false: there is none.
func (p *Prompt) NextPlaceholder() bool {
	_, from := p.selection()
	for _, found := range p.marks(from, len(p.clusters)) {
		if p.clusters[found.from].Text == "{" {
			p.move(found.from, false)
			p.move(found.to, true)
			p.moved()
			return true
		}
	}
	return false
}

// InsertSaved writes a saved prompt, and selects its first placeholder.
func (p *Prompt) InsertSaved(text string) {
	from, _ := p.selection()
	p.Insert(text)
	end := p.at
	p.move(from, false)
	if !p.NextPlaceholder() || p.at > end {
		p.move(end, false)
		p.follow()
	}
}
