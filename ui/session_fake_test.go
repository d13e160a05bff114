package ui

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/api/sim/simtest"
	"darkroom/state"
	"darkroom/state/keys"
	"darkroom/ui/env"
	"darkroom/ui/result"
)

// fakeSession stands in for the session, with made-up jobs. It counts every call, so
// that a test can show that Update and View make none.
type fakeSession struct {
	Session            // what no test calls
	readFails    error // of the next read of what changes by itself
	calls        atomic.Int64
	slow         time.Duration // what a read of jobs or of the ledger takes
	newcomer     bool          // no listing was kept
	reads        atomic.Int64  // of those that run
	maxReads     atomic.Int64
	told         atomic.Int64 // changes
	mu           sync.Mutex
	rows         []state.Row
	savedPrompts map[string]string
	jobs         map[string]state.Job
	health       state.Health
	settings     state.Settings
	models       []api.Model
	listedAt     time.Time // by another screen or window
	modelErr     error
	estimate     func(api.Request) (api.Estimate, error)
	known        map[string]api.Estimate // by size and quality, as told an hour ago
	raw          []byte
	slowJob      time.Duration // how long reading a job takes
	log          []string
	filters      []string // of the lists that were read
	changes      chan []string

	undo      []state.Rated // what the ratings were before, newest last
	relatives []state.Relative
	absence   state.Absence

	box     state.Toolbox
	toolErr error
	tool    func(context.Context, state.ToolCall) (state.ToolAnswer, error)
	called  []state.ToolCall

	confirmed []state.Confirmed
	submitErr func(state.Confirmed) error
	drafts    map[string]api.Request
	preferred string
	today     state.Spent
	pricing   doorPrices
	mayAsk    bool
	public    func(address string) error
	link      state.Link // what a check finds of every address
	uploaded  string     // the address of every upload
	fresh     string     // the address that FreshLinks brings; "" for none
	noFresh   error
	results   map[string]string // jobs by the address of a result
	uploadErr error
	themeErr  error
	rewrite   func(*state.Settings) // what reading the settings file again changes
	command   func(ctx context.Context, c state.Command, id string) (api.Text, error)
	painter   env.Painter  // nil is the real one
	request   *api.Request // in the form from the start

	queue fakeQueue
}

var fakeNow = time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)

func newFakeSession() *fakeSession {
	d := &fakeSession{
		jobs: map[string]state.Job{}, drafts: map[string]api.Request{}, savedPrompts: map[string]string{},
		changes:  make(chan []string, 16),
		settings: state.Settings{OnDone: "nothing", Lang: "en", TimeScale: 1},
	}
	d.health.Base, d.health.KeyHint, d.health.KeySource, d.health.Online = "api.example.com", "ak_…9f3c", "keyring", true
	d.models = []api.Model{
		{ID: "seedance2", Kind: api.KindVideo, Parameters: []api.Parameter{
			{Name: "video_model", Values: []string{"fast", "standard", "fast_vip", "standard_vip"}, Default: "fast"},
			{Name: "resolution", Values: []string{"480p", "720p", "1080p"}, Default: "720p"},
			{Name: "duration", Values: []string{"5", "10"}, Default: "5"},
		}, Price: &api.Price{Credits: 85 * api.Credit, Unit: "second"}},
		{ID: "acme/brush", Kind: api.KindImage, Parameters: []api.Parameter{
			{Name: "size", Values: []string{"1K", "2K", "4K"}, Default: "1K"},
			{Name: "quality", Values: []string{"low", "medium", "high"}, Default: "medium"},
			{Name: "aspect_ratio", Values: []string{"1:1", "16:9", "9:16"}, Default: "1:1"},
		}, Price: &api.Price{Credits: 12*api.Credit + api.Credit/2, Unit: "image"}},
	}
	d.estimate = func(r api.Request) (api.Estimate, error) {
		e := api.Estimate{Source: api.SourceService, At: fakeNow.Add(-2 * time.Second)}
		if r.Kind == api.KindImage {
			n := map[string]int64{"1K": 6, "2K": 12, "4K": 30}[r.Size] * map[string]int64{"low": 1, "medium": 2, "high": 4}[r.Quality]
			e.Credits = api.Credits(n) * api.Credit
			return e, nil
		}
		rate := map[string]int64{"fast720p": 85, "standard720p": 85, "fast_vip480p": 50, "fast_vip720p": 100,
			"standard_vip480p": 85, "standard_vip720p": 100, "standard_vip1080p": 200}[r.VideoModel+r.Resolution]
		var sec int64
		fmt.Sscan(r.Duration, &sec)
		e.Credits = api.Credits(rate*sec) * api.Credit
		return e, nil
	}
	return d
}

// pricedAfter lets the service take so long for a price, and give this one; or, because of err, the table's.
func pricedAfter(late time.Duration, credits api.Credits, err error) func(*fakeSession) {
	return func(d *fakeSession) {
		d.estimate = func(r api.Request) (api.Estimate, error) {
			time.Sleep(late)
			if err != nil {
				return api.TableEstimate(r), err
			}
			return api.Estimate{Credits: credits * api.Credit, Source: api.SourceService, At: fakeNow}.WithTable(r), nil
		}
	}
}

var noNetwork = &api.Error{Class: api.ClassNetwork, Text: text("dial tcp: connection refused")}

func text(s string) api.Text { return api.CleanLines(s, api.MaxErrorText) }

// add puts a job in front.
func (d *fakeSession) add(j state.Job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs[j.ID] = j
	d.rows = append([]state.Row{rowOf(j)}, d.rows...)
}

// finish lets the newest job be done, with another title, so long after the others.
func (d *fakeSession) finish(title string, after time.Duration, version int64) {
	j := madeUpJob(0, title, api.PhaseDone)
	j.EndedAt, j.Version = fakeNow.Add(after), version
	d.replace(j)
}

// replace gives a job another state and tells it.
func (d *fakeSession) replace(j state.Job) {
	d.mu.Lock()
	d.jobs[j.ID] = j
	for i := range d.rows {
		if before := d.rows[i]; before.ID == j.ID {
			d.rows[i] = rowOf(j)
			d.rows[i].Unseen = before.Unseen || j.Phase == api.PhaseDone && before.Phase != api.PhaseDone
		}
	}
	d.mu.Unlock()
	d.changes <- []string{j.ID}
}

func rowOf(j state.Job) state.Row {
	r := result.RowOf(&j)
	r.Seed = j.Request.SeedText()
	return r
}

// fill adds n made-up jobs of every phase, the newest first.
func (d *fakeSession) fill(n int) *fakeSession {
	titles := []string{"paper boat in a gutter", "lighthouse, gouache", "harbour at dawn", "neon koi", "glass city",
		"tram in the rain", "纸船漂过雨中的水沟，微距镜头", "a very long prompt about a slow river that carries lanterns past a sleeping town"}
	phases := []api.Phase{api.PhaseRunning, api.PhaseQueued, api.PhaseDone, api.PhaseFailed, api.PhaseUnknown, api.PhaseDone,
		api.PhaseFetching, api.PhaseDone, api.PhaseExpired, api.PhaseRejected, api.PhaseNotSent, api.PhaseUnread, api.PhaseStale}
	return d.append(n, func(i int) state.Job {
		j := madeUpJob(i, titles[i%len(titles)], phases[i%len(phases)])
		if i >= 26 && j.Phase.Active() {
			j.Phase = api.PhaseDone
		}
		return j
	})
}

// fillDone adds n finished results, the newest first.
func (d *fakeSession) fillDone(n int) *fakeSession {
	return d.append(n, func(i int) state.Job { return madeUpJob(i, fmt.Sprintf("picture %03d", i), api.PhaseDone) })
}

func (d *fakeSession) append(n int, job func(i int) state.Job) *fakeSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range n {
		j := job(i)
		d.jobs[j.ID], d.rows = j, append(d.rows, rowOf(j))
	}
	return d
}

func madeUpJob(i int, title string, phase api.Phase) state.Job {
	kind, model, credits := api.KindVideo, api.Seedance2, 425*api.Credit
	r := api.Request{Kind: kind, Model: model, Prompt: title + ", macro lens", VideoModel: "fast", Resolution: "720p", Duration: "5", AspectRatio: "16:9"}
	if i%2 == 1 {
		kind, model, credits = api.KindImage, "acme/brush", 12*api.Credit+api.Credit/2
		r = api.Request{Kind: kind, Model: model, Prompt: title + ", on rough paper", Size: "2K", Quality: "high"}
	}
	sent := fakeNow.Add(-time.Duration(100+i*37) * time.Second)
	j := state.Job{
		Row: state.Row{ID: fmt.Sprintf("job%06d", i), RemoteID: fmt.Sprintf("remote-%06d", i), Kind: kind, Model: model, Phase: phase,
			Title: title, Progress: -1, CreatedAt: sent, SentAt: sent, Version: 1},
		Request: r, Estimate: api.Estimate{Credits: credits, Source: api.SourceService, At: sent},
	}
	switch phase {
	case api.PhaseRunning:
		j.Status, j.Progress = text("PROCESSING"), 0.6
	case api.PhaseDone:
		j.EndedAt = sent.Add(151 * time.Second)
		j.Files = []state.File{{Path: fmt.Sprintf("/home/you/Pictures/darkroom/20260301-%06d-1.png", i), MediaType: "image/png", Bytes: 1 << 20,
			URL: "https://cdn.example.com/" + j.ID + ".png"}}
		j.Results = []api.Result{{URL: j.Files[0].URL}}
	case api.PhaseFailed:
		j.EndedAt = sent.Add(30 * time.Second)
		j.Error = api.ReasonText.Reason(text("The service refused the picture: it shows a real person. Change the prompt and send it again."))
	case api.PhaseUnknown:
		j.Error = api.ReasonText.Reason(text("The connection broke after the request was sent. It may have been accepted and charged."))
	case api.PhaseUnread:
		j.Error = api.ReasonText.Reason(text("The service accepted the request, but no job id could be read in its answer."))
	case api.PhaseRejected:
		j.Error = api.ReasonText.Reason(text("The service says: no credits left."))
	case api.PhaseExpired:
		j.EndedAt = sent.Add(60 * time.Second)
	}
	return j
}

// note keeps a call, which succeeds.
func (d *fakeSession) note(format string, args ...any) error {
	defer d.locked()()
	d.log = append(d.log, fmt.Sprintf(format, args...))
	return nil
}

// noted are the calls that begin with one of these, in order.
func (d *fakeSession) noted(beginnings ...string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.log), func(l string) bool {
		return !slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(l, b) })
	})
}

func (d *fakeSession) asked(what string) int { return len(d.noted(what)) }

// locked counts a call and locks what it reads.
func (d *fakeSession) locked() (unlock func()) {
	d.calls.Add(1)
	d.mu.Lock()
	return d.mu.Unlock
}

func (d *fakeSession) Health() state.Health {
	defer d.locked()()
	return d.health
}
func (d *fakeSession) Settings() state.Settings { d.calls.Add(1); return d.settings }

func (d *fakeSession) Wait(ctx context.Context) ([]string, error) {
	d.calls.Add(1)
	select {
	case ids := <-d.changes:
		d.told.Add(1)
		for {
			select {
			case more := <-d.changes: // told together, as a session does
				ids = append(ids, more...)
				continue
			default:
			}
			return ids, nil
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (d *fakeSession) ChooseStore(context.Context) error {
	d.note("choose")
	simtest.Locked(&d.mu, func() { d.health.ReadOnly, d.health.Choice = api.Reason{}, false })
	d.changes <- nil
	return nil
}

func (d *fakeSession) CheckKey(_ context.Context, base string, key api.Key) error {
	return d.note("check %s", base)
}

func (d *fakeSession) UseKey(_ context.Context, base string, key api.Key, keep bool) error {
	d.note("use %s %t", base, keep)
	simtest.Locked(&d.mu, func() { d.health.KeyHint, d.health.KeyRefused = "ak_…new1", false })
	return nil
}
func (d *fakeSession) KeyringState() keys.State {
	d.calls.Add(1)
	return keys.State{Usable: true, Name: "Secret Service"}
}

func (d *fakeSession) KnownModels(context.Context) state.Listing {
	d.calls.Add(1)
	if d.newcomer {
		return state.Listing{}
	}
	return state.Listing{Models: d.models, At: cmp.Or(d.listedAt, fakeNow.Add(-time.Hour)), Cached: true}
}

func (d *fakeSession) Models(context.Context) state.Listing {
	d.note("models")
	time.Sleep(d.slow)
	if d.modelErr != nil && d.models == nil {
		return state.Listing{Cached: true, Err: d.modelErr}
	}
	if d.modelErr != nil {
		return state.Listing{Models: d.models, At: fakeNow.Add(-time.Hour), Cached: true, Err: d.modelErr}
	}
	return state.Listing{Models: d.models, At: fakeNow}
}

func (d *fakeSession) Estimate(_ context.Context, r api.Request) (api.Estimate, error) {
	d.note("estimate %s %s %s %s %s %s", r.Model, r.VideoModel, r.Resolution, r.Duration, r.Size, r.Quality)
	return d.estimate(r)
}

func (d *fakeSession) KnownEstimate(_ context.Context, r api.Request) api.Estimate {
	d.calls.Add(1)
	if e, ok := d.known[r.Size+" "+r.Quality]; ok {
		return e
	}
	return api.Estimate{Source: api.SourceNone}
}

func (d *fakeSession) Submit(_ context.Context, c state.Confirmed) (state.Job, error) {
	d.note("submit %s", c.Request.Model)
	d.mu.Lock()
	d.confirmed = append(d.confirmed, c)
	refuse := d.submitErr
	d.mu.Unlock()
	if refuse != nil { // it may take its time
		if err := refuse(c); err != nil {
			return state.Job{}, err
		}
	}
	return state.Job{Row: state.Row{ID: "new"}}, nil
}

func (d *fakeSession) Queue() state.Queue { d.queue.session = d; return &d.queue }

// fakeQueue takes agreements and what is done with held jobs.
type fakeQueue struct {
	state.Queue
	session *fakeSession
	agreed  []state.Together
	lists   expand.Lists
	offer   state.Offer
}

func (q *fakeQueue) Lists() (expand.Lists, error) {
	q.session.calls.Add(1)
	return q.lists, nil
}

func (q *fakeQueue) Agree(_ context.Context, t state.Together) ([]string, error) {
	q.session.note("agree %d", len(t.Requests))
	q.session.mu.Lock()
	defer q.session.mu.Unlock()
	q.agreed = append(q.agreed, t)
	for _, r := range t.Requests {
		r.ConfirmID = t.ConfirmID
		c := state.Confirmed{Agreed: r}
		q.session.confirmed = append(q.session.confirmed, c)
		if q.session.submitErr != nil {
			if err := q.session.submitErr(c); err != nil {
				return nil, err
			}
		}
	}
	return []string{"new"}, nil
}

func (q *fakeQueue) Pause(_ context.Context, id string) error {
	return q.session.note("pause %s", id)
}
func (q *fakeQueue) Offer(_ context.Context, id string, all bool) (state.Offer, error) {
	return q.offer, q.session.note("offer %s %v", id, all)
}
func (q *fakeQueue) Resume(_ context.Context, o state.Offer) error {
	return q.session.note("resume %d", len(o.Held))
}
func (q *fakeQueue) Move(_ context.Context, id string, earlier bool) error {
	return q.session.note("move %s %v", id, earlier)
}
func (q *fakeQueue) Decline(_ context.Context, reason string, ids ...string) error {
	return q.session.note("decline %v: %s", ids, reason)
}
func (q *fakeQueue) SpentBy(_ context.Context, entry string) (api.Credits, state.Grant, error) {
	return 40 * api.Credit, state.Grant{PerJob: 50 * api.Credit, PerDay: 500 * api.Credit}, q.session.note("spent by %s", entry)
}

// takeTime takes what a read takes, and counts those that run.
func (d *fakeSession) takeTime() {
	if n := d.reads.Add(1); n > d.maxReads.Load() {
		d.maxReads.Store(n)
	}
	time.Sleep(d.slow)
	d.reads.Add(-1)
}

// failRead makes the next read fail; readFailed takes that error.
func (d *fakeSession) failRead() {
	simtest.Locked(&d.mu, func() { d.readFails = errors.New("the disk refused the store") })
}

func (d *fakeSession) readFailed() (err error) {
	err, d.readFails = d.readFails, nil
	return err
}

func (d *fakeSession) Jobs(_ context.Context, q state.Query) (state.Page, error) {
	d.takeTime()
	defer d.locked()()
	if err := d.readFailed(); err != nil {
		return state.Page{}, err
	}
	p := state.Page{Offset: q.Offset, All: len(d.rows), Change: d.told.Load()}
	d.filters = append(d.filters, q.Filter)
	match := d.rows
	if q.Filter != "" || q.Results {
		match = slices.DeleteFunc(slices.Clone(match), func(r state.Row) bool {
			return q.Results && r.Files == 0 || !containsFold(r.Title+" "+string(r.Phase)+" "+string(r.Kind), q.Filter)
		})
	}
	for i, r := range d.rows {
		if i < 64 && r.Phase.Active() {
			p.Active++
		}
		if r.Unseen {
			p.Unseen++
		}
		if r.Phase == api.PhaseHeld {
			p.Held++
			if r.Entry != "" && r.Paused {
				p.Asks = append(p.Asks, r)
			}
		}
	}
	p.Total = len(match)
	match = match[min(q.Offset, len(match)):]
	if q.Limit > 0 {
		match = match[:min(q.Limit, len(match))]
	}
	p.Rows = append([]state.Row(nil), match...)
	return p, nil
}

func (d *fakeSession) Job(_ context.Context, id string) (state.Job, error) {
	time.Sleep(d.slowJob)
	defer d.locked()()
	j := d.jobs[id]
	j.Related = len(d.relatives) > 1
	return j, nil
}

func (d *fakeSession) RawAnswer(context.Context, string) ([]byte, error) {
	d.calls.Add(1)
	if d.raw == nil {
		return json.RawMessage(`{"job":{"status":"COMPLETED","result":{"images":[{"url":"https://cdn.example.com/a.png"}]},"error":null}}`), nil
	}
	return d.raw, nil
}

func (d *fakeSession) Today(context.Context) (state.Spent, error) {
	d.calls.Add(1)
	if d.today != (state.Spent{}) {
		return d.today, nil
	}
	return state.Spent{Credits: 1240 * api.Credit}, nil
}

func (d *fakeSession) Prefer(id string) {
	simtest.Locked(&d.mu, func() { d.preferred = id })
}

func (d *fakeSession) Attach(_ context.Context, id, remote string) error {
	return d.note("attach %s %s", id, remote)
}
func (d *fakeSession) Dismiss(_ context.Context, id string) error {
	return d.note("dismiss %s", id)
}
func (d *fakeSession) ResendConfirm(_ context.Context, id string) (string, api.Estimate, error) {
	e, err := d.estimate(api.Request{})
	return id + "#0", e, err
}
func (d *fakeSession) Resend(_ context.Context, id, confirmID string) (state.Job, error) {
	return state.Job{Row: state.Row{ID: "again"}}, d.note("resend %s", id)
}
func (d *fakeSession) KnownTools(context.Context) state.Toolbox {
	d.calls.Add(1)
	return state.Toolbox{}
}
func (d *fakeSession) Tools(context.Context) (state.Toolbox, error) {
	d.note("tools")
	return d.box, d.toolErr
}
func (d *fakeSession) CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error) {
	d.note("call %s %s", c.Name, c.Args)
	simtest.Locked(&d.mu, func() { d.called = append(d.called, c) })
	return d.tool(ctx, c)
}
func (d *fakeSession) OpenPath(_ context.Context, path string) error {
	return d.note("open %s", path)
}
func (d *fakeSession) SaveDraft(_ context.Context, name string, r api.Request) error {
	d.note("draft %s", name)
	simtest.Locked(&d.mu, func() { d.drafts[name] = r })
	return nil
}
func (d *fakeSession) Draft(_ context.Context, name string) (api.Request, bool, error) {
	defer d.locked()()
	r, ok := d.drafts[name]
	return r, ok, nil
}
func (d *fakeSession) History(_ context.Context, q state.HistoryQuery) ([]state.Sent, error) {
	d.note("history %s", q.Contains)
	time.Sleep(d.slow)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.readFailed(); err != nil {
		return nil, err
	}
	var out []state.Sent
	for _, r := range d.rows {
		j := d.jobs[r.ID]
		found := containsFold(j.Request.Prompt, q.Contains) || j.Pattern != nil && containsFold(j.Pattern.Prompt, q.Contains)
		if found && !r.CreatedAt.Before(q.Since) && (!q.Starred || r.Pick > 0) {
			out = append(out, state.Sent{Row: r, Request: j.Request, Pattern: j.Pattern})
		}
	}
	return out, nil
}
func (d *fakeSession) Materials() state.Materials { return fakeMaterials{fakeSession: d} }

type fakeMaterials struct {
	state.Materials // what no test calls
	*fakeSession
}

func (d fakeMaterials) MayAsk(context.Context) bool {
	defer d.locked()()
	return d.mayAsk
}

func (d fakeMaterials) LetBeAsked(context.Context) error {
	defer d.locked()()
	d.mayAsk = true
	return nil
}

func (d fakeMaterials) Public(_ context.Context, address string) (state.Link, error) {
	d.note("public %s", address)
	if d.public == nil {
		return d.link, nil
	}
	return d.link, d.public(address)
}

func (d fakeMaterials) Result(_ context.Context, address string) (job string, f state.File, end time.Time, err error) {
	defer d.locked()()
	for _, j := range d.jobs { // as the store finds it
		if len(j.Files) > 0 && j.Files[0].URL == address {
			return j.ID, j.Files[0], api.LinkEnd(address, j.ExpiresAt), nil
		}
	}
	return d.results[address], state.File{N: 1}, api.LinkEnd(address, end), nil
}

func (d fakeMaterials) Find(_ context.Context, text string) (state.Found, error) {
	return state.Found{Address: d.savedPrompts[state.Cast+"/"+text[1:]]}, d.note("find %s", text)
}

func (d fakeMaterials) Upload(_ context.Context, file string) (string, error) {
	d.note("upload %s", file)
	return d.uploaded, d.uploadErr
}

func (d *fakeSession) LastModel(context.Context, api.Kind) (string, error) {
	d.calls.Add(1)
	return "", nil
}

func (d *fakeSession) SavedTexts(folder string) ([]state.SavedText, error) {
	defer d.locked()()
	var all []state.SavedText
	for _, name := range slices.Sorted(maps.Keys(d.savedPrompts)) {
		if name, in := strings.CutPrefix(name, folder+"/"); in {
			all = append(all, state.SavedText{Name: name, Text: d.savedPrompts[folder+"/"+name]})
		}
	}
	return all, nil
}

func (d *fakeSession) SaveText(folder, name, text string, _ bool) error {
	d.note("save prompt %s", name)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.savedPrompts[folder+"/"+name] = text; text == "" {
		delete(d.savedPrompts, folder+"/"+name)
	}
	return nil
}

// fakeResults are what is done with the results of a fakeSession.
type fakeResults struct{ d *fakeSession }

func (d *fakeSession) Results() state.Results { return fakeResults{d} }

// change changes a job, its row and their version, and tells it.
func (d *fakeSession) change(id string, do func(*state.Job)) {
	d.mu.Lock()
	j, ok := d.jobs[id]
	d.mu.Unlock()
	if ok {
		do(&j)
		j.Version++
		d.replace(j)
	}
}

func (f fakeResults) Rate(_ context.Context, rated ...state.Rated) error {
	for _, r := range rated {
		f.d.note("rate %s %d %d", r.ID, r.Pick, r.Stars)
		simtest.Locked(&f.d.mu, func() { f.d.undo = append(f.d.undo, state.Rated{ID: r.ID, Rating: f.d.jobs[r.ID].Rating}) })
		f.d.change(r.ID, func(j *state.Job) { j.Rating = r.Rating })
	}
	return nil
}

func (f fakeResults) Discard(_ context.Context, id string) error {
	return f.d.note("discard %s", id)
}

func (f fakeResults) UndoRating(context.Context) ([]string, error) {
	f.d.note("undo rating")
	f.d.mu.Lock()
	if len(f.d.undo) == 0 {
		f.d.mu.Unlock()
		return nil, errors.New("nothing to take back")
	}
	last := f.d.undo[len(f.d.undo)-1]
	f.d.undo = f.d.undo[:len(f.d.undo)-1]
	f.d.mu.Unlock()
	f.d.change(last.ID, func(j *state.Job) { j.Rating = last.Rating })
	return []string{last.ID}, nil
}

func (f fakeResults) Annotate(_ context.Context, id, note string) error {
	f.d.note("annotate %s %s", id, note)
	f.d.change(id, func(j *state.Job) { j.Note = note })
	return nil
}

func (f fakeResults) Hide(_ context.Context, hidden bool, ids ...string) (out []string, _ error) {
	f.d.note("hide %v %v", hidden, ids)
	f.d.mu.Lock()
	f.d.rows = slices.DeleteFunc(f.d.rows, func(r state.Row) (moved bool) {
		if moved = hidden && slices.Contains(ids, r.ID) && !r.Phase.Active(); moved {
			out = append(out, r.ID)
		}
		return moved
	})
	f.d.mu.Unlock()
	f.d.changes <- ids
	return out, nil
}

func (f fakeResults) See(_ context.Context, ids ...string) {
	f.d.calls.Add(1)
	f.d.mu.Lock()
	first := false
	for i := range f.d.rows {
		if r := &f.d.rows[i]; r.Unseen && slices.Contains(ids, r.ID) {
			first, r.Unseen = true, false
		}
	}
	f.d.mu.Unlock()
	if first {
		f.d.changes <- ids
	}
}

func (f fakeResults) Lineage(context.Context, string) ([]state.Relative, error) {
	defer f.d.locked()()
	return f.d.relatives, nil
}

func (d *fakeSession) FreshLinks(_ context.Context, id string) (state.Job, error) {
	d.note("fresh links of %s", id)
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	if d.fresh != "" {
		j.ExpiresAt = time.Time{}
		j.Files = slices.Clone(j.Files)
		j.Files[0].URL = d.fresh
	}
	return j, d.noFresh
}

func (f fakeResults) SaveAs(_ context.Context, id string, n int, to string) (string, error) {
	_ = f.d.note("save %s %d %s", id, n, to)
	if strings.HasPrefix(to, "/full") {
		return "", errors.New("disk full")
	}
	return to, nil
}

func (d *fakeSession) Attend(context.Context) (state.Absence, error) {
	defer d.locked()()
	absence := d.absence
	d.absence = state.Absence{}
	return absence, nil
}

func (f fakeResults) Show(_ context.Context, id string, n int, in state.Viewer) error {
	return f.d.note("%s %s %d", map[state.Viewer]string{state.InOpener: "open", state.InPlayer: "play", state.InFileManager: "reveal"}[in], id, n)
}

func (f fakeResults) MarkOpened(_ context.Context, id string) (bool, error) {
	return true, f.d.note("mark %s", id)
}

func (f fakeResults) Run(ctx context.Context, c state.Command, id string, n int) (api.Text, error) {
	f.d.note("run %s %s %d", c.Name, id, n)
	return f.d.command(ctx, c, id)
}
