package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
)

func TestAnUnsavedJobIsAskedAboutTwiceBeforeQuitting(t *testing.T) {
	t.Parallel()
	unsaved := func(d *fakeSession) { d.fill(3); d.health.Unsaved = 1 }
	for name, quit := range map[string][]string{"ctrl+q": {"ctrl+q"}, "q": {"alt+2", "q"}, "ctrl+c": {"ctrl+c", "ctrl+c"}} {
		fly(t, 120, 40, unsaved, func(p *pilot) {
			p.keys(quit...)
			p.shows("Quit now?", "tries again every second")
			p.keys(quit...)
			p.keys("enter", "l")
			if p.quit {
				t.Fatalf("%s: it quit without two agreements", name)
			}
			p.keys("y")
			p.shows("Quit all the same?", "write it down first")
			p.keys("y", "ctrl+q")
			if p.quit {
				t.Fatalf("%s: the key that agreed first agreed twice", name)
			}
			p.keys("l")
			if !p.quit {
				t.Errorf("%s: two agreements do not quit", name)
			}
		})
	}
	fly(t, 120, 40, unsaved, func(p *pilot) {
		p.keys("ctrl+q", "y", "esc")
		p.lacks("Quit")
		p.keys("alt+3")
		if p.quit || p.app.at != msg.PlacePrices {
			t.Error("esc does not lead back to work")
		}
	})
}

func TestTheStoresChoiceIsOfferedAndTaken(t *testing.T) {
	t.Parallel()
	held := func(d *fakeSession) {
		d.health.Choice, d.health.ReadOnly = true, api.Sentence("the store was written by a newer darkroom: use that version, or begin a new store with 'darkroom doctor --new-store' (the file is kept)").Reason()
	}
	fly(t, 80, 24, held, func(p *pilot) {
		p.shows("The store was written by a newer darkroom", "y go on with a new store")
		p.keys("esc", "alt+1")
		p.typed("a boat")
		p.shows("✗ nothing can be sent")
		p.keys("ctrl+s")
		p.lacks("Review and send")
		p.shows("The store was written by a newer darkroom")
		p.keys("ctrl+k")
		p.typed("new store")
		p.keys("enter", "y")
		p.pass(time.Second)
		if p.session.asked("choose") != 1 {
			t.Fatal("the choice did not reach the store")
		}
		p.shows("A new store is in use.", "✓ ready")
		p.lacks("nothing can be sent")
	})
	fly(t, 120, 40, func(d *fakeSession) {
		d.health.ReadOnly = api.ReasonText.Reason("the store cannot be written (no space): make room, then start again")
	}, func(p *pilot) {
		p.shows("The store cannot be written (no space)", "✕ nothing can be sent")
		p.lacks("go on with a new store")
	})
}

func TestMostOfTheBudgetSpentIsWarnedOf(t *testing.T) {
	t.Parallel()
	near := func(d *fakeSession) { d.today = state.Spent{Credits: 800 * api.Credit, Budget: 1000 * api.Credit} }
	flyCreate(t, "en", 120, 40, near, func(p *pilot) {
		p.shows("! today 800 of 1,000 cr")
		p.typed("a boat")
		p.pass(time.Second)
		p.shows("✗ 225 credits over today's budget of")
		p.keys("ctrl+t")
		p.pass(time.Second)
		p.shows("! 800 of today's budget of 1,000 credits")
	})
}

func TestAResultBecomesAReference(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 13, func(p *pilot) {
		p.keys("alt+1", "ctrl+t", "alt+2", "j", "j", "j", "j", "j") // an image that is done
		p.pass(time.Second)
		p.keys("u")
		want := "https://cdn.example.com/job000005.png"
		p.shows("Added as Image.", "job000005.png · job job0")
		if got := p.kept("image"); p.app.at != msg.PlaceCreate || got.Kind != api.KindImage || got.ImageURL != want {
			t.Fatalf("the image draft has %+v", got)
		}
		p.keys("ctrl+t", "alt+2", "u")
		p.shows("Added as 图片1.")
		if got := p.kept("video"); got.Kind != api.KindVideo || len(got.ImageFiles) != 1 || got.ImageFiles[0] != want {
			t.Fatalf("the video draft has %+v", got)
		}
		p.keys("alt+2", "u")
		p.shows("Already added as 图片1.")
	})
	inJobs(t, 120, 40, 13, func(p *pilot) {
		j := madeUpJob(2, "harbour", api.PhaseDone)
		j.Files[0].MediaType, j.Files[0].URL, j.Version = "video/mp4", "https://cdn.example.com/v", 2
		p.session.replace(j)
		p.keys("j", "j")
		p.pass(time.Second)
		p.keys("u")
		if got := p.kept("video"); got.Kind != api.KindVideo || len(got.VideoFiles) != 1 || got.VideoFiles[0] != "https://cdn.example.com/v" {
			t.Errorf("a video became %+v", got)
		}
		p.keys("alt+2", "k")
		p.pass(time.Second)
		p.keys("u")
		p.shows("This job has no address yet.")
	})
}

func TestTwoJobsAreComparedByWhatDiffers(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 0, func(p *pilot) {
		a, b := madeUpJob(0, "a", api.PhaseDone), madeUpJob(2, "b", api.PhaseDone)
		a.Request.Prompt, b.Request.Prompt = "纸船顺着水沟，macro lens", "纸船漂过水沟，macro lens"
		b.Request.VideoModel = "fast_vip"
		p.session.add(a)
		p.session.add(b)
		p.session.changes <- []string{a.ID}
		p.pass(time.Second)
		p.keys("c")
		p.shows("Marked. Press c on another job", "◆● done")
		p.keys("c")
		p.shows("No longer marked.")
		p.lacks("◆")
		p.keys("c", "j", "c")
		p.pass(time.Second)
		p.shows("Compare", "纸船顺着水沟", "纸船漂过水沟", "fast_vip", "The same", "Model seedance2")
		p.lacks("Model  seedance2") // is no difference
		if raw := p.app.View().Content; !strings.Contains(raw, p.app.env.Theme.Accent.Paint("顺着")) || !strings.Contains(raw, p.app.env.Theme.Accent.Paint("漂过")) {
			t.Error("the words that differ are not marked")
		}
		p.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		p.shows("Compare", "fast_vip")
		p.keys("esc")
		p.lacks("Compare", "◆")
	})
}

// What was typed right before quitting is in the draft.
func TestQuittingKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	for _, quit := range [][]string{{"ctrl+q"}, {"ctrl+c", "ctrl+c"}} {
		flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
			p.typed("a boat")
			p.keys(quit...)
			if got := p.session.drafts["video"]; !p.quit || got.Prompt != "a boat" {
				t.Errorf("%v: quit %v with the draft %+v", quit, p.quit, got)
			}
		})
	}
}

// A job that the store could not take is asked about from the moment that it is
// so, also when the store cannot even be read.
func TestQuittingKnowsOfAnUnsavedJobAtOnce(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, nil, func(p *pilot) {
		p.session.health.Unsaved = 1 // and no change was told yet
		p.keys("ctrl+q")
		p.shows("Quit now?")
		if p.quit {
			t.Error("it quit")
		}
	})
	fly(t, 120, 40, nil, func(p *pilot) {
		p.send(msg.ChangedMsg{Err: errors.New("the disk is full"), Health: state.Health{Unsaved: 1}})
		if p.app.env.Health.Unsaved != 1 {
			t.Error("the health is lost with what could not be read")
		}
	})
}
