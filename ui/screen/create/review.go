package create

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Review shows what a request costs and what exactly is sent, and sends it
// when the person agrees. A paste agrees to nothing.
type Review struct {
	K        *env.Env
	backend  Backend
	Request  api.Request
	listing  api.Model
	Body     []byte // of the first that is sent
	estimate api.Estimate
	confirm  string  // made once for this review
	count    int     // how many are sent; a video's differ in their seeds
	seeds    []int64 // of those, as far as they were asked for
	sent     int     // of those, with their intents recorded
	asking   bool    // the price is being asked again
	priceErr string
	sending  bool
	again    bool   // agreed to send a body equal to one that is under way
	refusal  string // why nothing was sent
	stopped  bool   // the refusal will not change by trying again here
	today    state.Spent
	curl     bool
	top      int
	table    []action.Action
	drawn    string
	w, h     int
	rows     int
	lines    []string // the body as shown, wrapped
	linesFor int
}

// reviewMadeMsg says that the review is in view, with its confirm id.
type reviewMadeMsg struct{ confirm string }

// reviewPricedMsg is a fresh price for a review, and what today cost.
type reviewPricedMsg struct {
	confirm  string
	estimate api.Estimate
	err      error
	today    state.Spent
	at       time.Time
}

// submittedMsg says what became of the knock on the door. The review shows the
// error itself.
type submittedMsg struct {
	confirm string
	job     state.Job // the last that was taken
	sent    int       // how many were taken
	err     error     // why the next was not
}

// variantsMost is how many of one request are sent by one confirmation.
const variantsMost = 8

// review opens the review of a sheet.
func (c *Screen) review(s *sheet) tea.Cmd {
	r := &Review{K: c.k, backend: c.backend, Request: s.Req, listing: s.listing, count: 1, Body: s.Req.Body(s.listing), estimate: c.Price[c.At].Estimate, today: c.k.Today}
	r.table = []action.Action{
		{Keys: []string{"enter"}, Label: "send", Handler: r.send, Disabled: r.whyNotNow},
		{Keys: []string{"+", "="}, Display: "+/-", Label: "how many", Handler: r.more(1), Disabled: r.whyNoMore},
		{Keys: []string{"-", "_"}, Label: "one less", Hidden: true, Handler: r.more(-1), Disabled: r.whyNoMore},
		{Keys: []string{"c"}, Label: "JSON or curl", Handler: r.turn},
		{Keys: []string{"y"}, Label: "copy it", Handler: r.copy},
		{Keys: []string{"esc"}, Label: "back", Handler: r.back},
		{Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Hidden: true, Handler: r.scroll(1)},
		{Keys: []string{"up", "k"}, Label: "scroll up", Hidden: true, Handler: r.scroll(-1)},
		{Keys: []string{"pgdown", "space"}, Label: "next page", Hidden: true, Handler: r.scroll(10)},
		{Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: r.scroll(-10)},
	}
	ctx, d, now, request, estimate, k := c.k.Context, c.backend, c.k.Clock, r.Request, r.estimate, c.k
	r.asking = true
	made := func() tea.Msg {
		r.confirm = state.NewConfirmID()
		return msg.OpenedMsg{Overlay: r}
	}
	priced := func() tea.Msg {
		m := reviewPricedMsg{confirm: r.confirm, estimate: estimate}
		if !fresh(k, estimate, now()) {
			m.estimate, m.err = d.Estimate(ctx, request)
		}
		m.today, _ = d.Today(ctx)
		m.at = now()
		return m
	}
	return msg.Sequence(made, func() tea.Msg { return reviewMadeMsg{r.confirm} }, priced)
}

func (r *Review) Actions() []action.Action             { return r.table }
func (r *Review) Typing() bool                         { return false }
func (r *Review) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (r *Review) Cursor() *tea.Cursor                  { return nil }
func (r *Review) Restyle()                             { r.drawn, r.linesFor = "", 0 }

func (r *Review) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case reviewPricedMsg:
		if m.confirm == r.confirm {
			r.priced(m)
		}
	case submittedMsg:
		if m.confirm == r.confirm {
			return r.submitted(m)
		}
	case msg.WheelMsg:
		return r.scroll(m.By * 3)()
	case msg.TickedMsg, msg.ChangedMsg:
		r.drawn = ""
	}
	return nil
}

func (r *Review) priced(m reviewPricedMsg) {
	r.asking, r.today, r.drawn = false, m.today, ""
	if m.estimate.Known() {
		r.estimate = m.estimate
	}
	if m.err != nil {
		r.priceErr = env.Shortly(r.K, m.err)
	}
	if m.at.After(r.K.At) {
		r.K.At = m.at
	}
}

func (r *Review) whyNotNow() string {
	switch {
	case r.sending:
		return r.K.Say("It is on its way.")
	case r.stopped:
		return r.refusal
	case r.asking && !r.estimate.Known():
		return r.K.Say("Asking the service for the price.")
	case r.count > 1 && r.sent == 0 && r.over() > 0: // all of them or none
		return r.overLine()
	}
	return ""
}

// whyNoMore: once one of them is recorded, the others are what was agreed to.
func (r *Review) whyNoMore() string {
	if r.sending || r.sent > 0 {
		return r.K.Say("It is on its way.")
	}
	return ""
}

// more changes how many are sent. Seeds are drawn once, so that what is shown
// is what is sent however often the number changes.
func (r *Review) more(by int) func() tea.Cmd {
	return func() tea.Cmd {
		r.count = min(max(r.count+by, 1), variantsMost)
		for r.seeded() && len(r.seeds) < r.count {
			r.seeds = append(r.seeds, r.nextSeed())
		}
		r.Body = r.variant(0).Body(r.listing)
		r.again, r.refusal, r.stopped = false, "", false
		r.table[0].Label = "send"
		if r.count > 1 {
			r.table[0].Label = "send them all"
		}
		r.drawn, r.linesFor = "", 0
		return nil
	}
}

// seeded: only seedance2 takes a seed ("Generation request: video").
func (r *Review) seeded() bool { return r.Request.Model == api.Seedance2 }

// nextSeed counts on from the seed of the form, or draws another one.
func (r *Review) nextSeed() int64 {
	if first, n := r.Request.Seed, int64(len(r.seeds)); first != nil && *first > 1<<53-1-n {
		return *first - n // the largest that JSON's readers agree on
	} else if first != nil {
		return *first + n
	}
	for {
		if seed := rand.Int64N(1 << 31); !slices.Contains(r.seeds, seed) {
			return seed
		}
	}
}

// variant is the i-th request that is sent. One alone is as the form has it.
func (r *Review) variant(i int) api.Request {
	q := r.Request
	if r.count > 1 && r.seeded() {
		q.Seed = &r.seeds[i]
	}
	return q
}

// send knocks on the door, once for each. Their confirm ids are those of the
// review: however often the key is pressed, each is sent once.
func (r *Review) send() tea.Cmd {
	r.sending, r.refusal, r.drawn = true, "", ""
	ctx, d, confirm := r.K.Context, r.backend, r.confirm
	all := make([]state.Confirmed, r.count)
	for i := range all {
		all[i] = state.Confirmed{ConfirmID: confirm, Request: r.variant(i), Estimate: r.estimate, Again: r.again}
		if i > 0 {
			all[i].ConfirmID += "-" + strconv.Itoa(i+1)
			all[i].Again = r.again || !r.seeded() // several of the same were agreed to
		}
	}
	return func() tea.Msg {
		m := submittedMsg{confirm: confirm}
		for _, c := range all {
			job, err := d.Submit(ctx, c)
			if err != nil {
				m.err = err
				return m
			}
			m.job, m.sent = job, m.sent+1
		}
		return m
	}
}

func (r *Review) submitted(m submittedMsg) tea.Cmd {
	r.sending, r.sent, r.drawn = false, m.sent, ""
	if m.err == nil {
		text := r.K.Say("Sent. It goes on by itself; write the next one meanwhile.")
		if m.sent > 1 {
			text = r.K.Say("%d are sent. They go on by themselves; write the next one meanwhile.", m.sent)
		}
		return msg.Sequence(msg.CloseTop, msg.ShowJob(m.job.ID), msg.Notify(msg.ToneGood, text))
	}
	r.refusal = env.Sentence(r.K, m.err)
	if m.sent > 0 {
		r.refusal = r.K.Say("%d of %d are sent. %s", m.sent, r.count, r.refusal)
	}
	var refusal *state.Refusal
	if !errors.As(m.err, &refusal) {
		return nil
	}
	switch refusal.Code {
	case "again":
		r.again = true
		r.table[0].Label = "send it again"
	case "problems", "budget", "no_base", "not_sendable":
		r.stopped = true
	}
	return nil
}

func (r *Review) back() tea.Cmd {
	if r.sending {
		return msg.Notify(msg.ToneHint, r.K.Say("It is on its way."))
	}
	return msg.CloseTop
}

func (r *Review) turn() tea.Cmd {
	r.curl, r.top, r.drawn, r.linesFor = !r.curl, 0, "", 0
	return nil
}

func (r *Review) copy() tea.Cmd {
	text := string(r.Body)
	if r.curl {
		text = r.CurlText()
	}
	return tea.Batch(tea.SetClipboard(text), msg.Notify(msg.ToneGood, r.K.Say("Copied.")))
}

func (r *Review) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		r.top = min(max(r.top+by, 0), max(len(r.lines)-r.rows, 0))
		r.drawn = ""
		return nil
	}
}

func (r *Review) Box(w, h int) string {
	if r.drawn != "" && r.w == w && r.h == h {
		return r.drawn
	}
	r.w, r.h = w, h
	width := min(92, w)
	inner := width - 4
	head := r.head(inner)
	tail := r.tail(inner)
	if r.linesFor != inner {
		r.lines, r.linesFor = r.bodyLines(inner), inner
	}
	most := max(h-2-len(head)-len(tail), 1)
	r.rows = min(len(r.lines), most)
	r.top = min(r.top, max(len(r.lines)-r.rows, 0))
	lines := append(head, r.lines[r.top:r.top+r.rows]...)
	r.drawn = widget.Boxed(r.K, width, h, r.K.Say("Review and send"), append(lines, tail...))
	return r.drawn
}

// head is the price, what today cost, and where the request goes.
func (r *Review) head(w int) []string {
	t := r.K.Theme
	figure, source := figureText(r.K, r.estimate)
	if r.count > 1 {
		figure = r.K.Say("%d × %s = %s", r.count, figure, r.price())
		if !r.estimate.Known() {
			figure = r.K.Say("%d × %s", r.count, r.price())
		}
	}
	ink := t.Muted
	if r.estimate.Source == api.SourceService {
		ink = t.Good
	}
	price := t.Accent.Paint(figure) + "  " + ink.Paint(source)
	switch {
	case r.asking && !fresh(r.K, r.estimate, r.K.At):
		price += "  " + t.Faint.Paint(r.K.Say("asking the service …"))
	case r.priceErr != "":
		price += "  " + t.Warn.Paint(r.priceErr)
	}
	what := "JSON"
	if r.curl {
		what = "curl"
	}
	today := t.Muted
	if r.today.Near() {
		today = t.Warn
	}
	out := []string{"", price, today.Paint(r.todayLine())}
	if r.count > 1 {
		for _, l := range widget.Wrap(r.variantsLine(), w) {
			out = append(out, t.Text.Paint(l))
		}
	}
	if r.over() > 0 && r.sent == 0 {
		out = append(out, t.Bad.Paint("✗ "+r.overLine()))
	}
	return append(out, widget.Divide(what+" · POST "+api.Clean(r.K.Settings.BaseURL, 200).String()+r.Request.Path()))
}

func (r *Review) overLine() string {
	return r.K.Say("%s credits over today's budget: it will not be sent.", env.Amount(r.over()))
}

func (r *Review) over() api.Credits {
	if r.today.Budget == 0 || !r.estimate.Known() {
		return 0
	}
	return r.today.Credits + r.today.Possibly + r.total() - r.today.Budget
}

// total is what all of them cost.
func (r *Review) total() api.Credits { return r.estimate.Credits * api.Credits(r.count) }

// variantsLine says in what those that are sent differ.
func (r *Review) variantsLine() string {
	if !r.seeded() {
		return r.K.Say("The same request %d times; the service makes each anew.", r.count)
	}
	seeds := make([]string, r.count)
	for i := range seeds {
		seeds[i] = strconv.FormatInt(r.seeds[i], 10)
	}
	return r.K.Say("Seeds %s; the first is shown.", strings.Join(seeds, ", "))
}

func (r *Review) todayLine() string {
	s := r.K.Say("today %s credits", env.Amount(r.today.Credits))
	if r.today.Possibly > 0 {
		s += r.K.Say(", possibly %s more", env.Amount(r.today.Possibly))
	}
	if r.today.Budget > 0 {
		s += r.K.Say(", budget %s", env.Amount(r.today.Budget))
	}
	return s
}

// tail is what went wrong, and the keys.
func (r *Review) tail(w int) []string {
	t := r.K.Theme
	out := []string{widget.Divide("")}
	if len(r.lines) > r.rows && r.rows > 0 {
		out[0] = widget.Divide(r.K.Say("lines %d to %d of %d", r.top+1, r.top+r.rows, len(r.lines)))
	}
	if r.refusal != "" {
		ink := t.Bad
		if r.again {
			ink = t.Warn
		}
		for _, l := range widget.Wrap(r.refusal, w) {
			out = append(out, ink.Paint(l))
		}
	}
	switch {
	case r.sending:
		return append(out, t.Run.Paint("◐ ")+t.Muted.Paint(r.K.Say("sending …")))
	case r.again:
		out = append(out, t.Strong.Paint(r.K.Say("Send it again, for %s?", r.price())))
	}
	return append(out, widget.KeyLine(r.K, r.table))
}

func (r *Review) price() string {
	if !r.estimate.Known() {
		return r.K.Say("an unknown price")
	}
	return r.K.Say("%s credits", env.Amount(r.total()))
}

func (r *Review) bodyLines(w int) []string {
	t := r.K.Theme
	text := r.CurlText()
	if !r.curl {
		var b bytes.Buffer
		if json.Indent(&b, r.Body, "", "  ") != nil {
			b.Write(r.Body)
		}
		text = b.String()
	}
	var out []string
	for line := range strings.Lines(api.CleanLines(text, len(text)).String()) {
		line = strings.TrimRight(line, "\n")
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
	}
	return out
}

// CurlText is the same request for a shell; the key stays a variable.
func (r *Review) CurlText() string {
	return "curl --request POST " + quoteShell(r.K.Settings.BaseURL+r.Request.Path()) + " \\\n" +
		"  --header \"Authorization: Bearer $DARKROOM_API_KEY\" \\\n" +
		"  --header 'Content-Type: application/json' \\\n" +
		"  --data-raw " + quoteShell(string(r.Body)) + "\n"
}

// quoteShell writes s as one word for a POSIX shell.
func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
