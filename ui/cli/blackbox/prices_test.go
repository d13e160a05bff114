//go:build linux

package blackbox

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

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
		"prices --budget 2000":                                       {"2,000 credits buy:", "23 s (4 × 5 s)", "10 s (2 × 5 s)", "160 images"},
		"prices --top 5 --duration 10 --aspect-ratio 16:9":           {"lumen/still-1  1K        medium        16:9  ~ 12.5", "seedance2      fast_vip  480p    10 s  16:9  ≈ 500"},
		"prices --model lumen/still-1":                               {"low  medium  high", "4K              24      48    96", "2K: cheapest with low, 10 credits"},
		"prices --model lumen/still-2 --markdown":                    {"| lumen/still-2 | low | medium | high |", "| 4K | 25 | 49 | 97 |"},
		"prices --kind video":                                        {"seedance2, 5 s", "480p/s    5 s"},
		"prices --kind image --quote --top 2 --csv":                  {"lumen/still-1,image,,,1K,low,,,,6,service,true"},
		"prices --duration 13":                                       {"The maximum duration is 12 s"},
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
	if e := h.with("DARKROOM_BUDGET", "850").run("prices", "--budget", "today").wantCode(t, 0); !strings.Contains(e.stdout, "850 credits buy:") {
		t.Errorf("of the budget: %s", e.stdout)
	}
	if n := creates(service); n != 0 {
		t.Errorf("%d creates were sent, want none", n)
	}
}

type ledgerLine struct {
	Day, Model, Kind  string
	Jobs, Unpriced    int
	Credits, Possibly float64
}

// TestSpend: two images, a video and a request of unknown outcome, by model and
// kind, under the local day of a zone that is a day ahead of or behind UTC at
// some hour of every day.
func TestSpend(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.run("spend").wantCode(t, 0)
	for _, args := range [][]string{{"image", "a"}, {"image", "b"}, {"video", "c", "--duration", "5", "--video-model", "fast"}} {
		h.run(append(args, "--yes", "--no-wait")...).wantCode(t, 0)
	}
	service.AddFault(simtest.Fault{Endpoint: "create", Do: "status", Status: 500})
	h.run("image", "d", "--yes").wantCode(t, 6)
	for _, zone := range []string{"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		place, err := time.LoadLocation(zone)
		must(t, err)
		before := time.Now().In(place).Format(time.DateOnly)
		got := document[struct {
			Since string
			Spend []ledgerLine
			Total ledgerLine
		}](t, h.with("TZ", zone).run("spend", "--json").wantCode(t, 0))
		if len(got.Spend) != 2 {
			t.Fatalf("%s: %+v", zone, got)
		}
		image, video := got.Spend[0], got.Spend[1]
		if image != (ledgerLine{Day: image.Day, Model: "lumen/still-1", Kind: "image", Jobs: 3, Credits: 25, Possibly: 12.5}) ||
			video != (ledgerLine{Day: video.Day, Model: "seedance2", Kind: "video", Jobs: 1, Credits: 425}) {
			t.Errorf("%s: %+v", zone, got.Spend)
		}
		if after := time.Now().In(place).Format(time.DateOnly); image.Day != before && image.Day != after {
			t.Errorf("%s: the day is %s, want %s", zone, image.Day, before)
		}
		if got.Total.Jobs != 4 || got.Total.Credits != 450 || got.Total.Possibly != 12.5 {
			t.Errorf("%s: total %+v", zone, got.Total)
		}
	}
	if e := h.run("spend", "--since", "2999-01-01").wantCode(t, 0); !strings.Contains(e.stdout, "nothing was spent") {
		t.Errorf("of days to come: %s", e.stdout)
	}
	if e := h.run("spend", "--since", "yesterday").wantCode(t, 2); !strings.Contains(e.stderr, "--since") {
		t.Errorf("standard error: %s", e.stderr)
	}
}

// TestAnUnlistedModelIsNotSent by --yes if it has no price either, alone or as one of several.
func TestAnUnlistedModelIsNotSent(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.run("image", "x", "--model", "lumen/still-1", "--yes", "--no-wait").wantCode(t, 0)
	for _, more := range [][]string{nil, {"--quiet"}, {"--json"}, {"--expand", "--size", "1K,2K"}} {
		e := h.run(append([]string{"image", "x", "--model", "lumen/stil-1", "--yes"}, more...)...)
		if e.code != 2 || !strings.Contains(e.stderr+e.stdout, "model lumen/stil-1 is not in the service's list and has no price; nothing was sent") {
			t.Errorf("%v: exit code %d: %s", more, e.code, e.stderr)
		}
	}
	if n := creates(service); n != 1 {
		t.Errorf("%d creates", n)
	}
}
