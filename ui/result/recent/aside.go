package recent

import (
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// leastAside is the room from which something stands behind the last card.
const leastAside = 36

// aside is what stands behind the last of few cards, in w×h cells: what the
// chosen result is, unless it stands large, and what can be done with it.
func (r *Recent) aside(w, h int) []string {
	k, t := r.k, r.k.Theme
	j := &r.cards[r.at()].job
	lines := []string{""}
	if r.large.W == 0 {
		phase, facts := r.facts(j)
		lines = append(lines, phase)
		for _, l := range widget.Wrap(facts, w) {
			lines = append(lines, t.Text.Paint(l))
		}
		lines = append(lines, theme.Cut(r.timeLine(j), w), "")
	}
	keys, labels := t.Key, t.Muted
	key := func(key, label string) {
		if len(lines) < h-1 {
			lines = append(lines, theme.Cut(keys.Paint(theme.Fit(key, 8))+labels.Paint(k.Say(label)), w))
		}
	}
	if !r.focused { // the verbs' keys are for the form still
		key(k.Key("results", "alt+r"), "results")
		keys, labels = t.Faint, t.Faint
	}
	verbs := r.verbs.Actions()
	for i := range verbs {
		if a := &verbs[i]; a.Ready() && (a.Offer == nil || a.Offer()) && a.KeyText() != "" {
			key(k.Key(a.Name, a.KeyText()), a.Label)
		}
	}
	return lines
}
