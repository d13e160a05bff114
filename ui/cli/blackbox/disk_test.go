//go:build linux

package blackbox

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// forbidden skips what the machine does not let a test do, by name.
func forbidden(t *testing.T, what string, err error) {
	t.Helper()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("NOT TESTED: this machine forbids %s (%v)", what, err)
	}
	t.Fatalf("%s: %v", what, err)
}

// smallDisk mounts a disk of so many KiB at a folder until the test ends.
func smallDisk(t *testing.T, dir string, kib int) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=0700", kib)); err != nil {
		forbidden(t, "mounting", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// fill writes until nothing more fits; empty gives the room back.
func fill(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 16; size >= 1; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			if !errors.Is(err, syscall.ENOSPC) {
				return err
			}
			size /= 2
		}
	}
	return nil
}

func empty(dir string) error { return os.Remove(filepath.Join(dir, "ballast")) }

// diskHome begins a test next to others: by a home that has its store on a small disk.
func diskHome(t *testing.T, o simtest.Options) (service *simtest.Server, h *home, disk string) {
	t.Helper()
	service, h = begin(t, o)
	disk = filepath.Join(h.dir, "data")
	smallDisk(t, disk, 1024)
	return service, h, disk
}

// TestFullDisk fills the disk at six moments of a job's life. Nothing is sent
// without a durable intent, and what was accepted is never lost.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	t.Run("store cannot be made", func(t *testing.T) {
		service, h, disk := diskHome(t, simtest.Options{})
		must(t, fill(disk))
		e := h.run("image", "x", "--yes").wantCode(t, 4)
		wantCreates(t, service, 0)
		t.Logf("says: %s", e.stderr)
		must(t, empty(disk))
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
	t.Run("intent cannot be recorded", func(t *testing.T) {
		service, h, disk := diskHome(t, simtest.Options{})
		h.run("jobs").wantCode(t, 0)
		service.AddFault(simtest.Fault{Endpoint: "estimate", Count: 1, Do: "before-status", Then: func() { _ = fill(disk) }})
		// longer than what the log's last page still takes
		e := h.run("image", strings.Repeat("a long prompt ", 300), "--yes").wantCode(t, 4)
		wantCreates(t, service, 0)
		t.Logf("says: %s", e.stderr)
		must(t, empty(disk))
		expect.Equal(t, len(h.jobs()), 0, "jobs were recorded")
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
	t.Run("answer cannot be saved", fullAtAnswer)
	t.Run("a command is killed before its answer is saved", func(t *testing.T) {
		service, h, disk := diskHome(t, simtest.Options{})
		service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status",
			Header: map[string][]string{"X-Padding": {strings.Repeat("p", 6000)}}, Then: func() { _ = fill(disk) }})
		s := h.open(240, 12, "image", "x", "--model", "lumen/still-1", "--yes")
		s.waitFor("note its id")
		s.waitFor(service.Ledger()[0].ID)
		s.kill()
	})
	t.Run("answer cannot be saved at once", func(t *testing.T) {
		service, h, disk := diskHome(t, simtest.Options{})
		service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status",
			Header: map[string][]string{"X-Padding": {strings.Repeat("p", 6000)}},
			Then: func() {
				_ = fill(disk)
				time.AfterFunc(300*time.Millisecond, func() { _ = empty(disk) })
			}})
		h.run("image", "x", "--yes").wantCode(t, 0)
		jobs := h.jobs()
		expect.That(t, len(jobs) == 1 && jobs[0].Phase == "done", jobs)
		wantCreates(t, service, 1)
	})
	t.Run("result cannot be written", func(t *testing.T) {
		service, h := begin(t, simtest.Options{})
		pictures := filepath.Join(h.dir, "pictures")
		smallDisk(t, pictures, 64)
		service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status", Then: func() { _ = fill(pictures) }})
		fetchedLater(t, service, h, func() { must(t, unix.Unmount(pictures, unix.MNT_DETACH)) })
	})
}

// fetchedLater makes a job whose result cannot be written: nothing but ballast and parts is in the
// downloads folder, and once back has made room the result is fetched, and the job not made again.
func fetchedLater(t *testing.T, service *simtest.Server, h *home, back func()) {
	t.Helper()
	e := h.run("image", "x", "--yes", "--json").wantCode(t, 1)
	got := document[job](t, e)
	expect.Must(t, got.Phase == "failed" && strings.Contains(reason(got), "Fetch it again") && got.RemoteID != nil, "the job", e.stdout)
	t.Logf("says: %s", reason(got))
	for _, e := range simtest.Must(os.ReadDir(filepath.Join(h.dir, "pictures")))(t) {
		expect.That(t, e.Name() == "ballast" || strings.HasSuffix(e.Name(), ".part"), e.Name(), "lies under a final name")
	}
	back()
	h.run("fetch", got.ID).wantCode(t, 0)
	sameAsServed(t, service, h.jobs()[0])
	wantCreates(t, service, 1)
}

// fullAtAnswer: the disk is full when the accepted job's id comes. The screens
// show it, hold on to it, and save it once there is room.
func fullAtAnswer(t *testing.T) {
	service, h, disk := diskHome(t, simtest.Options{TimeScale: 0.05})
	h.configure("on_done = \"nothing\"\n") // the picture of what is done would hide its row
	s := h.screens(120, 36, "credits")
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status", Then: func() { _ = fill(disk) },
		Header: map[string][]string{"X-Padding": {strings.Repeat("p", 6000)}}})
	s.submit("the disk fills up")
	s.toJobs()
	s.waitFor("not saved")
	ledger := service.Ledger()
	expect.Must(t, len(ledger) == 1, "the service accepted", len(ledger), "jobs, want 1")
	s.waitFor(ledger[0].ID)
	s.keysTo("<ctrl+q>", "Quit now?", "could not take")
	s.keys("<esc>")
	s.waitUntil("the question is closed", func(screen string) bool { return !strings.Contains(screen, "Quit now?") })
	must(t, empty(disk))
	s.waitPast("not saved", "● done")
	s.quit()
	jobs := h.jobs()
	expect.Must(t, len(jobs) == 1 && jobs[0].RemoteID != nil, "after there was room", jobs)
	expect.Equal(t, jobs[0].Phase+" "+*jobs[0].RemoteID, "done "+ledger[0].ID, "after there was room")
	wantCreates(t, service, 1)
}

// TestAnEightKPictureIsDecodedWithinItsMemory looks through a gallery of 200
// with a picture of 33 megapixels among them: at rest it takes 60 MiB, while a
// picture is decoded 150 MiB more.
//
// Not parallel: a busy machine gives memory back later.
func TestAnEightKPictureIsDecodedWithinItsMemory(t *testing.T) {
	const rest, decoding = 60, 150
	h := newHome(t, "http://127.0.0.1:1")
	h.finished(200, "http://127.0.0.1:1", false)
	h.pictures(200)
	large := image.NewNRGBA(image.Rect(0, 0, 7680, 4320))
	for x := range 7680 {
		large.SetNRGBA(x, 0, color.NRGBA{uint8(x >> 5), 90, uint8(x >> 6), 255})
	}
	for y := range 4320 {
		copy(large.Pix[y*large.Stride:], large.Pix[y/16*large.Stride:][:large.Stride])
		large.Pix[y*large.Stride+1] = uint8(y >> 4)
	}
	file := simtest.Must(os.Create(filepath.Join(h.dir, "pictures", "000.jpg")))(t) // the newest
	must(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(file, large))
	must(t, file.Close())

	p := h.watched(binary, "/ 5,000", false)
	p.write("<alt+2>")
	p.waitFor("harbour at dawn 200")
	p.quiet(time.Second) // its picture is in the side pane
	beside := p.status("VmHWM:")
	p.write("g")
	p.waitUntil("the gallery shows its pictures", func(screen string) bool { return strings.Count(screen, "▀") > 1000 })
	p.quiet(time.Second)
	p.write("<enter>")
	p.waitUntil("the picture alone", func(screen string) bool { return strings.Count(screen, "▀") > 2000 })
	p.quiet(time.Second)
	p.write("<esc>")
	p.quiet(time.Second)
	most := p.status("VmHWM:")
	now := most
	for limit := time.Now().Add(20 * time.Second); now > rest && time.Now().Before(limit); time.Sleep(100 * time.Millisecond) {
		now = p.status("VmRSS:")
	}
	t.Logf("%.0f MiB at most with the picture beside the list, %.0f with it alone, %.0f at rest", beside, most, now)
	expect.That(t, now <= rest, now, "MiB at rest", rest, "allowed")
	expect.That(t, most <= rest+decoding, most, "MiB while a picture was decoded", rest+decoding, "allowed")
}

// noise is a PNG that cannot be packed: about 3 bytes a pixel.
func noise(t *testing.T, side int) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(side)))
	picture := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			v := rng.Uint32()
			picture.SetRGBA(x, y, color.RGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), 255})
		}
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, picture))
	return b.Bytes()
}

// Media that come inside of answers, far above what an answer may hold
// otherwise, are saved like others.
func TestMediaInsideOfAnswers(t *testing.T) {
	t.Parallel()
	one, two := noise(t, 800), noise(t, 900)
	encoded := base64.StdEncoding.EncodeToString
	both := `{"created":1,"data":[{"b64_json":"` + encoded(one) + `"},{"b64_json":"` + encoded(two) + `"}]}`
	for name, c := range map[string]struct {
		endpoint, body, media string
		want                  [][]byte
	}{
		"create, two in base64": {"create", both, "application/json", [][]byte{one, two}},
		"job, two in base64":    {"job", `{"job":{"status":"COMPLETED","result":` + both + `,"error":null}}`, "application/json", [][]byte{one, two}},
		"job, the file itself":  {"job", string(one), "image/png", [][]byte{one}},
	} {
		t.Run(name, func(t *testing.T) {
			service, h := serve(t, simtest.Options{LongSide: 64, Faults: []simtest.Fault{
				{Endpoint: c.endpoint, Do: "body", Body: c.body, Header: http.Header{"Content-Type": {c.media}}},
			}})
			j := document[job](t, h.run("image", "a pier", "--yes", "--wait", "--json").wantCode(t, 0))
			expect.Must(t, len(j.Files) == len(c.want), len(j.Files), "files", j)
			wantCreates(t, service, 1)
			for i, want := range c.want {
				sum := sha256.Sum256(want)
				expect.Equal(t, sumOf(t, j.Files[i].Path), hex.EncodeToString(sum[:]), "file", i+1)
				expect.Equal(t, j.Files[i].Bytes, int64(len(want)), "bytes of file", i+1)
			}
			left, err := os.ReadDir(filepath.Join(h.env["XDG_DATA_HOME"], "darkroom", "inbox"))
			expect.That(t, (err == nil || os.IsNotExist(err)) && len(left) == 0, "the inbox still has", left, err)
		})
	}
	t.Logf("answers of %d and %d KiB read whole", len(both)>>10, len(one)>>10)
}

// readOnly makes a folder read-only for everybody, root too, until the test
// ends or back is called.
func readOnly(t *testing.T, dir string) (back func()) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		forbidden(t, "bind mounts", err)
	}
	undo := func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		undo()
		forbidden(t, "read-only mounts", err)
	}
	t.Cleanup(undo)
	return undo
}

// TestReadOnlyHome: the program runs, shows what it has, sends nothing and
// says why; results that cannot be written are fetched later.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	t.Run("from the start", func(t *testing.T) {
		service, h := begin(t, simtest.Options{})
		back := readOnly(t, h.dir)
		e := h.run("image", "x", "--yes").wantCode(t, 4)
		t.Logf("says: %s", e.stderr)
		h.run("models").wantCode(t, 0)
		h.run("jobs").wantCode(t, 0)
		h.run("doctor").wantCode(t, 1).prints(t, "✗ store", "writable")
		s := h.screens(100, 30)
		s.keysTo("nothing is sent", "nothing is sent", "credits")
		s.keysTo("<ctrl+s><enter>", "writ") // writable, written
		s.quit()
		wantCreates(t, service, 0)
		back()
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
	t.Run("with jobs", func(t *testing.T) {
		service, h := begin(t, simtest.Options{})
		h.run("image", "made before", "--yes").wantCode(t, 0)
		back := readOnly(t, h.dir)
		jobs := h.jobs()
		expect.That(t, len(jobs) == 1 && jobs[0].Phase == "done", "the job is not shown", jobs)
		h.run("image", "x", "--yes").wantCode(t, 4)
		s := h.open(110, 30)
		s.keysTo("<alt+2>", "made before")
		s.quit()
		wantCreates(t, service, 1)
		back()
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
}

// TestDownloadsTurnReadOnly: the result is fetched later, and the job is not
// made again.
func TestDownloadsTurnReadOnly(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	pictures := filepath.Join(h.dir, "pictures")
	readOnly(t, pictures)() // skips where that is not possible
	var back func()
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status", Then: func() { back = readOnly(t, pictures) }})
	fetchedLater(t, service, h, func() { back() })
}

// refuseWrites makes every write of a running program to the files fail, as
// after an error of the disk, until the returned function is called.
func refuseWrites(t *testing.T, pid int, errno string, paths ...string) (back func(), err error) {
	args := []string{"-f", "-o", "/dev/null", "-p", strconv.Itoa(pid)}
	for _, path := range paths {
		args = append(args, "-P", path)
	}
	const calls = "pwrite64,write,ftruncate,fallocate"
	args = append(args, "-e", "trace="+calls, "-e", "inject="+calls+":error="+errno)
	cmd := exec.Command("strace", args...)
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var heard strings.Builder
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		fmt.Fprintln(&heard, lines.Text())
		if strings.Contains(lines.Text(), "attached") {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() }, nil
		}
	}
	_ = cmd.Wait()
	if strings.Contains(heard.String(), "not permitted") {
		return nil, fmt.Errorf("%w: %s", unix.EPERM, &heard)
	}
	return nil, errors.New(heard.String())
}

// TestDiskRefuses: the store's disk turns read-only or full under the running
// program. It needs no mounts.
func TestDiskRefuses(t *testing.T) {
	t.Parallel()
	needPrograms(t, "strace")
	for name, c := range map[string]struct {
		errno    string
		moment   simtest.Fault
		accepted int
		codes    []int
	}{
		"read-only before the intent": {"EROFS", simtest.Fault{Endpoint: "estimate", Count: 1, Do: "before-status"}, 0, []int{4}},
		"read-only before the answer": {"EROFS", simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status"}, 1, []int{4}},
		"read-only before the result": {"EROFS", simtest.Fault{Endpoint: "result", Count: 1, Do: "at-headers"}, 1, []int{1, 7}},
		"full before the intent":      {"ENOSPC", simtest.Fault{Endpoint: "estimate", Count: 1, Do: "before-status"}, 0, []int{4}},
		"full before the answer":      {"ENOSPC", simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status"}, 1, []int{4}},
	} {
		t.Run(name, func(t *testing.T) {
			service, h := begin(t, simtest.Options{})
			h.run("jobs").wantCode(t, 0)
			store := filepath.Join(h.dir, "data", "darkroom", "darkroom.db")
			patience := map[bool]string{true: "5s", false: "1s"}[c.moment.Endpoint == "result"] // which has to be reached in it
			cmd := h.command(t.Context(), "image", "x", "--yes", "--timeout", patience)
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			type turn struct {
				back func()
				err  error
			}
			turned := make(chan turn, 1)
			c.moment.Then = func() {
				back, err := refuseWrites(t, cmd.Process.Pid, c.errno, store, store+"-wal")
				turned <- turn{back, err}
			}
			service.AddFault(c.moment)
			must(t, cmd.Start())
			_ = cmd.Wait()
			var how turn
			select {
			case how = <-turned:
			default:
				t.Fatalf("the moment never came\n%s%s", &out, &errs)
			}
			if how.err != nil {
				forbidden(t, "ptrace", how.err)
			}
			how.back()
			code := cmd.ProcessState.ExitCode()
			t.Logf("exit code %d, says: %s", code, &errs)
			expect.That(t, slices.Contains(c.codes, code), "exit code", code, "want one of", c.codes)
			n := len(service.Ledger())
			expect.That(t, n == c.accepted && creates(service) == c.accepted, creates(service), "creates", n, "accepted, want", c.accepted)
			for _, entry := range service.Ledger() {
				given := strings.Contains(errs.String(), entry.ID)
				expect.That(t, given || !strings.HasSuffix(name, "before the answer"), "the id", entry.ID, "of an accepted job was not given")
			}
			checkNothingLost(t, h, service)
			finishAll(t, h, service)
		})
	}
}

// finishAll does what a person does once there is a disk again, and looks at
// what is there then: each accepted job with its result, once.
func finishAll(t *testing.T, h *home, service *simtest.Server) {
	t.Helper()
	accepted := service.Ledger()
	for _, j := range h.jobs() {
		if j.Phase == "unknown" && len(accepted) == 1 {
			h.run("job", j.ID, "--attach", accepted[0].ID).wantCode(t, 0)
		}
		if len(accepted) == 1 {
			h.run("wait", j.ID)
			h.run("fetch", j.ID).wantCode(t, 0)
			sameAsServed(t, service, h.jobs()[0])
		}
	}
	n := creates(service)
	expect.That(t, n == len(accepted) && n <= 1, n, "creates", len(accepted), "accepted")
	names := simtest.Must(filepath.Glob(filepath.Join(h.dir, "pictures", "*")))(t)
	expect.Len(t, names, 2*len(accepted), "results, each with its recipe")
}

// checkNothingLost: each job that the service accepted is in the store by its
// id, or by one whose outcome is said to be unknown.
func checkNothingLost(t *testing.T, h *home, service *simtest.Server) {
	t.Helper()
	jobs := h.jobs()
	accepted := service.Ledger()
	expect.That(t, len(accepted) <= 1 && creates(service) <= 1, "sent", creates(service), "times, accepted", len(accepted))
	for _, entry := range accepted {
		found := false
		for _, j := range jobs {
			found = found || j.RemoteID != nil && *j.RemoteID == entry.ID || j.Phase == "unknown"
		}
		expect.That(t, found, "the accepted job", entry.ID, "is lost", jobs)
	}
}
