package review

import (
	"bytes"
	"encoding/json"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// maxWidth is how wide the box is at most.
const maxWidth = 92

// text is what a review shows of the requests.
type text int

const (
	textSummary text = iota // of several, a list with their prices
	textJSON
	textCurl
	texts // how many there are
)

// inner is how wide the text in the box is.
func (r *Review) inner() int { return max(min(maxWidth, r.w)-4, 1) }

// arrange brings the body's lines and their window up to date with the state.
// It runs whenever the state may have changed.
func (r *Review) arrange() {
	w := r.inner()
	lines := r.bodyLines(w)
	r.text.SetLines(lines)
	r.text.SetSize(w, min(len(lines), max(r.h-2-len(r.head(w))-len(r.tail(w)), 1)))
}

// Box draws the review. App's size is known from the screen and the window
// messages, since the body's window has to be set before.
func (r *Review) Box(int, int) string {
	w := r.inner()
	lines := append(r.head(w), r.text.Lines()...)
	return widget.Boxed(r.env, w+4, r.h, r.env.Say("Review and send"), append(lines, r.tail(w)...), 0)
}

// head is the price, what today cost, and where the request goes.
func (r *Review) head(w int) []string {
	t := r.env.Theme
	today := t.Muted
	if r.today.Near() {
		today = t.Warn
	}
	out := []string{"", r.priceLine(), today.Paint(r.todayLine())}
	for _, l := range r.notes() {
		out = append(out, t.Warn.Paint(theme.Cut(l, w)))
	}
	if r.over() > 0 {
		out = append(out, t.Bad.Paint("✗ "+r.overLine()))
	}
	out = append(out, r.deadLines(w)...)
	what := [...]string{textSummary: r.env.Say("Request"), textJSON: "JSON", textCurl: "curl"}[r.shown]
	if r.shown == textSummary && r.many() {
		what = r.env.Say("in this order")
	}
	return append(out, widget.Divide(what+" · POST "+api.Clean(r.env.Settings.BaseURL, 200).String()+r.made[0].Request.Path()))
}

// notes point out what a person may not expect of the variations.
func (r *Review) notes() []string {
	var out []string
	if r.equal > 0 {
		out = append(out, r.env.Say("%d equal ones are left out.", r.equal))
	}
	for _, name := range r.missing {
		out = append(out, r.env.Say("There is no list %s: its name is sent as it is.", name))
	}
	for _, p := range r.unfilled {
		out = append(out, r.env.Say("%s is not filled in: it is sent as it is.", p))
	}
	return out
}

func (r *Review) priceLine() string {
	t, total := r.env.Theme, r.total()
	figure, source := r.env.Figure(total)
	if r.many() {
		figure = r.env.Say("%d requests", len(r.requests())) + " · " + figure
	}
	style := t.Muted
	if total.Source == api.SourceService {
		style = t.Good
	}
	line := t.Accent.Paint(figure) + "  " + style.Paint(source)
	switch {
	case r.refreshing(r.env.At):
		line += "  " + t.Faint.Paint(r.env.Say("asking the service …"))
	case r.priceErr != "":
		line += "  " + t.Warn.Paint(r.priceErr)
	}
	return line
}

// price is what all of them cost, in words.
func (r *Review) price() string {
	total := r.total()
	if !total.Known() {
		return r.env.Say("an unknown price")
	}
	return r.env.Say("%s credits", env.Amount(total.Credits))
}

// priceOf is what one of them costs, in words.
func (r *Review) priceOf(q *api.Request) string {
	figure, _ := r.env.Figure(r.estimate(q))
	return figure
}

func (r *Review) overLine() string {
	if r.today.Budget == api.BudgetUnreadable {
		return r.env.Say("The budget or another setting cannot be read: nothing is sent.")
	}
	return r.env.Say("%s credits over today's budget: it will not be sent.", env.Amount(r.over()))
}

func (r *Review) todayLine() string {
	s := r.env.Say("today %s credits", env.Amount(r.today.Credits))
	if r.today.Possibly > 0 {
		s += r.env.Say(", possibly %s more", env.Amount(r.today.Possibly))
	}
	switch {
	case r.today.Budget == api.BudgetUnreadable:
		s += r.env.Say(", budget unreadable")
	case r.today.Budget > 0:
		s += r.env.Say(", budget %s", env.Amount(r.today.Budget))
	}
	return s
}

// tail is what went wrong, and the keys.
func (r *Review) tail(w int) []string {
	t := r.env.Theme
	out := []string{widget.Divide(r.position())}
	if r.refusal != "" {
		style := t.Bad
		if r.again {
			style = t.Warn
		}
		for _, l := range widget.Wrap(r.refusal, w) {
			out = append(out, style.Paint(l))
		}
	}
	if r.sending {
		return append(out, t.Run.Paint("◐ ")+t.Muted.Paint(r.env.Say("sending …")))
	}
	return append(out, widget.KeyLine(r.env, r.table))
}

// position says which lines of the body are in view, unless all are.
func (r *Review) position() string {
	above, shown, below := r.text.Offset(), len(r.text.Lines()), r.text.Below()
	if above == 0 && below == 0 {
		return ""
	}
	return r.env.Say("lines %d to %d of %d", above+1, above+shown, above+shown+below)
}

// texts are the bodies as JSON or as curl commands.
func (r *Review) texts() []string {
	var out []string
	for _, v := range r.requests() {
		body := v.Request.Body(r.listing)
		if r.shown == textCurl {
			out = append(out, api.Curl(r.env.Settings.BaseURL+r.made[0].Request.Path(), body))
		} else {
			out = append(out, string(body))
		}
	}
	return out
}

// bodyLines are the list of the requests, or their bodies, wrapped.
func (r *Review) bodyLines(w int) []string {
	switch {
	case r.shown == textSummary && r.many():
		return r.listLines(w)
	case r.shown == textSummary:
		return r.summaryLines(w)
	}
	var out []string
	for i, text := range r.texts() {
		if i > 0 {
			out = append(out, "")
		}
		var b bytes.Buffer
		if r.shown == textJSON && json.Indent(&b, []byte(text), "", "  ") == nil {
			text = b.String()
		}
		for line := range strings.Lines(api.CleanLines(text, len(text)).String()) {
			out = r.bodyLine(out, strings.TrimRight(line, "\n"), w)
		}
	}
	return out
}

// bodyLine appends one line, wrapped as far in as it begins.
func (r *Review) bodyLine(out []string, line string, w int) []string {
	t := r.env.Theme
	indent := len(line) - len(strings.TrimLeft(line, " "))
	for i, l := range widget.Wrap(line[indent:], max(w-indent-2, 10)) {
		lead := theme.Blank(indent)
		if i > 0 {
			lead += "  "
		}
		if key, value, ok := strings.Cut(l, `": `); ok && i == 0 && r.shown == textJSON && strings.HasPrefix(l, `"`) {
			out = append(out, lead+t.Muted.Paint(key+`": `)+t.Text.Paint(value))
			continue
		}
		out = append(out, lead+t.Text.Paint(l))
	}
	return out
}

// deadLines are the warnings above the body.
func (r *Review) deadLines(w int) []string {
	var out []string
	for _, m := range r.dead {
		for i, l := range widget.Wrap(m, w-2) {
			out = append(out, r.env.Theme.Warn.Paint([2]string{"! ", "  "}[min(i, 1)]+l))
		}
	}
	return out
}
