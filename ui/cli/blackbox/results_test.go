//go:build linux

package blackbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// resultRun makes one image job while the service misbehaves.
func resultRun(t *testing.T, faults ...simtest.Fault) (*simtest.Server, *home, job, ended) {
	t.Helper()
	service := startService(t, simtest.Options{LongSide: 64, Faults: faults})
	h := newHome(t, service.URL())
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
		if got.Phase != "done" || len(got.Files) != 3 || len(slices.Compact(sums)) != 3 {
			t.Errorf("%s with %d files, %d of them different", got.Phase, len(got.Files), len(slices.Compact(sums)))
		}
	}
	check(got)
	if n := len(ofEndpoint(service.Calls(), "result")); n != 4 {
		t.Errorf("%d downloads, want 4", n)
	}
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
	if files, _ := filepath.Glob(filepath.Join(h.dir, "pictures", "*")); len(files) > 0 {
		t.Errorf("saved %v", files)
	}
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
	if slices.Sort(endings); !slices.Equal(endings, []string{".bin", ".png"}) {
		t.Errorf("%s with %v (%s)", got.Phase, endings, reason(got))
	}
}

// An answer about another job, even a finished one, is asked for again.
func TestAnswerAboutAnotherJob(t *testing.T) {
	t.Parallel()
	service, _, got, e := resultRun(t, simtest.Fault{Endpoint: "job", Count: 3, Do: "other-id"})
	e.wantCode(t, 0)
	if got.Phase != "done" || len(got.Files) != 1 {
		t.Errorf("%s with %d files", got.Phase, len(got.Files))
	}
	if n := len(ofEndpoint(service.Calls(), "job")); n < 4 {
		t.Errorf("%d polls, want one after the three of another job", n)
	}
}

// Polls that are answered by pictures which never end, and downloads that do not
// either, are given up and made again.
func TestTricklesAreGivenUp(t *testing.T) {
	t.Parallel()
	for endpoint, do := range map[string]string{"job": "slow-binary", "result": "slow-body"} {
		service, _, got, e := resultRun(t, simtest.Fault{Endpoint: endpoint, Count: 2, Do: do, Delay: 24 * time.Hour})
		e.wantCode(t, 0)
		if n := len(ofEndpoint(service.Calls(), endpoint)); got.Phase != "done" || n < 3 {
			t.Errorf("%s: %s after %d calls", do, got.Phase, n)
		}
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
	if n := len(ofEndpoint(service.Calls(), "result")) - before; again.Phase != "done" || n != 1 {
		t.Errorf("%s after %d downloads", again.Phase, n)
	}
	sameAsServed(t, service, again)
	h.run("fetch", got.ID, "--json").wantCode(t, 0)
	if n := len(ofEndpoint(service.Calls(), "result")) - before; n != 1 {
		t.Errorf("%d downloads of a whole file", n-1)
	}
}

// A window that is stopped in the middle of a download keeps the file: another
// one waits, and takes over when the first has ended.
func TestStoppedDownload(t *testing.T) {
	t.Parallel()
	sideBySide(t, map[string]syscall.Signal{"goes on": syscall.SIGCONT, "is killed": syscall.SIGKILL},
		func(t *testing.T, end syscall.Signal) {
			service := startService(t, simtest.Options{LongSide: 64})
			// The second fetches it anew after 30 s; it looks nine times in 8 s.
			h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1")
			stopped := make(chan struct{})
			var first *window
			started := make(chan struct{})
			service.AddFault(simtest.Fault{Endpoint: "result", From: 1, Count: 1, Do: "slow-body", Delay: time.Minute, Then: func() {
				<-started
				_ = first.cmd.Process.Signal(syscall.SIGSTOP)
				close(stopped)
			}})
			first = h.startWindow("image", "a harbour", "--model", "lumen/still-1", "--yes", "--json")
			close(started)
			select {
			case <-stopped:
			case <-time.After(runLimit):
				t.Fatal("it was not stopped")
			}
			db := openStore(t, h.storePath())
			defer db.Close()
			var id, phase string
			var epoch int
			look := func() {
				must(t, db.QueryRow(`SELECT id, phase, epoch FROM jobs`).Scan(&id, &phase, &epoch))
			}
			look()
			began := epoch
			second := h.startWindow("wait", id, "--json")
			awaitService(t, second, func() bool { look(); return phase == "failed" || epoch > began+8 })
			if phase != "fetching" {
				t.Errorf("it is %s while the first window is stopped", phase)
			}
			_ = first.cmd.Process.Signal(end)
			select {
			case <-second.done:
			case <-time.After(runLimit):
				t.Fatal("the second window did not end")
			}
			got := h.jobs()[0]
			if got.Phase != "done" || len(got.Files) != 1 {
				t.Fatalf("%s with %d files (%s)", got.Phase, len(got.Files), reason(got))
			}
			sameAsServed(t, service, got)
		})
}

// A window whose download is stopped and never continued does not hold another one
// for ever: that one says what it waits for, and fetches the file anew after its
// own limit. When the first goes on then, it changes nothing.
func TestStoppedDownloadIsFetchedAnew(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{LongSide: 64})
	h := newHome(t, service.URL())
	started, stopped := make(chan *window, 1), make(chan struct{})
	service.AddFault(simtest.Fault{Endpoint: "result", From: 1, Count: 1, Do: "slow-body", Delay: 2 * time.Second, Then: func() {
		_ = (<-started).cmd.Process.Signal(syscall.SIGSTOP)
		close(stopped)
	}})
	first := h.startWindow("image", "a harbour", "--model", "lumen/still-1", "--yes", "--json")
	started <- first
	select {
	case <-stopped:
	case <-time.After(runLimit):
		t.Fatal("it was not stopped")
	}
	id := h.jobs()[0].ID
	second := h.startWindow("wait", id, "--json")
	db := openStore(t, h.storePath())
	defer db.Close()
	said := ""
	awaitService(t, second, func() bool {
		must(t, db.QueryRow(`SELECT error FROM jobs`).Scan(&said))
		return said != ""
	})
	if !strings.Contains(said, "another window") || !strings.Contains(said, "fetched anew") {
		t.Errorf("it says %q", said)
	}
	select {
	case <-second.done:
	case <-time.After(runLimit):
		t.Fatal("the second window waits for ever")
	}
	check := func() {
		t.Helper()
		got := h.jobs()[0]
		if got.Phase != "done" || len(got.Files) != 1 || got.Error != nil {
			t.Fatalf("%s with %d files (%s)", got.Phase, len(got.Files), reason(got))
		}
		sameAsServed(t, service, got)
		if list, err := os.ReadDir(h.env["DARKROOM_DOWNLOADS"]); err != nil || len(list) != 2 { // with the recipe
			t.Errorf("%v in the folder, %v", list, err)
		}
	}
	check()
	_ = first.cmd.Process.Signal(syscall.SIGCONT)
	select {
	case <-first.done:
	case <-time.After(runLimit):
		t.Fatal("the first window did not end")
	}
	check()
}

// The bytes of a result are on the disk before it has its final name, and the
// folder after.
func TestResultIsSyncedBeforeItIsPublished(t *testing.T) {
	t.Parallel()
	needPrograms(t, "strace")
	service := startService(t, simtest.Options{LongSide: 64})
	h := newHome(t, service.URL())
	trace := filepath.Join(h.dir, "trace")
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,linkat,renameat2",
		binary, "image", "a harbour", "--model", "lumen/still-1", "--yes", "--json")
	cmd.Env, cmd.Dir = h.environ(), h.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(trace)
	must(t, err)
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
	if step != 3 {
		t.Errorf("file synced, named, folder synced: only the first %d of these in this order\n%s", step, text)
	}
}
