//go:build linux

package blackbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// crashBinary is the program with the places where it breaks on purpose, built
// when the first test needs it.
var crashBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(binary), "darkroom-crash")
	return path, buildProgram(path, "-ldflags=-X darkroom/state/settings.breaks=yes", "darkroom")
})

func needCrashBinary(t *testing.T) string {
	t.Helper()
	path, err := crashBinary()
	expect.Must(t, err == nil, "building the program that breaks", err)
	return path
}

// atRest fails the test unless the terminal is as a shell wants it back: the
// line discipline's modes as before, and every mode that the program switched
// on switched off again at the end of its output.
func (s *terminal) atRest(before any) {
	s.t.Helper()
	after := s.modes()
	expect.Equal(s.t, any(after), before, "the line discipline")
	for mode, set := range finalModes(s.bytes()) {
		expect.Equal(s.t, set, mode == "?25" || mode == "?7", "mode", mode, "was left")
	}
	stream := string(s.bytes())
	n, m := strings.LastIndex(stream, "\x1b]9;4;3"), strings.LastIndex(stream, "\x1b]9;4;0")
	expect.That(s.t, n <= m, "the progress bar was left on")
	last := lastOf(stream, `\x1b\]7501;state=(\w+)`)
	expect.That(s.t, last == "" || last == "clear", "the program's status was left at", last)
	pushed, popped := strings.Count(stream, "\x1b[>1u"), strings.Count(stream, "\x1b[<1u")
	expect.That(s.t, pushed <= popped, "keyboard enhancements", pushed, "times pushed", popped, "times popped")
	last = lastOf(stream, `\x1b\[=(\d+)(?:;\d+)?u`)
	expect.That(s.t, last == "" || last == "0", "keyboard enhancements were left at", last)
	last = lastOf(stream, `\x1b\[>4;?(\d*)m`)
	expect.That(s.t, last == "" || last == "0", "modifyOtherKeys was left at", last)
}

func lastOf(stream, pattern string) string {
	all := regexp.MustCompile(pattern).FindAllStringSubmatch(stream, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

var privateMode = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)

// finalModes are the private modes as the stream left them.
func finalModes(stream []byte) map[string]bool {
	modes := map[string]bool{}
	for _, m := range privateMode.FindAllSubmatch(stream, -1) {
		for _, number := range strings.Split(string(m[1]), ";") {
			modes["?"+number] = string(m[2]) == "h"
		}
	}
	return modes
}

// TestWaysOut ends the screens in every way a person or a system has, and
// looks at the terminal that is left and at the exit code.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	for name, c := range map[string]struct {
		out  func(s *terminal)
		code int
	}{
		"q":            {func(s *terminal) { s.keys("<alt+2>"); s.waitFor("gallery"); s.keys("q") }, 0},
		"ctrl+q":       {func(s *terminal) { s.keys("<ctrl+q>") }, 0},
		"ctrl+c twice": {func(s *terminal) { s.keys("<ctrl+c>"); s.waitFor("again"); s.keys("<ctrl+c>") }, 0},
		"an editor":    {func(s *terminal) { s.keysTo("<ctrl+o>", "The editor ended with an error"); s.keys("<ctrl+q>") }, 0},
		"SIGINT":       {func(s *terminal) { s.signal(syscall.SIGINT) }, 130},
		"SIGTERM":      {func(s *terminal) { s.signal(syscall.SIGTERM) }, 143},
		"SIGHUP":       {func(s *terminal) { s.signal(syscall.SIGHUP) }, 129},
		"SIGQUIT":      {func(s *terminal) { s.signal(syscall.SIGQUIT) }, 131},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, service.URL()).with("EDITOR", "stty -echo; kill -INT 0; :")
			s := h.open(100, 30)
			s.t = t
			before := s.startModes
			s.waitFor("/ 5,000")
			expect.Must(t, any(s.modes()) != before, "the screens did not take the terminal: the test would see nothing")
			s.waitUntil("the screens have switched on what the test looks for", func(string) bool {
				on := finalModes(s.bytes())
				return on["?1049"] && on["?2004"] && on["?1002"]
			})
			s.keysTo("lantern", "lantern")
			c.out(s)
			s.ends(c.code)
			s.atRest(before)
			var kept string
			must(t, h.store().QueryRow(`SELECT request->>'prompt' FROM drafts WHERE name='image'`).Scan(&kept))
			expect.Equal(t, kept, "lantern", "the draft")
		})
	}
}

// TestATerminalThatTakesNothing: a signal ends screens and lines all the same.
func TestATerminalThatTakesNothing(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	lines := h.lines("--linear")
	for _, s := range []*terminal{h.screens(100, 30), lines} {
		must(t, unix.IoctlSetInt(int(s.slave.Fd()), unix.TCXONC, unix.TCOOFF))
		s.keys("lantern")
		s.signal(syscall.SIGTERM)
		await(t, "the program has ended", func() bool { return unix.Kill(s.cmd.Process.Pid, 0) != nil })
		must(t, unix.IoctlSetInt(int(s.slave.Fd()), unix.TCXONC, unix.TCOON))
		s.ends(143)
	}
}

// TestWindowClosed is a terminal window that goes away under the program.
func TestWindowClosed(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	s := h.screens(100, 30)
	_ = s.slave.Close()
	_ = s.file.Close()
	s.ends(129)
}

// TestCrashes breaks every kind of goroutine that the program has, each with
// the key in the panic's value.
func TestCrashes(t *testing.T) {
	t.Parallel()
	path := needCrashBinary(t)
	service := startService(t, simtest.Options{TimeScale: 0.2})
	for _, c := range []struct {
		where string
		job   bool // it takes a job to get there
		goes  bool // the program goes on and says so
	}{
		{where: "update@9"}, {where: "view@5"}, {where: "frame@5"}, {where: "poller@1"},
		{where: "poll@1", job: true}, {where: "download@1", job: true}, {where: "send@1", job: true},
		{where: "command@3", goes: true},
	} {
		t.Run(c.where, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, service.URL()).with("DARKROOM_CRASH", c.where)
			s := h.openProgram(path, 100, 30, false)
			s.t = t
			before := s.startModes
			switch {
			case c.goes:
				s.waitFor("broke")
				s.keys("<ctrl+q>")
			case c.job:
				s.submit("a crash")
			default:
				s.keys("abcdefghijkl")
			}
			want := 1
			if c.goes {
				want = 0
			}
			s.ends(want)
			s.atRest(before)
			checkCrashNote(t, h, s, c.goes)
		})
	}
}

func checkCrashNote(t *testing.T, h *home, s *terminal, goes bool) {
	t.Helper()
	notes := simtest.Must(filepath.Glob(filepath.Join(h.dir, "state", "darkroom", "crash-*.txt")))(t)
	expect.Must(t, len(notes) == 1, "crash notes", notes)
	expect.Equal(t, simtest.Must(os.Stat(notes[0]))(t).Mode().Perm(), 0o600, "the mode of the note")
	note := string(simtest.Must(os.ReadFile(notes[0]))(t))
	expect.Contains(t, note, "goroutine")
	expect.Contains(t, note, "CrashAt")
	for what, text := range map[string]string{"note": note, "stream": string(s.bytes())} {
		expect.Lacks(t, text, testKey, what)
		expect.Lacks(t, text, "a crash on purpose", what, "with the panic's value")
	}
	// after the alternate screen was left, if it was entered before it broke
	after := string(s.bytes())
	if _, entered := finalModes(s.bytes())["?1049"]; entered {
		_, after, _ = strings.Cut(after, "\x1b[?1049l")
	}
	expect.That(t, goes || strings.Contains(after, notes[0]), "standard error does not say where the note", notes[0], "is", after)
}

// TestCrashOfACommand: without screens the note, a sentence and exit code 1,
// never Go's 2, which promises that nothing was sent.
func TestCrashOfACommand(t *testing.T) {
	t.Parallel()
	path := needCrashBinary(t)
	service := startService(t, simtest.Options{})
	newHome(t, service.URL()).with("DARKROOM_CRASH", "send@1").run("image", "no crash", "--yes").wantCode(t, 2) // as it is released: a name that is not known
	before := creates(service)
	h := newHome(t, service.URL()).with("DARKROOM_CRASH", "send@1")
	cmd := h.command(t.Context(), "image", "a crash", "--yes", "--json")
	cmd.Path = path
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	expect.Equal(t, cmd.ProcessState.ExitCode(), 1, "exit code")
	expect.Contains(t, string(out), "crash-")
	expect.Lacks(t, errs.String()+string(out), testKey)
	document[map[string]any](t, ended{stdout: string(out), stderr: errs.String()})
	jobs := h.with("DARKROOM_CRASH", "").jobs()
	expect.That(t, len(jobs) == 1 && jobs[0].Phase == "unknown", "after the crash", jobs)
	wantCreates(t, service, before+1)
}

// TestSuspend is ctrl+z where there is no shell, and under one, and back.
func TestSuspend(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NOT TESTED: suspending needs bash")
	}
	_, h := serve(t, simtest.Options{}, "PS1", "shell> ", "HISTFILE", "/dev/null")
	alone := h.open(100, 30)
	alone.waitFor("/ 5,000")
	alone.keys("<ctrl+z>")
	alone.keysTo("still here", "still here", "10 / 5,000") // not only its echo
	alone.quits()
	s := h.openProgram(bash, 100, 30, false, "--norc", "--noprofile", "-i")
	s.waitFor("shell>")
	s.keysTo("'"+binary+"'<enter>", "/ 5,000")
	s.keysTo("kept over the rest", "kept over the rest")
	s.keys("<ctrl+z>")
	s.waitPast("/ 5,000", "Stopped") // the first prompt is seen as soon as the other screen is left
	for mode, set := range finalModes(s.bytes()) {
		if mode != "?25" && mode != "?7" && mode != "?2004" && set { // the shell pastes in brackets too
			t.Errorf("mode %s was left on for the shell", mode)
		}
	}
	s.keysTo("fg<enter>", "/ 5,000", "kept over the rest")
	s.keys("<ctrl+q>")
	s.waitPast("/ 5,000", "shell>")
	s.keysTo("echo code $?<enter>", "code 0")
	s.keys("exit<enter>")
	s.end()
}

// TestSizes: every size draws something, and no storm of sizes breaks it.
func TestSizes(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	for _, size := range [][2]int{{1, 1}, {10, 3}, {59, 15}, {60, 16}, {300, 90}} {
		t.Run(strconv.Itoa(size[0])+"x"+strconv.Itoa(size[1]), func(t *testing.T) {
			t.Parallel()
			s := newHome(t, service.URL()).open(size[0], size[1])
			s.t = t
			s.waitUntil("something is drawn", func(screen string) bool { return strings.TrimSpace(screen) != "" })
			s.keys("<alt+2><alt+3><alt+1>x<tab><ctrl+s>")
			s.quits()
			s.atRest(s.startModes)
		})
	}
	t.Run("storm", func(t *testing.T) {
		t.Parallel()
		s := newHome(t, service.URL()).open(80, 24)
		s.t = t
		s.waitFor("/ 5,000")
		for i := range times(150, 3000) {
			s.resize(1+i*37%200, 1+i*11%60)
			if i%10 == 0 {
				s.keys("<alt+" + strconv.Itoa(1+i/10%3) + ">")
			}
		}
		s.resize(100, 30)
		s.keysTo("<alt+1>", "/ 5,000")
		s.quits()
	})
}

// TestNoTerminal: without a terminal exit 3 and one line.
func TestNoTerminal(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	e := h.run().wantCode(t, 3).says(t, "terminal")
	expect.Equal(t, e.stdout, "", "standard output")
	expect.Lacks(t, strings.TrimSpace(e.stderr), "\n", "more than a line")
	h.run("demo").wantCode(t, 3)
	h.run("--linear").wantCode(t, 3)
}

// TestMuteTerminal: a terminal that answers no question gets its first frame
// all the same.
func TestMuteTerminal(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	s := h.openProgram(binary, 100, 30, true)
	s.waitFor("/ 5,000")
	s.keysTo("typed into silence", "typed into silence")
	s.quits()
	s.atRest(s.startModes)
}

// TestFloodAndPaste: 2,000 keys while jobs change, and a page of Chinese text
// with line ends: nothing breaks, nothing is lost, nothing is sent.
func TestFloodAndPaste(t *testing.T) {
	service, h := begin(t, simtest.Options{TimeScale: 0.05})
	for i := range 3 {
		h.run("image", fmt.Sprintf("running %d", i), "--yes", "--no-wait").wantCode(t, 0)
	}
	sent := creates(service)
	s := h.screens(120, 40)
	count := times(2000, 4000) // with the page, what a prompt holds
	const row = "0123456789"
	for i := range count / len(row) {
		s.write(row)
		if i%20 == 0 {
			time.Sleep(time.Millisecond) // keys come in handfuls
		}
	}
	s.keysTo("END", "END")
	s.waitFor(grouped(count+3) + " / 5,000")
	page := strings.Repeat("黄昏的港口，渔船归来。\r\n灯塔亮了\n\n", 40)
	for _, at := range []string{"", "<ctrl+s>"} { // into the prompt, and over the review
		s.keys(at)
		if at != "" {
			s.waitFor("Send this")
		}
		s.keys("\x1b[200~" + page + "\r\x1b[201~")
		if at == "" {
			s.waitFor("灯塔亮了")
		}
	}
	s.keys("cc") // after the paste the review is there still
	s.waitFor("curl --request POST")
	wantCreates(t, service, sent)
	s.quits()
	t.Logf("%d keys and %d pasted characters, %d bytes drawn", count, 2*len([]rune(page)), len(s.bytes()))
}

// grouped is a count below a million as the screens write it.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
