package form

import (
	"regexp"
	"strings"

	"darkroom/ui/widget"
)

// placeholder is a gap of a saved prompt that is to be filled in: {{subject}}.
var placeholder = regexp.MustCompile(`\{\{[^{}|\n]{1,60}\}\}`)

// Placeholders are those of a text, each once.
func Placeholders(text string) []string {
	var out []string
	for _, p := range placeholder.FindAllString(text, -1) {
		if !strings.Contains(strings.Join(out, "\n"), p) {
			out = append(out, p)
		}
	}
	return out
}

// NextPlaceholder selects the next placeholder behind the cursor, so that typing
// replaces it, and reports whether there is one.
func (p *Prompt) NextPlaceholder() bool {
	if !strings.Contains(p.Value(), "{{") {
		return false
	}
	_, from := p.b.selection()
	found := placeholder.FindStringIndex(widget.JoinClusters(p.b.clusters[from:]))
	if found == nil {
		return false
	}
	start, bytes := from, 0
	for bytes < found[0] {
		bytes += len(p.b.clusters[start].Text)
		start++
	}
	end := start
	for bytes < found[1] {
		bytes += len(p.b.clusters[end].Text)
		end++
	}
	p.b.move(start, false)
	p.b.move(end, true)
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
