//go:build linux

package blackbox

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestASignalEndsReading: a command that waits for its input, on standard input
// or at a named pipe that nobody writes to, ends by a signal like any other.
func TestASignalEndsReading(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	pipe := filepath.Join(h.dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"image", "-", "--yes", "--model", "lumen/still-1"}, {"image", "@" + pipe, "--dry-run", "--model", "lumen/still-1"},
		{"tools", "call", "generate_image", "-", "--yes"}, {"tools", "call", "generate_image", "@" + pipe, "--yes"},
		{"edit", pipe},
	} {
		cmd := h.command(t.Context(), args...)
		_ = simtest.Must(cmd.StdinPipe())(t) // open, and silent
		errs := bufio.NewReader(simtest.Must(cmd.StderrPipe())(t))
		must(t, cmd.Start())
		said, _ := errs.ReadString('\n')
		expect.Contains(t, said, "waits for the end of the input", args)
		must(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait()
		expect.Equal(t, cmd.ProcessState.ExitCode(), 2, args)
	}
	wantCreates(t, service, 0)
}

// endBySignal sends signals to a command until it has ended: the first may come before
// it is heeded.
func endBySignal(t *testing.T, cmd *exec.Cmd, ended <-chan struct{}) {
	t.Helper()
	for limit := time.After(30 * time.Second); ; {
		select {
		case <-ended:
			return
		case <-limit:
			_ = cmd.Process.Kill()
			<-ended
			t.Fatalf("%v goes on after a signal", cmd.Args)
		case <-time.After(100 * time.Millisecond):
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
	}
}

// TestASignalEndsWriting: a command whose output nobody reads brings its job home
// all the same, and ends by a signal.
func TestASignalEndsWriting(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"standard output", "standard error"} {
		t.Run(of, func(t *testing.T) {
			service, h := begin(t, simtest.Options{LongSide: 64})
			h.run("models").wantCode(t, 0)
			from, to, err := os.Pipe()
			must(t, err)
			defer from.Close()
			for _, size := range []int{512, 1} { // until it is full
				for err = nil; err == nil; _, err = to.Write(make([]byte, size)) {
					must(t, to.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
				}
			}
			cmd := h.command(t.Context(), "image", "x", "--model", "lumen/still-1", "--yes")
			if cmd.Stdout = to; of == "standard error" {
				cmd.Stdout, cmd.Stderr = nil, to
			}
			must(t, cmd.Start())
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			awaitService(t, &window{cmd: cmd, done: ended}, func() bool {
				if of == "standard error" { // where the price is said
					return len(ofEndpoint(service.Calls(), "estimate")) > 0
				}
				list := h.jobs()
				return len(list) == 1 && list[0].Phase == "done"
			})
			endBySignal(t, cmd, ended)
			code := cmd.ProcessState.ExitCode()
			expect.That(t, code != 0, "exit code", code, "although its output was not read")
		})
	}
}

// TestSettingsFileThatIsNone: a named pipe in the place of the settings file is
// not waited for; it may have named a budget, so nothing can be sent.
func TestSettingsFileThatIsNone(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.configure("")
	file := filepath.Join(h.dir, "config", "darkroom", "config.toml")
	must(t, os.Remove(file))
	must(t, syscall.Mkfifo(file, 0o600))
	h.run("jobs").wantCode(t, 0)
	h.run("image", "x", "--yes", "--model", "lumen/still-1").wantCode(t, 2)
	wantCreates(t, service, 0)
}

// TestNamesThatAreNotKnownSendNothing: a setting, or a variable of ours, that
// does not exist may have been a budget.
func TestNamesThatAreNotKnownSendNothing(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	for _, c := range []struct{ settings, variable, said string }{
		{"onn_done = \"open\"\n", "DARKROOM_BUDGET", "did you mean on_done?"},
		{"[theme]\nbudget = 5\n", "DARKROOM_BUDGET", "write budget above all lines"},
		{"", "DARKROOM_BUDGTE", "DARKROOM_BUDGTE is not a variable of darkroom, so nothing can be sent; did you mean DARKROOM_BUDGET?"},
	} {
		h.configure(c.settings)
		h.with(c.variable, "1000").run("image", "x", "--yes", "--model", "lumen/still-1").wantCode(t, 2).says(t, c.said, "nothing can be sent")
	}
	wantCreates(t, service, 0)
}

// TestRequestFromAFile: a recipe and a body are requests, not prompts.
func TestRequestFromAFile(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.run("image", "a paper boat", "--size", "2K", "--yes").wantCode(t, 0)
	recipes := simtest.Must(filepath.Glob(filepath.Join(h.dir, "pictures", "*.darkroom.json")))(t)
	expect.Must(t, len(recipes) == 1, "recipes", recipes)
	body := filepath.Join(h.dir, "body.json")
	must(t, os.WriteFile(body, []byte(`{"model":"lumen/still-1","prompt":"a paper boat","size":"2K","async":true}`+"\n"), 0o600))
	for _, file := range []string{recipes[0], body} {
		e := h.run("image", "@"+file, "--quality", "high", "--dry-run").wantCode(t, 0)
		for _, want := range []string{`"prompt":"a paper boat"`, `"size":"2K"`, `"quality":"high"`} {
			expect.Contains(t, strings.ReplaceAll(e.stdout, ": ", ":"), want, file)
		}
	}
	h.run("video", "@"+recipes[0], "--yes").wantCode(t, 2)
	wantCreates(t, service, 1)
}

// What a 400 or 422 says of single fields stands beside them when the form
// comes back, in whatever shape it was told.
func TestRefusedFieldsComeBack(t *testing.T) {
	t.Parallel()
	shapes := []struct {
		status int
		body   string
		says   string
	}{
		{422, `{"detail":[{"loc":["body","prompt"],"msg":"names a living person","type":"value_error"}]}`, "names a living person"},
		{422, `{"message":"The given data was invalid.","errors":{"prompt":["names a living person"]}}`, "names a living person"},
		{400, `{"error":{"message":"the prompt names a living person","type":"invalid_request_error","param":"prompt"}}`, "the prompt names a living person"},
		{400, `{"code":"PARAM_ERROR","message":"not offered today","field":"aspectRatio"}`, "not offered today"},
		{400, `{"error":"bad","issues":[{"path":["image_url"],"message":"cannot be reached"}]}`, "Image: cannot be reached"}, // a row of the list of materials,
		{400, `{"code":400,"msg":"提示词含有真人姓名"}`, "提示词含有真人姓名"},
		{200, `{"success":false,"code":400,"message":"invalid","errors":[{"field":"prompt","message":"names a living person"}]}`, "names a living person"},
	}
	for _, c := range shapes {
		f := status(c.status, c.body)
		if c.status == 200 {
			f = told(c.body)
		}
		f.Endpoint = "create"
		service, h := serve(t, simtest.Options{LongSide: 64, Faults: []simtest.Fault{f}})
		j := document[job](t, h.run("image", "a pier", "--aspect-ratio", "1:1", "--image-url", "https://in.example.com/i.png", "--yes", "--json").wantCode(t, 1))
		expect.Equal(t, j.Phase, "rejected", c.body)
		s := h.open(120, 40)
		s.waitFor("Create")
		s.keys("\x1b2") // alt+2: Jobs
		s.waitFor("all 1", "lumen/still-1 · 1:1")
		s.keysTo("e", "The service: "+c.says, "/ 5,000")
		s.keys("\x11") // ctrl+q
		s.end()
		expect.Equal(t, creates(service), 1, c.body, "creates")
	}
	t.Logf("%d shapes of a refusal, each beside its field in the form", len(shapes))
}

// TestUploadOnTheCommandLine: --yes does not cover a file, --upload does; a
// command whose address is not public sends nothing; a request that breaks a rule, a
// limit or the budget uploads nothing either.
func TestUploadOnTheCommandLine(t *testing.T) {
	service, h := begin(t, simtest.Options{LongSide: 64})
	file, seen := filepath.Join(h.dir, "my boat.png"), filepath.Join(h.dir, "seen")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	script := program(t, filepath.Join(h.dir, "up"), "printf '%s\\n' \"$@\" >> '"+seen+"'", "env >> '"+seen+"'", "echo https://127.0.0.1:1/boat.png")
	args := []string{"video", "a boat", "--image-files", file, "--yes"}
	h.run(args...).wantCode(t, 2)
	h.configure("upload = [\"" + script + "\", \"{file}\"]\n")
	h.run(args...).wantCode(t, 2).says(t, "--upload hands it to your upload command")
	h.run("video", "", "--image-files", file, "--yes", "--upload").wantCode(t, 2)
	h.run(append(args, "--upload", "--max-credits", "1")...).wantCode(t, 2).says(t, "--max-credits is 1")
	h.run("video", "a boat", "--image-files", file, "--upload").wantCode(t, 2).says(t, "pass --yes to confirm; nothing was sent")
	for variable, says := range map[string]string{"DARKROOM_BUDGET=1": "the budget is 1 credit a day", "DARKROOM_BUGDET=1": "nothing can be sent",
		"DARKROOM_DOWNLOADS=/proc/x": "nothing was sent: "} {
		name, value, _ := strings.Cut(variable, "=")
		h.with(name, value).run(append(args, "--upload")...).wantCode(t, 2).says(t, says)
	}
	other := h.storePath() + ".other"
	must(t, os.Link(h.storePath(), other))
	h.run(append(args, "--upload")...).wantCode(t, 4).says(t, "has another name")
	must(t, os.Remove(other))
	text, err := os.ReadFile(seen)
	expect.Must(t, err != nil, "uploaded unasked", string(text))
	h.run(append(args, "--upload")...).wantCode(t, 2).says(t, "the uploaded file cannot be reached")
	list := filepath.Join(h.dir, "list.csv")
	must(t, os.WriteFile(list, []byte("prompt,image-files\na boat,"+file+"\n"), 0o600))
	h.run("batch", list, "--kind", "video", "--yes").wantCode(t, 2).says(t, "--upload hands it to your upload command")
	h.run("batch", list, "--kind", "video", "--yes", "--upload").wantCode(t, 2).says(t, "the uploaded file cannot be reached")
	saw := string(simtest.Must(os.ReadFile(seen))(t))
	expect.That(t, strings.HasPrefix(saw, file+"\n"), "the command saw", saw)
	expect.Lacks(t, saw, "DARKROOM_")
	expect.Lacks(t, saw, testKey)
	wantCreates(t, service, 0)
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed: frames of clips are NOT tested")
	}
	id := strings.TrimSpace(h.run("video", "a koi", "--yes", "--no-wait", "--quiet").wantCode(t, 0).stdout)
	h.run("wait", id).wantCode(t, 0)
	h.run("video", "it dives", "--from", id, "--yes", "--upload").wantCode(t, 2)
	expect.Contains(t, string(simtest.Must(os.ReadFile(seen))(t)), "-1-frame-4.93s.png\n", "the command saw")
	h.run("join", id, id, "--output", h.dir+"/two", "--json").wantCode(t, 0).prints(t, `"encoded": false`)
	h.run("join", id, id, "--output", h.dir+"/two").wantCode(t, 2)
}

// TestMisuseIsRefused: a word that names nothing, flags that exclude each other
// and addresses that others can reach end with 2 and say so; no help, no 0.
func TestMisuseIsRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t, "http://127.0.0.1:1")
	for line, says := range map[string]string{
		"estimate vidoe x":              "did you mean 'darkroom estimate video'?",
		"completion foo":                "say which: 'darkroom completion bash', ",
		"estimate koi":                  "say which: 'darkroom estimate image PROMPT' or 'darkroom estimate video PROMPT'",
		"config --help":                 "did you mean 'darkroom mcp config' or 'darkroom tools config'?",
		"nosuch --help":                 "see 'darkroom help'",
		"image x -p":                    "unknown flag -p: see 'darkroom image --help'",
		"image x --async maybe":         "must be true, false or omit",
		"image x --image-url ./b.png":   "b.png: no such file",
		"job nosuch":                    "no job nosuch: list them with 'darkroom jobs'",
		"help imag":                     "did you mean 'darkroom image'",
		"help envrionment":              "did you mean 'darkroom help environment'?",
		"help foo":                      "see 'darkroom help'",
		"watch --since 7x":              `"7x" is not the number of a change, or a day such as`,
		"jobs --limit 0":                `--limit: "0" is not a whole number above 0`,
		"image {a|b --expand --dry-run": `the brace at character 1 of the prompt is not closed, "{a|b"`,
		"tools list":                    `did you mean 'darkroom tools'?`,
		"tools nothing":                 `'nothing' is not a darkroom tools command`,
		"job x --attach a --dismiss":    "--attach and --dismiss exclude each other",
		"simulate --addr 0.0.0.0:0":     "this machine alone",
		"simulate --addr :0":            "this machine alone",
		"simulate --calls -1":           "--calls: \"-1\" is not a whole number, 0 or above",
		"simulate --time-scale nan":     "is not a number, 0 or above",
		"image x --yes --model=":        "the flag --model needs a value",
		"image x --dry-run":             "never asked",
		"image x --yes --max-credits z": "not an amount",
		"image x --yes --timeout -1s":   "not a duration",
		"image x --async omit":          "write --async=omit",
		"image @ --yes":                 "name the prompt's file",
		"video x --video-url /a.mp4@3":  "--video-url: a frame is an image",
		"--csv spend":                   "put --csv after the command",
		"models --base-url ftp://x":     "--base-url: ",
		"nonsense":                      "see 'darkroom help'",
	} {
		e := h.run(strings.Fields(line)...).says(t, says)
		expect.Equal(t, e.code, 2, line)
		expect.That(t, strings.Count(e.stderr, "\n") == 1 && e.stdout == "", line, e.stderr, e.stdout)
	}
}

// TestRulesComeBeforeTheService: what a request or a tool's arguments break is said
// also if the service has no address.
func TestRulesComeBeforeTheService(t *testing.T) {
	t.Parallel()
	h := newHome(t, "").with("DARKROOM_BASE_URL", "")
	for line, says := range map[string]string{
		"video x --duration eight":       `--duration "eight" must be a number`,
		"estimate video x --tier best":   `--tier "best" must be one of fast`,
		"image x --from a --image-url b": "--image-url is given twice",
		"image x --model a/b --seed 4":   "--seed is for videos only",
		"tools call x {bad":              "one JSON object",
		"image x --model a/b":            "the service's address is not set",
		"video x --dry-run":              "not checked: what seedance2 takes",
	} {
		e := h.run(strings.Fields(line)...).says(t, says)
		expect.That(t, e.code == 2 || strings.HasSuffix(line, "--dry-run"), line, "exit", e.code, e.stderr)
	}
}

// TestLostOutputIsNoSuccess: output that cannot be written is exit 1, and the
// path of what was paid for still reaches the person.
func TestLostOutputIsNoSuccess(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	id := h.jobs()[0].ID
	device := simtest.Must(os.OpenFile("/dev/full", os.O_WRONLY, 0))(t)
	defer device.Close()
	for _, line := range []string{"models --json", "jobs --json", "job " + id + " --json", "spend --json", "doctor --json", "help", "image x --dry-run",
		"watch --since 0"} {
		e := h.finish("", device, strings.Fields(line)...).wantCode(t, 1).says(t, "no space left")
		expect.Lacks(t, e.stderr, "until interrupted", line)
	}
	h.finish("", device, "image", "a second kettle", "--yes").wantCode(t, 1).says(t, h.jobs()[0].Files[0].Path)
	h.finish("", device, "image", "a third kettle", "--yes", "--no-wait").wantCode(t, 1).says(t, h.jobs()[0].ID)
}

// TestADamagedStoreIsNoAnswer: in place of a damaged store a command does not
// show the new, empty one.
func TestADamagedStoreIsNoAnswer(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	store := filepath.Join(h.dir, "data", "darkroom", "darkroom.db")
	must(t, os.WriteFile(store, []byte(strings.Repeat("no store ", 2000)), 0o600))
	for _, line := range []string{"jobs", "jobs --json", "spend", "spend --json", "job x", "image y --yes", "export --html " + t.TempDir()} {
		e := h.run(strings.Fields(line)...).wantCode(t, 4)
		expect.Contains(t, e.stderr+e.stdout, "damaged", line, e.stderr)
	}
	wantCreates(t, service, 1)
	h.run("doctor", "--new-store").wantCode(t, 0)
	h.run("jobs").wantCode(t, 0)
}

// TestALimitOfNothing: --max-credits 0 refuses every price, and each amount is
// written with its unit.
func TestALimitOfNothing(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.run("image", "a kettle", "--yes", "--max-credits", "0").wantCode(t, 2).says(t, "12.5 credits, and --max-credits is 0")
	wantCreates(t, service, 0)
}

// TestJobsOfAnotherService are not counted as running, since nobody asks for them, which
// is said of each.
func TestJobsOfAnotherService(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	h.run("image", "a pot", "--yes").wantCode(t, 0)
	h.run("image", "a kettle", "--yes", "--no-wait").wantCode(t, 0)
	h.run("status").wantCode(t, 0).prints(t, "1 running")
	h = h.with("DARKROOM_BASE_URL", startService(t, simtest.Options{}).URL())
	h.run("status").wantCode(t, 0).prints(t, "0 running")
	h.run("jobs", "--json").wantCode(t, 0).prints(t, "this job was sent to another service")
	for i, phase := range []string{"queued", "done"} { // neither is changed by the refusal
		h.run("fetch", h.jobs()[i].ID).wantCode(t, 1).says(t, "this job was sent to another service")
		expect.Equal(t, h.jobs()[i].Phase, phase)
	}
	h.run("doctor").wantCode(t, 0).prints(t, "– jobs             1 running at another service")
}

// TestDoctorHidesKeys: a key that stands where an address belongs is not
// repeated, and what does not matter is no cross.
func TestDoctorHidesKeys(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	h.configure("[profile]\ntools_path = \"/mcp/" + testKey + "\"\n")
	for _, line := range []string{"doctor", "doctor --json"} {
		e := h.run(strings.Fields(line)...)
		expect.Lacks(t, e.stdout+e.stderr, testKey, line)
		expect.That(t, e.code != 0 || !strings.Contains(e.stdout, "✗"), line, "ends with 0 beside a cross", e.stdout)
	}
	gone := newHome(t, "http://127.0.0.1:1")
	gone.run("doctor").wantCode(t, 1).prints(t, "✗ service")
	gone = newHome(t, startService(t, simtest.Options{Key: rebuiltKey}).URL()).with("DARKROOM_LANG", "fr")
	gone.run("doctor").wantCode(t, 1).prints(t, "→ correct DARKROOM_LANG\n", "→ set another key in DARKROOM_API_KEY\n")
}
