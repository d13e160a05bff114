package create

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// history is the overlay that finds a prompt that was sent before and puts it
// into the form.
type history struct {
	env     *env.Env
	backend draftStore
	number  int // among the histories of the screen
	asked   int // searches so far
	answer  int // the search whose answer is shown; 0: none yet
	filter  widget.Line
	list    rows
	found   []string
	err     string
	table   []action.Action
	w, h    int
	box     widget.Memo[historyKey, string]
}

const (
	maxPrompts    = 100
	searchAfter   = 80 * time.Millisecond // without a key
	previewLines  = 4
	historyWidth  = 84
	historyLines  = 12 // of the list, at most
	historyListAt = 3  // the box's line that the list begins on
)

// question identifies one search of one overlay.
type question struct{ history, search int }

// promptsFoundMsg is the answer to a search.
type promptsFoundMsg struct {
	question
	found []string
	err   error
}

// promptChosenMsg hands a prompt to the Create screen.
type promptChosenMsg struct{ text string }

// openHistory opens the overlay and asks for the newest prompts.
func (c *Screen) openHistory() tea.Cmd {
	c.histories++
	o := &history{env: c.env, backend: c.backend, number: c.histories}
	o.resize(c.w, c.h)
	o.table = []action.Action{
		{Name: "use_prompt", Keys: []string{"enter"}, Label: "use", Handler: o.choose, Disabled: o.whyNone},
		{Name: "previous", Keys: []string{"up", "ctrl+p"}, Label: "previous", Hidden: true, Handler: o.move(-1)},
		{Name: "next", Keys: []string{"down", "ctrl+n", "ctrl+r"}, Label: "next", Hidden: true, Handler: o.move(1)},
		{Name: "previous_page", Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: func() tea.Cmd { return o.move(-o.list.height)() }},
		{Name: "next_page", Keys: []string{"pgdown"}, Label: "next page", Hidden: true, Handler: func() tea.Cmd { return o.move(o.list.height)() }},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
	}
	return msg.Sequence(msg.Open(o), o.search(0))
}

// search asks for the prompts that hold the filter's text.
func (o *history) search(wait time.Duration) tea.Cmd {
	o.asked++
	return findPrompts(o.env.Context, o.backend, question{o.number, o.asked}, strings.TrimSpace(o.filter.Text()), wait)
}

func findPrompts(ctx context.Context, b draftStore, q question, text string, wait time.Duration) tea.Cmd {
	return func() tea.Msg {
		env.Pause(ctx, wait)
		found, err := b.Prompts(ctx, text, maxPrompts)
		return promptsFoundMsg{q, found, err}
	}
}

func (o *history) answered(m promptsFoundMsg) {
	if m.question != (question{o.number, o.asked}) {
		return
	}
	o.found, o.answer, o.err = m.found, m.search, ""
	o.list.setRows(len(m.found))
	if m.err != nil {
		o.err = env.Sentence(o.env, m.err)
	}
}

func (o *history) whyNone() string {
	if len(o.found) == 0 {
		return o.env.Say("No prompt matches.")
	}
	return ""
}

func (o *history) choose() tea.Cmd {
	text := o.found[o.list.selected]
	return msg.Sequence(msg.CloseTop, func() tea.Msg { return promptChosenMsg{text} })
}

func (o *history) move(by int) func() tea.Cmd {
	return func() tea.Cmd {
		o.list.move(by)
		return nil
	}
}

func (o *history) Actions() []action.Action { return o.table }
func (o *history) Typing() bool             { return true }
func (o *history) Restyle()                 {}

func (o *history) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if key := m.String(); key == "ctrl+p" || key == "ctrl+n" {
		return nil, false
	}
	before := o.filter.Text()
	if !o.filter.Edit(m) {
		return nil, false
	}
	if o.filter.Text() == before {
		return nil, true
	}
	return o.search(searchAfter), true
}

func (o *history) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		o.resize(body.W, body.H)
	case tea.PasteMsg:
		o.filter.Insert(m.Content)
		return o.search(0)
	case promptsFoundMsg:
		o.answered(m)
	case msg.WheelMsg:
		o.list.move(m.By)
	case msg.ClickMsg:
		if o.list.click(m.Y - historyListAt) {
			return o.choose()
		}
	}
	return nil
}

func (o *history) resize(w, h int) {
	o.w, o.h = w, h
	o.list.setHeight(min(max(h-5-previewLines, 1), historyLines))
}

// inner is how wide the text in the box is.
func (o *history) inner() int { return max(min(historyWidth, o.w)-4, 1) }

func (o *history) Cursor() *tea.Cursor {
	return tea.NewCursor(4+o.filter.Column()-o.filter.Offset(o.inner()-2), 1)
}

// historyKey is what the box is drawn from: an answer has a number of its own.
type historyKey struct {
	look
	w, h   int
	filter string
	column int
	answer int
	list   rows
}

// Box draws the overlay.
func (o *history) Box(int, int) string {
	key := historyKey{
		look: look{o.env.Theme, o.env.Words}, w: o.w, h: o.h, filter: o.filter.Text(), column: o.filter.Column(),
		answer: o.answer, list: o.list,
	}
	return o.box.Get(key, func() string {
		w := o.inner()
		lines := []string{o.env.Theme.Accent.Paint("›") + " " + o.filter.Window(w-2), widget.Divide("")}
		for i := range o.list.height {
			lines = append(lines, o.row(o.list.top+i, i == 0, w))
		}
		lines = append(append(lines, widget.Divide("")), o.preview(w)...)
		return widget.Boxed(o.env, w+4, o.h, o.env.Say("History"), lines)
	})
}

// row draws a prompt; the first row says why there is none.
func (o *history) row(n int, first bool, w int) string {
	t := o.env.Theme
	switch {
	case n < len(o.found) && n == o.list.selected:
		return t.Selected.Strong.Paint(theme.Fit("▸ "+widget.OneLine(o.found[n]), w))
	case n < len(o.found):
		return t.Text.Paint(theme.Cut("  "+widget.OneLine(o.found[n]), w))
	case !first:
		return ""
	case o.err != "":
		return t.Bad.Paint(theme.Cut(o.err, w))
	case o.answer > 0 && o.filter.Text() == "":
		return t.Muted.Paint(theme.Cut(o.env.Say("No prompts yet: those you send are listed here."), w))
	case o.answer > 0:
		return t.Muted.Paint(theme.Cut(o.env.Say("No prompt matches."), w))
	}
	return ""
}

// preview is the beginning of the selected prompt, in full width.
func (o *history) preview(w int) []string {
	out := make([]string, previewLines)
	if o.list.selected >= len(o.found) {
		return out
	}
	lines := widget.Wrap(o.found[o.list.selected], w-1)
	for i := range out {
		if i < len(lines) {
			out[i] = o.env.Theme.Muted.Paint(lines[i])
		}
	}
	if len(lines) > previewLines {
		out[previewLines-1] = o.env.Theme.Muted.Paint(theme.Cut(lines[previewLines-1]+" …", w))
	}
	return out
}
