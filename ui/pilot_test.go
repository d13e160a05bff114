package ui

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/msg"
	"darkroom/ui/words"
)

// pilot drives an App without a terminal: it runs commands until none is left
// but those that wait for the world.
type pilot struct {
	t       *testing.T
	app     *App
	session *fakeSession
	quit    bool
	raw     []tea.Msg
	// waiting are answers of commands that took their time.
	waiting chan tea.Msg
	// inside counts the session's calls made during Update and View.
	inside int64
	// pace is the time that the keys took: it is what App sees, while the time
	// of commands stands still, and with it the age of all figures.
	pace   atomic.Int64
	within atomic.Bool // Update runs
	// watch, when set, is called after each message with what draws the App.
	watch func(draw func())
}

// flight is a test of the App from where it starts.
type flight struct {
	name string
	from start
	test func(*pilot)
}

func flyEach(t *testing.T, flights []flight) {
	t.Parallel()
	for _, f := range flights {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.from(t, f.test)
		})
	}
}

// flySizes is one test at several sizes of the terminal.
func flySizes(t *testing.T, from func(w, h int) start, sizes [][2]int, test func(*pilot)) {
	t.Parallel()
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) { from(size[0], size[1])(t, test) })
	}
}

// start makes an App, brings it somewhere and runs a test there. What makes one is not inlined: its closures would be in every flight.
type start func(t *testing.T, test func(*pilot))

//go:noinline
func (s start) then(further func(*pilot)) start {
	return func(t *testing.T, test func(*pilot)) {
		s(t, func(p *pilot) {
			further(p)
			test(p)
		})
	}
}

// fly starts in a bubble of its own time, with an App at the given size.
func fly(w, h int, prepare func(*fakeSession)) start { return flyIn("en", w, h, prepare) }

//go:noinline
func flyIn(lang string, w, h int, prepare func(*fakeSession)) start {
	return func(t *testing.T, test func(*pilot)) {
		synctest.Test(t, func(t *testing.T) {
			d := newFakeSession()
			if prepare != nil {
				prepare(d)
			}
			ctx, stop := context.WithCancel(context.Background())
			p := &pilot{t: t, session: d, waiting: make(chan tea.Msg, 256)}
			p.app = newApp(ctx, d, lang, p.clock)
			// Timers of notices end by themselves, also when a test gives up.
			defer func() {
				stop()
				time.Sleep(time.Minute)
				synctest.Wait()
			}()
			p.send(tea.WindowSizeMsg{Width: w, Height: h})
			p.do(p.app.Init())
			if p.app.at == msg.PlaceCreate && p.app.top() == nil && d.request == nil {
				p.do(p.app.show(msg.PlaceJobs)) // where most tests begin
			}
			test(p)
			p.expect(p.inside == 0, "%d calls of the session during Update and View", p.inside)
		})
	}
}

func newApp(ctx context.Context, d *fakeSession, lang string, clock func() time.Time) *App {
	a := New(ctx, Options{Session: d, SettingsFile: d, Words: words.For(lang), Clock: clock, Request: d.request,
		Env: func(string) string { return "" }})
	if d.painter != nil {
		a.env.Painter = d.painter
	}
	return a
}

// keyPause is what a person takes to look before pressing a key.
const keyPause = 2 * time.Second

// clock is the time of App and of the commands.
func (p *pilot) clock() time.Time {
	if p.within.Load() {
		return fakeNow.Add(time.Duration(p.pace.Load()))
	}
	return fakeNow
}

// send gives one message to App, draws, and runs what comes of it.
func (p *pilot) send(message tea.Msg) {
	p.t.Helper()
	before := p.session.calls.Load()
	p.within.Store(true)
	_, cmd := p.app.Update(message)
	p.within.Store(false)
	if p.watch != nil {
		p.watch(func() { p.app.View() })
	}
	p.app.View()
	p.inside += p.session.calls.Load() - before
	p.do(cmd)
}

// do runs a command. Those that wait for time or changes are left alone: a
// test sends what they would bring.
func (p *pilot) do(cmd tea.Cmd) {
	p.t.Helper()
	if cmd == nil {
		return
	}
	// A command that ends at once is answered at once; one that waits for time
	// or for the world puts its message by until the test lets time pass.
	var mu sync.Mutex
	var message tea.Msg
	late, done := false, false
	go func() {
		m := cmd()
		mu.Lock()
		defer mu.Unlock()
		if late {
			p.waiting <- m
			return
		}
		message, done = m, true
	}()
	synctest.Wait()
	mu.Lock()
	late = true
	ready := done
	mu.Unlock()
	if ready {
		p.take(message)
	}
}

// pass lets d go by and gives App what came meanwhile.
func (p *pilot) pass(d time.Duration) {
	p.t.Helper()
	p.pace.Add(int64(d))
	time.Sleep(d)
	synctest.Wait()
	for {
		select {
		case message := <-p.waiting:
			p.take(message)
			continue
		default:
		}
		return
	}
}

// take handles what a command brought.
func (p *pilot) take(message tea.Msg) {
	p.t.Helper()
	switch m := message.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			p.do(c)
		}
	case tea.QuitMsg:
		p.quit = true
	default:
		if strings.HasPrefix(reflect.TypeOf(m).PkgPath(), "charm.land/bubbletea") {
			p.raw = append(p.raw, m)
			return
		}
		p.send(message)
	}
}

// keys presses keys by name; a word of one letter is that letter. Behind a colon
// stands text that is typed, behind a bar what is pasted; a wave lets a second pass,
// two let all answers come.
func (p *pilot) keys(steps ...string) {
	p.t.Helper()
	for _, s := range steps {
		rest := s[1:]
		switch {
		case s == "~":
			p.pass(time.Second)
		case s == "~~":
			p.settle()
		case rest != "" && s[0] == ':':
			p.typed(rest)
		case rest != "" && s[0] == '|':
			p.paste(rest)
		default:
			p.pace.Add(int64(keyPause))
			p.send(keyOf(s))
		}
	}
}

// repeat presses one key several times.
func (p *pilot) repeat(times int, key string) {
	p.t.Helper()
	p.keys(slices.Repeat([]string{key}, times)...)
}

func (p *pilot) typed(s string) {
	for _, r := range s {
		p.pace.Add(int64(50 * time.Millisecond))
		p.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func keyOf(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		switch mod {
		case "ctrl":
			m.Mod |= tea.ModCtrl
		case "alt":
			m.Mod |= tea.ModAlt
		case "shift":
			m.Mod |= tea.ModShift
		}
		name = rest
	}
	named := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "space": tea.KeySpace}
	if code, ok := named[name]; ok {
		m.Code = code
		return m
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "f")); err == nil && strings.HasPrefix(name, "f") {
		m.Code = tea.KeyF1 + rune(n-1)
		return m
	}
	r := []rune(name)[0]
	m.Code = r
	if m.Mod&(tea.ModCtrl|tea.ModAlt) == 0 {
		m.Text = name
	}
	return m
}

// screen is what the terminal would show, as plain lines.
func (p *pilot) screen() string {
	p.t.Helper()
	w, h := p.app.size.W, p.app.size.H
	buf := uv.NewScreenBuffer(w, h)
	uv.NewStyledString(p.app.View().Content).Draw(buf, buf.Bounds())
	lines := strings.Split(ansi.Strip(buf.Render()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return strings.Join(lines, "\n")
}

func (p *pilot) shows(wants ...string) {
	p.t.Helper()
	got := p.screen()
	for _, want := range wants {
		expect.Must(p.t, strings.Contains(got, want), "the screen lacks", want, "\n", got)
	}
}

func (p *pilot) lacks(unwanted ...string) {
	p.t.Helper()
	got := p.screen()
	for _, s := range unwanted {
		expect.Must(p.t, !strings.Contains(got, s), "the screen has", s, "\n", got)
	}
}

func (p *pilot) expect(ok bool, format string, args ...any) {
	p.t.Helper()
	if !ok {
		p.t.Fatalf(format+"\n%s", append(args, p.screen())...)
	}
}

func (p *pilot) isAt(at msg.Place) {
	p.t.Helper()
	p.expect(p.app.at == at, "at screen %d, want %d", p.app.at, at)
}
func (p *pilot) quits(want bool) { p.t.Helper(); p.expect(p.quit == want, "it quit: %v", p.quit) }
func (p *pilot) calls(want int) {
	p.t.Helper()
	p.expect(len(p.session.called) == want, "%d tools were called, want %d", len(p.session.called), want)
}
func (p *pilot) asked(what string, want int) {
	p.t.Helper()
	p.expect(p.session.asked(what) == want, "%q was not called %d times: %v", what, want, p.session.log)
}
func (p *pilot) keeps(draft, want string) {
	p.t.Helper()
	got := p.kept(draft).Prompt
	p.expect(got == want, "the prompt is %q, want %q", got, want)
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
