//go:build linux

package blackbox

import (
	"database/sql"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

var (
	speedFile   = flag.String("speed", "", "measure the speed (TestSpeed) and write a Markdown table to this file")
	speedRounds = flag.Int("speedrounds", 5, "how often TestSpeed measures a pair of programs")
	speedIdle   = flag.Duration("speedidle", 20*time.Second, "how long TestSpeed looks at an idle program")
)

// TestSpeed measures darkroom beside the least that a Bubble Tea program does
// (testdata/floor), in turns, in a terminal of 120×40. It fails for nothing:
// times belong to a machine and a moment. What has to hold everywhere, counts
// and ratios, is checked by other tests.
func TestSpeed(t *testing.T) {
	if *speedFile == "" {
		t.Skip("it measures for several minutes and needs a quiet machine: run it alone, with -speed FILE")
	}
	table := &speedTable{t: t, service: startService(t, simtest.Options{TimeScale: 1000}), floor: built(t, "darkroom/ui/cli/blackbox/testdata/floor", "floor"),
		pairs: pairs{map[string][]float64{}, map[string][]float64{}}, once: figures{}}
	binary = built(t, "darkroom", "darkroom")
	pictures := table.home(200, false)
	pictures.pictures(200)
	for range *speedRounds {
		table.pairs.add(table.gallery(pictures), nil)
		table.pairs.add(table.jobs(100_000, true, false), table.bare(false))
	}
	table.sizes()
	table.mute()
	table.idleOnCreate()
	table.twentyRunning()
	table.prompts()
	table.commands()
	text := table.String()
	t.Log("\n" + text)
	must(t, os.WriteFile(*speedFile, []byte(text), 0o644))
}

func buildStripped(t *testing.T, file, path string) {
	t.Helper()
	t.Setenv("CGO_ENABLED", "0") // as it is released
	must(t, buildProgram(file, "-trimpath", "-ldflags=-s -w", path))
}

// speedTable is what is measured.
type speedTable struct {
	t       *testing.T
	service *simtest.Server
	floor   string
	pairs   pairs   // measured in turns with the floor
	once    figures // measured by itself
}

// home is a person's home with finished jobs at the table's service, whose
// waits last as long as with any service.
func (s *speedTable) home(jobs int, chinese bool) *home {
	h := newHome(s.t, s.service.URL()).with("DARKROOM_TIME_SCALE", "1")
	h.finished(jobs, s.service.URL(), chinese)
	return h
}

func (s *speedTable) calls() int { return len(s.service.Calls()) }

// jobs measures the list of Jobs.
func (s *speedTable) jobs(n int, chinese, short bool) figures {
	p := s.home(n, chinese).watched(binary, "Prompt", false)
	p.write("<alt+2>")
	p.waitFor("harbour at dawn")
	s.drive(p, short)
	return p.speed
}

// bare measures the floor's list.
func (s *speedTable) bare(short bool) figures {
	p := newHome(s.t, "").watched(s.floor, "harbour at dawn", false)
	s.drive(p, short)
	return p.speed
}

func (s *speedTable) drive(p *probe, short bool) {
	p.quiet(500 * time.Millisecond)
	if short {
		p.press("key ", "j", 90) // the last key would stay on the last of 100 rows
	} else {
		p.press("key ", "j", 300)
		p.rest("idle ", s.calls)
		p.speed["memory"], _ = p.memory()
		p.hold(2000)
		p.turn()
		_, p.speed["peak"] = p.memory()
	}
	p.leave()
}

// sizes compares stores of several sizes, and rows with and without Chinese.
func (s *speedTable) sizes() {
	rounds := max(1, *speedRounds/2)
	for _, n := range []int{100, 10_000, 100_000} {
		several := pairs{map[string][]float64{}, nil}
		for range rounds {
			several.add(s.jobs(n, true, true), nil)
		}
		for _, name := range []string{"stable", "key p50", "key cpu"} {
			s.once[fmt.Sprint(name, " ", n)] = median(several.ours[name])
		}
	}
	s.once["english bytes"] = s.jobs(10_000, false, true)["key bytes"]
}

// mute measures the start on a terminal that answers no question.
func (s *speedTable) mute() {
	var answered, mute []float64
	h := s.home(10_000, true)
	for range *speedRounds {
		for _, silent := range []bool{false, true} {
			p := h.watched(binary, "Prompt", silent)
			p.leave()
			if silent {
				mute = append(mute, p.speed["stable"])
			} else {
				answered = append(answered, p.speed["stable"])
			}
		}
	}
	s.once["mute"], s.once["answered"] = median(mute), median(answered)
	s.once["mute ratio"] = ratio(mute, answered)
}

const chinesePrompt = "清晨的港口，船还在睡，雾从水面升起，一只海鸥停在桅杆上"

func (s *speedTable) idleOnCreate() {
	p := s.home(10_000, true).watched(binary, "Prompt", false)
	p.write(chinesePrompt)
	p.waitFor("quoted 5 s ago") // until then it counts each second
	p.rest("create ", s.calls)
	s.keep(p)
}

func (s *speedTable) twentyRunning() {
	h := s.home(1000, true)
	for i := range 20 {
		h.run("image", fmt.Sprint("a pier by night ", i), "--yes", "--no-wait").wantCode(s.t, 0)
	}
	p := h.watched(binary, "Prompt", false)
	p.write("<alt+2>")
	p.waitFor("a pier by night")
	p.quiet(500 * time.Millisecond)
	p.rest("running ", s.calls)
	s.keep(p)
}

// gallery measures the gallery of a home with 200 pictures.
func (s *speedTable) gallery(h *home) figures {
	p := h.watched(binary, "Prompt", false)
	p.write("<alt+2>")
	p.waitFor("harbour at dawn")
	p.quiet(time.Second)
	p.write("g")
	p.quiet(2 * time.Second)
	p.speed = figures{} // its start is that of the list
	p.press("gallery ", "<right>", 199)
	p.quiet(2 * time.Second)
	p.speed["gallery memory"], _ = p.memory()
	p.leave()
	delete(p.speed, "quit")
	return p.speed
}

// prompts measures a key in prompts of several lengths.
func (s *speedTable) prompts() {
	for _, c := range []struct {
		name, text, key string
		count           int
	}{{"prompt 200 ", "harbour ", "a", 200}, {"prompt 5000 ", "清晨的港口，船还在睡", "船", 5000}} {
		p := s.home(100, false).watched(binary, "Prompt", false)
		text := []rune(strings.Repeat(c.text, c.count/len([]rune(c.text))+1))[:c.count]
		p.write("\x1b[200~" + string(text) + "\x1b[201~")
		p.quiet(500 * time.Millisecond)
		p.press(c.name, c.key, 100)
		s.keep(p)
	}
}

func (s *speedTable) commands() {
	h := s.home(10_000, true)
	h.used(s.once, "version", "version")
	h.used(s.once, "jobs json", "jobs", "--json", "--limit", "10000")
	s.once["jobs json memory"] = h.peak("jobs", "--json", "--limit", "10000")
	info, err := os.Stat(binary)
	must(s.t, err)
	s.once["binary"] = float64(info.Size()) / (1 << 20)
}

// keep ends a program and takes its figures.
func (s *speedTable) keep(p *probe) {
	p.kill()
	for name, v := range p.speed {
		s.once[name] = v
	}
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
}

// pictures gives the newest jobs a picture each.
func (h *home) pictures(n int) {
	h.t.Helper()
	folder := filepath.Join(h.dir, "pictures")
	must(h.t, os.MkdirAll(folder, 0o700))
	for i := range n {
		picture := image.NewRGBA(image.Rect(0, 0, 1024, 768))
		for y := range 768 {
			for x := range 1024 {
				picture.SetRGBA(x, y, color.RGBA{uint8(x + i*7), uint8(y / 3), uint8(x ^ y), 255})
			}
		}
		path := filepath.Join(folder, fmt.Sprintf("%03d.jpg", i))
		file, err := os.Create(path)
		must(h.t, err)
		must(h.t, jpeg.Encode(file, picture, nil))
		must(h.t, file.Close())
		h.inStore(`INSERT INTO files(seq, n, path, url, media_type, bytes, sha256) VALUES ((SELECT max(seq) FROM jobs) - ?1, 0, ?2, '', 'image/jpeg', 1, '')`, i, path)
	}
	h.inStore(`UPDATE jobs SET files = 1 WHERE seq IN (SELECT seq FROM files)`)
}

func (h *home) inStore(statement string, values ...any) {
	h.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.dir, "data", "darkroom", "darkroom.db"))
	must(h.t, err)
	defer db.Close()
	_, err = db.Exec(statement, values...)
	must(h.t, err)
}
