package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// A file that was removed or replaced under the open store takes no more
// requests: what is written into it is lost. The log and the index are part of it.
func TestNothingIsSentFromAMovedStore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, move := range map[string]func(path string) error{
		"file removed":   os.Remove,
		"file renamed":   func(path string) error { return os.Rename(path, path+".away") },
		"folder renamed": func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+"-away") },
		"log removed":    func(path string) error { return os.Remove(path + "-wal") },
		"index removed":  func(path string) error { return os.Remove(path + "-shm") },
		"another file at its path": func(path string) error {
			return errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, nil, 0o600))
		},
	} {
		s := open(t)
		j := record(t, s, intent(1))
		path := s.Health().Path
		must(s.r.Conn(ctx))(t) // and a read needs another
		s.r.SetMaxOpenConns(2)
		noError(t, move(path))
		expect.Is(t, expect.Err(s.ChangeNumber(ctx)), ErrMoved, name, "reading by another connection")
		expect.Is(t, expect.Err(s.MarkSending(ctx, j.ID, "me", noon)), ErrMoved, name, "marking as sending")
		_, _, err := s.Record(ctx, intent(2))
		expect.That(t, errors.Is(err, ErrMoved), name, "recording gave", err)
	}
}

// everyPhase says of each phase what it counts for, and whether the job can be sent
// again; "same" asks about the same body.
var everyPhase = map[api.Phase]string{
	api.PhaseIntent: "budget same repeats", api.PhaseSending: "spent budget same", api.PhaseQueued: "spent budget same",
	api.PhaseRunning: "spent budget same", api.PhaseFetching: "spent budget same", api.PhaseDone: "spent budget",
	api.PhaseFailed: "", api.PhaseRejected: "repeats", api.PhaseNotSent: "repeats", api.PhaseUnknown: "possibly budget same repeats",
	api.PhaseUnread: "possibly budget same repeats", api.PhaseExpired: "spent budget", api.PhaseStale: "spent budget",
}

func TestEveryPhaseInTheLedger(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for phase, counts := range everyPhase {
		is := func(word string) bool { return slices.Contains(strings.Fields(counts), word) }
		s := open(t)
		j := record(t, s, intent(1))
		must(s.w.ExecContext(ctx, `UPDATE jobs SET phase=? WHERE id=?`, phase, j.ID))(t)
		price := intent(1).Estimate.Credits
		amount := map[bool]api.Credits{true: price}
		sp := must(s.Spent(ctx, api.Day.Begin(noon)))(t)
		var credits, possibly api.Credits
		for _, l := range must(s.Ledger(ctx, api.Day.Begin(noon)))(t) {
			credits, possibly = credits+l.Credits, possibly+l.Possibly
		}
		spent := amount[is("spent")]
		expect.That(t, sp.Credits == spent && credits == spent && sp.Possibly == possibly && possibly == amount[is("possibly")],
			phase, sp.Credits, "spent", sp.Possibly, "possibly; the ledger has", credits, "and", possibly)
		in := intent(2)
		in.Budget[api.Day] = price // one fits, two do not
		_, _, err := s.Record(ctx, in)
		expect.That(t, refusedFor(err, "budget") == is("budget"), phase, "with a budget for one more", err)
		again := intent(1)
		again.ConfirmID = "another"
		_, _, err = s.Record(ctx, again)
		expect.That(t, refusedFor(err, "again") == is("same"), phase, "the same body again", err)
		again.Again, again.Parent = true, j.ID
		again.ConfirmID, _, _ = s.Again(ctx, j.ID)
		_, _, err = s.Record(ctx, again)
		expect.That(t, refusedFor(err, "not_sendable") != is("repeats"), phase, "sent again", err)
		after := must(s.Job(ctx, j.ID))(t).Phase
		expect.That(t, after == phase || phase == api.PhaseIntent && after == api.PhaseNotSent, phase, "it is", after, "after that")
	}
}

// Two absurd estimates must neither break the ledger nor let anything through.
func TestSumsStopAtTheHighestAmount(t *testing.T) {
	s, ctx := begin(t)
	for n := range 3 {
		in := intent(n)
		in.Estimate.Credits = 9e12 * api.Credit
		accept(t, s, in, []api.Phase{api.PhaseQueued, api.PhaseUnknown, api.PhaseQueued}[n], fmt.Sprint(n))
	}
	sp := must(s.Spent(ctx, api.Day.Begin(noon)))(t)
	expect.That(t, sp.Credits == api.MaxCredits && sp.Possibly == 9e12*api.Credit, "spent", sp.Credits, "possibly", sp.Possibly)
	lines := must(s.Ledger(ctx, api.Day.Begin(noon)))(t)
	expect.That(t, len(lines) == 1 && lines[0].Credits == api.MaxCredits, "ledger", lines)
	in := intent(9)
	in.Estimate.Credits = 9e12 * api.Credit
	for _, in.Budget[api.Day] = range []api.Credits{1000 * api.Credit, 9e12 * api.Credit} {
		_, _, err := s.Record(ctx, in)
		expect.That(t, refusedFor(err, "budget") && err.Error() != "", "with a budget of", in.Budget[api.Day], err)
	}
}

// A day of the ledger is a local one.
func TestLedgerDaysAreLocal(t *testing.T) {
	const zone = "Pacific/Auckland" // 12 or 13 hours ahead: most days are not UTC's
	if os.Getenv("TZ") != zone {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLedgerDaysAreLocal$", "-test.count=1")
		again.Env = append(os.Environ(), "TZ="+zone)
		out, err := again.CombinedOutput()
		expect.That(t, err == nil, "in", zone, err, string(out))
		return
	}
	_, offset := time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local).Zone()
	expect.That(t, offset != 0, "the time zone", zone, "is not known here")
	s := open(t)
	for n, at := range []time.Time{
		time.Date(2026, 3, 1, 0, 30, 0, 0, time.Local), time.Date(2026, 3, 1, 23, 30, 0, 0, time.Local), time.Date(2026, 3, 2, 0, 30, 0, 0, time.Local),
	} {
		in := intent(n)
		in.Now = at
		accept(t, s, in, api.PhaseDone, fmt.Sprint(n))
	}
	lines := must(s.Ledger(context.Background(), api.Day.Begin(time.Date(2026, 3, 1, 4, 0, 0, 0, time.Local))))(t)
	expect.That(t, len(lines) == 2 && lines[0].Day == "2026-03-02" && lines[0].Jobs == 1 && lines[1].Day == "2026-03-01" && lines[1].Jobs == 2,
		lines)
}

// What failed half-way leaves nothing behind.
func TestAFailedWriteIsUndone(t *testing.T) {
	s, ctx := begin(t)
	broken := errors.New("broken")
	err := s.write(ctx, func(w *transaction) {
		w.setNote("half", "done")
		w.fail(broken)
		w.setNote("half", "done after all")
	})
	expect.Is(t, err, broken)
	expect.That(t, s.write(ctx, func(w *transaction) { w.scan(nil, `SELECT nothing`) }) != nil,
		"a question that SQLite does not understand fails nothing")
	cause := func() (cause any) {
		defer func() { cause = recover() }()
		return s.write(ctx, func(w *transaction) { w.setNote("half", "done"); panic(broken) })
	}()
	expect.Is(t, cause.(error), broken, "a panic")
	given, up := context.WithTimeout(ctx, time.Millisecond)
	defer up()
	noError(t, s.write(ctx, func(*transaction) {
		expect.Is(t, s.SetNote(given, "half", "done"), context.DeadlineExceeded, "while another one writes")
	}))
	expect.Is(t, s.SetNote(given, "half", "done"), context.DeadlineExceeded, "begun after its caller had given up")
	expect.Equal(t, must(s.Note(ctx, "half"))(t), "", "left by a failed transaction")
}

func TestALostLeaseStaysLost(t *testing.T) {
	s, ctx := begin(t)
	j := accept(t, s, intent(1), api.PhaseFetching, "r1")
	first := must(s.Claim(ctx, j.ID, "a", noon, time.Second))(t)
	expect.Is(t, expect.Err(s.Claim(ctx, j.ID, "b", noon, time.Second)), ErrLate, "a second claim of a leased job")
	later := noon.Add(2 * time.Second)
	second := must(s.Claim(ctx, j.ID, "b", later, time.Second))(t)
	expect.That(t, second > first, "the epoch went from", first, "to", second)
	for i, err := range []error{s.Renew(ctx, j.ID, first, 0, later.Add(time.Hour)), s.SaveFile(ctx, j.ID, first, 1, File{Path: "/x"}),
		s.Apply(ctx, Transition{ID: j.ID, Epoch: first, Phase: api.PhaseFailed, Now: later})} {
		expect.Is(t, err, ErrLate, "write", i, "of a lost lease")
	}
	noError(t, s.Renew(ctx, j.ID, second, 0, later.Add(time.Hour)))
	result := api.Result{URL: "https://cdn.example.com/a.png"}
	soon, late := result, result
	soon.ExpiresAt, late.ExpiresAt = later.Add(time.Hour), later.Add(2*time.Hour)
	noError(t, s.SaveResults(ctx, j.ID, second, []api.Result{soon, late}))
	noError(t, s.SaveFile(ctx, j.ID, second, 2, File{Path: "/x", URL: result.URL}))
	j = must(s.Job(ctx, j.ID))(t)
	expect.That(t, len(j.Results) == 2 && j.Row.Files == 1 && len(j.Files) == 1 && j.Row.File == "/x" && j.ExpiresAt.Equal(soon.ExpiresAt),
		"results", j.Results, "files", j.Files)
	expect.Equal(t, j.Files[0].N, 2, "number of the file")
	before := must(s.ChangeNumber(ctx))(t)
	noError(t, s.Apply(ctx, Transition{ID: j.ID, Epoch: second, Phase: api.PhaseFetching, Results: []api.Result{result}, Now: later, Quiet: true}))
	quiet := must(s.ChangeNumber(ctx))(t)
	noError(t, s.Apply(ctx, Transition{ID: j.ID, Epoch: must(s.Claim(ctx, j.ID, "a", later, time.Second))(t), Phase: api.PhaseDone, Now: later}))
	ids, _, err := s.Changes(ctx, quiet)
	expect.That(t, quiet == before && err == nil && slices.Equal(ids, []string{j.ID}),
		"a quiet change has the number", quiet, "after", before, ids, err)
	j = must(s.Job(ctx, j.ID))(t)
	expect.That(t, j.Phase == api.PhaseDone && len(j.Results) == 1 && j.Results[0].URL == result.URL, j.Phase, "with", j.Results)
	must(s.w.ExecContext(ctx, `UPDATE jobs SET completed=1`))(t)
	fresh := result.URL + "?fresh"
	noError(t, s.SaveLinks(ctx, j.ID, []api.Result{{URL: fresh}}, map[int]string{2: fresh}))
	j = must(s.Job(ctx, j.ID))(t)
	expect.That(t, j.Results[0].URL == fresh && j.Files[0].URL == fresh, "results", j.Results, "files", j.Files)
	noError(t, s.Refetch(ctx, j.ID, later))
	must(s.Claim(ctx, j.ID, "a", later, time.Second))(t)
	expect.Is(t, s.SaveLinks(ctx, j.ID, nil, nil), ErrLate, "links of what is fetched")
	expect.Is(t, s.Refetch(ctx, j.ID, later), ErrLate, "what is fetched is fetched again")
}

// A rest that was asked for is never cut short by a shorter one.
func TestAShorterRestDoesNotReplaceALongerOne(t *testing.T) {
	s, ctx := begin(t)
	long := must(s.CloseGate(ctx, testBase, noon, 10*time.Minute, time.Minute, time.Hour))(t)
	for _, asked := range []time.Duration{time.Second, 0, 5 * time.Minute} {
		got := must(s.CloseGate(ctx, testBase, noon.Add(time.Second), asked, time.Minute, time.Hour))(t)
		expect.That(t, got.Equal(long), "asked for", asked, "open at", got, "want", long)
	}
	expect.That(t, must(s.GateUntil(ctx, testBase))(t).Equal(long), "it is not open at", long)
	expect.That(t, must(s.CloseGate(ctx, testBase, noon.Add(time.Second), time.Hour, time.Minute, time.Hour))(t).After(long),
		"a longer rest did not replace a shorter one")
	for _, far := range []time.Duration{2 * time.Hour, time.Minute} { // what is beyond was asked for by a wrong clock
		noError(t, s.Spread(ctx, testBase, noon, time.Second, far))
		expect.Equal(t, must(s.GateUntil(ctx, testBase))(t).IsZero(), far == time.Minute, "with", far, "to plan in")
	}
}

// After an hour without calls no more than the burst is earned.
func TestRestEarnsNoMoreThanTheBurst(t *testing.T) {
	s, ctx := begin(t)
	many := pace
	many.Calls = 1000
	for _, now := range []time.Time{noon, noon.Add(time.Hour), noon.Add(50 * time.Hour)} {
		taken := 0
		for must(s.Acquire(ctx, AnySent, testBase, "a", "", now, many))(t).Until.IsZero() {
			if taken++; taken > 10 {
				break
			}
		}
		expect.Equal(t, taken, int(many.Burst), "calls at once")
		next := must(s.Acquire(ctx, AnySent, testBase, "a", "", now.Add(100*time.Millisecond), many))(t).Until
		wait := next.Sub(now)
		expect.That(t, wait >= 500*time.Millisecond && wait <= 501*time.Millisecond, "the next one may leave after", wait)
	}
	for _, back := range []time.Duration{10 * time.Second, 10*time.Second + time.Millisecond} { // the clock was set back
		permit := must(s.Acquire(ctx, AnySent, testBase, "a", "", noon.Add(50*time.Hour-back), many))(t)
		expect.Equal(t, permit.Until.IsZero(), back > 10*time.Second, back, "back, until", permit.Until)
	}
}

// A model that the service refused does not become the default.
func TestOnlyAcceptedModelsAreRemembered(t *testing.T) {
	s, ctx := begin(t)
	steps := []struct {
		model string
		phase api.Phase
		want  string
	}{
		{"acme/typo", api.PhaseRejected, ""}, {"acme/paint", api.PhaseQueued, "acme/paint"}, {"acme/other", api.PhaseUnknown, "acme/paint"},
		{"acme/unread", api.PhaseUnread, "acme/paint"}, {"acme/unsent", api.PhaseNotSent, "acme/paint"}, {"acme/quick", api.PhaseFetching, "acme/quick"},
	}
	for n, step := range steps {
		in := intent(n)
		in.Request.Model, in.Estimate.Source = step.model, api.SourceTable
		if step.model == "acme/quick" {
			in.Estimate.Source = api.SourceNone
		}
		record(t, s, in)
		got := must(s.LastModel(ctx, api.KindImage))(t)
		expect.That(t, (n <= 0 || got == steps[n-1].want) && (n != 0 || got == ""), step.model, "remembered", got, "before it was accepted")
		id := must(s.List(ctx, Query{Limit: 1}))(t).Rows[0].ID
		attempt := must(s.MarkSending(ctx, id, "me", noon))(t)
		noError(t, s.Finish(ctx, Finish{ID: id, Attempt: attempt, Phase: step.phase, RemoteID: fmt.Sprint(n), Now: noon}))
		expect.Equal(t, must(s.LastModel(ctx, api.KindImage))(t), step.want, "after", step.model, step.phase)
		_, at, err := s.SentPrice(ctx, testBase, in.Request)
		expect.That(t, err == nil && at.IsZero() == (step.model != "acme/paint"), step.model, step.phase, "a price of", at, err)
	}
}

// An empty store in place of one that cannot be read says so; one where there was none yet does not. All take what is written at once.
func TestAnEmptyStoreSaysWhatItStandsFor(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		hidden  bool
	}{
		"new":          {func(*testing.T, string) {}, false},
		"damaged":      {func(t *testing.T, path string) { simtest.File(t, path, "no store at all") }, true},
		"a folder":     {func(t *testing.T, path string) { mkdir(t, path) }, true},
		"a named pipe": {namedPipe, true},
		"a log alone":  {func(t *testing.T, path string) { simtest.File(t, path+"-wal", "of a file that is gone") }, true},
		"a link": {func(t *testing.T, path string) {
			mkdir(t, filepath.Dir(path))
			noError(t, os.Symlink("away/darkroom.db", path)) // to a folder
			mkdir(t, filepath.Dir(path)+"/away")
		}, true},
		"a link on the way": {func(t *testing.T, path string) { noError(t, os.Symlink("away", filepath.Dir(path))) }, true},
		"not to make": {func(t *testing.T, path string) {
			simtest.File(t, filepath.Dir(path), "a file where its folder belongs")
		}, true},
	} {
		path := filepath.Join(t.TempDir(), "data", "darkroom.db")
		c.prepare(t, path)
		s := must(Open(ctx, path))(t)
		expect.Equal(t, s.Health().Hidden, c.hidden, name, "hidden", s.Health())
		var all sync.WaitGroup
		for range 8 { // at once
			all.Go(func() { expect.Is(t, s.SetNote(ctx, "x", name), nil, name) })
		}
		all.Wait()
		_ = s.Close()
	}
	path := filepath.Join(t.TempDir(), "darkroom.db")
	expect.That(t, !must(openReadOnly(ctx, path, whyFolder.Reason("", path)))(t).Health().Hidden, "there is none yet")
	simtest.File(t, path+"-wal", "of a file that is gone, in a folder that can only be read")
	expect.That(t, must(openReadOnly(ctx, path, whyFolder.Reason("", path)))(t).Health().Hidden, "a log alone")
}

// namedPipe makes one that nobody writes to; Windows has a folder instead.
func namedPipe(t *testing.T, path string) {
	if runtime.GOOS == "windows" {
		mkdir(t, path)
		return
	}
	mkdir(t, filepath.Dir(path))
	out, err := exec.Command("mkfifo", path).CombinedOutput()
	expect.Is(t, err, nil, string(out))
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	noError(t, os.MkdirAll(path, 0o700))
}

// A newer darkroom that opened the file meanwhile may count by other rules.
func TestNothingIsSentFromAFileThatANewerDarkroomChanged(t *testing.T) {
	s, ctx := begin(t)
	j := record(t, s, intent(1))
	must(s.w.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, newest()+1)))(t)
	_, _, recording := s.Record(ctx, intent(2))
	_, marking := s.MarkSending(ctx, j.ID, "me", noon)
	_, holding := s.Hold(ctx, Agreement{ID: "a", Now: noon})
	calling := s.RecordTool(ctx, ToolCall{ID: "t", Name: "x", Now: noon})
	for name, err := range map[string]error{"recording": recording, "marking": marking, "holding": holding, "calling": calling} {
		expect.Is(t, err, errNewer, name)
	}
}

// An outcome that found no place is an error, so that whoever has it keeps it.
func TestAnOutcomeNeedsItsJob(t *testing.T) {
	s, ctx := begin(t)
	j := record(t, s, intent(1))
	finish := func() error {
		return s.Finish(ctx, Finish{ID: j.ID, Phase: api.PhaseQueued, RemoteID: "r1", Now: noon, NextPoll: noon})
	}
	must(s.MarkSending(ctx, j.ID, "me", noon))(t)
	must(s.w.ExecContext(ctx, `DELETE FROM attempts; DELETE FROM details; DELETE FROM jobs`))(t)
	expect.Is(t, finish(), ErrMissing, "a job that is gone")
	noError(t, s.RecordTool(ctx, ToolCall{ID: "t", Name: "x", Now: noon}))
	noError(t, os.Rename(s.Health().Path, s.Health().Path+".away"))
	expect.Is(t, finish(), ErrMoved, "a file that is elsewhere")
	expect.Is(t, s.RecordTool(ctx, ToolCall{ID: "u", Name: "x", Now: noon}), ErrMoved, "a tool's call")
}

// An older copy of the file that was put back knows less than the answer.
func TestAnOutcomeIsBetterKnowledgeThanAnOlderFile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, phase := range []api.Phase{api.PhaseIntent, api.PhaseNotSent, api.PhaseUnknown} {
		s := open(t)
		j := record(t, s, intent(1))
		must(s.MarkSending(ctx, j.ID, "me", noon))(t)
		must(s.w.ExecContext(ctx, `UPDATE jobs SET phase=?`, phase))(t)
		noError(t, s.Finish(ctx, Finish{ID: j.ID, Phase: api.PhaseQueued, RemoteID: "r1", Now: noon, NextPoll: noon}))
		j = must(s.Job(ctx, j.ID))(t)
		expect.That(t, j.Phase == api.PhaseQueued && j.RemoteID == "r1", phase, "became", j.Phase, j.RemoteID)
	}
}

// TestFileAtIsTheNewestJobs: an address leads to the newest job that has it.
func TestFileAtIsTheNewestJobs(t *testing.T) {
	s, ctx := begin(t)
	const address = "https://cdn.example.com/a.png"
	newest := ""
	for n := range 2 {
		j := accept(t, s, intent(n+1), api.PhaseFetching, "r"+strconv.Itoa(n))
		epoch := must(s.Claim(ctx, j.ID, "a", noon, time.Second))(t)
		noError(t, s.SaveFile(ctx, j.ID, epoch, 1, File{URL: address, Path: "/results/" + j.ID}))
		noError(t, s.SaveResults(ctx, j.ID, epoch, []api.Result{{URL: address, ExpiresAt: noon.Add(time.Duration(n) * time.Hour)}}))
		newest = j.ID
	}
	id, f, end, err := s.FileAt(ctx, address)
	expect.That(t, id == newest && f.N == 1 && f.Path == "/results/"+newest && end.Equal(noon.Add(time.Hour)) && err == nil,
		"the newest job is", newest, "got", id, f, end, err)
	id, f, none, err := s.FileAt(ctx, address+"x")
	expect.That(t, id+f.Path == "" && none.IsZero() && err == nil, "an unknown address", id, f, none, err)
	r := intent(9).Request
	r.ImageFiles = []string{address + "x", address}
	for _, c := range []struct {
		from, now time.Time
		ended     bool
	}{{time.Time{}, end.Add(-1), false}, {time.Time{}, end, true}, {end.Add(-1), end, true}, {end, end.Add(1), false}} {
		expect.Equal(t, s.LinkEnded(ctx, r, c.from, c.now), c.ended, "between", c.from, c.now)
	}
}

func TestTakeOverSettlesWhatTheDeadLeft(t *testing.T) {
	s, ctx := begin(t)
	noError(t, s.AddInstance(ctx, "me", "x", noon))
	waiting, sending := record(t, s, intent(1)), record(t, s, intent(2))
	attempt := must(s.MarkSending(ctx, sending.ID, "me", noon))(t)
	polled := accept(t, s, intent(3), api.PhaseQueued, "r3")
	g := must(s.Acquire(ctx, AnySent, testBase, "me", polled.ID, noon, pace))(t)
	mine := intent(4)
	mine.Instance = "other"
	noError(t, s.AddInstance(ctx, "other", "y", noon))
	alive := record(t, s, mine)
	noError(t, s.TakeOver(ctx, []string{"me"}, noon))
	for id, want := range map[string]api.Phase{waiting.ID: api.PhaseNotSent, sending.ID: api.PhaseUnknown,
		polled.ID: api.PhaseQueued, alive.ID: api.PhaseIntent} {
		expect.Equal(t, must(s.Job(ctx, id))(t).Phase, want, id)
	}
	// The dead window's late poll changes nothing, its late outcome does: it says more than "unknown".
	expect.Is(t, s.Apply(ctx, Transition{ID: polled.ID, Epoch: g.Epoch, Phase: api.PhaseFailed}), ErrLate, "late settle")
	noError(t, s.Finish(ctx, Finish{ID: sending.ID, Attempt: attempt, Phase: api.PhaseQueued, RemoteID: "r2", Now: noon}))
	j := must(s.Job(ctx, sending.ID))(t)
	expect.That(t, j.Phase == api.PhaseQueued && j.RemoteID == "r2", "late outcome", j.Phase, j.RemoteID)
}

var pace = Pace{Every: 500 * time.Millisecond, Burst: 2, Calls: 4, Limit: time.Minute}

func TestRateIsSharedBetweenWindows(t *testing.T) {
	a, ctx := begin(t)
	b := openAt(t, a.Health().Path)
	now, taken := noon, 0
	for now.Before(noon.Add(10 * time.Second)) {
		for i, s := range []*Store{a, b} {
			g := must(s.Acquire(ctx, AnySent, testBase, fmt.Sprint(i), "", now, pace))(t)
			if g.Until.IsZero() {
				taken++
				noError(t, s.EndCall(ctx, testBase, g.Call, true))
			}
		}
		now = now.Add(50 * time.Millisecond)
	}
	expect.That(t, taken >= 20 && taken <= 22, taken, "calls in 10 s")
}

func TestAtMostFourFly(t *testing.T) {
	s, ctx := begin(t)
	var last Permit
	for n := range 6 { // the fifth does not fly, until one has landed
		g := must(s.Acquire(ctx, AnySent, testBase, "ab"[n/4:n/4+1], "", noon.Add(time.Duration(min(n, 4))*time.Second), pace))(t)
		expect.That(t, g.Until.Equal([6]time.Time{4: noon.Add(4 * time.Second).Add(pace.Every / 2)}[n]), "call", n, "may leave at", g.Until)
		if n == 4 {
			noError(t, s.EndCall(ctx, testBase, last.Call, true))
		}
		last = g
	}
}

func TestGateDoublesWithoutAskedWait(t *testing.T) {
	s, ctx := begin(t)
	now := noon
	for _, want := range []time.Duration{60, 120, 240, 480, 900, 900} {
		until := must(s.CloseGate(ctx, testBase, now, 0, time.Minute, 15*time.Minute))(t)
		expect.Equal(t, until.Sub(now), want*time.Second, "closed for")
		expect.Must(t, must(s.CloseGate(ctx, testBase, now, 0, time.Minute, 15*time.Minute))(t).Equal(until),
			"a call that was under way closed it further")
		g := must(s.Acquire(ctx, AnySent, testBase, "a", "", now, pace))(t)
		expect.Must(t, g.Until.Equal(until), "leave through a closed gate", g)
		now = until.Add(time.Millisecond)
	}
	g := must(s.Acquire(ctx, AnySent, testBase, "a", "", now, pace))(t)
	expect.Must(t, g.Until.IsZero(), "no leave through an open gate, though no call was counted before it closed", g)
	noError(t, s.EndCall(ctx, testBase, 0, true))
	expect.That(t, must(s.CloseGate(ctx, testBase, now, 0, time.Minute, 15*time.Minute))(t).Sub(now) == time.Minute,
		"a good answer does not forget the strikes")
}

// TestEventsAreTakenOnce: each change that hooks wait for is taken by one of those who
// try at the same time; what happened before is not, and each change stays listed.
func TestEventsAreTakenOnce(t *testing.T) {
	s, ctx := begin(t)
	accept(t, s, intent(0), api.PhaseDone, "r0")
	noError(t, s.AwaitEvents(ctx, ",done,unknown,", "", false))
	want := map[string]bool{}
	for n, phase := range []api.Phase{api.PhaseDone, api.PhaseQueued, api.PhaseUnknown, api.PhaseDone} {
		j := accept(t, s, intent(n+1), phase, fmt.Sprint("r", n+1))
		want[j.ID] = phase != api.PhaseQueued
	}
	var all sync.WaitGroup
	taken := make(chan Event, 100)
	for range 4 {
		other := openAt(t, s.path)
		all.Go(func() {
			for {
				e, ok, err := other.TakeEvent(ctx, ",done,unknown,")
				expect.Is(t, err, nil)
				if !ok {
					return
				}
				taken <- e
			}
		})
	}
	all.Wait()
	close(taken)
	for e := range taken {
		expect.That(t, want[e.Job] && !e.At.IsZero(), "taken twice, or not wanted", e)
		delete(want, e.Job)
	}
	expect.Equal(t, len(want), 1, "not taken", want) // the queued one
	listed := must(s.Events(ctx, 1))(t)
	last := must(s.LastEvent(ctx))(t)
	expect.That(t, len(listed) == 9 && listed[8].Number == last && listed[0].Phase == api.PhaseDone, last, "is the last of", listed)
	accept(t, s, intent(6), api.PhaseUnknown, "")
	noError(t, s.AwaitEvents(ctx, ",done,", "", false))
	noError(t, s.AwaitEvents(ctx, ",done,unknown,", "", false))
	e, ok, err := s.TakeEvent(ctx, ",done,unknown,")
	expect.That(t, !ok && err == nil, "nothing waited for it meanwhile", e, err)
}
