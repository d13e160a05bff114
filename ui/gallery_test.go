package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
)

// inGallery is on the contact sheet of n finished results.
func inGallery(t *testing.T, w, h, n int, test func(*pilot)) {
	t.Helper()
	fly(t, w, h, func(d *fakeSession) { d.fillDone(n) }, func(p *pilot) {
		p.app.env.Painter = paintedNote{}
		p.keys("alt+2")
		p.pass(time.Second)
		p.keys("g")
		p.pass(time.Second)
		test(p)
	})
}

// fillDone adds n finished results, the newest first.
func (d *fakeSession) fillDone(n int) *fakeSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range n {
		j := madeUpJob(i, fmt.Sprintf("picture %03d", i), api.PhaseDone)
		d.jobs[j.ID] = j
		d.rows = append(d.rows, rowOf(j))
	}
	return d
}

func (p *pilot) rating(i int) state.Rating {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.session.jobs[fmt.Sprintf("job%06d", i)].Rating
}

func TestCullingIsOneKeyAPicture(t *testing.T) {
	t.Parallel()
	inGallery(t, 120, 40, 100, func(p *pilot) {
		rate := []string{"f", "x", "5", "3", "1", "4", "2"}
		want := []state.Rating{{Pick: 1}, {Pick: -1}, {Stars: 5}, {Stars: 3}, {Stars: 1}, {Stars: 4}, {Stars: 2}}
		for i := range 100 {
			p.keys(rate[i%len(rate)])
			if i%8 == 7 {
				p.pass(100 * time.Millisecond) // the made-up store tells what changed
			}
		}
		p.pass(time.Second)
		for i := range 100 {
			if got := p.rating(i); got != want[i%len(want)] {
				t.Fatalf("picture %d is %+v, want %+v", i, got, want[i%len(want)])
			}
		}
		if n := p.session.asked("rate"); n != 100 {
			t.Errorf("%d ratings were written for 100 keys", n)
		}
		for i := 99; i > 94; i-- {
			p.keys("U")
			p.pass(time.Second)
			if got := p.rating(i); got != (state.Rating{}) {
				t.Fatalf("picture %d is still %+v", i, got)
			}
		}
		if got := p.rating(94); got == (state.Rating{}) {
			t.Error("one rating too many was undone")
		}
		p.shows("Rating undone.")
	})
}

func TestARatingIsShownAtOnceAndTakenBackByItsKey(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 6, func(p *pilot) {
		p.keys("j", "j", "f")
		p.shows("14:02 ★")
		p.keys("f")
		p.pass(time.Second)
		if got := p.rating(2); got != (state.Rating{}) {
			t.Errorf("%+v", got)
		}
		p.keys("3") // a tab, where results are not rated
		if p.app.at != msg.PlacePrices {
			t.Error("the digit rates in the list")
		}
	})
}

// A gallery without results says so while the list has jobs.
func TestGalleryWithoutResults(t *testing.T) {
	t.Parallel()
	running := func(d *fakeSession) {
		j := madeUpJob(0, "a boat", api.PhaseRunning)
		d.jobs[j.ID] = j
		d.rows = append(d.rows, rowOf(j))
	}
	fly(t, 120, 40, running, func(p *pilot) {
		p.keys("alt+2")
		p.pass(time.Second)
		p.shows("running", "a boat")
		p.keys("g")
		p.pass(time.Second)
		p.shows("There are no results yet.")
		p.lacks("Nothing has been sent yet.")
	})
}

func TestGalleryMovesByRowsAndShowsTheSameSelection(t *testing.T) {
	t.Parallel()
	inGallery(t, 120, 40, 40, func(p *pilot) {
		p.shows("Gallery", "picture 000", "picture 011", "picture 27×9")
		p.lacks("picture 012")
		p.keys("down", "right")
		p.shows("─ picture 005 ─")
		p.keys("pgdown")
		p.pass(time.Second)
		p.shows("─ picture 013 ─")
		p.keys("end")
		p.shows("─ picture 039 ─")
		p.keys("down")
		p.shows("─ picture 039 ─")
		p.send(tea.MouseClickMsg{X: 40, Y: 5, Button: tea.MouseLeft})
		p.shows("─ picture 029 ─")
		p.keys("home", "right", "g")
		p.pass(time.Second)
		p.shows("▸ ● done     image picture 001")
		p.keys("g")
		p.pass(time.Second)
		p.keys("-")
		p.shows("picture 023")
		p.keys("+", "+")
		p.shows("picture 005")
		p.lacks("picture 006")
	})
}

func TestFullScreenFollowsAndStepsThroughFiles(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeSession) {
		d.fillDone(5)
		j := d.jobs["job000001"]
		j.Files = append(j.Files, state.File{Path: "/home/you/Pictures/darkroom/second.png", MediaType: "image/png", URL: "https://cdn.example.com/2.png"})
		d.jobs[j.ID], d.rows[1] = j, rowOf(j)
	}, func(p *pilot) {
		p.app.env.Painter = paintedNote{}
		p.keys("alt+2")
		p.pass(time.Second)
		p.keys("enter")
		p.shows("picture 000", "picture 116×")
		p.keys("right")
		p.pass(time.Second)
		p.shows("picture 001", "file 1 of 2")
		p.keys("tab", "y")
		p.shows("file 2 of 2")
		if raw := fmt.Sprint(p.raw); !strings.Contains(raw, "https://cdn.example.com/2.png") {
			t.Errorf("the address of the second file is not copied: %s", raw)
		}
		p.keys("enter") // opens the file that is shown
		if p.session.asked("open job000001 2") != 1 {
			t.Errorf("%v", p.session.log)
		}
		p.keys("z")
		p.shows("1:1")
		p.keys("z")
		p.pass(time.Second)
		p.shows("2×", "picture 232×")
		p.keys("esc")
		p.lacks("2×")
		p.keys("4") // a rating goes on to the next
		p.pass(time.Second)
		p.shows("picture 002")
		if got := p.rating(1); got.Stars != 4 {
			t.Errorf("%+v", got)
		}
		p.keys("esc")
		p.shows("▸ ● done     video picture 002")
		p.keys("enter", "alt+3")
		if p.app.at != msg.PlacePrices || p.app.top() != nil {
			t.Error("alt+3 does not lead to the tab")
		}
	})
}

func TestBulkAsksOnce(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 30, func(p *pilot) {
		p.keys("j", "j", "m", "j", "j", "j", "m", "o")
		p.shows("2 marked results", "Open the first file of each?")
		p.keys("y")
		if p.session.asked("open job000002 1") != 1 || p.session.asked("open job000005 1") != 1 {
			t.Errorf("%v", p.session.log)
		}
		p.app.env.Home = "/home/you"
		p.keys("s")
		p.typed("~/out")
		p.keys("enter")
		if !slices.Contains(p.session.log, "save job000005 1 /home/you/out") {
			t.Errorf("%v", p.session.log)
		}
		p.keys("delete", "y")
		p.pass(time.Second)
		if !slices.Contains(p.session.log, "hide true [job000002 job000005]") {
			t.Errorf("%v", p.session.log)
		}
		p.shows("all 28")
		p.lacks("marked")
	})
}

func TestActiveAndUnknownJobsCannotBeHidden(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 13, func(p *pilot) {
		p.keys("delete")
		p.shows("This job is active, so it stays in the list.")
		p.keys("j", "j", "j", "j", "delete")
		p.shows("The outcome of this job is unknown, so it stays in the list.")
		if p.session.asked("hide") != 0 {
			t.Error("it was hidden")
		}
	})
}

func TestAVideoFromAnImageHasItsFirstFrame(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 13, func(p *pilot) {
		p.keys("j", "j", "v")
		p.shows("Only an image can be the first frame of a video.")
		p.keys("j", "j", "j", "v")
		p.pass(time.Second)
		if p.app.at != msg.PlaceCreate {
			t.Fatalf("it did not go to Create:\n%s", p.screen())
		}
		p.shows("first and last frame", "job000005.png · job job0", "Added as First frame.", "tram in the rain, on rough paper")
	})
}

func TestAgainOpensTheReviewWithAnotherSeed(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 13, func(p *pilot) {
		p.keys("j", "j", "n")
		p.pass(time.Second)
		p.shows("Review and send", "seed")
		if len(p.session.confirmed) != 0 {
			t.Error("it was sent without a question")
		}
	})
}

func TestLineageIsATreeWithItsCost(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeSession) {
		d.fillDone(3)
		for i := 2; i >= 0; i-- {
			r := state.Relative{Row: d.rows[i], Charged: i != 1}
			if i < 2 {
				r.Sources = []string{d.rows[2].ID}
			}
			d.relatives = append(d.relatives, r)
		}
	}, func(p *pilot) {
		p.keys("alt+2", "end")
		p.pass(time.Second)
		p.shows("this one → 2 results", "together 850 cr")
		p.keys("t")
		p.pass(time.Second)
		p.shows("Lineage", "● video  picture 002", "├─ ● image  picture 001", "└─ ● video  picture 000", "this one")
	})
}

// TestMarkedResultsBecomeAContactSheet: one question, then a page with copies.
func TestMarkedResultsBecomeAContactSheet(t *testing.T) {
	t.Parallel()
	inGallery(t, 120, 40, 6, func(p *pilot) {
		dir := t.TempDir()
		p.session.mu.Lock()
		for id, j := range p.session.jobs {
			path := filepath.Join(dir, id+".png")
			if err := os.WriteFile(path, []byte(id), 0o600); err != nil {
				t.Error(err)
			}
			j.Files = []state.File{{Path: path, MediaType: "image/png"}}
			p.session.jobs[id] = j
		}
		p.session.mu.Unlock()
		p.keys("m", "m", "E")
		p.shows("2 marked results", "The folder for a page with copies")
		p.typed(filepath.Join(dir, "sheet"))
		p.keys("enter")
		p.pass(time.Second)
		p.shows("Exported: ")
		page, err := os.ReadFile(filepath.Join(dir, "sheet", "index.html"))
		if err != nil || strings.Count(string(page), "<figure>") != 2 {
			t.Errorf("%v\n%s", err, page)
		}
		p.keys("E")
		p.typed(dir)
		p.keys("enter")
		p.pass(time.Second)
		p.shows("holds other files")
	})
}

func TestAGalleryOfFewUsesItsRoom(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "picture 114×32", 2: "picture 56×32", 6: "picture 36×15", 12: "picture 27×9", 100: "picture 27×9"} {
		inGallery(t, 120, 40, n, func(p *pilot) {
			p.shows(want)
			p.keys("-")
			p.pass(time.Second)
			p.lacks(want)
			chosen := p.screen()
			p.keys("g", "g")
			p.pass(time.Second)
			if p.screen() != chosen {
				t.Errorf("of %d results the chosen size is not kept", n)
			}
		})
	}
}

// The renderer writes a line from its first change to its last one: whatever
// lies between would be written with every key.
func TestSelectingInTheGalleryChangesNoLineOfAPicture(t *testing.T) {
	t.Parallel()
	inGallery(t, 120, 40, 100, func(p *pilot) {
		before := strings.Split(p.screen(), "\n")
		p.keys("right")
		after := strings.Split(p.screen(), "\n")
		changed := 0
		for y := range before {
			if before[y] == after[y] {
				continue
			}
			if changed++; strings.Contains(after[y], "picture 27") {
				t.Errorf("line %d has a picture and changed:\n%s\n%s", y, before[y], after[y])
			}
		}
		if changed == 0 {
			t.Error("the selection did not move")
		}
	})
}

func TestAFinishedJobDoesNotTakeTheGalleryAway(t *testing.T) {
	t.Parallel()
	inGallery(t, 120, 40, 12, func(p *pilot) {
		p.send(msg.PreviewedMsg{ID: "job000007"})
		p.pass(time.Second)
		p.shows("Gallery")
	})
}
