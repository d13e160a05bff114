package jobs

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// stayPause is how long the selection must stay on a job before its picture is
// drawn and it counts as looked at: a held key draws none that is passed over.
const stayPause = 70 * time.Millisecond

// detail is the pane of the selected job: its picture, large, above one line of
// facts.
type detail struct {
	k         *env.Env
	backend   result.Backend
	id        string    // the job that is wanted
	job       state.Job // when loaded
	loaded    bool
	reading   bool             // a job is being read, or soon will be: the next one is after it
	began     time.Time        // when one was read last
	stays     bool             // the selection has stayed on it
	passed    func()           // ends the wait for that
	relatives []state.Relative // what it was made from and into
	typical   result.Typical   // how long jobs like it take
	place     int              // in the service's queue; 0 is not known
	checked   time.Time        // when it was read again because the service was asked
	moved     time.Time        // the time of the rows when its own times were drawn
	file      int              // which of the files is shown
	picture   result.Preview
	facts     widget.Scroll

	w, h               int // of the pane; w is 0 while there is none
	pictureW, pictureH int
	above              []string // the picture's lines, above the facts
	framed             widget.Frame
}

// detailDueMsg says that the selection has stayed on a job.
type detailDueMsg struct{ id string }

// want reads a job, or leaves that to the answer that is awaited, so that one is
// read at a time and of those that were passed over meanwhile only the last.
func (d *detail) want(id string) tea.Cmd {
	if id == d.id {
		return nil
	}
	d.id, d.loaded, d.stays, d.file, d.job, d.relatives, d.place = id, false, false, 0, state.Job{}, nil, 0
	erase := d.picture.Close()
	d.facts.ToTop()
	d.arrange()
	if d.passed != nil {
		d.passed()
	}
	if id == "" {
		return erase
	}
	ctx, passed := context.WithCancel(d.k.Context)
	d.passed = passed
	var read tea.Cmd
	if !d.reading {
		read = d.next()
	}
	return tea.Batch(erase, read, func() tea.Msg {
		if env.Pause(ctx, stayPause); ctx.Err() != nil {
			return nil
		}
		return detailDueMsg{id}
	})
}

// look shows the file of the job that the selection stays on, and notes that it
// was looked at.
func (d *detail) look() tea.Cmd {
	if !d.loaded || !d.stays || d.w == 0 || len(d.job.Files) == 0 {
		return nil
	}
	id, ctx, results := d.id, d.k.Context, d.backend.Results()
	return tea.Batch(d.paint(), func() tea.Msg {
		_ = results.See(ctx, id) // the badge stays, no more
		return nil
	})
}

// take keeps a job when it is the one that is wanted, and asks for its picture.
func (d *detail) take(job state.Job) tea.Cmd {
	if job.ID != d.id || d.loaded && d.job.Version == job.Version && d.job.NextPoll.Equal(job.NextPoll) {
		return nil
	}
	d.job, d.loaded = job, true
	d.file = max(min(d.file, len(job.Files)-1), 0)
	d.arrange()
	return d.look()
}

// waiting is how the job is drawn while it is active.
func (d *detail) waiting() result.Waiting {
	return result.Waiting{Env: d.k, Job: &d.job, Typical: d.typical, Place: d.place}
}

// checkPause is how long after the service was asked its answer is looked for.
const checkPause = 2 * time.Second

// tick moves the times of an active job when those of the rows move, and reads it
// again when the service was asked: what only the pane shows changes no row.
func (d *detail) tick(rows time.Time) tea.Cmd {
	if !d.loaded || !d.job.Phase.Active() {
		return nil
	}
	if !rows.Equal(d.moved) {
		d.moved = rows
		d.arrange()
	}
	at := d.k.At
	if next := d.job.NextPoll; next.IsZero() || at.Sub(next) < checkPause || at.Sub(d.checked) < 2*checkPause {
		return nil
	}
	d.checked = at
	return d.read(true)
}

// setTypical takes over how long jobs like this one take.
func (d *detail) setTypical(of map[result.Class]result.Typical) {
	if typical := of[result.ClassOfJob(&d.job)]; typical != d.typical {
		d.typical = typical
		d.arrange()
	}
}

// resize gives the pane's size; w is 0 when there is no pane.
func (d *detail) resize(w, h int) {
	if w != d.w || h != d.h {
		d.w, d.h = w, h
		d.arrange()
	}
}

// step goes to another of so many files.
func (d *detail) step(by, files int) tea.Cmd {
	if files < 2 {
		return nil
	}
	d.file = (d.file + by + files) % files
	d.arrange()
	return d.paint()
}

// path is the file that is shown, or "".
func (d *detail) path() string {
	if d.file < len(d.job.Files) {
		return d.job.Files[d.file].Path
	}
	return ""
}

// paint asks for the picture of the shown file at the size there is for it.
func (d *detail) paint() tea.Cmd {
	if !d.stays {
		return nil
	}
	before := d.picture.Edits()
	cmd := d.picture.Want(d.k, result.Thumb{Path: d.path(), Cols: d.pictureW, Rows: d.pictureH})
	if d.picture.Edits() != before {
		d.arrange()
	}
	return cmd
}

// arrange divides the pane between picture and facts. Whoever changes something
// that is shown calls it.
func (d *detail) arrange() {
	w, high := widget.Pane{Width: d.w, Height: d.h}.Inner()
	var lines []string
	if d.loaded {
		lines = d.factLines(w)
	}
	d.pictureW, d.pictureH = d.pictureRoom(w, high, len(lines))
	d.above = d.pictureLines(w)
	d.facts.SetSize(w, max(high-len(d.above), 0))
	d.facts.SetLines(lines)
}

// readGap is the least time between two jobs that are read, about that between
// two frames: a key that comes faster reads some of those that it passes over.
const readGap = 8 * time.Millisecond

// detailNextMsg says that the next job can be read.
type detailNextMsg struct{}

// detailReadMsg brings the job that was wanted.
type detailReadMsg struct {
	id            string
	job           state.Job
	relatives     []state.Relative
	place         int
	msg.FailedMsg // why the job could not be read
	began         time.Time
	again         bool // it was read a second time
}

// next reads the job that is wanted by then.
func (d *detail) next() tea.Cmd {
	ctx, clock, began, read := d.k.Context, d.k.Clock, d.began, d.read(false)
	if read == nil {
		return nil
	}
	return func() tea.Msg {
		if wait := readGap - clock().Sub(began); wait > 0 {
			env.Pause(ctx, wait)
			return detailNextMsg{}
		}
		return read()
	}
}

// read reads the wanted job now.
func (d *detail) read(again bool) tea.Cmd {
	d.reading = d.id != "" && (d.reading || !again)
	if d.id == "" {
		return nil
	}
	id, ctx, clock, backend, shown := d.id, d.k.Context, d.k.Clock, d.backend, d.w > 0
	return func() tea.Msg {
		m := detailReadMsg{id: id, again: again, began: clock()}
		if m.job, m.Err = backend.Job(ctx, id); m.Err == nil && shown {
			if m.job.Related {
				m.relatives, _ = backend.Results().Lineage(ctx, id) // the line is left out
			}
			if m.job.Phase.Active() {
				m.place = result.QueuePlace(ctx, backend, id)
			}
		}
		return m
	}
}

// detailRead takes the job that was wanted, or reads the one that is wanted by
// now. When its row became newer meanwhile, it is read once more.
func (s *Screen) detailRead(m detailReadMsg) tea.Cmd {
	if !m.again {
		s.detail.reading, s.detail.began = false, m.began
	}
	switch {
	case m.id != s.detail.id && !m.again:
		return s.detail.next()
	case m.id != s.detail.id || m.Err != nil:
		return nil
	}
	s.detail.relatives, s.detail.place = m.relatives, m.place
	take := s.detail.take(m.job)
	s.detail.setTypical(s.rows.typical)
	if !m.again && s.behind(m.job.Version) {
		return tea.Batch(take, s.detail.read(true))
	}
	return take
}

// behind reports whether the row of the job in the side pane is newer than
// version.
func (s *Screen) behind(version int64) bool {
	r := s.list.current()
	return r != nil && r.ID == s.detail.id && r.Version > version
}
