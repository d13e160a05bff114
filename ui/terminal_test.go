package ui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// pipe is what keys are written into and read from, open until the test ends.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	simtest.NoError(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// keysOf reads keys as the program does, each piece as one read.
func keysOf(t *testing.T, pieces ...string) []string {
	t.Helper()
	r, w := pipe(t)
	keys := uv.NewTerminalReader(&keyboard{File: r}, "xterm-256color")
	keys.EscTimeout = 1 << 40 // what waits for it never comes
	events, done := make(chan uv.Event), make(chan error, 1)
	go func() { done <- keys.StreamEvents(context.Background(), events) }()
	var names []string
	for _, piece := range pieces {
		simtest.NoError(t, expect.Err(io.WriteString(w, piece)))
		if key, ok := (<-events).(uv.KeyPressEvent); ok {
			names = append(names, key.String())
		}
	}
	w.Close()
	err := <-done
	expect.Must(t, err == nil || errors.Is(err, io.EOF), err)
	return names
}

// TestAltIsReadAtOnce: in a terminal that sends an escape before the key, alt with
// a key waits for nothing.
func TestAltIsReadAtOnce(t *testing.T) {
	t.Parallel()
	want := []string{"alt+3", "alt+q", "alt+shift+q", "alt+/", "up", "a", "ctrl+s"}
	got := keysOf(t, "\x1b3", "\x1bq", "\x1bQ", "\x1b/", "\x1b[A", "a", "\x13")
	expect.List(t, got, want, "read")
}

// late gives each piece a second after the one before.
type late struct {
	*keyboard
	w      io.Writer
	pieces []string
}

func (l *late) Read(b []byte) (int, error) {
	time.Sleep(time.Second)
	if len(l.pieces) == 0 {
		return 0, io.EOF
	}
	if _, err := io.WriteString(l.w, l.pieces[0]); err != nil {
		return 0, err
	}
	l.pieces = l.pieces[1:]
	return l.keyboard.Read(b)
}

// TestAPasteComesInPieces: wherever a paste is cut, and however late the rest
// comes, it is the paste that it was, and keys are read after it, also if a sequence
// in it has no end.
func TestAPasteComesInPieces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a纸é👩‍👧z", "x\x1b]0;t", "x\x1b_Gq", "x\x1bP1"} {
		stream := "\x1b[200~" + text + "\x1b[201~q"
		for cut := len("\x1b[2"); cut < len(stream); cut++ { // what is shorter is a key
			synctest.Test(t, func(t *testing.T) {
				r, w := pipe(t)
				events := make(chan uv.Event, 99)
				reader := uv.NewTerminalReader(&late{&keyboard{File: r}, w, []string{stream[:cut], stream[cut:]}}, "xterm-256color")
				simtest.NoError(t, reader.StreamEvents(t.Context(), events))
				close(events)
				var got []uv.Event
				for e := range events {
					if _, pasted := e.(uv.PasteEvent); pasted && strings.Contains(text, "\x1b") { // what is read of it depends on the cut
						e = uv.PasteEvent{Content: text + cancel}
					}
					got = append(got, e)
				}
				want := []uv.Event{uv.PasteStartEvent{}, uv.PasteEvent{Content: text + cancel}, uv.PasteEndEvent{}, uv.KeyPressEvent{Code: 'q', Text: "q"}}
				expect.List(t, got, want, "cut after", cut, "bytes")
			})
		}
	}
}

// replies are those to our questions.
var replies = map[string]string{
	"colour":     "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
	"with a bel": "\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
	"attributes": "\x1b[?62;4;22c",
	"version":    "\x1bP>|kitty(0.41.1)\x1b\\",
	"graphics":   "\x1b_Gi=31;OK\x1b\\",
	"cell":       "\x1b[6;20;10t",
	"mode":       "\x1b[?2026;2$y",
	"status":     "\x1b]7501;?\x1b\\",
	"clipboard":  "\x1b]5522;type=write:status=DONE\x1b\\",
}

// TestRepliesComeInPieces: wherever the reply to one of our questions is cut, none of
// it is a key, and the key after it is one: to the first, to what followed on a slow
// one, and to a picture.
func TestRepliesComeInPieces(t *testing.T) {
	t.Parallel()
	var read sync.WaitGroup
	defer read.Wait()
	for name, reply := range replies {
		for n := range 2 * (len(reply) - 1) {
			cut, from := 1+n/2, n%2*2
			read.Go(func() {
				r, w, err := os.Pipe()
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Close()
				var written sync.WaitGroup
				defer written.Wait()
				k := &keyboard{File: r, escape: time.Minute, within: inputWithin}
				written.Go(func() {
					defer w.Close()
					for _, piece := range []string{"\x1b[6;2", "0;10t", reply[:cut], reply[cut:], "q"}[from:] {
						_, _ = io.WriteString(w, piece)
						for inputWithin(r, 0) { // until it was read by itself
							time.Sleep(time.Millisecond)
						}
						time.Sleep(100 * time.Millisecond)
					}
				})
				if from > 0 {
					k.observe(tea.RawMsg{Msg: "\x1bPtmux;\x1b\x1b_Ga=T;AAAA\x1b\x1b\\\x1b\\"})
				}
				events := make(chan uv.Event, 99)
				expect.Is(t, uv.NewTerminalReader(k, "xterm-256color").StreamEvents(t.Context(), events), nil)
				close(events)
				var keys []uv.Event
				for e := range events {
					if _, key := e.(uv.KeyPressEvent); key {
						keys = append(keys, e)
					}
				}
				expect.List(t, keys, []uv.Event{uv.KeyPressEvent{Code: 'q', Text: "q"}}, name, "cut after", cut, "bytes, from", from)
			})
		}
	}
}

// readSlowly is what is read at a time of pieces of which each comes so long after the one before, and how long was
// waited for none.
func readSlowly(t *testing.T, gap time.Duration, pieces ...string) (read []string, waited time.Duration) {
	t.Helper()
	r, w := pipe(t)
	k, b := &keyboard{File: r, escape: 300 * time.Millisecond}, make([]byte, 4096)
	next := func() {
		simtest.NoError(t, expect.Err(io.WriteString(w, pieces[0])))
		pieces = pieces[1:]
	}
	k.within = func(f *os.File, d time.Duration) bool {
		there := inputWithin(f, 0)
		if !there && len(pieces) > 0 && gap <= d {
			next()
			return true
		}
		if !there {
			waited += d
		}
		return there
	}
	for len(pieces) > 0 {
		next()
		k.expect()
		if n := simtest.Must(k.Read(b))(t); n > 0 {
			read = append(read, string(b[:n]))
		}
	}
	return read, waited
}

// TestEscapeAndAKeyAreTwo: an escape that is waited for and the keys after it are not alt with a key, nor the beginning
// of a reply, while replies are due either.
func TestEscapeAndAKeyAreTwo(t *testing.T) {
	t.Parallel()
	for _, gap := range []time.Duration{20, 60, 100, 290} {
		for typed, want := range map[string]string{"\x1b\x11": "\x1b[27u\x11", "\x1bq": "\x1b[27uq", "\x1b\x1bq": "\x1b[27u\x1b[27uq",
			"\x1bP": "\x1b[27uP", "\x1b]": "\x1b[27u]", "\x1b[": "\x1b[27u[", "\x1b_": "\x1b[27u_"} {
			got, waited := readSlowly(t, gap*time.Millisecond, strings.Split(typed, "")...)
			expect.List(t, got, []string{want}, typed, "after", gap)
			reply := strings.ContainsAny(typed, "[]P_") // it may be the beginning of one
			expect.That(t, waited <= 30*time.Millisecond || reply && waited <= 330*time.Millisecond, typed, "waited", waited)
		}
	}
	for _, typed := range []string{"\x1bPq", "\x1bP6", "\x1b]a", "\x1b[a", "\x1b_纸"} {
		got, _ := readSlowly(t, 60*time.Millisecond, strings.Split(typed, "")...)
		expect.List(t, got, []string{"\x1b[27u" + typed[1:]}, typed)
	}
	got, _ := readSlowly(t, 310*time.Millisecond, "\x1b", "]")
	expect.List(t, got, []string{"\x1b[27u", "]"}, "after a while")
}

// TestRepliesOfASlowTerminal come byte by byte, and are read as a whole.
func TestRepliesOfASlowTerminal(t *testing.T) {
	t.Parallel()
	for _, gap := range []time.Duration{0, 30, 60, 100, 290} {
		for _, reply := range replies {
			got, _ := readSlowly(t, gap*time.Millisecond, append(strings.Split(reply, ""), "q")...)
			expect.List(t, got, []string{reply, "q"}, "after", gap)
		}
	}
}

// TestAPasteWithoutAnEnd, which a connection has lost, leaves a way out.
func TestAPasteWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"\x03", "\x11", "\x1b[113;5u"} {
		r, w := pipe(t)
		k, b := &keyboard{File: r, escape: time.Millisecond}, make([]byte, 4096)
		for _, one := range [][2]string{{"\x1b[200~a" + key + "b", ""}, {"b" + key, ""}, {key, cancel + "\x1b[201~" + key}, {key, ""}} {
			_, _ = io.WriteString(w, one[0])
			n := simtest.Must(k.Read(b))(t)
			expect.Equal(t, string(b[:n]), cmp.Or(one[1], one[0]), "is read as")
		}
	}
}

// TestOneReaderAfterTheOther, as around a suspension: the race detector sees what they share.
func TestOneReaderAfterTheOther(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	k, ended := &keyboard{File: r, escape: time.Millisecond}, make(chan error, 2)
	for range 2 {
		go func() { ended <- expect.Err(k.Read(make([]byte, 64))) }()
	}
	for range 2 {
		_, _ = io.WriteString(w, "\x1b[200~a")
		simtest.NoError(t, <-ended)
	}
	expect.That(t, k.pasting, "the paste has ended")
}

// TestKeysThatLookLikeRepliesAreHandedOn: keys that look like a beginning are not kept.
func TestKeysThatLookLikeRepliesAreHandedOn(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"\x1b", "\x1b[", "\x1b]", "a\x1b", "纸\x1b", "\x1b[A\x1b", "\x1b]11;x\x07\x1b", "\x1bP", "\x1bOP", "\x1b[A",
		"\x1b]" + strings.Repeat("no end ", 100)} {
		r, w := pipe(t)
		_, _ = io.WriteString(w, keys)
		b := make([]byte, 4096)
		k := &keyboard{File: r, escape: time.Millisecond, within: inputWithin}
		k.expect()
		n := simtest.Must(k.Read(b))(t)
		if strings.HasSuffix(keys, "\x1b") {
			keys += "[27u"
		}
		expect.Equal(t, string(b[:n]), keys, "is read as")
	}
}

func TestTerminal(t *testing.T) { flyEach(t, terminalFlights) }

var terminalFlights = []flight{
	// A bar while jobs run, the program's status where the terminal takes one, both red after a failure until the jobs were
	// looked at.
	{"the terminal is told of jobs", flyCreate("en", 120, 40, func(d *fakeSession) { d.settings.Progress = true }), func(p *pilot) {
		p.keys(":a kettle on a windy pier", "~")
		reported := func(p *pilot, s tea.ProgramState) bool {
			report := p.app.View().ProgramStatus
			return report != nil && report.State == s
		}
		v := p.app.View()
		p.expect(v.ProgressBar == nil && v.ProgramStatus == nil, "something is reported before there is anything")
		p.send(tea.ProgramStatusSupportMsg{})
		p.pass(time.Second)
		p.expect(reported(p, tea.ProgramStateIdle), "at rest: %+v", p.app.View().ProgramStatus)
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		p.pass(time.Second)
		expect.Equal(p.t, p.app.View().ProgressBar.State, tea.ProgressBarIndeterminate, "while a job runs")
		p.expect(reported(p, tea.ProgramStateWorking), "while a job runs: %+v", p.app.View().ProgramStatus)
		p.sent(api.PhaseFailed)
		p.pass(time.Second)
		expect.Equal(p.t, p.app.View().ProgressBar.State, tea.ProgressBarError, "after a failure")
		p.expect(reported(p, tea.ProgramStateError), "after a failure: %+v", p.app.View().ProgramStatus)
		p.keys("alt+2", "~")
		p.expect(p.app.View().ProgressBar == nil && reported(p, tea.ProgramStateIdle), "in Jobs: %+v", p.app.View().ProgramStatus)
	}},
	{"the terminal is told of nothing when that is switched off", flyCreate("en", 120, 40, nil), func(p *pilot) { // switched off
		p.keys(":a kettle on a windy pier", "~", "ctrl+s", "enter")
		p.send(tea.ProgramStatusSupportMsg{})
		p.sent(api.PhaseRunning)
		v := p.app.View()
		p.expect(v.ProgressBar == nil && v.ProgramStatus == nil, "reported though it is switched off: %+v", v.ProgramStatus)
		expect.Lacks(p.t, p.app.questions(), ansi.RequestProgramStatusSupport)
	}},
	// Another window's results count, and a result that was looked at there does not.
	{"the badge is that of the store", flyResults(120, 40), func(p *pilot) {
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		p.sent(api.PhaseDone)
		p.shows("•1")
		fakeResults{p.session}.See(p.t.Context(), "new")
		p.pass(time.Second)
		p.lacks("•1")
	}},
}

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
	path := simtest.File(t, filepath.Join(t.TempDir(), "a.png"), b.Bytes())
	p.app.loader = picture.NewLoader(false)
	p.app.env.Painter = p.app.loader
	for id, j := range p.session.jobs {
		for i := range j.Files {
			j.Files[i].Path = path
		}
		p.session.jobs[id] = j
	}
	for i := range p.session.rows {
		p.session.rows[i] = rowOf(p.session.jobs[p.session.rows[i].ID])
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
			p.expect(strings.Contains(sent, "a=T,U=1"), "order %v: no pixels were sent", order)
			p.expect(!strings.ContainsRune(p.screen(), kitty.Placeholder), "placeholders stand before the terminal has the image")
			for _, from := range strings.Split(sent, ",i=")[1:] { // the picture, and frames below it
				id, _, _ := strings.Cut(from, ",")
				p.send(uv.KittyGraphicsEvent{Options: kitty.Options{ID: simtest.Must(strconv.Atoi(id))(t)}, Payload: []byte("OK")})
			}
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
		_, err := p.app.loader.Load(p.t.Context(), filepath.Join(dir, "a.mp4"), 20, 8, p.app.env.Terminal)
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
	{"blocks of xterm leave no seams on another screen", inJobs(80, 24, 3), func(p *pilot) {
		for _, name := range []string{"WezTerm 2026", "XTerm(390)"} {
			p.send(tea.TerminalVersionMsg{Name: name})
			for _, key := range []string{"alt+3", "j", "$", "esc"} {
				p.raw = nil
				p.keys(key)
				p.expect(p.cleared() == (name[0] == 'X' && key != "j"), "%s in %s: %v", key, name, p.cleared())
			}
			p.keys("alt+2")
		}
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
		p.keys("~", "enter", "~") // alone, where no title with wide characters stands beside it
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
