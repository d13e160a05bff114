//go:build linux

package blackbox

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestSignalsDuringACreate: every signal waits up to 3 s for the answer of a
// create; what is not known then is exit 6.
func TestSignalsDuringACreate(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT} {
		for name, c := range map[string]struct {
			delay time.Duration
			phase string
			code  int
		}{"answered": {300 * time.Millisecond, "queued", 7}, "silent": {time.Minute, "unknown", 6}} {
			t.Run(sig.String()+" "+name, func(t *testing.T) {
				called := make(chan struct{}, 1)
				_, h := begin(t, simtest.Options{TimeScale: endless, Faults: []simtest.Fault{
					{Endpoint: "create", Do: "at-body", Then: func() { called <- struct{}{} }},
					{Endpoint: "create", Do: "latency", Delay: c.delay},
				}}, "DARKROOM_TIME_SCALE", "1")
				w := h.startWindow("image", "x", "--model", "lumen/still-1", "--yes", "--json")
				within(t, "the service is asked", called)
				w.signal(t, sig)
				began := time.Now()
				<-w.done
				expect.That(t, time.Since(began) <= 30*time.Second, "it took", time.Since(began)) // without the signal the call has a minute
				expect.Equal(t, w.cmd.ProcessState.ExitCode(), c.code, "exit code", w)
				j := h.jobs()[0]
				expect.Equal(t, j.Phase, c.phase, w)
				expect.Equal(t, j.RemoteID != nil, c.phase == "queued", "it has an id", w)
				expect.Contains(t, w.out.String(), `"phase": "`+c.phase)
			})
		}
	}
}

// TestAnAnswerThatCameWhileStopped: a sender that is stopped past the limit of
// its call uses the answer that has come meanwhile.
func TestAnAnswerThatCameWhileStopped(t *testing.T) {
	called := make(chan struct{}, 1)
	_, h := begin(t, simtest.Options{TimeScale: endless, Faults: []simtest.Fault{
		{Endpoint: "create", Do: "at-body", Then: func() { called <- struct{}{} }},
		{Endpoint: "create", Do: "latency", Delay: 300 * time.Millisecond},
	}}, "DARKROOM_TIME_SCALE", "0.05") // headers 3 s, the whole 4.5 s
	w := h.startWindow("image", "x", "--model", "lumen/still-1", "--yes", "--json", "--no-wait")
	within(t, "the service is asked", called)
	w.signal(t, syscall.SIGSTOP)
	time.Sleep(5 * time.Second) // the limits of the call are over
	w.signal(t, syscall.SIGCONT)
	<-w.done
	expect.That(t, w.cmd.ProcessState.ExitCode() == 0 && strings.Contains(w.out.String(), `"queued"`), w)
}

// TestAStoppedSenderIsNotWaitedForForEver: other windows go on after its turn.
func TestAStoppedSenderIsNotWaitedForForEver(t *testing.T) {
	called := make(chan struct{}, 1)
	service, h := begin(t, simtest.Options{TimeScale: endless, Faults: []simtest.Fault{
		{Endpoint: "create", Count: 1, Do: "at-body", Then: func() { called <- struct{}{} }},
		{Endpoint: "create", Count: 1, Do: "latency", Delay: 300 * time.Millisecond},
	}}, "DARKROOM_TIME_SCALE", "0.02") // a turn lasts 2.4 s
	args := []string{"--model", "lumen/still-1", "--yes", "--json", "--no-wait"}
	w := h.startWindow(append([]string{"image", "one"}, args...)...)
	within(t, "the service is asked", called)
	h.stop(w.cmd.Process.Pid)
	h.run(append([]string{"image", "two"}, args...)...).wantCode(t, 0)
	wantCreates(t, service, 2)
}

// TestASilentService: what takes connections and never answers is waited for with a word.
func TestASilentService(t *testing.T) {
	t.Parallel()
	silent := simtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = silent.Close() })
	h := newHome(t, "http://"+silent.Addr().String()).with("DARKROOM_TIME_SCALE", "1")
	must(t, os.WriteFile(filepath.Join(h.dir, "list"), []byte("- x\n- y\n"), 0o600))
	var creates atomic.Int64
	mute := newHome(t, inFront(t, startService(t, simtest.Options{}), func(w http.ResponseWriter, at string) bool {
		lost := at == "create" && creates.Add(1) == 1
		if lost {
			w.WriteHeader(http.StatusBadGateway)
		} else if at == "job" {
			<-t.Context().Done()
		}
		return lost || at == "job"
	})).with("DARKROOM_TIME_SCALE", "1")
	mute.configure(`upload = ["sh", "-c", "sleep 60", "{file}"]`)
	mute.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 6)
	unknown := mute.jobs()[0].ID
	queued := strings.TrimSpace(mute.run("image", "y", "--model", "lumen/still-1", "--yes", "--no-wait").wantCode(t, 0).stdout)
	upload := "image x --model lumen/still-1 --quiet --yes --upload --image-url " + filepath.Join(h.dir, "list")
	for _, line := range []string{"batch list --kind image --dry-run", "estimate image x --model m", "models", "doctor", "prices --quote",
		"prices --model m", "tools", "image x --yes", "job " + unknown + " --attach x", "wait " + queued, upload} {
		of, says, end, code := h, "waits for the service", "stopped", 1
		switch word, _, _ := strings.Cut(line, " "); {
		case line == upload:
			of, says, end, code = mute, "uploading …", "nothing was sent: sh was stopped", 2
		case word == "wait":
			of, code = mute, 7
			end = "stopped waiting; the job goes on. Come back with: darkroom wait " + queued + "\njob " + queued + " · queued"
		case word == "job":
			of, end = mute, "stopped; nothing was changed"
		case strings.Contains(line, "image"):
			end, code = "stopped; nothing was sent", 2
		}
		cmd := of.command(t.Context(), strings.Fields(line)...)
		errs := bufio.NewReader(simtest.Must(cmd.StderrPipe())(t))
		must(t, cmd.Start())
		said, _ := errs.ReadString('\n')
		must(t, cmd.Process.Signal(os.Interrupt))
		rest := string(simtest.Must(io.ReadAll(errs))(t))
		_ = cmd.Wait()
		expect.Equal(t, said+rest, "darkroom: "+says+"\ndarkroom: "+end+"\n", line)
		expect.Equal(t, cmd.ProcessState.ExitCode(), code, line)
	}
	s := h.lines()
	s.says("/price", "waits for the service")
	s.signal(syscall.SIGINT)
	s.waitFor("stopped; nothing was sent")
}

// inFront is the address of what answers some calls of a service itself and
// hands on the others.
func inFront(t *testing.T, service *simtest.Server, answers func(w http.ResponseWriter, endpoint string) bool) string {
	t.Helper()
	to := simtest.Must(url.Parse(service.URL()))(t)
	on := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers(w, endpointOf(r.URL.Path)) {
			on.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return front.URL
}

// switches answers that another protocol is spoken from now on, and is silent.
func switches(t *testing.T, w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n")
}

// TestAnswersThatSwitchProtocols: net/http hands over the connection of a 101,
// whose reads no limit ends. Such a create is unknown at once, and such polls,
// one for each worker, do not end polling.
func TestAnswersThatSwitchProtocols(t *testing.T) {
	t.Parallel()
	for endpoint, code := range map[string]int{"create": 6, "job": 0, "models": 0, "estimate": 0} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			service := startService(t, simtest.Options{})
			var given, seen atomic.Int64
			h := newHome(t, inFront(t, service, func(w http.ResponseWriter, at string) bool {
				if at == "create" {
					seen.Add(1)
				}
				if at != endpoint || given.Add(1) > 4 {
					return false
				}
				switches(t, w)
				return true
			}))
			e := h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, code)
			expect.That(t, e.took <= 20*time.Second && seen.Load() == 1, e.took, seen.Load(), "creates", e.stderr)
		})
	}
}

// TestAJobThatAnotherKeyDoesNotKnow is given up, but not for good: it was sent
// with the key of another account, or a gateway answered in the service's place.
func TestAJobThatAnotherKeyDoesNotKnow(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	var known atomic.Bool
	h := newHome(t, inFront(t, service, func(w http.ResponseWriter, endpoint string) bool {
		if endpoint != "job" || known.Load() {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"error":"no such job"}`)
		return true
	}))
	h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 1).says(t, "not by this key")
	id := h.jobs()[0].ID
	h.run("wait", id).wantCode(t, 1)
	known.Store(true)
	h.run("wait", id).wantCode(t, 0).prints(t, ".png")
}

// TestAnOutcomeThatTheStoreDidNotTake: a command that cannot keep what the
// service has accepted says its id and does not end as if all were well, or as
// if nothing had been sent.
func TestAnOutcomeThatTheStoreDidNotTake(t *testing.T) {
	t.Parallel()
	execute := func(t *testing.T, file, statements string) *sql.DB {
		db := openStore(t, file)
		t.Cleanup(func() { _ = db.Close() })
		simtest.Must(db.Exec(statements))(t)
		return db
	}
	harms := map[string]func(t *testing.T, file string){
		"data folder removed": func(t *testing.T, file string) { // at once: the program makes files in it
			gone := filepath.Dir(file) + ".gone"
			must(t, os.Rename(filepath.Dir(file), gone))
			must(t, os.RemoveAll(gone))
		},
		"older copy put back": func(t *testing.T, file string) {
			execute(t, file, `DELETE FROM attempts; DELETE FROM details; DELETE FROM jobs`)
		},
	}
	if *long { // the store is waited for
		harms["locked by another program"] = func(t *testing.T, file string) { execute(t, file, `BEGIN IMMEDIATE`) }
	}
	for name, harm := range harms {
		for _, how := range []string{"--no-wait", "--timeout=500ms", "signal"} {
			if how != "--no-wait" && name == "data folder removed" {
				continue // a job that cannot be read is not waited for
			}
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				var h *home
				service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Do: "at-body", Then: func() {
					harm(t, filepath.Join(h.dir, "data", "darkroom", "darkroom.db"))
				}}}})
				h = newHome(t, service.URL())
				args := []string{"image", "x", "--model", "lumen/still-1", "--yes", how}
				if how == "signal" {
					args = args[:len(args)-1]
				}
				w := h.startWindow(args...)
				awaitService(t, w, func() bool { return len(service.Ledger()) > 0 })
				if how == "signal" {
					time.Sleep(300 * time.Millisecond)
					w.signal(t, syscall.SIGINT)
				}
				<-w.done
				if id, said := service.Ledger()[0].ID, w.errors.String(); w.cmd.ProcessState.ExitCode() != 4 || !strings.Contains(said, "note the id "+id) ||
					strings.Contains(said, "darkroom wait") {
					t.Errorf("exit code %d, id %s: %s", w.cmd.ProcessState.ExitCode(), id, said)
				}
			})
		}
	}
}

// TestAToolNeedsTheStoreToo: a tool that may spend is not called while its call
// cannot be recorded where others see it.
func TestAToolNeedsTheStoreToo(t *testing.T) {
	t.Parallel()
	var h *home
	service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "tools", Do: "at-body", From: 1, Count: 1, Then: func() {
		must(t, os.Rename(filepath.Join(h.dir, "data"), filepath.Join(h.dir, "elsewhere")))
	}}}})
	h = newHome(t, service.URL())
	e := h.run("tools", "call", "generate_image", `{"prompt":"x"}`, "--yes")
	if e.code != 4 && e.code != 1 { // where even reading fails by then it is 1
		t.Errorf("exit code %d: %s", e.code, e.stderr)
	}
	expect.Equal(t, len(service.Ledger()), 0, "jobs")
}
