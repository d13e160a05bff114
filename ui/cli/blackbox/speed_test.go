//go:build linux

package blackbox

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/paint"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

var (
	speedFile   = flag.String("speed", "", "measure the speed (TestSpeed) and write a Markdown table to this file")
	speedBefore = flag.String("speedbefore", "", "measure the program in this file in turns with the one built here")
	speedRounds = flag.Int("speedrounds", 5, "how often TestSpeed measures every program")
	speedIdle   = flag.Duration("speedidle", 20*time.Second, "how long TestSpeed looks at an idle program")
)

// TestSpeed measures darkroom next to the least that a Bubble Tea program does
// (testdata/floor) and, if asked for, next to an earlier darkroom, in turns, in
// a terminal of 120×40. It fails for nothing: times belong to a machine and a
// moment. What has to hold everywhere, counts and ratios, is checked by other
// tests.
func TestSpeed(t *testing.T) {
	if *speedFile == "" {
		t.Skip("it measures for several minutes and needs a quiet machine: run it alone, with -speed FILE")
	}
	service := startService(t, simtest.Options{TimeScale: 1000})
	table := &speedTable{floor: measured{}, ours: measured{}, before: measured{}}
	floor := &speedProgram{t: t, path: built(t, "darkroom/ui/cli/blackbox/testdata/floor", "floor")}
	programs := []*speedProgram{newSpeedProgram(t, service, built(t, "darkroom", "darkroom"), table.ours)}
	if *speedBefore != "" {
		programs = append(programs, newSpeedProgram(t, service, *speedBefore, table.before))
	}
	for round := range *speedRounds {
		for i := range programs {
			programs[(i+round)%len(programs)].measure()
		}
		table.floor.add("", floor.bare())
	}
	text := table.String()
	t.Log("\n" + text)
	must(t, os.WriteFile(*speedFile, []byte(text), 0o644))
}

func buildStripped(t *testing.T, file, path string) {
	t.Helper()
	t.Setenv("CGO_ENABLED", "0") // as it is released
	must(t, buildProgram(file, "-trimpath", "-ldflags=-s -w", path))
}

// speedProgram is a program that is measured, with the homes it works in.
type speedProgram struct {
	t                            *testing.T
	service                      *simtest.Server
	path                         string
	figures                      measured
	pictures, rows, few, english *home
}

func newSpeedProgram(t *testing.T, service *simtest.Server, path string, figures measured) *speedProgram {
	p := &speedProgram{t: t, service: service, path: path, figures: figures}
	binary = path
	p.pictures, p.rows = p.home(100_000, true), p.home(100_000, true)
	p.few, p.english = p.home(100, true), p.home(10_000, false)
	p.pictures.pictures(200)
	return p
}

// home is a person's home with finished jobs at the service, whose waits last
// as long as with any service.
func (s *speedProgram) home(jobs int, chinese bool) *home {
	h := newHome(s.t, s.service.URL()).with("DARKROOM_TIME_SCALE", "1")
	h.finished(jobs, s.service.URL(), chinese)
	return h
}

func (s *speedProgram) calls() int { return len(s.service.Calls()) }

// measure takes every figure of the program once.
func (s *speedProgram) measure() {
	binary = s.path
	s.figures.add("", s.jobs(s.pictures, picturePause))
	s.figures.add("gallery ", s.gallery())
	s.figures.add("rows ", s.jobs(s.rows, keyPause))
	s.figures.add("few ", s.jobs(s.few, 0))
	s.figures.add("english ", s.jobs(s.english, 0))
	s.figures.add("mute ", s.mute())
	s.figures.add("create ", s.idleOnCreate())
	s.figures.add("running ", s.twentyRunning())
	s.figures.add("short prompt ", s.prompt("harbour ", "a", 200))
	s.figures.add("long prompt ", s.prompt("清晨的港口，船还在睡", "船", 5000))
	s.figures.add("", s.commands())
}

// The output of a key has ended when nothing has come for so long; the picture
// of a row comes later, when the selection rests.
const (
	keyPause     = 25 * time.Millisecond
	picturePause = 150 * time.Millisecond
)

// jobs measures the list of Jobs; without a pause, its keys alone.
func (s *speedProgram) jobs(h *home, pause time.Duration) figures {
	p := h.watched(binary, "/ 5,000", false)
	p.write("<alt+2>")
	p.waitFor("harbour at dawn")
	p.drive(s.calls, pause)
	return p.speed
}

// bare measures the floor's list.
func (s *speedProgram) bare() figures {
	p := newHome(s.t, "").watched(s.path, "harbour at dawn", false)
	p.drive(func() int { return 0 }, keyPause)
	return p.speed
}

func (p *probe) drive(calls func() int, pause time.Duration) {
	p.quiet(500 * time.Millisecond)
	if pause == 0 {
		p.press("key ", "j", 90, keyPause) // the last key would stay on the last of 100 rows
	} else {
		p.press("key ", "j", 150, keyPause) // goes on: no picture is drawn in between
		if pause > keyPause {
			p.press("picture ", "j", 30, pause)
		}
		p.rest("idle ", calls)
		p.speed["memory"], p.speed["own memory"] = p.status("VmRSS:"), p.status("RssAnon:")
		p.hold(2000)
		p.turn()
		p.speed["peak"] = p.status("VmHWM:")
	}
	p.leave()
}

// mute measures the start on a terminal that answers no question.
func (s *speedProgram) mute() figures {
	p := s.english.watched(binary, "/ 5,000", true)
	p.leave()
	return p.speed
}

const chinesePrompt = "清晨的港口，船还在睡，雾从水面升起，一只海鸥停在桅杆上"

func (s *speedProgram) idleOnCreate() figures {
	p := s.english.watched(binary, "/ 5,000", false)
	p.write(chinesePrompt)
	p.waitFor("quoted 5 s ago") // until then it counts each second
	p.rest("", s.calls)
	p.kill()
	return p.speed
}

func (s *speedProgram) twentyRunning() figures {
	h := s.home(1000, true)
	for i := range 20 {
		h.run("image", fmt.Sprint("a pier by night ", i), "--yes", "--no-wait").wantCode(s.t, 0)
	}
	p := h.watched(binary, "/ 5,000", false)
	p.write("<alt+2>")
	p.waitFor("a pier by night")
	p.quiet(500 * time.Millisecond)
	p.rest("", s.calls)
	p.kill()
	return p.speed
}

// gallery measures the gallery of a home whose newest 200 jobs have pictures
// of their own.
func (s *speedProgram) gallery() figures {
	p := s.pictures.watched(binary, "/ 5,000", false)
	p.write("<alt+2>")
	p.waitFor("harbour at dawn")
	p.quiet(time.Second)
	p.write("g")
	p.quiet(2 * time.Second)
	p.press("", "<right>", 199, keyPause)
	p.quiet(2 * time.Second)
	p.speed["memory"] = p.status("VmRSS:")
	p.leave()
	return p.speed
}

// prompt measures a key in a prompt of so many characters.
func (s *speedProgram) prompt(text, key string, count int) figures {
	p := s.few.watched(binary, "/ 5,000", false)
	p.write("<ctrl+u>\x1b[200~" + string([]rune(strings.Repeat(text, count/len([]rune(text))+1))[:count]) + "\x1b[201~")
	p.quiet(500 * time.Millisecond)
	p.press("", key, 100, keyPause)
	p.kill()
	return p.speed
}

func (s *speedProgram) commands() figures {
	f := figures{}
	s.english.used(f, "version", "version")
	s.english.used(f, "jobs json", "jobs", "--json", "--limit", "10000")
	f["jobs json memory"] = s.english.peak("jobs", "--json", "--limit", "10000")
	info := simtest.Must(os.Stat(binary))(s.t)
	f["binary"] = float64(info.Size()) / (1 << 20)
	return f
}

// finished gives the home's store finished jobs of the service at base. Of the
// titles a fifth is Chinese, if asked for.
func (h *home) finished(n int, base string, chinese bool) {
	h.t.Helper()
	h.run("jobs").wantCode(h.t, 0) // makes the store
	every := n + 1
	if chinese {
		every = 5
	}
	h.inStore(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT ?1),
			titled(i, title) AS (SELECT i, iif(i%?3 = 0, '清晨的港口，船还在睡 ', 'harbour at dawn ') || i FROM n)
		INSERT INTO jobs(id, confirm_id, remote_id, base, kind, model, phase, title, folded, body_hash, credits, source, created_at, sent_at, ended_at, version)
		SELECT printf('id%014d', i), i, 'r' || i, ?2, 'image', 'lumen/still-1', 'done', title, title, i, 12000000, 'service',
			1700000000000+i*1000, 1700000000000+i*1000, 1700000009000+i*1000, i FROM titled`, n, base, every)
	h.inStore(`INSERT INTO details(seq, request, body, estimate) SELECT seq, json_object('prompt', title), '{}', '{}' FROM jobs`)
	h.inStore(`UPDATE counters SET n = ?1 WHERE name = 'change'`, n) // else every start takes all jobs for new
}

// pictures makes n pictures and gives each job one of them, so that the newest
// have pictures of their own.
func (h *home) pictures(n int) {
	h.t.Helper()
	folder := filepath.Join(h.dir, "pictures")
	must(h.t, os.MkdirAll(folder, 0o700))
	for i := range n {
		in := paint.Input{Kind: api.KindImage, Prompt: fmt.Sprint("harbour at dawn ", i)}
		must(h.t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%03d.png", i)), new(paint.Painter).File(in, in.Media(512)), 0o600))
	}
	h.inStore(`INSERT INTO files(seq, n, path, url, media_type, bytes, sha256) SELECT seq, 0, printf('%s/%03d.png', ?1, seq % ?2), '', 'image/png', 1, '' FROM jobs`, folder, n)
	h.inStore(`UPDATE jobs SET files = 1`)
}

func (h *home) inStore(statement string, values ...any) {
	h.t.Helper()
	db := openStore(h.t, h.storePath())
	defer db.Close()
	simtest.Must(db.Exec(statement, values...))(h.t)
}

// speedTable is what was measured of every program, round by round.
type speedTable struct {
	floor, ours, before measured
}

// speedRow is a line of the table: a figure and its goal, which is one of the
// figure itself or, if to is named, of the ratio to another figure.
type speedRow struct {
	name, unit, figure, to string
	limit                  float64
}

// The figures of the floor that ratios refer to, and the limit of what has no goal.
const (
	ofFloor = "floor "
	noGoal  = -1
)

var speedRows = []speedRow{
	{"start → first frame", "ms", "first", ofFloor + "first", 1},
	{"start → stable", "ms", "stable", ofFloor + "stable", 2.5},
	{"start → stable: processor", "ms", "start cpu", ofFloor + "start cpu", 4},
	{"key → first change, p50", "ms", "key p50", ofFloor + "key p50", 0.74},
	{"key → first change, p95", "ms", "key p95", ofFloor + "key p95", 0.69},
	{"key → first change, p99", "ms", "key p99", ofFloor + "key p99", 1.1},
	{"processor time per key", "ms", "key cpu", ofFloor + "key cpu", 1},
	{"bytes per key, median", "B", "key bytes", "", 700},
	{"bytes per key, mean", "B", "key mean bytes", "", 4000},
	{"key that rests, with its picture: output, median", "B", "picture bytes", "", noGoal},
	{"key that rests, with its picture: processor", "ms", "picture cpu", "", noGoal},
	{"lag after 2,000 keys at 1,000 a second", "ms", "lag", "", 80},
	{"resize → repainted", "ms", "resize", ofFloor + "resize", 4},
	{"resize → repainted: output", "B", "resize bytes", "", noGoal},
	{"idle on Jobs: processor", "%", "idle cpu", ofFloor + "idle cpu", 1.1},
	{"idle on Jobs: output", "B/s", "idle bytes", "", 0},
	{"idle on Jobs: requests a second", "", "idle calls", "", 0},
	{"memory, idle", "MiB", "memory", "", 28},
	{"memory, idle: its own (anonymous)", "MiB", "own memory", "", 12},
	{"memory, peak", "MiB", "peak", "", 34},
	{"rows alone: start → stable", "ms", "rows stable", ofFloor + "stable", 2},
	{"rows alone: start → stable: processor", "ms", "rows start cpu", ofFloor + "start cpu", 4},
	{"rows alone: processor time per key", "ms", "rows key cpu", ofFloor + "key cpu", 1.2},
	{"rows alone: bytes per key, median", "B", "rows key bytes", "", 500},
	{"rows alone: lag after 2,000 keys at 1,000 a second", "ms", "rows lag", "", 10},
	{"rows alone: resize → repainted", "ms", "rows resize", ofFloor + "resize", 4},
	{"rows alone: memory, idle", "MiB", "rows memory", "", 28},
	{"rows alone, English: bytes per key, median", "B", "english key bytes", "", 200},
	{"rows alone: start → stable with 100,000 jobs (next to 100)", "ms", "rows stable", "few stable", 1.1},
	{"rows alone: key, p50 with 100,000 jobs (next to 100)", "ms", "rows key p50", "few key p50", 1.1},
	{"rows alone: processor time per key with 100,000 jobs (next to 100)", "ms", "rows key cpu", "few key cpu", 1.1},
	{"start → stable, a terminal that answers nothing (next to one that does)", "ms", "mute stable", "english stable", 1.1},
	{"idle on Create, Chinese prompt: processor", "%", "create cpu", ofFloor + "idle cpu", 1.2},
	{"idle on Create, Chinese prompt: output", "B/s", "create bytes", "", 50},
	{"idle on Create, Chinese prompt: requests a second", "", "create calls", "", 0},
	{"20 jobs running: processor", "%", "running cpu", ofFloor + "idle cpu", 2},
	{"20 jobs running: output", "B/s", "running bytes", "", 400},
	{"gallery: key → first change, p50 (next to the list)", "ms", "gallery p50", "key p50", 1.2},
	{"gallery: key → first change, p99", "ms", "gallery p99", ofFloor + "key p99", 1.1},
	{"gallery of 200: memory", "MiB", "gallery memory", "", 60},
	{"key in a prompt of 200 characters: processor", "ms", "short prompt cpu", "", 1},
	{"key in a prompt of 5,000 Chinese characters: processor", "ms", "long prompt cpu", "", 10},
	{"key in a prompt of 5,000 Chinese characters: p99", "ms", "long prompt p99", "", 16.7},
	{"quit", "ms", "quit", "", 20},
	{"binary, stripped", "MiB", "binary", "", 23.5},
	{"`darkroom version`", "ms", "version", "", 10},
	{"`jobs --json`, 10,000 jobs", "ms", "jobs json", "", 250},
	{"`jobs --json`, 10,000 jobs: memory", "MiB", "jobs json memory", "", 40},
}

// String is the table in Markdown, with the goal next to each figure.
func (s *speedTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d processors, %d rounds, medians, pictures in view unless a row says otherwise; “floor” is testdata/floor, “before” an earlier darkroom, "+
		"all measured in turns.\n\n| Figure | darkroom | compared with | ratio | goal | | before | ratio to before |\n|---|---|---|---|---|---|---|---|\n",
		runtime.NumCPU(), *speedRounds)
	for _, r := range speedRows {
		of, before := s.ours[r.figure], s.before[r.figure]
		to, against, value, goal := math.NaN(), math.NaN(), median(of), fmt.Sprintf("≤ %g %s", r.limit, r.unit)
		if r.to != "" {
			values := s.ours[r.to]
			if name, ok := strings.CutPrefix(r.to, ofFloor); ok {
				values = s.floor[name]
			}
			to, against, goal = median(values), ratio(of, values), fmt.Sprintf("≤ %g ×", r.limit)
			value = against
		}
		verdict := "✗"
		switch {
		case r.limit == noGoal:
			verdict, goal = "", "–"
		case value <= r.limit:
			verdict = "✓"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s%s |\n", r.name, number(median(of), r.unit), number(to, r.unit), number(against, "×"), goal,
			verdict, number(median(before), r.unit), number(ratio(of, before), "×"), worse(of, before))
	}
	return b.String()
}

// worse marks a figure that is more than a tenth above that of the program
// before and outside the spread of its rounds.
func worse(now, before []float64) string {
	if len(before) == 0 || median(now) <= 1.1*median(before) || median(now) <= slices.Max(before) {
		return ""
	}
	return " worse"
}

func number(v float64, unit string) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case unit == "×":
		return fmt.Sprintf("%.2f ×", v)
	case unit == "B" || unit == "B/s":
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.2f %s", v, unit)
}

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
		expect.Must(p.t, time.Since(began) <= screenLimit, "the screen changes without an end", p.text())
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
	code := p.end()
	expect.Must(p.t, code == 0, "the program ended with", code)
	p.speed["quit"] = milliseconds(p.ended.Sub(pressed))
}

// cpu is the processor time of all threads of the program.
func (p *probe) cpu() time.Duration {
	p.t.Helper()
	threads := simtest.Must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid)))(p.t)
	sum := time.Duration(0)
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has ended
		}
		n := simtest.Must(strconv.ParseInt(strings.Fields(string(text))[0], 10, 64))(p.t)
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
func (h *home) used(speed figures, name string, args ...string) {
	h.t.Helper()
	var took []float64
	for range 5 {
		took = append(took, milliseconds(h.run(args...).wantCode(h.t, 0).took))
	}
	speed[name] = median(took)
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
