package result

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// OutcomeUnknown reports whether it is open if a job was accepted and charged.
func OutcomeUnknown(r *state.Row) bool {
	return (r.Phase == api.PhaseUnknown || r.Phase == api.PhaseUnread) && !r.Dismissed
}

// rawReadMsg brings a job and the newest answer about it as it was received.
type rawReadMsg struct {
	asker *Verbs
	job   state.Job
	raw   []byte
	err   error
}

// Failed is why there is none.
func (m rawReadMsg) Failed() error { return m.err }

// facts reads all that is known of the chosen job.
func (v *Verbs) facts() tea.Cmd {
	asker := v
	ctx, id, backend := v.k.Context, v.chosen(), v.backend
	return func() tea.Msg {
		m := rawReadMsg{asker: asker}
		if m.job, m.err = backend.Job(ctx, id); m.err == nil {
			m.raw, m.err = backend.RawAnswer(ctx, id)
		}
		if ctx.Err() != nil {
			return nil
		}
		return m
	}
}

func (v *Verbs) openFacts(m rawReadMsg) tea.Cmd {
	if m.err != nil {
		return nil
	}
	text := FactsText(v.k, &m.job) + "\n\n" + v.k.Say("Raw answer") + "\n"
	if len(m.raw) == 0 {
		text += v.k.Say("No answer about this job was received yet.")
	} else {
		text += widget.Pretty(m.raw)
	}
	return msg.Open(widget.NewReader(v.k, v.k.Say("Facts and raw answer"), text))
}

// FactsText is all that is known of a job, as lines.
func FactsText(k *env.Env, j *state.Job) string {
	var lines []string
	add := func(s string) {
		if s != "" {
			lines = append(lines, s)
		}
	}
	look := widget.PhaseLook(j.Phase)
	add(look.Mark + " " + k.Say(look.Word) + " · " + k.Say(widget.KindWord(j.Kind)))
	if !j.Error.IsZero() {
		add(k.Reason(j.Error))
	}
	add(strings.Join(widget.RequestFacts(k, j.Request), " · "))
	add(strings.Join(CreditsAndTimes(k, j, Usual{}), " · "))
	if s := RatingText(j.Rating); s != "" {
		add(s)
	}
	add(j.Note)
	for _, f := range j.Files {
		add(widget.Tilde(f.Path, k.Home))
	}
	for i := range j.Results {
		add(CleanAddress(j, i))
	}
	if j.RemoteID != "" {
		add(k.Say("id %s · at the service %s", j.ID, api.Clean(j.RemoteID, api.MaxIDText)))
	} else {
		add(k.Say("id %s", j.ID))
	}
	add("")
	lines = append(lines, "", api.CleanLines(j.Request.Prompt, 5000).String())
	return strings.Join(lines, "\n")
}

// CreditsAndTimes is what a job costs, when it was sent and how long it took,
// beside how long its class usually takes.
func CreditsAndTimes(k *env.Env, j *state.Job, usual Usual) []string {
	price := k.Say("price not known")
	if j.Estimate.Known() {
		price = k.Say("%s cr", env.Amount(j.Estimate.Credits))
		if j.Estimate.Source == api.SourceTable {
			price = "≈ " + price
		}
	}
	parts := append([]string{price}, Times(k, j, usual)...)
	if len(j.Files) == 0 && j.ExpiresAt.After(k.At) {
		parts = append(parts, k.Say("links expire in %s", k.Span(j.ExpiresAt.Sub(k.At))))
	}
	return parts
}

// Times is when a job was sent and how long it took, beside how long its class
// usually takes.
func Times(k *env.Env, j *state.Job, usual Usual) []string {
	if j.SentAt.IsZero() {
		return nil
	}
	parts := []string{k.Say("sent %s", k.Stamp(j.SentAt))}
	took := env.Short(j.EndedAt.Sub(j.SentAt))
	switch {
	case j.EndedAt.IsZero():
	case usual.Median > 0 && j.Phase == api.PhaseDone:
		parts = append(parts, k.Say("took %s (usual %s)", took, env.Short(usual.Median)))
	default:
		parts = append(parts, k.Say("took %s", took))
	}
	return parts
}

// RatingText is a rating in signs: "★ ●●●", "✕", or nothing.
func RatingText(r state.Rating) string {
	s := ""
	switch {
	case r.Pick > 0:
		s = "★"
	case r.Pick < 0:
		s = "✗"
	}
	if r.Stars > 0 {
		if s != "" {
			s += " "
		}
		s += strings.Repeat("⋆", r.Stars)
	}
	return s
}

// bodySize is the body of a window of that size.
func bodySize(m tea.WindowSizeMsg) (w, h int) {
	body := widget.LayoutFor(m.Width, m.Height).Body
	return body.W, body.H
}
