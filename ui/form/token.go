package form

import "darkroom/ui/widget"

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

// take takes what was offered.
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
