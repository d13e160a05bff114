package jobs

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// readPause is how long the selection must stay before its job is read: a held
// key starts nothing.
const readPause = 70 * time.Millisecond

// detail is the pane of the selected job: its picture, large, above one line of
// facts.
type detail struct {
	k       *env.Env
	backend result.Backend
	id      string // the job that is wanted
	seq     int
	job     state.Job // when loaded
	loaded  bool
	kin     []state.Relative // what it was made from and into
	usual   result.Usual     // how long jobs like it take
	place   int              // in the service's queue; 0 is not known
	checked time.Time        // when it was read again because the service was asked
	moved   time.Time        // the time of the rows when its own times were drawn
	file    int              // which of the files is shown
	picture result.Preview
	facts   widget.Scroll

	w, h               int // of the pane; w is 0 while there is none
	pictureW, pictureH int
	version            int // grows with every change of what is shown
	pane               widget.Memo[detailKey, []string]
}

// detailKey is all that the drawing depends on.
type detailKey struct {
	version, offset int
	title           string // of a job that is still to be read
	theme           *theme.Theme
	lang            string
}

// detailDueMsg says that the selection has stayed.
type detailDueMsg struct{ seq int }

// detailReadMsg brings the job that was wanted.
type detailReadMsg struct {
	id    string
	job   state.Job
	kin   []state.Relative
	place int
	err   error
	again bool // it was read a second time
}

// Failed is why the job could not be read.
func (m detailReadMsg) Failed() error { return m.err }

// want asks for a job once the selection has stayed on it.
func (d *detail) want(id string) tea.Cmd {
	if id == d.id {
		return nil
	}
	d.id, d.loaded, d.file, d.job, d.kin, d.place = id, false, 0, state.Job{}, nil, 0
	erase := d.picture.Close()
	d.facts.ToTop()
	d.arrange()
	d.seq++
	if id == "" {
		return erase
	}
	seq, ctx := d.seq, d.k.Context
	return tea.Batch(erase, func() tea.Msg {
		env.Pause(ctx, readPause)
		return detailDueMsg{seq}
	})
}

// due reads the job that the selection stayed on.
func (d *detail) due(m detailDueMsg) tea.Cmd {
	if m.seq != d.seq {
		return nil
	}
	return d.read(false)
}

// read reads the wanted job now.
func (d *detail) read(again bool) tea.Cmd {
	if d.id == "" {
		return nil
	}
	id, ctx, backend, shown := d.id, d.k.Context, d.backend, d.w > 0
	return func() tea.Msg {
		m := detailReadMsg{id: id, again: again}
		if m.job, m.err = backend.Job(ctx, id); m.err == nil && shown {
			m.kin, _ = backend.Results().Lineage(ctx, id) // the line is left out
			if m.job.Phase.Active() {
				m.place = result.QueuePlace(ctx, backend, id)
			}
			if len(m.job.Files) > 0 {
				_ = backend.Results().See(ctx, id) // the badge stays, no more
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return m
	}
}

// take keeps a job when it is the one that is wanted, and asks for its picture.
func (d *detail) take(job state.Job) tea.Cmd {
	if job.ID != d.id || d.loaded && d.job.Version == job.Version && d.job.NextPoll.Equal(job.NextPoll) {
		return nil
	}
	d.job, d.loaded = job, true
	d.file = max(min(d.file, len(job.Files)-1), 0)
	d.arrange()
	return d.paint()
}

// waiting is how the job is drawn while it is active.
func (d *detail) waiting() result.Waiting {
	return result.Waiting{Env: d.k, Job: &d.job, Usual: d.usual, Place: d.place}
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

// setUsual takes over how long jobs like this one take.
func (d *detail) setUsual(of map[result.Class]result.Usual) {
	if usual := of[result.ClassOfJob(&d.job)]; usual != d.usual {
		d.usual = usual
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
	before := d.picture.Edits()
	cmd := d.picture.Want(d.k, d.path(), d.pictureW, d.pictureH)
	if d.picture.Edits() != before {
		d.arrange()
	}
	return cmd
}

// painted keeps a picture that answers the last question.
func (d *detail) painted(m result.PaintedMsg) tea.Cmd {
	cmd, mine := d.picture.Painted(m)
	if mine {
		d.arrange()
	}
	return cmd
}

// arrived puts the pixels in the place of the half blocks.
func (d *detail) arrived(m msg.ArrivedMsg) {
	if d.picture.Arrived(m) {
		d.arrange()
	}
}

// arrange divides the pane between picture and facts. Whoever changes something
// that is shown calls it.
func (d *detail) arrange() {
	d.version++
	w, high := widget.Pane{Width: d.w, Height: d.h}.Inner()
	var lines []string
	if d.loaded {
		lines = d.factLines(w)
	}
	d.pictureW, d.pictureH = d.pictureRoom(w, high, len(lines))
	d.facts.SetSize(w, max(high-len(d.pictureLines(w)), 0))
	d.facts.SetLines(lines)
}

// pictureRoom is what the facts leave, half of the pane at least.
func (d *detail) pictureRoom(w, high, facts int) (cols, rows int) {
	if len(d.job.Files) == 0 && !d.job.Phase.Active() {
		return 0, 0
	}
	return w, max(high-min(facts, high/2)-1, 0)
}

// pictureLines are the picture's lines, centred; blank ones hold its place
// until it is painted, so that nothing moves when it comes.
func (d *detail) pictureLines(w int) []string {
	if d.pictureH >= 2 && d.loaded && d.job.Phase.Active() {
		lines := make([]string, d.pictureH+1)
		copy(lines, d.waiting().Lines(w, d.pictureH))
		return lines
	}
	if d.pictureH < 2 || d.k.Painter == nil {
		return nil
	}
	if d.picture.Why != "" {
		f := widget.Facts{Width: w, Theme: d.k.Theme}
		f.Wrapped(d.k.Theme.Muted, d.picture.Why)
		return append(f.Lines, "")
	}
	lines, shown := make([]string, d.pictureH+1), d.picture.Lines
	if d.picture.Loading() {
		shown = []string{d.k.Theme.Faint.Paint("···")}
	}
	pad := max(d.pictureH-len(shown), 0) / 2
	for i, l := range shown {
		if pad+i < d.pictureH {
			lines[pad+i] = theme.Blank((w-theme.Width(l))/2) + l
		}
	}
	return lines
}

// key is what the drawing depends on now; title is that of the selected row.
func (d *detail) key(title string) detailKey {
	if d.loaded {
		title = ""
	}
	return detailKey{d.version, d.facts.Offset(), title, d.k.Theme, d.k.Words.Lang()}
}

func (d *detail) draw(title string) []string {
	p := widget.Pane{Width: d.w, Height: d.h, Title: title}
	if !d.loaded {
		switch {
		case d.id == "":
			p.Title = d.k.Say("Nothing selected")
		case title == "":
			p.Title = d.k.Say("Result")
		}
		return p.Lines(d.k.Theme, nil)
	}
	p.Title = d.job.Title
	if n := len(d.job.Files); n > 1 {
		p.Right = d.k.Say("file %d of %d", d.file+1, n)
	}
	p.Foot = widget.More(d.k, 0, d.facts.Below())
	inner, _ := p.Inner()
	return p.Lines(d.k.Theme, append(d.pictureLines(inner), d.facts.Lines()...))
}
