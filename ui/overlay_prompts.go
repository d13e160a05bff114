package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/form"
	"darkroom/ui/theme"
)

// prompts finds a prompt that was sent before and puts it into the form.
type prompts struct {
	k       *kit
	backend createBackend
	line    line
	seq     int
	found   []string
	asked   bool // an answer was there
	err     string
	at      int
	top     int
	rows    int
	table   []action
	drawn   string
	w, h    int
}

const (
	maxPrompts   = 100
	searchRest   = 80 * time.Millisecond
	previewLines = 4
)

// foundPromptsMsg is an answer to a search, with the question's number.
type foundPromptsMsg struct {
	owner *prompts
	seq   int
	found []string
	err   error
}

// promptPickedMsg hands a prompt to the Create screen.
type promptPickedMsg struct{ text string }

func (c *create) search() tea.Cmd {
	p := &prompts{k: c.k, backend: c.backend}
	p.table = []action{
		{keys: []string{"enter"}, label: "take it", do: p.pick, why: p.whyNone},
		{keys: []string{"up", "ctrl+p"}, label: "previous", quiet: true, do: func() tea.Cmd { return p.move(-1) }},
		{keys: []string{"down", "ctrl+n", "ctrl+r"}, label: "next", quiet: true, do: func() tea.Cmd { return p.move(1) }},
		{keys: []string{"pgup"}, label: "previous page", quiet: true, do: func() tea.Cmd { return p.move(-p.rows) }},
		{keys: []string{"pgdown"}, label: "next page", quiet: true, do: func() tea.Cmd { return p.move(p.rows) }},
		{keys: []string{"esc"}, label: "back", do: func() tea.Cmd { return closeTop }},
	}
	return inOrder(open(p), p.ask(0))
}

func (p *prompts) ask(rest time.Duration) tea.Cmd {
	p.seq++
	seq, ctx, d, text := p.seq, p.k.ctx, p.backend, strings.TrimSpace(p.line.text())
	return func() tea.Msg {
		pause(ctx, rest)
		found, err := d.Prompts(ctx, text, maxPrompts)
		return foundPromptsMsg{p, seq, found, err}
	}
}

func (p *prompts) whyNone() string {
	if p.at >= len(p.found) {
		return p.k.say("No prompt holds that.")
	}
	return ""
}

func (p *prompts) pick() tea.Cmd {
	text := p.found[p.at]
	return inOrder(closeTop, func() tea.Msg { return promptPickedMsg{text} })
}

func (p *prompts) move(by int) tea.Cmd {
	p.at = max(min(p.at+by, len(p.found)-1), 0)
	p.drawn = ""
	return nil
}

func (p *prompts) actions() []action { return p.table }
func (p *prompts) typing() bool      { return true }
func (p *prompts) restyle()          { p.drawn = "" }

func (p *prompts) edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if key := m.String(); key == "ctrl+p" || key == "ctrl+n" {
		return nil, false
	}
	was := p.line.text()
	if !p.line.edit(m) {
		return nil, false
	}
	p.drawn = ""
	if p.line.text() == was {
		return nil, true
	}
	return p.ask(searchRest), true
}

func (p *prompts) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		p.line.insert(m.Content)
		p.drawn = ""
		return p.ask(0)
	case foundPromptsMsg:
		if m.owner != p || m.seq != p.seq {
			return nil
		}
		p.found, p.asked, p.err, p.at, p.top, p.drawn = m.found, true, "", 0, 0, ""
		if m.err != nil {
			p.err = sentence(p.k, m.err)
		}
	case wheelMsg:
		return p.move(m.by)
	case clickMsg:
		if row := p.top + m.y - 3; m.y >= 3 && m.y < 3+p.rows && row < len(p.found) {
			p.at = row
			return p.pick()
		}
	}
	return nil
}

func (p *prompts) cursor() *tea.Cursor {
	w := min(84, max(p.w, 20)) - 6
	return tea.NewCursor(4+p.line.column()-p.line.offset(w), 1)
}

func (p *prompts) box(w, h int) string {
	if p.drawn != "" && p.w == w && p.h == h {
		return p.drawn
	}
	p.w, p.h = w, h
	t, width := p.k.theme, min(84, w)
	inner := width - 4
	p.rows = min(max(h-5-previewLines, 1), 12)
	p.top = max(min(p.top, p.at), p.at-p.rows+1)
	lines := []string{t.Accent.Paint("›") + " " + p.line.window(inner-2), divide("")}
	for i := range p.rows {
		lines = append(lines, p.row(p.top+i, i == 0, inner))
	}
	lines = append(lines, divide(""))
	lines = append(lines, p.preview(inner)...)
	p.drawn = boxed(p.k, width, h, p.k.say("Prompts sent before"), lines)
	return p.drawn
}

func (p *prompts) row(n int, first bool, w int) string {
	t := p.k.theme
	switch {
	case n < len(p.found) && n == p.at:
		return t.Selected.Strong.Paint(theme.Fit("▸ "+oneLine(p.found[n]), w))
	case n < len(p.found):
		return t.Text.Paint(theme.Cut("  "+oneLine(p.found[n]), w))
	case !first:
		return ""
	case p.err != "":
		return t.Bad.Paint(theme.Cut(p.err, w))
	case p.asked && p.line.text() == "":
		return t.Muted.Paint(theme.Cut(p.k.say("Nothing was sent yet: every prompt you send is found here."), w))
	case p.asked:
		return t.Muted.Paint(theme.Cut(p.k.say("No prompt holds that."), w))
	}
	return ""
}

// preview is the beginning of the selected prompt, in full width.
func (p *prompts) preview(w int) []string {
	out := make([]string, previewLines)
	if p.at >= len(p.found) {
		return out
	}
	lines := form.Wrap(p.found[p.at], w-1)
	for i := range out {
		if i < len(lines) {
			out[i] = p.k.theme.Muted.Paint(lines[i])
		}
	}
	if len(lines) > previewLines {
		out[previewLines-1] = p.k.theme.Muted.Paint(theme.Cut(lines[previewLines-1]+" …", w))
	}
	return out
}
