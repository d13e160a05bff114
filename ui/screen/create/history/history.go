// Package history is the overlay that restores a request that was sent before.
package history

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/result/recent"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Store is what the overlay calls, from commands only.
type Store interface {
	History(ctx context.Context, q state.HistoryQuery) ([]state.Sent, error)
	Job(ctx context.Context, id string) (state.Job, error)
	Results() state.Results
}

type history struct {
	widget.Finder
	env      *env.Env
	store    Store
	latest   widget.Latest
	known    bool // a search was answered
	found    []request
	tree     []version // of found
	versions bool      // the tree is shown
	scope    scope
	started  time.Time // of this session
	now      string    // the prompt in the form, to show what differs
	err      string
	thumbs   *result.Thumbs
	w, h     int
}

const (
	maxFound    = 100
	typingPause = 80 * time.Millisecond // before what is typed is searched for
)

// scope is which requests are searched.
type scope int

const (
	scopeAll scope = iota
	scopeSession
	scopeStarred
	scopes
)

type requestsFoundMsg struct {
	by     *history
	search int
	found  []request
	tree   []version
	err    error
}

// PromptChosenMsg hands a prompt to the form.
type PromptChosenMsg struct {
	Text    string
	Pattern bool // with alternatives
}

func Open(k *env.Env, store Store, session time.Time, prompt string) tea.Cmd {
	o := &history{env: k, store: store, started: session, now: prompt, thumbs: result.NewThumbs(k)}
	o.Choose, o.Typed = o.choose, func() tea.Cmd { return o.search(typingPause) }
	o.Room = func() int { return max(o.plan().inner-theme.Width(o.scopeWord())-3, 1) }
	move := action.After(o.List.Actions(true), o.wanted)
	move[1].Keys += " ctrl+r"
	o.Table = append([]action.Action{
		{Name: "restore", Keys: "enter", Label: "restore", Handler: o.choose, Disabled: o.whyNone},
		{Name: "use_prompt", Keys: "alt+enter", Label: "prompt only", Handler: o.choosePrompt, Disabled: o.whyNone},
		{Name: "scope", Keys: "tab", Label: "all, session, favourites", Handler: func() tea.Cmd {
			o.scope = (o.scope + 1) % scopes
			return o.search(0)
		}},
		{Name: "versions", Keys: "alt+v", Label: "versions", Handler: o.switchVersions},
		{Name: "star", Keys: "alt+s", Label: "favourite", Handler: o.star, Disabled: o.whyNone},
		{Name: "back", Keys: "esc", Label: "back", Handler: func() tea.Cmd { return o.closed() }},
	}, move...)
	return tea.Batch(msg.Open(k, o), o.search(0))
}

func (o *history) search(wait time.Duration) tea.Cmd {
	q := state.HistoryQuery{Contains: strings.TrimSpace(o.Line.Text()), Limit: maxFound, Starred: o.scope == scopeStarred}
	if o.scope == scopeSession {
		q.Since = o.started
	}
	ctx, b, m := o.env.Context, o.store, requestsFoundMsg{by: o, search: o.latest.Ask()}
	return func() tea.Msg {
		env.Pause(ctx, wait)
		found, err := b.History(ctx, q)
		m.err = err
		patterns := map[string]int{} // where each stands, by agreement
		for _, one := range found {
			r := request{Sent: one}
			if one.Files > 0 { // without its job a request has no picture; it is listed all the same
				if job, err := b.Job(ctx, one.ID); err == nil && len(job.Files) > 0 {
					r.path = job.Files[0].Path
				}
			}
			if n, listed := patterns[one.Agreement]; listed {
				m.found[n].Credits = m.found[n].Credits.Plus(one.Credits)
			} else if result.IsPattern(one.Pattern, one.Request) {
				patterns[one.Agreement] = len(m.found)
				m.found = append(m.found, r)
				m.found[len(m.found)-1].Request, m.found[len(m.found)-1].pattern = *one.Pattern, true
			}
			m.found = append(m.found, r)
		}
		m.tree = tree(m.found)
		return m
	}
}

func (o *history) answered(m requestsFoundMsg) tea.Cmd {
	if m.by != o || !o.latest.Answered(m.search, m.err) {
		return nil
	}
	o.found, o.tree, o.known, o.err = m.found, m.tree, true, env.Sentence(o.env, m.err)
	o.List.SetRows(len(o.rows()))
	return o.latest.Again(o.env.Context, func() tea.Cmd { return o.search(0) })
}

func (o *history) rows() []version {
	if o.versions {
		return o.tree
	}
	out := make([]version, len(o.found))
	for i := range out {
		out[i] = version{request: i, parent: -1, times: 1}
	}
	return out
}

func (o *history) whyNone() string {
	_, _, ok := o.selected()
	return o.env.SayIf(!ok, "No request matches.")
}

// selected is the request under the cursor, and its place in the tree.
func (o *history) selected() (*request, version, bool) {
	n, ok := o.List.Selected()
	if !ok {
		return nil, version{}, false
	}
	v := o.rows()[n]
	return &o.found[v.request], v, true
}

// closed takes the overlay out of view, and its pictures out of the terminal.
func (o *history) closed(then ...tea.Msg) tea.Cmd {
	return tea.Batch(o.env.Do(msg.ClosedMsg{}), o.env.Do(then...), o.thumbs.Want(nil))
}

func (o *history) choose() tea.Cmd {
	one, _, _ := o.selected()
	return o.closed(msg.LoadedMsg{Request: one.Request, Pattern: one.pattern})
}

func (o *history) choosePrompt() tea.Cmd {
	one, _, _ := o.selected()
	return o.closed(PromptChosenMsg{one.Request.Prompt, one.pattern})
}

// switchVersions shows the tree, or the requests one by one, and keeps the selection.
func (o *history) switchVersions() tea.Cmd {
	one, _, ok := o.selected()
	o.versions = !o.versions
	rows := o.rows()
	o.List.SetRows(len(rows))
	if ok {
		o.List.Select(slices.IndexFunc(rows, func(v version) bool { return o.found[v.request].Request.Prompt == one.Request.Prompt }))
	}
	return o.wanted()
}

// star gives the selected request a star, or takes it away, as results do.
func (o *history) star() tea.Cmd {
	one, _, _ := o.selected()
	one.Pick = 1 - max(one.Pick, 0)
	ctx, results, rated := o.env.Context, o.store.Results(), state.Rated{ID: one.ID, Rating: one.Rating}
	return func() tea.Msg { return msg.FailedMsg{Err: results.Rate(ctx, rated)} }
}

func (o *history) Update(message tea.Msg) tea.Cmd {
	if o.thumbs.Update(message) {
		return nil
	}
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		o.w, o.h = result.BodySize(m)
		o.List.SetWindow(widget.FinderTop, o.plan().rows)
	case requestsFoundMsg:
		return tea.Batch(o.answered(m), o.wanted())
	case msg.ClickMsg:
		m.Y = widget.FinderTop + (m.Y-widget.FinderTop)/o.plan().row // the list knows rows, not lines
		message = m
	}
	if cmd := o.Finder.Update(message); cmd != nil {
		return cmd
	}
	return o.wanted()
}

// request is one that was sent, with its first file.
type request struct {
	state.Sent
	path    string // "" without a file
	pattern bool   // it was written as this, and sent as several
}

// version is a row: a request, or in the tree a prompt with its newest request.
type version struct {
	request int // the number of the request
	parent  int // the number of the request that it is a version of; -1: none
	times   int // how often the prompt was sent
	branch  string
}

const maxBranch = 6

// tree lists each prompt once, below the earlier one that it has most in common with, if
// that is most of it. The family that was sent last comes first.
func tree(found []request) []version {
	nodes := map[string]*node{}
	var prompts []*node // the oldest first
	for i, one := range slices.Backward(found) {
		text := one.Request.Prompt
		n := nodes[text]
		if n == nil {
			n = &node{text: text, version: version{parent: -1}}
			nodes[text], n.root = n, n
			prompts = append(prompts, n)
		}
		n.request, n.times = i, n.times+1
	}
	var roots []*node
	for i, n := range prompts {
		most, family := 0, &roots
		for _, earlier := range prompts[:i] {
			if same := recent.Common(earlier.text, n.text); same > most {
				most, n.parent, n.root, family = same, earlier.request, earlier.root, &earlier.children
			}
		}
		n.last = n.request
		n.root.last = min(n.root.last, n.request)
		*family = append(*family, n)
	}
	slices.SortStableFunc(roots, func(a, b *node) int { return cmp.Compare(a.last, b.last) })
	var out []version
	for _, n := range roots {
		out = n.list(out, "", "")
	}
	return out
}

type node struct {
	version
	text     string
	children []*node
	root     *node // of its family
	last     int   // of a root: the newest request of its family, which is the smallest number
}

// list appends the node and those below it, to which the branches own and below lead.
func (n *node) list(out []version, own, below string) []version {
	n.branch = own
	out = append(out, n.version)
	for i, child := range n.children {
		if len([]rune(below)) >= 2*maxBranch {
			out = child.list(out, own, below)
		} else if i < len(n.children)-1 {
			out = child.list(out, below+"├ ", below+"│ ")
		} else {
			out = child.list(out, below+"└ ", below+"  ")
		}
	}
	return out
}

// wordsBefore are the words and blanks that stand before the first new one.
const wordsBefore = 4

// changesOf are the words of a text from shortly before the first new one. Of a text
// that lacks words only, it is those, behind a minus sign.
func changesOf(before, after string) []result.Word {
	words := result.Words(after, before)
	if i := slices.IndexFunc(words, func(d result.Word) bool { return d.New && strings.TrimSpace(d.Text) != "" }); i > wordsBefore {
		from := i - wordsBefore
		if strings.TrimSpace(words[from].Text) == "" {
			from++
		}
		return append([]result.Word{{Text: "… "}}, words[from:]...)
	} else if i >= 0 {
		return words
	}
	out := []result.Word{{Text: "− "}}
	for _, d := range result.Words(before, after) {
		if d.New && (len(out) > 1 || strings.TrimSpace(d.Text) != "") {
			out = append(out, d)
		}
	}
	if len(out) == 1 {
		return words
	}
	return out
}
