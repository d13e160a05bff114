//go:build linux

package blackbox

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"darkroom/api/sim/simtest"
)

// TestHostileAnswersOnScreen shows hostile answers in a terminal: by the
// screens, on which a hasty hand walks about, and by every command that prints
// what the service said.
func TestHostileAnswersOnScreen(t *testing.T) {
	t.Parallel()
	service := startHostile(t)
	h := newHome(t, service.URL).with("DARKROOM_TIME_SCALE", "0.001")
	want := times(25, 1000)
	service.turn("*", want)
	began := time.Now()
	s := h.open(110, 32)
	s.waitUntil("something is drawn", func(screen string) bool { return len(strings.TrimSpace(screen)) > 0 })
	before, ran := rss(t, s), 0
	left, given := want, began // and when one was given last
	for round := 0; left > 0; round++ {
		if n := service.remaining(); n < left {
			left, given = n, time.Now()
		} else if time.Since(given) > runLimit {
			t.Fatalf("after %v %d hostile answers are left, none was given within %v. The screen:\n%s", time.Since(began), left, runLimit, s.text())
		}
		walk(s, h, round)
		ran += printing(t, h, round)
		checkScreen(t, s)
	}
	grown := rss(t, s) - before
	if grown > mostGrowth {
		t.Errorf("the program grew by %d MiB, want at most 32", grown>>20)
	}
	leave(s)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d after all that, want 0. The screen:\n%s", code, s.text())
	}
	checkStream(t, s.bytes())
	if notes := crashNotes(t, h); notes != "" {
		t.Error(notes)
	}
	service.mu.Lock()
	defer service.mu.Unlock()
	for body, n := range service.bodies {
		if n > 1+service.rated[body] {
			t.Errorf("sent %d times: %s", n, body)
		}
	}
	t.Logf("%v hostile answers shown by one window and %d commands in %v: %d bodies sent, the window grew by %d KiB, wrote %d KiB",
		service.given, ran, time.Since(began).Round(time.Millisecond), len(service.bodies), grown>>10, len(s.bytes())>>10)
}

// TestPathsSteerNoTerminal: folders and files whose names hold what steers a terminal
// or turns the reading order are shown without it, by every command, in the linear
// mode and on the screens.
func TestPathsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	const name = "a\x1b[31mb\u202ec"
	h := homeAt(t, filepath.Join(t.TempDir(), name), startService(t, simtest.Options{}).URL()).
		with("DARKROOM_OPENER", "/bin/true", "HOME", t.TempDir())
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	done := h.jobs()[0]
	check := func(s *terminal, what string) {
		if stream := s.bytes(); bytes.Contains(stream, []byte(name[1:])) {
			t.Errorf("%s writes %q", what, around(stream, bytes.Index(stream, []byte(name[1:]))))
		} else {
			checkStream(t, stream)
		}
	}
	missing := filepath.Join(h.dir, name)
	lines := [][]string{
		{"edit", missing}, {"image", "@" + missing, "--yes"}, {"image", "x", "--output", missing + "/", "--yes"}, {"image", missing, "--yes"},
		{"image", "x", "--image-url", "/" + name, "--yes"}, {"tools", "call", "list_models", "@" + missing}, {"export", "--html", h.dir},
		{"job", name}, {name}, {"jobs", "--" + name}, {"jobs", "--filter", name}, {"jobs", "--limit", name}, {"tools", "config", name},
	}
	for _, path := range slices.Sorted(maps.Keys(helpPages())) {
		if c := (commandUse{t: t, path: path, use: uses[path], job: done}); c.use.code != 3 && path != "darkroom simulate" && path != "darkroom mcp" && path != "darkroom watch" {
			lines = append(lines, c.line())
		}
	}
	for _, args := range append(lines, []string{"doctor", "--report"}, []string{"fetch", done.ID, "--json"}) {
		s := h.open(100, 30, args...)
		s.end()
		check(s, strings.Join(args, " "))
	}
	l := h.lines()
	l.waitFor("image>")
	for _, typed := range [][2]string{
		{"/job " + done.ID, "file  "}, {"/fetch " + done.ID, ".png"}, {"a kite", "Send it? [y/N]"}, {"y", "· done · image · a kite"}, {"/doctor", "tool protocol"},
	} {
		l.says(typed[0], typed[1])
	}
	l.write("/quit\r")
	l.end()
	check(l, "the linear mode")
	s := h.open(130, 40)
	s.waitFor("/ 5,000")
	s.toJobs()
	s.keys("i")
	s.waitFor("a\ufffd[31mb\ufffdc/pictures")
	press(s, "<esc>", "<enter>", "i", "<esc>", "<esc>", "E", "<enter>", "<alt+4>", "c", "<esc>")
	checkScreen(t, s)
	leave(s)
	check(s, "the screen")
}

// press sends keys one by one, as a hasty hand does. An escape that is followed
// within 50 ms by another key is that key with alt. Only before enter there is
// the pause without which it confirms nothing.
func press(s *terminal, keys ...string) {
	for _, key := range keys {
		if key == "<enter>" {
			s.keys(key)
		} else {
			s.write(key)
		}
		pause := 15 * time.Millisecond
		if key == "<esc>" {
			pause = 80 * time.Millisecond
		}
		select {
		case <-s.done:
		case <-time.After(pause):
		}
	}
}

// leave quits as a person does who waits for what a key does, and presses again
// when a busy machine took escape and the next key for one.
func leave(s *terminal) {
	for range 10 {
		for _, key := range []string{"<esc>", "<esc>", "<ctrl+q>"} {
			s.keys(key)
			select {
			case <-s.done:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
}

// walk presses keys on every screen, with a moment for each to be drawn.
func walk(s *terminal, h *home, round int) {
	for _, keys := range []string{
		"<alt+1>", fmt.Sprintf("screen picture %d ", round), "<ctrl+s>", "<enter>", "<esc>", "<esc>",
		"<alt+2>", "r", "i", "<esc>", "j", "i", "<esc>", "R", "<alt+3>", "<down>", "<alt+2>",
	} {
		select {
		case <-s.done:
			s.t.Fatalf("the program ended by itself. The screen:\n%s%s", s.text(), crashNotes(s.t, h))
		default:
		}
		press(s, keys)
		if strings.Contains(s.text(), "API key") && strings.Contains(s.text(), "refused") {
			s.keys(testKey + "<enter>")
		}
	}
}

// crashNotes is what the program wrote down when it broke.
func crashNotes(t *testing.T, h *home) string {
	t.Helper()
	paths := simtest.Must(filepath.Glob(filepath.Join(h.env["XDG_STATE_HOME"], "darkroom", "*crash*")))(t)
	var all strings.Builder
	for _, path := range paths {
		note := simtest.Must(os.ReadFile(path))(t)
		all.Write(note)
	}
	return all.String()
}

// printing runs commands in a terminal, each to its end.
func printing(t *testing.T, h *home, round int) int {
	t.Helper()
	list := [][]string{
		{"models"},
		{"image", fmt.Sprintf("printed picture %d", round), "--model", "lumen/still-1", "--yes", "--timeout", "300ms"},
		{"estimate", "image", "x", "--model", "lumen/still-1"},
		{"jobs"},
	}
	for _, args := range list {
		s := h.open(100, 30, args...)
		s.end() // any code, but an end
		stream := s.bytes()
		checkStream(t, stream)
		if bytes.Contains(stream, []byte("goroutine ")) {
			t.Fatalf("darkroom %v panicked:\n%s", args, stream)
		}
	}
	return len(list)
}

// rss is the memory of the program in bytes.
func rss(t *testing.T, s *terminal) int64 { return memoryOf(t, s, "VmRSS:") }

// memoryOf is a figure of memory that the system has of a program, in bytes.
func memoryOf(t *testing.T, s *terminal, figure string) int64 {
	t.Helper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Skipf("no figures of a process here: %v", err)
	}
	_, rest, _ := strings.Cut(string(content), figure)
	line, _, _ := strings.Cut(rest, "\n")
	kib := simtest.Must(strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "kB")), 10, 64))(t)
	return kib << 10
}

// checkScreen looks at what the emulator made of it.
func checkScreen(t *testing.T, s *terminal) {
	t.Helper()
	for line := range strings.Lines(s.text()) {
		if found := steering(strings.TrimRight(line, "\n")); found != "" {
			t.Fatalf("the screen shows %s: %q", found, line)
		}
	}
}

// checkStream reads all that was written as a terminal does and finds what the
// renderer would never write by itself.
func checkStream(t *testing.T, stream []byte) {
	t.Helper()
	for _, p := range payloads {
		if strings.IndexFunc(p, func(r rune) bool { return r == 0x1b || r >= 0x80 && r <= 0x9f || r >= 0x2000 && r < 0x2070 }) >= 0 && bytes.Contains(stream, []byte(p)) {
			t.Fatalf("the payload %q reached the terminal: %q", p, around(stream, bytes.Index(stream, []byte(p))))
		}
	}
	for i := 0; i < len(stream); {
		if stream[i] == 0x1b {
			n, text := sequence(stream[i:])
			if bytes.Contains(text, []byte("PWN")) || bytes.Contains(text, []byte("UFdO")) || bytes.Contains(text, []byte("pwn.")) {
				t.Fatalf("a payload steers the terminal: %q", text)
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRune(stream[i:])
		if r == utf8.RuneError && n == 1 {
			if len(stream)-i < utf8.UTFMax {
				return // cut at the end
			}
			t.Fatalf("bytes that are no text reached the terminal: %q", around(stream, i))
		}
		switch r {
		case '\n', '\r', '\t', '\b':
		default:
			if found := steering(string(r)); found != "" {
				t.Fatalf("%s reached the terminal: %q", found, around(stream, i))
			}
		}
		i += n
	}
}

// sequence is the escape sequence at the beginning: its length and bytes.
func sequence(b []byte) (int, []byte) {
	if len(b) < 2 {
		return len(b), b
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1, b[:i+1]
			}
		}
		return len(b), b
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1, b[:i+1]
			}
			if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2, b[:i+2]
			}
		}
		return len(b), b
	}
	return 2, b[:2]
}

func around(b []byte, i int) []byte { return b[max(0, i-120):min(len(b), i+40)] }
