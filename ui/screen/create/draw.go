package create

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// View joins the form, the side pane, the large result and the results.
func (c *Screen) View() []string {
	at, form, strip := c.plan, c.drawForm(), c.recent.Lines()
	switch {
	case at.side.Y > 0:
		t, large := c.env.Theme, widget.Under(c.env.Theme, slices.Clone(c.recent.LargeLines()), at.large.W)
		return c.beside.Join(slices.Concat(widget.Under(t, form, at.form.W), c.drawSide()), slices.Concat(large, strip))
	case at.side.W == 0:
	case at.large.W > 0:
		form = c.beside.Join(form, c.drawSide(), c.recent.LargeLines())
	default:
		form = c.beside.Join(form, c.drawSide())
	}
	if len(strip) > 1 {
		form = widget.Under(c.env.Theme, slices.Clone(form), at.recent.W)
	}
	return slices.Concat(form, strip)
}

func (c *Screen) drawForm() []string {
	d, t, at := c.draft(), c.env.Theme, c.plan.form
	p := widget.Pane{Width: at.W, Height: at.H, Focus: !c.recent.Focused(), Quiet: true}
	inner, _ := p.Inner()
	p.Title = widget.Segments(c.env.Theme, onImage-c.at, c.kinds()...)
	several, room := "", inner-theme.Width(p.Title)-7
	if d.Set.Several() {
		several = countOf(c.env, &d.Set)
	}
	if c.plan.side.W > 0 && theme.Width(several) > room { // the side says how many too
		_, several, _ = strings.Cut(several, "= ")
	}
	if theme.Width(several) <= room {
		p.Right, several = t.Muted.Paint(several), ""
	}
	lines := d.Form.Lines()
	if c.plan.side.W == 0 && c.plan.large.W > 0 {
		lines = widget.Overlay(slices.Clone(lines), c.recent.LargeLines(), c.plan.large.X-2, c.plan.large.Y-1)
	}
	if r, ok := c.aside(); ok {
		lines = widget.Overlay(slices.Clone(lines), c.otherPrices(r.W), r.X-2, r.Y-1)
	}
	above, below := d.Form.More()
	p.Scrolled(c.env, above, below)
	if c.plan.side.W == 0 {
		p.Foot = theme.Cut(strings.Trim(several+" · "+p.Foot, " ·"), inner-3) // what is wider would be left out
		line, _ := c.strip(inner - 2)
		lines = append(lines, " "+line)
	}
	return p.Keep(&c.frames[0], t, lines)
}

// aside is where the prices of other choices stand without a side pane: beside the first rows
// of the form that leave room for them, blank ones before them left out.
func (c *Screen) aside() (widget.Rect, bool) {
	r := widget.Rect{X: c.plan.form.W - widget.Inset - asideWidth, W: asideWidth, H: gridLines}
	if c.plan.side.W > 0 || c.plan.form.W < asideFrom {
		return r, false
	}
	free, lines := 0, c.draft().Form.Lines()
	_, y := c.draft().Form.PromptLines()
	for ; y < len(lines) && free < r.H; y++ {
		if w := theme.Width(lines[y]); w > r.X-4 || w+free == 0 {
			free = -1
		}
		free++
		r.Y = y + 2 - r.H
	}
	return r, free == r.H
}

func (c *Screen) kinds() []string {
	return []string{env.Capital(c.env.Say("image")), env.Capital(c.env.Say("video"))}
}

// strip is price and readiness in one line, of which the source gives way, and how wide the button at its end is.
func (c *Screen) strip(w int) (line string, button int) {
	t, price, ready := c.env.Theme, c.priceShown(), &c.ready
	left, more := strings.TrimRight(t.Accent.Paint(price.amount)+t.Muted.Paint(price.money)+"  "+t.Muted.Paint(price.repeats), " "), ""
	if price.failed {
		left += "  " + t.Warn.Paint(price.status)
	} else if price.source != "" {
		more = "  " + price.sourceStyle.Paint(price.source)
	}
	words, key := c.button()
	right := widget.Button(t, words, key, theme.Width(words+key)+5, false)[1]
	if ready.missing != "" {
		style, mark := t.Warn, "! "
		if problems := len(c.draft().Form.Problems()); len(ready.stops) == 0 && c.draft().Empty() {
			style, mark = t.Muted, ""
		} else if len(ready.stops)+problems > 0 {
			style, mark = t.Bad, "✗ "
		}
		words = theme.Cut(mark+words, max(w-theme.Width(left+key)-5, w/2))
		right = t.Chip(strings.TrimSpace(style.Paint(words) + " " + t.Key.Paint(key)))
	} else if len(ready.warning) > 0 {
		more = "  " + t.Warn.Paint("! "+ready.warning[0]) + " " + t.Key.Paint(ready.key)
	}
	if theme.Width(left+right) >= w {
		right = t.Button.Paint(" " + key + " ")
	}
	if long := more + "   " + t.Muted.Paint(price.leaves); price.leaves != "" && theme.Width(left+long+right) < w {
		more = long
	} else if theme.Width(left+more+right) >= w { // its sign alone
		more = ansi.Truncate(more, 3, "")
	}
	return theme.Fit(left+more, w-theme.Width(right)-1) + " " + right, theme.Width(right)
}

// sidePlan is where the parts of the side pane stand. What comes and goes lies between the
// rates and the button, so that nothing else moves.
type sidePlan struct{ grid, list, button widget.Rect }

const (
	gridTop   = 2 // below the price and what multiplies it
	gridLines = 5
	listTop   = gridTop + gridLines + 2 // below the cheapest
	listMost  = 8                       // lines of what comes and goes

	gridFrom    = 16 // lines of a form beside whose rows they stand
	asideWidth  = 40 // of the prices without a side pane
	asideFrom   = 78 // cells of a form that has room for them
	besideLines = 4  // of a picture beside the prompt, at least
)

func sidePlanFor(r widget.Rect) sidePlan {
	w, h := widget.Pane{Width: r.W, Height: r.H, Inset: true}.Inner()
	button := max(h-widget.ButtonHeight, 0)
	return sidePlan{widget.Rect{Y: gridTop, W: w, H: gridLines}, widget.Rect{Y: listTop, W: w, H: min(max(button-listTop, 0), listMost)},
		widget.Rect{Y: button, W: w, H: widget.ButtonHeight}}
}

// drawSide draws the side pane. Its lines keep their places whatever arrives.
func (c *Screen) drawSide() []string {
	t, side, price := c.env.Theme, c.plan.side, c.priceShown()
	if theme.Width(price.headline(t)+price.source)+8 > side.W { // its sign alone
		price.source, _, _ = strings.Cut(price.source, " ")
	}
	p := widget.Pane{Width: side.W, Height: side.H, Title: price.headline(t), Right: price.sourceStyle.Paint(price.source), Inset: true}
	w, high := p.Inner()
	at, how := sidePlanFor(side), widget.Wrap(cmp.Or(price.repeats, price.how), w)
	if theme.Width(how[0]+price.leaves) >= w {
		how = slices.Insert(how, 0, "")
	}
	how[0] = widget.Between(how[0], price.leaves, w)
	body := make([]string, max(high, listTop))
	copy(body[:gridTop], api.Map(how[max(len(how)-gridTop, 0):], t.Muted.Paint))
	copy(body[at.grid.Y:], c.otherPrices(w))
	if g := c.choiceGrid(); g != nil {
		cheapest := cmp.Or(c.env.SayIf(len(c.draft().Set.All) > 1, "%s each", g.cheapest), g.cheapest)
		body[listTop-1] = t.Good.Paint("↓ ") + t.Muted.Paint(theme.Cut(cheapest, w-2))
	}
	copy(body[at.list.Y:], c.list.Lines())
	words, key := c.button()
	copy(body[at.button.Y:], widget.Button(t, words, key, w, c.ready.missing != ""))
	p.Foot = widget.More(c.env, 0, c.list.Below())
	return p.Keep(&c.frames[1], t, body)
}

// button is what the one button says: the first thing that is missing, else what it does.
func (c *Screen) button() (words, key string) {
	if c.ready.missing != "" {
		return strings.TrimRight(c.ready.missing, ".。"), c.ready.key
	}
	return cmp.Or(c.env.SayIf(c.sent, "Review and send again"), c.env.Say("Review and send")), c.env.Key("review", "ctrl+s")
}

// otherPrices are the prices of other choices, or the model's listed price.
func (c *Screen) otherPrices(w int) []string {
	if grid := c.choiceGrid(); grid != nil {
		return grid.cells.Lines(c.env.Theme, grid.cells.Frame(w, gridLines))
	}
	if listed := draft.ListedPrice(c.env, c.draft().Listing); listed != "" {
		return []string{theme.Cut(c.env.Theme.Muted.Paint(c.env.Say("listed: %s", listed)), w)}
	}
	return nil
}

// Cursor is in the form, unless a result has the keys.
func (c *Screen) Cursor() *tea.Cursor {
	x, y, ok := c.draft().Form.Cursor()
	if !ok || c.recent.Focused() {
		return nil
	}
	return tea.NewCursor(x+2, y+1)
}

// plan is where the parts of the screen stand, by size and kind alone but for a result beside the prompt.
type plan struct {
	form   widget.Rect
	side   widget.Rect // empty where there is no room: then the form has a line with the price
	large  widget.Rect // the chosen result; empty where there is no room
	recent widget.Rect // the strip of results, or a line of badges
}

const (
	badgesBelow = 32  // a lower body has a line of badges in place of the strip
	largeFrom   = 160 // from this width the chosen result stands large
	railWidth   = 60  // of the form next to it
	sideWidth   = 44
	sideHeight  = 21 // below the form
	sideLeast   = 18 // before fields of the form have no room
	minStrip    = 11
	maxStrip    = 22
	wideStrip   = 14 // below the large result
	videoForm   = 20 // lines that the form of a video wants, its frame included
	imageForm   = 16
)

// planFor lays the screen out. What the form does not want is the pictures'.
func planFor(w, h int, kind api.Kind) plan {
	p := plan{recent: widget.Rect{Y: h - 1, W: w, H: 1}}
	want := map[api.Kind]int{api.KindVideo: videoForm, api.KindImage: imageForm}[kind]
	if w >= largeFrom && h >= badgesBelow {
		form, strip := max(h-sideHeight, min(h-sideLeast, want)), min(max(h/4, minStrip), wideStrip)
		p.form = widget.Rect{W: railWidth, H: form}
		p.side = widget.Rect{Y: form, W: railWidth, H: h - form}
		p.large = widget.Rect{X: railWidth, W: w - railWidth, H: h - strip}
		p.recent = widget.Rect{X: railWidth, Y: h - strip, W: w - railWidth, H: strip}
		return p
	}
	if h >= badgesBelow {
		p.recent.H = min(max(h-want, minStrip), maxStrip, w*3/32+8) // a wide picture of which three fit, with air
		p.recent.Y = h - p.recent.H
	}
	high := max(p.recent.Y, 1)
	left, right := widget.SplitPanes(w, 62, sideWidth)
	if w >= largeFrom {
		left, right = railWidth, sideWidth
		p.large = widget.Rect{X: left + right, W: w - left - right, H: high}
	}
	p.form, p.side = widget.Rect{W: left, H: high}, widget.Rect{X: left, W: right, H: high}
	return p
}

// placeBeside puts the chosen result beside the prompt where it has no pane.
func (c *Screen) placeBeside() {
	p, f, free := &c.plan, c.draft().Form, 0
	from, to := f.PromptLines()
	h := min(p.form.H/3, to-from)
	w := h * 32 / 9
	if p.side.W == 0 && h >= besideLines && w <= p.form.W/3 && (!c.recent.Empty() || c.recent.Examples()) {
		p.large, free = widget.Rect{X: p.form.W - widget.Inset - w, Y: from + 1, W: w, H: h}, w+widget.Inset
	}
	f.Beside(free, p.side.W == 0 && p.form.H >= gridFrom && p.form.W >= asideFrom && c.choiceGrid() != nil)
}

func (c *Screen) click(m msg.ClickMsg) tea.Cmd {
	at := c.plan
	_, button := c.strip(at.form.W - 2*widget.Inset)
	onStrip := at.side.W == 0 && m.Y == at.form.H-2 && m.X >= at.form.W-widget.Inset-button
	switch {
	case at.recent.Holds(m.X, m.Y):
		return c.clickRecent(m.X-at.recent.X, m.Y-at.recent.Y)
	case at.large.Holds(m.X, m.Y):
		return c.recent.Enter(false)
	case m.Y == 0 && at.form.Holds(m.X, m.Y):
		if n := widget.SegmentAt(m.X-widget.Inset, c.kinds()...); n >= 0 && n != onImage-c.at { // else it is in view
			return c.switchKind()
		}
		return nil
	case at.form.Holds(m.X, m.Y) && !onStrip:
		if r, ok := c.aside(); ok && r.Holds(m.X, m.Y) {
			return c.clickChoice(r, m)
		}
		c.leaveRecent()
		c.draft().Form.Click(m.X-2, m.Y-1)
		return c.changed()
	}
	x, y := m.X-at.side.X-widget.Inset, m.Y-at.side.Y-1
	switch plan, again := sidePlanFor(at.side), c.env.Clock().Before(c.sentAt.Add(time.Second)); { // a second click on what sent it
	case !plan.button.Holds(x, y) && !onStrip:
		plan.grid.X, plan.grid.Y = plan.grid.X+at.side.X+widget.Inset, plan.grid.Y+at.side.Y+1
		return c.clickChoice(plan.grid, m)
	case again:
		return nil
	case c.ready.missing != "" && c.ready.key != "":
		c.draft().Form.Focus(c.draft().Materials)
		return nil
	}
	return c.toReview()
}

func (c *Screen) wheel(m msg.WheelMsg) tea.Cmd {
	switch at := c.plan; {
	case at.recent.Holds(m.X, m.Y), at.large.Holds(m.X, m.Y):
		return c.recent.Move(m.By)
	case at.side.Holds(m.X, m.Y):
		c.list.By(m.By)
	default:
		c.draft().Form.Wheel(m.Y-1, m.By)
	}
	return nil
}

func (c *Screen) Resize(w, h int) {
	c.w, c.h = w, h
	for _, d := range c.drafts {
		at := planFor(w, h, d.Kind)
		high := at.form.H - 2
		if at.side.W == 0 || at.recent.H > 1 {
			high-- // the line with the price, or air
		}
		d.Form.Resize(at.form.W-4, high)
	}
	c.arrange()
}

func (c *Screen) Restyle() {
	for _, d := range c.drafts {
		d.Label()
		d.Form.Restyle(c.env.Theme)
	}
	c.arrange()
}

// clickRecent gives the results the keys and chooses the one under the mouse; a second press shows it alone.
func (c *Screen) clickRecent(x, y int) tea.Cmd {
	cmd, again := c.recent.Click(x, y)
	switch {
	case again && c.recent.Empty():
		return c.takeExample()
	case again:
		return c.recent.Enter(false)
	case !c.recent.Empty(), c.recent.Examples():
		return tea.Batch(cmd, c.enterRecent())
	}
	return nil
}

// readiness is, in words, what stands between the draft and sending it.
type readiness struct {
	missing string   // what the button says of it, short
	key     string   // what leads there
	stops   []string // the reasons outside of the form, in full
	warning []string // what does not stop it: materials that are not public, a budget nearly spent
}

// bareToken is the name of a material without its brackets.
var bareToken = api.Pattern(`(?:^|[^【])(@(?:图片|视频|音频)[0-9]+)`)

// arrange brings layout and side pane up to date, after every change.
func (c *Screen) arrange() {
	c.plan = planFor(c.w, c.h, c.draft().Kind)
	c.placeBeside()
	c.recent.Resize(c.plan.recent, c.plan.large)
	c.ready = c.readiness()
	if c.plan.side.W == 0 {
		return
	}
	at := sidePlanFor(c.plan.side).list
	c.list.SetSize(at.W, at.H)
	t, price, warning := c.env.Theme, c.priceShown(), slices.Clone(c.ready.warning)
	if above, below := c.draft().Form.More(); c.ready.missing == "" && c.ready.key != "" {
		if warning[0] += "  " + c.ready.key; above+below == 0 { // the row of the material says so
			warning = warning[1:]
		}
	}
	stops := form.Marked(t.Bad, "✗ ", c.ready.stops, at.W)
	f := widget.Facts{Width: at.W, Theme: t, Lines: append(stops, form.Marked(t.Warn, "! ", warning, at.W)...)}
	f.Wrapped(price.statusStyle, price.status)
	f.Wrapped(f.Theme.Warn, price.dearer)
	c.list.SetLines(f.Lines)
}

func (c *Screen) readiness() readiness {
	d, k, found := c.draft(), c.env, c.draft().Form.Problems()
	out := readiness{warning: c.faulty(c.public.Problem)}
	c.readStops(&out)
	if text := d.Pattern.Prompt; d.References() && strings.Contains(text, "@") {
		for _, bare := range bareToken().FindAllStringSubmatch(text, 1) {
			out.warning = append(out.warning, k.Say("%s is plain text: a material is named as %s.", bare[1], "【"+bare[1]+"】"))
		}
	}
	if out.missing != "" || len(found) == 0 {
		// Links that are no use any more count if nothing else is in the way. The review lets them
		// be sent: the service may know better.
		if n := len(slices.DeleteFunc(d.Attached(), func(m draft.Material) bool { return !d.Expired(m.Address) })); n > 0 && out.missing == "" {
			out.warning = slices.Insert(out.warning, 0, k.Words.Count(n, "%d link has expired", "%d links have expired"))
			out.key = k.Key("materials", "ctrl+e")
		}
		return out
	}
	if found[0].Field == draft.MaterialsField {
		out.key = k.Key("materials", "ctrl+e")
	}
	switch label, shown := d.Form.Shows(found[0]); {
	case d.Empty() || found[0].Field == api.FieldPrompt && strings.TrimSpace(d.Prompt.Value()) == "":
		out.missing = k.Say("Write a prompt first")
	case len(found) > 1:
		out.missing = k.Words.Count(len(found), "%d problem", "%d problems")
	case found[0].Short != "":
		out.missing = found[0].Short
	case !shown && theme.Width(found[0].Text) <= c.plan.side.W-6:
		out.missing = found[0].Text
	default:
		out.missing = k.Say("Fix the %s first", strings.ToLower(label))
	}
	return out
}

// readStops adds what the key, the store and the budget have against sending.
func (c *Screen) readStops(out *readiness) {
	k, health, today := c.env, &c.env.Health, c.env.Today.Tightest()
	add := func(short, text string) {
		out.missing, out.stops = cmp.Or(out.missing, short), append(out.stops, text)
	}
	switch {
	case !health.ReadOnly.IsZero():
		add(k.Say("Nothing can be sent"), k.Reason(health.ReadOnly))
	case health.KeyHint == "" && !health.KeyPending && !health.Demo:
		add(k.Say("No API key"), k.Say("There is no API key: nothing can be sent."))
	}
	if !health.Online && !health.Trouble.IsZero() || c.whyNotSent() != "" { // the price says more
		out.missing = cmp.Or(out.missing, k.Say("Service not reachable"))
	}
	if today.Budget == api.BudgetUnreadable {
		add(k.Say("A setting is wrong"), k.Say("A setting or a variable is wrong, so nothing is sent. 'darkroom doctor' names it."))
		return
	}
	spent, budget := today.Credits+today.Possibly, today.Budget.String()
	if e := c.total(); today.Budget > 0 && e.Known() && spent+e.Credits > today.Budget {
		over := (spent + e.Credits - today.Budget).String()
		short := [...]string{k.Say("Over today's budget"), k.Say("Over this month's budget")}[today.Period]
		add(short, [...]string{k.Say("%s credits over today's budget of %s", over, budget),
			k.Say("%s credits over this month's budget of %s", over, budget)}[today.Period])
	}
	if out.missing == "" && today.Near() {
		out.warning = append(out.warning, [...]string{k.Say("%s of today's budget of %s credits are or may be spent", spent.String(), budget),
			k.Say("%s of this month's budget of %s credits are or may be spent", spent.String(), budget)}[today.Period])
	}
}
