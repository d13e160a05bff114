// Package jobs is the screen of everything that was ever confirmed.
package jobs

import (
	"context"
	"image"
	"image/color"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Screen is the list of jobs, and next to it, if there is room, the selected one.
type Screen struct {
	k              *env.Env
	backend        Backend
	queue          state.Queue
	actions        []action.Action
	galleryActions []action.Action // the same, in the order for the gallery
	w, h           int
	shown          bool              // the screen is in view
	covered        bool              // full screen is open: what lies below asks for no picture
	awaited        bool              // the first rows are being read
	early          []tea.KeyPressMsg // keys that wait for them

	list   list
	filter widget.Filter
	verbs  *result.Verbs
	marks  result.Marks
	at     time.Time
	detail detail

	gallery   *result.Gallery
	inGallery bool // the gallery is in view, not the list
	order     int  // one of orders
	// shows is what the rows were last arranged for.
	shows struct {
		gallery bool
		filter  string
		empty   bool
	}

	drawn  widget.Memos[rowKey, [2]string]
	beside widget.Beside
	framed widget.Frame
}

// New makes the screen. It reads its rows when it comes into view.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, queue: b.Queue(), at: k.At}
	s.detail = detail{k: k, backend: b, passed: func() {}, picture: result.NewPreview(k)}
	s.verbs = result.NewVerbs(k, b, s, &s.marks, func() bool { return s.inGallery && s.list.total > 0 })
	s.gallery = &result.Gallery{Thumbs: result.NewThumbs(k)}
	s.list.days = true
	s.actions = s.makeActions()
	s.galleryActions = action.First(s.actions, "full_screen", "favourite", "stars_1", "mark", "compare", "list", "reject", "make_video")
	return s
}

// Actions are the screen's keys.
func (s *Screen) Actions() []action.Action {
	if s.inGallery {
		return s.galleryActions
	}
	return s.actions
}

// Typing reports whether the filter has the keys, or they wait for the first rows.
func (s *Screen) Typing() bool { return s.filter.Editing || s.awaited }

// Cursor is in the filter while it is edited.
func (s *Screen) Cursor() *tea.Cursor {
	left, _ := s.split()
	return s.filter.Cursor(left)
}

// Focus reads what changed while the screen was away.
func (s *Screen) Focus() tea.Cmd {
	s.shown, s.covered, s.awaited = true, false, s.list.version == 0
	s.setTime()
	return tea.Batch(s.reload(), s.paint())
}

// Blur leaves the filter's text as it is, and lets go of the thumbnails.
func (s *Screen) Blur() tea.Cmd {
	s.shown, s.awaited, s.early = false, false, nil
	s.filter.Editing = false
	return s.gallery.Want(nil, "")
}

// Ticking reports whether something in view moves.
func (s *Screen) Ticking() bool {
	moves := func(r state.Row) bool { return r.Phase.Active() || expires(&r, s.k.At) }
	return s.shown && !s.inGallery && slices.ContainsFunc(s.list.visible(), moves)
}

// Resize gives the body's size.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

// Restyle writes the side pane with the styles and words of now.
func (s *Screen) Restyle() { s.detail.arrange() }

// empty reports that there is no job at all, not even one that the filter hides.
func (s *Screen) empty() bool { return s.list.version > 0 && s.list.all == 0 }

// split is how the body is divided: left is the list, right the detail.
func (s *Screen) split() (left, right int) {
	if s.inGallery || s.empty() {
		return s.w, 0
	}
	return widget.SplitPanes(s.w, 51, max(46, s.w-70)) // what a list of 70 leaves belongs to the picture
}

// footed reports whether what is known of the chosen one stands below: there is no pane for it, but 20 lines.
func (s *Screen) footed() bool {
	_, right := s.split()
	return s.inGallery || right == 0 && s.h >= 20 && !s.empty()
}

func (s *Screen) arrange() {
	_, right := s.split()
	s.detail.w, s.detail.h = right, s.h
	s.detail.arrange()
	s.gallery.Resize(max(s.w-4, 1), max(s.h-2-galleryFacts, 1))
	s.list.across = s.gallery.Across()
	if s.inGallery {
		s.gallery.Fit(s.list.fits)
		s.list.setView(s.gallery.Cells(), s.gallery.Columns(), true)
		return
	}
	high := s.h - 2
	if s.footed() {
		high -= galleryFacts
	}
	s.list.setView(high, 1, false)
}

// paint asks for the pictures in view, at their size.
func (s *Screen) paint() tea.Cmd {
	switch {
	case !s.shown || s.covered:
		return nil
	case s.inGallery:
		return s.gallery.Want(s.list.visible(), s.list.selected())
	}
	return s.detail.paint()
}

// manyActive is how many rows may move every second; more of them move every
// fifth, so that twenty running jobs stay quiet on the line.
const manyActive = 4

// setTime takes over the time that rows show.
func (s *Screen) setTime() {
	active := api.Pick(s.list.visible(), func(r state.Row) (string, bool) { return r.ID, r.Phase.Active() })
	if s.at = s.k.At; len(active) > manyActive {
		s.at = s.at.Truncate(5 * time.Second)
	}
}

// reload reads the rows around the view, and with them the job in the side pane
// when it has changed: the two are shown together.
func (s *Screen) reload() tea.Cmd {
	seq, offset := s.list.ask()
	q := state.Query{
		Filter: s.filter.Text(), Sort: orders[s.order].name, Results: s.inGallery,
		Offset: offset, Limit: s.list.held(),
	}
	ctx, backend, shown := s.k.Context, s.backend, s.detail.job
	return func() tea.Msg {
		page, err := backend.Jobs(ctx, q)
		typical, job := result.Timings(page.Rows), state.Job{} // the one in the side pane, when its row is newer
		if slices.ContainsFunc(page.Rows, func(r state.Row) bool { return r.ID == shown.ID && r.Version > shown.Version }) {
			job, _ = backend.Job(ctx, shown.ID) // it is caught up with otherwise
		}
		return thenMsg{msg.FailedMsg{Err: err}, func(screen *Screen) tea.Cmd { return screen.rowsRead(seq, page, typical, job, err) }}
	}
}

func (s *Screen) rowsRead(seq int, page state.Page, typical map[result.Class]result.Typical, job state.Job, err error) tea.Cmd {
	if !s.list.latest.Answered(seq, err) {
		return nil
	}
	// Keys that waited for the first rows.
	early := msg.Sequence(api.Map(s.early, func(key tea.KeyPressMsg) tea.Cmd { return func() tea.Msg { return key } })...)
	s.awaited, s.early = false, nil
	if err != nil { // what is shown is of another time, or of another filter
		if !s.shown {
			return early
		}
		return tea.Batch(early, s.list.latest.Again(s.k.Context, s.reload))
	}
	s.list.filtered = s.filter.Text() != ""
	s.list.take(page)
	before := s.shows
	if s.shows.gallery, s.shows.filter, s.shows.empty = s.inGallery, s.filter.Text(), s.empty(); s.shows != before {
		s.arrange()
	}
	s.detail.typical = typical
	s.detail.arrange()
	s.setTime()
	return tea.Batch(s.detail.want(s.list.selected()), s.paint(), s.detail.take(job), s.catchUp(), s.fill(),
		s.list.latest.Again(s.k.Context, s.reload), early)
}

// detail is the pane of the selected job: its picture above its facts.
type detail struct {
	wanted
	k       *env.Env
	backend result.Backend
	reading bool      // a job is being read: the next one is after it
	began   time.Time // when one was read last
	passed  func()    // ends the wait for the selection to stay
	typical map[result.Class]result.Typical
	checked time.Time // when it was read again because the service was asked
	picture result.Preview
	facts   widget.Scroll

	w, h               int // of the pane; w is 0 while there is none
	pictureW, pictureH int
	strip              result.Thumb // frames of a video, below the picture
	above              []string     // the picture's lines, above the facts
	ground             theme.Ground // tinted by the picture: that of the last one until there is another
	framed             widget.Frame
}

// wanted is the job that is to be shown, and what was read of it.
type wanted struct {
	id        string
	job       state.Job // when loaded
	loaded    bool
	stays     bool             // the selection has stayed on it
	relatives []state.Relative // what it was made from and into
	place     int              // in the service's queue; 0 is not known
	file      int              // which of the files is shown
}

// want reads a job, or leaves that to the answer that is awaited, so that one is
// read at a time and of those that were passed over meanwhile only the last.
func (d *detail) want(id string) tea.Cmd {
	if id == d.id {
		return nil
	}
	d.wanted = wanted{id: id}
	erase := d.picture.Close()
	d.facts.ToTop()
	d.arrange()
	d.passed()
	if id == "" {
		return erase
	}
	ctx, passed := context.WithCancel(d.k.Context)
	d.passed = passed
	return tea.Batch(erase, d.read(), func() tea.Msg {
		if env.Pause(ctx, result.StayPause); ctx.Err() != nil {
			return nil
		}
		return thenMsg{then: func(screen *Screen) tea.Cmd { return screen.stayed(id) }}
	})
}

// look shows the file of the selected job, and notes that it was looked at.
func (d *detail) look() tea.Cmd {
	if !d.stays || d.w == 0 || len(d.job.Files) == 0 {
		return nil
	}
	id, ctx, results := d.id, d.k.Context, d.backend.Results()
	return tea.Batch(d.paint(), func() tea.Msg {
		results.See(ctx, id)
		return nil
	})
}

// take keeps a job when it is the one that is wanted, and asks for its picture.
func (d *detail) take(job state.Job) tea.Cmd {
	if d.id == "" || job.ID != d.id || d.loaded && d.job.Version == job.Version && d.job.NextPoll.Equal(job.NextPoll) {
		return nil
	}
	d.job, d.loaded = job, true
	d.file = max(min(d.file, len(job.Files)-1), 0)
	d.arrange()
	return d.look()
}

func (d *detail) waiting() result.Waiting {
	return result.Waiting{Env: d.k, Job: &d.job, Typical: d.typical[result.ClassOf(result.RowOf(&d.job))], Place: d.place}
}

// checkPause is how long after the service was asked its answer is looked for.
const checkPause = 2 * time.Second

// tick moves the times of an active job with those of the rows, and reads it again
// when the service was asked: what only the pane shows changes no row.
func (d *detail) tick(rows bool) tea.Cmd {
	if !d.job.Phase.Active() {
		return nil
	}
	if rows {
		d.arrange()
	}
	at := d.k.At
	if next := d.job.NextPoll; next.IsZero() || at.Sub(next) < checkPause || at.Sub(d.checked) < 2*checkPause {
		return nil
	}
	d.checked = at
	return d.read()
}

// paint asks for the picture of the shown file at the size there is for it.
func (d *detail) paint() tea.Cmd {
	if !d.stays || d.file >= len(d.job.Files) {
		return nil
	}
	cmd := d.picture.Want(result.Thumb{Path: d.job.Files[d.file].Path, Cols: d.pictureW, Rows: d.pictureH}, d.strip)
	d.arrange()
	return cmd
}

// arrange divides the pane between picture and facts, after each change of them.
func (d *detail) arrange() {
	w, full := widget.Pane{Width: d.w, Height: d.h, Inset: true}.Inner()
	var lines []string
	if d.loaded {
		lines = d.factLines(w)
	}
	d.pictureW, d.pictureH, d.strip = 0, 0, result.Thumb{}
	if len(d.job.Files) > 0 || d.job.Phase.Active() { // what the facts leave, half of the pane at least
		room := max(full-min(len(lines), full/2)-1, 0)
		d.pictureW = w
		d.strip.Cols, d.pictureH = result.FitRatio(result.CellRatio(d.k, result.Ratio(d.job.Request)), w, room)
		high := result.StripRows(d.k, d.job.Request, d.strip.Cols, framesBelow)
		if high > 0 && d.file < len(d.job.Files) && result.IsVideo(&d.job, d.file) && d.pictureH+high+len(lines)+3 <= full {
			d.strip.Path, d.strip.Rows, d.strip.Stills = d.job.Files[d.file].Path, high, image.Pt(framesBelow, 1)
		}
	}
	switch p := &d.picture; {
	case p.Mean.A > 0:
		d.ground = d.k.Theme.Tint(p.Mean)
	case d.loaded && len(d.job.Files) == 0:
		d.ground = theme.Ground{}
		if t := d.k.Theme; widget.Broke(d.job.Phase) && t.Grounds() {
			d.ground = t.Mixed(t.Panel, t.Tint(color.RGBAModel.Convert(t.Bad.Ink).(color.RGBA)).Colour, 0.5)
		}
	}
	d.above = d.pictureLines(w)
	d.facts.SetSize(w, max(full-len(d.above), 0))
	d.facts.SetLines(lines)
}

const framesBelow = 3 // a video's picture

// read reads the wanted job, unless one is being read. Its command alone reads the
// clock: the time of a message is that of the last tick.
func (d *detail) read() tea.Cmd {
	if d.reading || d.id == "" {
		return nil
	}
	d.reading = true
	id, ctx, clock, began, backend, shown := d.id, d.k.Context, d.k.Clock, d.began, d.backend, d.w > 0
	return func() tea.Msg {
		if wait := 100*time.Millisecond - clock().Sub(began); wait > 0 { // most of what a held key passes is not read
			env.Pause(ctx, wait)
			return thenMsg{then: func(screen *Screen) tea.Cmd { return screen.detailRead(wanted{}, time.Time{}, nil) }}
		}
		m, began := wanted{id: id}, clock()
		var err error
		if m.job, err = backend.Job(ctx, id); err == nil && shown {
			if m.job.Related {
				m.relatives, _ = backend.Results().Lineage(ctx, id) // the line is left out
			}
			if m.job.Phase.Active() {
				m.place = result.QueuePlace(ctx, backend, id)
			}
		}
		return thenMsg{msg.FailedMsg{Err: err}, func(screen *Screen) tea.Cmd { return screen.detailRead(m, began, err) }}
	}
}

// detailRead takes what was read of a job. If another one is wanted by then, that is read.
func (s *Screen) detailRead(read wanted, began time.Time, err error) tea.Cmd {
	d := &s.detail
	d.reading, d.began = false, began
	switch {
	case read.id != d.id:
		return d.read()
	case err != nil:
		return nil
	}
	d.relatives, d.place = read.relatives, read.place
	return tea.Batch(d.take(read.job), s.catchUp())
}

// catchUp reads the job in the side pane again when its row is newer.
func (s *Screen) catchUp() tea.Cmd {
	r, d := s.list.current(), &s.detail
	if !d.loaded || r.Version <= d.job.Version {
		return nil
	}
	return d.read()
}
