package jobs

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/result"
)

// rowsReadMsg answers a question for rows.
type rowsReadMsg struct {
	seq   int
	page  state.Page
	usual map[result.Class]result.Usual
	job   *state.Job // the one in the side pane, when its row is newer
	err   error
}

// Failed is why the rows could not be read.
func (m rowsReadMsg) Failed() error { return m.err }

// reload reads the rows around the view, and with them the job in the side pane
// when it has changed: the two are shown together.
func (s *Screen) reload() tea.Cmd {
	seq, offset := s.list.ask()
	q := state.Query{Filter: s.filter.Text(), Sort: s.sort, Results: s.sheet, Offset: offset, Limit: s.list.held()}
	ctx, backend := s.k.Context, s.backend
	shown, version := "", int64(0)
	if s.detail.loaded {
		shown, version = s.detail.id, s.detail.job.Version
	}
	return func() tea.Msg {
		page, err := backend.Jobs(ctx, q)
		m := rowsReadMsg{seq: seq, page: page, usual: result.Timings(page.Rows), err: err}
		if err == nil && shown != "" {
			m.job = newerJob(ctx, backend, page.Rows, shown, version)
		}
		if ctx.Err() != nil {
			return nil
		}
		return m
	}
}

// newerJob reads the job when its row is newer than version. It is nil when it
// is not, or cannot be read.
func newerJob(ctx context.Context, backend result.JobReader, rows []state.Row, id string, version int64) *state.Job {
	for i := range rows {
		if rows[i].ID != id || rows[i].Version <= version {
			continue
		}
		if job, err := backend.Job(ctx, id); err == nil {
			return &job
		}
	}
	return nil
}

func (s *Screen) rowsRead(m rowsReadMsg) tea.Cmd {
	last, again := s.list.latest.Answered(m.seq)
	if !last {
		return nil
	}
	early := s.earlyKeys()
	if m.err != nil {
		return early
	}
	s.list.filtered = s.filter.Text() != ""
	s.list.take(m.page)
	if now := (shows{s.sheet, s.filter.Text()}); now != s.shows {
		s.shows = now
		s.arrange()
	}
	s.rows.keep(s.list.rows, m.usual)
	s.detail.setUsual(m.usual)
	s.setTime()
	cmds := []tea.Cmd{s.detail.want(s.list.selected()), s.paint()}
	if m.job != nil {
		cmds = append(cmds, s.detail.take(*m.job))
	}
	if s.detail.loaded && s.behind(s.detail.job.Version) {
		cmds = append(cmds, s.detail.read(true))
	}
	if again || s.list.short() && s.list.total > 0 {
		cmds = append(cmds, s.reload())
	}
	return tea.Batch(append(cmds, early)...)
}

// earlyKeys presses the keys that waited for the first rows, in their order.
func (s *Screen) earlyKeys() tea.Cmd {
	var cmds []tea.Cmd
	for _, key := range s.early {
		cmds = append(cmds, func() tea.Msg { return key })
	}
	s.awaited, s.early = false, nil
	return msg.Sequence(cmds...)
}

// detailRead takes the job that was wanted. When its row became newer
// meanwhile, it is read once more.
func (s *Screen) detailRead(m detailReadMsg) tea.Cmd {
	if m.id != s.detail.id || m.err != nil {
		return nil
	}
	s.detail.kin, s.detail.place = m.kin, m.place
	take := s.detail.take(m.job)
	s.detail.setUsual(s.rows.usual)
	if !m.again && s.behind(m.job.Version) {
		return tea.Batch(take, s.detail.read(true))
	}
	return take
}

// behind reports whether the row of the job in the side pane is newer than
// version.
func (s *Screen) behind(version int64) bool {
	r := s.list.row(s.list.at)
	return r != nil && r.ID == s.detail.id && r.Version > version
}
