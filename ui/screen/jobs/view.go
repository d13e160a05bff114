package jobs

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// View draws the body.
func (s *Screen) View() []string {
	left, right := s.split()
	switch {
	case right > 0:
		return s.beside.Join(s.drawList(left), s.detail.draw())
	case !s.inGallery:
		return s.drawList(left)
	}
	// The gallery's pane has the grid above what is known of the chosen one.
	p := widget.Pane{
		Width: s.w, Height: s.h, Title: s.title(s.k.Say("Gallery")), Focus: true, Quiet: true, Right: s.aside(),
	}
	inner, high := p.Inner()
	if n := len(s.list.visible()); n > 0 && s.k.Theme.Grounds() {
		p.Scrolled(s.k, s.list.top*high/n, (s.list.total-s.list.top-n)*high/n)
	}
	lines := s.gallery.Lines(s.list.grid(), s.list.version, s.list.at, &s.marks)
	if s.list.total == 0 && s.list.version > 0 {
		lines = s.emptyLines(inner)
	}
	high -= galleryFacts
	lines = append(slices.Clone(lines[:min(len(lines), high)]), make([]string, max(high-len(lines)-1, 0))...)
	return p.Keep(&s.framed, s.k.Theme, append(lines, s.facts(inner)...))
}

// aside is what stands at the right of the gallery's title, if it has room.
func (s *Screen) aside() string {
	return s.count() + "   " + s.k.Theme.Key.Paint(s.k.Key("smaller", "-")+"/"+s.k.Key("larger", "+")) + " " + s.gallery.Sizes()
}

const galleryFacts = 3 // lines, also below a list without a pane beside it

// facts are what the chosen result's caption does not say, what the marked ones cost, and
// where in the gallery it stands.
func (s *Screen) facts(w int) []string {
	r, ok := s.Row()
	if !ok {
		return nil
	}
	facts, t, marked := result.FactsIn(s.k, s), s.k.Theme, ""
	if n := s.marks.Len(); n > 0 {
		var sum api.Credits
		for i := range s.list.rows {
			if r := &s.list.rows[i]; s.marks.Has(r.ID) {
				n--
				if !r.Free() {
					sum += r.Credits
				}
			}
		}
		if marked = s.k.Say("%d marked", s.marks.Len()); n == 0 { // all of them are held
			marked += " · " + s.k.Say("%s cr", sum.String())
		}
	}
	rating := "  " + result.PaintRating(t, r.Rating)
	if r.Files == 0 {
		rating = ""
	}
	name := theme.Cut(r.Title, w-theme.Width(marked+rating)-4)
	right := cmp.Or(t.Strong.Paint(marked), t.Muted.Paint(widget.Tilde(r.File, s.k.Home))) // where it fits whole
	return []string{
		"",
		" " + widget.Between(t.Strong.Paint(name)+rating, right, w-2) + " ",
		" " + t.Muted.Paint(theme.Cut(strings.Join(facts, " · "), w-2)),
	}
}

// title names a pane, with the words of the filter.
func (s *Screen) title(name string) string {
	left, _ := s.split()
	if s.filter.Editing {
		return s.filter.Title(left, name)
	}
	_, chips := s.chips()
	return strings.Join(append([]string{s.k.Theme.Strong.Paint(name)}, chips...), chipGap)
}

const (
	chipGap   = "   "
	offerRoom = 85 // cells that the title, the count and the keys of a gallery take beside what stands in it
)

// offers are filters that the gallery names.
var offers = [...]struct{ word, label string }{
	{"is:favourite", "♥ favourites"}, {"rating:>=3", "★ 3 and up"}, {"kind:video", "▶ videos"},
}

// chips are the words of the filter and, in the gallery, others that it could have; "" is one that is still to be typed.
func (s *Screen) chips() (words, chips []string) {
	t, words := s.k.Theme, strings.Fields(s.filter.Text())
	chips = api.Map(words, func(w string) string {
		return t.Chip(strings.TrimPrefix(strings.TrimPrefix(w, "is:"), "kind:") + " ×")
	})
	for _, o := range offers {
		room := s.w - theme.Width(strings.Join(chips, chipGap))
		if s.inGallery && room >= offerRoom && s.list.all > 0 && !slices.Contains(words, o.word) {
			words, chips = append(words, o.word), append(chips, t.Faint.Paint(s.k.Say(o.label)))
		}
	}
	if s.list.all > 0 && s.filter.Text() == "" { // else the count has the room
		words, chips = append(words, ""), append(chips, t.Key.Paint(s.k.Key("filter", "/"))+t.Muted.Paint(" "+s.k.Say("filter")))
	}
	return words, chips
}

// clickChip takes the word of a chip out of the filter, or into it.
func (s *Screen) clickChip(x int) tea.Cmd {
	at := widget.Inset + theme.Width(cmp.Or(s.k.SayIf(s.inGallery, "Gallery"), s.k.Say("Jobs")))
	words, chips := s.chips()
	left, _ := s.split()
	for i, chip := range chips {
		if at += len(chipGap); x >= at && x < min(at+theme.Width(chip), left-widget.Inset-1) { // what is cut off takes none
			if s.filter.Editing = words[i] == ""; s.filter.Editing {
				return nil
			}
			had := strings.Fields(s.filter.Text())
			left := slices.DeleteFunc(slices.Clone(had), func(word string) bool { return word == words[i] })
			if len(left) == len(had) {
				left = append(left, words[i])
			}
			return s.filter.Change(s.k.Context, strings.Join(left, " "))
		}
		at += theme.Width(chip)
	}
	if s.inGallery && at+theme.Width(s.aside()) < s.w-widget.Inset && s.gallery.ClickSizes(s.w-widget.Inset-x) {
		return s.resized()
	}
	return nil
}

// count is how many jobs there are, in which order, and how many are marked.
func (s *Screen) count() string {
	jobs, marks := "", s.marks.Len()
	switch {
	case s.list.all == 0:
		return ""
	case s.filter.Text() != "":
		jobs = s.k.Say("%s of %s", env.Thousands(s.list.total), env.Thousands(s.list.all))
	case (s.list.total > s.list.height || s.inGallery && s.list.total > 0) && !s.filter.Editing:
		jobs = s.k.Say("%s of %s", env.Thousands(s.list.at+1), env.Thousands(s.list.total))
	default:
		jobs = s.k.Say("all %s", env.Thousands(s.list.total))
	}
	marked := s.k.SayIf(marks > 0 && !s.footed(), "%d marked", marks)
	parts := env.Said(marked, s.k.SayIf(s.order > 0, orders[s.order].Label), jobs)
	return s.k.Theme.Muted.Paint(strings.Join(parts, " · "))
}

func (s *Screen) emptyLines(w int) []string {
	k, t, f := s.k, s.k.Theme, widget.Facts{Width: w}
	switch {
	case s.filter.Text() != "":
		f.Painted(t.Muted.Paint(k.Say("No job matches. Press esc to see all of them.")))
	case s.list.all > 0: // a gallery without results
		f.Painted(t.Text.Paint(k.Say("There are no results yet.")))
	default:
		f.Painted(t.Text.Paint(k.Say("Nothing has been sent yet.")))
		f.Painted(t.Muted.Paint(k.Say("Press %s and write a prompt; every job you send stays here.", k.Key("create", "1"))))
	}
	return result.Centred(f.Lines, w, max(s.h*2/3, len(f.Lines)))
}

// factLines say what is known of the job in w cells, most wanted first.
func (d *detail) factLines(w int) []string {
	k, j, t := d.k, &d.job, d.k.Theme
	f := widget.Facts{Width: w, Theme: t}
	signs, most := result.PaintRating(t, j.Rating), 4 // lines of the prompt below a picture
	if n := len(j.Files); n == 0 {
		signs, most = "", 5000 // all of it
	} else if n > 1 {
		signs = t.Muted.Paint(k.Say("file %d of %d", d.file+1, n)) + "  " + signs
	}
	request, room := j.Request, max(w-theme.Width(signs)-2, 1)
	request.Prompt = cmp.Or(request.Prompt, j.Title)
	prompt := widget.WrapTo(api.CleanLines(request.Prompt, 5000).String(), room, most)
	if len(j.Files) == 0 && j.Entry != "" {
		prompt = marked(request, room)
	}
	for _, line := range prompt {
		f.Painted(widget.Between(t.Strong.Paint(line), signs, w))
		signs = ""
	}
	f.Add("")
	if line := widget.PhaseText(k, j.Phase); j.Phase.Active() { // with how long it takes
		f.Painted(line + t.Muted.Paint("  "+env.Short(d.waiting().Elapsed())))
	} else if j.Phase != api.PhaseDone {
		f.Painted(line)
		if widget.Broke(j.Phase) && t.Grounds() {
			f.Gap()
		}
	}
	key := func(key, does string) string { return t.Key.Paint(key) + " " + t.Text.Paint(does) }
	plain := j.Phase == api.PhaseUnknown || j.Phase == api.PhaseUnread || widget.Broke(j.Phase) && t.Grounds()
	ink := t.Text.If(plain, t.Bad.If(widget.Broke(j.Phase), t.Warn))
	f.Wrapped(ink, result.Failure(k, &j.Row))
	// What can be done about a job without a clear end.
	switch {
	case j.Dismissed:
		f.Wrapped(t.Muted, k.Say("Marked as not charged."))
	case j.Phase == api.PhaseUnknown || j.Phase == api.PhaseUnread:
		f.Gap()
		f.Wrapped(t.Doubt, k.Say("Check the service's website for this job."))
		f.Painted("  " + key("enter", k.Say("resolve it")))
		f.Gap()
	case j.Phase == api.PhaseHeld && j.Paused && j.Entry == "":
		f.Gap()
		f.Painted(key("P", k.Say("send")) + "   " + key("del", k.Say("remove")))
	case failed(j.Phase):
		f.Gap()
		f.Painted(key(k.Key("again", "n"), k.Say("again")) + "   " + key(k.Key("edit", "e"), k.Say("edit and send again")))
	case j.Phase == api.PhaseExpired:
		f.Wrapped(t.Muted, k.Say("Its links have expired. Press %s to ask for new ones.", k.Key("fetch", "R")))
	case j.Phase == api.PhaseStale:
		f.Wrapped(t.Muted, k.Say("Not finished after seven days. Press %s to ask once more.", k.Key("refresh", "r")))
	}
	f.Gap()
	facts := result.Facts(k, j, d.typical[result.ClassOf(result.RowOf(j))])
	if d.file < len(j.Files) {
		path := widget.Tilde(j.Files[d.file].Path, k.Home)
		if theme.Width(path) > w*3/4 {
			path = result.CutCaption(filepath.Base(path), w*3/4)
		}
		facts = append(facts, result.Fact{Label: k.Say("File"), Parts: []string{path}})
	}
	result.WriteFacts(&f, append(facts, result.Fact{Label: k.Say("Related"), Parts: d.lineage()}))
	if j.Note != "" {
		f.Painted(t.Text.Paint(theme.Cut("✎ "+j.Note, w)))
	}
	return f.Lines
}

// lineage is what the job was made from and into, and what all of it cost.
func (d *detail) lineage() []string {
	if len(d.relatives) < 2 {
		return nil
	}
	var from, to []string
	known := map[string]bool{d.id: true}
	for _, r := range d.relatives { // oldest first: sources stand before what uses them
		if slices.ContainsFunc(r.Sources, func(id string) bool { return known[id] }) {
			known[r.ID] = true
			to = append(to, r.Title)
		} else if !known[r.ID] {
			from = append(from, r.Title)
		}
	}
	k := d.k
	var chain []string
	for _, titles := range [][]string{from, {k.Say("this one")}, to} {
		if len(titles) > 1 {
			titles = []string{k.Count(len(titles), "%s result", "%s results")}
		}
		chain = append(chain, titles...)
	}
	return []string{strings.Join(chain, " → "), result.ChainCost(k, d.relatives)}
}

// pictureLines are the picture's lines, centred; blank ones hold its place
// until it is painted, so that nothing moves when it comes.
func (d *detail) pictureLines(w int) []string {
	switch {
	case d.pictureH < 2:
		return nil
	case d.job.Phase.Active():
		return append(d.waiting().Lines(w, d.pictureH), "")
	case d.k.Painter == nil:
		return nil
	case d.picture.Why != "":
		return append(result.Instead(d.k.Theme, result.Ratio(d.job.Request), w, d.pictureH, func(w int) []string {
			return widget.Muted(d.k, d.picture.Why, w)
		}), "")
	}
	shown := d.picture.Lines
	if d.picture.Loading() {
		shown = []string{d.k.Theme.Muted.Paint("···")}
	}
	lines := append(result.Centred(shown, w, d.pictureH), "")
	if result.IsVideo(&d.job, d.file) {
		lines = d.picture.Chipped(lines, result.Length(d.k, d.job.Kind, d.job.Request.Duration))
	}
	if d.strip.Rows > 0 {
		lines = append(append(lines, result.Centred(d.picture.Frames(d.strip, d.job.Request.Duration), w, d.strip.Rows+1)...), "")
	}
	return lines
}

func (d *detail) draw() []string {
	p := widget.Pane{Width: d.w, Height: d.h, Ground: d.ground, Inset: true}
	p.Scrolled(d.k, d.facts.Offset(), d.facts.Below())
	return p.Keep(&d.framed, d.k.Theme, slices.Concat(d.above, d.facts.Lines()))
}

// nearest is the row of a line that is closest to a column.
func nearest(g result.Line, column int) int {
	best, least := g.From, math.MaxInt
	for n := g.From; n < g.To; n++ {
		if away := max(g.Column(n)-column, column-g.Column(n)); away < least {
			best, least = n, away
		}
	}
	return best
}

// lineOf is the gallery's line that holds a row. It looks at the rows around that
// one alone, so that a line stays as it is wherever the view begins: variations in
// two values begin a line and end it, all other lines begin at a multiple of the columns.
func (l *list) lineOf(n int) result.Line {
	if from, to := l.sending(n, l.columns); to-from > 1 {
		return l.variationLine(from, to, n)
	}
	full := l.filled(0, l.total, n)
	from, to := around(n, full.From, full.To, func(n int) bool {
		from, to := l.sending(n, l.columns)
		return to-from == 1
	})
	return result.Line{From: from, To: to}
}

// variationLine is the line of row n among the variations from..to-1. If two values
// changed, each line has one of the first and the columns are the second; otherwise
// they follow each other.
func (l *list) variationLine(from, to, n int) result.Line {
	_, _, values := l.axes(from, to)
	if len(values) < 2 || len(values) > l.columns {
		return l.filled(from, to, n)
	}
	value, last := l.firstValue(n), -1
	from, to = around(n, from, to, func(n int) bool { return l.firstValue(n) == value })
	g := result.Line{From: from, To: to}
	for i := from; i < to; i++ {
		_, x := expand.SplitLabel(l.label(i))
		column := slices.Index(values, x)
		if column <= last { // the same value twice: it cannot be a grid
			return l.filled(from, to, n)
		}
		g.Columns, last = append(g.Columns, column), column
	}
	return g
}

// filled is the line of row n among from..to-1 if they follow each other.
func (l *list) filled(from, to, n int) result.Line {
	from += (n - from) / l.columns * l.columns
	return result.Line{From: from, To: min(from+l.columns, to)}
}

// lines is how many lines of the gallery are in view.
func (l *list) lines() int { return max(l.height/l.columns, 1) }

// fits is how many columns have cells when all rows are in view in so many lines
// of so many columns; 0 when they have no room.
func (l *list) fits(columns, lines int) (used int) {
	if l.total > columns*lines {
		return 0
	}
	other := *l
	other.columns = columns
	for n := 0; n < other.total; lines-- {
		line := other.lineOf(n)
		used, n = max(used, line.Column(line.To-1)+1), line.To
	}
	if lines < 0 {
		return 0
	}
	return used
}

// grid are the lines of the gallery in view, with their rows as far as they are held.
func (l *list) grid() []result.Line {
	all := make([]result.Line, 0, l.lines())
	for n := l.top; n < l.total && len(all) < l.lines(); n = all[len(all)-1].To {
		line := l.lineOf(n)
		if lo, hi := line.From-l.offset, min(line.To-l.offset, len(l.rows)); lo >= 0 && lo < hi {
			line.Rows = l.rows[lo:hi]
		}
		all = append(all, line)
	}
	return all
}

// back is the first row of the line so many lines before row n, or of the first.
func (l *list) back(n, lines int) int { return l.lineOf(l.beside(n, -lines)).From }

// beside is the row so many lines below row n, in its column, or n itself.
func (l *list) beside(n, lines int) int {
	line := l.lineOf(n)
	column := line.Column(n)
	for ; lines > 0 && line.To < l.total; lines-- {
		line = l.lineOf(line.To)
	}
	for ; lines < 0 && line.From > 0; lines++ {
		line = l.lineOf(line.From - 1)
	}
	return nearest(line, column)
}
