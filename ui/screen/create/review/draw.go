package review

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const maxWidth = 80

// lowFrom is the height from which there is room for more than the lines themselves.
const lowFrom = 20

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
	r.text.SetSize(w, min(len(lines), max(r.h-4-len(r.tail(w)), 1)))
}

// Box draws the review, of a size that the window messages told before.
func (r *Review) Box(int, int) string {
	w := r.inner()
	lines := slices.Concat([]string{"", ""}, r.text.Lines(), r.tail(w))
	more := widget.More(r.env, r.text.Offset(), r.text.Below())
	return widget.Pane{Width: w + 4, Height: r.h, Title: r.question(), Right: r.quoted(), Foot: more}.Over(r.env, lines)
}

func (r *Review) question() string {
	t, n := r.env.Theme, len(r.requests())
	words := cmp.Or(r.env.SayIf(n > 1, "Send %d requests?", n),
		r.env.SayIf(r.Set.All[0].Request.Kind == api.KindVideo, "Send this video?"), r.env.Say("Send this image?"))
	return t.Strong.Paint(words) + t.Muted.Paint([...]string{textSummary: "", textJSON: " JSON", textCurl: " curl"}[r.shown])
}

// quoted is whose price it is, and of when.
func (r *Review) quoted() string {
	t, total := r.env.Theme, r.total()
	_, source := r.env.Figure(total)
	switch {
	case r.asking && !env.Fresh(total, r.env.At):
		return t.Faint.Paint(r.env.Say("asking the service …"))
	case total.Source == api.SourceService:
		return t.Good.Paint(source)
	}
	return t.Muted.Paint(source) + " " + t.Warn.Paint(r.priceErr)
}

// tail is what to know before sending, what it costs, and the keys.
func (r *Review) tail(w int) []string {
	t := r.env.Theme
	f := widget.Facts{Width: w, Theme: t, Lines: []string{""}}
	for _, l := range r.notes() {
		f.Wrapped(t.Warn, "! "+l)
	}
	if r.refusal != "" && r.again {
		f.Wrapped(t.Warn, r.refusal)
	} else if r.refusal != "" {
		f.Wrapped(t.Bad, "✕ "+r.refusal)
	}
	cost := widget.Block(t, t.Element, w, r.costLines(w-4)...)
	if r.h < lowFrom {
		return slices.Concat(f.Lines[1:], cost[1:len(cost)-1], r.Keys().Lines(w))
	}
	f.Gap()
	return slices.Concat(f.Lines, cost, r.Keys().Lines(w))
}

// Keys are the button, which says what it spends or why it cannot, and the other keys.
func (r *Review) Keys() widget.Keys {
	words := env.Capital(r.env.Say(r.Table[0].Label)) + " · " + r.price()
	if first := r.warned.IsZero() && !r.again; first && r.total().Known() {
		words = cmp.Or(r.env.SayIf(r.env.Health.Demo, "Send in the demo"), r.env.Say("Send %s", r.price()))
	}
	address := strings.TrimPrefix(api.Clean(r.env.Settings.BaseURL, 200).String(), "https://")
	under := r.env.Theme.Faint.Paint(theme.Cut("POST "+address+r.Set.All[0].Request.Path(), r.inner()))
	if r.h >= lowFrom {
		under = "\n" + under
	}
	return widget.Keys{K: r.env, Table: r.Table, Words: words, Under: under}
}

func (r *Review) notes() []string {
	equal := r.Set.Equal()
	out := env.Said(r.env.SayIf(equal > 0, "%d equal ones are left out.", equal))
	missing := func(name string) string { return r.env.Say("There is no list %s: its name is sent as it is.", name) }
	empty := func(p string) string { return r.env.Say("%s is not filled in: it is sent as it is.", p) }
	out = slices.Concat(out, api.Map(r.Set.Missing, missing), api.Map(r.Placeholders, empty))
	if r.Asked != nil {
		out = append(out, cmp.Or(r.env.SayIf(r.many(), "%s asked for this: it is told that you sent others instead.", r.Asked.Entry),
			r.env.Say("%s asked for this: it gets the result.", r.Asked.Entry)))
	}
	return append(out, r.Dead...)
}

// costLines are what it costs, and the budget before and after as a bar.
func (r *Review) costLines(w int) []string {
	t, s, cost := r.env.Theme, r.today, r.total().Credits
	figure, _ := r.env.Figure(r.total())
	after := s
	after.Credits = s.Credits.Plus(cost)
	said, unsure, leaves := r.env.TodayLine(s.Credits, after)
	now, this := t.Muted, t.Focus
	if r.over() > 0 {
		now, this = t.Bad, t.Bad
	} else if after.Near() {
		now, this = t.Warn, t.Warn
	}
	ink := t.Accent
	if !r.total().Known() {
		ink, leaves = t.Muted, ""
	}
	amount, unit, _ := strings.Cut(figure, " ")
	figure = ink.Paint(amount) + t.Muted.Paint(" "+unit+r.env.Settings.Credit.Of(cost)) +
		t.Warn.Paint("  "+r.env.SayIf(r.env.Health.Demo, "demo (not charged)"))
	if one := said + " · " + leaves; leaves != "" && unsure == "" && theme.Width(figure+one) < w-2 {
		said, leaves = one, ""
	}
	lines := []string{"  " + figure + widget.AlignRight(now.Paint(said), w-theme.Width(figure))}
	if s.Budget > api.BudgetUnreadable {
		share := func(c api.Credits, in theme.Style, mark string) widget.Share {
			return widget.Share{Part: float64(c) / float64(s.Budget), Style: in, Mark: mark}
		}
		spent, unknown := share(s.Credits, t.Muted, "━"), share(s.Possibly, t.Doubt, "╍")
		lines = append(lines, "  "+widget.Bar(t, w, spent, share(cost, this, "━"), unknown))
	}
	if unsure != "" {
		unsure = "╍ " + unsure
	}
	if unsure+leaves != "" {
		lines = append(lines, "  "+t.Doubt.Paint(unsure)+widget.AlignRight(now.Paint(leaves), w-theme.Width(unsure)))
	}
	return lines
}

func (r *Review) price() string {
	total := r.total()
	return cmp.Or(r.env.SayIf(total.Known(), "%s credits", total.Credits.String()), r.env.Say("an unknown price"))
}

// texts are the requests as they are copied, or as they are read: a field a line.
func (r *Review) texts(laid bool) []string {
	return api.Map(r.requests(), func(v expand.Variation) string {
		body := v.Request.Body(r.Listing)
		if laid {
			body = api.Indent(body)
		}
		if r.shown == textCurl {
			return api.Curl(r.env.Settings.BaseURL+r.Set.All[0].Request.Path(), body)
		}
		return string(body)
	})
}

func (r *Review) bodyLines(w int) []string {
	if r.shown == textSummary && r.many() {
		return r.listLines(w)
	} else if r.shown == textSummary {
		return r.summaryLines(w)
	}
	t, out := r.env.Theme, []string(nil)
	for i, text := range r.texts(true) {
		if i > 0 {
			out = append(out, "")
		}
		text = api.CleanLines(strings.ReplaceAll(text, "\t", "  "), len(text)).String()
		for line := range strings.SplitSeq(ansi.Hardwrap(text, w, true), "\n") {
			key, value, ok := strings.Cut(line, `": `)
			if key += `": `; !ok {
				key, value = "", line
			}
			out = append(out, t.Muted.Paint(key)+t.Text.Paint(value))
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
	thumbCells = 15
	thumbLines = 4
	tileGap    = 2
)

// summaryLines are the prompt, and below it the pictures beside the settings, or these
// in columns and the materials below.
func (r *Review) summaryLines(w int) []string {
	t, prompt := r.env.Theme, r.Set.All[0].Request.Prompt
	f, mark := widget.Facts{Width: w, Theme: t}, ""
	if r.Asked != nil {
		mark = "▏ " // no line of what an agent wrote looks like one of ours
	}
	for _, l := range widget.Wrap(api.CleanLines(prompt, len(prompt)+1).String(), w-theme.Width(mark)) {
		f.Add(t.Text.Paint(mark + l))
	}
	f.Gap()
	facts := r.factLines(w, 1)
	beside := w - theme.Width(facts[0]) - 2*tileGap
	tiles := r.tiles(beside)
	switch {
	case len(tiles) == 0:
		f.Add(r.factLines(w, 2)...)
	case beside < thumbCells:
		f.Add(append(append(tiles, ""), facts...)...)
	default:
		tiles, facts = append(tiles, make([]string, max(len(facts)-len(tiles), 0))...), append(facts, make([]string, len(tiles))...)
		for i := range tiles {
			f.Painted(theme.Fit(tiles[i], beside+2*tileGap) + facts[i])
		}
	}
	named := api.Pick(r.Materials, func(m Material) (string, bool) {
		return t.Token.Paint(m.Name) + "  " + t.Muted.Paint(m.Title), m.Path == ""
	})
	if len(named) > 0 {
		f.Gap()
	}
	for _, line := range named {
		f.Painted(line)
	}
	return f.Lines
}

// tiles are the materials of which there is a picture, with their names below.
func (r *Review) tiles(w int) (out []string) {
	t, x, at := r.env.Theme, w, 0
	for _, m := range r.Materials {
		if m.Path == "" {
			continue
		}
		if x+thumbCells > w {
			x, at, out = 0, len(out), append(out, make([]string, thumbLines+1)...)
		}
		picture, _ := r.thumbs.Lines(m.thumb())
		for y, line := range append(picture[:thumbLines:thumbLines], t.Token.Paint(m.Name)+" "+t.Muted.Paint(m.Title)) {
			out[at+y] += theme.Fit(line, thumbCells) + theme.Blank(tileGap)
		}
		x += thumbCells + tileGap
	}
	return out
}

// factLines are the settings with their labels, in as many columns as there is room for.
func (r *Review) factLines(w, columns int) []string {
	requests := r.requests()
	t, all, label, value := r.env.Theme, r.settings(&requests[0].Request), 0, 0
	for _, v := range requests[1:] { // what all have
		own := r.settings(&v.Request)
		all = slices.DeleteFunc(all, func(f [2]string) bool { return !slices.Contains(own, f) })
	}
	var materials []Material
	if r.many() { // their pictures are not shown
		materials = r.Materials
	}
	for _, m := range materials {
		label = max(label, theme.Width(m.Name))
	}
	for _, f := range all {
		label, value = max(label, theme.Width(f[0])), max(value, theme.Width(f[1]))
	}
	value = min(value, max(w-label-2, 1))
	columns = max(min(columns, (w+4)/(label+value+6)), 1)
	lines := make([]string, (len(all)+columns-1)/columns)
	for i, f := range all {
		line := &lines[i%len(lines)]
		if *line != "" {
			*line += theme.Blank(4)
		}
		*line += t.Muted.Paint(theme.Fit(f[0], label+2)) + t.Text.Paint(theme.Fit(f[1], value))
	}
	return append(lines, api.Map(materials, func(m Material) string {
		return t.Muted.Paint(theme.Fit(m.Name, label+2)) + t.Text.Paint(theme.Cut(m.Title, w-label-2))
	})...)
}

func (r *Review) settings(q *api.Request) (out [][2]string) {
	say := r.env.Say
	add := func(label, value string) {
		if value != "" {
			out = append(out, [2]string{label, api.Clean(value, 200).String()})
		}
	}
	add(say("Model"), q.Model)
	add(say("Mode"), r.env.SayIf(q.FunctionMode == api.ModeFirstLastFrame, "first and last frame"))
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
	if r.shown != textSummary || r.many() {
		return r.thumbs.Want(nil)
	}
	return r.thumbs.Want(api.Map(r.Materials, Material.thumb))
}

// patternLines is how much of the pattern's prompt stands above the list.
const patternLines = 4

// listLines are the prompt with its alternatives, and the requests, one a line.
func (r *Review) listLines(w int) []string {
	t := r.env.Theme
	out := append(api.Map(widget.WrapTo(r.Pattern.Prompt, w, patternLines), t.Text.Paint), "")
	if r.h >= lowFrom {
		out = append(append(out, r.factLines(w, 4)...), "")
	}
	for i, v := range r.requests() {
		price, _ := r.env.Figure(r.estimate(&v.Request))
		number := widget.AlignRight(strconv.Itoa(i+1), 3) + "  "
		label := theme.Fit(api.Clean(v.Label, 4*w).String(), max(w-theme.Width(number)-theme.Width(price)-1, 1))
		out = append(out, t.Faint.Paint(number)+t.Text.Paint(label)+" "+t.Muted.Paint(price))
	}
	return out
}
