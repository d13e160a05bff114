// Package history is the overlay that finds a request that was sent before and
// restores it in its form.
package history

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// Store is what the overlay needs of what lies behind the screens; it is called
// from commands only.
type Store interface {
	History(ctx context.Context, q state.HistoryQuery) ([]state.Sent, error)
	Results() state.Results
}

// history lists the requests that a search found.
type history struct {
	env     *env.Env
	store   Store
	number  int // among the histories of the screen
	asked   int // searches so far
	answer  int // the search whose answer is shown; 0: none yet
	filter  widget.Line
	list    widget.Picker
	found   []state.Sent
	scope   scope
	started time.Time // of this session
	now     string    // the prompt in the form, to show what differs
	edits   int       // of found
	err     string
	table   []action.Action
	w, h    int
	box     widget.Memo[boxKey, string]
}

const (
	mostFound    = 100
	searchAfter  = 80 * time.Millisecond // without a key
	previewLines = 4
	mostWidth    = 100
	mostLines    = 12 // of the list, at most
	listAt       = 3  // the box's line that the list begins on
)

// question identifies one search of one overlay.
type question struct{ history, search int }

// scope is which requests are searched.
type scope int

const (
	scopeAll scope = iota
	scopeSession
	scopeStarred
	scopes
)

// requestsFoundMsg is the answer to a search.
type requestsFoundMsg struct {
	question
	found []state.Sent
	err   error
}

// starredMsg says that a star was written.
type starredMsg struct{ err error }

func (m starredMsg) Failed() error { return m.err }

// PromptChosenMsg hands a prompt to the form.
type PromptChosenMsg struct{ Text string }

// Start is what the overlay begins with.
type Start struct {
	Number  int       // of this overlay among those of the screen
	Session time.Time // when this session began
	Prompt  string    // the prompt in the form, to show what differs
	Body    widget.Rect
}

// Open opens the overlay and asks for the newest requests.
func Open(k *env.Env, store Store, start Start) tea.Cmd {
	o := newOverlay(k, store, start)
	return msg.Sequence(msg.Open(o), o.search(0))
}

func newOverlay(k *env.Env, store Store, start Start) *history {
	o := &history{env: k, store: store, number: start.Number, started: start.Session, now: start.Prompt}
	o.resize(start.Body.W, start.Body.H)
	move := o.list.Actions(true)
	move[1].Keys = append(move[1].Keys, "ctrl+r")
	o.table = append([]action.Action{
		{Name: "restore", Keys: []string{"enter"}, Label: "restore", Handler: o.choose, Disabled: o.whyNone},
		{Name: "use_prompt", Keys: []string{"alt+enter"}, Label: "prompt only", Handler: o.choosePrompt, Disabled: o.whyNone},
		{Name: "scope", Keys: []string{"tab"}, Label: "all, session, starred", Handler: o.nextScope},
		{Name: "star", Keys: []string{"alt+s"}, Label: "star", Handler: o.star, Disabled: o.whyNone},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
	}, move...)
	return o
}

// search asks for the prompts that hold the filter's text.
func (o *history) search(wait time.Duration) tea.Cmd {
	o.asked++
	q := state.HistoryQuery{Contains: strings.TrimSpace(o.filter.Text()), Limit: mostFound, Starred: o.scope == scopeStarred}
	if o.scope == scopeSession {
		q.Since = o.started
	}
	return findRequests(o.env.Context, o.store, question{o.number, o.asked}, q, wait)
}

func findRequests(ctx context.Context, b Store, of question, q state.HistoryQuery, wait time.Duration) tea.Cmd {
	return func() tea.Msg {
		env.Pause(ctx, wait)
		found, err := b.History(ctx, q)
		return requestsFoundMsg{of, found, err}
	}
}

func (o *history) answered(m requestsFoundMsg) {
	if m.question != (question{o.number, o.asked}) {
		return
	}
	o.found, o.answer, o.err = m.found, m.search, ""
	o.edits++
	o.list.SetRows(len(m.found))
	if m.err != nil {
		o.err = env.Sentence(o.env, m.err)
	}
}

func (o *history) whyNone() string {
	if _, ok := o.selected(); !ok {
		return o.env.Say("No request matches.")
	}
	return ""
}

// selected is the request under the cursor.
func (o *history) selected() (*state.Sent, bool) {
	n, ok := o.list.Selected()
	if !ok {
		return nil, false
	}
	return &o.found[n], true
}

func (o *history) choose() tea.Cmd {
	one, _ := o.selected()
	return msg.Sequence(msg.CloseTop, msg.Load(one.Request, false))
}

func (o *history) choosePrompt() tea.Cmd {
	one, _ := o.selected()
	chosen := PromptChosenMsg{one.Request.Prompt}
	return msg.Sequence(msg.CloseTop, func() tea.Msg { return chosen })
}

func (o *history) nextScope() tea.Cmd {
	o.scope = (o.scope + 1) % scopes
	return o.search(0)
}

// star gives the selected request a star, or takes it away. It is the one that
// results have.
func (o *history) star() tea.Cmd {
	one, _ := o.selected()
	one.Pick = 1 - max(one.Pick, 0)
	o.edits++
	ctx, results, rated := o.env.Context, o.store.Results(), state.Rated{ID: one.ID, Rating: one.Rating}
	return func() tea.Msg { return starredMsg{results.Rate(ctx, rated)} }
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
	case requestsFoundMsg:
		o.answered(m)
	case msg.WheelMsg, msg.ClickMsg:
		if o.list.Update(m) {
			return o.choose()
		}
	}
	return nil
}

func (o *history) resize(w, h int) {
	o.w, o.h = w, h
	o.list.SetWindow(listAt, min(max(h-5-previewLines, 1), mostLines))
}

// inner is how wide the text in the box is.
func (o *history) inner() int { return max(min(mostWidth, o.w)-4, 1) }

func (o *history) Cursor() *tea.Cursor {
	return tea.NewCursor(4+o.filter.Column()-o.filter.Offset(o.inner()-2), 1)
}

// boxKey is what the box is drawn from: an answer has a number of its own.
type boxKey struct {
	env.Look
	w, h   int
	filter string
	column int
	answer int
	edits  int
	scope  scope
	list   widget.Picker
}
