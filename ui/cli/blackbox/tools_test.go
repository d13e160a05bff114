//go:build linux

package blackbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// toolCallDocument is what 'tools call --json' prints.
type toolCallDocument struct {
	Tool    string `json:"tool"`
	Failed  bool   `json:"failed"`
	Content []struct {
		Text      string `json:"text"`
		MediaType string `json:"media_type"`
		Bytes     int    `json:"bytes"`
		Path      string `json:"path"`
	} `json:"content"`
	Structured map[string]any `json:"structured"`
}

// failureOf reads the document of a failure, which has to say why.
func failureOf(t *testing.T, e ended) (problems int) {
	t.Helper()
	d := document[struct {
		Error    string            `json:"error"`
		ExitCode int               `json:"exit_code"`
		Problems []json.RawMessage `json:"problems"`
	}](t, e)
	expect.That(t, d.Error != "" && d.ExitCode == e.code, "a failure without a reason", e.stdout)
	return len(d.Problems)
}

func TestToolsByCommand(t *testing.T) {
	service, h := begin(t, simtest.Options{Key: testKey, LongSide: 64})
	var said bytes.Buffer
	run := func(code int, args ...string) ended {
		t.Helper()
		e := h.run(append([]string{"tools"}, args...)...).wantCode(t, code)
		said.WriteString(e.stdout + e.stderr)
		return e
	}

	list := document[struct {
		Address string `json:"address"`
		Tools   []struct {
			Name     string         `json:"name"`
			ReadOnly bool           `json:"read_only"`
			Schema   map[string]any `json:"input_schema"`
		} `json:"tools"`
	}](t, run(0, "--json"))
	expect.Equal(t, list.Address, service.URL()+"/api/v1/mcp", "the entry")
	expect.Must(t, len(list.Tools) == 7, list)
	expect.That(t, list.Tools[0].Schema["properties"] != nil, list)
	run(0).prints(t, "generate_video  may cost credits", "estimate_price  read-only")
	run(0, "config").says(t, "past darkroom's budget")

	price := document[toolCallDocument](t, run(0, "call", "estimate_price", `{"model":"seedance2","duration":5,"video_model":"fast","resolution":"720p"}`, "--json"))
	expect.Equal(t, price.Structured["estimated_credits"], 425.0, price)
	sample := document[toolCallDocument](t, run(0, "call", "sample_picture", `{"subject":"kettle"}`, "--json"))
	expect.Must(t, len(sample.Content) == 2 && sample.Content[1].MediaType == "image/png", sample)
	b := simtest.Must(os.ReadFile(sample.Content[1].Path))(t)
	expect.That(t, len(b) == sample.Content[1].Bytes && bytes.HasPrefix(b, []byte("\x89PNG")), "the picture has", len(b), "bytes")

	// What is wrong is said before anything is called.
	expect.Equal(t, failureOf(t, run(2, "call", "generate_image", `{"promt":"x"}`, "--yes", "--json")), 2, "problems")
	failureOf(t, run(2, "call", "generate_image", `[]`, "--yes", "--json"))
	failureOf(t, run(2, "call", "no_such_tool", `{}`, "--json"))
	d := document[toolCallDocument](t, run(1, "call", "get_job", `{"id":"nope"}`, "--json"))
	expect.That(t, d.Failed && d.Content[0].Text != "", "a tool that fails", d)
	expect.Equal(t, run(1, "call", "get_job", `{"id":"nope"}`).says(t, "no job of that id").stdout, "", "a tool that fails")
	expect.Len(t, searchBytes("output", said.Bytes(), keyForms(testKey)), 0)
}

func TestToolThatSpendsByCommand(t *testing.T) {
	service, h := begin(t, simtest.Options{Key: testKey, LongSide: 64})
	spent := func() int { return len(service.Ledger()) }
	call := []string{"tools", "call", "generate_image", `{"prompt":"a kettle"}`}

	h.run(call...).wantCode(t, 2) // nobody to ask
	h.with("DARKROOM_BUDGET", "1000").run(append(call, "--yes")...).wantCode(t, 2)
	h.run(append(call, "--yes", "--max-credits", "1000")...).wantCode(t, 2)
	for answer, code := range map[string]int{"n\r": 2, "\r": 2} {
		s := h.open(100, 30, call...)
		s.waitFor("may cost credits; how many is not known", "Call it?")
		s.keys(answer)
		expect.Equal(t, s.end(), code, answer, "exit code")
	}
	expect.Must(t, spent() == 0, spent(), "images were made without consent")
	s := h.open(100, 30, call...)
	s.waitFor("Call it?")
	s.keysTo("y\r", `"id"`)
	expect.All(t, "0 1", s.end(), spent())
	e := h.run(append(call, "--yes", "--json")...).wantCode(t, 0)
	expect.That(t, document[toolCallDocument](t, e).Structured["id"] != "" && spent() == 2, e.stdout, spent(), "images")
}

func TestToolKeys(t *testing.T) {
	service, h := begin(t, simtest.Options{Key: "ak_Another9Key4For7This2Service"})
	for _, args := range [][]string{{"tools", "--json"}, {"tools", "call", "list_models", "--json"}, {"tools", "config", "--json"}} {
		before := len(service.Calls())
		failureOf(t, h.run(args...).wantCode(t, 5))
		n := len(service.Calls()) - before
		expect.That(t, n <= 1, args, n, "calls with a key that is refused")
	}
	before := len(service.Calls())
	failureOf(t, h.with("DARKROOM_API_KEY", "").run("tools", "--json").wantCode(t, 5))
	expect.Equal(t, len(service.Calls())-before, 0, "calls without a key")
	h.with("DARKROOM_BASE_URL", "").run("tools").wantCode(t, 2)
	h.run("mcp", "config", "claude", "--write", "--yes", "--json").wantCode(t, 0).prints(t, `"configurations"`)
	base, _ := killableService(t, "--credits", "0")
	newHome(t, base).run("image", "x", "--yes", "--model", "lumen/still-1").wantCode(t, 1).says(t, "no credits or quota left")

	s := h.open(100, 30)
	s.waitFor("darkroom")
	s.keysTo("<alt+4>", "refused")
	s.quit()
}

// killableService runs the built-in service as a program of its own, so that it
// can die without a word.
func killableService(t *testing.T, flags ...string) (base string, kill func()) {
	t.Helper()
	cmd := newHome(t, "").command(context.WithoutCancel(t.Context()), append([]string{"simulate"}, flags...)...)
	out := simtest.Must(cmd.StdoutPipe())(t)
	must(t, cmd.Start())
	kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	t.Cleanup(kill)
	return strings.TrimSpace(simtest.Must(bufio.NewReader(out).ReadString('\n'))(t)), kill
}

// TestToolServiceDiesInMidCall: whatever may have been charged is exit 6, and
// everything is a sentence.
func TestToolServiceDiesInMidCall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"died", "interrupted"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, kill := killableService(t)
			h := newHome(t, base)
			s := h.open(120, 30, "tools", "call", "generate_video", `{"prompt":"waves","duration":4}`, "--yes")
			s.waitFor("of 20 ·")
			if name == "died" {
				kill()
			} else {
				s.signal(syscall.SIGINT)
			}
			expect.Equal(t, s.end(), 6, "exit code")
			screen := strings.Join(strings.Fields(s.text()), "") // wherever the lines break
			expect.Contains(t, screen, "thetoolmayhaverunandbeencharged")
			h.run("doctor").prints(t, "✓ store")
		})
	}
	t.Run("reading", func(t *testing.T) {
		_, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "tools", From: 5, Do: "reset"}}})
		for range 4 { // somewhere in one of these the entry begins to reset
			e := h.run("tools", "call", "list_models")
			reset := e.code == 1 && strings.Contains(e.stderr, "connection was reset") && !strings.Contains(e.stderr, "charged")
			expect.That(t, e.code == 0 || reset, "exit code", e.code, e.stderr)
		}
	})
	t.Run("unreachable", func(t *testing.T) {
		service, h := begin(t, simtest.Options{})
		_ = service.Close()
		h.run("tools").wantCode(t, 1).says(t, "connection refused")
	})
	t.Run("no entry", func(t *testing.T) {
		_, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "tools", Do: "status", Status: 404}}})
		h.run("tools").wantCode(t, 1).says(t, "tools_path under [profile]")
		h.run("models").wantCode(t, 0)
	})
	t.Run("unreadable", func(t *testing.T) {
		_, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "tools", Do: "html"}}})
		h.configure("[profile]\ntools_path = \"/api/v1/mcp\"\n")
		expect.Equal(t, failureOf(t, h.run("tools", "--json").wantCode(t, 1)), 0)
	})
}

func TestToolsOnScreen(t *testing.T) {
	service, h := begin(t, simtest.Options{Key: testKey, TimeScale: 0.3, LongSide: 64})
	s := h.open(120, 40)
	s.waitFor("Create")
	s.keysTo("<alt+4>", "Generate an image", "may cost", "answered at")
	s.keys("jjjjj<enter>")
	s.keysTo("kettle<ctrl+s>", "● done", "A sample of kettle.", ".png")
	s.keysTo("<esc>", "enter fill in")
	s.keys("kkk<enter>")
	s.keysTo("waves<ctrl+s>", "This tool may cost credits", `"prompt": "waves"`)
	expect.Len(t, service.Ledger(), 0, "calls before the consent")
	s.keysTo("<enter>", "◐ calling", "/ 20")
	s.waitFor("● done", "credits_used        425")
	expect.Equal(t, len(service.Ledger()), 1, "videos")
	s.keysTo("<esc>", "enter fill in")
	s.keysTo("c", "Set up other programs", "darkroom mcp config claude")
	s.keysTo("<right>", "${DARKROOM_API_KEY}")
	s.keysTo("<right><right><right>", "bearer_token_env_var")
	s.quits()
	expect.Len(t, searchBytes("the screen's bytes", s.bytes(), keyForms(testKey)), 0)
	got := searchTree(t, h.dir, keyForms(testKey))
	expect.That(t, len(got.found) == 0 && got.files != 0, got.files, "files", got.found)
}

func TestAToolIsCancelledOnScreen(t *testing.T) {
	service, h := begin(t, simtest.Options{TimeScale: 5}) // a video takes at least 30 s
	s := h.open(120, 40)
	s.waitFor("Create")
	s.keysTo("<alt+4>", "Generate a video", "answered at")
	s.keys("jj<enter>")
	s.keysTo("waves<ctrl+s>", "This tool may cost credits", `"prompt": "waves"`)
	s.keysTo("<enter>", "◐ calling", "/ 20")
	s.keysTo("<ctrl+x>", "? unknown", "the tool may have run")
	expect.Equal(t, len(service.Ledger()), 1, "videos")
}

// TestProfileIsShown: what a service showed stands in doctor, and what a person
// set is used.
func TestProfileIsShown(t *testing.T) {
	service, h := begin(t, simtest.Options{LongSide: 64})
	type way struct{ Seen, Set string }
	profile := func(h *home) (p struct {
		ToolsPath way      `json:"tools_path"`
		Estimate  way      `json:"estimate"`
		JobID     way      `json:"job_id"`
		Answers   way      `json:"answers"`
		Ratios    struct{} `json:"ratio_by_model"`
	}) {
		t.Helper()
		e := h.run("doctor", "--json")
		d := document[struct {
			Profile json.RawMessage `json:"profile"`
		}](t, e)
		must(t, json.Unmarshal(d.Profile, &p))
		return p
	}
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	p := profile(h)
	expect.That(t, p.JobID.Seen != "" && p.Answers.Seen == "job" && p.Estimate.Seen == "GET" && p.ToolsPath.Seen == "/api/v1/mcp", p)
	h.configure(fmt.Sprintf("[profile.%q]\nestimate = \"post\"\njob_id = %q\nratio = \"ratio\"\n", service.URL(), p.JobID.Seen))
	p = profile(h)
	expect.That(t, p.Estimate.Set == "POST" && p.JobID.Set == p.JobID.Seen, p)
	before := len(service.Calls())
	h.run("estimate", "video", "x", "--duration", "5").wantCode(t, 0)
	asked := ofEndpoint(service.Calls()[before:], "estimate")
	expect.That(t, len(asked) == 1 && asked[0].Method == "POST", len(asked), "estimates, want one by POST")
	h.run("image", "x", "--aspect-ratio", "16:9", "--dry-run").prints(t, `"ratio":"16:9"`)
}

// TestToolEntryElsewhere: the entry is found under the base URL's own path, is
// remembered, and never looked for at another host.
func TestToolEntryElsewhere(t *testing.T) {
	service, h := begin(t, simtest.Options{Prefix: "/gateway/v2"})
	h.run("tools").wantCode(t, 0)
	before := len(service.Calls())
	h.run("tools", "call", "list_models").wantCode(t, 0)
	expect.Equal(t, len(ofEndpoint(service.Calls()[before:], "other")), 0, "places were tried although the entry is known")
	h.configure("[profile]\ntools_path = \"https://elsewhere.example/mcp\"\n")
	h.run("tools").wantCode(t, 2).says(t, "not at the host of the service's address")
}

// TestASignalWaitsForATool: a call that may spend is given 3 s for its answer,
// as a create is.
func TestASignalWaitsForATool(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "1")
	h.run("tools").wantCode(t, 0)
	service.AddFault(simtest.Fault{Endpoint: "tools", Do: "latency", Delay: 700 * time.Millisecond})
	w := h.startWindow("tools", "call", "generate_image", `{"prompt":"a kettle"}`, "--yes")
	awaitService(t, w, func() bool { return len(service.Ledger()) > 0 }) // the tool has begun its generation
	w.signal(t, syscall.SIGINT)
	<-w.done
	expect.Equal(t, w.cmd.ProcessState.ExitCode(), 0, "exit code", w)
	expect.Contains(t, w.errors.String(), "It began job")
}
