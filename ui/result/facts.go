package result

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// OutcomeUnknown reports whether it is open if a job was accepted and charged.
func OutcomeUnknown(r *state.Row) bool {
	return (r.Phase == api.PhaseUnknown || r.Phase == api.PhaseUnread) && !r.Dismissed
}

// facts shows all that is known of the chosen job, which is read again, and its raw answer.
func (v *Verbs) facts() tea.Cmd {
	id, backend := v.row().ID, v.backend
	var answer string
	return ask(v, func(ctx context.Context) (j state.Job, err error) {
		if j, err = backend.Job(ctx, id); err == nil {
			var raw []byte
			raw, err = backend.RawAnswer(ctx, id)
			answer = widget.Pretty(raw)
		}
		return j, err
	}, func(j state.Job) tea.Cmd {
		answer = cmp.Or(answer, v.k.Say("No response about this job was received yet."))
		text := FactsText(v.k, &j) + "\n\n" + v.k.Say("Raw response") + "\n" + answer
		return msg.Open(v.k, widget.NewReader(v.k, v.k.Say("Details and raw response"), text))
	})
}

// FactsText is all that is known of a job, as lines.
func FactsText(k *env.Env, j *state.Job) string {
	look := widget.PhaseLook(j.Phase)
	f := widget.Facts{Width: 1 << 16, Theme: k.Theme} // the reader wraps
	f.Add(api.CleanLines(j.Request.Prompt, 5000).String(), "", look.Mark+" "+k.Say(look.Word)+" · "+k.Say(widget.KindWord(j.Kind)))
	f.Wrapped(theme.Style{}, Failure(k, &j.Row))
	rating := strings.TrimSpace(pickSigns[j.Rating.Pick] + " " + strings.Repeat("★", j.Rating.Stars))
	facts := append(Facts(k, j, Typical{}), Fact{k.Say("Rating"), []string{rating}}, Fact{k.Say("Note"), []string{j.Note}})
	facts = append(facts, api.Map(j.Files, func(f state.File) Fact { return Fact{k.Say("File"), []string{widget.Tilde(f.Path, k.Home)}} })...)
	for i := range j.Results {
		facts = append(facts, Fact{k.Say("URL"), []string{CleanAddress(j, i)}})
	}
	remote := k.SayIf(j.RemoteID != "", "at the service %s", api.Clean(j.RemoteID, api.MaxIDText))
	WriteFacts(&f, append(facts, Fact{k.Say("ID"), env.Said(j.ID, remote)}))
	return strings.Join(f.Lines, "\n")
}

// Fact is what is known of a job under a label; without parts it is not written.
type Fact struct {
	Label string
	Parts []string
}

// Facts are what was asked for, what it costs, when it was sent and how long it took.
func Facts(k *env.Env, j *state.Job, typical Typical) []Fact {
	return []Fact{
		{k.Say("Settings"), append(widget.RequestFacts(k, j.Request), env.Said(frameOf(k, j.Frame))...)},
		{k.Say("Cost"), append(Cost(k, j), Times(k, j, typical)...)},
	}
}

// frameOf says which frame of which clip a job begins with, if that is known.
func frameOf(k *env.Env, f *state.Frame) string {
	if f == nil {
		return ""
	}
	return k.Say("frame %.2f s of %s", f.Seconds, api.Clean(f.Title, 200))
}

// WriteFacts writes facts in two columns.
func WriteFacts(f *widget.Facts, facts []Fact) {
	label := 0
	for _, x := range facts {
		label = max(label, theme.Width(x.Label)+2)
	}
	for _, x := range facts {
		value := widget.Facts{Width: f.Width - label, Theme: f.Theme}
		value.Joined(f.Theme.Text, x.Parts)
		for _, line := range value.Lines {
			f.Add(f.Theme.Muted.Paint(theme.Fit(x.Label, label)) + line)
			x.Label = ""
		}
	}
}

// Failure is why a job ended without a result. Where the service's own words are in another
// language than the others, it is said before them.
func Failure(k *env.Env, r *state.Row) string {
	text := k.Reason(r.Error)
	switch {
	case r.Error.Format() != api.ReasonText || k.Words.Lang == "en":
	case r.Phase == api.PhaseFailed:
		return k.Say("The model could not finish: %s", text)
	case r.Phase == api.PhaseRejected:
		return k.Say("The service refused it: %s", text)
	}
	return text
}

// Cause is the part of a Failure for which there is room beside the phase: of the service's own
// words what stands behind a colon.
func Cause(k *env.Env, r *state.Row) string {
	text := api.OneLine(k.Reason(r.Error))
	if _, cause, ok := strings.Cut(text, ": "); ok && r.Error.Format() == api.ReasonText {
		text = cause
	}
	text, _, _ = strings.Cut(text, ". ") // that it is not charged is said beside it
	return env.AsSentence(env.Capital(text))
}

// Cost is what a job costs, and how long its links can still be fetched.
func Cost(k *env.Env, j *state.Job) []string {
	price := cmp.Or(k.SayIf(j.Free(), "not charged"), Charge(k, RowOf(j)), k.Say("price not known"))
	if j.Estimate.Source == api.SourceTable && !j.Free() {
		price = "≈ " + price
	}
	return env.Said(price, linksLeft(k, j))
}

// Times is when a job was sent and how long it took.
func Times(k *env.Env, j *state.Job, typical Typical) []string {
	took := Took(k, j, typical)
	return env.Said(k.SayIf(!j.SentAt.IsZero(), "sent %s", k.When(j.SentAt)), k.SayIf(took != "", "took %s", took))
}

// Took is how long a job took, and how long its class usually takes if that is another time.
func Took(k *env.Env, j *state.Job, typical Typical) string {
	if j.EndedAt.IsZero() || j.SentAt.IsZero() {
		return ""
	}
	took, usual := k.Lasted(j.EndedAt.Sub(j.SentAt)), k.Lasted(typical.Median)
	return cmp.Or(k.SayIf(typical.Median > 0 && j.Phase == api.PhaseDone && took != usual, "%s (usual %s)", took, usual), took)
}

var pickSigns = map[int]string{1: "♥", -1: "✕"}

// PaintRating is a rating with the stars that it lacks.
func PaintRating(t *theme.Theme, r state.Rating) string {
	stars := t.Warn.Paint(strings.Repeat("★", r.Stars)) + t.Strong.Paint(strings.Repeat("☆", 5-r.Stars))
	return t.Warn.Paint(pickSigns[r.Pick]) + " " + stars
}

// fileOf is the address and the type of a job's file n, as far as they are known.
func fileOf(j *state.Job, n int) (address, media string) {
	if n < len(j.Results) {
		address, media = j.Results[n].URL, j.Results[n].MediaType
	}
	if n < len(j.Files) {
		address, media = cmp.Or(j.Files[n].URL, address), j.Files[n].MediaType
	}
	return address, media
}

// linksLeft is how long the links of a job without files can still be fetched; ""
// when that is not known, or over.
func linksLeft(k *env.Env, j *state.Job) string {
	open := len(j.Files) == 0 && j.Phase != api.PhaseExpired && j.ExpiresAt.After(k.At)
	return k.SayIf(open, "links expire in %s", k.Span(j.ExpiresAt.Sub(k.At)))
}

// FactsIn are the one line of facts of the result chosen in a place, until it is read as far as its row knows them.
func FactsIn(k *env.Env, p Place) []string {
	if job, read := p.Job(); read {
		return jobFacts(k, &job)
	}
	r, _ := p.Row()
	return env.Said(api.Clean(r.Model, api.MaxIDText).String(), Charge(k, r), k.Say("sent %s", k.When(r.CreatedAt)))
}

// Charge is what a job costs; "": nothing known.
func Charge(k *env.Env, r state.Row) string {
	if r.Source == api.SourceNone || r.Source == "" || r.Free() {
		return ""
	}
	return k.Say("%s cr", r.Credits.String()) + k.Settings.Credit.Of(r.Credits)
}

// jobFacts are the one line of facts of a job: the person's note, what was asked
// for, what it cost, when and how long.
func jobFacts(k *env.Env, j *state.Job) []string {
	parts := slices.Concat(widget.RequestFacts(k, j.Request), env.Said(Charge(k, RowOf(j))), Times(k, j, Typical{}), env.Said(linksLeft(k, j)))
	if j.Note != "" {
		parts = slices.Insert(parts, 0, "✎ "+j.Note)
	}
	return env.Said(parts...)
}

// Signs are what a row shows at its end: rating, number of files, a note.
func Signs(r *state.Row) string {
	return strings.NewReplacer(" ", "", "♥★", "♥ ★").Replace(SignColumns(r))
}

// SignColumns are the signs of a row, those of the rating in columns of their own.
func SignColumns(r *state.Row) string {
	s := cmp.Or(pickSigns[r.Pick], " ") + cmp.Or(strings.TrimSuffix("★"+strconv.Itoa(r.Stars), "★0"), "  ")
	if r.Note != "" {
		s += "✎"
	}
	if r.Files > 1 {
		s += "×" + strconv.Itoa(r.Files)
	}
	return s
}

// lineage shows what the chosen result was made from, and what was made from it.
func (v *Verbs) lineage() tea.Cmd {
	id, backend := v.row().ID, v.backend
	return ask(v, func(ctx context.Context) ([]state.Relative, error) {
		return backend.Results().Lineage(ctx, id)
	}, func(list []state.Relative) tea.Cmd {
		if len(list) < 2 {
			return msg.Notify(msg.ToneHint, v.k.Say("It was not made from a result, and no result was made from it."))
		}
		lines := append(treeLines(v.k, list, id), "", ChainCost(v.k, list))
		return msg.Open(v.k, widget.NewReader(v.k, v.k.Say("Lineage"), strings.Join(lines, "\n")))
	})
}

// treeLines draw a lineage as a tree; a job stands below the last of its sources.
func treeLines(k *env.Env, list []state.Relative, chosen string) []string {
	children := map[string][]int{} // of "": the roots
	ids := api.Map(list, func(r state.Relative) string { return r.ID })
	for i, r := range list {
		parent := ""
		for _, id := range r.Sources {
			if id != r.ID && slices.Contains(ids, id) {
				parent = id
			}
		}
		children[parent] = append(children[parent], i)
	}
	var lines []string
	var draw func(i int, lead, below string)
	draw = func(i int, lead, below string) {
		r := &list[i]
		parts := []string{widget.PhaseLook(r.Phase).Mark + " " + k.Say(widget.KindWord(r.Kind)), r.Title}
		parts = append(parts, env.Said(frameOf(k, r.Frame), Charge(k, r.Row), k.Stamp(r.CreatedAt))...)
		if r.ID == chosen {
			parts = append(parts, "◂ "+k.Say("this one"))
		}
		lines = append(lines, lead+strings.Join(parts, "  "))
		under := children[r.ID]
		for n, child := range under {
			branch, further := "├─ ", "│  "
			if n == len(under)-1 {
				branch, further = "└─ ", "   "
			}
			draw(child, below+branch, below+further)
		}
	}
	for _, i := range children[""] {
		draw(i, "", "")
	}
	return lines
}

// ChainCost is what all jobs of a lineage cost, or may have cost, together.
func ChainCost(k *env.Env, list []state.Relative) string {
	var sum api.Credits
	for _, r := range list {
		if !r.Free() {
			sum += r.Credits
		}
	}
	return k.Say("together %s cr", sum.String())
}

// RowOf is a job as a list shows it.
func RowOf(j *state.Job) state.Row {
	r := j.Row
	r.Credits, r.Source, r.Files = j.Estimate.Credits, cmp.Or(j.Estimate.Source, api.SourceNone), len(j.Files)
	if len(j.Files) > 0 {
		r.File = j.Files[0].Path
	}
	return r
}

// Waiting is an active job as it is drawn until its picture comes.
type Waiting struct {
	Env     *env.Env
	Job     *state.Job
	Typical Typical // how long jobs like it took lately
	Place   int     // in the service's queue; 0 is not known
}

// Elapsed is how long the job has been under way.
func (w Waiting) Elapsed() time.Duration {
	return max(w.Env.At.Sub(cmp.Or(w.Job.SentAt, w.Job.CreatedAt)), 0)
}

// Head is the phase, its sign moving while the job runs.
func (w Waiting) Head() string {
	look := widget.PhaseLook(w.Job.Phase)
	if w.Job.Phase == api.PhaseRunning && w.Env.Moves() {
		look.Mark = widget.Turning(w.Env.At)
	}
	return look.Mark + " " + w.Env.Say(look.Word)
}

// Times are how long the job takes and how long its class took lately.
func (w Waiting) Times() string {
	if w.Typical.Median > 0 {
		return env.Short(w.Elapsed()) + " / ~" + env.Short(w.Typical.Median)
	}
	return env.Short(w.Elapsed())
}

// Part is how far the job is by its typical time, else by what the service says; 0 in the
// queue, and less when nothing is known.
func (w Waiting) Part() float64 {
	switch {
	case w.Job.Phase == api.PhaseQueued:
		return 0
	case w.Typical.Median > 0:
		return min(float64(w.Elapsed())/float64(w.Typical.Median), 0.97)
	}
	return w.Job.Progress
}

// Bar is how far the job is. It pulses when that is not known.
func (w Waiting) Bar(width int) string {
	t, part, at := w.Env.Theme, w.Part(), 0
	full, track, rest := "━", "─", t.Faint
	if t.Grounds() { // close to the picture above it
		full, track, rest = "▔", "▔", t.Border
	}
	n := min(int(math.Round(part*float64(width))), width)
	if part < 0 {
		n = min(3, width)
		if w.Env.Moves() {
			at = int(w.Elapsed()/time.Second) % max(width-2, 1)
		}
	}
	return rest.Paint(strings.Repeat(track, at)) + t.Run.Paint(strings.Repeat(full, n)) +
		rest.Paint(strings.Repeat(track, max(width-at-n, 0)))
}

// Said is the phase and its times in at most so many cells. Where those are few, the phase is a sign.
func (w Waiting) Said(cells int, in theme.Style) string {
	head, times := w.Head(), " "+w.Times()
	if theme.Width(head+times) > cells {
		head, _, _ = strings.Cut(head, " ")
	}
	if theme.Width(head+times) > cells {
		times, _, _ = strings.Cut(times, " / ")
	}
	return widget.PhaseStyle(&w.Env.Theme.Styles, w.Job.Phase).Paint(head) + in.Paint(times)
}

// Light is the share of what is known of the picture that shows meanwhile. It grows in
// steps, so that most seconds draw nothing.
func (w Waiting) Light() float64 {
	const steps = 16
	return 0.3 + 0.5*math.Floor(max(w.Part(), 0)*steps)/steps
}

// Lines draw the job in cols×rows cells: a frame in the ratio of the result, in
// it the phase, the bar, the times, its place in the queue and when the service
// is asked next. They are blank where it does not fit.
func (w Waiting) Lines(cols, rows int) []string {
	k, t, j := w.Env, w.Env.Theme, w.Job
	f := Frame{Theme: t}
	if f.Cols, f.Rows = FitRatio(Ratio(j.Request), max(cols-2, 1), max(rows-2, 1)); f.Cols < 14 || f.Rows < 3 {
		return Centred(nil, cols, rows)
	}
	f.Body = []string{widget.PhaseStyle(&t.Styles, j.Phase).Paint(w.Head()), w.Bar(min(f.Cols-4, 32)), t.Muted.Paint(w.Times())}
	if w.Place > 0 && f.Rows > 3 {
		f.Body = append(f.Body, t.Text.Paint(k.Say("place %d in the queue", w.Place)))
	}
	if left := j.NextPoll.Sub(k.At); left > 0 && j.RemoteID != "" && f.Rows > len(f.Body)+1 {
		f.Body = append(f.Body, t.Faint.Paint(k.Say("next check in %s", k.Span(left))))
	}
	return Centred(f.Lines(), cols, rows)
}

// Typical is how long jobs of one class took lately.
type Typical struct{ Median, Slow time.Duration }

// Class is what a list knows of how long a job may take.
type Class struct {
	kind    api.Kind
	model   string
	credits api.Credits
}

// ClassOf is the class of a row's job.
func ClassOf(r state.Row) Class { return Class{r.Kind, r.Model, r.Credits} }

// Timings learns from the finished rows. It sorts, so it runs in a command.
func Timings(rows []state.Row) map[Class]Typical {
	took := map[Class][]time.Duration{}
	for i := range rows {
		r := &rows[i]
		if r.Phase == api.PhaseDone && !r.SentAt.IsZero() && r.EndedAt.After(r.SentAt) {
			took[ClassOf(*r)] = append(took[ClassOf(*r)], r.EndedAt.Sub(r.SentAt))
		}
	}
	out := make(map[Class]Typical, len(took))
	for key, all := range took {
		slices.Sort(all)
		out[key] = Typical{all[len(all)/2], all[len(all)*9/10]}
	}
	return out
}

// JobReader reads one job and its newest raw answer.
type JobReader interface {
	Job(ctx context.Context, id string) (state.Job, error)
	RawAnswer(ctx context.Context, id string) ([]byte, error)
}

// FieldErrors gives what the service said of the fields of a refused job.
func FieldErrors(ctx context.Context, backend JobReader, id string) []api.FieldError {
	raw, _ := backend.RawAnswer(ctx, id) // without one there is nothing in it
	return read.Error(422, nil, raw).Fields
}

// QueuePlace is a job's place in the service's queue, by its newest answer; 0: unknown.
func QueuePlace(ctx context.Context, backend JobReader, id string) int {
	raw, _ := backend.RawAnswer(ctx, id)
	return read.ReadPlace(raw)
}
