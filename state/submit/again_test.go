package submit

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// thenQueued gives the first create an outcome, and queues every other one.
func thenQueued(first api.Outcome) *fakeService {
	return &fakeService{create: func(n int, _ client.CreateOptions) api.Outcome {
		if n == 1 {
			return first
		}
		return queued("r2")
	}}
}

// image is a request without a price in the table.
func image(prompt string, credits api.Credits) Confirmed {
	return Confirmed{Agreed: Agreed{ConfirmID: NewConfirmID(), Request: api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: prompt},
		Estimate: api.Estimate{Credits: credits, Source: api.SourceService, At: time.Now()}}}
}

// TestAWithdrawnIntentIsSentOnce: a job that waits is withdrawn by the
// transaction that records its repetition.
func TestAWithdrawnIntentIsSentOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := thenQueued(refused(api.PhaseRejected, api.ClassRate, 429, time.Hour))
		s := openWindow(t, f)
		a := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(time.Second)
		one, _, _ := s.ResendConfirm(t.Context(), a.ID)
		b := must(s.Resend(t.Context(), a.ID, one))(t)
		told := slices.Compact(s.toldOf(a.ID))
		expect.That(t, len(told) == 4 && told[3] == api.PhaseNotSent, "told of", told)
		c := must(s.Resend(t.Context(), a.ID, one))(t)
		time.Sleep(24 * time.Hour)
		a = must(s.Job(t.Context(), a.ID))(t)
		expect.That(t, a.Phase == api.PhaseNotSent && b.ID == c.ID && f.sent() == 2, a.Phase, f.sent(), "POSTs")
	})
}

// TestARepetitionIsMadeOnce: while the job that it was sent again as may have been
// accepted, once more is a question of its own, which names that job.
func TestARepetitionIsMadeOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for phase, asks := range map[api.Phase]bool{
			api.PhaseQueued: true, api.PhaseUnknown: true, api.PhaseUnread: true,
			api.PhaseRejected: false, api.PhaseNotSent: false, "dismissed": false,
		} {
			f := &fakeService{create: func(n int, _ client.CreateOptions) api.Outcome {
				switch {
				case n == 1 || phase == "dismissed":
					return refused(api.PhaseUnknown, api.ClassServer, 500, 0)
				case phase == api.PhaseQueued:
					return queued("r2")
				}
				return refused(phase, api.ClassServer, 400, 0)
			}}
			s := openWindow(t, f)
			a := s.settled(t, image("x", 0))
			id, _, _ := s.ResendConfirm(t.Context(), a.ID)
			b := must(s.Resend(t.Context(), a.ID, id))(t)
			must(s.Sent(t.Context(), b.ID))(t)
			if phase == "dismissed" {
				noError(t, s.Dismiss(t.Context(), b.ID))
			}
			more, _, err := s.ResendConfirm(t.Context(), a.ID)
			var r *remote.Refusal
			says := errors.As(err, &r) && r.Code == "again" && strings.Contains(r.Error(), b.ID)
			as := must(s.Job(t.Context(), a.ID))(t).Again
			expect.That(t, says == asks && more != id && more != "" && (as == b.ID) == asks, phase, more, "sent again as", as, err)
		}
	})
}

// TestAResendCountsWithTheCurrentPrice, which is the one that was shown, also when the
// question stood for long.
func TestAResendCountsWithTheCurrentPrice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, credits := thenQueued(refused(api.PhaseUnknown, api.ClassServer, 500, 0)), 5*api.Credit
		f.price = func() (api.Estimate, error) { return api.Estimate{Credits: credits, Source: api.SourceService}, nil }
		s := openWindow(t, f, func(set *settings.Settings) { set.Budget = 100 * api.Credit })
		a := s.settled(t, image("x", 12*api.Credit))
		for _, row := range []struct {
			shown, now api.Credits
			code       string
		}{{5, 90, "price"}, {90, 90, "budget"}, {50, 50, ""}} { // 12 of 100 are possibly spent
			time.Sleep(90 * time.Second) // a figure is kept for a minute
			credits = row.shown * api.Credit
			id, price, err := s.ResendConfirm(t.Context(), a.ID)
			expect.Must(t, err == nil && price.Credits == credits, price, err)
			time.Sleep(90 * time.Second)
			credits = row.now * api.Credit
			if _, err = s.Resend(t.Context(), a.ID, id); row.code == "" {
				noError(t, err)
				continue
			}
			refusedFor(t, err, row.code)
			expect.Equal(t, f.sent(), 1, "POSTs")
		}
	})
}

// TestAPriceOfBeforeASleep is asked for again when it is agreed to, however new it is by the clock that stood still or
// was set back. There is only one clock in a bubble.
func TestAPriceOfBeforeASleep(t *testing.T) {
	t.Parallel()
	for at, asks := range simtest.ClocksApart(api.FreshFor) {
		f, asked := thenQueued(queued("r1")), atomic.Int64{}
		f.price = func() (api.Estimate, error) {
			asked.Add(1)
			return api.Estimate{Credits: 5 * api.Credit, Source: api.SourceService}, nil
		}
		s := openWindow(t, f)
		noError(t, s.remote.AwaitKey(simtest.Limited(t)))
		c := image("x", 5*api.Credit)
		c.Estimate.At = at
		must(s.Submit(t.Context(), c))(t)
		expect.Equal(t, asked.Load() == 1, asks, at, "is", time.Now(), "asked for the price")
	}
}

// TestThePriceIsThatOfTheIntent: a figure that is not of the last minute, or is of the future, is asked for again when it is agreed to. No more is
// spent than the person saw, with one request or several, and when one is repeated.
func TestThePriceIsThatOfTheIntent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for at, asks := range map[string]bool{"now": false, "old": true, "future": true, "kept": true, "unknown": true} {
			for now, sends := range map[string]bool{"5": true, "3": true, "5000": false, "": false, "none": false} {
				f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued(rand.Text()) }}
				asked := 0
				f.price = func() (api.Estimate, error) {
					asked++
					switch now {
					case "none":
						return api.Estimate{Source: api.SourceNone}, nil
					case "":
						return api.Estimate{}, &api.Error{Class: api.ClassServer, Status: 500}
					}
					return api.Estimate{Credits: must(api.ParseCredits(now))(t), Source: api.SourceService}, nil
				}
				s := openWindow(t, f)
				c := image("x", 5*api.Credit)
				c.Estimate.At = map[string]func() time.Time{
					"now": time.Now, "old": func() time.Time { return time.Now().Add(-api.FreshFor - time.Second) },
					"future": func() time.Time { return time.Now().Add(time.Hour) },
					"kept":   func() time.Time { return time.Now().Add(-8 * time.Hour) }, "unknown": time.Now,
				}[at]()
				ok := sends || !asks
				if at == "unknown" { // it is agreed to as such, and as no other
					c.Estimate, ok = api.Estimate{Source: api.SourceNone}, now == "" || now == "none"
				}
				_, err := s.Submit(t.Context(), c)
				ids, all := s.Agree(t.Context(), Together{ConfirmID: NewConfirmID(), Requests: []Agreed{
					{Request: c.Request, Estimate: c.Estimate, Again: true}, {Request: image("y", 0).Request, Estimate: c.Estimate},
				}})
				var one, two *remote.Refusal
				expect.That(t, (!ok || err == nil && all == nil && len(ids) == 2) && (ok || errors.As(err, &one) && errors.As(all, &two) &&
					one.Code == "price" && two.Code == "price"), "5 credits of", at, now, "by now", err, all)
				const whyPriceFound = "the price is %v now and was not known before: nothing was sent; confirm again to send it"
				says := map[string]api.Sentence{"": whyPriceGoneOf, "none": whyPriceGone, "5": whyPriceFound, "3": whyPriceFound,
					"5000": map[bool]api.Sentence{true: whyPriceFound, false: whyDearer}[at == "unknown"]}[now]
				expect.That(t, ok || one != nil && one.Reason.Format() == says, "5 credits of", at, "it says", one)
				synctest.Wait()
				expect.Equal(t, must(s.file.List(t.Context(), store.Query{}))(t).Total, f.sent()+len(ids), "5 credits of", at, now, "by now: jobs")
				expect.Equal(t, asked > 0, asks, "5 credits of", at, now, "by now: asked for the price")
			}
		}
	})
}

// TestAnUnknownIDIsNotAttached: only an answer that the service does not know an id keeps
// a job from it, whatever else is wrong; the job stays as it is and takes another id.
func TestAnUnknownIDIsNotAttached(t *testing.T) {
	bubble(t, func(t *testing.T) {
		doubts := []api.Outcome{refused(api.PhaseUnknown, api.ClassServer, 500, 0), refused(api.PhaseUnread, api.ClassUnreadable, 200, 0)}
		f := &fakeService{create: func(n int, _ client.CreateOptions) api.Outcome { return doubts[n%2] }}
		s := openWindow(t, f)
		unknown := &api.Error{Class: api.ClassNotFound, Status: 404}
		for id, answer := range map[string]error{"known": nil, "busy": &api.Error{Class: api.ClassServer, Status: 503},
			"silent": context.DeadlineExceeded, "denied": &api.Error{Class: api.ClassKey, Status: 401}} {
			a := s.settled(t, confirm(id))
			f.job = func(context.Context, string) error { return unknown }
			r := refusedFor(t, s.Attach(t.Context(), a.ID, "mistyped"), "settled")
			expect.That(t, strings.Contains(r.Error(), "does not know this id"), r)
			j := must(s.Job(t.Context(), a.ID))(t)
			expect.That(t, j.Phase == a.Phase && j.RemoteID == "", "refused, the job is", j.Phase, "with the id", j.RemoteID)
			f.job = func(ctx context.Context, asked string) error {
				expect.Equal(t, asked, id, "the service is asked for")
				if id == "silent" {
					<-ctx.Done()
				}
				return answer
			}
			began := time.Now()
			noError(t, s.Attach(t.Context(), a.ID, " "+id))
			j = must(s.Job(t.Context(), a.ID))(t)
			expect.All(t, id+" queued true", j.RemoteID, j.Phase, time.Since(began) <= 10*time.Second)
			answer = unknown
			expect.That(t, strings.Contains(s.Attach(t.Context(), a.ID, id).Error(), "only a job whose outcome is unknown"), "attached twice")
		}
	})
}

// TestEarlierJobsAreKnown: a refusal, or what a tool answers, may name a job of before, which is not the new one.
func TestEarlierJobsAreKnown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := openWindow(t, &fakeService{create: func(n int, o client.CreateOptions) api.Outcome {
			expect.All(t, strconv.FormatBool(n > 1)+" false false", o.Known("r1"), o.Known("r2"), o.Known("r"))
			return queued("r" + strconv.Itoa(n))
		}, call: func(context.Context, mcp.Call) (mcp.Answer, error) {
			return mcp.Answer{Structured: []byte(`{"job": {"id": "r3", "status": "queued"}, "parent": {"id": "r1"}}`)}, nil
		}})
		for _, prompt := range []string{"a", "b"} {
			s.settled(t, image(prompt, 0))
		}
		a := must(s.CallTool(t.Context(), ToolCall{Call: mcp.Call{Name: "x", Agreed: true}}))(t)
		expect.Equal(t, must(s.Job(t.Context(), a.Job))(t).RemoteID, "r3", "what a tool began")
	})
}

// TestNothingIsPaidForThatCannotBeSaved: not by a request, a repetition or a tool.
func TestNothingIsPaidForThatCannotBeSaved(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := thenQueued(refused(api.PhaseUnknown, api.ClassServer, 500, 0))
		s := openWindow(t, f)
		a := s.settled(t, confirm("x"))
		id, _, _ := s.ResendConfirm(t.Context(), a.ID)
		file := simtest.File(t, filepath.Join(t.TempDir(), "file"), "")
		s.settings.Change(func(set *settings.Settings) { set.Downloads = filepath.Join(file, "folder") })
		_, sent := s.Submit(t.Context(), confirm("y"))
		_, again := s.Resend(t.Context(), a.ID, id)
		_, called := s.CallTool(t.Context(), ToolCall{Call: mcp.Call{Name: "x", Agreed: true}})
		for _, err := range []error{sent, again, called} {
			expect.Contains(t, refusedFor(t, err, "downloads").Error(), "not a directory")
		}
		expect.All(t, "1 1", f.sent(), must(s.file.List(t.Context(), store.Query{}))(t).Total)
	})
}

// TestWhatWaits is what becomes of an intent that waits because of a 429 when things
// change meanwhile. Another address in use gets nothing that was confirmed for the first.
func TestWhatWaits(t *testing.T) {
	t.Parallel()
	nothing := func(*window, string) error { return nil }
	budget := func(most api.Credits) func(*window, string) error {
		return func(s *window, _ string) error {
			s.settings.Change(func(set *settings.Settings) { set.Budget = most * api.Credit })
			return nil
		}
	}
	for name, row := range map[string]struct {
		do    func(s *window, id string) error
		phase api.Phase
		class api.ErrorClass
		why   api.Sentence
		posts int
		price api.Credits // that the service quotes later, if it quoted one before: of 425
	}{
		"the price is the same":  {nothing, api.PhaseQueued, "", "", 2, 425},
		"the price is lower":     {nothing, api.PhaseQueued, "", "", 2, 400},
		"the price is higher":    {nothing, api.PhaseNotSent, "", whyDearer, 1, 426},
		"the price is not known": {nothing, api.PhaseNotSent, "", whyPriceGoneOf, 1, -1},
		"a lower budget":         {budget(424), api.PhaseNotSent, "", "", 1, 425},
		"a budget of the price":  {budget(425), api.PhaseQueued, "", "", 2, 425},
		"nothing happens":        {nothing, api.PhaseQueued, "", "", 2, 0},
		"30s: a link ends":       {nothing, api.PhaseNotSent, "", whyLinkEnded, 1, 0},
		"31s: as it was said":    {nothing, api.PhaseNotSent, "", whyLinkEnded, 1, 0},
		"-1s: a link is over":    {nothing, api.PhaseQueued, "", "", 2, 0},
		"2h: a link lives on":    {nothing, api.PhaseQueued, "", "", 2, 0},
		"the key is removed": {func(s *window, _ string) error { _ = s.remote.Forget(context.Background()); return nil },
			api.PhaseNotSent, api.ClassKey, "not sent, because the key was removed meanwhile: log in, then send it", 1, 0},
		"the key is refused": {func(s *window, _ string) error {
			s.remote.Observe(s.remote.Connection(), &api.Error{Class: api.ClassKey, Status: 401})
			return nil
		}, api.PhaseNotSent, api.ClassKey, "not sent, because the service refused the key: log in with a valid one, then send it", 1, 0},
		"it is cancelled": {func(s *window, id string) error {
			_ = s.remote.Forget(context.Background())
			return s.Dismiss(context.Background(), id)
		}, api.PhaseNotSent, "", "cancelled before it was sent", 1, 0},
		"another service": {func(s *window, _ string) error {
			key, err := api.ParseKey(testKey)
			return errors.Join(err, s.remote.UseKey(context.Background(), "https://another.test", key, false))
		}, api.PhaseQueued, "", "", 2, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := thenQueued(refused(api.PhaseRejected, api.ClassRate, 429, time.Minute))
			s := openWindow(t, f)
			c := confirm("x")
			c.Warned = time.Now()
			life, _, _ := strings.Cut(name, ":")
			if life, err := time.ParseDuration(life); err == nil {
				c.Request.ImageFiles = []string{link(t, s, life, strings.Contains(name, "said"))}
			}
			if row.price != 0 {
				c.Request = api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "x"}
				c.Estimate = api.Estimate{Credits: 425 * api.Credit, Source: api.SourceService, At: time.Now().Add(-time.Second)}
			}
			j := must(s.Submit(t.Context(), c))(t)
			time.Sleep(time.Second)
			j = must(s.Job(t.Context(), j.ID))(t)
			at := time.Now().Add(59 * time.Second).Format("15:04:05")
			why := api.Sentence("not sent yet, next try at %[2]v: %[1]v").Reason(f.create(1, client.CreateOptions{}).Err.Why(), at)
			expect.That(t, j.Phase == api.PhaseIntent && j.Error == why, name, j.Phase, j.Error)
			noError(t, row.do(s, j.ID))
			f.mu.Lock()
			if row.price > 0 {
				f.price = func() (api.Estimate, error) {
					return api.Estimate{Credits: row.price * api.Credit, Source: api.SourceService, At: time.Now()}, nil
				}
			}
			f.mu.Unlock()
			time.Sleep(time.Hour)
			j = must(s.Job(t.Context(), j.ID))(t)
			expect.That(t, j.Phase == row.phase && j.ErrClass == row.class && (row.why == "" || j.Error.Format() == row.why), name, j.Row)
			expect.That(t, row.posts < 2 || row.price == 0 || j.Credits == row.price*api.Credit && j.Estimate.Credits == j.Credits, name, "cost", j.Credits)
			expect.That(t, slices.Equal(f.at, slices.Repeat([]string{"https://service.test"}, row.posts)), name, "by connections of", f.at)
		})
	}
}

// link is an address that works for a time: by its query, or as the service said of a result.
func link(t *testing.T, s *window, life time.Duration, said bool) string {
	end := time.Now().Add(life)
	if !said {
		return "https://a.test/1.png?sig=x&se=" + end.Format(time.RFC3339)
	}
	of, address := confirm("a result"), "https://a.test/result.png"
	j, _, err := s.file.Record(t.Context(), store.Intent{ConfirmID: of.ConfirmID, Request: of.Request, Body: []byte("{}"), Instance: "me",
		Estimate: of.Estimate, Base: "https://service.test", Now: time.Now()})
	noError(t, err)
	n := must(s.file.MarkSending(t.Context(), j.ID, "me", time.Now()))(t)
	noError(t, s.file.Finish(t.Context(), store.Finish{ID: j.ID, Attempt: n, Phase: api.PhaseDone, RemoteID: "r0", Completed: true,
		Now: time.Now(), Results: []api.Result{{URL: address, ExpiresAt: end}}, Files: []store.File{{URL: address, Path: "/1.png"}}}))
	return address
}

// TestALinkEndsWhileThePersonIsAsked: what was shown without a warning is refused, and sent once the person was told.
func TestALinkEndsWhileThePersonIsAsked(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		synctest.Test(t, func(t *testing.T) {
			s := openWindow(t, &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued("r1") }})
			c := confirm("x")
			c.Request.ImageFiles = []string{link(t, s, time.Minute, n&1 == 0)} // as it was said, or by its query
			send := func(warned time.Time) (err error) {
				if c.Warned = warned; n&2 != 0 {
					_, err = s.Submit(t.Context(), c)
					return err
				}
				_, err = s.Agree(t.Context(), Together{ConfirmID: c.ConfirmID, Requests: []Agreed{c.Agreed}})
				return err
			}
			time.Sleep(2 * time.Minute)
			refusedFor(t, send(time.Now().Add(-90*time.Second)), "link")
			refusedFor(t, send(time.Time{}), "link")
			noError(t, send(time.Now()))
		})
	}
}

// TestATurnThatIsOverSendsNothing: a process that was stopped past its turn looks
// again right before the POST, and waits for another turn.
func TestATurnThatIsOverSendsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued("r1") }}
		s := openWindow(t, f)
		s.over.Store(2)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(time.Minute)
		expect.All(t, "queued 1", must(s.Job(t.Context(), j.ID))(t).Phase, f.sent())
		expect.That(t, s.over.Load() < 0, s.over.Load(), "turns left")
		s.noTurn = errors.New("no room")
		j = s.settled(t, confirm("z"))
		expect.That(t, j.Phase == api.PhaseNotSent && strings.Contains(j.Error.String(), "no room") && f.sent() == 1, j.Phase, j.Error, f.sent())
		s.noTurn = nil
		s.leaving = s.stop // the program ends while it waits for its turn, which is given back
		j = must(s.Submit(t.Context(), confirm("y")))(t)
		time.Sleep(time.Minute)
		j = must(s.Job(t.Context(), j.ID))(t)
		expect.That(t, j.Phase == api.PhaseNotSent && j.Error == store.WhyNotSent.Reason() && f.sent() == 1, j.Phase, j.Error, f.sent(), "POSTs")
	})
}

// TestAnswersAtOnce: a service that answers with the result gets the patience of
// a whole generation, once it showed that or a person said so.
func TestAnswersAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{}
		var patient []bool
		f.create = func(n int, o client.CreateOptions) api.Outcome {
			patient = append(patient, o.Sync)
			if n == 2 {
				return queued("r2")
			}
			out := queued("")
			out.Phase, out.Answer.Results, out.Answer.Class = api.PhaseFetching, []api.Result{{URL: "https://cdn.test/a.png"}}, api.StatusSucceeded
			return out
		}
		s := openWindow(t, f)
		send := func(prompt string) {
			t.Helper()
			s.settled(t, confirm(prompt))
			synctest.Wait()
		}
		send("one")
		expect.Equal(t, must(s.remote.Profile(t.Context()))(t).Seen.Answers, settings.AnswersResult)
		send("two") // answered with a job again
		send("three")
		s.settings.Change(func(set *settings.Settings) { set.Ways.Answers = settings.AnswersJob })
		send("four")
		s.settings.Change(func(set *settings.Settings) { set.Ways.Answers = settings.AnswersResult })
		send("five")
		expect.List(t, patient, []bool{false, true, false, false, true})
	})
}

// TestAnEndingProgramGivesUpWhatWaits: an intent that waits for another try, or was not
// marked yet, was not sent; one that the service refused is rejected.
func TestAnEndingProgramGivesUpWhatWaits(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		out   api.Outcome
		phase api.Phase
		class api.ErrorClass
		posts int
	}{
		"refused":     {refused(api.PhaseRejected, api.ClassRate, 429, time.Minute), api.PhaseRejected, api.ClassRate, 1},
		"unreachable": {refused(api.PhaseNotSent, api.ClassNetwork, 0, time.Second), api.PhaseNotSent, "", 1},
		"marked":      {queued("r1"), api.PhaseNotSent, "", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return row.out }}
			s := openWindow(t, f)
			if row.posts == 0 {
				s.leaving = func() { s.marking.Store(true) }
			}
			j := must(s.Submit(t.Context(), confirm(name)))(t)
			time.Sleep(500 * time.Millisecond)
			s.stop()
			synctest.Wait()
			told := s.toldOf(j.ID)
			expect.That(t, told[len(told)-1] == row.phase, name, "told of", told)
			why := store.WhyNotSent.Reason()
			if row.phase == api.PhaseRejected {
				why = row.out.Err.Why()
			}
			j = must(s.Job(t.Context(), j.ID))(t)
			expect.That(t, j.Phase == row.phase && j.ErrClass == row.class && j.Error == why && f.sent() == row.posts, name, j.Row, f.sent())
		})
	}
}

// TestWhoWaitsForATurn is told so after a second.
func TestWhoWaitsForATurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { time.Sleep(time.Minute); return queued(rand.Text()) }}
		s := openWindow(t, f)
		began := time.Now()
		s.leaving = func() { time.Sleep(2 * time.Second) } // a turn that comes late, but not for another request
		j := must(s.Submit(t.Context(), confirm("first")))(t)
		time.Sleep(1500 * time.Millisecond)
		expect.That(t, len(s.toldOf(j.ID)) == 1, "it says that it waits, alone", s.toldOf(j.ID))
		for until, why := range map[int64]api.Reason{time.Time{}.UnixMilli(): api.Sentence("waits for its turn: another request is being sent").Reason(), began.Add(time.Hour).UnixMilli(): api.Sentence("waits for its turn: another request is being sent, until %v at the latest").Reason(began.Add(time.Hour).Format("15:04:05"))} {
			s.until.Store(until)
			j := must(s.Submit(t.Context(), confirm(string(why.Format()))))(t)
			time.Sleep(999 * time.Millisecond)
			j = must(s.Job(t.Context(), j.ID))(t)
			expect.That(t, j.Error.IsZero(), "it says too early", j.Error)
			time.Sleep(2 * time.Millisecond)
			j = must(s.Job(t.Context(), j.ID))(t)
			expect.That(t, j.Error == why && len(s.toldOf(j.ID)) == 2, "it says", j.Error, "want", why)
		}
		time.Sleep(time.Hour)
	})
}

// TestWhatTheStoreNeverTakes: a job that is gone while it is sent is found all the same,
// with what came of it, and its end is not waited for for ever.
func TestWhatTheStoreNeverTakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{}
		s := openWindow(t, f)
		f.create = func(int, client.CreateOptions) api.Outcome {
			must(s.db.Exec(`DELETE FROM attempts; DELETE FROM details; DELETE FROM jobs`))(t)
			time.Sleep(time.Minute)
			return queued("r1")
		}
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		for _, phase := range []api.Phase{api.PhaseSending, api.PhaseQueued} {
			time.Sleep(40 * time.Second)
			j := must(s.Job(t.Context(), j.ID))(t)
			expect.That(t, j.Phase == phase && j.Title == "x", j.Phase, j.Title, "want", phase)
		}
		s.stop()
		s.Close(context.Background())
		time.Sleep(time.Minute)
		expect.Equal(t, must(s.Job(t.Context(), j.ID))(t).RemoteID, "r1", "its id at the end")
		expect.That(t, s.Lost() != nil, "it is not lost")
	})
}

// TestNothingBeginsAfterTheEnd: also not what is confirmed while the session closes. A
// store that is not at its place says so.
func TestNothingBeginsAfterTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, moved := range []bool{true, false} {
			f := &fakeService{}
			s := openWindow(t, f)
			path := s.file.Health().Path
			asked := 0
			f.price = func() (api.Estimate, error) {
				if asked++; moved {
					noError(t, os.Rename(path, path+".moved"))
				} else {
					s.Close(context.Background())
				}
				return api.Estimate{Credits: 5 * api.Credit, Source: api.SourceService}, nil
			}
			f.call = func(context.Context, mcp.Call) (mcp.Answer, error) {
				t.Error("a tool was called")
				return mcp.Answer{}, nil
			}
			old := image("x", 5*api.Credit)
			old.Estimate.At = old.Estimate.At.Add(-time.Hour)
			_, during := s.Submit(t.Context(), old)
			_, called := s.CallTool(t.Context(), ToolCall{Call: mcp.Call{Name: "x", Agreed: true}})
			list := []error{during, called}
			if !moved {
				_, after := s.Submit(t.Context(), image("y", 5*api.Credit))
				list = append(list, after, s.Ready(true))
			}
			want := map[bool]string{true: store.Why(store.ErrMoved).String(), false: ErrClosed.Error()}[moved]
			for i, err := range list {
				r := refusedFor(t, err, "store")
				expect.That(t, strings.Contains(r.Error(), want) && errors.Is(r, ErrClosed) != moved && asked == 1, i, "after", asked, "questions", r)
			}
		}
	})
}
