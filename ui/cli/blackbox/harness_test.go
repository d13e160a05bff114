//go:build linux

// Package blackbox breaks darkroom on purpose. It has only tests: the built
// binary, as a command and in a pseudo terminal, against the built-in service
// with faults, kills at chosen moments, full disks and read-only homes. The
// quick forms run in 'go test ./...'; -long runs the full numbers.
package blackbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// long asks for the full numbers instead of the quick ones.
var long = flag.Bool("long", false, "run the long forms of the black-box tests")

// programs names a folder that keeps the programs under test between runs.
var programs = flag.String("programs", "", "keep the built programs in `folder`, and take those that are there")

// binary is the program under test, built once by TestMain.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if run := flag.Lookup("test.run"); !*long && os.Getenv("CI") == "" && run.Value.String() == "" { // a third, another one each time
		_ = run.Value.Set(fmt.Sprintf("^(...)*.{%d}$", rand.IntN(3)))
	}
	simtest.WaitTogether()
	heedHangups()
	os.Exit(buildAndRun(m))
}

// heedHangups undoes what nohup does for the programs that are started here: a
// signal with a handler has its default in a new program, an ignored one stays
// ignored, and the tests of hangups would wait for ever.
func heedHangups() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}

// sideBySide runs sub-tests at the same time and waits for them, in the place of the
// test itself: parallel ones would wait until all tests have begun. It is for those
// that take long and mostly wait.
func sideBySide[T any](t *testing.T, tests map[string]T, run func(*testing.T, T)) {
	t.Helper()
	var all sync.WaitGroup
	for name, one := range tests {
		all.Go(func() { t.Run(name, func(t *testing.T) { run(t, one) }) })
	}
	all.Wait()
}

func buildAndRun(m *testing.M) int {
	dir, err := *programs, error(nil)
	if dir != "" {
		dir, err = filepath.Abs(dir)
	} else {
		dir, err = os.MkdirTemp("", "blackbox-")
		defer func() { _ = os.RemoveAll(dir) }()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = filepath.Join(dir, "darkroom")
	if err := buildProgram(binary, "darkroom"); err != nil {
		fmt.Fprintf(os.Stderr, "building the program under test: %v\n", err)
		return 1
	}
	return m.Run()
}

// buildProgram builds a program with the settings of the test itself, whose compiled
// packages it shares, unless it is there already.
func buildProgram(path string, args ...string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if out, err := exec.Command("go", append([]string{"build", "-o", path}, args...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// times is the quick number, or the long one with -long.
func times(quick, full int) int {
	if *long {
		return full
	}
	return quick
}

// seed repeats what a test did at random.
var seed = flag.Uint64("seed", 0, "of what tests do at random; 0: another one each time")

// random is what a test does at random by. The seed is said when the test fails.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	from := *seed
	if from == 0 {
		from = rand.Uint64()
	}
	t.Logf("at random by -seed %d", from)
	return rand.New(rand.NewPCG(from, 0))
}

// testKey is the key of every run; the key search looks for it.
const testKey = "ak_Zq7vT2mXw9Kd4RbYh6Nc3Ls8"

// startService starts the built-in service in this process, so that a test can
// read its ledger and act at a fault's moment. Its pictures are small: to paint
// large ones takes a busy machine longer than the limits of a call at the tests'
// scale.
func startService(t *testing.T, o simtest.Options) *simtest.Server {
	t.Helper()
	if o.TimeScale == 0 {
		o.TimeScale = 0.01
	}
	if o.LongSide == 0 {
		o.LongSide = 256
	}
	server := simtest.Must(simtest.Start(context.WithoutCancel(t.Context()), o))(t)
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// begin begins a test next to others: by a service, and a home that uses it.
func begin(t *testing.T, o simtest.Options, variables ...string) (*simtest.Server, *home) {
	t.Helper()
	t.Parallel()
	return serve(t, o, variables...)
}

// serve starts a service, and makes a home that uses it, with the variables.
func serve(t *testing.T, o simtest.Options, variables ...string) (*simtest.Server, *home) {
	t.Helper()
	service := startService(t, o)
	return service, newHome(t, service.URL()).with(variables...)
}

// home is one person's folders and environment.
type home struct {
	t   *testing.T
	dir string
	env map[string]string
}

func newHome(t *testing.T, base string) *home {
	t.Helper()
	return homeAt(t, t.TempDir(), base)
}

// configure puts a settings file into the home at once: a program that runs must
// not find it empty, as it is while it is written.
func (h *home) configure(settings string) {
	h.t.Helper()
	file := filepath.Join(h.dir, "config", "darkroom", "config.toml")
	must(h.t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(h.t, os.WriteFile(file+".new", []byte(settings), 0o600))
	must(h.t, os.Rename(file+".new", file))
}

func homeAt(t *testing.T, dir, base string) *home {
	t.Helper()
	h := &home{t: t, dir: dir, env: map[string]string{
		"HOME": dir, "PATH": os.Getenv("PATH"), "TERM": "xterm-256color", "LANG": "C.UTF-8",
		"TZ":              os.Getenv("TZ"), // a day is the same one to the test
		"TMPDIR":          filepath.Join(dir, "tmp"),
		"XDG_CONFIG_HOME": filepath.Join(dir, "config"),
		"XDG_DATA_HOME":   filepath.Join(dir, "data"),
		"XDG_STATE_HOME":  filepath.Join(dir, "state"),
		"XDG_CACHE_HOME":  filepath.Join(dir, "cache"),
		"XDG_RUNTIME_DIR": filepath.Join(dir, "run"),

		"DARKROOM_BASE_URL":   base,
		"DARKROOM_API_KEY":    testKey,
		"DARKROOM_TIME_SCALE": "0.01",
		"DARKROOM_DOWNLOADS":  filepath.Join(dir, "pictures"),
	}}
	for _, name := range []string{"tmp", "run"} {
		must(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	return h
}

// with gives the same home with other variables; an empty value unsets one.
func (h *home) with(pairs ...string) *home {
	other := &home{t: h.t, dir: h.dir, env: maps.Clone(h.env)}
	for i := 0; i < len(pairs); i += 2 {
		other.env[pairs[i]] = pairs[i+1]
	}
	return other
}

// trusting gives the same home with the service's own certificate as the only one
// that is trusted: to read the system's takes longer than a call.
func (h *home) trusting(s *simtest.Server) *home {
	h.t.Helper()
	address := simtest.Must(url.Parse(s.URL()))(h.t)
	conn := simtest.Must(tls.Dial("tcp", address.Host, &tls.Config{RootCAs: s.CertPool()}))(h.t)
	defer conn.Close()
	leaf := conn.ConnectionState().PeerCertificates[0]
	path := filepath.Join(h.dir, "service.pem")
	must(h.t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw}), 0o600))
	return h.with("SSL_CERT_FILE", path, "SSL_CERT_DIR", filepath.Join(h.dir, "run"))
}

func (h *home) environ() []string {
	var list []string
	for name, value := range h.env {
		if value != "" {
			list = append(list, name+"="+value)
		}
	}
	slices.Sort(list)
	return list
}

// ended is a finished run of a command.
type ended struct {
	args           []string
	stdout, stderr string
	code           int // -1 when a signal ended it
	took           time.Duration
}

// runLimit is how long a single command may take before the test gives up.
const runLimit = 90 * time.Second

// await waits until something is met, as long as a command may take.
func await(t *testing.T, what string, met func() bool) {
	t.Helper()
	for limit := time.Now().Add(runLimit); !met(); time.Sleep(2 * time.Millisecond) {
		expect.Must(t, !time.Now().After(limit), "not within", runLimit, what)
	}
}

// within waits for a value of a channel or its end, as long as a command may take.
func within[T any](t *testing.T, what string, met <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-met:
	case <-time.After(runLimit):
		t.Fatalf("not within %v: %s", runLimit, what)
	}
	return got
}

// command prepares the program under test; nothing of the test's own
// environment reaches it. It is killed after five minutes, in the long forms an
// hour, and its pipes are closed when it has ended: a test that waits for one that
// hangs goes on, and fails.
func (h *home) command(ctx context.Context, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(times(5, 60))*time.Minute)
	h.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = h.environ(), h.dir, runLimit
	return cmd
}

// run runs a command to its end, without a terminal.
func (h *home) run(args ...string) ended {
	h.t.Helper()
	return h.runWith("", args...)
}

func (h *home) runWith(stdin string, args ...string) ended {
	h.t.Helper()
	var out bytes.Buffer
	e := h.finish(stdin, &out, args...)
	e.stdout = out.String()
	return e
}

// finish runs a command to its end, with its standard output at a place of the
// test's. One that serves ends by a signal, once it has said so.
func (h *home) finish(stdin string, out io.Writer, args ...string) ended {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), runLimit)
	defer cancel()
	cmd := h.command(ctx, args...)
	errs := &serving{cmd: cmd}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), out, errs
	began := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	expect.Must(h.t, err == nil || errors.As(err, &exit), "darkroom", args, err)
	expect.Must(h.t, ctx.Err() == nil, "darkroom", args, "did not end within", runLimit, "stdout", out, "stderr", &errs.said)
	return ended{args: args, stderr: errs.said.String(), code: cmd.ProcessState.ExitCode(), took: time.Since(began)}
}

// serving keeps what a command says, and interrupts one that says that it serves.
type serving struct {
	said bytes.Buffer
	cmd  *exec.Cmd
}

func (s *serving) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("ctrl+c")) && (s.cmd.Args[1] == "simulate" || s.cmd.Args[1] == "watch") {
		_ = s.cmd.Process.Signal(os.Interrupt)
	}
	return s.said.Write(b)
}

// wantCode fails the test unless the run ended with the code.
func (e ended) wantCode(t *testing.T, code int) ended {
	t.Helper()
	expect.Must(t, e.code == code, e.args, "exit code", e.code, "want", code, "stdout", e.stdout, "stderr", e.stderr)
	return e
}

// says fails the test unless standard error has the texts, and prints standard output.
func (e ended) says(t *testing.T, texts ...string) ended {
	t.Helper()
	return e.has(t, e.stderr, texts)
}
func (e ended) prints(t *testing.T, texts ...string) ended {
	t.Helper()
	return e.has(t, e.stdout, texts)
}

func (e ended) has(t *testing.T, where string, texts []string) ended {
	t.Helper()
	for _, text := range texts {
		expect.Contains(t, where, text, e.args, "stdout", e.stdout, "stderr", e.stderr)
	}
	return e
}

// document reads the one JSON document of standard output.
func document[T any](t *testing.T, e ended) T {
	t.Helper()
	var v T
	decoder := json.NewDecoder(strings.NewReader(e.stdout))
	err := decoder.Decode(&v)
	expect.Must(t, err == nil, "standard output is not JSON", err, "stdout", e.stdout, "stderr", e.stderr)
	expect.Must(t, !decoder.More(), "standard output has more than one document", e.stdout)
	return v
}

// job is the contract's job object.
type job struct {
	ID       string          `json:"id"`
	RemoteID *string         `json:"remote_id"`
	Kind     string          `json:"kind"`
	Model    string          `json:"model"`
	Phase    string          `json:"phase"`
	Status   string          `json:"status"`
	Error    *string         `json:"error"`
	Request  json.RawMessage `json:"request"`
	Credits  struct {
		Estimated *float64 `json:"estimated"`
		Source    string   `json:"source"`
	} `json:"credits"`
	CreatedAt  string  `json:"created_at"`
	FinishedAt *string `json:"finished_at"`
	Files      []struct {
		Path      string `json:"path"`
		URL       string `json:"url"`
		MediaType string `json:"media_type"`
		Bytes     int64  `json:"bytes"`
		SHA256    string `json:"sha256"`
	} `json:"files"`
}

// jobs lists every job in the home's store.
func (h *home) jobs() []job {
	h.t.Helper()
	e := h.run("jobs", "--json").wantCode(h.t, 0)
	return document[struct {
		Jobs []job `json:"jobs"`
	}](h.t, e).Jobs
}

// creates counts the create calls that the service saw, refused ones included.
func creates(s *simtest.Server) int { return len(ofEndpoint(s.Calls(), "create")) }

func wantCreates(t *testing.T, s *simtest.Server, want int) {
	t.Helper()
	expect.Equal(t, creates(s), want, "creates")
}

var program = simtest.Script

var must = simtest.NoError

// sumOf is the SHA-256 of a file, in hex.
func sumOf(t *testing.T, path string) string {
	t.Helper()
	content := simtest.Must(os.ReadFile(path))(t)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
