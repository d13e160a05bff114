// Package recent shows the newest results next to the prompt: a strip of cards
// or a line of badges, and the chosen one large.
package recent

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Recent are the newest results as a strip of cards, or as a line of badges
// where there is little room, and the chosen one large next to them.
type Recent struct {
	k       *env.Env
	backend Backend
	verbs   *result.Verbs
	marks   result.Marks
	cards   []card
	all     []card // that were read: cards, and behind them those with no place in the strip
	total   int    // jobs there are
	typical map[result.Class]result.Typical
	latest  widget.Latest
	read    version // that is shown
	told    version // of which there was word last, and the prompt that is asked for
	known   bool
	edits   int // grows with every change of what is shown

	chosen  string // the id of the chosen card; "" is the first
	focused bool   // it has the keys
	top     int    // the first card in view

	strip, large widget.Rect    // sizes; the strip is one line high for badges
	shown        bool           // the strip is in view
	trial        bool           // the cards are examples, since there are no results
	sharp        map[string]int // by job, of those whose pictures come: the columns of a block
	thumbs       *result.Thumbs

	stripMemo widget.Memo[key, []string]
	largeMemo widget.Memo[key, []string]
}

// key is all that the drawings of Recent depend on.
type key struct {
	edits        int
	marks        uint64
	second       int64 // 0 while nothing moves
	look         env.Look
	strip, large widget.Rect
	cell         picture.Cell
}

type card struct {
	row   state.Row
	job   state.Job
	ratio float64 // of the picture, as far as the request says
	chain bool    // its prompt is the draft's, or a version of it
	// source is a picture that it was made from or repeats: it stands in for its own.
	source string
}

// New makes an empty strip; Read fills it.
func New(k *env.Env, backend Backend) *Recent {
	r := &Recent{k: k, backend: backend, thumbs: result.NewThumbs(k), sharp: map[string]int{}}
	r.verbs = result.NewVerbs(k, backend, r, &r.marks, func() bool { return false })
	return r
}

// Verbs are what is done with the chosen result.
func (r *Recent) Verbs() []action.Action { return r.verbs.Table }

func (r *Recent) key() key {
	second := int64(0)
	if r.Ticking() {
		second = r.k.At.Unix()
	}
	return key{r.edits, r.marks.Edits(), second, r.k.Look(), r.strip, r.large, r.k.Cell}
}

// Resize gives the sizes of the strip and of the large pane; an empty one is
// not shown. Want asks for the pictures of the new sizes.
func (r *Recent) Resize(strip, large widget.Rect) {
	r.strip, r.large = strip, large
	r.reveal(false)
}

func (r *Recent) badges() bool { return r.strip.H <= 1 }

func (r *Recent) Focused() bool { return r.focused } // the strip has the keys
func (r *Recent) Shown() bool   { return r.shown }   // it is in view
func (r *Recent) Empty() bool   { return len(r.cards) == 0 || r.trial }
func (r *Recent) File() int     { return 0 } // of the chosen job, the one that is shown

// Focus gives the keys to the strip, or takes them away. The chosen card stays.
func (r *Recent) Focus(on bool) {
	if r.focused = on; on {
		r.chosen = r.card().job.ID
	}
	r.edits++
}

// Row is the row of the chosen job.
func (r *Recent) Row() (state.Row, bool) { return r.card().row, !r.Empty() }

// Enter shows the chosen result full screen.
func (r *Recent) Enter(zoom bool) tea.Cmd {
	if r.Empty() {
		return nil
	}
	return result.OpenFullScreen(r.k, r.backend, r, &r.marks, zoom)
}

// SetRating shows a rating before the store has it.
func (r *Recent) SetRating(id string, to state.Rating) {
	if i := slices.IndexFunc(r.cards, func(c card) bool { return c.row.ID == id }); i >= 0 {
		r.cards[i].row.Rating = to
	}
	r.edits++
}

// Job is the job that the verbs are about, the newest one when none was chosen.
func (r *Recent) Job() (state.Job, bool) { return r.card().job, !r.Empty() }

// card is the chosen card, an empty one when there is none.
func (r *Recent) card() *card {
	if len(r.cards) == 0 {
		return &card{}
	}
	return &r.cards[r.at()]
}

func (r *Recent) at() int {
	n := slices.IndexFunc(r.cards, func(c card) bool { return c.job.ID == r.chosen })
	if n < 0 && r.large.W > 0 { // the newest that has something to show
		n = slices.IndexFunc(r.cards, func(c card) bool { return c.job.Phase.Active() || len(c.job.Files) > 0 })
	}
	return max(n, 0)
}

// At is the chosen card's number, and how many there are.
func (r *Recent) At() (n, of int) { return r.at(), len(r.cards) }

// Move chooses another card.
func (r *Recent) Move(by int) tea.Cmd {
	if len(r.cards) == 0 {
		return nil
	}
	return r.choose(max(min(r.at()+by, len(r.cards)-1), 0), true)
}

func (r *Recent) choose(n int, whole bool) tea.Cmd {
	id := r.cards[n].job.ID
	if id == r.chosen {
		return nil
	}
	r.chosen = id
	r.edits++
	r.reveal(whole)
	return r.Want()
}

// Sent gives up the choice: the job that was sent appears first.
func (r *Recent) Sent() {
	r.chosen, r.top = "", 0
	r.edits++
}

// Ticking reports whether a card in view shows a time that passes.
func (r *Recent) Ticking() bool {
	from, to := r.window()
	return r.large.W > 0 && r.card().job.Phase.Active() ||
		slices.ContainsFunc(r.cards[from:to], func(c card) bool { return c.job.Phase.Active() })
}

// Update takes the answers to what it asked for.
func (r *Recent) Update(message tea.Msg) tea.Cmd {
	if r.thumbs.Update(message) {
		r.edits++
		return r.sharpen()
	}
	switch m := message.(type) {
	case sharpMsg:
		if side := r.sharp[string(m)] / 2; side > 0 {
			r.sharp[string(m)] = side
			r.edits++
			return r.sharpenLater(string(m))
		}
	case readMsg:
		return r.take(m)
	case tea.WindowSizeMsg: // pictures may be drawn in another way
		return r.Want()
	}
	return r.verbs.Update(message)
}

// Show says whether the strip is in view; out of view it asks for no pictures.
func (r *Recent) Show(on bool) tea.Cmd {
	r.shown = on
	clear(r.sharp)
	return r.Want()
}

// Want asks for every picture in view, the largest first, unless it was asked for already.
func (r *Recent) Want() tea.Cmd {
	var wanted []result.Thumb
	if r.shown && len(r.cards) > 0 {
		if r.large.W > 0 {
			wanted = append(wanted, r.bigThumb())
		}
		from, to := r.window()
		for n := from; n < to && !r.badges(); n++ {
			wanted = append(wanted, r.thumb(n))
		}
	}
	return r.thumbs.Want(wanted)
}

func (r *Recent) thumb(n int) result.Thumb {
	cols, rows := r.room(r.cards[n].ratio)
	return r.cards[n].thumb(cols, rows)
}

func (r *Recent) bigThumb() result.Thumb {
	cols, rows := r.bigRoom()
	return r.cards[r.at()].thumb(cols, rows)
}

func (c *card) thumb(cols, rows int) result.Thumb {
	th := result.Thumb{Path: result.RowOf(&c.job).File, Cols: cols, Rows: rows}
	switch {
	case c.job.Phase.Active():
		th.Path = c.source
	case c.job.Kind == api.KindVideo:
		th.Poster = c.source
	}
	return th
}

// Backend is what Recent needs; it is called from commands only.
type Backend interface {
	result.Backend
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
}

const (
	timedRows = 200 // rows from which typical times are learnt
	maxRead   = 60  // jobs that are looked at for the draft's chain
	maxCards  = 24  // cards that are kept
)

// version tells what was read at one time from what was read at another.
type version struct {
	prompt string
	change int64
	unseen int
}

type readMsg struct {
	version
	seq     int
	cards   []card
	trial   bool
	total   int
	typical map[result.Class]result.Typical
	err     error
}

// Changed reads the newest jobs again while the strip is in view, unless what it
// shows is that new.
func (r *Recent) Changed(prompt string, m msg.ChangedMsg) tea.Cmd {
	r.told = version{prompt, m.Change, m.Unseen}
	if !r.shown || r.known && r.told == r.read || !r.latest.Changed() {
		return nil
	}
	return r.Read(prompt)
}

// Read reads the newest jobs; versions of the given prompt come first.
func (r *Recent) Read(prompt string) tea.Cmd {
	r.told.prompt = prompt
	seq, ctx, backend := r.latest.Ask(), r.k.Context, r.backend
	held := make(map[string]card, len(r.all))
	for i := range r.all {
		held[r.all[i].job.ID] = r.all[i]
	}
	examples, example := r.examples(), r.k.Example
	return func() tea.Msg {
		page, err := backend.Jobs(ctx, state.Query{Limit: timedRows})
		m := readMsg{version: version{prompt, page.Change, page.Unseen}, seq: seq, total: page.All, err: err}
		if err == nil {
			m.typical = result.Timings(page.Rows)
			m.cards = readCards(ctx, backend, page.Rows, held, prompt)
			findSources(ctx, backend, m.cards, held)
			if m.trial = len(m.cards) == 0; m.trial {
				m.cards = examples
				for i := 0; example != nil && i < len(examples); i++ {
					examples[i].job.Files = []state.File{{Path: example(examples[i].job.Title)}}
				}
			}
		}
		return m
	}
}

// Edited reads the results again if those in front are versions of a prompt that this one is not like.
func (r *Recent) Edited(prompt string) tea.Cmd {
	if old := r.told.prompt; !r.shown || r.Empty() || !r.cards[0].chain || prompt == old || Common(prompt, old) > 0 {
		return nil
	}
	return r.Read(prompt)
}

// readCards reads the jobs of the newest rows that are not held, and puts the
// prompt's chain first. A job that cannot be read is left out.
func readCards(ctx context.Context, backend result.JobReader, rows []state.Row, held map[string]card, prompt string) []card {
	var cards []card
	chain := 0 // cards of it, which stand in front
	for i := range rows {
		if i == maxRead || prompt == "" && len(cards) == maxCards {
			break
		}
		if !rows[i].Kind.Known() {
			continue
		}
		was, ok := held[rows[i].ID]
		job := was.job
		if !ok || job.Version != rows[i].Version {
			var err error
			if job, err = backend.Job(ctx, rows[i].ID); err != nil {
				continue
			}
		}
		one := card{row: rows[i], job: job, ratio: result.Ratio(job.Request), chain: Common(prompt, job.Request.Prompt) > 0}
		if job.Phase.Ended() && len(job.Files) == 0 { // a narrow card says why
			one.ratio = min(one.ratio, 1)
		}
		at := len(cards)
		if one.chain {
			at, chain = chain, chain+1
		}
		cards = slices.Insert(cards, at, one)
	}
	for from := 0; from < len(cards); { // requests that were sent as one keep the order of the review
		to := from + 1
		for to < len(cards) && cards[to].job.Agreement != "" && cards[to].job.Agreement == cards[from].job.Agreement {
			to++
		}
		group := cards[from:to]
		slices.Reverse(group)
		if held := slices.IndexFunc(group, func(c card) bool { return c.row.Phase == api.PhaseHeld }); held >= 0 {
			slices.Reverse(group[held:]) // those stand in the order of the queue already
		}
		from = to
	}
	return cards
}

// Common counts the characters that two prompts share at both ends. It is 0 unless they are equal, or
// most of the longer one is shared, as when one passage was changed.
func Common(a, b string) int {
	const least = 12 // characters in common
	x, y, n, m := []rune(a), []rune(b), 0, 0
	shorter := min(len(x), len(y))
	for n < shorter && x[n] == y[n] {
		n++
	}
	for m < shorter-n && x[len(x)-1-m] == y[len(y)-1-m] {
		m++
	}
	if n += m; a != b && (n < least || n*10 < max(len(x), len(y))*6) {
		return 0
	}
	return n
}

// take puts an answer in the place of what was held. The chosen card stays chosen.
func (r *Recent) take(m readMsg) tea.Cmd {
	if !r.latest.Answered(m.seq, m.err) {
		return nil
	}
	again := func() tea.Cmd { return r.Read(r.told.prompt) }
	if m.err != nil {
		return r.latest.Again(r.k.Context, again)
	}
	for i := range m.cards { // those that have ended in view develop
		j := &m.cards[i].job
		awaited := slices.ContainsFunc(r.cards, func(c card) bool { return c.job.ID == j.ID && c.job.Phase.Active() })
		if awaited && j.Phase == api.PhaseDone && r.k.Moves() {
			r.sharp[j.ID] = sharpAwaited
		}
	}
	r.thumbs.Late = time.Duration(min(len(r.sharp), 1)) * sharpSteps * sharpStep
	r.all, r.cards = m.cards, m.cards[:min(len(m.cards), maxCards)]
	r.trial, r.total, r.typical, r.known = m.trial, m.total, m.typical, true
	if !slices.ContainsFunc(r.cards, func(c card) bool { return c.job.ID == r.chosen }) {
		r.chosen = ""
	}
	r.edits++
	r.reveal(false)
	if r.read = m.version; r.read == r.told {
		return r.Want()
	}
	return tea.Batch(r.Want(), r.latest.Again(r.k.Context, again))
}
