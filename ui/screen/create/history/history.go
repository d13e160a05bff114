// Package history is the overlay that restores a request that was sent before.
package history

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"darkroom/api"
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
	o.Choose, o.Typed = o.choose, func() tea.Cmd { return o.search(80 * time.Millisecond) } // a pause of typing
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
		{Name: "back", Keys: "esc", Label: "back", Handler: func() tea.Cmd { return o.thumbs.Close() }},
	}, move...)
	return tea.Batch(msg.Open(k, o), o.search(0))
}

func (o *history) search(wait time.Duration) tea.Cmd {
	q := state.HistoryQuery{Contains: strings.TrimSpace(o.Line.Text()), Limit: 100, Starred: o.scope == scopeStarred}
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

func (o *history) choose() tea.Cmd {
	one, _, _ := o.selected()
	return o.thumbs.Close(msg.LoadedMsg{Request: one.Request, Pattern: one.pattern})
}

func (o *history) choosePrompt() tea.Cmd {
	one, _, _ := o.selected()
	return o.thumbs.Close(PromptChosenMsg{one.Request.Prompt, one.pattern})
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
	o.thumbs.Update(message)
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		o.w, o.h = m.Width, m.Height
		p := o.plan()
		o.List.Each = p.row
		o.List.SetWindow(widget.FinderTop, p.rows*p.row)
	case requestsFoundMsg:
		return tea.Batch(o.answered(m), o.wanted())
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

// plan is how the box is laid out, by its size alone.
type plan struct {
	inner   int // cells of a line
	row     int // lines of a row: the prompt, its facts, and a gap; the first two have a thumbnail
	rows    int // in view
	preview int // lines below the list
	picture int // cells of the picture next to the preview; 0: none
}

const (
	thumbCells   = 5 // of the thumbnail of a row
	pictureCells = 20
)

func (o *history) plan() plan {
	p := plan{inner: max(min(110, o.w)-4, 1), row: 1, preview: 4} // longer lines are hard to read
	if o.h >= 26 {
		p.row, p.preview = 3, 6
	}
	if p.inner >= 60 {
		p.picture = pictureCells
	}
	p.rows = max(min(o.h-2-widget.FinderTop-p.preview, 24)/p.row, 1) // the list has 24 lines at most
	return p
}

// wanted asks for the pictures in view, that of the selected request first.
func (o *history) wanted() tea.Cmd {
	p, rows := o.plan(), o.rows()
	var all []result.Thumb
	if one, _, ok := o.selected(); ok && p.picture > 0 {
		all = append(all, p.big(one))
	}
	for y := range p.rows {
		if n, ok := o.List.RowAt(widget.FinderTop + y*p.row); ok && p.row > 1 {
			all = append(all, p.small(&o.found[rows[n].request]))
		}
	}
	return o.thumbs.Want(all)
}

// big is the picture next to the preview, small that of a row.
func (p plan) big(r *request) result.Thumb {
	return result.Thumb{Path: r.path, Cols: p.picture, Rows: p.preview}
}
func (p plan) small(r *request) result.Thumb {
	return result.Thumb{Path: r.path, Cols: thumbCells, Rows: min(p.row, 2)}
}

func (o *history) Box(int, int) string {
	p, rows, lines := o.plan(), o.rows(), o.Head(o.env.Theme, "")
	lines[2] += " " + o.env.Theme.Muted.Paint(o.scopeWord())
	shown := o.List.Lines(func(n int, selected bool) string { return strings.Join(o.row(rows[n], selected, p), "\n") })
	if len(rows) == 0 {
		shown[0] = o.whyEmpty(p.inner)
	}
	_, v, ok := o.selected() // the title says against what new words are marked
	title := cmp.Or(o.env.SayIf(ok && v.parent >= 0, "New words of this version"),
		o.env.SayIf(ok && o.now != "", "Differences from the current prompt"))
	lines = slices.Concat(lines, shown, []string{widget.Divide(title)}, o.preview(p))
	return widget.Boxed(o.env, p.inner+4, o.h, o.env.Say("History"), lines, o.List.Below())
}

func (o *history) scopeWord() string {
	word := [...]string{o.env.Say("all"), o.env.Say("this session"), o.env.Say("favourites")}[o.scope]
	return strings.Join(env.Said(word, o.env.SayIf(o.versions, "versions")), " · ")
}

// whyEmpty says why there is no row; "" while the answer is awaited.
func (o *history) whyEmpty(w int) string {
	t, none := o.env.Theme, o.Line.Text() == "" && o.scope == scopeAll
	if o.err != "" || !o.known {
		return t.Bad.Paint(theme.Cut(o.err, w))
	}
	return t.Muted.Paint(theme.Cut(cmp.Or(o.env.SayIf(none, "Nothing was sent yet: requests that you send are listed here."),
		o.env.Say("No request matches.")), w))
}

const (
	phaseCells = 11
	kindCells  = 7
	modelCells = 14
	endCells   = 31 // credits, time, favourite
)

// row draws a request on one line, or on two next to its thumbnail.
func (o *history) row(v version, selected bool, p plan) []string {
	one, t := &o.found[v.request], o.env.Theme
	in, mark := t.Row(selected)
	look, phase, kind := widget.PhaseLook(one.Phase), widget.PhaseStyle(in, one.Phase), env.Capital(o.env.Say(widget.KindWord(one.Kind)))
	figure, sign := o.cost(one), " "
	if v.times > 1 {
		figure += " ×" + strconv.Itoa(v.times)
	}
	if one.Pick > 0 {
		sign = "♥"
	}
	end := in.Muted.Paint(" " + widget.AlignRight(figure, 10) + " " + widget.AlignRight(o.env.When(one.CreatedAt), 17) + " " + sign)
	if p.row == 1 {
		model, room := theme.Fit(one.Model, modelCells), p.inner-4-kindCells-modelCells-1-endCells
		if room < 20 { // narrow: the model goes first
			model, room = "", room+modelCells
		}
		line := in.Text.Paint(mark) + phase.Paint(look.Mark+" ") + in.Muted.Paint(theme.Fit(kind, kindCells)+model+" ")
		return []string{theme.Cut(line+o.prompt(v, selected, max(room, 1))+end, p.inner)}
	}
	picture, _ := o.thumbs.Lines(p.small(one))
	lead := func(y int) string {
		cells := theme.Fit(picture[y], thumbCells)
		if strings.TrimSpace(cells) == "" {
			cells = in.Text.Paint(cells)
		}
		return in.Text.Paint([2]string{mark, "  "}[y]) + cells + in.Text.Paint("  ")
	}
	room := p.inner - 2 - thumbCells - 2
	facts := phase.Paint(theme.Fit(look.Mark+" "+o.env.Say(look.Word), phaseCells)) + in.Muted.Paint(theme.Fit(kind, kindCells)+
		theme.Fit(one.Model, max(room-phaseCells-kindCells-endCells, 0)))
	return []string{lead(0) + o.prompt(v, selected, room), lead(1) + facts + end}
}

func (o *history) cost(one *request) string {
	return cmp.Or(o.env.SayIf(one.Source != "none" && !one.Free(), "%s cr", one.Credits.String()), "–")
}

// prompt is a row's prompt; in the tree from where it differs from its parent's.
func (o *history) prompt(v version, selected bool, w int) string {
	in, _ := o.env.Theme.Row(selected)
	style := in.Strong.If(selected, in.Text)
	text, branch := o.found[v.request].Request.Prompt, in.Muted.Paint(v.branch)
	w = max(w-theme.Width(v.branch), 1)
	if v.parent < 0 {
		return branch + style.Paint(theme.Fit(api.Clean(api.OneLine(text), len(text)).String(), w))
	}
	words := result.MarkWords(in.Muted, in.Accent, result.Changes(o.found[v.parent].Request.Prompt, text))
	line := theme.Cut(strings.ReplaceAll(words, "\n", " "), w)
	return branch + line + in.Muted.Paint(theme.Blank(w-theme.Width(line)))
}

// preview is the picture of the selected request and the beginning of its prompt, with
// the words marked that the prompt before it, or the form's, does not have, above its facts.
func (o *history) preview(p plan) []string {
	out := make([]string, p.preview)
	one, v, ok := o.selected()
	if !ok {
		return out
	}
	before, w := o.now, p.inner
	if v.parent >= 0 {
		before = o.found[v.parent].Request.Prompt
	}
	var picture []string
	if one.path != "" && p.picture > 0 {
		picture, _ = o.thumbs.Lines(p.big(one))
		w -= p.picture + 2
	}
	t := o.env.Theme
	words := strings.ReplaceAll(result.MarkWords(t.Muted, t.Accent, result.Words(one.Request.Prompt, before)), "\n", " ")
	lines, last, ink := strings.Split(lipgloss.Wrap(words, w-2, ""), "\n"), p.preview-1, t.Muted
	if copy(out[:last], lines) < len(lines) {
		out[last-1] += ink.Paint(" …")
	}
	facts := append(widget.RequestFacts(o.env, one.Request), o.cost(one), o.env.When(one.CreatedAt))
	out[last] = ink.Paint(theme.Cut(strings.Join(facts, " · "), w))
	for y := range picture {
		out[y] = theme.Fit(picture[y], p.picture) + "  " + out[y]
	}
	return out
}
