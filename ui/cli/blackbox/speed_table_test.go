//go:build linux

package blackbox

import (
	"fmt"
	"math"
	"runtime"
	"strings"
)

// String is the table in Markdown, with the goal beside each figure.
func (s *speedTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d processors, %d rounds, medians; “floor” is testdata/floor measured in turns with darkroom in the same run.\n\n", runtime.NumCPU(), *speedRounds)
	b.WriteString("| Figure | darkroom | floor | ratio | goal | |\n|---|---|---|---|---|---|\n")
	for _, r := range s.rows() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.name, number(r.ours, r.unit), number(r.floor, r.unit), number(r.ratio, "×"), r.goal, r.verdict())
	}
	return b.String()
}

// speedRow is a line of the table; what was not measured is NaN.
type speedRow struct {
	name, unit         string
	ours, floor, ratio float64
	goal               string
	limit              float64
	byRatio            bool // the limit is one of the ratio
}

func (r speedRow) verdict() string {
	v := r.ours
	if r.byRatio {
		v = r.ratio
	}
	if v <= r.limit {
		return "✓"
	}
	return "✗"
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

func (s *speedTable) rows() []speedRow {
	none := math.NaN()
	beside := func(name, unit, figure string, limit float64) speedRow {
		ours, floor := s.pairs.ours[figure], s.pairs.floor[figure]
		return speedRow{name, unit, median(ours), median(floor), ratio(ours, floor), fmt.Sprintf("≤ %g × floor", limit), limit, true}
	}
	ours := func(name, unit, figure string, limit float64) speedRow {
		r := beside(name, unit, figure, limit)
		r.goal, r.byRatio = fmt.Sprintf("≤ %g %s", limit, unit), false
		return r
	}
	against := func(name, figure string, to []float64, limit float64) speedRow {
		of := s.pairs.ours[figure]
		return speedRow{name, "ms", median(of), median(to), ratio(of, to), fmt.Sprintf("≤ %g ×", limit), limit, true}
	}
	alone := func(name, unit, figure string, limit float64) speedRow {
		return speedRow{name, unit, s.once[figure], none, none, fmt.Sprintf("≤ %g %s", limit, unit), limit, false}
	}
	grown := func(name, unit, figure string, more int) speedRow {
		few, many := s.once[figure+" 100"], s.once[fmt.Sprint(figure, " ", more)]
		return speedRow{fmt.Sprintf("%s with %d jobs, beside 100", name, more), unit, many, few, many / few, "≤ 1.1 ×", 1.1, true}
	}
	times := func(name string, figure string, limit float64) speedRow {
		floor := median(s.pairs.floor["idle cpu"])
		return speedRow{name, "%", s.once[figure], floor, s.once[figure] / floor, fmt.Sprintf("≤ %g × floor", limit), limit, true}
	}
	return []speedRow{
		beside("start → first frame", "ms", "first", 1.5),
		beside("start → stable", "ms", "stable", 2),
		{"start → stable, a terminal that answers nothing (beside: one that does)", "ms", s.once["mute"], s.once["answered"], s.once["mute ratio"], "≤ 1.1 ×", 1.1, true},
		beside("key → first change, p50", "ms", "key p50", 0.85),
		beside("key → first change, p95", "ms", "key p95", 1),
		beside("key → first change, p99", "ms", "key p99", 1.1),
		beside("processor time per key", "ms", "key cpu", 1.2),
		alone("bytes per key, English rows", "B", "english bytes", 200),
		ours("bytes per key, a fifth of the rows Chinese", "B", "key bytes", 400),
		ours("lag after 2,000 keys at 1,000 a second", "ms", "lag", 15),
		grown("start → stable", "ms", "stable", 10_000),
		grown("start → stable", "ms", "stable", 100_000),
		grown("key, p50", "ms", "key p50", 100_000),
		grown("processor time per key", "ms", "key cpu", 100_000),
		ours("resize → repainted", "ms", "resize", 8),
		beside("idle on Jobs: processor", "%", "idle cpu", 1.1),
		ours("idle on Jobs: output", "B/s", "idle bytes", 0),
		ours("idle on Jobs: requests a second", "", "idle calls", 0),
		times("idle on Create, Chinese prompt: processor", "create cpu", 1.2),
		alone("idle on Create, Chinese prompt: output", "B/s", "create bytes", 50),
		alone("idle on Create, Chinese prompt: requests a second", "", "create calls", 0),
		times("20 jobs running: processor", "running cpu", 2),
		alone("20 jobs running: output", "B/s", "running bytes", 400),
		ours("memory, idle", "MiB", "memory", 24),
		ours("memory, peak", "MiB", "peak", 30),
		ours("memory, gallery of 200", "MiB", "gallery memory", 60),
		against("key in the gallery, p50 (beside: in the list)", "gallery p50", s.pairs.ours["key p50"], 1.2),
		against("key in the gallery, p99", "gallery p99", s.pairs.floor["key p99"], 1.1),
		alone("binary, stripped", "MiB", "binary", 20),
		ours("quit", "ms", "quit", 20),
		alone("`darkroom version`", "ms", "version", 10),
		alone("`jobs --json`, 10,000 jobs", "ms", "jobs json", 250),
		alone("`jobs --json`, 10,000 jobs: memory", "MiB", "jobs json memory", 40),
		alone("key in a prompt of 200 characters: processor", "ms", "prompt 200 cpu", 1),
		alone("key in a prompt of 5,000 Chinese characters: processor", "ms", "prompt 5000 cpu", 10),
		alone("the same: p99 to the screen", "ms", "prompt 5000 p99", 16.7),
	}
}
