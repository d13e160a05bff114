package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/table"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
)

// inGallery is on the contact sheet of n finished results.
func inGallery(w, h, n int) start {
	return fly(w, h, func(d *fakeSession) { d.fillDone(n) }).then(func(p *pilot) {
		p.app.env.Painter = paintedNote
		p.keys("alt+2", "~", "g", "~")
	})
}

func (p *pilot) rating(i int) state.Rating {
	return simtest.Read(&p.session.mu, func() state.Rating { return p.session.jobs[fmt.Sprintf("job%06d", i)].Rating })
}

func TestGallery(t *testing.T) { flyEach(t, galleryFlights) }

var galleryFlights = []flight{
	{"culling is one key a picture", inGallery(120, 40, 100), func(p *pilot) {
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
			expect.Equal(p.t, p.rating(i), want[i%len(want)], "picture", i)
		}
		p.asked("rate", 100)
		for i := 99; i > 94; i-- {
			p.keys("U", "~")
			expect.Equal(p.t, p.rating(i), state.Rating{}, "picture", i, "is still")
		}
		expect.That(p.t, p.rating(94) != (state.Rating{}), "one rating too many was undone")
		p.shows("Rating undone: " + p.session.rows[95].ID)
	}},
	{"a click narrows the gallery to what its title names, and widens it again", inGallery(120, 40, 9), func(p *pilot) {
		for _, chip := range []string{"★ 3 and up", "▶ videos", "video ×", "rating:>=3 ×"} {
			p.clickOn(chip)
			p.keys("~")
		}
		p.shows("♥ favourites   ★ 3 and up   ▶ videos", "1 of 9")
		expect.List(p.t, slices.Compact(p.session.filters), []string{"", "rating:>=3", "rating:>=3 kind:video", "rating:>=3", ""})
		p.clickBeside("[M] L", 4, 0)
		p.shows("S  M [L]")
		p.clickBeside("M [L]", -3, 0)
		p.shows("[S] M  L")
		p.clickOn("/ filter")
		p.keys(":macro", "enter", "~")
		p.shows("macro ×")
	}},
	{"filters that the title has no room for are neither named nor clicked", inGallery(120, 40, 9), func(p *pilot) {
		p.keys("g", "~", "/", ":picture macro lens "+strings.Repeat("a", 20)+" last", "enter", "~")
		p.lacks("last ×")
		asked := len(p.session.filters)
		for x := 58; x < 110; x++ {
			p.send(tea.MouseClickMsg{X: x, Y: 2, Button: tea.MouseLeft})
			p.keys("~")
		}
		expect.Equal(p.t, len(p.session.filters), asked, "reads")
		p.keys("g", "~")
		p.send(tea.WindowSizeMsg{Width: 60, Height: 40})
		p.send(tea.MouseClickMsg{X: 55, Y: 2, Button: tea.MouseLeft}) // there is no room for the sizes
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.shows("last ×", "0 of 9", "[M]")
		p.lacks("♥ favourites")
	}},
	{"results of one prompt are told apart by the seed", fly(120, 40, func(d *fakeSession) {
		d.append(4, func(i int) state.Job {
			j, seed := madeUpJob(2*i, "a", api.PhaseDone), int64(40+i)
			if i < 2 {
				j.Request.Seed = &seed
			}
			return j
		})
	}), func(p *pilot) {
		p.keys("alt+2", "~")
		p.shows("a · seed 40", "a · seed 41")
		p.keys("g", "~")
		p.shows("a · seed 40", "a · seed 41")
		p.keys("home", "m", "m", "m", "m", "c", "~")
		p.shows("seed 40", "seed 41", "default") // no line is blank
	}},
	{"two clips have frames below, and their times", fly(120, 40, func(d *fakeSession) {
		d.append(2, func(i int) state.Job {
			j := madeUpJob(2*i, "a", api.PhaseDone)
			j.Files[0].MediaType = "video/mp4"
			return j
		})
	}), func(p *pilot) {
		p.app.env.Painter = painter(func(path string, cols, rows int) (picture.Picture, error) {
			if strings.Contains(path, "-000000-") { // it has another ratio than was asked for
				cols = 30
			}
			return picture.Picture{Lines: []string{strings.Repeat("▀", cols)}, Cols: cols}, nil
		})
		p.app.Restyle(theme.Dark, colorprofile.ANSI)
		p.keys("alt+2", "m", "j", "~")
		p.shows("▶ 5 s", "0.0 s", "1.7 s", "3.3 s")
		p.send(tea.WindowSizeMsg{Width: 120, Height: 24})
		p.lacks("3.3 s") // there is no room
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.keys("c", "~")
		p.shows("0.0 s", "1.7 s", "3.3 s", "▀   ▀")
		p.expect(strings.Count(p.screen(), " "+strings.Repeat("▀", 30)+" ") == 2, "the frames of another ratio are cut:\n%s", p.screen())
		p.keys("b") // flips
		p.lacks("1.7 s")
	}},
	{"a gallery without results counts none", fly(120, 40, func(d *fakeSession) {
		d.append(3, func(i int) state.Job { return madeUpJob(i, "a", api.PhaseFailed) })
	}), func(p *pilot) {
		p.keys("alt+2", "~", "g", "~")
		p.shows("There are no results yet.", "all 0")
		p.lacks("1 of 0", "Nothing has been sent yet.")
		p.keys("/")
		p.lacks("all 3")
	}},
	{"a rating is shown at once and taken back by its key", inJobs(120, 40, 6), func(p *pilot) {
		p.keys("j", "j", "f")
		p.shows("14:02   ♥")
		p.keys("f", "~")
		expect.Equal(p.t, p.rating(2), state.Rating{}, "taken back")
		p.keys("3") // a tab, where results are not rated
		p.isAt(msg.PlacePrices)
	}},
	{"gallery moves by rows and shows the same selection", inGallery(120, 41, 40), func(p *pilot) {
		p.shows("Gallery", "picture 000", "picture 014", "picture 21×8")
		p.lacks("picture 015")
		p.keys("down", "right")
		p.shows("╰picture 006")
		p.keys("pgdown", "~")
		p.shows("╰picture 016")
		p.keys("end")
		p.shows("╰picture 039")
		p.keys("down")
		p.shows("╰picture 039")
		p.send(tea.MouseClickMsg{X: 36, Y: 5, Button: tea.MouseLeft})
		p.shows("╰picture 026")
		p.keys("home", "right", "g", "~")
		p.shows("▸ ● done     ▩ picture 001")
		p.keys("g", "~", "-")
		p.shows("picture 023")
		p.keys("+", "+")
		p.shows("picture 007")
		p.lacks("picture 008")
	}},
	{"X rejects, and moves the files into the trash", inGallery(80, 24, 5), func(p *pilot) {
		p.keys("x")
		p.shows("Rejected. X instead moves the files into the trash as well.")
		p.keys("X")
		p.shows("Files are in the trash: 'darkroom clean --undo' puts them back.")
		expect.Equal(p.t, p.rating(1).Pick, -1)
		p.asked("discard", 1)
		p.asked("discard job000001", 1)
	}},
	{"full screen follows and steps through files", fly(120, 40, func(d *fakeSession) {
		d.fillDone(5)
		j := d.jobs["job000001"]
		j.Files = append(j.Files, state.File{Path: "/home/you/Pictures/darkroom/second.png", MediaType: "image/png", URL: "https://cdn.example.com/2.png"})
		d.jobs[j.ID], d.rows[1] = j, rowOf(j)
	}), func(p *pilot) {
		p.app.env.Painter = paintedNote
		p.keys("alt+2", "~", "enter")
		p.shows("picture 000", "picture 114×")
		p.keys("right", "~")
		p.shows("picture 001", "file 1 of 2")
		p.keys("tab", "y")
		p.shows("file 2 of 2")
		raw := fmt.Sprint(p.raw)
		p.expect(strings.Contains(raw, "https://cdn.example.com/2.png"), "the address of the second file is not copied: %s", raw)
		p.keys("enter") // opens the file that is shown
		p.asked("open job000001 2", 1)
		p.keys("z")
		p.shows("1:1")
		p.keys("z", "~")
		p.shows("2×", "picture 228×")
		p.keys("esc")
		p.lacks("2×")
		p.keys("4", "~") // a rating goes on to the next
		p.shows("picture 002")
		expect.Equal(p.t, p.rating(1).Stars, 4, "stars")
		p.keys("esc")
		p.shows("▸ ● done     ▶ picture 002")
		p.keys("enter", "alt+3")
		p.expect(p.app.at == msg.PlacePrices && p.app.top() == nil, "alt+3 does not lead to the tab")
	}},
	{"bulk asks once", inJobs(120, 40, 30), func(p *pilot) {
		p.keys("j", "j", "m", "j", "X") // it has no file, whatever is marked
		p.shows("This job has no file.")
		p.keys("j", "j", "m", "o")
		p.shows("2 marked results", "Open the first file of each?")
		p.keys("y")
		p.asked("open job000002 1", 1)
		p.asked("open job000005 1", 1)
		p.app.env.Home = "/home/you"
		p.keys("s", ":~/out", "enter")
		p.asked("save job000005 1 /home/you/out", 1)
		p.keys("s", ":/full", "enter")
		p.shows("2 of 2 failed: disk full.")
		p.asked("save job000005 1 /full/", 1) // although it failed for the first
		p.keys("delete", "y", "~")
		p.asked("hide true [job000002 job000005]", 1)
		p.shows("all 28", "Removed from the list.")
		p.lacks("marked")
		p.keys("m", "home", "m", "delete", "y", "~")
		p.shows("all 27", "Removed 1 of 2 from the list.")
	}},
	{"marked results come back into the list after one question", fly(120, 40, func(d *fakeSession) {
		d.fill(3)
		for i := range d.rows {
			d.rows[i].Hidden = true
		}
	}), func(p *pilot) {
		p.keys("alt+2", "~", "m", "j", "m", "delete")
		p.shows("2 marked results", "Put them back in the list?")
		p.keys("y", "~")
		p.asked("hide false [job000000 job000001]", 1)
		p.lacks("marked")
	}},
	{"what is marked costs what the ledger counts", fly(84, 30, func(d *fakeSession) { d.fill(17).rows[3].Completed = true }), func(p *pilot) {
		p.keys("alt+2", "~", "end", "m", "home", "j", "j", "m", "j", "m") // the first has failed, the third could not be fetched
		p.shows("3 marked · 437.5 cr", "neon koi                                        12.5 14:01")
	}},
	{"active and unknown jobs cannot be hidden", inJobs(120, 40, 13), func(p *pilot) {
		p.keys("delete")
		p.shows("This job is active, so it stays in the list.")
		p.keys("j", "j", "j", "j", "delete")
		p.shows("The outcome of this job is unknown, so it stays in the list.")
		p.asked("hide", 0)
	}},
	{"a video from an image has its first frame", inJobs(120, 40, 13), func(p *pilot) {
		p.keys("j", "j", "v")
		p.shows("Only an image, or in full screen a frame of a clip, can be the first frame of a video.")
		p.keys("j", "j", "j", "v", "~")
		p.isAt(msg.PlaceCreate)
		p.shows("first and last frame", "job000005.png · job job0", "Added as First frame.", "tram in the rain, on rough paper")
	}},
	{"again opens the review with another seed", inJobs(120, 40, 13), func(p *pilot) {
		p.keys("j", "j", "n", "~")
		p.shows("Send this", "seed")
		p.sends(0)
	}},
	{"lineage is a tree with its cost", fly(120, 40, func(d *fakeSession) {
		d.fillDone(3).rows[1].Phase, d.rows[0].Phase = api.PhaseUnknown, api.PhaseFailed
		for i := 2; i >= 0; i-- {
			r := state.Relative{Row: d.rows[i]}
			if i < 2 {
				r.Sources = []string{d.rows[2].ID}
			}
			d.relatives = append(d.relatives, r)
		}
	}), func(p *pilot) {
		p.keys("alt+2", "end", "~")
		p.shows("this one → 2 results", "together 437.5 cr")
		p.keys("t", "~")
		p.shows("Lineage", "● video  picture 002", "├─ ? image  picture 001  12.5 cr", "└─ ✕ video  picture 000  14:03", "this one")
	}},
	{"marked results become a contact sheet", inGallery(120, 40, 6), func(p *pilot) {
		dir := p.t.TempDir()
		p.session.mu.Lock()
		for id, j := range p.session.jobs {
			j.Files = []state.File{{Path: simtest.File(p.t, filepath.Join(dir, id+".png"), id), MediaType: "image/png"}}
			p.session.jobs[id] = j
		}
		p.session.mu.Unlock()
		p.keys("m", "m", "E")
		p.shows("2 marked results", "Enter a folder for the page and copies")
		p.typed(filepath.Join(dir, "sheet"))
		p.keys("enter", "~")
		p.shows("Exported: ")
		page, err := os.ReadFile(filepath.Join(dir, "sheet", "index.html"))
		p.expect(err == nil && strings.Count(string(page), "<figure>") == 2, "%v\n%s", err, page)
		p.keys("E", ":"+dir, "enter", "~")
		p.shows("holds other files")
	}},
	{"selecting in the gallery changes no cell of a picture", inGallery(120, 40, 100), func(p *pilot) {
		before := strings.Split(p.screen(), "\n")
		p.keys("right")
		changed := 0
		for y, after := range strings.Split(p.screen(), "\n") {
			if before[y] == after {
				continue
			}
			changed++
			bare := strings.NewReplacer("│", "", "┃", "", " ", "")
			same := bare.Replace(after) == bare.Replace(before[y])
			expect.That(p.t, same || !strings.Contains(after, "picture 27"), "line", y, "has a picture and changed", before[y], after)
		}
		p.expect(changed != 0, "the selection did not move")
	}},
	{"a finished job does not take the gallery away", inGallery(120, 40, 12), func(p *pilot) {
		p.send(msg.PreviewedMsg{ID: "job000007"})
		p.pass(time.Second)
		p.shows("Gallery")
	}},
	{"create takes own results of a local service", flyCreate("en", 120, 40, func(d *fakeSession) { d.settings.BaseURL = "http://127.0.0.1:8080" }), func(p *pilot) {
		for address, good := range map[string]bool{"http://127.0.0.1:8080/files/a.png": true, "http://127.0.0.1:9090/files/a.png": false} {
			p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "a boat", ImageFiles: []string{address}}})
			if p.keys("ctrl+s"); good {
				p.shows("Send this")
				p.keys("esc")
			} else {
				p.lacks("Send this")
			}
		}
	}},
}

func TestAGalleryOfFewUsesItsRoom(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "picture 114×28", 2: "picture 56×28", 6: "picture 36×12", 12: "picture 21×8", 100: "picture 21×8"} {
		inGallery(120, 41, n)(t, func(p *pilot) {
			p.shows(want)
			p.keys("-", "~")
			p.lacks(want)
			chosen := p.screen()
			p.keys("g", "g", "~")
			p.expect(p.screen() == chosen, "of %d results the chosen size is not kept", n)
		})
	}
}

// appAt is an App without a pilot, for which no time passes, that shows a place and has every
// answer that is asked for.
func appAt(tb testing.TB, d *fakeSession, at msg.Place, w, h int) *App {
	a := newApp(tb.Context(), d, "en", func() time.Time { return fakeNow })
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	drain(a, a.show(at))
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
		a := appAt(b, newFakeSession().fill(10_000), at, 200, 60)
		if at == msg.PlaceCreate {
			a.Update(keyOf("ctrl+t")) // to the video
			a.Update(tea.PasteMsg{Content: strings.Repeat("A paper boat 纸船 drifts down a gutter. ", 140)[:5000]})
		}
		a.view()
		b.Run(name+"/kept", func(b *testing.B) {
			for b.Loop() {
				a.view()
			}
		})
		themes := []*theme.Theme{theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)}
		b.Run(name+"/anew", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				a.drawn = drawn{}
				a.env.Theme = themes[i%2]
				a.screens[at].Restyle()
				a.view()
			}
		})
	}
}

// BenchmarkToolkit is one key in the parts of bubbles that darkroom has its own
// of: a list of jobs (compare BenchmarkKeyInJobs, which is the whole App) and
// the prompt's editor (compare BenchmarkPromptKey, which is the whole form).
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
