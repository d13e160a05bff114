//go:build linux

package blackbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// agentClient is a program that asks darkroom over pipes, line by line.
type agentClient struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	said  bytes.Buffer // standard output
	log   bytes.Buffer // standard error
	calls int
}

// serveAgent starts darkroom mcp and does the handshake that was usual before July 2026.
func (h *home) serveAgent(args ...string) *agentClient {
	h.t.Helper()
	c := &agentClient{t: h.t, cmd: h.command(h.t.Context(), append([]string{"mcp"}, args...)...)}
	in := simtest.Must(c.cmd.StdinPipe())(h.t)
	out := simtest.Must(c.cmd.StdoutPipe())(h.t)
	c.in, c.out, c.cmd.Stderr = in, bufio.NewReader(io.TeeReader(out, &c.said)), &c.log
	must(h.t, c.cmd.Start())
	h.t.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() })
	c.ask("initialize", object{"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": "test", "version": "1"}})
	c.send(object{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

type object = map[string]any

func (c *agentClient) send(message object) bool {
	line := simtest.Must(json.Marshal(message))(c.t)
	_, err := c.in.Write(append(line, '\n'))
	return err == nil
}

// ask makes a call and gives its result; nil when the server is gone.
func (c *agentClient) ask(method string, params object) object {
	c.calls++
	if !c.send(object{"jsonrpc": "2.0", "id": c.calls, "method": method, "params": params}) {
		return nil
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var answer struct {
			ID     int
			Result object
		}
		expect.That(c.t, json.Unmarshal(line, &answer) == nil, "not the protocol", string(line))
		if answer.ID == c.calls {
			return answer.Result
		}
	}
}

// call calls a tool and gives its document; nil when the server is gone.
func (c *agentClient) call(tool string, args object) object {
	result := c.ask("tools/call", object{"name": tool, "arguments": args})
	if document, ok := result["structuredContent"].(object); ok || result == nil {
		return document
	}
	var refusal object
	text := result["content"].([]any)[0].(object)["text"].(string)
	if json.Unmarshal([]byte(text), &refusal) != nil {
		refusal = object{"error": text}
	}
	return refusal
}

// leave ends the client as clients do.
func (c *agentClient) leave() {
	c.t.Helper()
	_ = c.in.Close()
	expect.Is(c.t, c.cmd.Wait(), nil, &c.log)
}

func stillOf(intent, prompt string) object {
	return object{"kind": "image", "request": object{"model": "lumen/still-1", "prompt": prompt}, "intent": intent, "max_credits": 50}
}

// TestAnAgentAsks goes the whole way over pipes: the key is in nothing that is said,
// and only the person's command sends.
func TestAnAgentAsks(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	c := h.serveAgent("--as", "studio")
	submitted := c.call("submit", stillOf("one", "a koi"+strings.Repeat("  0 credits", 20)))
	id, _ := submitted["job"].(string)
	expect.Must(t, submitted["phase"] == "held", submitted)
	more := stillOf("more", "a heron")
	more["request"].(object)["size"], more["request"].(object)["image_url"] = "2K", "https://example.com/heron.png"
	h.run("job", c.call("submit", more)["job"].(string), "--send", "--all").wantCode(t, 2).
		says(t, "“a heron”", "▏ lumen/still-1 · 2K\n", "▏ https://example.com/heron.png\n", "“a koi")
	wantCreates(t, service, 0)
	h.run("job", id, "--send", "--yes", "--max-credits", "1").wantCode(t, 2)
	asks := h.run("job", id, "--send").wantCode(t, 2).stderr // nobody can be asked
	for line := range strings.SplitSeq(asks, "\n") {
		quoted := strings.HasPrefix(line, "▏ ") && ansi.StringWidth(line) <= 58
		expect.That(t, quoted || !strings.Contains(line, "0 credits"), line, "looks like ours")
	}
	expect.Contains(t, h.run("job", id).wantCode(t, 0).stdout, "studio", "who asks")
	h.run("job", id, "--send", "--yes").wantCode(t, 0)
	done := object{}
	for done["phase"] != "done" {
		done = c.call("wait", object{"job": id})
		expect.Must(t, done != nil && done["phase"] != "failed", "wait", done)
	}
	result := c.call("result", object{"job": id})
	expect.That(t, len(result["files"].([]any)) == 1 && !strings.Contains(fmt.Sprint(result), h.dir), "result", result)
	second := c.call("submit", stillOf(testKey, "a second koi"))
	h.run("job", second["job"].(string), "--remove").wantCode(t, 0)
	gone := c.call("wait", object{"job": second["job"]})
	expect.Equal(t, gone["phase"], "declined", "after it was removed", gone)
	again := c.call("submit", stillOf("three", "a second koi"))
	expect.Equal(t, again["code"], "declined", "asked for again", again)
	c.leave()
	kept := simtest.Must(os.ReadFile(h.storePath()))(t) // an intent was the key
	for _, said := range []string{c.said.String(), c.log.String(), string(kept)} {
		expect.Lacks(t, said, testKey, "the key")
	}
	expect.Equal(t, creates(service), 1, "creates")
}

// TestAGrantIsSharedByServers: three servers of one entry send together no more than
// it is granted, and no more than the day's budget.
func TestAGrantIsSharedByServers(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_BUDGET", "60")
	h.configure("[agents.studio]\nper_job = 20\nper_day = 40\n")
	var all sync.WaitGroup
	for n := range 3 {
		c := h.serveAgent("--as", "studio")
		all.Go(func() {
			for i := range 4 {
				c.call("submit", stillOf(fmt.Sprint(n, i), fmt.Sprint("koi ", n, i)))
			}
			time.Sleep(time.Second) // what is in its turn is sent
			c.leave()
		})
	}
	all.Wait()
	wantCreates(t, service, 3) // of 12.5 credits each
}

// TestKillsOfAgents kills the server while a request is submitted, and the command
// while it is sent: nothing is lost, and nothing is sent twice or unasked.
func TestKillsOfAgents(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	at := random(t)
	for round := range times(10, 100) {
		intent, prompt := fmt.Sprint("kill", round), fmt.Sprintf("kill%03d koi", round)
		c := h.serveAgent()
		time.AfterFunc(time.Duration(at.IntN(60))*time.Millisecond, func() { _ = c.cmd.Process.Kill() })
		first := c.call("submit", stillOf(intent, prompt))
		_ = c.cmd.Wait()
		c = h.serveAgent()
		second := c.call("submit", stillOf(intent, prompt))
		id, _ := second["job"].(string)
		expect.Must(t, id != "" && (first == nil || first["job"] == id), "round", round, first, "then", second)
		expect.Must(t, sentOf(service, prompt) == 0, "round", round, "was sent")
		v := h.startWindow("job", id, "--send", "--yes", "--json")
		v.killAfter(time.Duration(at.IntN(200)) * time.Millisecond)
		v.killed()
		for tries := 0; ; tries++ {
			now := c.call("wait", object{"job": id, "seconds": 1})
			switch now["phase"] {
			case "held":
				h.run("job", id, "--send", "--yes", "--json")
			case "unknown", "done", "not_sent":
				tries = 1000
			}
			if tries > 60 && tries < 1000 {
				t.Fatalf("round %d: it hangs: %v", round, now)
			} else if tries >= 1000 {
				break
			}
		}
		n := sentOf(service, prompt)
		expect.That(t, n <= 1, "round", round, n, "creates")
		c.leave()
	}
}

func sentOf(service *simtest.Server, prompt string) (n int) {
	for _, call := range ofEndpoint(service.Calls(), "create") {
		if strings.Contains(string(call.Body), prompt) {
			n++
		}
	}
	return n
}

// TestAnAgentsShell: with the mark of an agent, --yes holds.
func TestAnAgentsShell(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	shell := h.with("CLAUDECODE", "1")
	for range 2 {
		expect.Lacks(t, shell.run("image", "a koi", "--model", "lumen/still-1", "--yes").wantCode(t, 8).stderr, "--send --all", "sends others")
	}
	held := h.jobs()
	expect.Must(t, len(held) == 2 && held[0].Phase == "held", held)
	shell.run("job", held[0].ID, "--send", "--yes").wantCode(t, 8)
	shell.run("tools", "call", "generate_image", `{"prompt": "x"}`, "--yes").wantCode(t, 8)
	shell.run("image", "a cat", "--model", "lumen/still-1", "--yes", "--max-credits", "0").wantCode(t, 2)
	wantCreates(t, service, 0)
	h.run("job", held[0].ID, "--send", "--yes").wantCode(t, 0)
	h.configure("[agents]\nyes = true\n")
	shell.run("image", "a koi", "--model", "lumen/still-1", "--yes", "--again").wantCode(t, 0)
	wantCreates(t, service, 2)
}
