package form

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/widget"
)

// maxToken and maxPlaceholder are how many characters a token and the name of a
// placeholder may have.
const (
	maxToken       = 16 // brackets included
	maxPlaceholder = 60
)

// marked is a token or a placeholder among the clusters.
type marked struct {
	from, to int
	mark     Mark
}

// marks are the tokens and placeholders that lie whole in a part of the text.
func (p *Prompt) marks(from, to int) (out []marked) {
	for i := from; i < to; i++ {
		switch n, m := p.markAt(p.b.clusters[i:to]); {
		case n > 0 && m != MarkNone:
			out = append(out, marked{i, i + n, m})
			i += n - 1
		case n > 0:
			i += n - 1
		}
	}
	return out
}

// markAt returns the length and the mark of the token or placeholder that clusters
// begin with; 0 is none.
func (p *Prompt) markAt(gs []widget.Cluster) (n int, m Mark) {
	switch {
	case gs[0].Text == "【" && p.Marks != nil:
		for n := 1; n < min(len(gs), maxToken) && gs[n].Text != "【"; n++ {
			if gs[n].Text == "】" {
				return n + 1, p.Marks(widget.JoinClusters(gs[:n+1]))
			}
		}
	case gs[0].Text == "{" && len(gs) > 4 && gs[1].Text == "{":
		name := slices.IndexFunc(gs[2:], func(g widget.Cluster) bool { return strings.Contains("{}|\n", g.Text) })
		if name > 0 && name <= maxPlaceholder && len(gs) > name+3 && gs[name+2].Text == "}" && gs[name+3].Text == "}" {
			return name + 4, MarkToken
		}
	}
	return 0, MarkNone
}

// unit returns the start of what one backspace deletes before cluster i: a token
// goes as a whole.
func (p *Prompt) unit(i int) int {
	if p.b.clusters[i-1].Text == "】" {
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

// completions returns the texts that can stand before the cursor now, and the
// function that writes one.
func (p *Prompt) completions() ([]Option, func(Option)) {
	if p.Complete == nil {
		return nil, nil
	}
	from := max(p.b.at-completeWithin, 0)
	n, options := p.Complete(widget.JoinClusters(p.b.clusters[from:p.b.at]))
	return options, func(o Option) {
		p.b.replace(max(p.b.at-n, 0), p.b.at, o.Value, editOther)
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
	p.changed()
}

// placeholder is a gap of a saved prompt that is to be filled in: {{subject}}.
var placeholder = api.Pattern(`\{\{[^{}|\n]{1,60}\}\}`)

// Placeholders returns the placeholders of a text, each once.
func Placeholders(text string) []string {
	var out []string
	for _, p := range placeholder().FindAllString(text, -1) {
		if !strings.Contains(strings.Join(out, "\n"), p) {
			out = append(out, p)
		}
	}
	return out
}

// NextPlaceholder selects the next placeholder behind the cursor, so that typing
// replaces it, and reports whether there is one.
func (p *Prompt) NextPlaceholder() bool {
	_, from := p.b.selection()
	for _, found := range p.marks(from, len(p.b.clusters)) {
		if p.b.clusters[found.from].Text == "{" {
			p.b.move(found.from, false)
			p.b.move(found.to, true)
			p.moved()
			return true
		}
	}
	return false
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
