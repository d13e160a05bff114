package form

import (
	"strings"

	"darkroom/api"
	"darkroom/ui/widget"
)

// maxToken is how many characters a token may have, brackets included.
const maxToken = 16

// token finds the token that covers cluster i; to is behind it.
func (p *Prompt) token(i int) (from, to int, m Mark) {
	if p.Marks == nil {
		return i, i, MarkNone
	}
	gs := p.b.clusters
	for from = i; from >= 0 && i-from < maxToken; from-- {
		if gs[from].Text == "【" {
			break
		}
		if from < i && gs[from].Text == "】" {
			return i, i, MarkNone
		}
	}
	if from < 0 || gs[from].Text != "【" {
		return i, i, MarkNone
	}
	for to = from + 1; to < len(gs) && to-from < maxToken; to++ {
		if gs[to].Text == "】" {
			if to < i {
				return i, i, MarkNone
			}
			return from, to + 1, p.Marks(widget.JoinClusters(gs[from : to+1]))
		}
	}
	return i, i, MarkNone
}

// unit is where the thing begins that one backspace takes before cluster i: a
// token goes as a whole.
func (p *Prompt) unit(i int) int {
	if p.b.clusters[i-1].Text == "】" {
		if from, to, m := p.token(i - 1); m != MarkNone && to == i {
			return from
		}
	}
	return i - 1
}

// completeWithin is how many characters before the cursor Complete is handed.
const completeWithin = 100

// completions are what can stand before the cursor now, and what writes one.
func (p *Prompt) completions() ([]Option, func(Option)) {
	if p.Complete == nil {
		return nil, nil
	}
	from := max(p.b.at-completeWithin, 0)
	n, options := p.Complete(widget.JoinClusters(p.b.clusters[from:p.b.at]))
	return options, func(o Option) {
		p.b.replace(max(p.b.at-n, 0), p.b.at, o.Value, editOther)
		p.goal = -1
		p.changed()
	}
}

func (p *Prompt) take(o Option) {
	p.complete(o.Value)
	if o.Value == "" && p.Add != nil {
		p.Add()
	}
}

// complete writes a token, in the place of the @ that asked for it.
func (p *Prompt) complete(token string) {
	from := p.b.at
	if from > 0 && (p.b.clusters[from-1].Text == "@" || p.b.clusters[from-1].Text == "＠") {
		from--
		if from > 0 && p.b.clusters[from-1].Text == "【" {
			from--
		}
	}
	p.b.replace(from, p.b.at, token, editOther)
	p.goal = -1
	p.changed()
}

// placeholder is a gap of a saved prompt that is to be filled in: {{subject}}.
var placeholder = api.Pattern(`\{\{[^{}|\n]{1,60}\}\}`)

// Placeholders are those of a text, each once.
func Placeholders(text string) []string {
	var out []string
	for _, p := range placeholder().FindAllString(text, -1) {
		if !strings.Contains(strings.Join(out, "\n"), p) {
			out = append(out, p)
		}
	}
	return out
}

// gaps are where placeholders stand among the clusters of a part of the text.
func (p *Prompt) gaps(from, to int) (all [][2]int) {
	gs := p.b.clusters
	for from < to-1 && (gs[from].Text != "{" || gs[from+1].Text != "{") {
		from++
	}
	if from >= to-1 {
		return nil
	}
	at, bytes := from, 0
	forward := func(to int) int {
		for ; bytes < to; at++ {
			bytes += len(gs[at].Text)
		}
		return at
	}
	for _, found := range placeholder().FindAllStringIndex(widget.JoinClusters(gs[from:to]), -1) {
		all = append(all, [2]int{forward(found[0]), forward(found[1])})
	}
	return all
}

// NextPlaceholder selects the next placeholder behind the cursor, so that typing
// replaces it, and reports whether there is one.
func (p *Prompt) NextPlaceholder() bool {
	_, from := p.b.selection()
	found := p.gaps(from, len(p.b.clusters))
	if len(found) == 0 {
		return false
	}
	p.b.move(found[0][0], false)
	p.b.move(found[0][1], true)
	p.goal = -1
	p.follow()
	p.version++
	return true
}

// InsertSaved writes a saved prompt at the cursor, in place of the selection,
// and selects its first placeholder.
func (p *Prompt) InsertSaved(text string) {
	from, _ := p.b.selection()
	p.Insert(text)
	end := p.b.at
	p.b.move(from, false)
	if !p.NextPlaceholder() || p.b.at > end {
		p.b.move(end, false)
		p.follow()
	}
}
