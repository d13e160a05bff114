//go:build linux

package blackbox

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// probe measures a program in a terminal.
type probe struct {
	*terminal
	speed figures
}

// figures are what was measured of one run, by name.
type figures map[string]float64

// watched starts a program and measures its start: the time to the first frame
// that shows anything, and to the last change of a screen that shows want.
func (h *home) watched(path, want string, mute bool) *probe {
	h.t.Helper()
	p := &probe{terminal: h.openProgram(path, 120, 40, mute), speed: figures{}}
	p.waitUntil("anything is shown", func(screen string) bool { return strings.TrimSpace(screen) != "" })
	p.speed["first"] = milliseconds(p.latest().at.Sub(p.started))
	p.waitFor(want)
	p.speed["stable"] = milliseconds(p.quiet(250 * time.Millisecond).at.Sub(p.started))
	p.speed["start cpu"] = milliseconds(p.cpu())
	return p
}

// latest is the last moment at which output came.
func (p *probe) latest() written {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.writes) == 0 {
		return written{at: p.started}
	}
	return p.writes[len(p.writes)-1]
}

// quiet waits until nothing has been written for so long.
func (p *probe) quiet(pause time.Duration) written {
	p.t.Helper()
	began := time.Now()
	for {
		last := p.latest()
		since := last.at
		if since.Before(began) {
			since = began
		}
		rest := pause - time.Since(since)
		if rest <= 0 {
			return last
		}
		if time.Since(began) > screenLimit {
			p.t.Fatalf("the screen changes without an end:\n%s", p.text())
		}
		time.Sleep(rest)
	}
}

// after waits for the first output since there was so much of it.
func (p *probe) after(total int) written {
	p.t.Helper()
	limit := time.NewTimer(screenLimit)
	defer limit.Stop()
	for {
		p.mu.Lock()
		n, _ := slices.BinarySearchFunc(p.writes, total+1, func(w written, n int) int { return w.total - n })
		if n < len(p.writes) {
			defer p.mu.Unlock()
			return p.writes[n]
		}
		p.mu.Unlock()
		select {
		case <-p.drawn:
		case <-p.done:
			p.t.Fatal("the program ended before it answered")
		case <-limit.C:
			p.t.Fatalf("nothing was drawn within %v. The screen:\n%s", screenLimit, p.text())
		}
	}
}

// press measures keys one after the other: the time to the first output after
// each, and the processor time and bytes of each.
func (p *probe) press(prefix, key string, count int, pause time.Duration) {
	p.t.Helper()
	var took, bytes []float64
	busy, before := p.cpu(), p.quiet(100*time.Millisecond).total
	for range count {
		total := p.latest().total
		pressed := time.Now()
		p.write(key)
		took = append(took, milliseconds(p.after(total).at.Sub(pressed)))
		bytes = append(bytes, float64(p.quiet(pause).total-total))
	}
	slices.Sort(took)
	p.speed[prefix+"p50"], p.speed[prefix+"p95"], p.speed[prefix+"p99"] = took[count/2], took[count*95/100], took[count*99/100]
	p.speed[prefix+"cpu"] = milliseconds(p.cpu()-busy) / float64(count)
	p.speed[prefix+"bytes"], p.speed[prefix+"mean bytes"] = median(bytes), float64(p.latest().total-before)/float64(count)
}

// hold measures how long the screen goes on changing after many keys at 1,000
// a second.
func (p *probe) hold(count int) {
	p.t.Helper()
	began := time.Now()
	for i := range count {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Millisecond)))
		p.write("j")
	}
	released := time.Now()
	p.speed["lag"] = max(0, milliseconds(p.quiet(300*time.Millisecond).at.Sub(released)))
}

// turn measures changes of the terminal's size, to the last output of each.
func (p *probe) turn() {
	p.t.Helper()
	var took []float64
	before := p.latest().total
	for i := range 7 {
		total := p.latest().total
		resized := time.Now()
		p.resize(120+i%2, 40)
		p.after(total)
		took = append(took, milliseconds(p.quiet(100*time.Millisecond).at.Sub(resized)))
	}
	p.speed["resize"], p.speed["resize bytes"] = median(took), float64(p.latest().total-before)/float64(len(took))
}

// rest measures the time in which nothing is pressed.
func (p *probe) rest(prefix string, calls func() int) {
	p.t.Helper()
	p.quiet(500 * time.Millisecond)
	busy, before, asked, began := p.cpu(), p.latest().total, calls(), time.Now()
	time.Sleep(*speedIdle)
	seconds := time.Since(began).Seconds()
	p.speed[prefix+"cpu"] = 100 * (p.cpu() - busy).Seconds() / seconds
	p.speed[prefix+"bytes"] = float64(p.latest().total-before) / seconds
	p.speed[prefix+"calls"] = float64(calls()-asked) / seconds
}

// status is a figure of the program's memory, in MiB.
func (p *probe) status(name string) float64 { return statusMiB(p.cmd.Process.Pid, name) }

// leave measures the way out.
func (p *probe) leave() {
	p.t.Helper()
	pressed := time.Now()
	p.write("<ctrl+q>")
	if code := p.end(); code != 0 {
		p.t.Fatalf("the program ended with %d", code)
	}
	p.speed["quit"] = milliseconds(p.ended.Sub(pressed))
}

// cpu is the processor time of all threads of the program.
func (p *probe) cpu() time.Duration {
	p.t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	must(p.t, err)
	sum := time.Duration(0)
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has ended
		}
		n, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		must(p.t, err)
		sum += time.Duration(n)
	}
	return sum
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// used measures a command: how long it took, and the most memory it held.
func (h *home) used(speed figures, name string, args ...string) ended {
	h.t.Helper()
	var took []float64
	var e ended
	for range 5 {
		e = h.run(args...).wantCode(h.t, 0)
		took = append(took, milliseconds(e.took))
	}
	speed[name] = median(took)
	return e
}

// peak is the most memory that a command holds until its end, in MiB. The
// kernel's figure of an ended process counts that of the test as well, from
// which it was forked.
func (h *home) peak(args ...string) float64 {
	h.t.Helper()
	cmd := h.command(h.t.Context(), args...)
	must(h.t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	most := 0.0
	for {
		select {
		case err := <-done:
			must(h.t, err)
			return most
		case <-time.After(time.Millisecond):
			most = max(most, statusMiB(cmd.Process.Pid, "VmHWM:"))
		}
	}
}

// statusMiB is a figure of a running process, 0 when it has ended.
func statusMiB(pid int, name string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); fields[0] == name {
			kib, _ := strconv.ParseFloat(fields[1], 64)
			return kib / 1024
		}
	}
	return 0
}

// measured collects the figures of several rounds.
type measured map[string][]float64

func (m measured) add(prefix string, f figures) {
	for name, v := range f {
		m[prefix+name] = append(m[prefix+name], v)
	}
}

// ratio is the median of the rounds' ratios of one figure to another one.
func ratio(of, to []float64) float64 {
	var list []float64
	for i := range min(len(of), len(to)) {
		list = append(list, of[i]/to[i])
	}
	return median(list)
}

// built builds a program for the measurements, stripped as in a release.
func built(t *testing.T, path, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	buildStripped(t, file, path)
	return file
}
