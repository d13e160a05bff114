package ui

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

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

// withPicture gives the newest job a real file.
func withPicture(t *testing.T, p *pilot) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 7)
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p.app.loader = picture.NewLoader(false)
	p.app.kit.Painter = p.app.loader
	for id, j := range p.door.jobs {
		for i := range j.Files {
			j.Files[i].Path = path
		}
		p.door.jobs[id] = j
	}
	for i := range p.door.rows {
		p.door.rows[i].File = firstPath(p.door.jobs[p.door.rows[i].ID])
	}
	p.send(msg.ChangedMsg{Standing: p.app.kit.Standing, All: len(p.door.rows), At: fakeNow})
	for range 12 {
		p.keys("j")
		p.pass(time.Second)
		if strings.Contains(p.screen(), "▀▀▀▀") {
			return
		}
	}
	t.Fatalf("there is no picture in half blocks:\n%s", p.screen())
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
		inJobs(t, 120, 40, 13, func(p *pilot) {
			withPicture(t, p)
			p.pass(10 * time.Second)
			for _, i := range order {
				p.send(answers[i])
				p.pass(time.Second)
			}
			if p.app.kit.Mode != picture.ModeKitty {
				t.Fatalf("order %v: %s", order, p.app.kit.Mode)
			}
			sent := p.written()
			at := strings.Index(sent, ",i=")
			if at < 0 || !strings.Contains(sent, "a=T,U=1") {
				t.Fatalf("order %v: no pixels were sent", order)
			}
			var id int
			if _, err := fmt.Sscanf(sent[at:], ",i=%d", &id); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsRune(p.screen(), kitty.Placeholder) {
				t.Error("placeholders stand before the terminal has the image")
			}
			p.send(uv.KittyGraphicsEvent{Options: kitty.Options{ID: id}, Payload: []byte("OK")})
			if !strings.ContainsRune(p.screen(), kitty.Placeholder) || strings.Contains(p.screen(), "▀▀▀▀") {
				t.Errorf("order %v: the half blocks stay", order)
			}
		})
	}
}

func TestSixelsAreDrawnOverAFrameThatStays(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 30, func(p *pilot) {
		withPicture(t, p)
		p.send(uv.PrimaryDeviceAttributesEvent{63, 4, 22})
		p.send(uv.CellSizeEvent{Width: 8, Height: 17})
		p.pass(time.Second)
		if strings.Contains(p.written(), "\x1bP") || !strings.Contains(p.screen(), "▀▀▀▀") {
			t.Error("beside rows with Chinese titles it does not stay in half blocks")
		}
		p.keys("enter")
		p.pass(time.Second)
		drawn := func() int { return strings.Count(p.written(), "\x1bP0;1q") }
		if p.app.kit.Mode != picture.ModeSixel || drawn() != 1 {
			t.Fatalf("%s, drawn %d times", p.app.kit.Mode, drawn())
		}
		if !strings.Contains(p.screen(), "▀▀▀▀") || strings.Contains(p.app.content(), "\x1b[58;2") {
			t.Error("the cells below are not half blocks without marks")
		}
		p.pass(5 * time.Second)
		if drawn() != 1 {
			t.Error("it is drawn again though nothing changed")
		}
		p.keys("?") // help covers it
		p.pass(time.Second)
		if drawn() != 1 || p.app.sixels.drawn != nil {
			t.Errorf("below the help it was drawn %d times, %d are held", drawn(), len(p.app.sixels.drawn))
		}
		if !p.cleared() {
			t.Error("it was not wiped")
		}
		p.keys("esc")
		p.pass(time.Second)
		if drawn() != 2 {
			t.Errorf("after the help, drawn %d times", drawn())
		}
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.pass(time.Second)
		if drawn() != 3 {
			t.Errorf("after a repaint, drawn %d times", drawn())
		}
	})
}
