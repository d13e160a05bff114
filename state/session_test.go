package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/keys"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

const testKey = "ak_0123456789abcdef"

// testOptions are options for a session in a folder of its own.
func testOptions(t testing.TB, dir, base string) Options {
	t.Helper()
	return Options{
		Settings: Settings{
			BaseURL: base, BaseFrom: "environment", EnvKey: testKey, TimeScale: 0.01, Downloads: t.TempDir(),
			DataDir: filepath.Join(dir, "data"), Recipes: true,
		},
		Env: func(string) string { return "" }, Keyring: simtest.NoRing{None: keys.ErrNone}, Poll: true,
	}
}

func openSession(t testing.TB, o Options) *Session {
	t.Helper()
	s := must(Open(context.Background(), o))(t)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func confirm(prompt string) Confirmed {
	return Confirmed{Agreed: Agreed{
		ConfirmID: NewConfirmID(),
		Request:   api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: prompt, Duration: "5", VideoModel: "fast", Resolution: "720p"},
		Estimate:  api.Estimate{Credits: 425 * api.Credit, Source: api.SourceTable, At: time.Now()},
	}}
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

var noError, bubble, limited = simtest.NoError, simtest.Bubble, simtest.Limited

var queued, refused, answer, failing = simtest.Queued, simtest.Refused, simtest.JobAnswer, simtest.Failing

// code is that of a refusal, or else what the error says.
func code(err error) string {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.Code
	}
	return fmt.Sprint(err)
}

// fakeService is a service without a network, so that schedules run in a bubble of synctest. It counts every call,
// and has no tools.
type fakeService struct {
	remote.Service
	mu    sync.Mutex
	polls map[string][]time.Time
	idle  int

	create func(n int, o client.CreateOptions) api.Outcome // n counts from 1
	price  func(r api.Request) (api.Estimate, error)       // nil: it has no figures
	bodies []string
	job    func(id string, n int) (api.JobAnswer, error)
}

func newFake() *fakeService {
	return &fakeService{polls: map[string][]time.Time{}}
}

func (f *fakeService) Models(context.Context) ([]api.Model, bool, error) {
	return []api.Model{{ID: "acme/paint", Kind: api.KindImage}}, false, nil
}

func (f *fakeService) Estimate(_ context.Context, r api.Request, _ api.Model) (api.Estimate, error) {
	if f.price != nil {
		return f.price(r)
	}
	return api.Estimate{}, &api.Error{Class: api.ClassNetwork}
}

func (f *fakeService) Create(_ context.Context, _ string, body []byte, o client.CreateOptions) api.Outcome {
	f.mu.Lock()
	f.bodies = append(f.bodies, string(body))
	n := len(f.bodies)
	f.mu.Unlock()
	return f.create(n, o)
}

func (f *fakeService) Job(_ context.Context, id string, _ api.Kind, _ ...string) (api.JobAnswer, error) {
	f.mu.Lock()
	f.polls[id] = append(f.polls[id], time.Now())
	n := len(f.polls[id])
	f.mu.Unlock()
	return f.job(id, n)
}

func (f *fakeService) Resolve(ctx context.Context, ids []string, kind api.Kind) (string, api.JobAnswer, error) {
	for _, id := range ids {
		a, err := f.Job(ctx, id, kind)
		var e *api.Error
		switch {
		case err == nil:
			return id, a, nil
		case errors.As(err, &e) && e.Class != api.ClassNotFound:
			return "", api.JobAnswer{}, err
		}
	}
	return "", api.JobAnswer{}, &api.Error{Class: api.ClassNotFound}
}

func (f *fakeService) CloseIdle() { f.mu.Lock(); f.idle++; f.mu.Unlock() }

func (f *fakeService) sent() int {
	return simtest.Read(&f.mu, func() int { return len(f.bodies) })
}

func (f *fakeService) polled(id string) []time.Time {
	return simtest.Read(&f.mu, func() []time.Time { return append([]time.Time(nil), f.polls[id]...) })
}

// fakeOptions are options for a session on a fake service, in real units of time.
func fakeOptions(t testing.TB, dir string, f *fakeService) Options {
	t.Helper()
	o := testOptions(t, dir, "https://service.test")
	o.Settings.TimeScale = 1
	o.Connect = func(client.Options) remote.Service { return f }
	return o
}

func TestLocalFile(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		"/home/you/a.png": "/home/you/a.png", "~/a.png": "/home/you/a.png", "'/tmp/my a.png'": "/tmp/my a.png", `"/tmp/a.png"`: "/tmp/a.png",
		`/tmp/my\ a.png`: "/tmp/my a.png", "file:///tmp/a%20b.png": "/tmp/a b.png", " /tmp/../etc/a ": "/etc/a",
		`/tmp/it\'s\ \(1\).png`: "/tmp/it's (1).png", `'/tmp/it'\''s.png'`: "/tmp/it's.png", `'/tmp/it'"'"'s.png'`: "/tmp/it's.png", `/tmp/a\b`: `/tmp/a\b`,
		"https://a.example/b": "", "//a.example/b": "", "a.png": "", "/": "", "": "", "file://host/a": "", "/a\x00b": "",
	}
	home := "/home/you"
	if filepath.Separator == '\\' {
		home, all = `C:\you`, map[string]string{
			`C:\(1)\_a.png`: `C:\(1)\_a.png`, `~\a.png`: `C:\you\a.png`, "~/a.png": `C:\you\a.png`, `"d:/my a.png"`: `d:\my a.png`,
			"file:///C:/a%20b.png": `C:\a b.png`, `\\host\share\a.png`: "", "//host/share/a.png": "", `\\?\C:\a.png`: "", `C:a.png`: "", `\a.png`: "",
			`C:\`: "", "file:///%5C%5Chost/share/a": "", "/a.png": "", "https://a.example/b": "",
		}
	}
	for text, want := range all {
		got, ok := LocalFile(text, home)
		expect.That(t, got == want && ok == (want != ""), text, "is", got, ok, "want", want)
	}
}

func TestSleepIsNoticed(t *testing.T) {
	t.Parallel()
	expect.All(t, "false true true", slept(time.Hour, time.Hour), slept(time.Hour, time.Minute), slept(-time.Hour, time.Minute))
	expect.All(t, "false true", slept(time.Minute, time.Minute-sleptGap), slept(time.Minute, time.Minute-sleptGap-1))
	expect.That(t, !slept(time.Minute-sleptGap, time.Minute), "the gap is misjudged")
}

// TestWakingPlansAnew lets every poll become overdue, as a sleep does.
func TestWakingPlansAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, _ := queueWindow(t, t.TempDir())
		var ids []string
		for n := range 40 {
			ids = append(ids, submitted(t, s, fmt.Sprint(n)).ID)
		}
		time.Sleep(time.Hour)
		now := time.Now()
		s.Remote.Wake(now)
		s.Poller.Wake()
		expect.Equal(t, f.idle, 1, "how often idle connections were dropped")
		after := api.Map(ids, func(id string) time.Duration { return must(s.Job(t.Context(), id))(t).NextPoll.Sub(now) })
		slices.Sort(after)
		first, last := after[0], after[len(after)-1]
		expect.That(t, first >= -time.Millisecond && last <= remote.ReplanSpan, "planned from", first, "to", last)
		expect.That(t, after[30]-after[10] >= time.Second, "the middle half of the polls lies within", after[30]-after[10])
	})
}

// TestAClockThatWasAheadStopsNothing leaves plans, a download and a rest from a time when the clock was hours ahead.
func TestAClockThatWasAheadStopsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if n > 2 {
				return made(), nil
			}
			return running(id, n)
		}
		o := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		var ids []string
		ahead := time.Now().Add(8 * time.Hour)
		for n := range 6 {
			in := store.Intent{ConfirmID: fmt.Sprint(n), Instance: "x", Base: "https://service.test", Request: confirm("x").Request, Body: fmt.Append(nil, n), Now: ahead}
			j, _, err := s.db().Record(t.Context(), in)
			noError(t, err)
			attempt := must(s.db().MarkSending(t.Context(), j.ID, "x", ahead))(t)
			done := store.Finish{ID: j.ID, Attempt: attempt, Phase: api.PhaseQueued, RemoteID: fmt.Sprint("r", n+1), NextPoll: ahead, Now: ahead}
			if n%2 == 1 {
				done.Phase, done.Completed, done.Results = api.PhaseFetching, true, made().Results
			}
			noError(t, s.db().Finish(t.Context(), done))
			ids = append(ids, j.ID)
		}
		must(s.db().CloseGate(t.Context(), "https://service.test", ahead, 0, time.Minute, time.Hour))(t)
		o.Poll = true
		s = openSession(t, o)
		fresh := must(s.Submit(t.Context(), confirm("fresh")))(t)
		time.Sleep(5 * time.Minute)
		for _, id := range append(ids, fresh.ID) {
			j := must(s.Job(t.Context(), id))(t)
			expect.Equal(t, j.Phase, api.PhaseDone, "job", id, "is", "to be asked for in", time.Until(j.NextPoll))
		}
	})
}

func TestOtherWindowsChangesArrive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		f.job = running
		o := fakeOptions(t, t.TempDir(), f)
		b := openSession(t, o)
		o.Poll = false // as a command that only sends
		a := openSession(t, o)
		time.Sleep(time.Second)
		j := submitted(t, a, "x")
		time.Sleep(1100 * time.Millisecond)
		expect.That(t, slices.Contains(must(b.Wait(t.Context()))(t), j.ID), "the other window is not told")
		time.Sleep(15 * time.Second)
		expect.That(t, len(f.polled("r1")) != 0, "the other window does not follow it")
		noError(t, b.Close(t.Context()))
		o.Poll, o.Settings.EnvKey = true, ""
		c, polls := openSession(t, o), len(f.polled("r1"))
		time.Sleep(time.Hour)
		noError(t, c.UseKey(t.Context(), "https://service.test", must(api.ParseKey(testKey))(t), false))
		time.Sleep(time.Second)
		expect.Equal(t, len(f.polled("r1"))-polls, 1, "polls within a second of the key")
	})
}

// submitted sends a request and returns the job with its id "r<n>".
func submitted(t *testing.T, s *Session, prompt string) Job {
	t.Helper()
	j := must(s.Submit(t.Context(), confirm(prompt)))(t)
	return must(s.Sent(t.Context(), j.ID))(t)
}

// counting makes creates that are accepted as r1, r2, …
func counting(f *fakeService) {
	f.create = func(n int, _ client.CreateOptions) api.Outcome { return queued(fmt.Sprint("r", n)) }
}

// made is the answer about a job that has ended, with its file inside.
func made() api.JobAnswer {
	a := answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png")
	a.Results[0].Data = []byte{1}
	return a
}

func running(string, int) (api.JobAnswer, error) { return answer(api.StatusRunning, "PROCESSING"), nil }

// TestMaterialsAreFound by the name of a member of the cast, as a result of ours, or by their address. Hosts are asked
// once that is agreed, and what is made from a frame of a result is known to come from it.
func TestMaterialsAreFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome {
			out := queued("r1")
			out.Phase, out.Answer.Results = api.PhaseFetching, append(made().Results, api.Result{URL: "https://cdn.test/2.png", Data: []byte{2}},
				api.Result{Data: []byte{3}}, api.Result{URL: "http://cdn.test/refused.png"})
			out.Answer.Results[0].ExpiresAt = time.Now().Add(90 * time.Second)
			return out
		}
		o := fakeOptions(t, t.TempDir(), f)
		o.Settings.ConfigFile = filepath.Join(t.TempDir(), "config.toml")
		s := openSession(t, o)
		id := submitted(t, s, "x").ID
		time.Sleep(time.Minute)
		noError(t, s.SaveText(settings.Cast, "ann", "job:"+id+"/2", false))
		noError(t, s.SaveText(settings.Cast, "cat", id, false))
		noError(t, os.Symlink("bad.txt", filepath.Join(filepath.Dir(o.Settings.ConfigFile), settings.Cast, "bad.txt")))
		expect.Fails(t, expect.Err(s.Materials().Find(t.Context(), "@bad")), "bad.txt", "a member that cannot be read")
		expect.Fails(t, expect.Err(s.Materials().Find(t.Context(), "@bob")), "no material named @bob", "one that is not there")
		for text, want := range map[string]string{"https://a.test/x": "https://a.test/x", "@ann": "https://cdn.test/2.png", "@bob": "", "@cat": "https://cdn.test/1.png", "job:" + id: "https://cdn.test/1.png",
			"job:" + id + "/1": "https://cdn.test/1.png", "job:" + id + "/2": "https://cdn.test/2.png", "job:" + id + "/3": "", "job:" + id + "/4": "http://cdn.test/refused.png", "job:" + id + "/5": "", "job:" + id + "/0": "", "job:nobody": ""} {
			got, err := s.Materials().Find(t.Context(), text)
			expect.That(t, got.Address == want && (err == nil) == (want != "") && errors.Is(err, fs.ErrNotExist) == (strings.HasSuffix(text, "/5") ||
				strings.HasSuffix(text, "/0")) && (want == "" || (got.Kind == api.MaterialVideo) == (got.Job != "")), text, got, err, "want", want)
		}
		o.Demo = func(file string) (string, error) { return "https://demo.test/" + filepath.Base(file), nil }
		m := openSession(t, o).Materials()
		expect.All(t, "false <nil> true", m.MayAsk(t.Context()), m.LetBeAsked(t.Context()), m.MayAsk(t.Context()))
		clip := must(m.Find(t.Context(), "job:"+id))(t).Path
		frame := must(m.SaveFrame(t.Context(), clip, 4*time.Second, []byte("frame")))(t)
		expect.That(t, strings.HasSuffix(frame, "frame-4.00s.png"), "the frame is saved as", frame)
		for file, seconds := range map[string]float64{frame: 4, clip: 0} { // a result as it is has no time in it
			next := confirm("the next shot")
			next.Request.ImageURL = must(m.Upload(t.Context(), file))(t)
			j := must(s.Job(t.Context(), must(s.Submit(t.Context(), next))(t).ID))(t)
			expect.That(t, j.Related && j.Frame != nil && j.Frame.Job == id && j.Frame.Seconds == seconds, "what is made from", file, "has", j.Frame)
		}
		expect.Equal(t, len(must(s.Results().Lineage(t.Context(), id))(t)), 3, "relatives")
		time.Sleep(time.Minute) // its link has expired
		anew, late := "https://cdn.test/1.png?anew", error(&api.Error{Class: api.ClassServer, Status: 500})
		f.job = func(string, int) (api.JobAnswer, error) { return answer(api.StatusSucceeded, "COMPLETED", anew), late }
		expect.That(t, errors.Is(expect.Err(m.Find(t.Context(), "job:"+id)), late), "a link that has expired is given")
		late = nil
		expect.Equal(t, must(m.Find(t.Context(), "job:"+id))(t).Address, anew)
	})
}

// TestTheClipboardsProgramEndsWithTheSession, also one that does not want to.
func TestTheClipboardsProgramEndsWithTheSession(t *testing.T) {
	bin := t.TempDir()
	begun := filepath.Join(bin, "begun")
	for _, name := range []string{"xclip", "osascript"} {
		simtest.Script(t, filepath.Join(bin, name), "trap '' TERM", ">"+begun, "sleep 600")
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("WAYLAND_DISPLAY", "")
	s := openSession(t, fakeOptions(t, t.TempDir(), newFake()))
	pasted := make(chan error, 1)
	go func() {
		_, err := s.Materials().Paste(context.Background())
		pasted <- err
	}()
	limit := limited(t)
	for _, err := os.Stat(begun); err != nil && limit.Err() == nil; _, err = os.Stat(begun) {
		time.Sleep(time.Millisecond)
	}
	noError(t, s.Close(t.Context()))
	select {
	case err := <-pasted:
		expect.Fails(t, err, "there is no picture", "a program that was ended")
	case <-limit.Done():
		t.Error("it goes on")
	}
}

// TestHooksAreWaitedFor by who runs them, also those that have begun already.
func TestHooksAreWaitedFor(t *testing.T) {
	t.Parallel()
	f, dir := newFake(), t.TempDir()
	rejected := refused(api.PhaseRejected, api.ClassInvalid, 422, 0)
	f.create = func(int, client.CreateOptions) api.Outcome { return rejected }
	o := fakeOptions(t, dir, f)
	o.Document = func(Event, Job) any { return nil }
	begun, ended := filepath.Join(dir, "begun"), filepath.Join(dir, "ended")
	o.Settings.Hooks = []settings.Hook{{On: []api.Phase{api.PhaseRejected}, Run: []string{"/bin/sh", "-c", ">" + begun + "; sleep 1; >" + ended}},
		{On: []api.Phase{api.PhaseRejected}, Run: []string{"/bin/sh", "-c", "exit 3"}},
		{On: []api.Phase{api.PhaseRejected}, Run: []string{"/bin/sh", "-c", "echo the newest >&2; exit 3"}}}
	s := openSession(t, o)
	submitted(t, s, "x")
	for limit := limited(t); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		noError(t, limit.Err())
	}
	s.Events().Run(limited(t))
	must(os.Stat(ended))(t)
	why := s.Current.Get().Problems
	expect.That(t, len(why) == 1 && why[0].String() == "hook: sh failed: the newest", "of the hooks that failed it tells", why)
	noError(t, s.Close(t.Context()))
	told := make(chan error, 9)
	o.HookFailed = func(err error) { told <- err }
	s = openSession(t, o)
	submitted(t, s, "y")
	expect.All(t, "hook: sh failed hook: sh failed: the newest", <-told, <-told)
	expect.Len(t, s.Current.Get().Problems, 0)
}

// TestHooksOfOtherWindowsAreWaitedFor, whatever hooks a window has that opens beside them, or whose settings cannot be read.
func TestHooksOfOtherWindowsAreWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var s *Session
	window := func(partial bool, phases ...api.Phase) *Session {
		o := fakeOptions(t, dir, newFake())
		o.Settings.Hooks, o.Settings.Partial = []settings.Hook{{On: phases, Run: []string{"true"}}}, partial
		s = openSession(t, o)
		return s
	}
	noted := func(step, want string) {
		t.Helper()
		expect.Equal(t, must(s.db().Note(t.Context(), "hooks"))(t), want, step, "wait")
	}
	first := window(false, api.PhaseDone, api.PhaseHeld)
	noted("the first", ",done,,held,")
	other, broken := window(false, api.PhaseUnknown), window(true)
	noted("beside others", ",done,,held,,unknown,")
	first.Current.Change(func(s *settings.Settings) { s.Hooks = []settings.Hook{{On: s.Hooks[0].On[:1], Run: s.Hooks[0].Run}} })
	for _, w := range []*Session{first, other, broken} {
		w.hooks.start(t.Context())
	}
	noted("a hook is taken out", ",done,,unknown,")
	for _, w := range []*Session{first, other, broken} {
		noError(t, w.Close(t.Context()))
	}
	noError(t, window(true).Close(t.Context()))
	broken = window(true)
	noted("the last ended", ",done,,unknown,")
	noError(t, broken.Close(t.Context()))
	window(false, api.PhaseDone)
	noted("a hook was taken out", ",done,")
}

func TestWaitCoalescesAndNeverBlocksTheTeller(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		o := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		must(s.Wait(t.Context()))(t)
		for n := range 1000 {
			s.changes.report(fmt.Sprint(n % 10)) // nobody listens
		}
		expect.Equal(t, len(must(s.Wait(t.Context()))(t)), 10, "ids")
		go func() { time.Sleep(time.Second); s.changes.report("x") }()
		expect.List(t, must(s.Wait(t.Context()))(t), []string{"x"})
		counting(f)
		j := submitted(t, s, "y")
		time.Sleep(time.Minute)
		s.changes.take()
		noError(t, s.Results().Annotate(t.Context(), j.ID, "mine"))
		expect.That(t, slices.Contains(s.changes.take(), j.ID), "a note is not told")
	})
}

// TestAnAbsenceCountsWhatTheServiceEnded while no window was open: it is told once
// those jobs have been asked for, whose number may take more than a moment.
func TestAnAbsenceCountsWhatTheServiceEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, dir := newFake(), t.TempDir()
		counting(f)
		f.job = running
		o := fakeOptions(t, dir, f)
		s := openSession(t, o)
		must(s.Attend(t.Context()))(t)
		for n := range 6 {
			submitted(t, s, fmt.Sprint(n))
		}
		noError(t, s.Close(t.Context()))
		time.Sleep(time.Hour)
		f.job = func(id string, _ int) (api.JobAnswer, error) {
			switch id {
			case "r1":
				return answer(api.StatusRunning, "PROCESSING"), nil
			case "r2":
				return answer(api.StatusFailed, "FAILED"), nil
			}
			return made(), nil
		}
		s = openSession(t, o)
		expect.Equal(t, must(s.Attend(t.Context()))(t), Absence{Done: 4, Broken: 1, Credits: 4 * 425 * api.Credit})
		expect.Equal(t, must(s.Attend(t.Context()))(t).Count(), 0, "again")
	})
}

// TestAStoreInPlaceOfANewerOne is one in which the others know the window, as in one that could not be written at first.
func TestAStoreInPlaceOfANewerOne(t *testing.T) {
	bubble(t, func(t *testing.T) { // in which no time passes until the look at it
		s, _, _ := queueWindow(t, t.TempDir())
		db := must(sql.Open("sqlite", s.db().Health().Path))(t)
		must(db.Exec(`CREATE TRIGGER full BEFORE INSERT ON owners BEGIN SELECT RAISE(ABORT, 'full'); END`))(t)
		late := openSession(t, s.o)
		expect.That(t, !late.Health().ReadOnly.IsZero(), "nothing is wrong at first")
		must(db.Exec(`DROP TRIGGER full`))(t)
		time.Sleep(2 * watchEvery)
		expect.Equal(t, late.Health().ReadOnly, api.Reason{}, "then")
		active := submitted(t, s, "x")
		noError(t, errors.Join(late.Close(t.Context()), s.Close(t.Context())))
		must(db.Exec(`PRAGMA user_version = 999`))(t)
		noError(t, db.Close())
		s = openSession(t, s.o)
		expect.Is(t, expect.Err(s.Ended(limited(t), active.ID)), ErrReadOnly, "to wait")
		noError(t, s.ChooseStore(t.Context()))
		expect.List(t, must(s.db().Instances(t.Context()))(t), []string{s.instance.id}, "known")
		expect.Equal(t, s.Health().ReadOnly, api.Reason{}, "in its place")
	})
}

// TestLog: off by default; on, a line for every call, from several windows,
// without the key, in a file that only its owner reads. Nor does a draft hold the key.
func TestLog(t *testing.T) {
	t.Parallel()
	service := simtest.Run(t, simtest.Options{TimeScale: 0.01, LongSide: 64})
	dir := t.TempDir()
	o := testOptions(t, dir, service.URL())
	o.Settings.StateDir = filepath.Join(dir, "state")
	quiet := openSession(t, o)
	noError(t, quiet.Remote.AwaitKey(limited(t)))
	quiet.Models(limited(t))
	expect.That(t, expect.Err(os.Stat(o.Settings.LogPath())) != nil, "it logs without being asked to")
	o.Settings.Log = true
	a, b := openSession(t, o), openSession(t, o)
	for _, s := range []*Session{a, b} {
		noError(t, s.Remote.AwaitKey(limited(t)))
		s.Models(limited(t))
		expect.Is(t, s.SaveDraft(t.Context(), "image", api.Request{Prompt: "use " + o.Settings.EnvKey}), ErrHoldsKey)
		expect.Is(t, s.Results().Annotate(t.Context(), "nobody", "made with "+o.Settings.EnvKey), ErrHoldsKey)
		noError(t, s.SaveDraft(t.Context(), "image", api.Request{Prompt: "boats"}))
	}
	raw := must(os.ReadFile(o.Settings.LogPath()))(t)
	expect.Equal(t, strings.Count(string(raw), "GET /api/v1/models · - · status 200"), 2, "lines of the calls in", string(raw))
	expect.That(t, !strings.Contains(string(raw), o.Settings.EnvKey) && o.Settings.EnvKey != "", "the key stands in the log", string(raw))
	expect.Equal(t, must(os.Stat(o.Settings.LogPath()))(t).Mode().Perm(), 0o600)
}
