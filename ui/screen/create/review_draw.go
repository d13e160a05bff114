package create

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// reviewWidth is how wide the box is at most.
const reviewWidth = 92

// reviewKey is what the box is drawn from. The request and the seeds of a
// review never change.
type reviewKey struct {
	look
	base           string
	w, h           int
	count, sent    int
	amount, source string // of the estimate
	asking         bool
	priceErr       string
	today          state.Spent
	refusal        string
	again, sending bool
	curl           bool
	offset         int // of the body
}

func (r *review) look() look { return look{r.env.Theme, r.env.Words} }

func (r *review) key() reviewKey {
	k := reviewKey{
		look: r.look(), base: r.env.Settings.BaseURL, w: r.w, h: r.h, count: r.count, sent: r.sent, asking: r.refreshing(r.env.At), priceErr: r.priceErr,
		today: r.today, refusal: r.refusal, again: r.again, sending: r.sending, curl: r.curl, offset: r.text.Offset(),
	}
	k.amount, k.source = figureText(r.env, r.estimate)
	return k
}

// inner is how wide the text in the box is.
func (r *review) inner() int { return max(min(reviewWidth, r.w)-4, 1) }

// bodyKey is what the body's lines are made from.
type bodyKey struct {
	look
	base     string
	curl     bool
	variants bool // the first has a seed of its own
	w        int
}

// arrange brings the body's lines and their window up to date with the state.
// It runs whenever the state may have changed.
func (r *review) arrange() {
	w := r.inner()
	lines := r.body.Get(bodyKey{r.look(), r.env.Settings.BaseURL, r.curl, r.count > 1, w}, func() []string {
		lines := r.bodyLines(w)
		r.text.SetLines(lines)
		return lines
	})
	r.text.SetSize(w, min(len(lines), max(r.h-2-len(r.head(w))-len(r.tail(w)), 1)))
}

// Box draws the review. App's size is known from the screen and the window
// messages, since the body's window has to be set before.
func (r *review) Box(int, int) string {
	return r.box.Get(r.key(), func() string {
		w := r.inner()
		lines := append(r.head(w), r.text.Lines()...)
		return widget.Boxed(r.env, w+4, r.h, r.env.Say("Review and send"), append(lines, r.tail(w)...))
	})
}

// head is the price, what today cost, and where the request goes.
func (r *review) head(w int) []string {
	t := r.env.Theme
	today := t.Muted
	if r.today.Near() {
		today = t.Warn
	}
	out := []string{"", r.priceLine(), today.Paint(r.todayLine())}
	if r.count > 1 {
		for _, l := range widget.Wrap(r.variantsLine(), w) {
			out = append(out, t.Text.Paint(l))
		}
	}
	if r.over() > 0 && r.sent == 0 {
		out = append(out, t.Bad.Paint("✗ "+r.overLine()))
	}
	out = append(out, r.deadLines(w)...)
	what := "JSON"
	if r.curl {
		what = "curl"
	}
	return append(out, widget.Divide(what+" · POST "+api.Clean(r.env.Settings.BaseURL, 200).String()+r.request.Path()))
}

func (r *review) priceLine() string {
	t := r.env.Theme
	figure, source := figureText(r.env, r.estimate)
	switch {
	case r.count > 1 && r.estimate.Known():
		figure = r.env.Say("%d × %s = %s", r.count, figure, r.price())
	case r.count > 1:
		figure = r.env.Say("%d × %s", r.count, r.price())
	}
	style := t.Muted
	if r.estimate.Source == api.SourceService {
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
func (r *review) price() string {
	if !r.estimate.Known() {
		return r.env.Say("an unknown price")
	}
	return r.env.Say("%s credits", env.Amount(r.total()))
}

func (r *review) overLine() string {
	if r.today.Budget == api.BudgetUnreadable {
		return r.env.Say("The budget in the settings cannot be read: nothing is sent.")
	}
	return r.env.Say("%s credits over today's budget: it will not be sent.", env.Amount(r.over()))
}

// variantsLine says in what those that are sent differ.
func (r *review) variantsLine() string {
	if !r.seeded() {
		return r.env.Say("The same request %d times; each result is different.", r.count)
	}
	seeds := make([]string, r.count)
	for i := range seeds {
		seeds[i] = strconv.FormatInt(r.seeds[i], 10)
	}
	return r.env.Say("Seeds %s; the first is shown.", strings.Join(seeds, ", "))
}

func (r *review) todayLine() string {
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
func (r *review) tail(w int) []string {
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
func (r *review) position() string {
	above, shown, below := r.text.Offset(), len(r.text.Lines()), r.text.Below()
	if above == 0 && below == 0 {
		return ""
	}
	return r.env.Say("lines %d to %d of %d", above+1, above+shown, above+shown+below)
}

// bodyLines are the body as JSON or as a curl command, wrapped.
func (r *review) bodyLines(w int) []string {
	text := api.Curl(r.address(), r.first())
	if !r.curl {
		var b bytes.Buffer
		if json.Indent(&b, r.first(), "", "  ") != nil {
			b.Write(r.first())
		}
		text = b.String()
	}
	var out []string
	for line := range strings.Lines(api.CleanLines(text, len(text)).String()) {
		out = r.bodyLine(out, strings.TrimRight(line, "\n"), w)
	}
	return out
}

// bodyLine appends one line, wrapped as far in as it begins.
func (r *review) bodyLine(out []string, line string, w int) []string {
	t := r.env.Theme
	indent := len(line) - len(strings.TrimLeft(line, " "))
	for i, l := range widget.Wrap(line[indent:], max(w-indent-2, 10)) {
		lead := theme.Blank(indent)
		if i > 0 {
			lead += "  "
		}
		if key, value, ok := strings.Cut(l, `": `); ok && i == 0 && !r.curl && strings.HasPrefix(l, `"`) {
			out = append(out, lead+t.Muted.Paint(key+`": `)+t.Text.Paint(value))
			continue
		}
		out = append(out, lead+t.Text.Paint(l))
	}
	return out
}

// address is where the request goes.
func (r *review) address() string { return r.env.Settings.BaseURL + r.request.Path() }
