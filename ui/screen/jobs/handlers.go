package jobs

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// actionReadMsg brings the job that an action is about, for one that was not
// read yet when its key was pressed.
type actionReadMsg struct {
	job state.Job
	err error
	do  func(state.Job) tea.Cmd
}

// Failed is why the job could not be read.
func (m actionReadMsg) Failed() error { return m.err }

// withJob does something with the whole of the selected job: the one in the
// side pane, or, right after a move, the one that a command reads first.
func (s *Screen) withJob(do func(state.Job) tea.Cmd) tea.Cmd {
	id := s.list.selected()
	if id == "" {
		return nil
	}
	if s.detail.loaded && s.detail.id == id {
		return do(s.detail.job)
	}
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		job, err := backend.Job(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return actionReadMsg{job, err, do}
	}
}

// call calls do for a job in a command, and shows done, if not empty, when it
// went well.
func (s *Screen) call(id, done string, do func(ctx context.Context, id string) error) tea.Cmd {
	if id == "" {
		return nil
	}
	ctx := s.k.Context
	return func() tea.Msg {
		if err := do(ctx, id); err != nil {
			return msg.FailedMsg{Err: err}
		}
		if done == "" {
			return nil
		}
		return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
	}
}

func (s *Screen) refresh() tea.Cmd {
	return s.call(s.list.selected(), s.k.Say("Status refreshed."), s.backend.Refresh)
}

func (s *Screen) fetch() tea.Cmd {
	return s.call(s.list.selected(), s.k.Say("Fetching its files again."), s.backend.Fetch)
}

func (s *Screen) open() tea.Cmd {
	if why := s.whyNoFile(); why != "" {
		return msg.Notify(msg.ToneHint, why)
	}
	n, backend := s.detail.file, s.backend
	return s.call(s.list.selected(), "", func(ctx context.Context, id string) error { return backend.OpenFile(ctx, id, n+1) })
}

// copyAddress puts the result's address on the clipboard, through the terminal.
func (s *Screen) copyAddress() tea.Cmd {
	n := s.detail.file
	return s.withJob(func(j state.Job) tea.Cmd {
		address := cleanAddress(&j, n)
		if address == "" {
			return msg.Notify(msg.ToneHint, s.k.Say("This job has no address yet."))
		}
		return tea.Batch(tea.SetClipboard(address),
			msg.Notify(msg.ToneGood, s.k.Say("Address copied, if the terminal allows it.")))
	})
}

// edit loads the selected job's request into Create, with what the service had
// against it.
func (s *Screen) edit() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	return s.withJob(func(j state.Job) tea.Cmd {
		if j.Phase != api.PhaseRejected {
			return msg.Load(j.Request, false)
		}
		id, request := j.ID, j.Request
		return func() tea.Msg {
			return msg.LoadedMsg{Request: request, Problems: result.FieldErrors(ctx, backend, id)}
		}
	})
}

// use hands the shown file's address to Create as a reference.
func (s *Screen) use() tea.Cmd {
	n := s.detail.file
	return s.withJob(func(j state.Job) tea.Cmd {
		m := msg.UsedMsg{Address: cleanAddress(&j, n), Kind: api.MaterialImage}
		if m.Address == "" {
			return msg.Notify(msg.ToneHint, s.k.Say("This job has no address yet."))
		}
		if isVideo(&j, n) {
			m.Kind = api.MaterialVideo
		}
		if j.ExpiresAt.After(s.k.At) {
			m.Expires = s.k.Span(j.ExpiresAt.Sub(s.k.At))
		}
		return func() tea.Msg { return m }
	})
}

// address is that of a job's file n, or "".
func address(j *state.Job, n int) string {
	switch {
	case n < len(j.Files) && j.Files[n].URL != "":
		return j.Files[n].URL
	case n < len(j.Results):
		return j.Results[n].URL
	}
	return ""
}

// cleanAddress is an address of which nothing but what is printed can reach the
// clipboard.
func cleanAddress(j *state.Job, n int) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, api.Clean(address(j, n), api.MaxAddressText).String())
}

// isVideo reports whether a job's file n is a video.
func isVideo(j *state.Job, n int) bool {
	media := ""
	switch {
	case n < len(j.Files):
		media = j.Files[n].MediaType
	case n < len(j.Results):
		media = j.Results[n].MediaType
	}
	if kind, _, ok := strings.Cut(media, "/"); ok && (kind == "image" || kind == "video") {
		return kind == "video"
	}
	return j.Kind == api.KindVideo
}

// compare marks a job, and at the second one shows the two side by side.
func (s *Screen) compare() tea.Cmd {
	id, marked := s.list.selected(), s.marked
	switch marked {
	case "":
		s.marked = id
		return msg.Notify(msg.ToneHint, s.k.Say("Marked. Press c on another job to see the two side by side."))
	case id:
		s.marked = ""
		return msg.Notify(msg.ToneHint, s.k.Say("No longer marked."))
	}
	s.marked = ""
	return result.ReadTwo(s.k, s.backend, marked, id)
}

// rawReadMsg brings the newest answer about a job as it was received.
type rawReadMsg struct {
	raw []byte
	err error
}

// Failed is why there is none.
func (m rawReadMsg) Failed() error { return m.err }

// readRaw reads the newest answer as it was received.
func (s *Screen) readRaw() tea.Cmd {
	ctx, id, backend := s.k.Context, s.list.selected(), s.backend
	return func() tea.Msg {
		raw, err := backend.RawAnswer(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return rawReadMsg{raw, err}
	}
}

func (s *Screen) openRaw(m rawReadMsg) tea.Cmd {
	switch {
	case m.err != nil:
		return nil
	case len(m.raw) == 0:
		return msg.Notify(msg.ToneHint, s.k.Say("No answer about this job was received yet."))
	}
	return msg.Open(widget.NewReader(s.k, s.k.Say("Raw answer"), widget.Pretty(m.raw)))
}
