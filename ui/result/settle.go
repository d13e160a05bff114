package result

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// settle is the overlay in which a job without a result is settled: what
// happened, and what can be done about it. It shows the row as it was opened.
type settle struct {
	widget.Passive
	v   *Verbs
	row state.Row
}

func (v *Verbs) openSettle(r state.Row) tea.Cmd {
	s := &settle{v: v, row: r}
	s.Table = []action.Action{
		{Name: "attach", Keys: "enter a", Label: "I found it: enter its id", Closes: true, Handler: s.attach},
		{Name: "dismiss", Keys: "x", Label: "not there: mark as not charged", Closes: true, Handler: s.dismiss},
		{Name: "resend", Keys: "s", Label: "send again", Closes: true, Handler: s.resend},
		{Name: "edit", Keys: "e", Label: "edit and send again", Closes: true, Handler: v.edit},
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Closes: true},
	}
	if !OutcomeUnknown(&r) {
		s.Table = s.Table[2:]
	}
	return msg.Open(v.k, s)
}

func (s *settle) Box(w, h int) string {
	w = min(72, w)
	k, t := s.v.k, s.v.k.Theme
	f := widget.Facts{Width: w - 4, Theme: t}
	f.Painted(widget.PhaseText(k, s.row.Phase) + "  " + t.Text.Paint(theme.Cut(s.row.Title, w-24)))
	sent := k.SayIf(!s.row.SentAt.IsZero(), "sent %s", k.Stamp(s.row.SentAt))
	f.Painted(t.Muted.Paint(strings.Join(env.Said(k.Say("%s credits", s.row.Credits.String()), sent), " · ")))
	f.Gap()
	f.Wrapped(t.Text, Failure(k, &s.row))
	title := k.Say("Not accepted")
	if OutcomeUnknown(&s.row) {
		title = k.Say("Outcome unknown")
		f.Gap()
		f.Wrapped(t.Text, k.Say("First check the service's website for this job."))
		f.Wrapped(t.Warn, "! "+k.Say("Sent again, it may be charged twice."))
	}
	f.Gap()
	return widget.Boxed(k, w, h, title, slices.Concat([]string{"", ""}, f.Lines, s.Keys().Lines(w-4)), 0)
}

// Keys are the button, which is what to do first, and the other ways out.
func (s *settle) Keys() widget.Keys {
	return widget.Keys{K: s.v.k, Table: s.Table, Words: env.Capital(s.v.k.Say(s.Table[0].Label))}
}

func (s *settle) attach() tea.Cmd {
	v, id, backend := s.v, s.row.ID, s.v.backend
	done := v.k.Say("Job id saved. Checking its status.")
	return msg.Open(v.k, widget.NewAsk(v.k, v.k.Say("Enter job id"),
		v.k.Say("Enter the id that the service shows for this job. Its status is then checked as usual."),
		func(typed string) tea.Cmd {
			return Call(v.k.Context, done, func(ctx context.Context) error { return backend.Attach(ctx, id, typed) })
		}))
}

func (s *settle) dismiss() tea.Cmd {
	v, id, backend := s.v, s.row.ID, s.v.backend
	done := v.k.Say("Marked as not charged; it no longer counts as spent.")
	return msg.Open(v.k, widget.NewConfirm(v.k, v.k.Say("Not charged?"),
		v.k.Say("The job stays in the list, and its credits no longer count as possibly spent. "+
			"Do this only when the service's website does not show it."),
		"y", "mark as not charged",
		func() tea.Cmd {
			return Call(v.k.Context, done, func(ctx context.Context) error { return backend.Dismiss(ctx, id) })
		}))
}

// resend asks for the price of sending the job again, and then whether to: once,
// and twice where the first request may have been charged.
func (s *settle) resend() tea.Cmd {
	row, backend, clock := s.row, s.v.backend, s.v.k.Clock
	k, ctx, id := s.v.k, s.v.k.Context, ""
	return ask(s.v, func(ctx context.Context) (price api.Estimate, err error) {
		id, price, err = backend.ResendConfirm(ctx, row.ID)
		if !price.Fresh(clock()) {
			price = api.Estimate{Source: api.SourceNone}
		}
		if again, ok := errors.AsType[*state.Refusal](err); id == "" || ok && again.Code == "again" {
			return price, err
		}
		return price, nil
	}, func(price api.Estimate) tea.Cmd {
		if id == "" {
			return nil
		}
		send := func() tea.Cmd {
			return func() tea.Msg {
				job, err := backend.Resend(ctx, row.ID, id)
				if err != nil {
					return msg.FailedMsg{Err: err}
				}
				return msg.PickedJobMsg{ID: job.ID}
			}
		}
		said := cmp.Or(k.SayIf(price.Known(), "%s credits", price.Credits.String()), k.Say("price not known"))
		if !OutcomeUnknown(&row) {
			return msg.Open(k, widget.NewConfirm(k, k.Say("Send again?"),
				k.Say("The same request is sent as a new job: %s.", said), "y", "send", send))
		}
		again := widget.NewConfirm(k, k.Say("Charged twice?"), "", "s", "send anyway", send)
		again.Warning = k.Say("If the first request was accepted, you pay for both: %s each.", said)
		first := widget.NewConfirm(k, k.Say("Send again?"), "", "y", "continue", func() tea.Cmd { return msg.Open(k, again) })
		first.Warning = k.Say("It is not known whether the first request was accepted, so this may be charged twice.")
		return msg.Open(k, first)
	})
}

// Waiting is an active job as it is drawn until its picture comes.
type Waiting struct {
	Env     *env.Env
	Job     *state.Job
	Typical Typical // how long jobs like it took lately
	Place   int     // in the service's queue; 0 is not known
}

// Elapsed is how long the job has been under way.
func (w Waiting) Elapsed() time.Duration {
	return max(w.Env.At.Sub(cmp.Or(w.Job.SentAt, w.Job.CreatedAt)), 0)
}

// Head is the phase, its sign moving while the job runs.
func (w Waiting) Head() string {
	look := widget.PhaseLook(w.Job.Phase)
	if w.Job.Phase == api.PhaseRunning && w.Env.Moves() {
		look.Mark = widget.Turning(w.Env.At)
	}
	return look.Mark + " " + w.Env.Say(look.Word)
}

// Times are how long the job takes and how long its class took lately.
func (w Waiting) Times() string {
	if w.Typical.Median > 0 {
		return env.Short(w.Elapsed()) + " / ~" + env.Short(w.Typical.Median)
	}
	return env.Short(w.Elapsed())
}

// Part is how far the job is by its typical time, else by what the service says; 0 in the
// queue, and less when nothing is known.
func (w Waiting) Part() float64 {
	switch {
	case w.Job.Phase == api.PhaseQueued:
		return 0
	case w.Typical.Median > 0:
		return min(float64(w.Elapsed())/float64(w.Typical.Median), 0.97)
	}
	return w.Job.Progress
}

// Bar is how far the job is. It pulses when that is not known.
func (w Waiting) Bar(width int) string {
	t, part, at := w.Env.Theme, w.Part(), 0
	full, track, rest := "━", "─", t.Faint
	if t.Grounds() { // close to the picture above it
		full, track, rest = "▔", "▔", t.Border
	}
	n := min(int(math.Round(part*float64(width))), width)
	if part < 0 {
		n = min(3, width)
		if w.Env.Moves() {
			at = int(w.Elapsed()/time.Second) % max(width-2, 1)
		}
	}
	return rest.Paint(strings.Repeat(track, at)) + t.Run.Paint(strings.Repeat(full, n)) +
		rest.Paint(strings.Repeat(track, max(width-at-n, 0)))
}

// Light is the share of what is known of the picture that shows meanwhile. It grows in
// steps, so that most seconds draw nothing.
func (w Waiting) Light() float64 {
	const steps = 16
	return 0.3 + 0.5*math.Floor(max(w.Part(), 0)*steps)/steps
}

// Lines draw the job in cols×rows cells: a frame in the ratio of the result, in
// it the phase, the bar, the times, its place in the queue and when the service
// is asked next. There are none where they do not fit.
func (w Waiting) Lines(cols, rows int) []string {
	k, t, j := w.Env, w.Env.Theme, w.Job
	f := Frame{Theme: t}
	if f.Cols, f.Rows = FitRatio(Ratio(j.Request), max(cols-2, 1), max(rows-2, 1)); f.Cols < 14 || f.Rows < 3 {
		return nil
	}
	f.Body = []string{widget.PhaseStyle(&t.Styles, j.Phase).Paint(w.Head()), w.Bar(min(f.Cols-4, 32)), t.Muted.Paint(w.Times())}
	if w.Place > 0 && f.Rows > 3 {
		f.Body = append(f.Body, t.Text.Paint(k.Say("place %d in the queue", w.Place)))
	}
	if left := j.NextPoll.Sub(k.At); left > 0 && j.RemoteID != "" && f.Rows > len(f.Body)+1 {
		f.Body = append(f.Body, t.Faint.Paint(k.Say("next check in %s", k.Span(left))))
	}
	return Centred(f.Lines(), cols, rows)
}

// Typical is how long jobs of one class took lately.
type Typical struct{ Median, Slow time.Duration }

// Class is what a list knows of how long a job may take.
type Class struct {
	kind    api.Kind
	model   string
	credits api.Credits
}

// ClassOf is the class of a row's job.
func ClassOf(r *state.Row) Class { return Class{r.Kind, r.Model, r.Credits} }

// ClassOfJob is the class of a job.
func ClassOfJob(j *state.Job) Class { return Class{j.Kind, j.Model, j.Estimate.Credits} }

// Timings learns from the finished rows. It sorts, so it runs in a command.
func Timings(rows []state.Row) map[Class]Typical {
	took := map[Class][]time.Duration{}
	for i := range rows {
		r := &rows[i]
		if r.Phase == api.PhaseDone && !r.SentAt.IsZero() && r.EndedAt.After(r.SentAt) {
			took[ClassOf(r)] = append(took[ClassOf(r)], r.EndedAt.Sub(r.SentAt))
		}
	}
	out := make(map[Class]Typical, len(took))
	for key, all := range took {
		slices.Sort(all)
		out[key] = Typical{all[len(all)/2], all[len(all)*9/10]}
	}
	return out
}

// JobReader reads one job and its newest raw answer.
type JobReader interface {
	Job(ctx context.Context, id string) (state.Job, error)
	RawAnswer(ctx context.Context, id string) ([]byte, error)
}

// FieldErrors gives what the service said of the fields of a refused job.
func FieldErrors(ctx context.Context, backend JobReader, id string) []api.FieldError {
	raw, _ := backend.RawAnswer(ctx, id) // without one there is nothing in it
	return read.Error(422, nil, raw).Fields
}

// QueuePlace is a job's place in the service's queue, by its newest answer; 0: unknown.
func QueuePlace(ctx context.Context, backend JobReader, id string) int {
	raw, _ := backend.RawAnswer(ctx, id)
	return read.ReadPlace(raw)
}
