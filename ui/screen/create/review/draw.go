package review

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const maxWidth = 92

// text is what a review shows of the requests.
type text int

const (
	textSummary text = iota // of several, a list with their prices
	textJSON
	textCurl
	texts // how many there are
)

func (r *Review) inner() int { return max(min(maxWidth, r.w)-4, 1) }

// arrange brings the body's lines and their window up to date.
func (r *Review) arrange() {
	w := r.inner()
	lines := r.bodyLines(w)
	r.text.SetLines(lines)
	r.text.SetSize(w, min(len(lines), max(r.h-2-len(r.head(w))-len(r.tail(w)), 1)))
}

// Box draws the review, of a size that the window messages told before.
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

func (r *Review) notes() []string {
	var out []string
	if equal := r.Set.Equal(); equal > 0 && len(r.Set.All) > 0 {
		out = append(out, r.env.Say("%d equal ones are left out.", equal))
	}
	for _, name := range r.Set.Missing {
		out = append(out, r.env.Say("There is no list %s: its name is sent as it is.", name))
	}
	for _, p := range r.Placeholders {
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

func (r *Review) price() string {
	total := r.total()
	if !total.Known() {
		return r.env.Say("an unknown price")
	}
	return r.env.Say("%s credits", env.Amount(total.Credits))
}

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

func (r *Review) texts() []string {
	var out []string
	for _, v := range r.requests() {
		body := v.Request.Body(r.Listing)
		if r.shown == textCurl {
			out = append(out, api.Curl(r.env.Settings.BaseURL+r.made[0].Request.Path(), body))
		} else {
			out = append(out, string(body))
		}
	}
	return out
}

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

func (r *Review) deadLines(w int) []string {
	var out []string
	for _, m := range r.Dead {
		for i, l := range widget.Wrap(m, w-2) {
			out = append(out, r.env.Theme.Warn.Paint([2]string{"! ", "  "}[min(i, 1)]+l))
		}
	}
	return out
}

// Material is a row of the materials of a request.
type Material struct {
	Name    string // as the form calls it
	Address string
	Title   string // file and host
	Path    string // of the saved file, when it is a result of this program
}

const (
	thumbCells = 8
	thumbLines = 4
)

func (r *Review) summaryLines(w int) []string {
	t := r.env.Theme
	f := widget.Facts{Width: w, Theme: t}
	f.Joined(t.Text, r.settings(&r.made[0].Request))
	f.Gap()
	prompt := r.made[0].Request.Prompt
	f.Wrapped(t.Text, api.CleanLines(prompt, len(prompt)+1).String())
	indent, names := r.columns()
	for i, m := range r.Materials {
		if i == 0 || m.Path != "" {
			f.Gap()
		}
		name := t.Text.Paint(theme.Fit(m.Name, names)) + "  " + t.Muted.Paint(m.Title)
		if m.Path == "" {
			f.Painted(theme.Blank(indent) + name)
			continue
		}
		picture, _ := r.thumbs.Lines(m.thumb())
		for y, line := range picture {
			line = theme.Fit(line, thumbCells)
			if y == thumbLines/2-1 {
				line += theme.Blank(indent-thumbCells) + name
			}
			f.Painted(line)
		}
	}
	return f.Lines
}

// columns are how far in the names of the materials stand, and how wide they are.
func (r *Review) columns() (indent, names int) {
	for _, m := range r.Materials {
		if m.Path != "" {
			indent = thumbCells + 2
		}
		names = max(names, theme.Width(m.Name))
	}
	return indent, names
}

func (r *Review) settings(q *api.Request) []string {
	say := r.env.Say
	var out []string
	add := func(label, value string) {
		if value != "" {
			out = append(out, label+" "+api.Clean(value, 200).String())
		}
	}
	add(say("Model"), q.Model)
	if q.FunctionMode == api.ModeFirstLastFrame {
		add(say("Mode"), say("first and last frame"))
	}
	for _, f := range api.Settings("") {
		add(say(f.Label), f.Said(say, f.Text(q), false))
	}
	switch {
	case q.Sync:
		add(say("Async"), "false")
	case q.NoAsync:
		add(say("Async"), say("not set"))
	}
	for _, e := range q.Extra {
		add(e.Name, string(e.Value))
	}
	return out
}

func (m Material) thumb() result.Thumb {
	return result.Thumb{Path: m.Path, Cols: thumbCells, Rows: thumbLines}
}

func (r *Review) wantThumbs() tea.Cmd {
	var wanted []result.Thumb
	if r.shown == textSummary && !r.many() {
		for _, m := range r.Materials {
			wanted = append(wanted, m.thumb())
		}
	}
	return r.thumbs.Want(wanted)
}

// closed takes the review out of view, and its pictures out of the terminal.
func (r *Review) closed(then ...tea.Cmd) tea.Cmd {
	return tea.Batch(r.thumbs.Want(nil), msg.Sequence(append([]tea.Cmd{msg.CloseTop}, then...)...))
}

// patternLines is how much of the pattern's prompt stands above the list.
const patternLines = 4

// listLines are the prompt with its alternatives, and the requests, one a line.
func (r *Review) listLines(w int) []string {
	t := r.env.Theme
	prompt := r.Pattern.Prompt
	out := widget.Wrap(api.CleanLines(prompt, len(prompt)+1).String(), w)
	if len(out) > patternLines {
		out = out[:patternLines]
		out[patternLines-1] = theme.Cut(out[patternLines-1]+" …", w)
	}
	for i := range out {
		out[i] = t.Text.Paint(out[i])
	}
	out = append(out, "")
	for i, v := range r.requests() {
		price := r.priceOf(&v.Request)
		number := widget.AlignRight(strconv.Itoa(i+1), 3) + "  "
		label := api.Clean(v.Label, 4*w).String()
		room := max(w-theme.Width(number)-theme.Width(price)-1, 1)
		out = append(out, t.Faint.Paint(number)+t.Text.Paint(theme.Fit(label, room))+" "+t.Muted.Paint(price))
	}
	return out
}
