// Package recent shows the newest results next to the prompt: a strip of cards
// or a line of badges, and the chosen one large.
package recent

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Recent are the newest results as a strip of cards, or as a line of badges
// where there is little room, and the chosen one large next to them. Everything
// it draws is in memory.
type Recent struct {
	k       *env.Env
	backend Backend
	verbs   *result.Verbs
	marks   result.Marks
	cards   []card
	total   int // jobs there are
	typical map[result.Class]result.Typical
	latest  widget.Latest
	prompt  string // of the last question
	known   bool
	edits   int // grows with every change of what is shown

	chosen  string // the id of the chosen card; "" is the first
	focused bool   // it has the keys
	top     int    // the first card in view

	strip, large widget.Rect // sizes; the strip is one line high for badges
	next         float64     // the ratio of what the draft would make
	stale        bool        // the pictures in view were not asked for at these sizes
	shown        bool        // the strip is in view
	thumbs       *result.Thumbs
	file         int // which of the chosen job's files is shown

	stripMemo widget.Memo[key, []string]
	largeMemo widget.Memo[key, []string]
}

// key is all that the drawings of Recent depend on.
type key struct {
	edits        int
	marks        uint64
	second       int64 // 0 while nothing moves
	theme        *theme.Theme
	lang         string
	strip, large widget.Rect
	next         float64
}

type card struct {
	row   state.Row
	job   state.Job
	ratio float64 // of the picture, as far as the request says
	chain bool    // its prompt is the draft's, or a version of it
}

// New makes an empty strip; Read fills it.
func New(k *env.Env, backend Backend) *Recent {
	r := &Recent{k: k, backend: backend, thumbs: result.NewThumbs(k)}
	r.verbs = result.NewVerbs(k, backend, r, &r.marks, nil)
	return r
}

// Verbs are what is done with the chosen result.
func (r *Recent) Verbs() []action.Action { return r.verbs.Actions() }

func (r *Recent) key() key {
	now := key{
		edits: r.edits, marks: r.marks.Edits(), theme: r.k.Theme, lang: r.k.Words.Lang(), strip: r.strip, large: r.large, next: r.next,
	}
	if r.Ticking() {
		now.second = r.k.At.Unix()
	}
	return now
}

// Resize gives the sizes of the strip and of the large pane; an empty one is
// not shown. Wanted asks for the pictures of the new sizes.
func (r *Recent) Resize(strip, large widget.Rect) {
	if strip == r.strip && large == r.large {
		return
	}
	r.strip, r.large, r.stale = strip, large, true
	r.edits++
	r.reveal(false)
}

// Next gives the ratio, width by height, of what the draft would make: as long as
// there are no results, a frame of that ratio stands where the first will be.
func (r *Recent) Next(ratio float64) { r.next = ratio }

// badges reports whether there is one line only.
func (r *Recent) badges() bool { return r.strip.H <= 1 }

// Focused reports whether the strip has the keys.
func (r *Recent) Focused() bool { return r.focused }

// Focus gives the keys to the strip, or takes them away. The chosen card stays.
func (r *Recent) Focus(on bool) {
	if on == r.focused {
		return
	}
	r.focused = on
	if on && r.chosen == "" && len(r.cards) > 0 {
		r.chosen = r.cards[0].job.ID
	}
	r.edits++
}

// Empty reports whether there is nothing to choose.
func (r *Recent) Empty() bool { return len(r.cards) == 0 }

// Row is the row of the chosen job.
func (r *Recent) Row() (state.Row, bool) {
	if len(r.cards) == 0 {
		return state.Row{}, false
	}
	return r.cards[r.at()].row, true
}

// File is the number of the chosen job's file that is shown.
func (r *Recent) File() int { return r.file }

// Enter shows the chosen result full screen.
func (r *Recent) Enter(zoom bool) tea.Cmd {
	if len(r.cards) == 0 {
		return nil
	}
	return result.OpenFullScreen(r.k, r.backend, r, &r.marks, zoom)
}

// SetRating shows a rating before the store has it.
func (r *Recent) SetRating(id string, to state.Rating) {
	for i := range r.cards {
		if r.cards[i].row.ID == id {
			r.cards[i].row.Rating = to
		}
	}
	r.edits++
}

// Job is the job that the verbs are about, the newest one when none was chosen.
func (r *Recent) Job() (state.Job, bool) {
	if len(r.cards) == 0 {
		return state.Job{}, false
	}
	return r.cards[r.at()].job, true
}

// Saved is the job of which a file has an address, and where that file was saved.
func (r *Recent) Saved(address string) (job, path string) {
	for i := range r.cards {
		j := &r.cards[i].job
		for n := range j.Files {
			if result.CleanAddress(j, n) == address {
				return j.ID, j.Files[n].Path
			}
		}
	}
	return "", ""
}

// at is the position of the chosen card.
func (r *Recent) at() int {
	return max(slices.IndexFunc(r.cards, func(c card) bool { return c.job.ID == r.chosen }), 0)
}

// Move chooses another card.
func (r *Recent) Move(by int) tea.Cmd {
	if len(r.cards) == 0 {
		return nil
	}
	return r.choose(max(min(r.at()+by, len(r.cards)-1), 0), true)
}

func (r *Recent) choose(n int, whole bool) tea.Cmd {
	if r.cards[n].job.ID == r.chosen {
		return nil
	}
	r.chosen, r.file = r.cards[n].job.ID, 0
	r.edits++
	r.reveal(whole)
	return r.want()
}

// Sent gives up the choice: the job that was sent appears first.
func (r *Recent) Sent() {
	r.chosen, r.top, r.file = "", 0, 0
	r.edits++
}

// Ticking reports whether a card in view shows a time that passes.
func (r *Recent) Ticking() bool {
	from, to := r.window()
	for i := from; i < to; i++ {
		if r.cards[i].job.Phase.Active() {
			return true
		}
	}
	return r.large.W > 0 && len(r.cards) > 0 && r.cards[r.at()].job.Phase.Active()
}

// Update takes the answers to what it asked for.
func (r *Recent) Update(message tea.Msg) tea.Cmd {
	if r.thumbs.Update(message) {
		r.edits++
		return nil
	}
	switch m := message.(type) {
	case readMsg:
		return r.take(m)
	case tea.WindowSizeMsg: // pictures may be drawn in another way
		return r.want()
	}
	return r.verbs.Update(message)
}

// Show says whether the strip is in view; out of view it asks for no pictures.
func (r *Recent) Show(on bool) tea.Cmd {
	r.shown = on
	return r.want()
}

// Shown reports whether the strip is in view.
func (r *Recent) Shown() bool { return r.shown }

// Wanted asks for the pictures in view when their sizes have changed.
func (r *Recent) Wanted() tea.Cmd {
	if !r.stale {
		return nil
	}
	r.stale = false
	return r.want()
}

// want asks for every picture in view, the largest first.
func (r *Recent) want() tea.Cmd {
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

// thumb is the picture of a card.
func (r *Recent) thumb(n int) result.Thumb {
	cols, rows := r.room(r.cards[n].ratio)
	return result.Thumb{Path: r.path(n, 0), Cols: cols, Rows: rows}
}

// bigThumb is the picture of the chosen result in the large pane.
func (r *Recent) bigThumb() result.Thumb {
	cols, rows := r.bigRoom()
	return result.Thumb{Path: r.path(r.at(), r.file), Cols: cols, Rows: rows}
}

// path is a file of a card's job, or "".
func (r *Recent) path(n, file int) string {
	if files := r.cards[n].job.Files; file < len(files) {
		return files[file].Path
	}
	return ""
}
