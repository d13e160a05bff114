package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/msg"
	"darkroom/ui/screen/jobs"
	"darkroom/ui/theme"
)

// settled is an App of the given size that shows place and has every answer
// the screen asks for: rows, a job, models, one figure for each price.
func settled(b *testing.B, at msg.Place, w, h int) *App {
	b.Helper()
	d := newFakeSession().fill(10_000)
	a := New(b.Context(), Options{Session: d, Pricing: d, Clock: func() time.Time { return fakeNow }})
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	if at == msg.PlacePrices || at == msg.PlaceTools {
		drain(a, a.show(at))
		a.view()
		return a
	}
	a.show(at)
	if at == msg.PlaceCreate {
		a.Update(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl}) // to the video
		a.Update(tea.PasteMsg{Content: strings.Repeat("A paper boat 纸船 drifts down a gutter. ", 140)[:5000]})
	}
	switch s := a.screens[at].(type) {
	case *jobs.Screen:
		answer(a, s.Focus())
	}
	a.view()
	return a
}

// answer gives App what a command brings, and what comes of that. It is for
// commands that end.
func answer(a *App, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			answer(a, c)
		}
	default:
		answer(a, a.route(m))
	}
}

// drain runs a command and what comes of it. Commands that wait longer than the
// questions for prices do are left alone.
func drain(a *App, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmd() }()
	select {
	case message := <-answer:
		batch, several := message.(tea.BatchMsg)
		for _, one := range batch {
			drain(a, one)
		}
		if message != nil && !several {
			_, next := a.Update(message)
			drain(a, next)
		}
	case <-time.After(time.Second):
	}
}

// BenchmarkView is one View of each screen at 200×60: "kept" joins what is
// cached, as after most messages; "anew" draws every part again, as after a
// change of size or colours. Goal: the two together stay below a millisecond,
// so that a held key or a burst of changes never queues up.
func BenchmarkView(b *testing.B) {
	for name, at := range map[string]msg.Place{"key": msg.PlaceKey, "create": msg.PlaceCreate, "jobs": msg.PlaceJobs, "prices": msg.PlacePrices} {
		a := settled(b, at, 200, 60)
		b.Run(name+"/kept", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.view()
			}
		})
		themes := []*theme.Theme{theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)}
		b.Run(name+"/anew", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				a.drawn = drawn{}
				a.env.Theme = themes[i%2]
				a.screens[at].Restyle()
				a.view()
			}
		})
	}
}

// BenchmarkFirstFrame is from nothing to the first frame, without the process
// and the store around it: ui/cli/blackbox measures those too.
func BenchmarkFirstFrame(b *testing.B) {
	d := newFakeSession().fill(10_000)
	b.ReportAllocs()
	for b.Loop() {
		a := New(b.Context(), Options{Session: d, Pricing: d, Clock: func() time.Time { return fakeNow }})
		a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		if _, lines := a.view(); len(lines) == 0 {
			b.Fatal("nothing is drawn")
		}
	}
}

// BenchmarkChange is what 64 jobs that change at once cost the Jobs screen:
// the message, the rows read anew from memory, and the frame.
func BenchmarkChange(b *testing.B) {
	a := settled(b, msg.PlaceJobs, 200, 60)
	d := a.backend.(*fakeSession)
	version := int64(1)
	b.ReportAllocs()
	for b.Loop() {
		version++
		for i := range 64 {
			d.rows[i].Version = version
		}
		answer(a, a.route(msg.ChangedMsg{Health: a.env.Health, All: len(d.rows), At: fakeNow}))
		a.view()
	}
}
