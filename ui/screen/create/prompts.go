package create

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// prompts finds a prompt that was sent before and puts it into the form.
type prompts struct {
	k       *env.Env
	backend Backend
	line    widget.Line
	seq     int
	found   []string
	asked   bool // an answer was there
	err     string
	at      int
	top     int
	rows    int
	table   []action.Action
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

func (c *Screen) search() tea.Cmd {
	p := &prompts{k: c.k, backend: c.backend}
	p.table = []action.Action{
		{Keys: []string{"enter"}, Label: "take it", Handler: p.pick, Disabled: p.whyNone},
		{Keys: []string{"up", "ctrl+p"}, Label: "previous", Hidden: true, Handler: func() tea.Cmd { return p.move(-1) }},
		{Keys: []string{"down", "ctrl+n", "ctrl+r"}, Label: "next", Hidden: true, Handler: func() tea.Cmd { return p.move(1) }},
		{Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: func() tea.Cmd { return p.move(-p.rows) }},
		{Keys: []string{"pgdown"}, Label: "next page", Hidden: true, Handler: func() tea.Cmd { return p.move(p.rows) }},
		{Keys: []string{"esc"}, Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
	}
	return msg.Sequence(msg.Open(p), p.ask(0))
}

func (p *prompts) ask(rest time.Duration) tea.Cmd {
	p.seq++
	seq, ctx, d, text := p.seq, p.k.Context, p.backend, strings.TrimSpace(p.line.Text())
	return func() tea.Msg {
		env.Pause(ctx, rest)
		found, err := d.Prompts(ctx, text, maxPrompts)
		return foundPromptsMsg{p, seq, found, err}
	}
}

func (p *prompts) whyNone() string {
	if p.at >= len(p.found) {
		return p.k.Say("No prompt holds that.")
	}
	return ""
}

func (p *prompts) pick() tea.Cmd {
	text := p.found[p.at]
	return msg.Sequence(msg.CloseTop, func() tea.Msg { return promptPickedMsg{text} })
}

func (p *prompts) move(by int) tea.Cmd {
	p.at = max(min(p.at+by, len(p.found)-1), 0)
	p.drawn = ""
	return nil
}

func (p *prompts) Actions() []action.Action { return p.table }
func (p *prompts) Typing() bool             { return true }
func (p *prompts) Restyle()                 { p.drawn = "" }

func (p *prompts) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if key := m.String(); key == "ctrl+p" || key == "ctrl+n" {
		return nil, false
	}
	was := p.line.Text()
	if !p.line.Edit(m) {
		return nil, false
	}
	p.drawn = ""
	if p.line.Text() == was {
		return nil, true
	}
	return p.ask(searchRest), true
}

func (p *prompts) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		p.line.Insert(m.Content)
		p.drawn = ""
		return p.ask(0)
	case foundPromptsMsg:
		if m.owner != p || m.seq != p.seq {
			return nil
		}
		p.found, p.asked, p.err, p.at, p.top, p.drawn = m.found, true, "", 0, 0, ""
		if m.err != nil {
			p.err = env.Sentence(p.k, m.err)
		}
	case msg.WheelMsg:
		return p.move(m.By)
	case msg.ClickMsg:
		if row := p.top + m.Y - 3; m.Y >= 3 && m.Y < 3+p.rows && row < len(p.found) {
			p.at = row
			return p.pick()
		}
	}
	return nil
}

func (p *prompts) Cursor() *tea.Cursor {
	w := min(84, max(p.w, 20)) - 6
	return tea.NewCursor(4+p.line.Column()-p.line.Offset(w), 1)
}

func (p *prompts) Box(w, h int) string {
	if p.drawn != "" && p.w == w && p.h == h {
		return p.drawn
	}
	p.w, p.h = w, h
	t, width := p.k.Theme, min(84, w)
	inner := width - 4
	p.rows = min(max(h-5-previewLines, 1), 12)
	p.top = max(min(p.top, p.at), p.at-p.rows+1)
	lines := []string{t.Accent.Paint("›") + " " + p.line.Window(inner-2), widget.Divide("")}
	for i := range p.rows {
		lines = append(lines, p.row(p.top+i, i == 0, inner))
	}
	lines = append(lines, widget.Divide(""))
	lines = append(lines, p.preview(inner)...)
	p.drawn = widget.Boxed(p.k, width, h, p.k.Say("Prompts sent before"), lines)
	return p.drawn
}

func (p *prompts) row(n int, first bool, w int) string {
	t := p.k.Theme
	switch {
	case n < len(p.found) && n == p.at:
		return t.Selected.Strong.Paint(theme.Fit("▸ "+widget.OneLine(p.found[n]), w))
	case n < len(p.found):
		return t.Text.Paint(theme.Cut("  "+widget.OneLine(p.found[n]), w))
	case !first:
		return ""
	case p.err != "":
		return t.Bad.Paint(theme.Cut(p.err, w))
	case p.asked && p.line.Text() == "":
		return t.Muted.Paint(theme.Cut(p.k.Say("Nothing was sent yet: every prompt you send is found here."), w))
	case p.asked:
		return t.Muted.Paint(theme.Cut(p.k.Say("No prompt holds that."), w))
	}
	return ""
}

// preview is the beginning of the selected prompt, in full width.
func (p *prompts) preview(w int) []string {
	out := make([]string, previewLines)
	if p.at >= len(p.found) {
		return out
	}
	lines := widget.Wrap(p.found[p.at], w-1)
	for i := range out {
		if i < len(lines) {
			out[i] = p.k.Theme.Muted.Paint(lines[i])
		}
	}
	if len(lines) > previewLines {
		out[previewLines-1] = p.k.Theme.Muted.Paint(theme.Cut(lines[previewLines-1]+" …", w))
	}
	return out
}
