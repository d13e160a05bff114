//go:build linux

package blackbox

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
)

// resultRun makes one image job while the service misbehaves.
func resultRun(t *testing.T, faults ...simtest.Fault) (*simtest.Server, *home, job, ended) {
	t.Helper()
	service, h := serve(t, simtest.Options{LongSide: 64, Faults: faults})
	e := h.run("image", "three harbours", "--model", "lumen/still-1", "--yes", "--json")
	return service, h, document[job](t, e), e
}

// Each poll lists the three results in another order, and the link to the second
// one has expired when it is used first: each picture is saved once.
func TestShuffledResultsAreSavedOnceEach(t *testing.T) {
	t.Parallel()
	service, h, got, e := resultRun(t, simtest.Fault{Endpoint: "job", Do: "shuffled-results"},
		simtest.Fault{Endpoint: "result", From: 2, Count: 1, Do: "status", Status: 403})
	e.wantCode(t, 0)
	check := func(got job) {
		t.Helper()
		var sums []string
		for _, file := range got.Files {
			sums = append(sums, file.SHA256)
		}
		slices.Sort(sums)
		expect.That(t, got.Phase == "done" && len(got.Files) == 3, got.Phase, "with", len(got.Files), "files")
		expect.Len(t, slices.Compact(sums), 3, "different files")
	}
	check(got)
	expect.Equal(t, len(ofEndpoint(service.Calls(), "result")), 4, "downloads")
	check(document[job](t, h.run("fetch", got.ID, "--json").wantCode(t, 0)))
}

func TestResultWithoutTLSSaysWhy(t *testing.T) {
	t.Parallel()
	_, h, got, e := resultRun(t, simtest.Fault{Do: "http-result"})
	e.wantCode(t, 1)
	if got.Phase != "failed" || !strings.Contains(reason(got), "not https") || strings.Contains(reason(got), "etch it again") ||
		!strings.Contains(reason(got), "http://media.example.com/") {
		t.Errorf("%s: %s", got.Phase, reason(got))
	}
	files, _ := filepath.Glob(filepath.Join(h.dir, "pictures", "*"))
	expect.Len(t, files, 0, "saved")
}

// A page among pictures is kept as a file of no known type.
func TestPageAmongResults(t *testing.T) {
	t.Parallel()
	_, _, got, e := resultRun(t, simtest.Fault{Do: "html-result"})
	e.wantCode(t, 0)
	var endings []string
	for _, file := range got.Files {
		endings = append(endings, filepath.Ext(file.Path))
	}
	slices.Sort(endings)
	expect.List(t, endings, []string{".bin", ".png"}, got.Phase, "with", reason(got))
}

// An answer about another job, even a finished one, is asked for again.
func TestAnswerAboutAnotherJob(t *testing.T) {
	t.Parallel()
	service, _, got, e := resultRun(t, simtest.Fault{Endpoint: "job", Count: 3, Do: "other-id"})
	e.wantCode(t, 0)
	expect.That(t, got.Phase == "done" && len(got.Files) == 1, got.Phase, "with", len(got.Files), "files")
	n := len(ofEndpoint(service.Calls(), "job"))
	expect.That(t, n >= 4, n, "polls, want one after the three of another job")
}

// Polls that are answered by pictures which never end, and downloads that do not
// either, are given up and made again.
func TestTricklesAreGivenUp(t *testing.T) {
	t.Parallel()
	for endpoint, do := range map[string]string{"job": "slow-binary", "result": "slow-body"} {
		service, _, got, e := resultRun(t, simtest.Fault{Endpoint: endpoint, Count: 2, Do: do, Delay: 24 * time.Hour})
		e.wantCode(t, 0)
		n := len(ofEndpoint(service.Calls(), endpoint))
		expect.That(t, got.Phase == "done" && n >= 3, do, got.Phase, "after", n, "calls")
	}
}

// fetch compares what lies on the disk with what was saved.
func TestFetchOfATruncatedFile(t *testing.T) {
	t.Parallel()
	service, h, got, e := resultRun(t)
	e.wantCode(t, 0)
	must(t, os.Truncate(got.Files[0].Path, got.Files[0].Bytes/2))
	before := len(ofEndpoint(service.Calls(), "result"))
	again := document[job](t, h.run("fetch", got.ID, "--json").wantCode(t, 0))
	n := len(ofEndpoint(service.Calls(), "result")) - before
	expect.That(t, again.Phase == "done" && n == 1, again.Phase, "after", n, "downloads")
	sameAsServed(t, service, again)
	h.run("fetch", got.ID, "--json").wantCode(t, 0)
	expect.Equal(t, len(ofEndpoint(service.Calls(), "result"))-before, 1, "downloads of a whole file")
}

// A window that is stopped in the middle of a download keeps the file: another
// one waits, and takes over when the first has ended.
func TestStoppedDownload(t *testing.T) {
	t.Parallel()
	sideBySide(t, map[string]syscall.Signal{"goes on": syscall.SIGCONT, "is killed": syscall.SIGKILL},
		func(t *testing.T, end syscall.Signal) {
			// The second fetches it anew after 30 s; it looks nine times in 8 s.
			service, h := serve(t, simtest.Options{LongSide: 64}, "DARKROOM_TIME_SCALE", "0.1")
			stopped := make(chan struct{})
			var first *window
			started := make(chan struct{})
			service.AddFault(simtest.Fault{Endpoint: "result", From: 1, Count: 1, Do: "slow-body", Delay: time.Minute, Then: func() {
				<-started
				h.stop(first.cmd.Process.Pid)
				close(stopped)
			}})
			first = h.startWindow("image", "a harbour", "--model", "lumen/still-1", "--yes", "--json")
			close(started)
			within(t, "it is stopped", stopped)
			db := h.store()
			var id, phase string
			var epoch int
			look := func() {
				must(t, db.QueryRow(`SELECT id, phase, epoch FROM jobs`).Scan(&id, &phase, &epoch))
			}
			look()
			began := epoch
			second := h.startWindow("wait", id, "--json")
			awaitService(t, second, func() bool { look(); return phase == "failed" || epoch > began+8 })
			expect.Equal(t, phase, "fetching", "while the first window is stopped")
			_ = first.cmd.Process.Signal(end)
			within(t, "the second window ends", second.done)
			got := h.jobs()[0]
			expect.Must(t, got.Phase == "done" && len(got.Files) == 1, got.Phase, "with", len(got.Files), "files", reason(got))
			sameAsServed(t, service, got)
		})
}

// A window whose download is stopped and never continued does not hold another one
// for ever: that one says what it waits for, and fetches the file anew after its
// own limit. When the first goes on then, it changes nothing.
func TestStoppedDownloadIsFetchedAnew(t *testing.T) {
	service, h := begin(t, simtest.Options{LongSide: 64})
	started, stopped := make(chan *window, 1), make(chan struct{})
	service.AddFault(simtest.Fault{Endpoint: "result", From: 1, Count: 1, Do: "slow-body", Delay: 2 * time.Second, Then: func() {
		h.stop((<-started).cmd.Process.Pid)
		close(stopped)
	}})
	first := h.startWindow("image", "a harbour", "--model", "lumen/still-1", "--yes", "--json")
	started <- first
	within(t, "it is stopped", stopped)
	id := h.jobs()[0].ID
	second := h.startWindow("wait", id, "--json")
	db := h.store()
	said := ""
	awaitService(t, second, func() bool {
		must(t, db.QueryRow(`SELECT error FROM jobs`).Scan(&said))
		return said != ""
	})
	expect.Contains(t, said, "another window")
	expect.Contains(t, said, "fetched anew")
	within(t, "the second window ends", second.done)
	check := func() {
		t.Helper()
		got := h.jobs()[0]
		expect.Must(t, got.Phase == "done" && len(got.Files) == 1 && got.Error == nil, got.Phase, "with", len(got.Files), "files", reason(got))
		sameAsServed(t, service, got)
		expect.Len(t, simtest.Must(os.ReadDir(h.env["DARKROOM_DOWNLOADS"]))(t), 2) // with the recipe
	}
	check()
	_ = first.cmd.Process.Signal(syscall.SIGCONT)
	within(t, "the first window ends", first.done)
	check()
}

// The bytes of a result are on the disk before it has its final name, and the
// folder after.
func TestResultIsSyncedBeforeItIsPublished(t *testing.T) {
	needPrograms(t, "strace")
	_, h := begin(t, simtest.Options{LongSide: 64})
	trace := filepath.Join(h.dir, "trace")
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,linkat,renameat2",
		binary, "image", "a harbour", "--model", "lumen/still-1", "--yes", "--json")
	cmd.Env, cmd.Dir = h.environ(), h.dir
	out, err := cmd.CombinedOutput()
	expect.Must(t, err == nil, err, string(out))
	text := simtest.Must(os.ReadFile(trace))(t)
	step := 0
	for line := range strings.Lines(string(text)) {
		sync := strings.Contains(line, "sync(")
		switch {
		case step == 0 && sync && strings.Contains(line, "-1.part>"):
			step = 1
		case step == 1 && strings.Contains(line, "linkat(") && strings.Contains(line, `-1.png"`):
			step = 2
		case step == 2 && sync && strings.Contains(line, "/pictures>"):
			step = 3
		}
	}
	expect.Equal(t, step, 3, "of file synced, named and folder synced in this order", string(text))
}

// onePixel is a GIF.
const onePixel = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

// hostileTitles and hostileAddresses are what people and services may write.
var (
	hostileTitles = []string{"-rf /", "--help", "$(touch x)", "; rm -rf ~", "a\nb", "../../etc/passwd", "%s%n",
		"https://evil.example/x", "'\"`", "空 白", "file:///etc/passwd", "@/etc/passwd"}
	hostileAddresses = []string{"file:///etc/passwd", "javascript:alert(1)", "-e", "--help", "smb://evil.example/x.gif",
		"http://169.254.169.254/latest", "$(touch x)", "/etc/passwd", "../../x.gif", "data:text/html,x"}
)

// TestTheOpenerGetsOneFileOfOurs opens all that results have, 200 in the long form,
// whose titles and addresses are hostile: a program that notes its arguments gets one
// each time, the path of a file in our folder.
func TestTheOpenerGetsOneFileOfOurs(t *testing.T) {
	t.Parallel()
	results := times(60, 200) // each title with each address at least
	gif := simtest.Must(base64.StdEncoding.DecodeString(onePixel))(t)
	var jobs atomic.Int64
	var service *httptest.Server
	service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch endpointOf(r.URL.Path) {
		case "models":
			fmt.Fprint(w, `{"models":[{"id":"lumen/still-1","kind":"image"}]}`)
		case "estimate":
			fmt.Fprint(w, `{"credits":7}`)
		case "create":
			fmt.Fprintf(w, `{"id":"job_%d","status":"PENDING"}`, jobs.Add(1))
		case "job":
			_, id, _ := strings.Cut(r.URL.Path, "/jobs/")
			var n int
			_, _ = fmt.Sscanf(id, "job_%d", &n)
			list, _ := json.Marshal([]map[string]string{
				{"url": fmt.Sprintf("%s/files/%s/--help;$(touch x).gif?-e=%%0a&n=%d", service.URL, id, n)},
				{"url": hostileAddresses[n%len(hostileAddresses)]},
			})
			fmt.Fprintf(w, `{"id":%q,"status":"COMPLETED","result":{"images":%s}}`, id, list)
		default:
			w.Header().Set("Content-Type", "image/gif")
			w.Header().Set("Content-Disposition", `attachment; filename="../../-rf.sh"`)
			_, _ = w.Write(gif)
		}
	}))
	t.Cleanup(service.Close)

	dir, files := t.TempDir(), filepath.Join(t.TempDir(), "pictures")
	opener, record := filepath.Join(dir, "opener"), filepath.Join(dir, "record")
	program(t, opener, "{ echo $#; printf '%s\\n' \"$@\"; } >> '"+record+"'")
	s := openSession(t, state.Settings{BaseURL: service.URL, Downloads: files, Opener: opener})

	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	var ids []string
	for n := range results {
		r := api.Request{Kind: api.KindImage, Model: "lumen/still-1", Prompt: hostileTitles[n%len(hostileTitles)] + fmt.Sprint(" ", n)}
		price := simtest.Must(s.Estimate(ctx, r))(t)
		agreed := state.Agreed{ConfirmID: state.NewConfirmID(), Again: true, Request: r, Estimate: price}
		j := simtest.Must(s.Submit(ctx, state.Confirmed{Agreed: agreed}))(t)
		ids = append(ids, j.ID)
	}
	var want []string
	for _, id := range ids {
		j := simtest.Must(s.Ended(ctx, id))(t)
		expect.Must(t, len(j.Files) != 0, j.Title, "was not saved", j.Phase, j.Error)
		for n := range 4 { // there are fewer: the rest is refused
			if err := s.Results().Show(ctx, id, n, state.InOpener); err == nil {
				want = append(want, "1", j.Files[n-1].Path)
				awaitLines(t, record, len(want))
			}
		}
		for _, path := range []string{"-e", "/etc/passwd", j.Files[0].URL, j.Title} {
			expect.Must(t, s.OpenPath(ctx, path) != nil, path, "is opened")
		}
	}
	text := simtest.Must(os.ReadFile(record))(t)
	seen := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	expect.Must(t, len(want) >= 2*results && len(seen) == len(want), len(seen), "lines noted", len(want)/2, "files opened")
	for i := 0; i < len(seen); i += 2 {
		expect.List(t, seen[i:i+2], []string{"1", want[i+1]}, "the opener got")
		expect.Equal(t, filepath.Dir(seen[i+1]), files, "the opener got a file of")
		expect.That(t, simtest.Must(os.Lstat(seen[i+1]))(t).Mode().IsRegular(), "the opener got", seen[i+1])
	}
	t.Logf("%d files of %d results opened", len(want)/2, results)
}

// awaitLines waits until a file has n lines: a slow program is not waited for by
// those who start it.
func awaitLines(t *testing.T, path string, n int) {
	t.Helper()
	await(t, fmt.Sprintf("%s has %d lines", path, n), func() bool {
		text, err := os.ReadFile(path)
		return err == nil && bytes.Count(text, []byte("\n")) >= n
	})
}

// TestAnExpiredLinkIsAskedForAnew: a result whose link has expired becomes a
// material by a fresh one, for which the service is asked once.
func TestAnExpiredLinkIsAskedForAnew(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	db := h.store()
	// As a day later.
	must(t, expect.Err(db.Exec(`UPDATE files SET url = substr(url, 1, instr(url, '?')) || 'expires=1600000000000&signature=old'`)))
	polls := len(ofEndpoint(service.Calls(), "job"))
	s := h.screens(120, 40)
	s.toJobs()
	s.waitFor("● done", "a kettle")
	s.keysTo("u", "Added as Image. Link expires in")
	expect.Equal(t, len(ofEndpoint(service.Calls(), "job"))-polls, 1, "polls")
	var address string
	must(t, db.QueryRow(`SELECT url FROM files`).Scan(&address))
	expect.Contains(t, address, "expires=", "the store has")
	expect.Lacks(t, address, "expires=1600000000000", "the store has")
}

// TestAResultHasToHaveAPlace: a downloads folder that cannot be written is found
// before anything is paid for.
func TestAResultHasToHaveAPlace(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	must(t, os.WriteFile(h.env["DARKROOM_DOWNLOADS"], nil, 0o600)) // no folder
	for _, args := range [][]string{
		{"image", "x", "--model", "lumen/still-1", "--yes"},
		{"tools", "call", "generate_image", `{"prompt":"x"}`, "--yes"},
	} {
		h.run(args...).wantCode(t, 2).says(t, "cannot be saved in "+h.env["DARKROOM_DOWNLOADS"])
	}
	n := creates(service)
	expect.That(t, n == 0 && len(service.Ledger()) == 0 && len(h.jobs()) == 0, n, "creates", len(h.jobs()), "jobs")
}
