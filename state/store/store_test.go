package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const testBase = "https://service.test"

func open(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "data", "darkroom.db"))
}

// begin opens a store for a test that runs next to others.
func begin(t *testing.T) (*Store, context.Context) {
	t.Helper()
	t.Parallel()
	return open(t), context.Background()
}

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s := must(Open(context.Background(), path))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func intent(n int) Intent {
	prompt := fmt.Sprintf("harbour at dawn %d", n)
	return Intent{
		ConfirmID: fmt.Sprint("confirm-", n), Instance: "me", Base: testBase, Title: prompt,
		Request:  api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: prompt},
		Body:     []byte(`{"prompt":"` + prompt + `"}`),
		Estimate: api.Estimate{Credits: 12 * api.Credit, Source: api.SourceService, At: noon},
		Now:      noon,
	}
}

func record(t testing.TB, s *Store, in Intent) Job {
	t.Helper()
	j, fresh, err := s.Record(context.Background(), in)
	expect.Must(t, err == nil && fresh, "Record: fresh", fresh, err)
	return j
}

// accept records an intent and brings it to the phase as if it had been sent.
func accept(t testing.TB, s *Store, in Intent, phase api.Phase, remote string) Job {
	t.Helper()
	ctx := context.Background()
	j := record(t, s, in)
	n := must(s.MarkSending(ctx, j.ID, in.Instance, in.Now))(t)
	noError(t, s.Finish(ctx, Finish{
		ID: j.ID, Attempt: n, Phase: phase, RemoteID: remote, Now: in.Now, NextPoll: in.Now, Raw: []byte(`{"id":"x"}`),
	}))
	return must(s.Job(ctx, j.ID))(t)
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

// TestTheFileIsDurableAndOurs by the modes of file and folder, also if others could read it, and of its writer.
func TestTheFileIsDurableAndOurs(t *testing.T) {
	s, _ := begin(t)
	record(t, s, intent(1))
	path := s.Health().Path
	noError(t, errors.Join(os.Chmod(path, 0o644), prepare(path)))
	for name, want := range map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, filepath.Dir(path): 0o700} {
		expect.Equal(t, must(os.Stat(name))(t).Mode().Perm(), want, "the mode of", filepath.Base(name))
	}
	for name, want := range map[string]string{"synchronous": "2", "journal_mode": "wal"} { // 2 is FULL
		expect.Equal(t, must(column[string](s.w.QueryRow("PRAGMA "+name)))(t), want, name)
	}
}

func TestBudgetCountsWhatIsUnderWayAndPossiblySpent(t *testing.T) {
	s, _ := begin(t)
	accept(t, s, intent(1), api.PhaseUnknown, "")
	accept(t, s, intent(2), api.PhaseRejected, "")
	record(t, s, intent(3))
	in := intent(4)
	in.Budget[api.Day] = 35 * api.Credit
	_, _, err := s.Record(context.Background(), in)
	why := whyBudget[api.Day].Reason(in.Budget[api.Day].Amount(), in.Estimate.Credits.Amount(), (24 * api.Credit).Amount())
	expect.Must(t, refusedFor(err, "budget") && err.Error() == why.String(), "got", err)
	yesterday := in.Now.AddDate(0, 0, -1)
	expect.Equal(t, Why(s.Affords(t.Context(), &Job{Estimate: in.Estimate}, in.Budget, nil, yesterday)).Format(), whyBudgetAhead, "with jobs of tomorrow")
	in.Budget[api.Day] = 11 * api.Credit // more than any day allows: waiting is no advice
	expect.Equal(t, Why(s.Affords(t.Context(), &Job{Estimate: in.Estimate}, in.Budget, nil, in.Now)).Format(), whyOverBudget[api.Day], "over the whole budget")
	in.Budget[api.Day] = 36 * api.Credit
	noError(t, s.Affords(t.Context(), &Job{Estimate: in.Estimate}, in.Budget, nil, in.Now))
	record(t, s, in)
	in = intent(5)
	in.Budget[api.Day], in.Estimate = 1000*api.Credit, api.Estimate{Source: api.SourceNone}
	_, _, err = s.Record(context.Background(), in)
	expect.That(t, refusedFor(err, "budget") && err.Error() == whyBudgetUnpriced.Reason().String(), "unpriced: got", err)
}

// TestABudgetOfAMonth holds over all of its days, to the last moment; the next one begins with nothing spent.
func TestABudgetOfAMonth(t *testing.T) {
	s, ctx := begin(t)
	last := time.Date(2028, 2, 29, 23, 59, 59, 0, time.Local)
	for i, row := range []struct {
		at   time.Time
		want int // the period whose budget refuses it; -1: none
	}{
		{api.Month.Begin(last).Add(-time.Millisecond), -1}, // of January
		{api.Month.Begin(last), -1}, {api.Month.Begin(last), -1}, {api.Month.Begin(last).Add(time.Hour), 0},
		{last, -1}, {last, 1}, {last.Add(time.Second), -1}, {last.Add(time.Second), -1}, {last.Add(time.Second), 0},
	} {
		in := intent(i)
		in.Now, in.Budget = row.at, api.Budgets{2 * in.Estimate.Credits, 3 * in.Estimate.Credits}
		for period, budget := range in.Budget { // each holds without the other too
			alone := api.Budgets{}
			alone[period] = budget
			err := s.Affords(ctx, &Job{Estimate: in.Estimate}, alone, nil, in.Now)
			expect.That(t, refusedFor(err, "budget") == (row.want == period), i, "at", row.at, "with budget", period, "alone", err)
		}
		_, _, err := s.Record(ctx, in)
		expect.That(t, refusedFor(err, "budget") == (row.want >= 0) && (row.want < 0 || Why(err).Format() == whyBudget[row.want]),
			i, "at", row.at, err)
	}
	c := api.Credit // whichever leaves less is the tightest; one that cannot be read goes first
	for want, day := range map[api.Period]Spent{api.Day: {Budget: 10 * c, Month: &Spent{Period: api.Month, Budget: 30 * c, Possibly: 20 * c}},
		api.Month: {Budget: 10 * c, Month: &Spent{Period: api.Month, Budget: 30 * c, Credits: 12 * c, Possibly: 9 * c}}} {
		expect.Equal(t, day.Tightest().Period, want, day)
		day.Budget = 0
		expect.That(t, day.Tightest().Period == api.Month, "without a day's", day.Tightest())
		day.Budget = api.BudgetUnreadable
		expect.That(t, day.Tightest().Budget == api.BudgetUnreadable, "of one that cannot be read", day.Tightest())
	}
}

// refusedFor reports whether an error is a refusal with a code.
func refusedFor(err error, code string) bool {
	var r *Refusal
	return errors.As(err, &r) && r.Code == code
}

func TestSameBodyAsks(t *testing.T) {
	s, ctx := begin(t)
	j := accept(t, s, intent(1), api.PhaseUnknown, "")
	again := intent(1)
	again.ConfirmID = "other"
	_, _, err := s.Record(ctx, again)
	expect.That(t, refusedFor(err, "again") && strings.Contains(err.Error(), "sent before, as job "+j.ID), "got", err)
	noError(t, s.Dismiss(ctx, j.ID, noon))
	j = record(t, s, again) // dismissed: no question; this one is now active
	again.ConfirmID, again.Now = "third", noon.Add(10*time.Minute)
	_, _, err = s.Record(ctx, again)
	expect.Must(t, refusedFor(err, "again") && err.Error() == "an identical request is running: job "+j.ID, "got", err)
	again.Now = again.Now.Add(time.Millisecond)
	record(t, s, again) // active, but for long
	again.ConfirmID = "fourth"
	_, _, err = s.Record(ctx, again)
	expect.Must(t, refusedFor(err, "again"), "got", err)
	held := Agreement{ID: "a", Instance: "me", Base: testBase, Held: []Held{{ConfirmID: "h", Job: Job{Row: Row{ID: "h"}, Request: again.Request, Body: again.Body}}}, Now: again.Now}
	_, err = s.Hold(ctx, held)
	expect.Must(t, refusedFor(err, "again"), "held: got", err)
	held.Held[0].Again = true
	must(s.Hold(ctx, held))(t)
	again.Again = true
	record(t, s, again)
}

// TestALineOfAListIsHeldOnce: what waits is replaced by what is agreed to now, all else is not.
func TestALineOfAListIsHeldOnce(t *testing.T) {
	s, ctx := begin(t)
	in := intent(1)
	in.ConfirmID, in.Again = ListedConfirm("list/x", 1), true
	hold := func(id string) error {
		one := Held{ConfirmID: in.ConfirmID, Again: true, Job: Job{Row: Row{ID: id}, Request: in.Request, Body: in.Body}}
		_, err := s.Hold(ctx, Agreement{ID: id, Instance: in.Instance, Base: testBase, Held: []Held{one}, Now: noon})
		return err
	}
	noError(t, hold("a"))
	turn := hold("b")
	noError(t, s.PauseHeld(ctx, "a", "person", api.Reason{}))
	noError(t, hold("c"))
	noError(t, s.PauseHeld(ctx, "c", CodeCopied, api.Reason{}))
	copied := hold("d")
	must(s.w.Exec(`UPDATE held SET owner = ?`, in.Instance))(t)
	in.Held = "c"
	record(t, s, in)
	for name, late := range map[string]error{"in its turn": turn, "copied": copied, "sent": hold("e")} {
		expect.Is(t, late, ErrLate, name)
	}
	l := must(s.Listed(ctx, []string{"list/x", "list/xy"}))(t)
	expect.That(t, len(l) == 1 && l["list/x"].ID == "c" && l["list/x"].Times == 1, "found", l)
}

func TestSendingIsClaimedOnce(t *testing.T) {
	s, ctx := begin(t)
	j := record(t, s, intent(1))
	_, other := s.MarkSending(ctx, j.ID, "somebody else", noon)
	must(s.MarkSending(ctx, j.ID, "me", noon))(t)
	_, twice := s.MarkSending(ctx, j.ID, "me", noon)
	for _, err := range []error{other, twice, s.Unsend(ctx, j.ID, api.PhaseNotSent, api.Reason{}, "", noon)} {
		expect.Is(t, err, ErrLate, "by another, twice, taken back")
	}
	expect.Equal(t, api.ReasonOf(MayRepeat(must(s.Job(ctx, j.ID))(t).Phase)).Format(), "it is just being sent", "sent again while it is being sent")
}

// TestAGivenUpIntentEnds has another window take a living one for dead while
// its create is refused for now: nobody may be left who could send it.
func TestAGivenUpIntentEnds(t *testing.T) {
	s, _ := begin(t)
	in := intent(1)
	j := record(t, s, in)
	attempt := must(s.MarkSending(t.Context(), j.ID, in.Instance, in.Now))(t)
	noError(t, s.TakeOver(t.Context(), []string{in.Instance}, in.Now))
	again := Finish{ID: j.ID, Attempt: attempt, Phase: api.PhaseIntent, Now: in.Now, NextPoll: in.Now}
	noError(t, s.Finish(t.Context(), again))
	j = must(s.Job(t.Context(), j.ID))(t)
	expect.That(t, j.Phase == api.PhaseNotSent && !j.EndedAt.IsZero(), "phase", j.Phase, "ended", j.EndedAt)
	expect.Is(t, expect.Err(s.MarkSending(t.Context(), j.ID, in.Instance, in.Now)), ErrLate, "it could be sent")
}

func TestFindAndFilter(t *testing.T) {
	s, ctx := begin(t)
	var ids []string
	for n := range 30 {
		in := intent(n)
		if n%3 == 0 {
			in.Title, in.Request.Prompt = "Ünïcode 纸船 "+in.Title, "纸船"
		}
		ids = append(ids, accept(t, s, in, api.PhaseQueued, fmt.Sprint("remote-", n)).ID)
	}
	expect.Is(t, expect.Err(s.Find(ctx, "nothing", testBase)), ErrMissing)
	for filter, want := range map[string]int{"": 30, "纸船": 10, "ÜNÏ": 10, "harbour queued": 30, "REMOTE-12": 1, "image acme": 30, "video": 0, "%": 0} {
		p := must(s.List(ctx, Query{Filter: filter, Limit: 4, Offset: 2}))(t)
		expect.That(t, p.Total == want && p.All == 30 && len(p.Rows) == min(max(want-2, 0), 4),
			"filter", filter, "total", p.Total, "rows", len(p.Rows))
	}
	p := must(s.List(ctx, Query{Limit: 2, Offset: 5}))(t)
	expect.That(t, p.Rows[0].ID == ids[24] && p.Rows[1].ID == ids[23], "wrong window", p.Rows[0].Title)
}

// TestDueHasTheYoungFirst: the older a job, the later its turn, by five minutes at most.
func TestDueHasTheYoungFirst(t *testing.T) {
	s, ctx := begin(t)
	ids := map[string]string{}
	for name, row := range map[string]struct{ age, late time.Duration }{
		"young": {0, 0}, "old": {10 * time.Hour, 5*time.Minute - 1e6}, "older": {20 * time.Hour, 5*time.Minute + 1e6},
		"eight minutes": {8 * time.Minute, time.Minute + 2e6}, "not due": {time.Hour, -time.Second},
	} {
		noError(t, s.RecordTool(ctx, ToolCall{ID: name, Base: testBase, Name: "make", Now: noon.Add(-row.age)}))
		j := must(s.Follow(ctx, name, "r "+name, "make", Intent{Base: testBase, Body: []byte(`{}`), Now: noon.Add(-row.age)}, noon.Add(-row.late)))(t)
		ids[name] = j.ID
	}
	for prefer, want := range map[string][]string{"": {"eight minutes", "older", "young", "old"}, "old": {"old", "eight minutes", "older", "young"}} {
		due := must(s.Due(ctx, testBase, ids[prefer], noon, 5*time.Minute, 10))(t)
		expect.That(t, slices.EqualFunc(due, want, func(id, name string) bool { return id == ids[name] }), due, "are due of", ids, "want", want)
	}
}

// TestFollow: the job of a tool's call takes the call's place in the ledger,
// once, and one that is there already stays as it is.
func TestFollow(t *testing.T) {
	s, ctx := begin(t)
	noError(t, s.RecordTool(ctx, ToolCall{ID: "c1", Base: testBase, Name: "make", Now: noon}))
	l := must(s.Ledger(ctx, noon))(t)
	expect.Must(t, len(l) == 1 && l[0].Kind == KindTool && l[0].Unpriced == 1, l)
	a := Intent{Base: testBase, Title: "a kettle", Request: api.Request{Kind: api.KindVideo}, Body: []byte(`{}`), Now: noon}
	j := must(s.Follow(ctx, "c1", "r1", "make", a, noon.Add(time.Second)))(t)
	expect.That(t, j.Phase == api.PhaseQueued && j.RemoteID == "r1" && j.Model == "make" && j.SentAt.Equal(noon) && j.Kind == api.KindVideo, j)
	expect.Equal(t, must(s.Follow(ctx, "c1", "r1", "make", a, noon.Add(time.Second)))(t).ID, j.ID, "followed twice")
	l = must(s.Ledger(ctx, noon))(t)
	expect.That(t, len(l) == 1 && l[0].Kind == api.KindVideo && l[0].Unpriced == 1, l)
	expect.Len(t, must(s.Due(ctx, testBase, "", noon.Add(time.Minute), 0, 10))(t), 1, "due")
	noError(t, s.RecordTool(ctx, ToolCall{ID: "c2", Base: testBase, Name: "make", Now: noon})) // of a tool that names a job which is there
	expect.Equal(t, must(s.Follow(ctx, "c2", "r1", "make", a, noon.Add(time.Second)))(t).ID, j.ID, "the same job followed again")
	p := must(s.List(ctx, Query{}))(t)
	expect.That(t, p.All == 1 && p.Active == 1, p)
	// One that was never recorded.
	expect.Is(t, expect.Err(s.Follow(ctx, "c3", "r3", "make", a, noon.Add(time.Second))), ErrLate)
	expect.Len(t, must(s.History(ctx, HistoryQuery{}))(t), 0, "history")
}

var noError = simtest.NoError

// TestAnExactIDComesFirst: the local one, then the service's where it is in use. An id
// that two jobs may have names neither.
func TestAnExactIDComesFirst(t *testing.T) {
	s, ctx := begin(t)
	for i, row := range [][3]string{{"5aaa", "5", testBase}, {"5bbb", "7", testBase}, {"cccc", "5", "https://other.test"},
		{"9ddd", "8x", testBase}, {"eeee", "9dd", testBase}, {"7", "other", testBase}, {"8yyy", "8x", "https://other.test"}} {
		noError(t, s.write(ctx, func(w *transaction) {
			in := intent(i)
			in.Base = row[2]
			w.insertIntent(in, row[0])
			w.run(`UPDATE jobs SET remote_id=? WHERE id=?`, row[1], row[0])
		}))
	}
	for id, want := range map[string]string{"5@" + testBase: "5aaa", "5@https://other.test": "cccc", "5@": "", "7@" + testBase: "7", "5a@": "5aaa",
		"5bb@": "5bbb", "9dd@" + testBase: "eeee", "9d@" + testBase: "", "8@": "", "8x@https://third.test": "both", "8x@" + testBase: "9ddd",
		"othe@": "7", "other@https://third.test": "7"} {
		id, base, _ := strings.Cut(id, "@")
		j, err := s.Find(ctx, id, base)
		says := map[string]api.Sentence{"": whySeveral, "both": whySame}[want]
		sorted := want != "both" || strings.Contains(err.Error(), "(8yyy, 9ddd)")
		expect.That(t, sorted && (j.ID == want || j.ID == "" && says != "" && api.ReasonOf(Explain(err)).Format() == says), id, "at", base, "is", j.ID, "want", want, err)
	}
}

// A reason comes back from the store as it was, and a job that was stored before reasons had codes keeps its text.
func TestReasonsAreStored(t *testing.T) {
	s, _ := begin(t)
	j := record(t, s, intent(1))
	why := whyNotSentUnread.Reason(api.Sentence("the disk is full: free some space, then try again").Reason())
	before := must(s.ChangeNumber(t.Context()))(t)
	noError(t, s.Unsend(t.Context(), j.ID, api.PhaseNotSent, why, "", time.Now()))
	changed, _, _ := s.Changes(t.Context(), before)
	j = must(s.Job(t.Context(), j.ID))(t)
	expect.That(t, j.Error == why && slices.Equal(changed, []string{j.ID}), j.Error, "want", why, "changed are", changed)
	expect.Equal(t, must(s.List(t.Context(), Query{Limit: 1}))(t).Rows[0].Error, why)
	must(s.w.ExecContext(t.Context(), `UPDATE jobs SET error='as it was told', reason=''`))(t)
	j = must(s.Job(t.Context(), j.ID))(t)
	expect.That(t, j.Error.String() == "as it was told" && j.Error.Format() == api.ReasonText, j.Error)
}

// TestPlansOfAClockThatWasAhead are made anew, each beyond its limit and none within;
// while a rest that can be true lasts, plans follow it.
func TestPlansOfAClockThatWasAhead(t *testing.T) {
	s, ctx := begin(t)
	for _, span := range []time.Duration{0, 10 * time.Second} {
		plan := Schedule{Min: time.Minute, Max: 15 * time.Minute, Rest: time.Hour, Span: span}
		for i, row := range []struct {
			age, next, rest time.Duration
			anew            bool
		}{
			{0, time.Minute, 0, false}, {0, time.Minute + time.Millisecond, 0, true},
			{100 * time.Minute, 6 * time.Minute, 0, false}, {100 * time.Minute, 6*time.Minute + time.Millisecond, 0, true},
			{10 * time.Hour, 16 * time.Minute, 0, false}, {10 * time.Hour, 16*time.Minute + time.Millisecond, 0, true},
			{0, 2 * time.Hour, 30 * time.Minute, false}, {0, 2 * time.Hour, time.Hour, false}, {0, 2 * time.Hour, -time.Minute, true},
			{0, time.Second, time.Hour + time.Millisecond, false}, {0, 2 * time.Hour, 2 * time.Hour, true},
		} {
			base := fmt.Sprint(i, span)
			in := intent(i)
			in.ConfirmID, in.Base, in.Now = base, base, noon.Add(-row.age)
			j := accept(t, s, in, api.PhaseQueued, "r")
			must(s.w.Exec(`UPDATE jobs SET next_poll=? WHERE id=?`, millis(noon.Add(row.next)), j.ID))(t)
			if row.rest != 0 {
				must(s.CloseGate(ctx, base, noon.Add(row.rest-time.Minute), time.Minute, time.Minute, time.Hour))(t)
			}
			noError(t, s.TakeBack(ctx, base, "me", noon, plan))
			next, until := must(s.Job(ctx, j.ID))(t).NextPoll, must(s.GateUntil(ctx, base))(t)
			wait, open := next.Sub(noon), row.rest > time.Hour
			expect.That(t, !row.anew && wait == row.next || row.anew && wait >= 0 && wait <= max(span-time.Millisecond, 0), row, "planned in", wait)
			expect.That(t, row.rest == 0 || open && until.IsZero() || !open && until.Sub(noon) == row.rest, row, "a rest until", until)
			noError(t, s.Spread(ctx, base, noon, 0, time.Hour)) // what is beyond, at once
			next = must(s.Job(ctx, j.ID))(t).NextPoll
			expect.That(t, row.next <= time.Hour || row.anew || next.Equal(noon), row, "planned anew at", next)
		}
	}
	j := accept(t, s, intent(100), api.PhaseQueued, "r100") // and a window that was stopped while it polled
	for _, ahead := range []time.Duration{3 * time.Hour, time.Minute} {
		must(s.w.Exec(`INSERT INTO flights (base, owner, until) VALUES (?, 'stopped', ?)`, j.Base, millis(noon.Add(ahead))))(t)
		must(s.w.Exec(`UPDATE jobs SET owner='stopped', lease=? WHERE id=?`, millis(noon.Add(ahead)), j.ID))(t)
		noError(t, s.TakeBack(ctx, j.Base, "me", noon, Schedule{Min: time.Minute, Rest: time.Hour}))
		permit := must(s.Acquire(ctx, AnySent, j.Base, "b", "", noon, Pace{time.Second, 2, 1, time.Minute}))(t)
		expect.Equal(t, permit.Call > 0 && len(must(s.Due(ctx, j.Base, "", noon, 0, 1))(t)) == 1, ahead > time.Minute, ahead)
	}
}

// TestAnIDIsAttachedToADoubt alone, once at a service; an outcome that comes later does
// not take it away.
func TestAnIDIsAttachedToADoubt(t *testing.T) {
	s, ctx := begin(t)
	taken := accept(t, s, intent(1), api.PhaseQueued, "r1")
	for i, phase := range []api.Phase{api.PhaseUnknown, api.PhaseUnread} {
		j := accept(t, s, intent(2+i), phase, "")
		expect.Is(t, s.Attach(ctx, j.ID, "r1", noon), ErrTaken, "the id of", taken.ID)
		expect.Equal(t, accept(t, s, intent(4+i), api.PhaseQueued, "r1").Error, ErrTaken.Reason, "a second job with the id of", taken.ID)
		must(s.w.Exec(`UPDATE jobs SET dismissed=1, gone=2, hollow=3, ended_at=1 WHERE id=?`, j.ID))(t)
		before, id, later := must(s.ChangeNumber(ctx))(t), fmt.Sprint("a", i), noon.Add(time.Minute)
		noError(t, s.Attach(ctx, j.ID, id, later))
		expect.Equal(t, must(s.Job(ctx, j.ID))(t).Tally, Tally{})
		late := Finish{ID: j.ID, Attempt: 2, Phase: api.PhaseDone, RemoteID: "other", Now: noon, Raw: []byte("late"), Files: []File{{Path: "/x"}}, Results: []api.Result{{URL: "https://x"}}}
		noError(t, s.Finish(ctx, late))
		j = must(s.Job(ctx, j.ID))(t)
		expect.That(t, j.Phase == api.PhaseQueued && j.RemoteID == id && !j.Dismissed && j.EndedAt.IsZero() && j.NextPoll.Equal(later) &&
			j.Version > before && len(j.Files)+len(j.Results) == 0, phase, j)
		expect.Equal(t, string(must(s.Answer(ctx, j.ID, ""))(t)), "late", "the answer")
		expect.Is(t, s.Attach(ctx, j.ID, "b", noon), ErrLate, "attached twice")
	}
}

// TestOutcomesAreKeptWhole: files by their numbers, links with when they expire, the
// raw answer as far as there is room, and the attempt.
func TestOutcomesAreKeptWhole(t *testing.T) {
	s, ctx := begin(t)
	for phase, ended := range map[api.Phase]bool{api.PhaseDone: true, api.PhaseRejected: true, api.PhaseFetching: false, api.PhaseUnknown: false} {
		in := intent(1)
		in.ConfirmID, in.Again = string(phase), true
		j := record(t, s, in)
		attempt := must(s.MarkSending(ctx, j.ID, "me", noon))(t)
		f := Finish{ID: j.ID, Attempt: attempt, Phase: phase, RemoteID: string(phase), Now: noon.Add(time.Second), HTTPStatus: 418, Raw: []byte(strings.Repeat("x", 64<<10+1)),
			Files: []File{{Path: "/1"}, {Path: "/2"}}, Results: []api.Result{{URL: "https://x", ExpiresAt: noon.Add(time.Hour)}}}
		noError(t, s.Finish(ctx, f))
		j = must(s.Job(ctx, j.ID))(t)
		files, raw := j.Files, must(s.Answer(ctx, j.ID, "create"))(t)
		var status int
		var at int64
		noError(t, s.r.QueryRow(`SELECT http_status, ended_at FROM attempts WHERE id=?`, attempt).Scan(&status, &at))
		expect.That(t, j.EndedAt.IsZero() != ended && len(files) == 2 && files[0].Path == "/1" && files[1].Path == "/2" && files[1].N == 2 && len(raw) == 64<<10 &&
			len(j.Results) == 1 && j.ExpiresAt.Equal(noon.Add(time.Hour)) && status == 418 && at == millis(f.Now),
			phase, "ended", j.EndedAt, "files", files, len(raw), "bytes", status, "at", at)
	}
}

// TestRepeatedOnce: what was confirmed before another window sent it again is out of date.
func TestRepeatedOnce(t *testing.T) {
	s, ctx := begin(t)
	j := accept(t, s, intent(1), api.PhaseUnknown, "")
	again := intent(1)
	again.Again, again.Parent = true, j.ID
	for id, want := range map[string]string{j.ID + "#0": "", j.ID + "#2": "stale", "x": "stale"} {
		again.ConfirmID = id
		_, _, err := s.Record(ctx, again)
		expect.That(t, refusedFor(err, "stale") == (want != ""), id, err)
	}
	again.Parent, again.ConfirmID = "nobody", "nobody#0"
	_, _, err := s.Record(ctx, again)
	expect.That(t, errors.Is(err, ErrMissing), "a job that is not there is sent again", err)
}

// TestWhatIsHeldMoves among others, and costs what the agent wants to pay at most.
func TestWhatIsHeldMoves(t *testing.T) {
	s, ctx := begin(t)
	a := Agreement{ID: "a", Instance: "me", Base: testBase, Now: noon, Ask: &Ask{Entry: "studio", Intent: "i", MaxCredits: 24 * api.Credit, Code: "asked"},
		Total: api.Estimate{Credits: 1, Source: api.SourceTable}}
	for _, id := range []string{"h1", "h2", "h3"} {
		a.Held = append(a.Held, Held{ConfirmID: id, Job: Job{Row: Row{ID: id, Title: id, Label: id}, Request: intent(1).Request, Body: []byte(id), Estimate: intent(1).Estimate}})
	}
	must(s.Hold(ctx, a))(t)
	expect.Is(t, s.MoveHeld(ctx, "nobody", true), ErrMissing, "moved")
	noError(t, s.MoveHeld(ctx, "h1", true))
	noError(t, s.MoveHeld(ctx, "h3", true))
	list := must(s.HeldOf(ctx, "h1"))(t)
	expect.Equal(t, fmt.Sprint(list[0].ID, list[1].ID, list[2].ID), "h1h3h2", "in the order")
	unpriced := slices.Clone(list[:1])
	unpriced[0].Estimate = api.Estimate{Source: api.SourceNone}
	for code, offer := range map[string][]Held{"price_unknown": unpriced, "max_credits": list} { // 36 of 24; two cost as much as it wants to pay
		expect.That(t, refusedFor(s.ResumeHeld(ctx, "me", offer, noon), code), code)
	}
	noError(t, s.ResumeHeld(ctx, "me", list[:2], noon.Add(24*time.Hour-time.Millisecond)))
	h, ok, err := s.NextHeld(ctx, "me")
	expect.All(t, "true <nil> h1 ", ok, err, h.ID, h.Code)
	expect.That(t, refusedFor(s.ResumeHeld(ctx, "me", list[2:], noon.Add(24*time.Hour)), CodeExpired), "after a day")
	noError(t, s.Expire(ctx, noon.Add(24*time.Hour)))
	must(s.w.Exec(`DELETE FROM held WHERE id='h1'`))(t)
	codes := map[string]string{}
	for _, one := range must(s.AskedBy(ctx, "studio", 10))(t) {
		codes[one.ID] = one.Code
		expect.Equal(t, one.Ended, one.ID != "h3", one.ID, "ended")
	}
	expect.All(t, "declined expired ", codes["h1"], codes["h2"], codes["h3"])
	for wait, code := range map[time.Duration]string{10*time.Minute - time.Millisecond: CodeDeclined, 10 * time.Minute: ""} {
		again := a
		again.ID, again.Ask, again.Held, again.Now = fmt.Sprint(wait), &Ask{Entry: "studio", Intent: fmt.Sprint(wait)}, slices.Clone(a.Held[:1]), noon.Add(wait)
		again.Held[0].ID, again.Held[0].ConfirmID = again.ID, again.ID
		must(s.w.Exec(`UPDATE asked SET code='declined', ended_at=? WHERE id='h1'`, millis(noon)))(t)
		expect.Equal(t, refusedFor(expect.Err(s.Hold(ctx, again)), CodeDeclined), code != "", "declined", wait, "before")
	}
}

// TestBudgetsAreNearAtFourFifths; one that cannot be read refuses all with its own words.
func TestBudgetsAreNearAtFourFifths(t *testing.T) {
	s, ctx := begin(t)
	const c = api.Credit
	for sp, near := range map[Spent]bool{{}: false, {Credits: c}: false, {Budget: 100 * c, Credits: 40 * c, Possibly: 40 * c}: true,
		{Budget: 100 * c, Credits: 40 * c, Possibly: 40*c - 1}: false, {Budget: api.BudgetUnreadable}: true} {
		expect.Equal(t, sp.Near(), near, sp, "near")
	}
	in := intent(1)
	in.Budget[api.Day] = api.BudgetUnreadable
	for _, in.Estimate = range []api.Estimate{in.Estimate, {Source: api.SourceNone}} {
		_, _, err := s.Record(ctx, in)
		expect.That(t, refusedFor(err, "budget") && Why(err).Is(whyBudgetUnread), err)
	}
}

// TestWhatIsRemembered is one answer of a name, the newest 500 of a kind, and not given to
// a caller who holds it; drafts and plans are replaced by name.
func TestWhatIsRemembered(t *testing.T) {
	s, ctx := begin(t)
	must(s.w.Exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n LIMIT 501) INSERT INTO cache (kind, name, at, value) SELECT 'models', i, 1+i, i FROM n`))(t)
	for _, text := range []string{"old", "new"} {
		noError(t, s.Remember(ctx, "models", "501", []byte(text), noon))
	}
	for name, want := range map[string]string{"0": "", "1": "", "2": "2", "501": "new"} {
		value, at, err := s.Recall(ctx, "models", name, time.Time{})
		again, same, _ := s.Recall(ctx, "models", name, at)
		expect.That(t, string(value) == want && at.IsZero() == (want == "") && err == nil && again == nil && same.Equal(at),
			name, string(value), "of", at, err, "then", again)
	}
	for _, found := range []bool{false, true} {
		draft, kept, err := s.Draft(ctx, "image")
		plans := must(s.Plans(ctx))(t)
		expect.That(t, kept == found && err == nil && (draft.Prompt == "b") == found && (len(plans) == 1 && plans[0][1] == `["b"]`) == found,
			draft, kept, err, plans)
		for _, text := range []string{"a", "b"} {
			noError(t, s.SaveDraft(ctx, "image", api.Request{Prompt: text}, noon))
			noError(t, s.SavePlan(ctx, "x", []string{text}, noon))
		}
	}
	// What another window has saved since is the draft before this one's; an own one is not, even if a save failed meanwhile.
	must(s.w.Exec(`UPDATE drafts SET at=at+1, request='{"prompt":"other"}' WHERE name='image'`))(t)
	for _, text := range []string{"c", "d"} {
		noError(t, s.SaveDraft(ctx, "image", api.Request{Prompt: text}, noon.Add(time.Hour)))
		must(s.w.Exec(`CREATE TRIGGER refuses BEFORE UPDATE ON drafts BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
		expect.Fails(t, s.SaveDraft(ctx, "image", api.Request{Prompt: "lost"}, noon.Add(time.Minute)), "no room")
		must(s.w.Exec(`DROP TRIGGER refuses`))(t)
	}
	before, _, _ := s.Draft(ctx, "image.before")
	draft, _, _ := s.Draft(ctx, "image")
	expect.List(t, []string{before.Prompt, draft.Prompt}, []string{"other", "d"}, "drafts")
}
