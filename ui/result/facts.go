package result

import (
	"context"
	"slices"
	"strconv"
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

// facts shows all that is known of the chosen job.
func (v *Verbs) facts() tea.Cmd {
	id, backend := v.chosen(), v.backend
	return v.ask(func(ctx context.Context) (func(*Verbs) tea.Cmd, error) {
		job, err := backend.Job(ctx, id)
		if err != nil {
			return nil, err
		}
		raw, err := backend.RawAnswer(ctx, id)
		return func(v *Verbs) tea.Cmd { return v.openFacts(&job, raw) }, err
	})
}

func (v *Verbs) openFacts(j *state.Job, raw []byte) tea.Cmd {
	text := FactsText(v.k, j) + "\n\n" + v.k.Say("Raw answer") + "\n"
	if len(raw) == 0 {
		text += v.k.Say("No answer about this job was received yet.")
	} else {
		text += widget.Pretty(raw)
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
	add(strings.Join(CreditsAndTimes(k, j, Typical{}), " · "))
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
	lines = append(lines, "", api.CleanLines(j.Request.Prompt, 5000).String())
	return strings.Join(lines, "\n")
}

// CreditsAndTimes is what a job costs, when it was sent and how long it took,
// and how long its class usually takes.
func CreditsAndTimes(k *env.Env, j *state.Job, typical Typical) []string {
	price := k.Say("price not known")
	if j.Estimate.Known() {
		price = k.Say("%s cr", env.Amount(j.Estimate.Credits))
		if j.Estimate.Source == api.SourceTable {
			price = "≈ " + price
		}
	}
	parts := append([]string{price}, Times(k, j, typical)...)
	return append(parts, linksLeft(k, j)...)
}

// Times is when a job was sent and how long it took, and how long its class
// usually takes.
func Times(k *env.Env, j *state.Job, typical Typical) []string {
	if j.SentAt.IsZero() {
		return nil
	}
	parts := []string{k.Say("sent %s", k.Stamp(j.SentAt))}
	took := env.Short(j.EndedAt.Sub(j.SentAt))
	switch {
	case j.EndedAt.IsZero():
	case typical.Median > 0 && j.Phase == api.PhaseDone:
		parts = append(parts, k.Say("took %s (usual %s)", took, env.Short(typical.Median)))
	default:
		parts = append(parts, k.Say("took %s", took))
	}
	return parts
}

// RatingText is a rating in signs: "★ ⋆⋆⋆", "✗", or nothing.
func RatingText(r state.Rating) string {
	return strings.TrimSpace(pickSign(r) + " " + strings.Repeat("⋆", r.Stars))
}

func pickSign(r state.Rating) string {
	switch {
	case r.Pick > 0:
		return "★"
	case r.Pick < 0:
		return "✗"
	}
	return ""
}

func bodySize(m tea.WindowSizeMsg) (w, h int) {
	body := widget.LayoutFor(m.Width, m.Height).Body
	return body.W, body.H
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

// linksLeft is how long the links of a job without files can still be fetched; nil
// when that is not known, or over.
func linksLeft(k *env.Env, j *state.Job) []string {
	if len(j.Files) > 0 || j.Phase == api.PhaseExpired || !j.ExpiresAt.After(k.At) {
		return nil
	}
	return []string{k.Say("links expire in %s", k.Span(j.ExpiresAt.Sub(k.At)))}
}

// RowFacts are the facts of a job as far as its row knows them.
func RowFacts(k *env.Env, r *state.Row) []string {
	parts := []string{api.Clean(r.Model, api.MaxIDText).String()}
	if r.Source != api.SourceNone && r.Source != "" {
		parts = append(parts, k.Say("%s cr", env.Amount(r.Credits)))
	}
	return append(parts, k.Stamp(r.CreatedAt))
}

// JobFacts are the one line of facts of a job: the person's note, what was asked
// for, what it cost, when and how long.
func JobFacts(k *env.Env, j *state.Job) []string {
	parts := widget.RequestFacts(k, j.Request)
	if j.Note != "" {
		parts = slices.Insert(parts, 0, "✎ "+j.Note)
	}
	if j.Estimate.Known() {
		parts = append(parts, k.Say("%s cr", env.Amount(j.Estimate.Credits)))
	}
	if !j.SentAt.IsZero() {
		parts = append(parts, k.Stamp(j.SentAt))
		if j.EndedAt.After(j.SentAt) {
			parts = append(parts, env.Short(j.EndedAt.Sub(j.SentAt)))
		}
	}
	return append(parts, linksLeft(k, j)...)
}

// Signs are what a row shows at its end: rating, number of files, a note.
func Signs(r *state.Row) string {
	s := pickSign(r.Rating)
	if r.Stars > 0 {
		s += strconv.Itoa(r.Stars) + "⋆"
	}
	if r.Note != "" {
		s += "✎"
	}
	if r.Files > 1 {
		s += "×" + strconv.Itoa(r.Files)
	}
	return s
}
