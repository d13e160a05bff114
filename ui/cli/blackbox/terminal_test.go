//go:build linux

package blackbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// terminal is the program under test in a pseudo terminal with an emulator
// behind it, as a person would have it.
type terminal struct {
	t       *testing.T
	cmd     *exec.Cmd
	file    *os.File
	slave   *os.File
	answers io.Writer     // takes the emulator's, to the program's questions
	done    chan struct{} // closed when the program has ended and all was read

	mu     sync.Mutex
	screen *vt.Emulator
	stream []byte        // every byte the program wrote
	writes []written     // when it came
	drawn  chan struct{} // a token whenever something was written

	cols, rows int           // guarded by mu
	reading    time.Duration // pause before keys
	startModes unix.Termios  // the line discipline's settings before the program

	started, ended time.Time // ended is set before done is closed
}

// written is a moment at which the program's output came, and how much of it
// there was then.
type written struct {
	at    time.Time
	total int
}

// output is a piece of what the program wrote.
type output struct {
	text []byte
	at   time.Time
}

// open starts the program in a terminal of the size.
func (h *home) open(cols, rows int, args ...string) *terminal {
	h.t.Helper()
	return h.openProgram(binary, cols, rows, false, args...)
}

// screens opens the screens, with the prompt's room and the texts in view.
func (h *home) screens(cols, rows int, texts ...string) *terminal {
	h.t.Helper()
	s := h.open(cols, rows)
	s.waitFor(append(texts, "/ 5,000")...)
	return s
}

// openProgram starts any program in a terminal; a mute one answers no
// question.
func (h *home) openProgram(path string, cols, rows int, mute bool, args ...string) *terminal {
	h.t.Helper()
	master, slave, err := pty.Open()
	must(h.t, err)
	size := &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}
	must(h.t, pty.Setsize(master, size))
	term := &terminal{t: h.t, file: master, slave: slave, cols: cols, rows: rows,
		done: make(chan struct{}), drawn: make(chan struct{}, 1), reading: h.reading(args)}
	term.cmd = h.command(context.WithoutCancel(h.t.Context()), args...)
	if path != binary {
		term.cmd.Path, term.cmd.Args[0] = path, path
	}
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = slave, slave, slave
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	term.startModes = term.modes()
	term.started = time.Now()
	must(h.t, term.cmd.Start())
	if term.answers = master; mute {
		term.answers = io.Discard
	}
	term.emulate()
	go term.read()
	h.t.Cleanup(func() { term.kill() })
	return term
}

// read feeds the emulator until the program has ended and nothing is left. The
// terminal side stays open, so that its modes can be read afterwards.
func (s *terminal) read() {
	ended := make(chan struct{})
	go func() { _ = s.cmd.Wait(); s.ended = time.Now(); close(ended) }()
	chunks := make(chan output, 256)
	go func() {
		defer close(chunks)
		buffer := make([]byte, 32<<10)
		for {
			n, err := s.file.Read(buffer)
			if n > 0 {
				chunks <- output{append([]byte(nil), buffer[:n]...), time.Now()}
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case chunk, ok := <-chunks:
			if !ok {
				<-ended
				close(s.done)
				return
			}
			s.take(chunk)
			select {
			case s.drawn <- struct{}{}:
			default:
			}
		case <-ended:
			s.drain(chunks)
			close(s.done)
			go func() {
				for range chunks {
				}
			}()
			return
		}
	}
}

// endMark is what drain writes; no program does.
const endMark = "\x1b_the program has ended\x1b\\"

// drain takes what is left of a program that has ended: all that comes before a
// mark that is written into the terminal now. There is none where the test has
// closed the terminal, or while its output is stopped.
func (s *terminal) drain(chunks <-chan output) {
	unmarked := make(chan struct{})
	go func() {
		if _, err := s.slave.WriteString(endMark); err != nil {
			close(unmarked)
		}
	}()
	limit := time.NewTimer(screenLimit)
	defer limit.Stop()
	var rest []byte
	for marked := false; !marked; {
		select {
		case chunk, ok := <-chunks:
			rest = append(rest, chunk.text...)
			marked = !ok || bytes.Contains(rest, []byte(endMark))
		case <-unmarked:
			marked = true
		case <-limit.C:
			marked = true
		}
	}
	rest, _, _ = bytes.Cut(rest, []byte(endMark))
	s.take(output{rest, time.Now()})
}

// take keeps a piece of output and shows it.
func (s *terminal) take(o output) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream = append(s.stream, o.text...)
	s.writes = append(s.writes, written{o.at, len(s.stream)})
	s.feed(o.text)
}

// emulate puts a new emulator in place and takes its answers: one that nobody
// takes would stop it, and whoever looks at the screen, for ever.
func (s *terminal) emulate() {
	screen := vt.NewEmulator(s.cols, s.rows)
	s.screen = screen
	// A program that is busy reads none for a while, and its output is taken all the same.
	answers := make(chan []byte, 4096)
	go func() {
		for text := range answers {
			_, _ = s.answers.Write(text) // it may be closed
		}
	}()
	go func() {
		defer close(answers)
		for b := make([]byte, 4096); ; {
			n, err := screen.Read(b)
			if err != nil {
				return
			}
			answers <- bytes.Clone(b[:n])
		}
	}()
}

// feed gives the emulator what the program wrote. The emulator itself panics
// when its size changes at the wrong moment: an empty one takes its place,
// which the program's next full frame fills. The lock is held.
func (s *terminal) feed(chunk []byte) {
	defer func() {
		if recover() != nil {
			s.emulate()
		}
	}()
	_, _ = s.screen.Write(chunk)
}

// text is what is on the screen now.
func (s *terminal) text() string {
	return simtest.Read(&s.mu, func() string { return s.screen.String() })
}

// bytes is everything the program wrote so far.
func (s *terminal) bytes() []byte {
	return simtest.Read(&s.mu, func() []byte { return append([]byte(nil), s.stream...) })
}

// keys sends keys as a terminal does: text as it is, and names in angle brackets for the others.
// They come after the pause of a person who reads what is shown, and the enter that ends a text
// after another one: without it a key confirms nothing.
func (s *terminal) keys(text string) {
	s.t.Helper()
	s.pause()
	if typed, ended := strings.CutSuffix(text, "<enter>"); ended && typed != "" {
		s.write(typed)
		s.pause()
		text = "<enter>"
	}
	s.write(text)
}

// keysTo presses keys that lead to all of the texts.
func (s *terminal) keysTo(text string, texts ...string) {
	s.t.Helper()
	s.keys(text)
	s.waitFor(texts...)
}

// pause waits until the program has handled all that was typed, and then as long
// as a person reads.
func (s *terminal) pause() {
	s.idle()
	time.Sleep(s.reading)
}

// idleLimit is how long a program that is never idle is waited for.
const idleLimit = 3 * time.Second

// idle waits until the program has read all that was typed and all of its threads
// wait for something else: on a busy machine that may be long after it was typed.
func (s *terminal) idle() {
	limit := time.Now().Add(idleLimit)
	for quiet := 0; quiet < 3 && time.Now().Before(limit); {
		select {
		case <-s.done:
			return
		case <-time.After(5 * time.Millisecond):
		}
		if quiet++; s.unread() > 0 || strings.ContainsAny(threads(s.cmd.Process.Pid), "RD") {
			quiet = 0
		}
	}
}

// unread is how much of what was typed the program has not read.
func (s *terminal) unread() int {
	n, _ := unix.IoctlGetInt(int(s.slave.Fd()), unix.TIOCINQ)
	return n
}

// threads are the states of a process's threads, a letter each as in proc(5): R
// has a processor or waits for one, D waits for a disk, T is stopped.
func threads(pid int) (states string) {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	all, _ := os.ReadDir(tasks) // not a pattern: to match "*/stat", every file of every thread is listed
	for _, one := range all {
		stat, _ := os.ReadFile(filepath.Join(tasks, one.Name(), "stat"))
		if _, state, there := strings.Cut(string(stat), ") "); there {
			states += state[:1]
		}
	}
	return states
}

// readingPause is longer than the time in which keys confirm nothing, and than
// the one in which they do nothing on a screen that changed by itself.
const readingPause = 1100 * time.Millisecond

// reading is that pause at the program's time scale, which the screens obey
// when they know from the start that the service is on this machine. Questions
// in lines wait 300 ms at any scale.
func (h *home) reading(args []string) time.Duration {
	if len(args) > 0 && args[0] != "demo" || h.env["TERM"] == "dumb" {
		return 400 * time.Millisecond
	}
	scale, err := strconv.ParseFloat(h.env["DARKROOM_TIME_SCALE"], 64)
	if err != nil || h.env["DARKROOM_BASE_URL"] == "" {
		return readingPause
	}
	return max(time.Duration(float64(readingPause)*scale), 50*time.Millisecond)
}

// write sends keys in one write, as a terminal does with what is pasted.
func (s *terminal) write(text string) {
	s.t.Helper()
	for name, sequence := range map[string]string{
		"<enter>": "\r", "<esc>": "\x1b", "<tab>": "\t", "<ctrl+s>": "\x13", "<ctrl+c>": "\x03", "<ctrl+q>": "\x11",
		"<ctrl+z>": "\x1a", "<ctrl+k>": "\x0b", "<ctrl+t>": "\x14", "<ctrl+o>": "\x0f", "<down>": "\x1b[B", "<up>": "\x1b[A",
		"<left>": "\x1b[D", "<right>": "\x1b[C", "<alt+1>": "\x1b1", "<alt+2>": "\x1b2", "<alt+3>": "\x1b3", "<alt+4>": "\x1b4", "<ctrl+x>": "\x18", "<f1>": "\x1bOP",
	} {
		text = strings.ReplaceAll(text, name, sequence)
	}
	must(s.t, s.file.SetWriteDeadline(time.Now().Add(runLimit))) // a program may take nothing
	must(s.t, expect.Err(s.file.WriteString(text)))
	must(s.t, s.file.SetWriteDeadline(time.Time{}))
}

// waitFor waits until the screen shows all of the texts.
func (s *terminal) waitFor(texts ...string) string {
	s.t.Helper()
	return s.waitUntil("the screen shows "+strings.Join(texts, " and "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// waitPast waits until the screen shows a text and no longer another one.
func (s *terminal) waitPast(gone, text string) {
	s.t.Helper()
	s.waitUntil("the screen shows "+text+" and no longer "+gone, func(screen string) bool {
		return strings.Contains(screen, text) && !strings.Contains(screen, gone)
	})
}

// screenLimit is how long a screen may take to show what is waited for.
const screenLimit = 30 * time.Second

func (s *terminal) waitUntil(what string, met func(screen string) bool) string {
	s.t.Helper()
	limit, again := time.NewTimer(screenLimit), time.NewTicker(100*time.Millisecond) // not all that is waited for is drawn
	defer limit.Stop()
	defer again.Stop()
	for {
		screen := s.text()
		if met(screen) {
			return screen
		}
		select {
		case <-s.drawn:
		case <-again.C:
		case <-s.done:
			if screen = s.text(); met(screen) {
				return screen
			}
			s.t.Fatalf("the program ended before %s:\n%s", what, screen)
		case <-limit.C:
			s.t.Fatalf("not within %v: %s. The screen:\n%s", screenLimit, what, screen)
		}
	}
}

func (s *terminal) quit()  { s.t.Helper(); s.keys("<ctrl+q>"); s.end() }
func (s *terminal) quits() { s.t.Helper(); s.keys("<ctrl+q>"); s.ends(0) }

// ends waits for the end, which has this code.
func (s *terminal) ends(want int) {
	s.t.Helper()
	expect.Equal(s.t, s.end(), want, "exit code")
}

// end waits for the program's end and gives its exit code, or minus the signal
// that killed it.
func (s *terminal) end() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(screenLimit):
		s.t.Fatalf("the program did not end within %v. The screen:\n%s", screenLimit, s.text())
	}
	status := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -int(status.Signal())
	}
	return status.ExitStatus()
}

func (s *terminal) signal(sig syscall.Signal) { _ = s.cmd.Process.Signal(sig) }

// kill ends the program at once, if it still runs.
func (s *terminal) kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
	_ = s.slave.Close()
	_ = s.file.Close()
}

// modes are the line discipline's settings; equal before and after means that
// the terminal was given back as it was.
func (s *terminal) modes() unix.Termios {
	s.t.Helper()
	modes := simtest.Must(unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS))(s.t)
	return *modes
}

func (s *terminal) resize(cols, rows int) {
	s.mu.Lock()
	s.cols, s.rows = cols, rows
	s.screen.Resize(cols, rows)
	s.mu.Unlock()
	must(s.t, pty.Setsize(s.file, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}))
	s.signal(syscall.SIGWINCH)
}

// submit writes a prompt, reviews it and sends it.
func (s *terminal) submit(prompt string) {
	s.t.Helper()
	s.waitFor("/ 5,000")
	s.keysTo(prompt, prompt, "credits")
	s.review()
	s.keys("<enter>")
}

// toJobs goes to the jobs once the review is closed: sending stays in Create.
func (s *terminal) toJobs() {
	s.t.Helper()
	s.waitUntil("the review is closed", func(screen string) bool { return !strings.Contains(screen, "/api/v1/") })
	s.keys("<alt+2>")
}

// review opens the review and waits until it has its price: before that, enter
// does nothing but say so.
func (s *terminal) review() {
	s.t.Helper()
	s.keys("<ctrl+s>")
	s.waitPast("asking the service", "/api/v1/")
}

// TestEmulatorInPlaceOfAnother: the second one's answers are taken as well.
func TestEmulatorInPlaceOfAnother(t *testing.T) {
	t.Parallel()
	asked, answered := io.Pipe()
	s := &terminal{t: t, cols: 20, rows: 5, answers: answered}
	s.emulate()
	s.emulate()
	go s.feed([]byte("\x1b[c"))
	got := make(chan error, 1)
	go func() {
		_, err := asked.Read(make([]byte, 64))
		got <- err
	}()
	select {
	case err := <-got:
		must(t, err)
	case <-time.After(screenLimit):
		t.Error("nobody takes the answers of an emulator that took another's place")
	}
}
