package ui

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// written is what was written to the terminal beside the frames.
func (p *pilot) written() string {
	var b strings.Builder
	for _, m := range p.raw {
		if raw, ok := m.(tea.RawMsg); ok {
			fmt.Fprint(&b, raw.Msg)
		}
	}
	return b.String()
}

// cleared reports whether the terminal was asked to draw all cells anew.
func (p *pilot) cleared() bool {
	return slices.ContainsFunc(p.raw, func(m tea.Msg) bool { return reflect.TypeOf(m) == reflect.TypeOf(tea.ClearScreen()) })
}

// withFiles gives every job a real file.
func withFiles(t *testing.T, p *pilot) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for i := range img.Pix {
		img.Pix[i] = uint8(64 + i/1300)
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	simtest.NoError(t, png.Encode(&b, img))
	path := filepath.Join(t.TempDir(), "a.png")
	simtest.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	p.app.loader = picture.NewLoader(false)
	p.app.env.Painter = p.app.loader
	for id, j := range p.session.jobs {
		for i := range j.Files {
			j.Files[i].Path = path
		}
		p.session.jobs[id] = j
	}
	for i := range p.session.rows {
		p.session.rows[i].File = firstPath(p.session.jobs[p.session.rows[i].ID])
	}
	p.send(msg.ChangedMsg{Health: p.app.env.Health, At: fakeNow, Page: state.Page{All: len(p.session.rows), Change: 1}})
}

// withPicture goes to a job whose picture is in view.
func withPicture(t *testing.T, p *pilot) {
	t.Helper()
	withFiles(t, p)
	for range 12 {
		p.keys("j", "~")
		if strings.Contains(p.screen(), "▀▀▀▀") {
			return
		}
	}
	t.Fatalf("there is no picture in half blocks:\n%s", p.screen())
}

// TestThePictureGoesThroughKitty: it is copied when the terminal says so, and else the reason is said.
func TestThePictureGoesThroughKitty(t *testing.T) {
	t.Parallel()
	inJobs(120, 40, 13)(t, func(p *pilot) {
		withPicture(t, p)
		p.send(tea.TerminalVersionMsg{Name: "kitty(0.41.1)"})
		for reply, want := range map[string]string{
			"DONE": "Picture copied.", "EPERM:id=7": "clipboard_control forbids", "EBUSY": "not copied the picture: EBUSY.", "": "no answer",
		} {
			p.keys("Y")
			var got []byte
			for packet := range strings.SplitSeq(p.written(), "\x1b]5522;type=wdata:mime=aW1hZ2UvcG5n;") {
				if chunk, _, _ := strings.Cut(packet, "\x1b\\"); len(got) > 0 || strings.HasPrefix(chunk, "iVBOR") {
					got = append(got, simtest.Must(base64.StdEncoding.DecodeString(chunk))(t)...)
				}
			}
			p.expect(bytes.HasPrefix(got, []byte("\x89PNG")) && bytes.Contains(got, []byte("IEND")), "%d bytes were written", len(got))
			if reply == "" {
				p.send(p.raw[len(p.raw)-1]) // as Bubble Tea does when it is written
				p.pass(31 * time.Second)
			} else {
				p.send(uv.UnknownOscEvent("\x1b]5522;type=write:status=" + reply + "\x1b\\"))
			}
			p.shows(want)
		}
	})
}

// The answers of a terminal come seconds after the first frame, the version
// before or after the rest: the picture in view is drawn again in pixels.
func TestALateAnswerUpgradesThePictureInView(t *testing.T) {
	t.Parallel()
	answers := []tea.Msg{
		uv.PrimaryDeviceAttributesEvent{62, 22},
		uv.KittyGraphicsEvent{Options: kitty.Options{ID: 31}, Payload: []byte("OK")},
		tea.TerminalVersionMsg{Name: "kitty(0.41.1)"},
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		inJobs(120, 40, 13)(t, func(p *pilot) {
			withPicture(t, p)
			p.pass(10 * time.Second)
			for _, i := range order {
				p.send(answers[i])
				p.pass(time.Second)
			}
			p.expect(p.app.env.Mode == picture.ModeKitty, "order %v: %s", order, p.app.env.Mode)
			sent := p.written()
			at := strings.Index(sent, ",i=")
			p.expect(at >= 0 && strings.Contains(sent, "a=T,U=1"), "order %v: no pixels were sent", order)
			var id int
			simtest.NoError(t, expect.Err(fmt.Sscanf(sent[at:], ",i=%d", &id)))
			p.expect(!strings.ContainsRune(p.screen(), kitty.Placeholder), "placeholders stand before the terminal has the image")
			p.send(uv.KittyGraphicsEvent{Options: kitty.Options{ID: id}, Payload: []byte("OK")})
			expect.Contains(t, p.screen(), string(kitty.Placeholder), order)
			expect.Lacks(t, p.screen(), "▀▀▀▀", order, "the half blocks stay")
		})
	}
}

// Programs that read videos see none of our variables, the key among them.
func TestVideosAreReadWithoutOurVariables(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for ffmpeg")
	}
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	simtest.NoError(t, os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte("#!/bin/sh\nenv > "+seen+"\n"), 0o700))
	simtest.NoError(t, os.WriteFile(filepath.Join(dir, "a.mp4"), []byte("\x00\x00\x00\x18ftypisom"), 0o600))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DARKROOM_API_KEY", "ak_secret")
	t.Setenv("OF_OTHERS", "stays")
	flyCreate("en", 120, 40, func(*fakeSession) {})(t, func(p *pilot) {
		_, err := p.app.loader.Load(p.t.Context(), filepath.Join(dir, "a.mp4"), 20, 8, p.app.env.Terminal())
		expect.Fails(t, err, "", "it drew nothing, and said that it did")
	})
	saw := string(simtest.Must(os.ReadFile(seen))(t))
	expect.Lacks(t, saw, "DARKROOM_")
	expect.Contains(t, saw, "OF_OTHERS=stays")
}

func TestGraphics(t *testing.T) { flyEach(t, graphicsFlights) }

var graphicsFlights = []flight{
	// The same beside the prompt, where the size of the strip stays as it was.
	{"a late answer upgrades recent", flyCreate("en", 120, 40, func(d *fakeSession) { d.fillDone(13) }), func(p *pilot) {
		withFiles(p.t, p)
		p.pass(10 * time.Second)
		p.expect(strings.Contains(p.screen(), "▀▀▀▀"), "there is no picture in half blocks")
		for _, m := range []tea.Msg{tea.TerminalVersionMsg{Name: "kitty(0.41.1)"}, uv.KittyGraphicsEvent{Options: kitty.Options{ID: 31}, Payload: []byte("OK")}} {
			p.send(m)
			p.pass(time.Second)
		}
		p.expect(strings.Contains(p.written(), "a=T,U=1"), "no pixels were sent")
	}},
	{"a zoomed picture is drawn in sixels", inJobs(120, 40, 30), func(p *pilot) {
		withSixels(p.t, p)
		p.keys("enter", "~", "+", "+")
		for range 3 { // it comes, stays, and is made ready
			p.pass(time.Second)
		}
		expect.Must(p.t, len(p.app.sixels.drawn) == 1, "it is not drawn over", p.screen())
		zoomed := p.app.sixels.drawn[0]
		p.raw = nil
		p.keys("left", "left", "left", "left", "left")
		p.expect(p.cleared(), "the old part was not wiped")
		p.keys("~", "~")
		n := strings.Count(p.written(), "\x1bP0;1q")
		expect.That(p.t, n == 1 && !p.app.sixels.drawn[0].Same(zoomed), "after panning, drawn", n, "times")
	}},
	{"sixels are drawn over a frame that stays", inJobs(120, 40, 30), func(p *pilot) {
		withSixels(p.t, p)
		p.keys("~", "enter") // alone, where no title with wide characters stands beside it
		p.pass(time.Second)
		p.raw = nil
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.pass(time.Second)
		drawn := func() int { return strings.Count(p.written(), "\x1bP0;1q") }
		p.expect(p.app.env.Mode == picture.ModeSixel && drawn() == 1, "%s, drawn %d times", p.app.env.Mode, drawn())
		p.shows("▀▀▀▀")
		expect.Lacks(p.t, p.app.View().Content, "\x1b[58;2", "a mark in the cells below")
		p.pass(5 * time.Second)
		p.expect(drawn() == 1, "it is drawn again though nothing changed")
		p.raw = slices.DeleteFunc(p.raw, func(m tea.Msg) bool { return reflect.TypeOf(m) == reflect.TypeOf(tea.ClearScreen()) })
		before := p.app.sixels.drawn[0]
		p.keys("esc") // the picture moves into the pane
		p.expect(p.app.sixels.drawn == nil && p.cleared(), "it was not wiped at once")
		p.pass(time.Second)
		for _, now := range p.app.sixels.drawn { // none beside titles with wide characters
			p.expect(!now.Same(before), "it was drawn where it no longer is")
		}
		p.keys("enter", "~") // it comes,
		p.pass(time.Second)  // and stays
		again := drawn()
		p.expect(again >= 2, "alone again it was not drawn")
		for range 20 {
			p.keys("ctrl+k", "esc") // a box covers it for less than the pause
		}
		p.expect(drawn() == again, "drawn %d times while keys were held", drawn())
		p.pass(time.Second)
		p.expect(drawn() == again+1, "after the boxes, drawn %d times", drawn())
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.pass(time.Second)
		p.expect(drawn() == again+2, "after a repaint, drawn %d times", drawn())
	}},
}

// withSixels shows a picture in a terminal that draws sixels.
func withSixels(t *testing.T, p *pilot) {
	t.Helper()
	withPicture(t, p)
	p.send(uv.PrimaryDeviceAttributesEvent{63, 4, 22})
	p.send(uv.CellSizeEvent{Width: 8, Height: 17})
}
