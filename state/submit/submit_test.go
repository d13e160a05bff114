package submit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// TestOutcomes is the outcome table: the phase, how many POSTs may leave within
// which time, and that each phase on the way is told.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	unsent := refused(api.PhaseNotSent, api.ClassNetwork, 0, time.Second)
	for name, row := range map[string]struct {
		out         api.Outcome
		phase       api.Phase
		posts       int
		least, most float64 // seconds
	}{
		"queued":          {queued("r1"), api.PhaseQueued, 1, 0, 0},
		"not sent":        {unsent, api.PhaseNotSent, 4, 16.8, 25.2}, // 1, 4 and 16 s with jitter
		"sent in the end": {unsent, api.PhaseQueued, 3, 4, 6},
		"certificate":     {refused(api.PhaseNotSent, api.ClassNetwork, 0, 0), api.PhaseNotSent, 1, 0, 0},
		"rejected":        {refused(api.PhaseRejected, api.ClassInvalid, 422, 0), api.PhaseRejected, 1, 0, 0},
		"credits":         {refused(api.PhaseRejected, api.ClassCredits, 402, 0), api.PhaseRejected, 1, 0, 0},
		"key":             {refused(api.PhaseRejected, api.ClassKey, 401, 0), api.PhaseRejected, 1, 0, 0},
		"key, try again":  {refused(api.PhaseRejected, api.ClassKey, 401, time.Second), api.PhaseRejected, 1, 0, 0},
		"rate":            {refused(api.PhaseRejected, api.ClassRate, 429, 30*time.Second), api.PhaseRejected, 4, 420, 420}, // the gate doubles
		"server":          {refused(api.PhaseUnknown, api.ClassServer, 500, 0), api.PhaseUnknown, 1, 0, 0},
		"unavailable":     {refused(api.PhaseUnknown, api.ClassServer, 503, time.Second), api.PhaseUnknown, 1, 0, 0},
		"time-out":        {refused(api.PhaseUnknown, api.ClassNetwork, 0, time.Second), api.PhaseUnknown, 1, 0, 0},
		"unread":          {refused(api.PhaseUnread, api.ClassUnreadable, 200, 0), api.PhaseUnread, 1, 0, 0},
		"no JSON":         {refused(api.PhaseUnknown, api.ClassUnreadable, 200, 0), api.PhaseUnknown, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeService{}
				f.create = func(n int, _ client.CreateOptions) api.Outcome {
					if row.phase == api.PhaseQueued && n == row.posts {
						return queued("r1")
					}
					return row.out
				}
				s, began := openWindow(t, f), time.Now()
				j := must(s.Submit(t.Context(), confirm(name)))(t)
				sending, _ := s.Pending()
				expect.That(t, sending <= 1, sending, "sends are shown")
				j = must(s.Sent(t.Context(), j.ID))(t)
				accepted := row.phase == api.PhaseQueued
				h := s.remote.Health()
				expect.That(t, h.Online == (accepted || row.out.Err.Class != api.ClassNetwork) && h.KeyRefused == (j.ErrClass == api.ClassKey), h)
				expect.That(t, j.Phase == row.phase && f.sent() == row.posts,
					j.Phase, "after", f.sent(), "POSTs", j.Error, "want", row.phase, "after", row.posts)
				took := time.Since(began).Seconds()
				expect.That(t, took >= row.least && took <= row.most+0.001, "it took", took, "s, want", row.least, "to", row.most)
				warns := row.phase == api.PhaseUnknown && j.ErrClass != api.ClassUnreadable // of an answer that is there, the raw one says more
				expect.That(t, strings.Contains(j.Error.String(), "look at the job on the service's site before sending again") == warns, "it advises", j.Error)
				next := time.Until(j.NextPoll)
				expect.That(t, j.Error.IsZero() == accepted && (!accepted || next >= 799*time.Millisecond && next <= 1201*time.Millisecond),
					"the job says", j.Error, "and is polled in", next)
				time.Sleep(time.Hour)
				want := append(slices.Repeat([]api.Phase{api.PhaseIntent, api.PhaseSending}, row.posts), row.phase)
				expect.List(t, slices.Compact(s.toldOf(j.ID)), want, "told")
				expect.All(t, fmt.Sprint(row.posts, " 1"), f.sent(), len(s.toldOf(""))) // POSTs an hour later, told of what is being sent
				sending, unsaved := s.Pending()
				expect.That(t, sending == 0 && unsaved == 0, sending, "are being sent", unsaved, "are not saved")
			})
		})
	}
}

// TestWaitsOfWhatWasNotSent are 1, 4 and 16 s with their jitter, then there is none.
func TestWaitsOfWhatWasNotSent(t *testing.T) {
	t.Parallel()
	for range 50 {
		w := &sender{Submitter: &Submitter{scale: 1}}
		for _, want := range []float64{1, 4, 16} {
			wait := w.later().Seconds()
			expect.That(t, wait >= 0.8*want && wait <= 1.2*want, "it waits for", wait, "s, want", want)
		}
	}
}

// TestWhatFollowsAnOutcome: a file that came with the answer is saved, with its recipe
// if that is wanted; candidates for an id are tried unless the job has its end.
func TestWhatFollowsAnOutcome(t *testing.T) {
	t.Parallel()
	candidates := func(out api.Outcome, ids ...string) api.Outcome {
		out.Answer.Candidates, out.Answer.Status = ids, api.Clean("WORD", 10)
		return out
	}
	file := api.Outcome{Phase: api.PhaseFetching, HTTPStatus: 200, Answer: api.JobAnswer{Progress: -1, Results: []api.Result{{Kind: api.KindImage}}}}
	for name, row := range map[string]struct {
		out             api.Outcome
		media, recipes  bool
		phase           api.Phase
		files, recipe   int
		resolved, error string
	}{
		"a file":                {file, true, true, api.PhaseDone, 1, 1, "", ""},
		"a file alone":          {file, true, false, api.PhaseDone, 1, 0, "", ""},
		"no file yet":           {file, false, true, api.PhaseFetching, 0, 0, "", ""},
		"one candidate":         {candidates(queued("r1"), "a"), false, true, api.PhaseQueued, 0, 0, "a", ""},
		"two":                   {candidates(queued("r1"), "a", "b"), false, true, api.PhaseQueued, 0, 0, "a b", ""},
		"none":                  {queued("r1"), false, true, api.PhaseQueued, 0, 0, "", ""},
		"unread, a candidate":   {candidates(refused(api.PhaseUnread, api.ClassUnreadable, 200, 0), "a"), false, true, api.PhaseUnread, 0, 0, "a", ". An id was seen in the response: a"},
		"rejected, a candidate": {candidates(refused(api.PhaseRejected, api.ClassInvalid, 422, 0), "a"), false, true, api.PhaseRejected, 0, 0, "", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeService{}
			f.create = func(_ int, o client.CreateOptions) api.Outcome {
				if row.media {
					noError(t, o.Media("image/png", 3, strings.NewReader("\x00\x01\x02")))
				}
				return row.out
			}
			s := openWindow(t, f, func(set *settings.Settings) { set.Recipes = row.recipes })
			j := s.settled(t, confirm(name))
			time.Sleep(time.Second)
			resolved := simtest.Read(&s.mu, func() string { return strings.Join(s.resolved, " ") })
			said := strings.HasSuffix(name, "candidate") || name == "two"
			expect.That(t, s.saved(t, "video-*-1.bin") == row.files && len(s.resolved) == min(len(row.resolved), 1), name, j.Files, s.resolved)
			expect.Equal(t, j.Completed, len(row.out.Answer.Results) > 0, name, "it is completed")
			expect.Equal(t, j.Status.String() == "WORD", said && j.Phase != api.PhaseRejected, name, "its status", j.Status)
			expect.That(t, j.Phase == row.phase && len(j.Files) == row.files && s.saved(t, "*.json") == row.recipe && resolved == row.resolved,
				name, j.Phase, len(j.Files), "files", s.saved(t, "*.json"), "recipes, tried", resolved)
			expect.That(t, row.error == "" || strings.Contains(j.Error.String(), row.error), name, "it says", j.Error)
		})
	}
}

func TestRefusals(t *testing.T) {
	bubble(t, func(t *testing.T) {
		unknown := refused(api.PhaseUnknown, api.ClassServer, 500, 0)
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return unknown }}
		s := openWindow(t, f, func(set *settings.Settings) { set.Budget = 500 * api.Credit })
		want := func(code string, c Confirmed) string {
			t.Helper()
			return refusedFor(t, expect.Err(s.Submit(t.Context(), c)), code).Error()
		}
		bad := confirm("x")
		bad.Request.Resolution = "1080p" // not for fast
		want("problems", bad)
		dear := confirm("x")
		dear.MaxCredits = 424 * api.Credit
		want("max_credits", dear)
		dear.MaxCredits = 1
		want("max_credits", dear)
		several := confirm("x")
		several.Request.Vary = map[string][]string{api.FieldSeed: {"1", "2"}}
		want("not_sendable", several)
		unpriced := image("x", 0)
		unpriced.Estimate, unpriced.MaxCredits = api.Estimate{Source: api.SourceNone}, 1000*api.Credit
		want("max_credits", unpriced)
		want("not_sendable", Confirmed{Agreed: Agreed{Request: confirm("x").Request, Estimate: confirm("x").Estimate}})

		exact := confirm("x")
		exact.MaxCredits = 425 * api.Credit
		j := s.settled(t, exact)
		want("again", confirm("x"))
		want("budget", confirm("y"))
		free := confirm("a zero of the service, where the rate table has more")
		free.Estimate = api.Estimate{Source: api.SourceService, At: time.Now()}
		want("budget", free)
		sp := must(s.file.Spent(t.Context(), api.Day.Begin(time.Now())))(t)
		sp.Budget = s.settings.Budgets()[api.Day]
		expect.That(t, sp.Possibly == 425*api.Credit && sp.Near(), "today", sp)
		noError(t, s.Dismiss(t.Context(), j.ID))
		expect.Equal(t, f.sent(), 1, "POSTs")
		must(s.Submit(t.Context(), confirm("x")))(t)
		s.settings.Change(func(set *settings.Settings) { set.Variations = 1 })
		one, line := Agreed{Request: confirm("y").Request, Estimate: confirm("y").Estimate}, Agreed{Request: confirm("y").Request, Estimate: confirm("y").Estimate, ConfirmID: "y"}
		for i, list := range [][]Agreed{{one}, nil, {one, line}, {one}, {line, one}} {
			_, err := s.Agree(t.Context(), Together{ConfirmID: strings.Repeat("x", i), Requests: list})
			refusedFor(t, err, strings.Fields("not_sendable not_sendable too_many budget budget")[i])
		}
		s.settings.Change(func(set *settings.Settings) { set.Budget = api.BudgetUnreadable })
		says := want("budget", confirm("z"))
		expect.That(t, !strings.Contains(says, "0.000001") && strings.Contains(says, "cannot be read"), "of one that cannot be read", says)
	})
}

func TestCreditsWaitForThePerson(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{call: func(context.Context, mcp.Call) (mcp.Answer, error) { return mcp.Answer{}, nil }}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			time.Sleep(time.Second)
			if n == 5 {
				return refused(api.PhaseRejected, api.ClassCalls, 429, 0)
			}
			return refused(api.PhaseRejected, api.ClassCredits, 402, 0)
		}
		s := openWindow(t, f)
		first := must(s.Submit(t.Context(), confirm("1")))(t)
		synctest.Wait() // it has its turn: which of two goes first is nobody's promise
		second := must(s.Submit(t.Context(), confirm("2")))(t)
		expect.Equal(t, must(s.Sent(t.Context(), first.ID))(t).Phase, api.PhaseRejected, "first")
		second = must(s.Sent(t.Context(), second.ID))(t)
		expect.All(t, "not_sent not sent, because the key has no credits left: add credits, then send it 1", second.Phase, second.Error, f.sent())
		expect.Equal(t, refusedFor(t, expect.Err(s.Submit(t.Context(), confirm("3"))), "credits").Reason.Format(), whyUsedUp[api.ClassCredits])
		refusedFor(t, expect.Err(s.CallTool(t.Context(), ToolCall{Call: mcp.Call{Name: "x", Agreed: true}})), "credits")
		again := confirm("3")
		again.UsedUp = true
		must(s.Submit(t.Context(), again))(t)
		time.Sleep(time.Minute)
		_, err := s.Submit(t.Context(), confirm("4"))
		expect.That(t, f.sent() == 2 && err != nil, f.sent(), "POSTs, then", err)
		for _, agreed := range []bool{false, true} {
			one := Agreed{Request: confirm("4").Request, Estimate: confirm("4").Estimate, Again: agreed}
			_, err = s.Agree(t.Context(), Together{ConfirmID: NewConfirmID(), Requests: []Agreed{one}})
			expect.Equal(t, err == nil, agreed, "agreed to again", err)
		}
		// Another key has its own, also for what waits meanwhile, and ten minutes later the
		// same one is tried again.
		key := must(api.ParseKey("ak_another-key"))(t)
		for _, prompt := range []string{"5", "and 5"} {
			c := confirm(prompt)
			c.Again = true
			must(s.Submit(t.Context(), c))(t)
			synctest.Wait()
		}
		noError(t, s.remote.UseKey(t.Context(), "https://service.test", key, false))
		time.Sleep(10 * time.Minute)
		_, err = s.Submit(t.Context(), confirm("6"))
		expect.That(t, f.sent() == 4 && err != nil, f.sent(), "POSTs, then", err)
		time.Sleep(2 * time.Second)
		must(s.Submit(t.Context(), confirm("6")))(t)
		synctest.Wait()
		second = must(s.Submit(t.Context(), confirm("and 6")))(t)
		time.Sleep(time.Minute)
		second = must(s.Job(t.Context(), second.ID))(t)
		expect.All(t, "not_sent calls", second.Phase, second.ErrClass)
		expect.Equal(t, second.Error.String(), "not sent, because the key has no calls left: raise its call limit, then send it")
		expect.Equal(t, refusedFor(t, expect.Err(s.Submit(t.Context(), confirm("7"))), "calls").Reason.Format(), whyUsedUp[api.ClassCalls])
		// One that is held waits too, and who agrees tries again.
		refusedFor(t, expect.Err(s.SubmitHeld(t.Context(), store.Held{Job: first}, first.Estimate)), "calls")
		refusedFor(t, expect.Err(s.Ask(t.Context(), &store.Ask{Entry: "x", Intent: "x"}, []api.Request{confirm("7").Request})), "calls")
		refusedFor(t, expect.Err(s.Examine(t.Context(), "x", confirm("7").Request)), "calls")
		id, _, _ := s.ResendConfirm(t.Context(), first.ID)
		expect.That(t, id != "", "it cannot be sent again")
		refusedFor(t, expect.Err(s.Submit(t.Context(), confirm("7"))), "calls") // who was asked has not agreed
		must(s.CallTool(t.Context(), ToolCall{Call: mcp.Call{Name: "x", Agreed: true}, UnderBudget: true}))(t)
		refusedFor(t, expect.Err(s.SubmitHeld(t.Context(), store.Held{Job: first, ConfirmID: "new", Again: true}, first.Estimate)), "stale")
	})
}

func TestStoreThatRefusesTheOutcome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{}
		s := openWindow(t, f)
		path := s.file.Health().Path
		f.create = func(int, client.CreateOptions) api.Outcome {
			noError(t, os.Rename(path, path+".moved"))
			return queued("r;1")
		}
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(10500 * time.Millisecond)
		got := must(s.Job(t.Context(), j.ID))(t)
		_, unsaved := s.Pending()
		expect.That(t, unsaved == 1 && got.RemoteID == "r;1" && got.Phase == api.PhaseQueued, "unsaved", unsaved, "shown", got.Phase, got.RemoteID)
		stored := must(s.file.Job(t.Context(), j.ID))(t)
		rows := must(s.file.List(t.Context(), store.Query{Limit: 1}))(t).Rows
		s.Overlay(&rows[0])
		expect.That(t, got.Version > stored.Version && rows[0].Version == got.Version,
			"the unsaved outcome is not newer than the stored job, so a screen would not show it")
		for phase, shown := range map[api.Phase]bool{api.PhaseIntent: true, api.PhaseSending: true, api.PhaseQueued: false, api.PhaseDone: false} {
			row := store.Row{ID: j.ID, Phase: phase}
			s.Overlay(&row)
			expect.That(t, (row.Error.Format() == whyUnsaved) == shown && shown == (row.RemoteID == "r;1"), "stored as", phase, "it is shown as", row)
		}
		expect.Equal(t, s.remote.Health().Trouble.Format(), whyIDNotTaken, "the trouble")
		told := s.toldOf(j.ID)
		expect.That(t, len(told) == 2+11 && told[2] == api.PhaseQueued, "in 10 s it was told of", told)
		var lost *LostError
		expect.Must(t, errors.As(s.Lost(), &lost) && lost.Accepted, "should it end now", s.Lost())
		expect.Contains(t, lost.Error(), "note the id r;1; 'darkroom job "+j.ID+" --attach 'r;1''", "should it end now")
		lost.Jobs = append(lost.Jobs, api.Sentence("the store did not take the outcome of job %v: %v").Reason("another", api.PhaseNotSent))
		says := lost.Error()
		expect.That(t, strings.Contains(says, "note the id r;1") && strings.Contains(says, "of job another"), "of two jobs it says", says)
		noError(t, os.Rename(path+".moved", path))
		time.Sleep(time.Second)
		_, unsaved = s.Pending()
		expect.All(t, "0 unsaved 1 POSTs  <nil>", unsaved, "unsaved", f.sent(), "POSTs", s.remote.Health().Trouble, s.Lost())
		kept := must(s.file.Job(t.Context(), j.ID))(t)
		expect.That(t, kept.RemoteID == "r;1" && kept.Version > got.Version, "kept", kept.RemoteID)
		// One that cannot be noted as being sent is not sent, and not tried again.
		must(s.db.Exec(`CREATE TRIGGER refuses BEFORE INSERT ON attempts BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
		began := time.Now()
		unsent := s.settled(t, confirm("y"))
		expect.That(t, unsent.Phase == api.PhaseNotSent && unsent.Error.Format() == "not sent, because the store could not be written: %v" &&
			time.Since(began) <= time.Second && f.sent() == 1, unsent.Phase, unsent.Error, "after", time.Since(began), "and", f.sent(), "POSTs")
		// Nor can it be noted that it was not sent.
		must(s.db.Exec(`CREATE TRIGGER too BEFORE UPDATE ON jobs BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
		unsent = must(s.Submit(t.Context(), confirm("z")))(t)
		time.Sleep(60500 * time.Millisecond)
		unsent = must(s.Job(t.Context(), unsent.ID))(t)
		expect.That(t, errors.As(s.Lost(), &lost) && !lost.Accepted, "should it end now", s.Lost())
		expect.All(t, "not_sent not sent, because the store could not be written: %v", unsent.Phase, unsent.Error.Format())
		expect.Equal(t, s.remote.Health().Trouble.Format(), "the store does not take the outcome of a job (%v): do not quit before it does")
		must(s.db.Exec(`DROP TRIGGER too`))(t)
		time.Sleep(time.Second)
		expect.All(t, "not_sent <nil> 1", must(s.file.Job(t.Context(), unsent.ID))(t).Phase, s.Lost(), f.sent())
		must(s.db.Exec(`DELETE FROM attempts; DELETE FROM details; DELETE FROM answers; DELETE FROM prices; DELETE FROM jobs`))(t)
		expect.Is(t, expect.Err(s.Job(t.Context(), j.ID)), store.ErrMissing, "a job that is gone after its outcome was saved")
	})
}

// TestABusyStoreDelaysASend: while another program writes, an intent cannot be marked.
func TestABusyStoreDelaysASend(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued("r1") }}
		s := openWindow(t, f)
		s.db.SetMaxOpenConns(1)
		s.leaving = func() { // the test's clock stands still while the store waits
			s.leaving = nil
			must(s.db.Exec(`BEGIN IMMEDIATE`))(t)
			time.AfterFunc(time.Second/2, func() { _, _ = s.db.Exec(`ROLLBACK`) })
		}
		j := s.settled(t, confirm("x"))
		expect.That(t, j.Phase == api.PhaseQueued && s.leaving == nil && f.sent() == 1, j.Phase, j.Error, "after", f.sent(), "POSTs")
	})
}

func TestResendAndCancel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			switch n {
			case 1:
				return refused(api.PhaseUnknown, api.ClassServer, 500, 0)
			case 2:
				time.Sleep(time.Second)
				return queued("r2")
			case 4:
				return queued("r9")
			}
			return refused(api.PhaseRejected, api.ClassRate, 429, time.Minute)
		}
		s := openWindow(t, f)
		a := must(s.Submit(t.Context(), confirm(" \n"+strings.Repeat("long ", 40)+"\nmore")))(t)
		n := utf8.RuneCountInString(a.Title)
		expect.That(t, n == 80 && strings.HasPrefix(a.Title, "long long"), "the title has", n, "characters", a.Title)
		must(s.Sent(t.Context(), a.ID))(t)
		_, err := s.Resend(t.Context(), a.ID, a.ID+"#0") // without its question
		refusedFor(t, err, "stale")
		confirmID, _, _ := s.ResendConfirm(t.Context(), a.ID)
		b := must(s.Resend(t.Context(), a.ID, confirmID))(t)
		twice := must(s.Resend(t.Context(), a.ID, confirmID))(t)
		sending, _ := s.Pending()
		expect.That(t, twice.ID == b.ID && sending == 1, "one key press, two jobs", sending, "are being sent")
		b = must(s.Sent(t.Context(), b.ID))(t)
		expect.That(t, b.Phase == api.PhaseQueued && string(b.Body) == string(a.Body), b.Phase)
		id, _, err := s.ResendConfirm(t.Context(), b.ID)
		expect.That(t, err != nil && id == "", "an accepted job was sent again")
		held := must(s.Submit(t.Context(), confirm("z")))(t)
		time.Sleep(time.Second)
		must(s.db.Exec(`CREATE TRIGGER refuses BEFORE UPDATE ON jobs BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
		expect.That(t, s.Dismiss(t.Context(), held.ID) != nil, "it is cancelled in a store that refuses that")
		must(s.db.Exec(`DROP TRIGGER refuses`))(t)
		noError(t, s.Dismiss(t.Context(), held.ID))
		time.Sleep(time.Hour)
		held = must(s.Job(t.Context(), held.ID))(t)
		expect.That(t, held.Phase == api.PhaseNotSent && f.sent() == 3, "cancelled job", held.Phase, "after", f.sent(), "POSTs")
		f.price = func() (api.Estimate, error) { // meanwhile another service is chosen
			return api.Estimate{}, s.remote.UseKey(t.Context(), "https://another.test", must(api.ParseKey(testKey))(t), false)
		}
		id, _, err = s.ResendConfirm(t.Context(), a.ID)
		refusedFor(t, err, "stale")
		expect.Equal(t, id, "", "a question about a price of another service")
		f.price = nil
		expect.Is(t, s.Attach(t.Context(), a.ID, "r2"), store.ErrTaken, "an id was attached twice")
		for _, bad := range []string{"..", testKey, "ak_of-another-account"} {
			expect.Fails(t, s.Attach(t.Context(), a.ID, bad), "this is not an id that could be asked for: copy it from the service's page", bad)
		}
		noError(t, s.Attach(t.Context(), a.ID, " r9\n"))
		told := s.toldOf(a.ID)
		expect.All(t, "r9 queued", must(s.Job(t.Context(), a.ID))(t).RemoteID, told[len(told)-1])
		for id, late := range map[string]error{a.ID: s.Attach(t.Context(), a.ID, "r10"), "nobody": s.Attach(t.Context(), "nobody", "r10"),
			b.ID: s.Dismiss(t.Context(), b.ID)} {
			want := map[string]api.Sentence{a.ID: api.Sentence("only a job whose outcome is unknown can be given an id"), b.ID: api.Sentence("only a job whose outcome is unknown can be dismissed"), "nobody": api.ReasonOf(store.ErrMissing).Format()}[id]
			expect.Equal(t, api.ReasonOf(late).Format(), want, id, late)
		}
		_, _, err = s.ResendConfirm(t.Context(), a.ID)
		_, notHeld := s.SubmitHeld(t.Context(), store.Held{Job: a}, a.Estimate)
		for _, err := range []error{err, notHeld} {
			r := refusedFor(t, err, "not_sendable")
			expect.That(t, strings.Contains(r.Error(), "service.test") && f.sent() == 3, r, "after", f.sent(), "POSTs")
		}
		there := s.settled(t, confirm("there"))
		expect.Equal(t, must(s.Job(t.Context(), "r9"))(t).ID, there.ID, "r9 is the job of another service")
		expect.That(t, must(s.Job(t.Context(), there.ID))(t).Error.IsZero(), "it is of the service in use")
		expect.Contains(t, must(s.Job(t.Context(), a.ID))(t).Error.String(), "this job was sent to another service")
	})
}

// TestABusyServiceClosesTheGate: after a 503 to a create nothing is sent before
// the rest that it asked for is over.
func TestABusyServiceClosesTheGate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		busy := refused(api.PhaseUnknown, api.ClassServer, 503, 0)
		busy.Err.RetryAfter = time.Minute
		f := thenQueued(busy)
		s := openWindow(t, f)
		a := s.settled(t, confirm("x"))
		b := must(s.Submit(t.Context(), confirm("y")))(t)
		time.Sleep(50 * time.Second)
		expect.Equal(t, f.sent(), 1, "sent while the service rests")
		b = must(s.Job(t.Context(), b.ID))(t)
		expect.All(t, "waits until %v: the service is busy 1m0s", b.Error.Format(), b.NextPoll.Sub(a.CreatedAt).Round(time.Second))
		b = must(s.Sent(t.Context(), b.ID))(t)
		expect.That(t, b.Phase == api.PhaseQueued && f.sent() == 2, b.Phase, "after", f.sent(), "POSTs")
		// A rest that a clock ahead has made is none, and is forgotten.
		must(s.file.CloseGate(t.Context(), b.Base, time.Now().Add(3*time.Hour), time.Minute, time.Minute, time.Hour))(t)
		c := must(s.Submit(t.Context(), confirm("z")))(t)
		time.Sleep(time.Second)
		until := must(s.file.GateUntil(t.Context(), b.Base))(t)
		expect.That(t, f.sent() == 3 && until.IsZero(), must(s.Job(t.Context(), c.ID))(t).Phase, "with a rest until", until)
	})
}

// TestThePromisesNameTheFigures that hold here.
func TestThePromisesNameTheFigures(t *testing.T) {
	simtest.Promised(t,
		fmt.Sprintf("waits up to %d s and says so", sendPatience/time.Second), fmt.Sprintf("after %d, %d and %d s", unsentWaits[0]/time.Second, unsentWaits[1]/time.Second, unsentWaits[2]/time.Second))
}

// Only who agrees forgets that no credits are left: not who was asked before that was known.
func TestCreditsAreForgottenByWhoAgreesAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued("r1") }}
		s := openWindow(t, f)
		f.price = func() (api.Estimate, error) { // another request is refused meanwhile
			s.noCredits.Store(&noCredits{s.o.Remote.Connection(), time.Now(), api.ClassCredits})
			return api.Estimate{Credits: 425 * api.Credit, Source: api.SourceService, At: time.Now()}, nil
		}
		c := confirm("1")
		c.Estimate = api.Estimate{Credits: 425 * api.Credit, Source: api.SourceService, At: time.Now().Add(-time.Hour)}
		must(s.Submit(t.Context(), c))(t)
		expect.That(t, s.noCredits.Load() != nil, "it was forgotten")
		refusedFor(t, expect.Err(s.Submit(t.Context(), confirm("2"))), "credits")
		again := confirm("2")
		again.UsedUp = true
		must(s.Submit(t.Context(), again))(t)
		expect.That(t, s.noCredits.Load() == nil, "it was not forgotten")
	})
}
