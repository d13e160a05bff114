//go:build linux

package blackbox

import (
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

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
