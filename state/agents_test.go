//go:build !windows

package state

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/submit"
)

func picture(n int) api.Request {
	return api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: fmt.Sprintf("picture %d", n)}
}

// agentWindow is a queueWindow with a settings file, and what writes it.
func agentWindow(t *testing.T, text string, dirs ...string) (*Session, *fakeService, *atomic.Int64, func(string)) {
	t.Helper()
	dir := append(dirs, t.TempDir())[0]
	file := filepath.Join(dir, "darkroom", "config.toml")
	write := func(text string) { simtest.File(t, file, text) }
	write(text)
	s, f, price := queueWindow(t, dir, func(o *Options) {
		o.Env = func(name string) string {
			return map[string]string{"HOME": dir, "XDG_CONFIG_HOME": dir, "DARKROOM_API_KEY": testKey, "DARKROOM_BASE_URL": o.Settings.BaseURL}[name]
		}
		loaded := must(LoadSettings(o.Env))(t)
		o.Settings.Agents, o.Settings.ConfigFile, o.Settings.Budget = loaded.Agents, loaded.ConfigFile, loaded.Budget
	})
	return s, f, price, write
}

// TestAgentsAreHeld: nothing that an agent asks for is sent, whatever it asks with;
// one intent is one request for ever.
func TestAgentsAreHeld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		s, f, _, _ := agentWindow(t, "", dir)
		studio := s.Agent("studio")
		first := must(studio.Ask(t.Context(), "a", []api.Request{picture(1)}, 20*api.Credit))(t)[0]
		expect.That(t, first.Phase == api.PhaseHeld && first.Code == "not_granted" && first.Entry == "studio" && first.Credits == 10*api.Credit,
			"asked for", first)
		var same sync.WaitGroup
		for range 100 {
			same.Go(func() {
				expect.Equal(t, must(studio.Ask(t.Context(), "a", []api.Request{picture(1)}, 99*api.Credit))(t)[0].ID, first.ID, "the same intent")
			})
		}
		same.Wait()
		expect.Equal(t, code(expect.Err(studio.Ask(t.Context(), "a", []api.Request{picture(2)}, 20*api.Credit))), "intent", "another body")
		expect.Equal(t, code(expect.Err(studio.Ask(t.Context(), "dear", []api.Request{picture(2)}, api.Credit))), "max_credits", "its own limit")
		other := must(s.Agent("other").Ask(t.Context(), "a", []api.Request{picture(2)}, 20*api.Credit))(t)[0]
		expect.Is(t, expect.Err(studio.Find(t.Context(), other.ID)), ErrNoJob, "another entry's request")
		for n := 3; n < 22; n++ {
			must(studio.Ask(t.Context(), fmt.Sprint(n), []api.Request{picture(n)}, 20*api.Credit))(t)
		}
		expect.Equal(t, code(expect.Err(studio.Ask(t.Context(), "more", []api.Request{picture(50)}, 20*api.Credit))), "too_many_open", "the 21st")
		page := must(s.Jobs(t.Context(), Query{}))(t)
		expect.All(t, "21 other studio", len(page.Asks), page.Asks[0].Entry, page.Asks[20].Entry)
		noError(t, s.Queue().Move(t.Context(), first.ID, true)) // the first of its group, and all there is of the other
		noError(t, s.Queue().Move(t.Context(), other.ID, false))
		noError(t, s.Queue().Move(t.Context(), first.ID, false))
		page = must(s.Jobs(t.Context(), Query{}))(t)
		expect.That(t, page.Rows[0].ID == other.ID && page.Rows[2].ID == first.ID, "a move left the group")
		time.Sleep(time.Hour)
		expect.All(t, "0 0", f.sent(), must(s.Today(t.Context()))(t).Credits)
		noError(t, s.Close(t.Context()))
		time.Sleep(24 * time.Hour) // without a window: to a new one, it is the clock that may be wrong
		s, _, _, _ = agentWindow(t, "", dir)
		studio = s.Agent("studio")
		time.Sleep(9 * time.Minute)
		expect.Equal(t, code(s.Queue().Resume(t.Context(), must(s.Queue().Offer(t.Context(), first.ID, true))(t))), "expired", "sent after a day")
		must(studio.Ask(t.Context(), "not too many", []api.Request{picture(50)}, 20*api.Credit))(t)
		time.Sleep(2 * time.Minute)
		gone := must(studio.Find(t.Context(), first.ID))(t)
		expect.All(t, "true expired 1", gone.Ended, gone.Code, must(s.Jobs(t.Context(), Query{}))(t).Held)
		again := must(studio.Ask(t.Context(), "a", []api.Request{picture(1)}, 20*api.Credit))(t)[0]
		expect.That(t, again.ID == first.ID && again.Ended, "the same intent after a day", again)
	})
}

// TestAnAgentNamesItsOwnResults, and those of nobody else.
func TestAnAgentNamesItsOwnResults(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, price := newFake(), &atomic.Int64{}
		price.Store(priceEach)
		f.price = priced(price)
		f.create = func(int, client.CreateOptions) api.Outcome {
			out := queued("r1")
			out.Phase, out.Answer.Results = api.PhaseFetching, append(made().Results, api.Result{URL: "https://cdn.test/2.png", Data: []byte{2}})
			return out
		}
		s := openSession(t, fakeOptions(t, t.TempDir(), f))
		studio, q := s.Agent("studio"), s.Queue()
		id := must(studio.Ask(t.Context(), "a", []api.Request{picture(1)}, 20*api.Credit))(t)[0].ID
		noError(t, q.Resume(t.Context(), must(q.Offer(t.Context(), id, true))(t)))
		own := submitted(t, s, "a person's").ID
		time.Sleep(time.Minute)
		for name, want := range map[string]string{id + "/1": "1.png", id + "/2": "2.png", id + "/3": "", id: "", id + "/": "", own + "/1": "", "nobody/1": ""} {
			_, got, _ := strings.Cut(studio.address(t.Context(), name), "cdn.test/")
			expect.Equal(t, got, want, name)
			expect.Equal(t, s.Agent("other").address(t.Context(), name), "", "another entry finds", name)
		}
		late := picture(2)
		late.ImageURL = "https://cdn.test/x.png?X-Amz-Expires=3600&X-Amz-Date=" + time.Now().UTC().Format("20060102T150405Z")
		id = must(studio.Ask(t.Context(), "b", []api.Request{late}, 20*api.Credit))(t)[0].ID
		expect.That(t, !must(q.Offer(t.Context(), id, true))(t).Dead, "dead at once")
		time.Sleep(2 * time.Hour)
		expect.That(t, must(q.Offer(t.Context(), id, true))(t).Dead, "a link is not known to have expired")
	})
}

// TestAPersonSendsOrDeclines: what is sent is the agent's job, a declined body is
// not asked for again for ten minutes, and an edited request keeps its id.
func TestAPersonSendsOrDeclines(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, price, _ := agentWindow(t, "")
		studio, q := s.Agent("studio"), s.Queue()
		ask := func(intent string, limit int, list ...int) (asked []Asked) {
			return must(studio.Ask(t.Context(), intent, api.Map(list, picture), api.Credits(limit)*api.Credit))(t)
		}
		three := ask("three", 35, 1, 2, 3)
		price.Store(12)
		offer := must(q.Offer(t.Context(), three[0].ID, true))(t)
		expect.Equal(t, offer.Price.Credits, 30*api.Credit, "offered at") // a price is as old as a minute at most
		time.Sleep(2 * time.Minute)
		offer = must(q.Offer(t.Context(), three[0].ID, true))(t)
		expect.All(t, "max_credits 0", code(q.Resume(t.Context(), offer)), f.sent())
		noError(t, q.Resume(t.Context(), must(q.Offer(t.Context(), three[0].ID, false))(t)))
		noError(t, q.Resume(t.Context(), must(q.Offer(t.Context(), three[1].ID, false))(t)))
		expect.Equal(t, code(q.Resume(t.Context(), must(q.Offer(t.Context(), three[2].ID, false))(t))), "max_credits", "the third of three")
		time.Sleep(10 * time.Second)
		one := must(studio.Find(t.Context(), three[0].ID))(t)
		expect.All(t, "1 2 queued studio", promptsSent(f), one.Phase, one.Entry)
		noError(t, q.Decline(t.Context(), "too blue\x1b[2J", three[2].ID))
		one = must(studio.Find(t.Context(), three[2].ID))(t)
		expect.All(t, "true declined too blue�[2J", one.Ended, one.Code, one.Error)
		expect.Equal(t, code(expect.Err(studio.Ask(t.Context(), "again", []api.Request{picture(3)}, 20*api.Credit))), "declined", "again at once")
		time.Sleep(11 * time.Minute)
		four := ask("again", 20, 3)[0]
		agreed := Agreed{ConfirmID: NewConfirmID(), Request: picture(4), Estimate: api.Estimate{Source: api.SourceNone}}
		c := Confirmed{Agreed: agreed, Asked: four.ID}
		expect.Equal(t, code(expect.Err(s.Submit(t.Context(), c))), "price", "without a price")
		c.Estimate = api.Estimate{Credits: 12 * api.Credit, Source: api.SourceService, At: time.Now()}
		sent := must(s.Submit(t.Context(), c))(t)
		expect.That(t, sent.ID == four.ID && must(s.Submit(t.Context(), c))(t).ID == four.ID && sent.Entry == "studio", "edited", sent.Row)
		c.ConfirmID = NewConfirmID()
		c.Again = true
		expect.Equal(t, code(expect.Err(s.Submit(t.Context(), c))), "stale", "edited twice")
		time.Sleep(10 * time.Second)
		expect.Equal(t, promptsSent(f), "1 2 4", "sent")
		// Whatever lists a job knows the outcome that the store does not take.
		db, usual, last := must(sql.Open("sqlite", s.db().Health().Path+"?_pragma=busy_timeout(9999)"))(t), f.create, ask("unsaved", 20, 5)[0].ID
		defer db.Close()
		f.create = func(n int, o client.CreateOptions) api.Outcome {
			must(db.Exec(`CREATE TRIGGER refuses BEFORE UPDATE ON jobs BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
			return usual(n, o)
		}
		noError(t, q.Resume(t.Context(), must(q.Offer(t.Context(), last, true))(t)))
		time.Sleep(10 * time.Second)
		rows := append(must(s.Jobs(t.Context(), Query{Limit: 1}))(t).Rows, must(studio.Find(t.Context(), last))(t).Row)
		noError(t, s.EachJob(t.Context(), Query{Limit: 1}, func(j Job) error { rows = append(rows, j.Row); return nil }))
		for _, r := range append(rows, must(s.Job(t.Context(), last))(t).Row) {
			expect.That(t, r.ID == last && r.RemoteID == "r4" && r.Phase == api.PhaseQueued, "unsaved, and shown as", r)
		}
		must(db.Exec(`DROP TRIGGER refuses`))(t)
	})
}

// TestGrants: what the settings let an entry spend is sent, nothing beyond, whoever
// asks at the same time, and also when less is granted meanwhile.
func TestGrants(t *testing.T) {
	t.Parallel()
	const grant = "[agents.studio]\nper_job = 10\nper_day = 30\nmodels = [\"acme/paint\"]\n"
	for name, c := range map[string]struct {
		settings, later string
		price           int
		entry           string
		sent            int
		code            string
		wait            bool // until the file is in force
	}{
		"within":                    {settings: grant, sent: 3, code: "over_day"},
		"no table":                  {settings: "", code: "not_granted"},
		"another entry":             {settings: grant, entry: "other", code: "not_granted"},
		"another model":             {settings: strings.Replace(grant, "acme/paint", "acme/brush", 1), code: "not_granted"},
		"dear":                      {settings: grant, price: 11, code: "over_per_job"},
		"a budget":                  {settings: "budget = 20\n" + strings.Replace(grant, "30", "90", 1), sent: 2, code: "budget"},
		"half of it cannot be read": {settings: strings.Replace(grant, "= 30", `= "x"`, 1), code: "not_granted"},
		"taken back":                {settings: grant, later: " ", sent: 1, code: "not_granted"},
		"lowered":                   {settings: grant, later: strings.Replace(grant, "30", "20", 1), sent: 2, code: "over_day", wait: true},
		"raised":                    {settings: grant, later: strings.Replace(grant, "30", "40", 1), sent: 4, code: "over_day", wait: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				dir := t.TempDir()
				s, f, price, write := agentWindow(t, c.settings, dir)
				two, g, also, _ := agentWindow(t, c.settings, dir)
				if c.price > 0 {
					price.Store(int64(c.price))
					also.Store(int64(c.price))
				}
				sessions, codes, entry := []*Session{s, two}, map[string]int{}, cmp.Or(c.entry, "studio")
				var ids []string
				for n := 1; n <= 5; n++ {
					if n == 2 && c.later != "" {
						time.Sleep(3 * time.Second)
						write(c.later)
						if c.wait {
							time.Sleep(3 * time.Second)
						}
					}
					one := must(sessions[n%2].Agent(entry).Ask(t.Context(), fmt.Sprint(n), []api.Request{picture(n)}, 50*api.Credit))(t)[0]
					ids = append(ids, one.ID)
				}
				time.Sleep(time.Minute)
				for _, id := range ids {
					codes[must(s.Agent(entry).Find(t.Context(), id))(t).Code]++
				}
				sent := f.sent() + g.sent()
				expect.That(t, sent == c.sent && codes[c.code] == 5-c.sent, sent, "were sent, the others waited for", codes)
			})
		})
	}
}

// TestAGrantIsLookedAtAgain when a request that it covered is sent in its turn.
func TestAGrantIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(price *atomic.Int64, write func(string)){
		"price_rose":   func(price *atomic.Int64, _ func(string)) { price.Store(15) },
		"over_per_job": func(_ *atomic.Int64, write func(string)) { write("[agents.studio]\nper_job = 5\nper_day = 300\n") },
		"not_granted":  func(_ *atomic.Int64, write func(string)) { write("") },
	} {
		t.Run(want, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, f, price, write := agentWindow(t, "[agents.studio]\nper_job = 20\nper_day = 300\n")
				f.create = func(n int, _ client.CreateOptions) api.Outcome {
					time.Sleep(time.Minute)
					return queued(fmt.Sprint("r", n))
				}
				two := must(s.Agent("studio").Ask(t.Context(), "two", []api.Request{picture(1), picture(2)}, 50*api.Credit))(t)
				time.Sleep(time.Second)
				change(price, write)
				time.Sleep(time.Hour)
				expect.All(t, "1 "+want, f.sent(), must(s.Agent("studio").Find(t.Context(), two[1].ID))(t).Code)
			})
		})
	}
}

// TestAGrantIsLookedAtBeforeEachTry of what waits after a 429.
func TestAGrantIsLookedAtBeforeEachTry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, _, write := agentWindow(t, "[agents.studio]\nper_job = 20\nper_day = 300\n")
		busy := refused(api.PhaseRejected, api.ClassRate, 429, time.Minute)
		f.create = func(int, client.CreateOptions) api.Outcome { return busy }
		one := must(s.Agent("studio").Ask(t.Context(), "one", []api.Request{picture(1)}, 50*api.Credit))(t)
		time.Sleep(time.Second)
		write("")
		time.Sleep(time.Hour)
		expect.All(t, "1 not_sent", f.sent(), must(s.Agent("studio").Find(t.Context(), one[0].ID))(t).Phase)
	})
}

// TestAStoreWithTwoNamesSendsNothing until one is gone: by each, a window has a log of its own.
func TestAStoreWithTwoNamesSendsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, _, _ := agentWindow(t, "[agents.studio]\nper_job = 20\nper_day = 300\n")
		ids := must(s.Queue().Agree(t.Context(), together(3)))(t)
		time.Sleep(500 * time.Millisecond) // the first is being sent
		path, calls := s.db().Health().Path, func() string {
			_, one := s.Submit(t.Context(), confirm("x"))
			_, agent := s.Agent("studio").Ask(t.Context(), "i", []api.Request{picture(9)}, 50*api.Credit)
			offer := must(s.Queue().Offer(t.Context(), ids[2], true))(t)
			return fmt.Sprint(code(one), " ", code(agent), " ", code(s.Queue().Resume(t.Context(), offer)))
		}
		noError(t, os.Link(path, path+".kept"))
		time.Sleep(time.Minute)
		expect.Equal(t, calls(), "store store store")
		h := s.Health()
		expect.That(t, strings.Contains(h.ReadOnly.String(), path+" has another name") && !h.Choice && !h.Damaged, h)
		first := must(s.Job(t.Context(), ids[0]))(t)
		expect.All(t, "2! 3! 1 queued", heldNow(t, s), f.sent(), first.Phase) // its answer was written
		noError(t, os.Remove(path+".kept"))
		expect.Equal(t, calls(), "<nil> <nil> <nil>")
		time.Sleep(time.Minute)
		expect.All(t, " 5", heldNow(t, s), f.sent())
	})
}

func quick() bool { return false }

func kept() error { return nil }

// TestATurnEndsByItself: a window that holds its turn for longer than it may is
// not waited for, and finds out before it sends.
func TestATurnEndsByItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	window := func(calls float64) *turns { return newTurns(dir, 0.05, calls, kept) }
	none := func(time.Time) {}
	began := time.Now()
	stopped := must(window(0.002).acquire(t.Context(), quick, none))(t)
	var told, holders, most, over atomic.Int64
	var all sync.WaitGroup
	for range 4 { // all see that it is over, and still take turns
		all.Go(func() {
			turn, err := window(1).acquire(limited(t), quick, func(until time.Time) { told.Store(until.UnixNano()) })
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), holders.Add(1)))
			if turn.Over() {
				over.Add(1)
			}
			holders.Add(-1)
			turn.Release()
		})
	}
	all.Wait()
	took := time.Since(began)
	expect.That(t, took >= 200*time.Millisecond && told.Load() != 0, "waited", took)
	expect.All(t, "1 0", most.Load(), over.Load())
	expect.That(t, stopped.Over(), "the stopped window believes that it has its turn")
	stopped.Release()
}

// TestATurnWithoutItsFileIsOver: others can take turns then.
func TestATurnWithoutItsFileIsOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	take := func(ctx context.Context) (submit.Turn, error) {
		return newTurns(dir, 1, 1, kept).acquire(ctx, quick, func(time.Time) {})
	}
	one, err := take(t.Context())
	expect.Must(t, err == nil && !one.Over(), err)
	noError(t, os.Remove(filepath.Join(dir, "create.lock")))
	two, err := take(limited(t))
	expect.All(t, "<nil> true false", err, one.Over(), two.Over())
	one.Release()
	expect.That(t, !two.Over(), "releasing a lost turn ended another")
	two.Release()
	// A request of the same window says that it waits.
	turns, said := newTurns(dir, 1, 1, kept), false
	two = must(turns.acquire(t.Context(), quick, func(time.Time) {}))(t)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = turns.acquire(ended, quick, func(time.Time) { said = true })
	expect.All(t, "true context canceled", said, err)
	two.Release()
	_, err = newTurns(dir, 1, 1, func() error { return ended.Err() }).acquire(t.Context(), quick, func(time.Time) {})
	expect.All(t, "context canceled", err) // the others would take this window for dead
}
