//go:build linux

package blackbox

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// downloadLane is a home and a service through which hostile downloads go, one
// after the other.
type downloadLane struct {
	t       *testing.T
	h       *home
	service *simtest.Server
	toll    *downloadToll
}

// downloadToll counts over all lanes.
type downloadToll struct{ rows, kills, calls, resumed, wrong, outside, withKey atomic.Int64 }

func (d *downloadToll) log(t *testing.T, what string) {
	t.Logf("%s: %d jobs, %d kills, %d download calls, %d of them resumed; %d wrong files under a final name, %d files outside the folder, %d downloads with the key",
		what, d.rows.Load(), d.kills.Load(), d.calls.Load(), d.resumed.Load(), d.wrong.Load(), d.outside.Load(), d.withKey.Load())
}

func newDownloadLane(t *testing.T, toll *downloadToll, o simtest.Options) *downloadLane {
	t.Helper()
	service, h := serve(t, o, "DARKROOM_TIME_SCALE", "0.03") // headers have 1.8 s
	return &downloadLane{t: t, h: h, service: service, toll: toll}
}

// lie is a way in which a download goes wrong, and what must come of it.
type lie struct {
	name   string
	faults []simtest.Fault // of the endpoint "result"
	phase  string          // of the job in the end
	calls  int             // downloads that were asked for
	ranges int             // how many of them asked for the rest only
	polls  int             // polls after the first download: for fresh addresses
	why    string          // a word of the job's error
	slow   bool            // only with -long
}

// tag is a header that replaces the service's strong validator.
func tag(value ...string) http.Header { return http.Header{"Etag": value} }

func length(n int64) http.Header { return http.Header{"Content-Length": {fmt.Sprint(n)}} }

// once makes a fault happen to the first download alone.
func once(f simtest.Fault) []simtest.Fault { f.Count = 1; return []simtest.Fault{f} }

func always(f simtest.Fault) []simtest.Fault { return []simtest.Fault{f} }

func downloadLies() []lie {
	return []lie{
		{name: "no lie", phase: "done", calls: 1},
		{name: "truncated, strong validator", faults: once(simtest.Fault{Do: "truncated"}), phase: "done", calls: 2, ranges: 1},
		{name: "truncated twice", faults: []simtest.Fault{{Do: "truncated", Count: 2}}, phase: "done", calls: 3, ranges: 2},
		{name: "truncated, weak validator", faults: once(simtest.Fault{Do: "truncated", Header: tag(`W/"weak"`)}), phase: "done", calls: 2},
		{name: "truncated, no validator", faults: once(simtest.Fault{Do: "truncated", Header: tag()}), phase: "done", calls: 2},
		{name: "truncated, another file since", faults: once(simtest.Fault{Do: "truncated", Header: tag(`"of yesterday"`)}), phase: "done", calls: 2, ranges: 1},
		{name: "truncated always", faults: always(simtest.Fault{Do: "truncated", Header: tag()}), phase: "failed", calls: 4, why: "the whole file had come. Fetch it again"},
		{name: "reset in mid body", faults: once(simtest.Fault{Do: "reset-mid-body"}), phase: "done", calls: 2, ranges: 1},
		{name: "reset after the status", faults: once(simtest.Fault{Do: "reset-after-status"}), phase: "done", calls: 2},
		{name: "length too short", faults: once(simtest.Fault{Do: "wrong-length"}), phase: "done", calls: 2},
		{name: "length too short always", faults: always(simtest.Fault{Do: "wrong-length"}), phase: "failed", calls: 4, why: "middle"},
		{name: "length too long", faults: once(simtest.Fault{Do: "wrong-type", Header: length(9_999_999)}), phase: "done", calls: 3, ranges: 1},
		{name: "length too long, no validator", faults: once(simtest.Fault{Do: "wrong-type", Header: http.Header{"Content-Length": {"9999999"}, "Etag": nil}}), phase: "done", calls: 2},
		{name: "length above the limit", faults: always(simtest.Fault{Do: "wrong-type", Header: length(300 << 20)}), phase: "failed", calls: 1, why: "larger than"},
		{name: "body above the limit, length not given", faults: always(simtest.Fault{Do: "huge", Size: 257 << 20}), phase: "failed", calls: 1, why: "larger than", slow: true},
		{name: "page of a gateway", faults: once(simtest.Fault{Do: "html"}), phase: "done", calls: 2},
		{name: "page of a gateway always", faults: always(simtest.Fault{Do: "html"}), phase: "failed", calls: 4, why: "page of text"},
		{name: "error as JSON with 200", faults: once(simtest.Fault{Do: "body", Body: `{"error":{"code":"expired"}}`}), phase: "done", calls: 2},
		{name: "another type given", faults: always(simtest.Fault{Do: "wrong-type"}), phase: "done", calls: 1},
		{name: "empty", faults: once(simtest.Fault{Do: "empty"}), phase: "done", calls: 2},
		{name: "not HTTP", faults: once(simtest.Fault{Do: "not-http"}), phase: "done", calls: 2},
		{name: "packed unasked", faults: once(simtest.Fault{Do: "wrong-type", Header: http.Header{"Content-Encoding": {"br"}}}), phase: "done", calls: 2},
		{name: "unasked part", faults: once(simtest.Fault{Do: "empty", Status: 206, Header: http.Header{"Content-Range": {"bytes 0-9/100"}}}), phase: "done", calls: 2},
		{name: "server trouble", faults: once(simtest.Fault{Do: "status", Status: 503}), phase: "done", calls: 2},
		{name: "server trouble always", faults: always(simtest.Fault{Do: "status", Status: 500}), phase: "failed", calls: 4, why: "500"},
		{name: "trickle", faults: always(simtest.Fault{Do: "slow-body", Delay: 2 * time.Second}), phase: "done", calls: 1},
		{name: "silence in mid body", faults: once(simtest.Fault{Do: "slow-body", Delay: 20 * time.Minute}), phase: "done", calls: 2, ranges: 1},
		{name: "silence before the status", faults: once(simtest.Fault{Do: "hang"}), phase: "done", calls: 2},
		{name: "link expired, 403", faults: once(simtest.Fault{Do: "status", Status: 403}), phase: "done", calls: 2, polls: 1},
		{name: "link expired, 404", faults: once(simtest.Fault{Do: "status", Status: 404}), phase: "done", calls: 2, polls: 1},
		{name: "link expired, 410", faults: once(simtest.Fault{Do: "status", Status: 410}), phase: "done", calls: 2, polls: 1},
		{name: "link expired for good", faults: always(simtest.Fault{Do: "status", Status: 410}), phase: "expired", calls: 2, polls: 1, why: "expired"},
		{name: "cut, then expired", faults: []simtest.Fault{{Do: "truncated", Count: 1}, {Do: "status", Status: 403, From: 2, Count: 1}}, phase: "done", calls: 3, ranges: 1, polls: 1},
		{name: "led to a private network", faults: always(simtest.Fault{Do: "redirect", Status: 302, Body: "http://10.0.0.1/x.png"}), phase: "failed", calls: 1, why: "not https"},
		{name: "led to credentials of a cloud", faults: always(simtest.Fault{Do: "redirect", Status: 302, Body: "https://169.254.169.254/latest"}), phase: "failed", calls: 1, why: "private network"},
		{name: "led to a file", faults: always(simtest.Fault{Do: "redirect", Status: 302, Body: "file:///etc/passwd"}), phase: "failed", calls: 1, why: "cannot be read"},
	}
}

// TestDownloadsHostile downloads through every lie of the table.
func TestDownloadsHostile(t *testing.T) {
	t.Parallel()
	toll := &downloadToll{}
	const lanes = 4
	t.Run("lanes", func(t *testing.T) {
		for n := range lanes {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				d := newDownloadLane(t, toll, simtest.Options{LongSide: 200})
				for i, row := range downloadLies() {
					if i%lanes == n && (*long || !row.slow) {
						d.fetch(row)
					}
				}
				d.inspect()
			})
		}
	})
	toll.log(t, "downloads through lies")
}

// fetch makes one job whose download goes through the lie.
func (d *downloadLane) fetch(row lie) {
	d.t.Helper()
	before := len(d.service.Calls())
	for _, f := range row.faults {
		f.Endpoint = "result"
		d.service.AddFault(f)
	}
	e := d.h.run("image", "lie: "+row.name, "--model", "lumen/still-1", "--yes", "--json")
	d.service.ClearFaults()
	got := document[job](d.t, e)
	d.toll.rows.Add(1)
	calls := d.service.Calls()[before:]
	downloads := ofEndpoint(calls, "result")
	ranges, polls := 0, 0
	for i, c := range calls {
		switch {
		case c.Endpoint == "result" && c.Header.Get("Range") != "":
			ranges++
			v := c.Header.Get("If-Range")
			expect.That(d.t, len(v) >= 3 && v[0] == '"', row.name, "the rest was asked for with the validator", v)
		case c.Endpoint == "job" && slices.ContainsFunc(calls[:i], func(c simtest.Call) bool { return c.Endpoint == "result" }):
			polls++
		}
	}
	d.toll.calls.Add(int64(len(downloads)))
	d.toll.resumed.Add(int64(ranges))
	if got.Phase != row.phase || len(downloads) != row.calls || ranges != row.ranges || polls != row.polls {
		d.t.Errorf("%s: %s after %d downloads, %d for the rest, %d further polls; want %s, %d, %d, %d (%s)",
			row.name, got.Phase, len(downloads), ranges, polls, row.phase, row.calls, row.ranges, row.polls, reason(got))
	}
	expect.Equal(d.t, len(ofEndpoint(calls, "create")), 1, row.name, "creates")
	expect.Contains(d.t, reason(got), row.why, row.name, "the error")
	switch {
	case row.phase == "done":
		e.wantCode(d.t, 0)
		sameAsServed(d.t, d.service, got)
	case len(got.Files) != 0:
		d.t.Errorf("%s: %d files of a job that is %s", row.name, len(got.Files), got.Phase)
	default:
		e.wantCode(d.t, 1)
		d.fetchAgain(row, got)
	}
}

// fetchAgain brings the result by hand once the service is honest.
func (d *downloadLane) fetchAgain(row lie, failed job) {
	d.t.Helper()
	got := document[job](d.t, d.h.run("fetch", failed.ID, "--json").wantCode(d.t, 0))
	expect.That(d.t, got.Phase == "done" && got.Error == nil, row.name, "fetched again it is", got.Phase, reason(got))
	sameAsServed(d.t, d.service, got)
}

// finalName is what every published file is called: our own words only.
var finalName = regexp.MustCompile(`^\d{8}-[\p{L}\p{Nd}\p{M}]+(-[\p{L}\p{Nd}\p{M}]+)*-[a-z0-9]{8}-\d+(\.png|\.jpg|\.gif|\.webp|\.mp4|\.bin|\.darkroom\.json)$`)

// inspect looks at every file there is: what has a final name is a whole
// result, nothing is left over, and nothing lies elsewhere.
func (d *downloadLane) inspect() {
	d.t.Helper()
	served := servedBy(d.service)
	d.inspectFolder(func(path string) bool { return served[sumOf(d.t, path)] > 0 })
	for _, c := range ofEndpoint(d.service.Calls(), "result") {
		if c.Header.Get("Authorization") != "" || strings.Contains(fmt.Sprint(c.Header), testKey) {
			d.toll.withKey.Add(1)
			d.t.Error("a download carried the key")
		}
	}
}

// elsewhere are the folders of a home in which darkroom may write besides.
var elsewhere = []string{"data", "state", "cache", "config", "run", "tmp"}

func (d *downloadLane) inspectFolder(whole func(path string) bool) {
	d.t.Helper()
	pictures := d.h.env["DARKROOM_DOWNLOADS"]
	err := filepath.WalkDir(d.h.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if filepath.Dir(path) == d.h.dir && slices.Contains(elsewhere, e.Name()) {
				return fs.SkipDir
			}
			return err
		}
		switch name := e.Name(); {
		case filepath.Dir(path) != pictures:
			d.toll.outside.Add(1)
			d.t.Errorf("%s is outside the results folder", path)
		case !finalName.MatchString(name):
			d.t.Errorf("the results folder holds %q", name)
		case strings.HasSuffix(name, ".darkroom.json"):
		case !whole(path):
			d.toll.wrong.Add(1)
			d.t.Errorf("%s is not what the service made", name)
		}
		return nil
	})
	expect.Is(d.t, err, nil)
}

// TestDownloadsKilled kills the program around a download, at moments of the
// service's and at its own, and starts it again.
func TestDownloadsKilled(t *testing.T) {
	t.Parallel()
	toll := &downloadToll{}
	t.Run("lanes", func(t *testing.T) {
		for _, name := range []string{"images", "videos"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := newDownloadLane(t, toll, simtest.Options{LongSide: 400})
				rng := random(t)
				for round := range times(8, 80) {
					d.killRound(round, name == "videos", rng)
				}
				d.inspect()
			})
		}
	})
	toll.log(t, "downloads under kill -9")
	got, want := toll.kills.Load(), int64(times(12, 120))
	expect.That(t, got >= want, got, "kills, want at least", want)
}

// killRound kills a run in the middle of its download, up to three times, and
// lets the last one end.
func (d *downloadLane) killRound(round int, video bool, rng *rand.Rand) {
	d.t.Helper()
	args := []string{"image", fmt.Sprint("killed ", round), "--model", "lumen/still-1"}
	if video {
		args = []string{"video", fmt.Sprint("killed ", round), "--duration", "5"}
	}
	accepted := document[job](d.t, d.h.run(append(args, "--yes", "--json", "--no-wait")...).wantCode(d.t, 0))
	before := len(d.service.Calls())
	for range 1 + round%3 {
		moment := []string{"mid-body", "after-status", "after-body", "before-status"}[round%4]
		started := make(chan *window, 1)
		after := time.Duration(rng.Int64N(int64(12 * time.Millisecond)))
		d.service.AddFault(simtest.Fault{Endpoint: "result", Count: 1, Do: moment, Then: func() {
			v := <-started
			if moment == "after-body" { // around the check, the sync and the publishing
				go v.killAfter(after)
				return
			}
			v.kill()
		}})
		v := d.h.startWindow("wait", accepted.ID, "--json")
		started <- v
		if v.killed() {
			d.toll.kills.Add(1)
		}
		d.service.ClearFaults()
		d.noHalfFile(accepted)
	}
	got := document[job](d.t, d.h.run("wait", accepted.ID, "--json").wantCode(d.t, 0))
	d.toll.rows.Add(1)
	expect.Equal(d.t, got.Phase, "done", "round", round, reason(got))
	sameAsServed(d.t, d.service, got)
	for _, c := range ofEndpoint(d.service.Calls()[before:], "result") {
		d.toll.calls.Add(1)
		if c.Header.Get("Range") != "" {
			d.toll.resumed.Add(1)
			d.t.Errorf("round %d: a download of a killed program was continued, and nothing proves that its bytes are whole", round)
		}
	}
}

// noHalfFile looks at what a kill left: only a part under a name that no
// program opens, and whole files.
func (d *downloadLane) noHalfFile(j job) {
	d.t.Helper()
	served := servedBy(d.service)
	list, err := os.ReadDir(d.h.env["DARKROOM_DOWNLOADS"])
	expect.Must(d.t, err == nil || os.IsNotExist(err), err)
	for _, e := range list {
		path := filepath.Join(d.h.env["DARKROOM_DOWNLOADS"], e.Name())
		info, err := e.Info()
		switch part := ".darkroom-" + j.ID + "-1.part"; {
		case err != nil:
			d.t.Error(err)
		case info.Mode().Perm() != 0o600:
			d.t.Errorf("mode of %s: %v, want 0600", e.Name(), info.Mode())
		case e.Name() == part, e.Name() == ".darkroom-"+j.ID+"-recipe.part", strings.HasSuffix(e.Name(), ".darkroom.json"):
		case strings.HasSuffix(e.Name(), ".part"):
			d.t.Errorf("%s is left of an earlier job", e.Name())
		case served[sumOf(d.t, path)] == 0:
			d.toll.wrong.Add(1)
			d.t.Errorf("%s is not what the service made", e.Name())
		}
	}
}
