package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"darkroom/api"
)

// A file that was removed or replaced under the open store takes no more
// requests: what is written into it is lost.
func TestNothingIsSentFromAMovedStore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, move := range map[string]func(path string) error{
		"file removed":   os.Remove,
		"file renamed":   func(path string) error { return os.Rename(path, path+".away") },
		"folder renamed": func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+"-away") },
		"another file at its path": func(path string) error {
			return errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, nil, 0o600))
		},
	} {
		s := open(t)
		j := record(t, s, intent(1))
		path := s.Health().Path
		if err := move(path); err != nil {
			t.Fatal(name, err)
		}
		if _, err := s.MarkSending(ctx, j.ID, "me", noon); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: marking as sending gave %v", name, err)
		}
		if _, _, err := s.Record(ctx, intent(2)); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: recording gave %v", name, err)
		}
	}
}

// everyPhase says for each phase whether it counts as spent, as possibly spent,
// for the budget, and whether the same body is asked about.
var everyPhase = map[api.Phase]struct{ spent, possibly, budget, same bool }{
	api.PhaseIntent:   {false, false, true, true},
	api.PhaseSending:  {true, false, true, true},
	api.PhaseQueued:   {true, false, true, true},
	api.PhaseRunning:  {true, false, true, true},
	api.PhaseFetching: {true, false, true, true},
	api.PhaseDone:     {true, false, true, false},
	api.PhaseFailed:   {false, false, false, false},
	api.PhaseRejected: {false, false, false, false},
	api.PhaseNotSent:  {false, false, false, false},
	api.PhaseUnknown:  {false, true, true, true},
	api.PhaseUnread:   {false, true, true, true},
	api.PhaseExpired:  {true, false, true, false},
	api.PhaseStale:    {true, false, true, false},
}

func TestEveryPhaseInTheLedger(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for phase, want := range everyPhase {
		s := open(t)
		j := record(t, s, intent(1))
		must(s.w.ExecContext(ctx, `UPDATE jobs SET phase=? WHERE id=?`, phase, j.ID))(t)
		price := intent(1).Estimate.Credits
		amount := func(counted bool) api.Credits {
			if counted {
				return price
			}
			return 0
		}
		sp := must(s.Spent(ctx, DayStart(noon)))(t)
		if sp.Credits != amount(want.spent) || sp.Possibly != amount(want.possibly) {
			t.Errorf("%s: %s spent, %s possibly", phase, sp.Credits, sp.Possibly)
		}
		var credits, possibly api.Credits
		for _, l := range must(s.Ledger(ctx, DayStart(noon)))(t) {
			credits, possibly = credits+l.Credits, possibly+l.Possibly
		}
		if credits != amount(want.spent) || possibly != amount(want.possibly) {
			t.Errorf("%s: the ledger has %s and %s", phase, credits, possibly)
		}
		in := intent(2)
		in.Budget = price // one fits, two do not
		_, _, err := s.Record(ctx, in)
		if refusedFor(err, "budget") != want.budget {
			t.Errorf("%s: with a budget for one more: %v", phase, err)
		}
		again := intent(1)
		again.ConfirmID = "another"
		_, _, err = s.Record(ctx, again)
		if refusedFor(err, "again") != want.same {
			t.Errorf("%s: the same body again: %v", phase, err)
		}
	}
}

// Two absurd estimates must neither break the ledger nor let anything through.
func TestSumsStopAtTheHighestAmount(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	for n := range 3 {
		in := intent(n)
		in.Estimate.Credits = 9e12 * api.Credit
		accept(t, s, in, []api.Phase{api.PhaseQueued, api.PhaseUnknown, api.PhaseQueued}[n], fmt.Sprint(n))
	}
	sp := must(s.Spent(ctx, DayStart(noon)))(t)
	if sp.Credits != api.MaxCredits || sp.Possibly != 9e12*api.Credit {
		t.Errorf("spent %s, possibly %s", sp.Credits, sp.Possibly)
	}
	if lines := must(s.Ledger(ctx, DayStart(noon)))(t); len(lines) != 1 || lines[0].Credits != api.MaxCredits {
		t.Errorf("ledger %+v", lines)
	}
	in := intent(9)
	in.Budget = 1000 * api.Credit
	if _, _, err := s.Record(ctx, in); !refusedFor(err, "budget") || err.Error() == "" {
		t.Errorf("with a budget: %v", err)
	}
}

// A day of the ledger is a local one.
func TestLedgerDaysAreLocal(t *testing.T) {
	const zone = "Pacific/Auckland" // 12 or 13 hours ahead: most days are not UTC's
	if os.Getenv("TZ") != zone {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLedgerDaysAreLocal$", "-test.count=1")
		again.Env = append(os.Environ(), "TZ="+zone)
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("in %s: %v\n%s", zone, err, out)
		}
		return
	}
	if _, offset := time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local).Zone(); offset == 0 {
		t.Fatalf("the time zone %s is not known here", zone)
	}
	s := open(t)
	for n, at := range []time.Time{
		time.Date(2026, 3, 1, 0, 30, 0, 0, time.Local), time.Date(2026, 3, 1, 23, 30, 0, 0, time.Local), time.Date(2026, 3, 2, 0, 30, 0, 0, time.Local),
	} {
		in := intent(n)
		in.Now = at
		accept(t, s, in, api.PhaseDone, fmt.Sprint(n))
	}
	lines := must(s.Ledger(context.Background(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local)))(t)
	if len(lines) != 2 || lines[0].Day != "2026-03-02" || lines[0].Jobs != 1 || lines[1].Day != "2026-03-01" || lines[1].Jobs != 2 {
		t.Errorf("%+v", lines)
	}
}

func TestWriterIsFullySynchronous(t *testing.T) {
	t.Parallel()
	s := open(t)
	var level int
	if err := s.w.QueryRow(`PRAGMA synchronous`).Scan(&level); err != nil || level != 2 {
		t.Errorf("synchronous is %d, want 2 (FULL): %v", level, err)
	}
	var mode string
	if err := s.w.QueryRow(`PRAGMA journal_mode`).Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %q: %v", mode, err)
	}
}

// What failed half-way leaves nothing behind.
func TestAFailedWriteIsUndone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	broken := errors.New("broken")
	err := s.write(ctx, func(w *transaction) {
		w.setNote("half", "done")
		w.fail(broken)
		w.setNote("half", "done after all")
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if v := must(s.Note(ctx, "half"))(t); v != "" {
		t.Errorf("a failed transaction left %q", v)
	}
}

func TestALostLeaseStaysLost(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	j := accept(t, s, intent(1), api.PhaseFetching, "r1")
	first := must(s.Claim(ctx, j.ID, "a", noon, time.Second))(t)
	if _, err := s.Claim(ctx, j.ID, "b", noon, time.Second); !errors.Is(err, ErrLate) {
		t.Errorf("a second claim of a leased job: %v", err)
	}
	later := noon.Add(2 * time.Second)
	second := must(s.Claim(ctx, j.ID, "b", later, time.Second))(t)
	if second <= first {
		t.Errorf("the epoch went from %d to %d", first, second)
	}
	if err := s.Renew(ctx, j.ID, first, 0, later.Add(time.Hour)); !errors.Is(err, ErrLate) {
		t.Errorf("a lost lease was renewed: %v", err)
	}
	if err := s.Apply(ctx, Transition{ID: j.ID, Epoch: first, Phase: api.PhaseFailed, Now: later}); !errors.Is(err, ErrLate) {
		t.Errorf("a lost lease wrote: %v", err)
	}
	if err := s.SaveFile(ctx, j.ID, first, 1, File{Path: "/x"}); !errors.Is(err, ErrLate) {
		t.Errorf("a lost lease saved a file: %v", err)
	}
	if err := s.Renew(ctx, j.ID, second, 0, later.Add(time.Hour)); err != nil {
		t.Errorf("the lease in force: %v", err)
	}
}

// A rest that was asked for is never cut short by a shorter one.
func TestAShorterRestDoesNotReplaceALongerOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	long := must(s.CloseGate(ctx, testBase, noon, 10*time.Minute, time.Minute, time.Hour))(t)
	for _, asked := range []time.Duration{time.Second, 0, 5 * time.Minute} {
		if got := must(s.CloseGate(ctx, testBase, noon.Add(time.Second), asked, time.Minute, time.Hour))(t); !got.Equal(long) {
			t.Errorf("asked for %v: open at %v, want %v", asked, got, long)
		}
	}
	if until := must(s.GateUntil(ctx, testBase))(t); !until.Equal(long) {
		t.Errorf("open at %v", until)
	}
	if got := must(s.CloseGate(ctx, testBase, noon.Add(time.Second), time.Hour, time.Minute, time.Hour))(t); !got.After(long) {
		t.Error("a longer rest did not replace a shorter one")
	}
}

// After an hour without calls no more than the burst is earned.
func TestRestEarnsNoMoreThanTheBurst(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	many := pace
	many.Calls = 1000
	for _, now := range []time.Time{noon, noon.Add(time.Hour), noon.Add(50 * time.Hour)} {
		taken := 0
		for must(s.Acquire(ctx, testBase, "a", "", now, many))(t).Until.IsZero() {
			if taken++; taken > 10 {
				break
			}
		}
		if taken != int(many.Burst) {
			t.Errorf("%d calls at once, want %v", taken, many.Burst)
		}
	}
}

// A model that the service refused does not become the default.
func TestOnlyAcceptedModelsAreRemembered(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
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
		in.Request.Model = step.model
		record(t, s, in)
		if got := must(s.LastModel(ctx, api.KindImage))(t); n > 0 && got != steps[n-1].want || n == 0 && got != "" {
			t.Errorf("%s: remembered %q before it was accepted", step.model, got)
		}
		id := must(s.List(ctx, Query{Limit: 1}))(t).Rows[0].ID
		attempt := must(s.MarkSending(ctx, id, "me", noon))(t)
		noError(t, s.Finish(ctx, Finish{ID: id, Attempt: attempt, Phase: step.phase, RemoteID: fmt.Sprint(n), Now: noon}))
		if got := must(s.LastModel(ctx, api.KindImage))(t); got != step.want {
			t.Errorf("after %s %s: %q, want %q", step.model, step.phase, got, step.want)
		}
	}
}

// An empty store in place of one that cannot be read says so; one where there
// was none yet does not.
func TestAnEmptyStoreSaysWhatItStandsFor(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		hidden  bool
	}{
		"new":          {func(*testing.T, string) {}, false},
		"damaged":      {func(t *testing.T, path string) { writeFile(t, path, "no store at all") }, true},
		"a folder":     {func(t *testing.T, path string) { mkdir(t, path) }, true},
		"a named pipe": {namedPipe, true},
		"not to make": {func(t *testing.T, path string) {
			mkdir(t, filepath.Dir(filepath.Dir(path)))
			writeFile(t, filepath.Dir(path), "a file where its folder belongs")
		}, false},
	} {
		path := filepath.Join(t.TempDir(), "data", "darkroom.db")
		c.prepare(t, path)
		s, err := Open(ctx, path)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := s.Health().Hidden; got != c.hidden {
			t.Errorf("%s: hidden is %t, want %t (%+v)", name, got, c.hidden, s.Health())
		}
		_ = s.Close()
	}
}

// namedPipe makes one that nobody writes to; Windows has a folder instead.
func namedPipe(t *testing.T, path string) {
	if runtime.GOOS == "windows" {
		mkdir(t, path)
		return
	}
	mkdir(t, filepath.Dir(path))
	if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	noError(t, os.MkdirAll(path, 0o700))
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	noError(t, os.WriteFile(path, []byte(text), 0o600))
}

// The log and the index are part of the store: what is written without them is
// not seen by others, and lost with the process.
func TestNothingIsSentWithoutLogOrIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, tail := range []string{"-wal", "-shm"} {
		s := open(t)
		j := record(t, s, intent(1))
		noError(t, os.Remove(s.Health().Path+tail))
		if _, err := s.MarkSending(ctx, j.ID, "me", noon); !errors.Is(err, ErrMoved) {
			t.Errorf("%s: marking as sending gave %v", tail, err)
		}
	}
}

// A newer darkroom that opened the file meanwhile may count by other rules.
func TestNothingIsSentFromAFileThatANewerDarkroomChanged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	j := record(t, s, intent(1))
	must(s.w.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, newest()+1)))(t)
	_, _, recording := s.Record(ctx, intent(2))
	_, marking := s.MarkSending(ctx, j.ID, "me", noon)
	_, holding := s.Hold(ctx, Agreement{ID: "a", Now: noon})
	calling := s.RecordTool(ctx, ToolCall{ID: "t", Name: "x", Now: noon})
	for name, err := range map[string]error{"recording": recording, "marking": marking, "holding": holding, "calling": calling} {
		if !errors.Is(err, errNewer) {
			t.Errorf("%s gave %v", name, err)
		}
	}
}

// An outcome that found no place is an error, so that whoever has it keeps it.
func TestAnOutcomeNeedsItsJob(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	finish := func(s *Store, j Job) error {
		return s.Finish(ctx, Finish{ID: j.ID, Phase: api.PhaseQueued, RemoteID: "r1", Now: noon, NextPoll: noon})
	}
	s := open(t)
	j := record(t, s, intent(1))
	must(s.MarkSending(ctx, j.ID, "me", noon))(t)
	must(s.w.ExecContext(ctx, `DELETE FROM attempts; DELETE FROM details; DELETE FROM jobs`))(t)
	if err := finish(s, j); !errors.Is(err, ErrMissing) {
		t.Errorf("a job that is gone: %v", err)
	}
	if err := s.RecordTool(ctx, ToolCall{ID: "t", Name: "x", Now: noon}); err != nil {
		t.Error(err)
	}
	noError(t, os.Rename(s.Health().Path, s.Health().Path+".away"))
	if err := finish(s, j); !errors.Is(err, ErrMoved) {
		t.Errorf("a file that is elsewhere: %v", err)
	}
	if err := s.RecordTool(ctx, ToolCall{ID: "u", Name: "x", Now: noon}); !errors.Is(err, ErrMoved) {
		t.Errorf("a tool's call: %v", err)
	}
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
		if j = must(s.Job(ctx, j.ID))(t); j.Phase != api.PhaseQueued || j.RemoteID != "r1" {
			t.Errorf("%s became %s %q", phase, j.Phase, j.RemoteID)
		}
	}
}

// TestFileAtIsTheNewestJobs: an address leads to the newest job that has it.
func TestFileAtIsTheNewestJobs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	const address = "https://cdn.example.com/a.png"
	newest := ""
	for n := range 2 {
		j := accept(t, s, intent(n+1), api.PhaseFetching, "r"+strconv.Itoa(n))
		epoch := must(s.Claim(ctx, j.ID, "a", noon, time.Second))(t)
		noError(t, s.SaveFile(ctx, j.ID, epoch, 1, File{URL: address, Path: "/results/" + j.ID}))
		newest = j.ID
	}
	if id, path, err := s.FileAt(ctx, address); id != newest || path != "/results/"+newest || err != nil {
		t.Errorf("the newest job is %s, got %s, %s, %v", newest, id, path, err)
	}
	if id, path, err := s.FileAt(ctx, address+"x"); id+path != "" || err != nil {
		t.Errorf("an unknown address: %s, %s, %v", id, path, err)
	}
}
