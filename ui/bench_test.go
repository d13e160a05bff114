package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
)

// settled is an App of the given size that shows place and has every answer
// the screen asks for: rows, a job, models, one figure for each price.
func settled(b *testing.B, at place, w, h int) *App {
	b.Helper()
	d := newFakeDoor().fill(10_000)
	a := New(b.Context(), Options{Session: d, Clock: func() time.Time { return fakeNow }})
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	a.show(at)
	listing := d.Models(b.Context())
	switch s := a.screens[at].(type) {
	case *create:
		a.Update(modelsReadMsg{listing})
		if s.at != onVideo {
			s.turn()
		}
		a.Update(tea.PasteMsg{Content: strings.Repeat("A paper boat 纸船 drifts down a gutter. ", 140)[:5000]})
	case *jobs:
		page, _ := d.Jobs(b.Context(), queryAll)
		a.Update(listedMsg{seq: s.list.seq, page: page})
		job, _ := d.Job(b.Context(), s.selected())
		a.Update(detailedMsg{id: job.ID, job: job})
	case *prices:
		a.Update(modelsMsg{listing: listing})
		for i := range s.grid.cells {
			r := s.grid.cells[i].request
			e, _ := d.Estimate(b.Context(), r)
			a.Update(pricedMsg{seq: s.gridSeq, key: figureKey(r), figure: figure{estimate: e}})
		}
	}
	a.View()
	return a
}

// BenchmarkView is one View of each screen at 200×60: "kept" joins what is
// cached, as after most messages; "anew" draws every part again, as after a
// change of size or colours. Goal: the two together stay below a millisecond,
// so that a held key or a burst of changes never queues up.
func BenchmarkView(b *testing.B) {
	for name, at := range map[string]place{"key": placeKey, "create": placeCreate, "jobs": placeJobs, "prices": placePrices} {
		a := settled(b, at, 200, 60)
		b.Run(name+"/kept", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.View()
			}
		})
		b.Run(name+"/anew", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.drawn = drawn{}
				a.screens[at].restyle()
				a.View()
			}
		})
	}
}

// BenchmarkFirstFrame is from nothing to the first frame, without the process
// and the store around it: ui/cli/blackbox measures those too.
func BenchmarkFirstFrame(b *testing.B) {
	d := newFakeDoor().fill(10_000)
	b.ReportAllocs()
	for b.Loop() {
		a := New(b.Context(), Options{Session: d, Clock: func() time.Time { return fakeNow }})
		a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		if a.View().Content == "" {
			b.Fatal("nothing is drawn")
		}
	}
}

// BenchmarkChange is what 64 jobs that change at once cost the Jobs screen:
// the message, the rows read anew, and the frame.
func BenchmarkChange(b *testing.B) {
	a := settled(b, placeJobs, 200, 60)
	s := a.screens[placeJobs].(*jobs)
	page, _ := a.backend.Jobs(b.Context(), state.Query{Limit: windowRows})
	version := int64(1)
	b.ReportAllocs()
	for b.Loop() {
		version++
		for i := range 64 {
			page.Rows[i].Version = version
		}
		a.Update(changedMsg{standing: a.kit.standing, all: page.All, at: fakeNow})
		a.Update(listedMsg{seq: s.list.seq, page: page})
		a.View()
	}
}
