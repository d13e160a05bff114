package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/table"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

// settled is an App of the given size that shows place and has every answer
// the screen asks for: rows, a job, models, one figure for each price.
func settled(b *testing.B, at msg.Place, w, h int) *App {
	b.Helper()
	a := still(b.Context(), newFakeSession().fill(10_000))
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	drain(a, a.show(at))
	if at == msg.PlaceCreate {
		a.Update(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl}) // to the video
		a.Update(tea.PasteMsg{Content: strings.Repeat("A paper boat 纸船 drifts down a gutter. ", 140)[:5000]})
	}
	a.view()
	return a
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

// scrolled is Jobs with so many finished results at 200×60, the list or the
// gallery with all its thumbnails drawn.
func scrolled(b *testing.B, jobs int, gallery bool) *App {
	b.Helper()
	d := newFakeSession().fillDone(jobs)
	d.painter = blockPainter{coloured: true}
	a := still(b.Context(), d)
	a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	drain(a, a.show(msg.PlaceJobs))
	if gallery {
		_, cmd := a.Update(keyOf("g"))
		drain(a, cmd)
	}
	return a
}

// BenchmarkScroll is Update and View together for a held key, through a gallery
// of 200 results and through a list of 100,000 jobs: the 99th percentile is the
// figure to hold, 8 ms.
func BenchmarkScroll(b *testing.B) {
	for _, place := range []struct {
		name string
		jobs int
		keys []string
	}{
		{"gallery", 200, []string{"down", "down", "down", "right", "up", "pgdown", "left", "home"}},
		{"list", 100_000, []string{"down"}},
	} {
		b.Run(place.name, func(b *testing.B) {
			a := scrolled(b, place.jobs, place.name == "gallery")
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				key := keyOf(place.keys[i%len(place.keys)])
				b.StartTimer()
				begin := time.Now()
				_, cmd := a.Update(key)
				a.view()
				took = append(took, time.Since(begin))
				b.StopTimer()
				drain(a, cmd) // what it asks for comes before the next key
				b.StartTimer()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkToolkit is one key in the parts of bubbles that darkroom has its own
// of: a list of jobs (compare BenchmarkKeyInJobs, which is the whole App) and
// the prompt's editor (compare BenchmarkCreateKey, likewise).
func BenchmarkToolkit(b *testing.B) {
	for _, n := range []int{300, 10_000} {
		b.Run(fmt.Sprintf("table-%d", n), func(b *testing.B) {
			rows := make([]table.Row, n)
			for i := range rows {
				rows[i] = table.Row{"● done", "video", fmt.Sprintf("paper boat %d", i), "425"}
			}
			m := table.New(table.WithFocused(true), table.WithHeight(36), table.WithWidth(60), table.WithRows(rows), table.WithColumns([]table.Column{
				{Title: "Phase", Width: 10}, {Title: "Kind", Width: 6}, {Title: "Title", Width: 30}, {Title: "Credits", Width: 8},
			}))
			keys := []tea.KeyPressMsg{keyOf("down"), keyOf("up")}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m, _ = m.Update(keys[i%2])
				_ = m.View()
			}
		})
	}
	for name, text := range map[string]string{
		"ascii-200": strings.Repeat("A paper boat drifts down a gutter. ", 6)[:200], "cjk-5000": strings.Repeat("纸船顺着雨水沟漂流而下", 460)[:15000],
	} {
		b.Run("textarea-"+name, func(b *testing.B) {
			m := textarea.New()
			m.CharLimit, m.MaxHeight = 0, 0
			m.SetWidth(70)
			m.SetHeight(8)
			m.SetValue(text)
			m.Focus()
			x, back := keyOf("x"), keyOf("backspace")
			keys := []tea.KeyPressMsg{x, back}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m, _ = m.Update(keys[i%2])
				_ = m.View()
			}
		})
	}
}
