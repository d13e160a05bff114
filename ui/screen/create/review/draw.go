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

// What gives way where there are too few rows, in this order.
const (
	noSpace = iota + 1 // above the address
	noAddress
	noEdges // of what it costs
	noAir   // above the notes, and below what stands first
	noGaps
	noPictures // of the materials, which are named then
	noFacts    // they scroll
)

// text is what a review shows of the requests.
type text int

const (
	textSummary text = iota // of several, a list with their prices
	textJSON
	textCurl
	texts // how many there are
)

func (r *Review) inner() int { return max(min(80, r.w)-4, 1) } // of a box of 80 cells

// arrange brings the lines and their window up to date: nothing scrolls before what is dispensable has given way.
func (r *Review) arrange() {
	w, scrolls := r.inner(), false
	for r.tight = 0; ; r.tight++ {
		var lines []string
		r.head, lines, r.foot = r.parts(w)
		room := r.h - 4 - len(r.head) - len(r.foot)
		scrolls = scrolls || r.shown == textSummary && len(lines) > r.h
		if room >= len(lines) || scrolls && room >= leastLines || r.tight == noFacts {
			r.text.SetLines(lines)
			r.text.SetSize(w, min(len(lines), max(room, 1)))
			return
		} else if r.tight == noPictures && !scrolls && r.shown == textSummary { // in any case: then as little as possible gives way
			r.tight, scrolls = -1, true
		}
	}
}

// Box draws the review, of a size that the window messages told before.
func (r *Review) Box(int, int) string {
	lines := slices.Concat([]string{"", ""}, r.head, r.text.Lines(), r.foot)
	more := widget.More(r.env, r.text.Offset(), r.text.Below())
	return widget.Pane{Width: r.inner() + 4, Height: r.h, Title: r.question(), Right: r.quoted(), Foot: more}.Over(r.env, lines)
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
	return strings.Join(env.Said(t.Muted.Paint(source), t.Warn.Paint(r.priceErr)), " ")
}

// tail is what to know before sending, what it costs, and the keys.
func (r *Review) tail(w int) []string {
	t := r.env.Theme
	f := widget.Facts{Width: w, Theme: t, Lines: r.gap(noAir)}
	for _, l := range r.notes() {
		f.Wrapped(t.Warn, "! "+l)
	}
	if r.again {
		f.Wrapped(t.Warn, r.refusal)
	} else if r.refusal != "" {
		f.Wrapped(t.Bad, "✕ "+r.refusal)
	}
	cost := widget.Block(t, t.Element, w, r.costLines(w-4)...)
	if r.tight >= noEdges {
		cost = cost[1 : len(cost)-1]
	}
	return slices.Concat(f.Lines, cost, r.Keys().Lines(w))
}

// gap is a blank line, until it gives way.
func (r *Review) gap(tight int) []string { return make([]string, min(max(tight-r.tight, 0), 1)) }

// Keys are the button, which says what it spends or why it cannot, and the other keys.
func (r *Review) Keys() widget.Keys {
	words := env.Capital(r.env.Say(r.Table[0].Label)) + " · " + r.price()
	if first := r.warned.IsZero() && !r.again; first && r.total().Known() {
		words = cmp.Or(r.env.SayIf(r.env.Health.Demo, "Send in the demo"), r.env.Say("Send %s", r.price()))
	}
	keys := widget.Keys{K: r.env, Table: r.Table, Words: words}
	if r.tight < noAddress {
		address := strings.TrimPrefix(api.Clean(r.env.Settings.BaseURL, 200).String(), "https://")
		address = theme.Cut("POST "+address+r.Set.All[0].Request.Path(), r.inner())
		keys.Under = strings.Repeat("\n", len(r.gap(noSpace))) + r.env.Theme.Faint.Paint(address)
	}
	return keys
}

func (r *Review) notes() []string {
	equal := r.Set.Equal()
	out := env.Said(r.env.SayIf(equal > 0, "%d duplicates are left out.", equal))
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
		added := "━"
		if !t.Grounds() { // there may be no colours
			added = "═"
		}
		spent, unknown := share(s.Credits, t.Muted, "━"), share(s.Possibly, t.Doubt, "╍")
		lines = append(lines, "  "+widget.Bar(t, w, spent, share(cost, this, added), unknown))
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

// parts are what scrolls, and what stays above and below it.
func (r *Review) parts(w int) (head, lines, foot []string) {
	if r.shown != textSummary {
		return nil, r.textLines(w), r.tail(w)
	}
	prompt, gap, air := r.promptLines(w), r.gap(noGaps), r.gap(noAir)
	facts, named := r.facts(w)
	if lines = prompt; r.many() {
		lines = r.listLines(w)
	}
	lines = slices.Concat(lines, air[:min(len(air), len(named))], named)
	if r.tight == noFacts {
		lines, facts = append(lines, facts...), nil
	}
	if r.many() {
		return slices.Concat(prompt, gap, facts, air), lines, r.tail(w)
	}
	return nil, lines, slices.Concat(gap, facts, r.tail(w))
}

func (r *Review) textLines(w int) []string {
	t, out := r.env.Theme, []string(nil)
	text := strings.ReplaceAll(strings.Join(r.texts(true), "\n\n"), "\t", "  ")
	for line := range strings.SplitSeq(ansi.Hardwrap(api.CleanLines(text, len(text)).String(), w, true), "\n") {
		key, value, ok := strings.Cut(line, `": `)
		if key += `": `; !ok {
			key, value = "", line
		}
		out = append(out, t.Muted.Paint(key)+t.Text.Paint(value))
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
	thumbCells   = 15
	thumbLines   = 4
	tileGap      = 2
	patternLines = 4 // of the prompt that several are made of
	leastLines   = 3 // of what scrolls, before the settings do
)

// promptLines are the prompt of one, or the beginning of the one that several are made of.
func (r *Review) promptLines(w int) []string {
	t, prompt, mark := r.env.Theme, r.Set.All[0].Request.Prompt, ""
	if r.Asked != nil {
		mark = t.Text.Paint("▏ ") // no line of what an agent wrote looks like one of ours
	}
	lines := r.Written(r.Pattern.Prompt, w-theme.Width(mark))
	if most := patternLines; !r.many() && prompt != r.Pattern.Prompt { // its braces are no alternatives
		lines = api.Map(widget.Wrap(prompt, w-theme.Width(mark)), t.Text.Paint)
	} else if r.many() && len(lines) > most {
		lines = append(lines[:most-1], ansi.Truncate(lines[most-1], w-4, "")+t.Text.Paint(" …"))
	}
	return api.Map(lines, func(l string) string { return mark + l })
}

// facts are the settings, beside pictures of materials, and the names of the other materials.
func (r *Review) facts(w int) (lines, named []string) {
	const tile = thumbCells + tileGap
	t, n, most := r.env.Theme, 0, 0
	if !r.many() && r.tight < noPictures {
		most = (w - tileGap - theme.Width(r.factLines(w, 1)[0])) / tile
	}
	for _, m := range r.Materials {
		name := t.Token.Paint(m.Name) + " " + t.Muted.Paint(m.Title)
		if m.Path == "" || n >= most {
			named = append(named, theme.Cut(name, w))
			continue
		}
		lines = append(lines, make([]string, thumbLines+1-len(lines))...)
		picture, _ := r.thumbs.Lines(m.thumb())
		for y, line := range slices.Concat(picture, make([]string, thumbLines-len(picture)), []string{name}) {
			lines[y] = theme.Fit(theme.Cut(lines[y], max(n*tile-tileGap, 0)), n*tile) + line
		}
		n++
	}
	beside := n*tile + min(n, 1)*tileGap
	facts := r.factLines(w-beside, 4)
	lines = append(lines, make([]string, max(len(facts)-len(lines), 0))...)
	for i, fact := range facts {
		lines[i] = theme.Fit(theme.Cut(lines[i], max(beside-2*tileGap, 0)), beside) + fact
	}
	return lines, named
}

// factLines are the settings with their labels, in as many columns as there is room for, of one width.
func (r *Review) factLines(w, columns int) []string {
	requests := r.requests()
	t, all, wide := r.env.Theme, r.settings(&requests[0].Request), 0
	for _, v := range requests[1:] { // what all have
		own := r.settings(&v.Request)
		all = slices.DeleteFunc(all, func(f [2]string) bool { return !slices.Contains(own, f) })
	}
	lines := make([]string, (len(all)+columns-1)/columns)
	for column := range slices.Chunk(all, max(len(lines), 1)) {
		label, left := 0, wide
		for _, f := range column {
			label = max(label, theme.Width(f[0])+2)
		}
		for i, f := range column {
			lines[i] = theme.Fit(lines[i], left) + t.Muted.Paint(theme.Fit(f[0], label)) + t.Text.Paint(f[1])
			wide = max(wide, theme.Width(lines[i])+4)
		}
	}
	if wide-4 > w && columns > 1 {
		return r.factLines(w, columns-1)
	}
	return api.Map(lines, func(l string) string { return theme.Fit(l, min(wide-4, w)) })
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
	return result.Thumb{Path: m.Path, Cols: thumbCells, Rows: thumbLines, Bare: true}
}

func (r *Review) wantThumbs() tea.Cmd {
	if r.shown != textSummary || r.many() {
		return r.thumbs.Want(nil)
	}
	return r.thumbs.Want(api.Map(r.Materials, Material.thumb))
}

// listLines are the requests, one a line: what tells it from the others, and its price.
func (r *Review) listLines(w int) (out []string) {
	t := r.env.Theme
	for i, v := range r.requests() {
		price, number := "–", widget.AlignRight(strconv.Itoa(i+1), 3)+"  "
		if e := r.estimate(&v.Request); e.Known() {
			price = e.Credits.String()
		}
		label := theme.Cut(api.Clean(v.Label, 4*w).String(), max(w-theme.Width(number+price)-1, 1))
		label = strings.Join(api.Map(strings.Split(label, " · "), t.Token.Paint), t.Faint.Paint(" · "))
		out = append(out, widget.Between(t.Faint.Paint(number)+label, t.Muted.Paint(price), w))
	}
	return out
}
