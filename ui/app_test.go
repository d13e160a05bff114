package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

func TestEveryLineHasTheTerminalsWidth(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {99, 29}, {100, 30}, {120, 40}, {200, 60}} {
			flyIn(t, lang, size[0], size[1], func(d *fakeSession) { d.fill(60) }, func(p *pilot) {
				for _, key := range []string{"alt+1", "alt+2", "enter", "esc", "?", "esc", "ctrl+k", "esc", "alt+3", "tab", "esc"} {
					p.keys(key)
					p.pass(time.Second)
					lines := strings.Split(p.app.View().Content, "\n")
					if len(lines) != size[1] {
						t.Fatalf("%s %v after %s: %d lines", lang, size, key, len(lines))
					}
					for i, l := range lines {
						if w := ansi.StringWidth(l); w > size[0] {
							t.Fatalf("%s %v after %s: line %d takes %d cells: %q", lang, size, key, i, w, ansi.Strip(l))
						}
					}
				}
			})
		}
	}
}

func TestTinyTerminalsGetOneSentence(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{59, 40}, {120, 15}, {10, 3}, {1, 1}} {
		fly(t, size[0], size[1], nil, func(p *pilot) {
			lines := strings.Split(p.app.View().Content, "\n")
			if len(lines) > size[1] || lines[0] == "" {
				t.Errorf("%v: %q", size, lines)
			}
		})
	}
}

func TestPrintableKeysBelongToTheField(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeSession) { d.fill(5) }, func(p *pilot) {
		p.keys("alt+2", "/")
		p.typed("q3?")
		if p.quit || p.app.at != msg.PlaceJobs || len(p.app.overlays) > 0 {
			t.Fatal("a typed key did something else")
		}
		p.shows("/ q3?")
		p.keys("alt+3")
		if p.app.at != msg.PlacePrices {
			t.Error("alt+3 did not work while typing")
		}
	})
}

func TestWaysToQuit(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"ctrl+q": {"alt+1", "ctrl+q"}, "q": {"alt+2", "q"}, "ctrl+c": {"ctrl+c", "ctrl+c"}} {
		fly(t, 120, 40, nil, func(p *pilot) {
			p.keys(keys...)
			if !p.quit {
				t.Errorf("%s does not quit", name)
			}
		})
	}
	fly(t, 120, 40, nil, func(p *pilot) {
		p.keys("ctrl+c")
		p.shows("Press ctrl+c again to quit.")
		p.keys("left", "ctrl+c")
		if p.quit {
			t.Error("one ctrl+c, another key, and one more ctrl+c quit")
		}
	})
}

func TestAPanicInACommandBecomesANotice(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, nil, func(p *pilot) {
		p.app.opts.StateDir = t.TempDir()
		p.do(p.app.guard(func() tea.Msg { panic("secret ak_1234") }))
		p.shows("Something inside darkroom broke.")
		p.lacks("ak_1234")
	})
}

func TestErrorsReachTheNoticeBeforeAnyRouting(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, nil, func(p *pilot) {
		p.send(msg.FailedMsg{Err: fmt.Errorf("the disk is full\x1b[31m: make room")})
		p.shows("The disk is full", "make room.")
		p.lacks("\x1b[31m")
	})
}

func TestPhasesAreToldWithoutColour(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeSession) { d.fill(13) }, func(p *pilot) {
		p.send(tea.ColorProfileMsg{Profile: colorprofile.Ascii})
		p.keys("alt+2", "j")
		p.shows("running", "○ queued", "▸ ○ queued", "● done", "✕ failed", "? unknown", "⇣ fetching")
		if strings.Contains(p.app.View().Content, "[38;") {
			t.Error("colours in a terminal without any")
		}
	})
}

func TestARefusedKeyIsAskedFor(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeSession) { d.fill(2); d.settings.BaseURL = "https://api.example.com" }, func(p *pilot) {
		st := p.app.env.Health
		st.KeyRefused = true
		p.send(msg.ChangedMsg{Health: st, All: 2, At: fakeNow})
		p.shows("The service refused the key ak_…9f3c.")
		p.send(tea.PasteMsg{Content: " ak_abcdefghij \n"})
		p.lacks("ak_abcdefghij")
		p.keys("enter")
		log := strings.Join(p.session.log, "\n")
		if !strings.Contains(log, "check https://api.example.com") || !strings.Contains(log, "use https://api.example.com") {
			t.Errorf("the key was not checked and taken: %s", log)
		}
		if p.app.at != msg.PlaceCreate {
			t.Error("it stayed on the key screen")
		}
	})
}

func TestAWaitingKeyringIsTold(t *testing.T) {
	t.Parallel()
	setUp := func(d *fakeSession) {
		d.settings.BaseURL = "https://api.example.com"
		d.health.KeyHint, d.health.KeyPending = "", true
	}
	answered := func(p *pilot) {
		st := p.app.env.Health
		st.KeyHint, st.KeyPending, st.KeyError = "ak_…9f3c", false, api.Reason{}
		p.send(msg.ChangedMsg{Health: st, At: fakeNow})
	}
	for name, typed := range map[string]string{"nothing typed": "", "half a key": "ak_abc"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fly(t, 120, 40, setUp, func(p *pilot) {
				p.lacks("Your keyring has not answered yet.") // it had no time yet
				st := p.app.env.Health
				st.KeyError = api.ReasonText.Reason("the keyring has not answered")
				p.send(msg.ChangedMsg{Health: st, At: fakeNow})
				p.shows("Your keyring has not answered yet.")
				p.shows("for this session only") // it could not be kept without waiting
				p.send(tea.PasteMsg{Content: typed})
				answered(p)
				if left := p.app.at == msg.PlaceCreate; left != (typed == "") {
					t.Errorf("after the keyring's answer it is at screen %d", p.app.at)
				}
			})
		})
	}
}

// The same keys cost the same, however long the list is.
func TestAKeyInJobsCostsNoMoreWithMoreJobs(t *testing.T) {
	allocs := func(n int) (got float64) {
		fly(t, 200, 60, func(d *fakeSession) { d.fill(n) }, func(p *pilot) {
			p.keys("alt+2")
			p.pass(time.Second)
			down, up := keyOf("down"), keyOf("up")
			got = testing.AllocsPerRun(50, func() {
				p.app.Update(down)
				p.app.View()
				p.app.Update(up)
				p.app.View()
			})
		})
		return got
	}
	few, many := allocs(100), allocs(10_000)
	if many > 1.1*few {
		t.Errorf("two keys: %.0f allocations with 100 jobs, %.0f with 10,000", few, many)
	}
}

func BenchmarkKeyInJobs(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := newFakeSession().fill(n)
			a := New(b.Context(), Options{Session: d, Pricing: d, Clock: func() time.Time { return fakeNow }})
			a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			answer(a, a.show(msg.PlaceJobs))
			b.ReportAllocs()
			keys := []tea.KeyPressMsg{keyOf("down"), keyOf("up")}
			for i := 0; b.Loop(); i++ {
				a.Update(keys[i%2])
				a.view()
			}
		})
	}
}

func TestAmountsHaveTheirThousandsApart(t *testing.T) {
	t.Parallel()
	for in, want := range map[api.Credits]string{0: "0", 425: "425", 1240: "1,240", 1234567: "1,234,567"} {
		if got := env.Amount(in * api.Credit); got != want {
			t.Errorf("%d: %s", in, got)
		}
	}
	if got := env.Amount(12*api.Credit + api.Credit/2); got != "12.5" {
		t.Error(got)
	}
}
