package form

import (
	"strings"

	"darkroom/api"
	"darkroom/ui/widget"
)

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
