package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/pricing"
	"darkroom/api/sim"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/store"
)

// ledgerJobs is how many jobs the simulator is given.
const ledgerJobs = 200

// lost reports whether the answer to request n never came back.
func lost(n int) bool { return n%50 == 7 }

// ledgerRequest is request n of a mixed lot of 150 prompts: images of three sizes, videos of two tiers.
func ledgerRequest(n int) api.Request {
	prompt := fmt.Sprintf("boat %d", n%150)
	if n%4 == 0 {
		tier, resolution := api.TierFast, "720p"
		if n%8 == 0 {
			tier, resolution = api.TierFastVIP, "480p"
		}
		return api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: prompt, VideoModel: tier, Resolution: resolution, Duration: fmt.Sprint(4 + n%5)}
	}
	return api.Request{Kind: api.KindImage, Model: sim.StillModel, Prompt: prompt, Size: []string{"1K", "2K", "4K"}[n%3], Quality: "medium"}
}

// TestSpendEqualsTheSimulatorsLedger sends many requests through the client, records each on a day of the last 40,
// and compares what the ledger, a budget and a plan say with what the service has charged.
func TestSpendEqualsTheSimulatorsLedger(t *testing.T) {
	t.Parallel()
	server := simtest.Run(t, simtest.Options{TimeScale: 1e-6, LongSide: 16})
	o := testOptions(t, t.TempDir(), server.URL())
	o.Poll = false
	s := openSession(t, o)
	ctx := context.Background()
	noError(t, s.Remote.AwaitKey(ctx))
	conn := s.Remote.Connection()
	models, figures := map[string]api.Model{}, map[string]api.Estimate{}
	for _, m := range s.Models(ctx).Models {
		models[m.ID] = m
	}
	file := s.db()
	now := time.Now()
	day := func(n int) time.Time { return now.AddDate(0, 0, -n%40) }
	sent := map[string]int{} // by the service's id, the number of the request
	for n := range ledgerJobs {
		r := ledgerRequest(n)
		e, ok := figures[r.EstimateKey(api.Model{})]
		if !ok {
			e = must(s.Estimate(ctx, r))(t)
			figures[r.EstimateKey(api.Model{})] = e
		}
		body := r.Body(models[r.Model])
		j, _, err := file.Record(ctx, store.Intent{ConfirmID: fmt.Sprint("c", n), Instance: s.instance.id, Base: conn.Base, Request: r,
			Body: body, Title: r.Prompt, Estimate: e, Now: day(n), Again: true})
		noError(t, err)
		attempt := must(file.MarkSending(ctx, j.ID, s.instance.id, day(n)))(t)
		out := conn.Service.Create(ctx, r.Path(), body, client.CreateOptions{})
		expect.Must(t, out.Err == nil, "request", n, out.Err)
		sent[out.Answer.ID] = n
		finish := store.Finish{ID: j.ID, Attempt: attempt, Phase: out.Phase, RemoteID: out.Answer.ID, Now: day(n)}
		if lost(n) {
			finish.Phase, finish.RemoteID = api.PhaseUnknown, ""
		}
		noError(t, file.Finish(ctx, finish))
	}
	type sum struct {
		jobs    int
		credits api.Credits
	}
	byModel, byDay, total, possibly := map[string]sum{}, map[string]sum{}, sum{}, api.Credits(0)
	add := func(m map[string]sum, key string, c api.Credits) {
		m[key] = sum{m[key].jobs + 1, m[key].credits + c}
	}
	ledger := server.Ledger()
	expect.Must(t, len(ledger) == ledgerJobs, "the service has", len(ledger), "jobs")
	for _, e := range ledger {
		add(byModel, string(e.Kind)+" "+e.Model, e.Credits)
		add(byDay, day(sent[e.ID]).Format(time.DateOnly), e.Credits)
		total = sum{total.jobs + 1, total.credits + e.Credits}
		if lost(sent[e.ID]) {
			possibly += e.Credits
		}
	}
	y, m, d := now.Date()
	spend := must(s.Spend(ctx, time.Date(y, m, d-40, 0, 0, 0, 0, time.Local)))(t)
	got := spend.Total()
	expect.That(t, got.Jobs == total.jobs && got.Credits == total.credits-possibly && got.Possibly == possibly && got.Unpriced == 0,
		got, "were spent, the service charged", total)
	ourModels, ourDays := map[string]sum{}, map[string]sum{}
	for _, l := range spend {
		key := string(l.Kind) + " " + l.Model
		ourModels[key] = sum{ourModels[key].jobs + l.Jobs, ourModels[key].credits + l.Credits + l.Possibly}
		ourDays[l.Day] = sum{ourDays[l.Day].jobs + l.Jobs, ourDays[l.Day].credits + l.Credits + l.Possibly}
	}
	expect.That(t, maps.Equal(ourModels, byModel) && maps.Equal(ourDays, byDay),
		"by model", ourModels, "the service has", byModel, "by day", ourDays, "the service has", byDay)
	plannedEquals(t, s, ledger)
}

// plannedEquals plans every request of the ledger again: the total is what the service charged.
func plannedEquals(t *testing.T, s *Session, ledger []simtest.Entry) {
	t.Helper()
	var plan pricing.Plan
	var want api.Credits
	for n, e := range ledger {
		r := ledgerRequest(n)
		r.Prompt = ""
		expect.Must(t, plan.Add(r), "request", n, "does not fit into the plan")
		want += e.Credits
	}
	price := func(r api.Request) (api.Credits, bool) {
		e, err := s.Quote(t.Context(), r)
		return e.Credits, err == nil && e.Known()
	}
	got, unknown := plan.Total(price)
	expect.That(t, got == want && unknown == 0, "the plan comes to", got, unknown, "unknown; the service charged", want)
	plan.Name = "again"
	noError(t, s.SavePlan(t.Context(), plan))
	kept := must(s.Plans(t.Context()))(t)
	expect.That(t, len(kept) == 1 && fmt.Sprint(kept[0]) == fmt.Sprint(plan), "the plan is kept as", kept)
	noError(t, s.SavePlan(t.Context(), pricing.Plan{Name: "again"}))
	expect.Len(t, must(s.Plans(t.Context()))(t), 0, "an empty plan is kept")
}

// At most four quotes are under way, also when their askers have gone and others
// ask; a rest that the service asks for stops them.
func TestFourQuotesAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, _ := queueWindow(t, t.TempDir())
		var under, most, asked, rests atomic.Int64
		f.price = func(api.Request) (api.Estimate, error) {
			asked.Add(1)
			most.Store(max(most.Load(), under.Add(1)))
			time.Sleep(time.Minute)
			under.Add(-1)
			if rests.Load() > 0 {
				return api.Estimate{}, &api.Error{Class: api.ClassRate, Status: 429, RetryAfter: time.Hour, Text: api.Clean("slow down", 20)}
			}
			return api.Estimate{Credits: api.Credit, Source: api.SourceService}, nil
		}
		noError(t, s.Remote.AwaitKey(t.Context()))
		request := func(n int) api.Request {
			return api.Request{Kind: api.KindImage, Model: "acme/paint", Size: fmt.Sprint(n)}
		}
		// Askers that come and go: 20 tables of 12.
		for table := range 20 {
			ctx, stop := context.WithCancel(t.Context())
			for n := range 12 {
				go func() { _, _ = s.Quote(ctx, request(table*12+n)) }()
			}
			time.Sleep(10 * time.Second)
			stop()
		}
		time.Sleep(5 * time.Minute)
		expect.Equal(t, most.Load(), 4, "quotes under way at a time") // 200 s for four places of a minute each
		expect.That(t, asked.Load() <= 24, asked.Load(), "were asked although their askers had gone")
		rests.Store(1)
		before := asked.Load()
		var wg sync.WaitGroup
		for n := range 40 {
			wg.Go(func() { _, _ = s.Quote(t.Context(), request(1000+n)) })
		}
		wg.Wait()
		expect.That(t, asked.Load()-before <= 4, asked.Load()-before, "were asked after the service had asked for a rest")
	})
}

func TestWhatSpendingComesTo(t *testing.T) {
	t.Parallel()
	for kept, want := range map[int]api.Credits{-1: 0, 0: 0, 1: 10, 3: 4, 5: 2} {
		priced, unpriced := Sum{Jobs: 1, Credits: 7, Running: 2, Possibly: 1, Unpriced: 2, Kept: kept}, Sum{Jobs: 2, Unpriced: 2, Kept: kept}
		spend := Spend{{Day: "2026-03-02", Sum: priced}, {Day: "2026-02-28", Sum: Sum{Jobs: 3, Credits: 3, Possibly: 4, Unpriced: 1}}}
		sum, month := spend.Total(), spend.MonthAt(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
		expect.Equal(t, sum, Sum{Jobs: 4, Credits: 10, Running: 2, Possibly: 5, Unpriced: 3, Kept: kept})
		per, ok := sum.PerKept()
		none, some := unpriced.PerKept()
		expect.That(t, per == want && ok == (kept > 0) && none == 0 && !some && month == 8*31/2, kept, "cost each", per, ok, none, some, "at this rate", month)
	}
}

// A draft that costs more than when it was last sent says so.
func TestADearerDraftSaysSo(t *testing.T) {
	t.Parallel()
	server := simtest.Run(t, simtest.Options{})
	o := testOptions(t, t.TempDir(), server.URL())
	o.Poll = false
	o.Settings.TimeScale = 1e-6
	s := openSession(t, o)
	ctx := limited(t)
	s.Models(ctx)
	c := confirm("a paper boat")
	e := must(s.Estimate(ctx, c.Request))(t)
	expect.Must(t, e.SentAt.IsZero() && !e.Dearer(), "never sent", e)
	c.Estimate = must(s.Estimate(ctx, c.Request))(t)
	j := must(s.Submit(ctx, c))(t)
	for j.Phase == api.PhaseIntent || j.Phase == api.PhaseSending {
		j = must(s.Job(ctx, j.ID))(t)
	}
	e = must(s.Estimate(ctx, c.Request))(t)
	expect.That(t, e.Sent == c.Estimate.Credits && time.Since(e.SentAt) <= time.Minute && !e.Dearer(), "after sending", j.Phase, e)
	server.AddFault(simtest.Fault{Endpoint: "estimate", Do: "price", Body: "426"})
	for !e.Dearer() && ctx.Err() == nil {
		e = must(s.Estimate(ctx, c.Request))(t)
	}
	expect.That(t, e.Dearer() && e.Sent == c.Estimate.Credits, "now dearer", e)
}

func TestToolCallsStandInTheLedger(t *testing.T) {
	t.Parallel()
	service := simtest.Run(t, simtest.Options{TimeScale: 0.001, LongSide: 64})
	o := testOptions(t, t.TempDir(), service.URL())
	s := openSession(t, o)
	noError(t, s.Remote.AwaitKey(limited(t)))
	since := time.Now().Add(-time.Hour)
	call := func(name, args string, agreed bool) (ToolAnswer, error) {
		return s.CallTool(limited(t), ToolCall{Call: mcp.Call{Name: name, Args: json.RawMessage(args), Agreed: agreed}})
	}
	a, err := call("estimate_price", `{"model":"seedance2"}`, false)
	expect.That(t, err == nil && !a.Failed && len(a.Structured) > 0, a, err)
	a, err = call("sample_picture", `{"subject":"a kettle"}`, false)
	expect.That(t, err == nil && len(a.Files) == len(a.Parts) && a.Files[0].Path == "" && a.Files[1].Path != "", a.Files, err)
	expect.Len(t, must(s.Spend(t.Context(), since))(t), 0, "tools that only read stand in the ledger")
	_, err = call("generate_image", `{"prompt":"x"}`, false)
	expect.That(t, errors.Is(err, mcp.ErrNotAgreed) && len(service.Ledger()) == 0, "called without consent", err, len(service.Ledger()))
	made, err := call("generate_image", `{"prompt":"a kettle"}`, true)
	expect.Must(t, err == nil && !made.Failed && made.Job != "", made, err)
	// The job that it began is a job like any other, to its file.
	j := must(s.Ended(limited(t), made.Job))(t)
	expect.That(t, j.Phase == api.PhaseDone && len(j.Files) == 1 && j.Title == "a kettle" && j.RemoteID != "", j)
	raw, err := s.RawAnswer(t.Context(), made.Job)
	_, none := s.RawAnswer(t.Context(), "nobody")
	expect.That(t, err == nil && len(raw) != 0 && errors.Is(none, ErrNoJob), "the newest answer is", string(raw), err, "of no job", none)
	results, dir := s.Results(), t.TempDir()
	file := must(s.Job(t.Context(), made.Job))(t).Files[0]
	saved := must(os.ReadFile(file.Path))(t)
	noError(t, os.WriteFile(file.Path, make([]byte, len(saved)), 0o600)) // not what was saved
	expect.Fails(t, results.Discard(t.Context(), made.Job), "", "of another file")
	expect.Is(t, results.Discard(t.Context(), "nobody"), ErrNoJob, "of no job")
	expect.Len(t, must(os.ReadFile(file.Path))(t), len(saved), "another file")
	noError(t, os.WriteFile(file.Path, saved, 0o600))
	noError(t, results.Discard(t.Context(), made.Job))
	trash := must(OpenTrash(o.Settings.DataDir))(t)
	defer trash.Close()
	noError(t, trash.Each(t.Context(), func(name, _, id string, which func([]store.File) (store.File, bool)) {
		_, err := os.Lstat(file.Path)
		one, found := which([]store.File{file})
		expect.That(t, errors.Is(err, fs.ErrNotExist) && id == made.Job && found && one.N == 1, id, one.N, "in the trash", err)
		noError(t, trash.Restore(t.Context(), file, name))
	}))
	expect.Equal(t, string(must(os.ReadFile(file.Path))(t)), string(saved), "put back")
	expect.Is(t, expect.Err(results.SaveAs(t.Context(), "nobody", 1, dir)), ErrNoJob, "of no job")
	_, copied := results.SaveAs(t.Context(), made.Job, 2, dir)
	_, ran := results.Run(t.Context(), Command{Run: []string{"true"}}, made.Job, 2)
	for _, err := range []error{copied, ran, results.Show(t.Context(), made.Job, 0, InOpener)} {
		expect.That(t, err != nil && err.Error() == "this job has no such file", "without such a file", err)
	}
	a, err = call("generate_image", `{"prompt":" "}`, true)
	expect.That(t, err == nil && a.Failed, a, err)
	lines := must(s.Spend(t.Context(), since))(t)
	expect.That(t, len(lines) == 1 && lines[0].Kind == api.KindImage && lines[0].Model == "generate_image" && lines[0].Jobs == 1 &&
		lines[0].Unpriced == 1, lines)
	expect.Equal(t, must(s.Today(t.Context()))(t).Credits, 0)
}
