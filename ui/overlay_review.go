package ui

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
	"darkroom/ui/form"
	"darkroom/ui/theme"
)

// review shows what a request costs and what exactly is sent, and sends it
// when the person agrees. A paste agrees to nothing.
type review struct {
	k        *kit
	backend  createBackend
	request  api.Request
	listing  api.Model
	body     []byte // of the first that is sent
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
	table    []action
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
func (c *create) review(s *sheet) tea.Cmd {
	r := &review{k: c.k, backend: c.backend, request: s.req, listing: s.listing, count: 1, body: s.req.Body(s.listing), estimate: c.price[c.at].estimate, today: c.k.today}
	r.table = []action{
		{keys: []string{"enter"}, label: "send", do: r.send, why: r.whyNotNow},
		{keys: []string{"+", "="}, show: "+/-", label: "how many", do: r.more(1), why: r.whyNoMore},
		{keys: []string{"-", "_"}, label: "one less", quiet: true, do: r.more(-1), why: r.whyNoMore},
		{keys: []string{"c"}, label: "JSON or curl", do: r.turn},
		{keys: []string{"y"}, label: "copy it", do: r.copy},
		{keys: []string{"esc"}, label: "back", do: r.back},
		{keys: []string{"down", "j"}, show: "j/k", label: "scroll", quiet: true, do: r.scroll(1)},
		{keys: []string{"up", "k"}, label: "scroll up", quiet: true, do: r.scroll(-1)},
		{keys: []string{"pgdown", "space"}, label: "next page", quiet: true, do: r.scroll(10)},
		{keys: []string{"pgup"}, label: "previous page", quiet: true, do: r.scroll(-10)},
	}
	ctx, d, now, request, estimate, k := c.k.ctx, c.backend, c.k.clock, r.request, r.estimate, c.k
	r.asking = true
	made := func() tea.Msg {
		r.confirm = state.NewConfirmID()
		return openedMsg{r}
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
	return inOrder(made, func() tea.Msg { return reviewMadeMsg{r.confirm} }, priced)
}

func (r *review) actions() []action                    { return r.table }
func (r *review) typing() bool                         { return false }
func (r *review) edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (r *review) cursor() *tea.Cursor                  { return nil }
func (r *review) restyle()                             { r.drawn, r.linesFor = "", 0 }

func (r *review) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case reviewPricedMsg:
		if m.confirm == r.confirm {
			r.priced(m)
		}
	case submittedMsg:
		if m.confirm == r.confirm {
			return r.submitted(m)
		}
	case wheelMsg:
		return r.scroll(m.by * 3)()
	case tickedMsg, changedMsg:
		r.drawn = ""
	}
	return nil
}

func (r *review) priced(m reviewPricedMsg) {
	r.asking, r.today, r.drawn = false, m.today, ""
	if m.estimate.Known() {
		r.estimate = m.estimate
	}
	if m.err != nil {
		r.priceErr = shortly(r.k, m.err)
	}
	if m.at.After(r.k.at) {
		r.k.at = m.at
	}
}

func (r *review) whyNotNow() string {
	switch {
	case r.sending:
		return r.k.say("It is on its way.")
	case r.stopped:
		return r.refusal
	case r.asking && !r.estimate.Known():
		return r.k.say("Asking the service for the price.")
	case r.count > 1 && r.sent == 0 && r.over() > 0: // all of them or none
		return r.overLine()
	}
	return ""
}

// whyNoMore: once one of them is recorded, the others are what was agreed to.
func (r *review) whyNoMore() string {
	if r.sending || r.sent > 0 {
		return r.k.say("It is on its way.")
	}
	return ""
}

// more changes how many are sent. Seeds are drawn once, so that what is shown
// is what is sent however often the number changes.
func (r *review) more(by int) func() tea.Cmd {
	return func() tea.Cmd {
		r.count = min(max(r.count+by, 1), variantsMost)
		for r.seeded() && len(r.seeds) < r.count {
			r.seeds = append(r.seeds, r.nextSeed())
		}
		r.body = r.variant(0).Body(r.listing)
		r.again, r.refusal, r.stopped = false, "", false
		r.table[0].label = "send"
		if r.count > 1 {
			r.table[0].label = "send them all"
		}
		r.drawn, r.linesFor = "", 0
		return nil
	}
}

// seeded: only seedance2 takes a seed ("Generation request: video").
func (r *review) seeded() bool { return r.request.Model == api.Seedance2 }

// nextSeed counts on from the seed of the form, or draws another one.
func (r *review) nextSeed() int64 {
	if first, n := r.request.Seed, int64(len(r.seeds)); first != nil && *first > 1<<53-1-n {
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
func (r *review) variant(i int) api.Request {
	q := r.request
	if r.count > 1 && r.seeded() {
		q.Seed = &r.seeds[i]
	}
	return q
}

// send knocks on the door, once for each. Their confirm ids are those of the
// review: however often the key is pressed, each is sent once.
func (r *review) send() tea.Cmd {
	r.sending, r.refusal, r.drawn = true, "", ""
	ctx, d, confirm := r.k.ctx, r.backend, r.confirm
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

func (r *review) submitted(m submittedMsg) tea.Cmd {
	r.sending, r.sent, r.drawn = false, m.sent, ""
	if m.err == nil {
		text := r.k.say("Sent. It goes on by itself; write the next one meanwhile.")
		if m.sent > 1 {
			text = r.k.say("%d are sent. They go on by themselves; write the next one meanwhile.", m.sent)
		}
		return inOrder(closeTop, pickJob(m.job.ID), say(toneGood, text))
	}
	r.refusal = sentence(r.k, m.err)
	if m.sent > 0 {
		r.refusal = r.k.say("%d of %d are sent. %s", m.sent, r.count, r.refusal)
	}
	var refusal *state.Refusal
	if !errors.As(m.err, &refusal) {
		return nil
	}
	switch refusal.Code {
	case "again":
		r.again = true
		r.table[0].label = "send it again"
	case "problems", "budget", "no_base", "not_sendable":
		r.stopped = true
	}
	return nil
}

func (r *review) back() tea.Cmd {
	if r.sending {
		return say(toneHint, r.k.say("It is on its way."))
	}
	return closeTop
}

func (r *review) turn() tea.Cmd {
	r.curl, r.top, r.drawn, r.linesFor = !r.curl, 0, "", 0
	return nil
}

func (r *review) copy() tea.Cmd {
	text := string(r.body)
	if r.curl {
		text = r.curlText()
	}
	return tea.Batch(tea.SetClipboard(text), say(toneGood, r.k.say("Copied.")))
}

func (r *review) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		r.top = min(max(r.top+by, 0), max(len(r.lines)-r.rows, 0))
		r.drawn = ""
		return nil
	}
}

func (r *review) box(w, h int) string {
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
	r.drawn = boxed(r.k, width, h, r.k.say("Review and send"), append(lines, tail...))
	return r.drawn
}

// head is the price, what today cost, and where the request goes.
func (r *review) head(w int) []string {
	t := r.k.theme
	figure, source := figureText(r.k, r.estimate)
	if r.count > 1 {
		figure = r.k.say("%d × %s = %s", r.count, figure, r.price())
		if !r.estimate.Known() {
			figure = r.k.say("%d × %s", r.count, r.price())
		}
	}
	ink := t.Muted
	if r.estimate.Source == api.SourceService {
		ink = t.Good
	}
	price := t.Accent.Paint(figure) + "  " + ink.Paint(source)
	switch {
	case r.asking && !fresh(r.k, r.estimate, r.k.at):
		price += "  " + t.Faint.Paint(r.k.say("asking the service …"))
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
		for _, l := range form.Wrap(r.variantsLine(), w) {
			out = append(out, t.Text.Paint(l))
		}
	}
	if r.over() > 0 && r.sent == 0 {
		out = append(out, t.Bad.Paint("✗ "+r.overLine()))
	}
	return append(out, divide(what+" · POST "+api.Clean(r.k.settings.BaseURL, 200).String()+r.request.Path()))
}

func (r *review) overLine() string {
	return r.k.say("%s credits over today's budget: it will not be sent.", amount(r.over()))
}

func (r *review) over() api.Credits {
	if r.today.Budget == 0 || !r.estimate.Known() {
		return 0
	}
	return r.today.Credits + r.today.Possibly + r.total() - r.today.Budget
}

// total is what all of them cost.
func (r *review) total() api.Credits { return r.estimate.Credits * api.Credits(r.count) }

// variantsLine says in what those that are sent differ.
func (r *review) variantsLine() string {
	if !r.seeded() {
		return r.k.say("The same request %d times; the service makes each anew.", r.count)
	}
	seeds := make([]string, r.count)
	for i := range seeds {
		seeds[i] = strconv.FormatInt(r.seeds[i], 10)
	}
	return r.k.say("Seeds %s; the first is shown.", strings.Join(seeds, ", "))
}

func (r *review) todayLine() string {
	s := r.k.say("today %s credits", amount(r.today.Credits))
	if r.today.Possibly > 0 {
		s += r.k.say(", possibly %s more", amount(r.today.Possibly))
	}
	if r.today.Budget > 0 {
		s += r.k.say(", budget %s", amount(r.today.Budget))
	}
	return s
}

// tail is what went wrong, and the keys.
func (r *review) tail(w int) []string {
	t := r.k.theme
	out := []string{divide("")}
	if len(r.lines) > r.rows && r.rows > 0 {
		out[0] = divide(r.k.say("lines %d to %d of %d", r.top+1, r.top+r.rows, len(r.lines)))
	}
	if r.refusal != "" {
		ink := t.Bad
		if r.again {
			ink = t.Warn
		}
		for _, l := range form.Wrap(r.refusal, w) {
			out = append(out, ink.Paint(l))
		}
	}
	switch {
	case r.sending:
		return append(out, t.Run.Paint("◐ ")+t.Muted.Paint(r.k.say("sending …")))
	case r.again:
		out = append(out, t.Strong.Paint(r.k.say("Send it again, for %s?", r.price())))
	}
	return append(out, keyLine(r.k, r.table))
}

func (r *review) price() string {
	if !r.estimate.Known() {
		return r.k.say("an unknown price")
	}
	return r.k.say("%s credits", amount(r.total()))
}

func (r *review) bodyLines(w int) []string {
	t := r.k.theme
	text := r.curlText()
	if !r.curl {
		var b bytes.Buffer
		if json.Indent(&b, r.body, "", "  ") != nil {
			b.Write(r.body)
		}
		text = b.String()
	}
	var out []string
	for line := range strings.Lines(api.CleanLines(text, len(text)).String()) {
		line = strings.TrimRight(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		for i, l := range form.Wrap(line[indent:], max(w-indent-2, 10)) {
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

// curlText is the same request for a shell; the key stays a variable.
func (r *review) curlText() string {
	return "curl --request POST " + quoteShell(r.k.settings.BaseURL+r.request.Path()) + " \\\n" +
		"  --header \"Authorization: Bearer $DARKROOM_API_KEY\" \\\n" +
		"  --header 'Content-Type: application/json' \\\n" +
		"  --data-raw " + quoteShell(string(r.body)) + "\n"
}

// quoteShell writes s as one word for a POSIX shell.
func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
