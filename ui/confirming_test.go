package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
)

// burst presses keys that follow each other as a terminal sends them when they
// were pasted: without a pause.
func (p *pilot) burst(names ...string) {
	p.t.Helper()
	for _, n := range names {
		p.send(keyOf(n))
	}
}

func (p *pilot) sends(want int) {
	p.t.Helper()
	if n := len(p.session.confirmed); n != want {
		p.t.Fatalf("%d requests were sent, want %d:\n%s", n, want, p.screen())
	}
}

func TestWhatFollowsAPasteConfirmsNothing(t *testing.T) {
	t.Parallel()
	for lang, again := range map[string]string{"en": "Press enter again.", "zh": "请再按一次 enter。"} {
		flyCreate(t, lang, 120, 40, nil, func(p *pilot) {
			p.paste("a paper boat")
			p.pass(time.Second) // its price is known
			p.paste("drifts")
			p.send(tea.PasteEndMsg{})
			p.burst("ctrl+s", "enter", "enter", "enter")
			p.sends(0)
			p.shows(again)
			p.pace.Add(int64(299 * time.Millisecond))
			p.burst("enter")
			p.sends(0)
			p.pace.Add(int64(300 * time.Millisecond))
			p.burst("enter")
			p.sends(1)
		})
	}
}

func TestKeysWithoutAPauseNeverConfirm(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("a boat")
		p.pass(time.Second)
		p.burst("ctrl+s")
		for range 100 {
			p.pace.Add(int64(50 * time.Millisecond))
			p.burst("enter")
		}
		p.sends(0)
		p.pace.Add(int64(300 * time.Millisecond))
		p.burst("enter")
		p.sends(1)
	})
}

func TestKeysOfAFieldAreNeverDropped(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.paste("a boat")
		p.burst(" ", "o", "n", "enter", "i", "c", "e")
		if got := p.kept("video").Prompt; got != "a boat on\nice" {
			t.Errorf("the prompt is %q", got)
		}
	})
	inJobs(t, 120, 40, 13, func(p *pilot) {
		p.keys("j", "j", "j", "j", "enter", "a") // unknown: its id is asked for
		p.shows("Enter job id")
		p.burst("4", "2", "enter")
		p.shows("Press enter again.", "42")
		p.pace.Add(int64(confirmAfter))
		p.burst("enter")
		if p.session.asked("attach job000004 42") != 1 {
			t.Errorf("the id was not taken:\n%s", p.screen())
		}
	})
}

func TestASecondQuestionIsNotAnsweredByTheKeysOfTheFirst(t *testing.T) {
	t.Parallel()
	refuse := true
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error {
			if refuse {
				refuse = false
				return &state.Refusal{Code: "again", Reason: api.ReasonText.Reason("The same request is running.")}
			}
			return nil
		}
	}, func(p *pilot) {
		p.typed("a boat")
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.sends(1)
		p.shows("An identical request is running.")
		p.burst("enter", "enter")
		p.sends(1)
		p.shows("Press enter again.")
		p.keys("enter")
		p.sends(2)
	})
}

func TestAPriceThatHasJustComeIsNotAgreedTo(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		d.estimate = func(r api.Request) (api.Estimate, error) {
			time.Sleep(time.Second)
			return api.Estimate{Credits: 999 * api.Credit, Source: api.SourceService, At: fakeNow}, nil
		}
	}, func(p *pilot) {
		p.typed("a boat")
		p.keys("ctrl+s")
		p.pass(2 * time.Second)
		p.burst("enter")
		p.sends(0)
		p.shows("999 credits", "Press enter again.")
		p.keys("enter")
		p.sends(1)
	})
}

func TestClicksConfirmNothingBeforeTheQuestionCouldBeRead(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("a boat")
		p.pass(time.Second)
		p.keys("ctrl+s")
		p.paste("y")
		p.clickOn("enter send")
		p.sends(0)
		p.pace.Add(int64(confirmAfter))
		p.clickOn("enter send")
		p.sends(1)
	})
}

func TestQuestionsOfEveryKindConfirm(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 13, func(p *pilot) {
		p.keys("j", "j", "j", "j", "enter")
		p.burst("s", "y", "y")
		p.shows("Send again?", "Press y again.")
		p.pace.Add(int64(confirmAfter))
		p.burst("y", "s", "s")
		p.shows("Charged twice?", "Press s again.")
		p.keys("esc", "enter")
		p.burst("x", "y")
		p.shows("Not charged?")
		if n := p.session.asked("resend job000004") + p.session.asked("dismiss job000004"); n != 0 {
			t.Errorf("%d calls were made", n)
		}
	})
}

func TestWritingOnAfterSendingActsOnNothing(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { d.fill(13).settings.AfterSend = "jobs" }, func(p *pilot) {
		p.typed("a boat")
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.sends(1)
		if p.app.at != msg.PlaceJobs {
			t.Fatal("sending does not lead to the jobs")
		}
		before := p.screen()
		for _, r := range "the next one is much longer than a second: q, e, s, y, and u" {
			p.pace.Add(int64(120 * time.Millisecond))
			p.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		if got := p.screen(); got != before || p.quit {
			t.Fatalf("writing on changed the screen:\n%s", got)
		}
		p.pace.Add(int64(actAfter))
		p.burst("/")
		p.shows("─ / ")
		p.burst("esc", "j", "e")
		p.pass(time.Second)
		if p.app.at != msg.PlaceCreate {
			t.Errorf("e does nothing later:\n%s", p.screen())
		}
	})
}

func TestKeysAfterAPreviewActOnNothing(t *testing.T) {
	t.Parallel()
	flyIn(t, "en", 120, 40, func(d *fakeSession) {
		d.fill(13)
		d.settings.OnDone = "preview"
	}, func(p *pilot) {
		j := madeUpJob(0, "a boat", api.PhaseDone)
		j.EndedAt, j.Version = fakeNow.Add(time.Second), 2
		p.session.replace(j)
		p.pass(50 * time.Millisecond)
		if p.session.asked("mark job000000") != 1 {
			t.Fatal("nothing was previewed")
		}
		p.burst("e", "u", "q")
		if p.quit || p.app.at != msg.PlaceJobs {
			t.Errorf("a key acted on a picture that came by itself:\n%s", p.screen())
		}
		p.keys("e")
		if p.app.at != msg.PlaceCreate {
			t.Errorf("e does nothing later:\n%s", p.screen())
		}
	})
}

// A review that was asked for twice before it came would ask for a second
// agreement behind the first.
func TestOneReviewAtATime(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("boat")
		p.keys("ctrl+s")
		p.shows("Review and send")
		p.send(msg.OpenedMsg{Overlay: p.app.top()})
		if n := len(p.app.overlays); n != 1 {
			t.Errorf("%d reviews are open", n)
		}
	})
}
