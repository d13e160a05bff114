package state

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/store"
	"darkroom/state/submit"
)

const priceEach = 10

// together is an agreement to n images, numbered from 1.
func together(n int) Together {
	t := Together{ConfirmID: submit.NewConfirmID(), Pattern: api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "picture {1|2|…}"}}
	for i := range n {
		t.Requests = append(t.Requests, Agreed{
			Request:  api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: fmt.Sprintf("picture %d", i+1)},
			Label:    fmt.Sprint(i + 1),
			Estimate: api.Estimate{Credits: priceEach * api.Credit, Source: api.SourceService, At: time.Now()},
		})
	}
	return t
}

func priced(credits *atomic.Int64) func(api.Request) (api.Estimate, error) {
	return func(api.Request) (api.Estimate, error) {
		return api.Estimate{Credits: api.Credits(credits.Load()) * api.Credit, Source: api.SourceService}, nil
	}
}

// queueWindow is a session on a service that takes a second for each create and has a price.
func queueWindow(t *testing.T, dir string, change ...func(*Options)) (*Session, *fakeService, *atomic.Int64) {
	t.Helper()
	f, price := newFake(), &atomic.Int64{}
	price.Store(priceEach)
	f.price = priced(price)
	f.create = func(n int, _ client.CreateOptions) api.Outcome {
		time.Sleep(time.Second)
		return queued(fmt.Sprint("r", n))
	}
	o := fakeOptions(t, dir, f)
	o.Poll = false
	for _, c := range change {
		c(&o)
	}
	return openSession(t, o), f, price
}

// promptsSent are the numbers of the pictures that were sent, in order.
func promptsSent(f *fakeService) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, b := range f.bodies {
		_, n, _ := strings.Cut(b, `"prompt":"picture `)
		n, _, _ = strings.Cut(n, `"`)
		out = append(out, n)
	}
	return strings.Join(out, " ")
}

// heldNow are the numbers of what waits, in order; "!" behind one says that it waits for the person.
func heldNow(t *testing.T, s *Session) string {
	t.Helper()
	var out []string
	for _, r := range must(s.Jobs(t.Context(), Query{}))(t).Rows {
		if r.Phase == api.PhaseHeld {
			text := r.Label
			if r.Paused {
				text += "!"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

func TestQueueSendsOneByOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, _ := queueWindow(t, t.TempDir())
		a := together(6)
		ids := must(s.Queue().Agree(t.Context(), a))(t)
		again, err := s.Queue().Agree(t.Context(), a)
		expect.That(t, err == nil && again == nil, "the same agreement again", again, err)
		time.Sleep(2500 * time.Millisecond)
		expect.Equal(t, promptsSent(f)+"/"+heldNow(t, s), "1 2 3/4 5 6", "sent and held after 2.5 s")
		expect.Equal(t, must(s.Today(t.Context()))(t).Credits, 3*priceEach*api.Credit, "held ones are not spent")
		time.Sleep(time.Minute)
		expect.All(t, "1 2 3 4 5 6 ", promptsSent(f), heldNow(t, s))
		page := must(s.Jobs(t.Context(), Query{}))(t)
		expect.That(t, page.All == 6 && page.Held == 0 && len(page.Rows) == 6 && page.Rows[5].ID == ids[0], "the list has", page)
		j := must(s.Job(t.Context(), ids[2]))(t)
		expect.That(t, j.Phase == api.PhaseQueued && j.Label == "3" && j.Pattern != nil && j.Pattern.Prompt == "picture {1|2|…}" &&
			j.Request.Prompt == "picture 3", "the third job is", j)
	})
}

// TestQueuePauses names what lets the rest wait, with what it says.
func TestQueuePauses(t *testing.T) {
	t.Parallel()
	outcome := func(phase api.Phase, class api.ErrorClass, status int) func(*fakeService, *atomic.Int64) {
		return func(f *fakeService, _ *atomic.Int64) {
			sendUsual := f.create
			f.create = func(n int, o client.CreateOptions) api.Outcome {
				if n == 3 {
					return refused(phase, class, status, 0)
				}
				return sendUsual(n, o)
			}
		}
	}
	for _, c := range []struct {
		name               string
		set                func(f *fakeService, price *atomic.Int64)
		sent, held, reason string
	}{
		{"a price that becomes known", func(f *fakeService, price *atomic.Int64) {
			f.price = func(r api.Request) (api.Estimate, error) {
				if f.sent() == 0 {
					return api.Estimate{Source: api.SourceNone}, failing(api.ClassNotFound, 404, 0)
				}
				return priced(price)(r)
			}
		}, "1", "2! 3! 4! 5! 6!", "the price is now 10 credits and was not known when this was agreed to"},
		{"a price that is never known stops nothing", func(f *fakeService, _ *atomic.Int64) {
			f.price = func(api.Request) (api.Estimate, error) { return api.Estimate{}, failing(api.ClassNotFound, 404, 0) }
		}, "1 2 3 4 5 6", "", ""},
		{"a refused key", outcome(api.PhaseRejected, api.ClassKey, 401), "1 2 3", "4! 5! 6!", "was refused"},
		{"no credits", outcome(api.PhaseRejected, api.ClassCredits, 402), "1 2 3", "4! 5! 6!", "was refused"},
		{"an unknown outcome", outcome(api.PhaseUnknown, api.ClassServer, 500), "1 2 3", "4! 5! 6!", "may have been accepted and charged"},
		{"an answer without an id", outcome(api.PhaseUnread, api.ClassUnreadable, 200), "1 2 3", "4! 5! 6!", "may have been accepted and charged"},
		{"nothing sent", outcome(api.PhaseNotSent, api.ClassNetwork, 0), "1 2 3", "4! 5! 6!", "could not be sent"},
		{"a refused prompt stops nothing", outcome(api.PhaseRejected, api.ClassModeration, 400), "1 2 3 4 5 6", "", ""},
		{"a higher price", func(f *fakeService, price *atomic.Int64) {
			sendUsual := f.create
			f.create = func(n int, o client.CreateOptions) api.Outcome {
				if n == 3 {
					time.Sleep(2 * time.Minute) // the price that is known grows old
					price.Store(priceEach + 1)
				}
				return sendUsual(n, o)
			}
		}, "1 2 3", "4! 5! 6!", "the price is now 11 credits, and 10 were agreed to"},
		{"a lower price stops nothing", func(f *fakeService, price *atomic.Int64) { price.Store(priceEach - 1) }, "1 2 3 4 5 6", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, f, price := queueWindow(t, t.TempDir())
				c.set(f, price)
				a := together(6)
				for i := range a.Requests {
					if strings.HasPrefix(c.name, "a price that") {
						a.Requests[i].Estimate = api.Estimate{Source: api.SourceNone}
					}
				}
				must(s.Queue().Agree(t.Context(), a))(t)
				time.Sleep(3 * time.Minute)
				sent, held := promptsSent(f), heldNow(t, s)
				expect.That(t, sent == c.sent && held == c.held, "sent", sent, "held", held)
				rows := must(s.Jobs(t.Context(), Query{}))(t).Rows
				expect.That(t, c.held == "" || strings.Contains(rows[0].Error.String(), c.reason), "it waits because", rows[0].Error)
			})
		})
	}
}

// TestALinkEndsInTheQueue: what was agreed to while it worked waits for the person, who can send it all the same.
func TestALinkEndsInTheQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, price := queueWindow(t, t.TempDir())
		ids := must(s.Queue().Agree(t.Context(), linked(2500*time.Millisecond)))(t)
		time.Sleep(time.Minute)
		expect.All(t, "1 2 3/4! 5! 6!", promptsSent(f)+"/"+heldNow(t, s))
		rest := must(s.Queue().Offer(t.Context(), ids[5], true))(t)
		expect.That(t, rest.Dead && strings.Contains(rest.Reason.String(), "a link has expired"), "offered as", rest)
		f.price = func(api.Request) (api.Estimate, error) { return api.Estimate{}, failing(api.ClassNotFound, 404, 0) } // so nothing else has a time
		rest, _ = s.Queue().Offer(t.Context(), ids[5], true)
		noError(t, s.Queue().Resume(t.Context(), rest))
		time.Sleep(time.Minute)
		expect.All(t, "1 2 3 4 5 6/", promptsSent(f)+"/"+heldNow(t, s))
		f.price = priced(price)
		again := linked(-time.Second)
		for i := range again.Requests {
			again.Requests[i].Again = true
		}
		must(s.Queue().Agree(t.Context(), again))(t)
		time.Sleep(time.Minute)
		expect.All(t, "1 2 3 4 5 6 1 2 3 4 5 6/", promptsSent(f)+"/"+heldNow(t, s))
	})
}

// linked is an agreement to six images of a source whose link ends after a time.
func linked(life time.Duration) Together {
	t := together(6)
	for i := range t.Requests {
		t.Requests[i].Warned = time.Now()
		t.Requests[i].Request.ImageURL = "https://a.test/1.png?sig=x&se=" + time.Now().Add(life).Format(time.RFC3339Nano)
	}
	return t
}

// TestQueueHoldsTheBudget: the total is held against it before anything is sent, and each request again.
func TestQueueHoldsTheBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, _ := queueWindow(t, t.TempDir(), func(o *Options) { o.Settings.Budget = 45 * api.Credit })
		expect.All(t, "budget ", code(expect.Err(s.Queue().Agree(t.Context(), together(5)))), heldNow(t, s)) // 50 of 45 credits
		expect.Equal(t, code(expect.Err(s.Queue().Agree(t.Context(), together(24)))), "budget", "24 of 24")
		limited := together(4)
		limited.MaxCredits = 39 * api.Credit
		expect.Equal(t, code(expect.Err(s.Queue().Agree(t.Context(), limited))), "max_credits", "40 of 39 credits")
		must(s.Queue().Agree(t.Context(), together(4)))(t)
		other := confirm("another one") // takes what the last of them needs
		other.Estimate = api.Estimate{Credits: 10 * api.Credit, Source: api.SourceTable}
		other.Request = api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "picture x"}
		must(s.Submit(t.Context(), other))(t)
		time.Sleep(time.Minute)
		expect.All(t, "4! 4", heldNow(t, s), f.sent())
		expect.Equal(t, code(expect.Err(s.Queue().Agree(t.Context(), together(25)))), "too_many", "25 of 24")
	})
}

// TestQueueIsThePersons: pause, resume, reorder, remove; a resumed request has the price that was shown.
func TestQueueIsThePersons(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx := t.Context()
		s, f, price := queueWindow(t, t.TempDir())
		q := s.Queue()
		ids := must(q.Agree(ctx, together(6)))(t)
		check := func(want string) {
			t.Helper()
			expect.Equal(t, heldNow(t, s), want, "held")
		}
		time.Sleep(100 * time.Millisecond) // the first is being sent
		noError(t, q.Pause(ctx, ids[3]))
		time.Sleep(time.Minute)
		check("2! 3! 4! 5! 6!")
		s.changes.take()
		noError(t, q.Move(ctx, ids[4], true))
		expect.That(t, slices.Contains(s.changes.take(), ids[4]), "moving", ids[4], "is not told")
		noError(t, q.Pause(ctx, ids[3]))
		expect.That(t, s.changes.take() != nil, "a pause is not told")
		noError(t, q.Move(ctx, ids[4], true))
		noError(t, q.Move(ctx, ids[1], true)) // it is the first already
		noError(t, q.Move(ctx, ids[1], false))
		check("5! 2! 3! 4! 6!")
		must(s.Wait(ctx))(t)
		noError(t, q.Decline(ctx, "", ids[2], ids[3]))
		told := must(s.Wait(limited(t)))(t)
		expect.That(t, len(told) == 2 && slices.Contains(told, ids[2]) && slices.Contains(told, ids[3]), "removing", ids[2:4], "tells of", told)
		check("5! 2! 6!")
		expect.Is(t, q.Decline(ctx, "", ids[1], ids[2]), ErrNotHeld, "removing one that is gone")
		check("5! 2! 6!")
		expect.Is(t, q.Pause(ctx, ids[0]), ErrNotHeld, "pausing one that was sent")
		price.Store(priceEach + 5)
		one := must(q.Offer(ctx, ids[5], false))(t)
		expect.That(t, len(one.Held) == 1 && one.Price.Credits == 15*api.Credit && one.Agreed == priceEach*api.Credit && one.Price.Known(),
			"one is offered as", one)
		noError(t, q.Resume(ctx, one))
		time.Sleep(time.Minute)
		check("5! 2!")
		rest := must(q.Offer(ctx, ids[1], true))(t)
		expect.That(t, len(rest.Held) == 2 && rest.Price.Credits == 30*api.Credit && rest.Agreed == 2*priceEach*api.Credit && rest.Price.Known(),
			"the rest is offered as", rest)
		s.changes.take()
		noError(t, q.Resume(ctx, rest))
		told = s.changes.take() // the second is not sent yet
		expect.That(t, slices.Contains(told, ids[4]) && slices.Contains(told, ids[1]), "going on with", ids[4], "and", ids[1], "tells of", told)
		expect.Equal(t, code(q.Resume(ctx, rest)), "stale", "resuming twice")
		time.Sleep(time.Minute)
		check("")
		sent, spent := promptsSent(f), must(s.Today(ctx))(t)
		expect.That(t, sent == "1 6 5 2" && spent.Credits == 55*api.Credit, "sent", sent, spent.Credits, "were spent")
	})
}

// TestQueueAfterARestart: what was not sent waits for the person, and another window can go on with it.
func TestQueueAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		s, f, _ := queueWindow(t, dir)
		ids := must(s.Queue().Agree(t.Context(), together(4)))(t)
		time.Sleep(1500 * time.Millisecond)
		noError(t, s.Close(context.Background()))
		s, g, _ := queueWindow(t, dir)
		time.Sleep(2 * time.Minute)
		expect.All(t, "3! 4! 0", heldNow(t, s), g.sent())
		other, _, _ := queueWindow(t, dir)
		offer := must(other.Queue().Offer(t.Context(), ids[3], true))(t)
		noError(t, other.Queue().Resume(t.Context(), offer))
		time.Sleep(time.Minute)
		expect.All(t, " 2", heldNow(t, s), f.sent())
	})
}

// TestTwoWindowsSendAQueueOnce: whichever window pauses and resumes, each request is sent once.
func TestTwoWindowsSendAQueueOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		a, f, _ := queueWindow(t, dir)
		b, g, _ := queueWindow(t, dir)
		must(a.Queue().Agree(t.Context(), together(12)))(t)
		for i := range 40 {
			s := []*Session{a, b}[i%2]
			rows := must(s.Jobs(t.Context(), Query{}))(t).Rows
			if len(rows) == 0 || rows[0].Phase != api.PhaseHeld {
				break
			}
			if i%3 == 0 {
				_ = s.Queue().Pause(t.Context(), rows[0].ID)
			} else if offer, err := s.Queue().Offer(t.Context(), rows[0].ID, true); err == nil {
				_ = s.Queue().Resume(t.Context(), offer)
			}
			time.Sleep(700 * time.Millisecond)
		}
		time.Sleep(3 * time.Minute)
		all := strings.Fields(promptsSent(f) + " " + promptsSent(g))
		slices.Sort(all)
		held := strings.Fields(heldNow(t, a))
		expect.That(t, len(slices.Compact(slices.Clone(all))) == len(all) && len(all)+len(held) == 12 && len(all) >= 6 && g.sent() != 0,
			"sent", all, g.sent(), "by the second window), held", held)
	})
}

// TestTheQueueGoesOnPastWhatIsRemoved, here or in another window, while its price is asked for.
func TestTheQueueGoesOnPastWhatIsRemoved(t *testing.T) {
	for by, name := range []string{"here", "in another window"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				dir := t.TempDir()
				a, f, price := queueWindow(t, dir)
				b, _, _ := queueWindow(t, dir)
				ids, known := []string(nil), make(chan struct{})
				f.price = func(r api.Request) (api.Estimate, error) {
					if r.Prompt == "picture 2" {
						<-known
						noError(t, []*Session{a, b}[by].Queue().Decline(t.Context(), "", ids[1]))
						time.Sleep(10 * time.Second) // the removal is told and over long before the price is there
					}
					return priced(price)(r)
				}
				agreed := together(4)
				for i := range agreed.Requests {
					agreed.Requests[i].Request.Model = fmt.Sprint("acme/paint", i) // each has a price of its own
				}
				ids = must(a.Queue().Agree(t.Context(), agreed))(t)
				close(known)
				time.Sleep(time.Minute)
				expect.All(t, "1 3 4 ", promptsSent(f), heldNow(t, a))
			})
		})
	}
}

// TestHeldIsFound: the list, the filter and the search for an id know what is held.
func TestHeldIsFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx := t.Context()
		s, _, _ := queueWindow(t, t.TempDir())
		ids := must(s.Queue().Agree(ctx, together(5)))(t)
		noError(t, s.Queue().Pause(ctx, ids[4]))
		time.Sleep(time.Minute)
		j := must(s.Job(ctx, ids[3][:8]))(t)
		expect.That(t, j.ID == ids[3] && j.Phase == api.PhaseHeld && j.Paused && j.Pattern != nil &&
			strings.Contains(string(j.Body), "picture 4"), "the fourth is", j)
		sent := 5 - len(strings.Fields(heldNow(t, s)))
		for filter, total := range map[string]int{
			"is:held kind:image model:PAINT": 5 - sent, "is:image": 5, "kind:video": 0, "is:video": 0, "model:pen": 0,
			"since:today is:held": 5 - sent, "older:today": 0, "credits:>0 is:held": 5 - sent, "": 5, "held": 5 - sent, "HELD picture": 5 - sent, "paint image HELD": 5 - sent, "queued": sent, "nothing": 0} {
			p := must(s.Jobs(ctx, Query{Filter: filter}))(t)
			expect.That(t, p.Total == total && len(p.Rows) == total && p.All == 5, filter, len(p.Rows), "of", p.Total, "rows", p.All, "in all")
		}
		whole := must(s.Jobs(ctx, Query{}))(t).Rows
		for offset := range 6 {
			for limit := 1; limit < 7; limit++ {
				p := must(s.Jobs(ctx, Query{Offset: offset, Limit: limit}))(t)
				want := whole[min(offset, 5):min(offset+limit, 5)]
				expect.That(t, slices.EqualFunc(p.Rows, want, func(a, b Row) bool { return a.ID == b.ID }),
					"from", offset, limit, "rows", len(p.Rows), "of them")
			}
		}
	})
}

// TestAnOfferSaysThatTheStoreIsACopy whatever else some of the requests wait for, and that a price is missing.
func TestAnOfferSaysThatTheStoreIsACopy(t *testing.T) {
	t.Parallel()
	session, service, _ := queueWindow(t, t.TempDir())
	service.price = func(r api.Request) (api.Estimate, error) {
		if r.Model == "acme/other" {
			return api.Estimate{}, failing(api.ClassServer, 500, 0)
		}
		return api.Estimate{Credits: api.Credit, Source: api.SourceService}, nil
	}
	noError(t, session.Remote.AwaitKey(limited(t)))
	s, other := session.db(), "another window" // so that this one sends nothing
	copied, dearer := api.ReasonConnFailed.Reason(), api.ReasonStopped.Reason()
	list := []store.Held{
		{ConfirmID: "1", Job: store.Job{Row: store.Row{ID: "first"}, Request: api.Request{Kind: api.KindImage, Prompt: "x"}, Body: []byte("{}")}},
		{ConfirmID: "2", Job: store.Job{Row: store.Row{ID: "second"}, Request: api.Request{Kind: api.KindImage, Model: "acme/other", Prompt: "y"}, Body: []byte("{}")}},
	}
	must(s.Hold(t.Context(), store.Agreement{ID: "a", Instance: other, Held: list, Now: time.Now()}))(t)
	// Both wait in a copy, and the second was sent on and is running already.
	noError(t, s.PauseHeld(t.Context(), "a", store.CodeCopied, copied))
	noError(t, s.ResumeHeld(t.Context(), other, list[1:], time.Now()))
	noError(t, s.PauseHeld(t.Context(), "a", "again", dearer))
	offer, err := session.Queue().Offer(t.Context(), "first", true)
	expect.That(t, err != nil && len(offer.Held) == 2 && offer.Copied && offer.Reason == copied && !offer.Price.Known() &&
		!offer.Held[0].Again && offer.Held[1].Again, offer, err)
}
