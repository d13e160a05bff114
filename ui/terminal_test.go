package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// keysOf reads keys as the program does, each piece as one read.
func keysOf(t *testing.T, pieces ...string) []string {
	t.Helper()
	r, w, err := os.Pipe()
	simtest.NoError(t, err)
	defer r.Close()
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
	err = <-done
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
// comes, it is the paste that it was, and keys are read after it.
func TestAPasteComesInPieces(t *testing.T) {
	t.Parallel()
	const text = "a纸é👩‍👧z"
	stream := "\x1b[200~" + text + "\x1b[201~q"
	for cut := len("\x1b[2"); cut < len(stream); cut++ { // what is shorter is a key
		synctest.Test(t, func(t *testing.T) {
			r, w, err := os.Pipe()
			simtest.NoError(t, err)
			defer r.Close()
			defer w.Close()
			events := make(chan uv.Event, 99)
			reader := uv.NewTerminalReader(&late{&keyboard{File: r}, w, []string{stream[:cut], stream[cut:]}}, "xterm-256color")
			simtest.NoError(t, reader.StreamEvents(t.Context(), events))
			close(events)
			var got []uv.Event
			for e := range events {
				got = append(got, e)
			}
			want := []uv.Event{uv.PasteStartEvent{}, uv.PasteEvent{Content: text}, uv.PasteEndEvent{}, uv.KeyPressEvent{Code: 'q', Text: "q"}}
			expect.List(t, got, want, "cut after", cut, "bytes")
		})
	}
}

// TestRepliesComeInPieces: wherever the reply to one of our questions is cut, none of
// it is a key, and the key after it is one: to the first, to what followed on a slow
// one, and to a picture.
func TestRepliesComeInPieces(t *testing.T) {
	t.Parallel()
	var read sync.WaitGroup
	defer read.Wait()
	for name, reply := range map[string]string{
		"colour":     "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
		"with a bel": "\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
		"attributes": "\x1b[?62;4;22c",
		"version":    "\x1bP>|kitty(0.41.1)\x1b\\",
		"graphics":   "\x1b_Gi=31;OK\x1b\\",
		"cell":       "\x1b[6;20;10t",
		"mode":       "\x1b[?2026;2$y",
	} {
		for n := range 2 * (len(reply) - 1) {
			cut, from := 1+n/2, n%2*2
			read.Go(func() {
				r, w, err := os.Pipe()
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Close()
				k := &keyboard{File: r, escape: time.Minute}
				go func() {
					defer w.Close()
					for _, piece := range []string{"\x1b[6;2", "0;10t", reply[:cut], reply[cut:], "q"}[from:] {
						_, _ = io.WriteString(w, piece)
						for k.due.Load() == 0 { // the first piece is to be read by itself
							time.Sleep(time.Millisecond)
						}
						time.Sleep(100 * time.Millisecond)
					}
				}()
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

// TestEscapeAndAKeyAreTwo: an escape that is waited for and the key after it are not
// alt with that key, while replies are due either.
func TestEscapeAndAKeyAreTwo(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"\x1b\x11": "\x1b[27u\x11", "\x1bq": "\x1b[27uq", "\x1b\x1bq": "\x1b[27u\x1b[27uq"} {
		r, w, err := os.Pipe()
		simtest.NoError(t, err)
		_, _ = io.WriteString(w, typed[:1])
		go func() {
			for _, key := range typed[1:] {
				for inputWithin(r, 0) { // until the key before it was read by itself
					time.Sleep(time.Millisecond)
				}
				_, _ = io.WriteString(w, string(key))
			}
		}()
		b := make([]byte, 4096)
		k := &keyboard{File: r, escape: time.Minute} // longer than the test: what is read ends with a key that is no beginning
		k.expect()
		n := simtest.Must(k.Read(b))(t)
		expect.Equal(t, string(b[:n]), want, typed, "is read as")
		r.Close()
		w.Close()
	}
}

// TestKeysThatLookLikeRepliesAreHandedOn: keys that look like a beginning are not kept.
func TestKeysThatLookLikeRepliesAreHandedOn(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"\x1b", "\x1b[", "\x1b]", "a\x1b", "纸\x1b", "\x1b[A\x1b", "\x1b]11;x\x07\x1b", "\x1bP", "\x1bOP", "\x1b[A",
		"\x1b]" + strings.Repeat("no end ", 100)} {
		r, w, err := os.Pipe()
		simtest.NoError(t, err)
		_, _ = io.WriteString(w, keys)
		b := make([]byte, 4096)
		k := &keyboard{File: r, escape: time.Millisecond}
		k.expect()
		n := simtest.Must(k.Read(b))(t)
		expect.Equal(t, string(b[:n]), keys, "is read as")
		r.Close()
		w.Close()
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
		_ = fakeResults{p.session}.See(p.t.Context(), "new")
		p.pass(time.Second)
		p.lacks("•1")
	}},
}
