//go:build linux

package blackbox

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestPricesAreTheSpecsForEveryDuration: all 12 cells for 1 to 15 seconds, as
// --csv prints them without a service, equal the spec's table.
func TestPricesAreTheSpecsForEveryDuration(t *testing.T) {
	t.Parallel()
	spec := map[string]int{"fast 720p": 85, "standard 720p": 85, "fast_vip 480p": 50, "fast_vip 720p": 100,
		"standard_vip 480p": 85, "standard_vip 720p": 100, "standard_vip 1080p": 200}
	h := newHome(t, "").with("DARKROOM_BASE_URL", "")
	for seconds := 1; seconds <= 15; seconds++ {
		e := h.run("prices", "--duration", strconv.Itoa(seconds), "--csv").wantCode(t, 0)
		rows, err := csv.NewReader(strings.NewReader(e.stdout)).ReadAll()
		must(t, err)
		if len(rows) != 13 {
			t.Fatalf("%d s: %d lines:\n%s", seconds, len(rows), e.stdout)
		}
		for _, row := range rows[1:] {
			cell := map[string]string{}
			for i, name := range rows[0] {
				cell[name] = row[i]
			}
			rate, ok := spec[cell["video_model"]+" "+cell["resolution"]]
			if cell["available"] != fmt.Sprint(ok) {
				t.Errorf("%d s: %v", seconds, cell)
			}
			if !ok && (cell["credits"] != "" || cell["credits_per_second"] != "" || !strings.Contains(cell["reason"], "choose another tier or resolution")) {
				t.Errorf("%d s: unavailable, but %v", seconds, cell)
			}
			if ok && (cell["credits"] != strconv.Itoa(rate*seconds) || cell["credits_per_second"] != strconv.Itoa(rate) || cell["duration"] != strconv.Itoa(seconds)) {
				t.Errorf("%d s: %v, want %d a second", seconds, cell, rate)
			}
		}
	}
}

// TestPricesAnswerQuestions: what a budget pays for, the cheapest ways, one
// model's table, Markdown, and flags that cannot be.
func TestPricesAnswerQuestions(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{ExtraModels: 3})
	h := newHome(t, service.URL())
	for line, wants := range map[string][]string{
		"prices --budget 2000":                                       {"2000 credits pay for:", "23 s (4 × 5 s)", "10 s (2 × 5 s)", "160 images"},
		"prices --top 5 --duration 10 --aspect-ratio 16:9":           {"lumen/still-1  1K        medium        16:9  ~12.5", "seedance2      fast_vip  480p    10 s  16:9  ≈500"},
		"prices --model lumen/still-1":                               {"low  medium  high", "4K              24      48    96", "2K: cheapest with low, 10 credits"},
		"prices --model lumen/still-2 --markdown":                    {"| lumen/still-2 | low | medium | high |", "| 4K | 25 | 49 | 97 |"},
		"prices --kind video":                                        {"seedance2, 5 s", "480p/s   5 s"},
		"prices --kind image --quote --top 2 --csv":                  {"lumen/still-1,image,,,1K,low,,,,6,service,true"},
		"prices --duration 13":                                       {"This model takes duration up to 12"},
		"prices --model seedance2 --duration 4 --json --budget 1000": {`"count": 5`, `"seconds": 20`, `"budget": 1000`},
	} {
		e := h.run(strings.Fields(line)...).wantCode(t, 0)
		for _, want := range wants {
			if !strings.Contains(e.stdout, want) {
				t.Errorf("%s lacks %q:\n%s", line, want, e.stdout)
			}
		}
		if strings.Contains(line, "--kind video") && strings.Contains(e.stdout, "lumen") {
			t.Errorf("%s has images:\n%s", line, e.stdout)
		}
	}
	for _, line := range []string{"prices --kind audio", "prices --budget much", "prices --budget today", "prices --top -1", "prices --model acme/none",
		"prices --csv --json", "prices --duration 0", "spend --csv --json"} {
		h.run(strings.Fields(line)...).wantCode(t, 2)
	}
	if e := h.run("prices", "--kind", "video", "--budget", "2000", "--top", "1").wantCode(t, 0); !strings.Contains(e.stdout, "fast_vip  480p") || strings.Contains(e.stdout, "720p") {
		t.Errorf("the cheapest that a budget pays for: %s", e.stdout)
	}
	if e := h.with("DARKROOM_BUDGET", "850").run("prices", "--budget", "today").wantCode(t, 0); !strings.Contains(e.stdout, "850 credits pay for:") {
		t.Errorf("of the budget: %s", e.stdout)
	}
	if n := creates(service); n != 0 {
		t.Errorf("%d creates were sent, want none", n)
	}
}
