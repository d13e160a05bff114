package jobs

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// stayPause is how long the selection must stay on a job before its picture is
// drawn and it counts as looked at: a held key draws none that is passed over.
const stayPause = 70 * time.Millisecond

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
	if d.passed != nil {
		d.passed()
	}
	if id == "" {
		return erase
	}
	ctx, passed := context.WithCancel(d.k.Context)
	d.passed = passed
	return tea.Batch(erase, d.read(), func() tea.Msg {
		if env.Pause(ctx, stayPause); ctx.Err() != nil {
			return nil
		}
		return thenMsg(func(screen *Screen) tea.Cmd { return screen.stayed(id) })
	})
}

// look shows the file of the selected job, and notes that it was looked at.
func (d *detail) look() tea.Cmd {
	if !d.stays || d.w == 0 || len(d.job.Files) == 0 {
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
	if d.id == "" || job.ID != d.id || d.loaded && d.job.Version == job.Version && d.job.NextPoll.Equal(job.NextPoll) {
		return nil
	}
	d.job, d.loaded = job, true
	d.file = max(min(d.file, len(job.Files)-1), 0)
	d.arrange()
	return d.look()
}

func (d *detail) waiting() result.Waiting {
	return result.Waiting{Env: d.k, Job: &d.job, Typical: d.typical[result.ClassOfJob(&d.job)], Place: d.place}
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
	cmd := d.picture.Want(d.k, result.Thumb{Path: d.job.Files[d.file].Path, Cols: d.pictureW, Rows: d.pictureH})
	d.arrange()
	return cmd
}

// arrange divides the pane between picture and facts, after each change of them.
func (d *detail) arrange() {
	w, high := widget.Pane{Width: d.w, Height: d.h, Inset: true}.Inner()
	var lines []string
	if d.loaded {
		lines = d.factLines(w)
	}
	d.pictureW, d.pictureH = 0, 0
	if len(d.job.Files) > 0 || d.job.Phase.Active() { // what the facts leave, half of the pane at least
		d.pictureW, d.pictureH = w, max(high-min(len(lines), high/2)-1, 0)
		_, d.pictureH = result.FitRatio(result.CellRatio(d.k, result.Ratio(d.job.Request)), w, d.pictureH)
	}
	switch p := &d.picture; {
	case p.Mean.A > 0:
		d.ground = d.k.Theme.Tint(p.Mean)
	case d.loaded && len(d.job.Files) == 0:
		d.ground = theme.Ground{}
	}
	d.above = d.pictureLines(w)
	d.facts.SetSize(w, max(high-len(d.above), 0))
	d.facts.SetLines(lines)
}

// readGap is the least time between two reads, about that of a frame.
const readGap = 8 * time.Millisecond

// detailReadMsg brings the job that was wanted.
type detailReadMsg struct {
	id            string
	began         time.Time
	job           state.Job
	relatives     []state.Relative
	place         int
	msg.FailedMsg // why the job could not be read
}

// read reads the wanted job, unless one is being read. Its command alone reads the
// clock: the time of a message is that of the last tick.
func (d *detail) read() tea.Cmd {
	if d.reading || d.id == "" {
		return nil
	}
	d.reading = true
	id, ctx, clock, began, backend, shown := d.id, d.k.Context, d.k.Clock, d.began, d.backend, d.w > 0
	return func() tea.Msg {
		if wait := readGap - clock().Sub(began); wait > 0 {
			env.Pause(ctx, wait)
			return detailReadMsg{} // the job that is wanted by then is read
		}
		m := detailReadMsg{id: id, began: clock()}
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

// catchUp reads the job in the side pane again when its row is newer.
func (s *Screen) catchUp() tea.Cmd {
	r, d := s.list.current(), &s.detail
	if !d.loaded || r.Version <= d.job.Version {
		return nil
	}
	return d.read()
}
