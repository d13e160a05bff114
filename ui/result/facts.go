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

func bodySize(m tea.WindowSizeMsg) (w, h int) {
	body := widget.LayoutFor(m.Width, m.Height).Body
	return body.W, body.H
}

// lineageReadMsg brings what a result was made from and into.
type lineageReadMsg struct {
	asker *Verbs
	id    string
	list  []state.Relative
	err   error
}

// Failed is why it could not be read.
func (m lineageReadMsg) Failed() error { return m.err }

// lineage reads the tree of the chosen result.
func (v *Verbs) lineage() tea.Cmd {
	asker := v
	ctx, id, backend := v.k.Context, v.chosen(), v.backend
	return func() tea.Msg {
		list, err := backend.Results().Lineage(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return lineageReadMsg{asker, id, list, err}
	}
}

func openLineage(v *Verbs, m lineageReadMsg) tea.Cmd {
	if len(m.list) < 2 {
		return v.hint(v.k.Say("Nothing was made from this result, and it was made from no other."))
	}
	lines := append(treeLines(v.k, m.list, m.id), "", ChainCost(v.k, m.list))
	return msg.Open(widget.NewReader(v.k, v.k.Say("Lineage"), strings.Join(lines, "\n")))
}

// treeLines draw a lineage as a tree; a job with several sources stands below
// the last of them.
func treeLines(k *env.Env, list []state.Relative, chosen string) []string {
	children, roots := map[string][]int{}, []int{}
	known := map[string]bool{}
	for _, r := range list {
		known[r.ID] = true
	}
	for i, r := range list {
		parent := ""
		for _, id := range r.Sources {
			if known[id] && id != r.ID {
				parent = id
			}
		}
		if parent == "" {
			roots = append(roots, i)
		} else {
			children[parent] = append(children[parent], i)
		}
	}
	var lines []string
	var draw func(i int, lead, below string)
	draw = func(i int, lead, below string) {
		lines = append(lines, lead+relativeLine(k, &list[i], list[i].ID == chosen))
		for n, child := range children[list[i].ID] {
			if n == len(children[list[i].ID])-1 {
				draw(child, below+"└─ ", below+"   ")
			} else {
				draw(child, below+"├─ ", below+"│  ")
			}
		}
	}
	for _, i := range roots {
		draw(i, "", "")
	}
	return lines
}

func relativeLine(k *env.Env, r *state.Relative, chosen bool) string {
	look := widget.PhaseLook(r.Phase)
	line := look.Mark + " " + k.Say(widget.KindWord(r.Kind)) + "  " + r.Title
	if r.Source != api.SourceNone && r.Source != "" {
		line += "  " + k.Say("%s cr", env.Amount(r.Credits))
	}
	line += "  " + k.Stamp(r.CreatedAt)
	if chosen {
		line += "  ◂ " + k.Say("this one")
	}
	return line
}

// ChainCost is what all jobs of a lineage cost together.
func ChainCost(k *env.Env, list []state.Relative) string {
	var sum api.Credits
	for _, r := range list {
		if r.Charged {
			sum += r.Credits
		}
	}
	return k.Say("together %s cr", env.Amount(sum))
}
