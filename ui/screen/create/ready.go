package create

import (
	"cmp"
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// readiness is, in words, what stands between the draft and sending it.
type readiness struct {
	empty                       bool     // nothing is written yet
	prompt, materials, settings int      // problems
	materialsText               string   // how many there are; "" when the model takes none
	unreadable                  []string // materials that are not public
	stop                        string   // the first reason outside of the form, in short
	stops                       []string // all of them
	warning                     []string // the budget is nearly spent
}

func (r readiness) total() int { return r.prompt + r.materials + r.settings }

// arrange brings layout and side pane up to date, after every change.
func (c *Screen) arrange() {
	c.plan = planFor(c.w, c.h, c.draft().Kind)
	c.recent.Resize(c.plan.recent, c.plan.large)
	c.ready = c.readiness()
	if c.plan.side.W == 0 {
		return
	}
	at := sidePlanFor(c.plan.side).list
	c.list.SetSize(at.W, at.H)
	c.list.SetLines(c.ready.lines(c.env, at.W))
}

func (c *Screen) readiness() readiness {
	d := c.draft()
	out := readiness{empty: d.Empty()}
	references := d.Kind == api.KindVideo && d.Request.Model == api.Seedance2
	for _, p := range d.Form.Problems() {
		switch p.Field {
		case api.FieldPrompt:
			out.prompt++
		case draft.MaterialsField, api.FieldImageURL, api.FieldEndImageURL, api.FieldVideoURL:
			if references {
				out.materials++
			} else {
				out.settings++ // the one image of other models is among these
			}
		default:
			out.settings++
		}
	}
	if references {
		out.materialsText = c.env.Say("none")
		if n := d.Have[0] + d.Have[1] + d.Have[2]; n > 0 {
			out.materialsText = strconv.Itoa(n) + c.publicWords()
		}
	}
	out.unreadable = c.unreadable()
	c.readStops(&out)
	return out
}

// readStops adds what the key, the store and the budget have against sending.
func (c *Screen) readStops(out *readiness) {
	k, health, today := c.env, &c.env.Health, c.env.Today
	add := func(short, text string) {
		out.stop, out.stops = cmp.Or(out.stop, short), append(out.stops, text)
	}
	switch {
	case !health.ReadOnly.IsZero():
		add(k.Say("nothing can be sent"), k.Reason(health.ReadOnly))
	case health.KeyHint == "" && !health.KeyPending && !health.Demo:
		add(k.Say("no API key"), k.Say("There is no API key: nothing can be sent."))
	}
	if today.Budget == api.BudgetUnreadable {
		add(k.Say("budget unreadable"), k.Say("The budget or another setting cannot be read: nothing is sent."))
		return
	}
	spent := today.Credits + today.Possibly
	if e := c.total(); today.Budget > 0 && e.Known() && spent+e.Credits > today.Budget {
		over := env.Amount(spent + e.Credits - today.Budget)
		add(k.Say("over today's budget"), k.Say("%s credits over today's budget of %s", over, env.Amount(today.Budget)))
	}
	if out.stop == "" && today.Near() {
		out.warning = []string{k.Say("%s of today's budget of %s credits are or may be spent", env.Amount(spent), env.Amount(today.Budget))}
	}
}

// lines are what is ready and what is not, then what is against sending.
func (r readiness) lines(k *env.Env, w int) []string {
	t := k.Theme
	line := func(label string, problems int, extra string) string {
		mark := t.Good.Paint("✓ ")
		if problems > 0 {
			mark = t.Warn.Paint("○ ")
			if extra != "" {
				extra += " · "
			}
			extra += k.Words.Count(problems, "%d problem", "%d problems")
		}
		return theme.Cut(mark+t.Text.Paint(theme.Fit(label, 12))+t.Muted.Paint(extra), w)
	}
	prompt := line(k.Say("prompt"), r.prompt, "")
	if r.empty {
		prompt = t.Warn.Paint("○ ") + t.Text.Paint(k.Say("write a prompt"))
	}
	out := []string{prompt, line(k.Say("settings"), r.settings, "")}
	if r.materialsText != "" {
		out = slices.Insert(out, 1, line(k.Say("materials"), r.materials, r.materialsText))
	}
	out = append(out, marked(t.Warn, "✗ ", r.unreadable, w)...)
	out = append(out, marked(t.Bad, "✗ ", r.stops, w)...)
	return append(out, marked(t.Warn, "! ", r.warning, w)...)
}

func marked(style theme.Style, mark string, lines []string, w int) (out []string) {
	for _, line := range lines {
		lead := mark
		for _, l := range widget.Wrap(line, max(w-2, 10)) {
			out = append(out, style.Paint(lead+l))
			lead = theme.Blank(2)
		}
	}
	return out
}
