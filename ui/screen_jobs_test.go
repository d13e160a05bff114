package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// inJobs is a flight that is on the Jobs screen and has read its list.
func inJobs(w, h, n int) start {
	return fly(w, h, func(d *fakeSession) { d.fill(n) }).then(func(p *pilot) {
		p.keys("alt+2", "~")
	})
}

func TestJobs(t *testing.T) { flyEach(t, jobsFlights) }

var jobsFlights = []flight{
	{"the selection is a job not a row", inJobs(120, 40, 30), func(p *pilot) {
		p.keys("j", "j", "j")
		p.shows("▸ ✕ failed   ▩ neon koi")
		for i := range 5 {
			p.session.add(madeUpJob(100+i, "newcomer", api.PhaseQueued))
		}
		p.session.changes <- []string{"job000100"}
		p.pass(time.Second)
		p.shows("newcomer", "▸ ✕ failed   ▩ neon koi")
	}},
	// What is pressed before the list was read is done when it is there, in its order.
	{"keys wait for the first rows", fly(120, 40, func(d *fakeSession) { d.fill(30).slow = 300 * time.Millisecond }), func(p *pilot) {
		p.keys("j", "j", "j", "f")
		p.lacks("No job is selected.")
		p.pass(2 * time.Second)
		p.shows("▸ ✕ failed   ▩ neon koi")
		p.lacks("No job is selected.")
		p.keys("alt+1", "alt+2", "j")
		p.shows("▸ ? unknown")
	}},
	{"a phase changes in place and is told to whoever is away", inJobs(120, 40, 3), func(p *pilot) {
		p.send(tea.BlurMsg{})
		p.session.finish("paper boat in a gutter", time.Second, 2)
		p.pass(time.Second)
		p.shows("▸ ● done     ▶ paper boat in a gutter", "               seedance2 · took 1 ") // few jobs have two lines each
		p.session.absence = state.Absence{Done: 1, Credits: 425 * api.Credit}
		p.send(tea.FocusMsg{})
		p.pass(time.Second)
		p.shows("While you were away: 1 done, 0 failed, about 425 cr.")
	}},
	{"sending an unknown job again takes two agreements", inJobs(120, 40, 13), func(p *pilot) {
		later := fakeNow.Add(time.Hour) // nothing was drawn since
		p.app.env.Clock = func() time.Time { return later }
		p.session.estimate = func(api.Request) (api.Estimate, error) {
			return api.Estimate{Credits: 425 * api.Credit, Source: api.SourceService, At: later}, nil
		}
		p.keys("j", "j", "j", "j", "~", "s") // a key in the list settles nothing
		p.lacks("Send again?")
		p.keys("esc", "enter")
		p.shows("Outcome unknown", "s send again")
		p.keys("s")
		p.shows("this may be charged twice")
		p.keys("y")
		p.shows("Charged twice?", "pay for both: 425")
		p.keys("y", "enter")
		p.asked("resend", 0) // the key that agreed first agrees once
		p.keys("s")
		p.asked("resend job000004", 1)
	}},
	{"what was sent again is not offered to be sent again", inJobs(120, 40, 13), func(p *pilot) {
		p.keys("j", "j", "j", "j", "~")
		for i, phase := range []api.Phase{api.PhaseUnknown, api.PhaseRejected} {
			j := madeUpJob(4, "a boat", phase)
			j.Again, j.Version = "another", int64(i+2)
			p.session.replace(j)
			p.pass(time.Second)
			p.lacks("enter send again")
			p.keys("enter")
			p.shows("It was sent again as job another.")
			p.lacks("s send again")
			p.keys("s")
			p.lacks("Send again?")
			p.keys("esc", "~")
		}
	}},
	// Selects another job while a question is open, as a change of another window may.
	{"an answer is about the job that was asked about", inJobs(120, 40, 13), func(p *pilot) {
		for _, question := range []string{"x", "s"} {
			p.keys("esc", "home", "j", "j", "j", "j", "~", "enter", question)
			p.do(p.app.screens[msg.PlaceJobs].Update(msg.PickedJobMsg{ID: "job000011"}))
			p.keys("~", "y", "s")
		}
		p.asked("dismiss job000004", 1)
		p.asked("resend job000004", 1)
		n := len(p.session.noted("dismiss ", "resend "))
		p.expect(n == 2, "%d jobs were settled", n)
	}},
	// A key that is held reads the next job when the one before was read, so that those between the two are passed over.
	{"a held key reads one job at a time", inJobs(120, 40, 2000), func(p *pilot) {
		p.session.slowJob = 50 * time.Millisecond
		before := p.session.calls.Load()
		p.repeat(20, "j")
		p.keys("~", "~", "~", "~")
		p.shows("seedance2 · fast")
		n := p.session.calls.Load() - before
		p.expect(n <= 4, "%d calls for a key that was held", n) // two jobs and what each was made from
		p.keys("end", "~")
		p.shows("2,000 of 2,000")
		p.lacks("  …\n")
	}},
	{"a preview is painted where the list had no room for one", inJobs(80, 24, 13), func(p *pilot) {
		p.app.env.Painter = paintedNote
		p.keys("j", "j", "~") // the detail is read, without a place to show it
		p.send(msg.PickedJobMsg{ID: "job000002"})
		p.pass(time.Second)
		p.send(msg.PreviewedMsg{ID: "job000002"})
		p.pass(time.Second)
		p.shows("harbour at dawn", "picture 74×", "seedance2 · fast")
	}},
	// A job that is done opens over the list only while it is selected: elsewhere the next keys would go to it, and the
	// selection would be another one after it.
	{"a finished job opens where it is selected only", inJobs(120, 40, 13), func(p *pilot) {
		p.send(msg.PickedJobMsg{ID: "job000003"})
		p.pass(time.Second)
		for _, id := range []string{"job000002", "job000003"} {
			p.send(msg.PreviewedMsg{ID: id})
			p.pass(time.Second)
			opened := p.app.top() != nil
			p.expect(opened == (id == "job000003"), "%s is done: something was opened: %v", id, opened)
			row, _ := p.app.screens[msg.PlaceJobs].(interface{ Row() (state.Row, bool) }).Row()
			expect.Equal(p.t, row.ID, "job000003", id, "is done, and selected is")
		}
	}},
	{"filter narrows and esc gives all back", inJobs(120, 40, 40), func(p *pilot) {
		p.keys("/", ":koi", "~")
		p.shows("/ koi", "5 of 40")
		p.lacks("harbour at dawn")
		p.keys("esc", "~")
		p.shows("of 40 ", "harbour at dawn")
	}},
	// A job that ends while another screen is in view is as new in the side pane as in its row when Jobs comes back, from the
	// first frame on that shows either.
	{"the side pane is as new as its row", inJobs(120, 40, 3), func(p *pilot) {
		p.shows("││  ◐ running")
		p.keys("alt+3")
		p.session.slowJob = 90 * time.Millisecond
		p.session.finish("paper boat in a gutter", time.Second, 2)
		p.keys("~", "alt+2")
		for range 10 {
			p.pass(20 * time.Millisecond)
			row, pane := strings.Contains(p.screen(), "▸ ● done     ▶"), !strings.Contains(p.screen(), "││  ◐ running")
			p.expect(row == pane, "the row is done: %v, the side pane: %v", row, pane)
		}
		p.shows("▸ ● done     ▶", "took 1 min 41 s")
	}},
	{"a click chooses a compared result, in columns of any width", fly(120, 40, everyPhase), func(p *pilot) {
		p.keys("alt+2", "j", "j", "c", "j", "j", "j", "c", "~") // a video beside a picture
		for x, want := range map[int]int{2: 0, 73: 0, 76: 1, 117: 1} {
			p.send(tea.MouseClickMsg{X: x, Y: 9, Button: tea.MouseLeft})
			at, _ := p.app.top().(interface{ At() (n, of int) }).At()
			p.expect(at == want, "a click at %d chose %d", x, at)
		}
	}},
	{"compare scrolls and fits a new size", inJobs(80, 24, 13), func(p *pilot) {
		p.keys("m", "j", "m", "j", "m", "j", "m", "c", "~")
		p.shows(" A ", " D ", "│  paper boat ", "12.5 cr")
		p.lacks("↑↓")
		p.send(tea.WindowSizeMsg{Width: 80, Height: 16})
		p.shows("│  paper boat ", "↑↓")
		p.lacks("12.5 cr")
		p.keys("j", "pgdown", "pgdown")
		p.shows("12.5 cr", "↑↓")
		p.lacks("│  paper boat ")
		p.keys("pgup", "pgup", "pgup")
		p.shows("│  paper boat ")
		p.send(tea.WindowSizeMsg{Width: 140, Height: 50})
		p.pass(time.Second)
		p.shows("Settings  ", "2 min 31 s")
		p.lacks("↑↓")
		p.keys("esc")
		p.lacks(" B ")
	}},
	{"a rating takes no prompt out of Compare", fly(80, 24, func(d *fakeSession) {
		for i, prompt := range []string{"old trams in the rain", "a neon koi, on a dish"} {
			j := madeUpJob(2*i+1, prompt, api.PhaseDone)
			j.Request.Prompt = prompt
			d.add(j)
		}
	}), func(p *pilot) {
		p.keys("alt+2", "m", "j", "m", "c", "~", "f")
		p.shows("♥ ☆☆☆☆☆", "old trams in the rain", "a neon koi, on a dish")
	}},
	{"a title in Compare is said once", fly(80, 24, func(d *fakeSession) {
		for i, seed := range []*int64{nil, new(int64(1)), new(int64(2))} {
			j := madeUpJob(2, "a lantern on a pier", api.PhaseDone)
			j.ID, j.Request.Seed = fmt.Sprint("job", i), seed
			d.add(j)
		}
	}), func(p *pilot) {
		p.keys("alt+2", "m", "j", "m", "c", "~")
		p.shows("seed 1", "seed 2", "The same")
		p.lacks("Seed ")
		p.keys("esc", "m", "j", "m", "c", "~") // one of them has no title
		p.shows("seed 2", "default")
		p.send(tea.WindowSizeMsg{Width: 60, Height: 16})
		p.shows("settings") // in which alone they differ: this is wrapped
	}},
	{"jobs without files are compared", inJobs(80, 24, 13), func(p *pilot) {
		p.keys("m", "j", "m", "c", "~")
		p.shows(" A ", " B ", "running", "queued")
		p.expect(strings.Contains(strings.Split(p.screen(), "\n")[5], "on    │"), "the facts are not the first")
	}},
	{"the selected job is polled first", inJobs(120, 40, 5), func(p *pilot) {
		p.keys("j", "j", "~")
		told := simtest.Read(&p.session.mu, func() string { return p.session.preferred })
		p.expect(told != "", "the poller was told nothing")
		p.shows("││  "+p.session.jobs[told].Title, "▸ ● done     ▶ "+p.session.jobs[told].Title) // the only one of its title
	}},
	// In the service's queue, as the newest answer says, and anew when the service was asked again.
	{"a waiting job shows its place", fly(120, 40, func(d *fakeSession) {
		j := madeUpJob(1, "a long queue", api.PhaseQueued)
		j.NextPoll = fakeNow.Add(10 * time.Second)
		d.add(j)
		d.raw = json.RawMessage(`{"status":"IN_QUEUE","queue_position":17}`)
	}), func(p *pilot) {
		p.keys("alt+2", "~")
		p.shows("place 17 in the queue")
		p.session.mu.Lock()
		p.session.raw = json.RawMessage(`{"status":"IN_QUEUE","queue_position":9}`)
		for id, j := range p.session.jobs {
			j.NextPoll = fakeNow.Add(time.Hour)
			p.session.jobs[id] = j
		}
		p.session.mu.Unlock()
		p.send(msg.TickedMsg{At: fakeNow.Add(20 * time.Second)})
		p.pass(time.Second)
		p.shows("place 9 in the queue")
	}},
}

// paintedNote writes where a picture would be.
var paintedNote painter = func(_ string, cols, rows int) (picture.Picture, error) {
	return picture.Picture{Lines: []string{fmt.Sprintf("picture %d×%d", cols, rows)}}, nil
}

// paintedWide is as wide as its box, as pictures of the ratio that was asked for are.
var paintedWide painter = func(path string, cols, rows int) (picture.Picture, error) {
	p, err := paintedNote(path, cols, rows)
	p.Cols = cols
	return p, err
}

// An action right after a move is about the row that is selected then, though
// its job is still to be read.
func TestAnActionRightAfterAMoveIsAboutTheSelectedJob(t *testing.T) {
	t.Parallel()
	for key, check := range map[string]func(*pilot){
		"e": func(p *pilot) { p.isAt(msg.PlaceCreate); p.shows("harbour at dawn, macro lens") },
		"u": func(p *pilot) { p.shows("job000002.png · job job0") },
		"o": func(p *pilot) { p.asked("open job000002 1", 1) },
		"y": func(p *pilot) {
			raw := fmt.Sprint(p.raw)
			p.expect(strings.Contains(raw, "https://cdn.example.com/job000002.png"), "the address is not copied: %s", raw)
		},
	} {
		t.Run(key, func(t *testing.T) {
			inJobs(120, 40, 13)(t, func(p *pilot) {
				p.keys("j", "j", key, "~")
				check(p)
			})
		})
	}
	t.Run("of a refused job", func(t *testing.T) {
		inJobs(120, 40, 13)(t, func(p *pilot) {
			p.session.raw = []byte(`{"error":{"message":"invalid","errors":[{"field":"prompt","message":"too rude"}]}}`)
			p.keys("j", "j", "j", "j", "j", "j", "j", "j", "j", "e", "~")
			p.isAt(msg.PlaceCreate)
			p.shows("lighthouse, gouache, on rough paper", "too rude")
		})
	})
}

// TestManyRunningJobsMoveEveryFifthSecond: the pane beside the rows too. A few
// move every second.
func TestManyRunningJobsMoveEveryFifthSecond(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ jobs, least, most int }{{2, 18, 20}, {20, 3, 5}} {
		running := func(d *fakeSession) {
			for i := range c.jobs {
				d.add(madeUpJob(i, "a pier by night", api.PhaseRunning))
			}
		}
		fly(120, 40, running)(t, func(p *pilot) {
			p.keys("alt+2")
			p.pass(2 * time.Second)
			changes, before := 0, p.screen()
			for i := range 20 {
				p.send(msg.TickedMsg{At: fakeNow.Add(time.Duration(i+1) * time.Second)})
				if now := p.screen(); now != before {
					changes, before = changes+1, now
				}
			}
			p.expect(changes >= c.least && changes <= c.most, "%d running jobs: %d frames in 20 s", c.jobs, changes)
		})
	}
}

// Rows, which may be of a filter that stands there already, the newest results, the requests of history, saved plans, spending.
func TestWhatCannotBeReadIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		before, open []string // keys; the second ones read, without any a change does
		missing      string   // what is not shown, or shown instead
		shown        string
	}{
		"rows":     {[]string{"alt+2"}, []string{"/", ":koi"}, "lighthouse, gouache", "3 of 20"},
		"results":  {[]string{"alt+1"}, nil, "20 jobs  alt+r", "21 jobs  alt+r"},
		"requests": {[]string{"alt+1"}, []string{"ctrl+r"}, "The disk refused the store.", "lighthouse, gouache"},
		"plans":    {nil, []string{"alt+3", "o"}, "No plan is saved.", "storyboard"},
		"spending": {[]string{"alt+3"}, []string{"$"}, "The disk refused the store.", "Nothing was spent"},
	} {
		t.Run(name, func(t *testing.T) {
			fly(120, 40, func(d *fakeSession) {
				d.fill(20)
				d.pricing.plans = []pricing.Plan{{Name: "storyboard", Items: []pricing.Item{{Request: api.Request{Kind: api.KindImage, Model: "a/b"}, Count: 4}}}}
			})(t, func(p *pilot) {
				p.pass(time.Second)
				p.keys(of.before...)
				p.pass(time.Second)
				p.session.failRead()
				if p.keys(of.open...); of.open == nil {
					p.session.add(madeUpJob(20, "one more", api.PhaseDone))
					p.send(msg.ChangedMsg{Page: state.Page{All: 21, Change: 1}})
				}
				p.pass(500 * time.Millisecond)
				before := p.screen()
				p.expect(!strings.Contains(before, of.shown) && strings.Contains(before, of.missing), "it was read:\n%s", before)
				p.pass(time.Second)
				if name == "plans" {
					p.keys("o")
				}
				p.shows(of.shown)
			})
		})
	}
}
