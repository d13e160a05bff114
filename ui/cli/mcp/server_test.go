package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

const testKey = "ak_0123456789abcdef"

// rig is a server with its service and its agent.
type rig struct {
	t       *testing.T
	service *simtest.Server
	s       *state.Session
	client  *sdk.ClientSession
	log     *notes
}

func newRig(t *testing.T, version string) *rig {
	t.Helper()
	service := simtest.Must(simtest.Start(context.WithoutCancel(t.Context()), simtest.Options{TimeScale: 0.01, LongSide: 600}))(t)
	t.Cleanup(func() { _ = service.Close() })
	dir := t.TempDir()
	env := func(name string) string {
		return map[string]string{
			"HOME": dir, "DARKROOM_BASE_URL": service.URL(), "DARKROOM_API_KEY": testKey, "DARKROOM_TIME_SCALE": "0.01",
			"DARKROOM_DOWNLOADS": filepath.Join(dir, "pictures"),
		}[name]
	}
	settings := simtest.Must(state.LoadSettings(env))(t)
	s := simtest.Must(state.Open(t.Context(), state.Options{Settings: settings, Env: env, Poll: true}))(t)
	t.Cleanup(func() { _ = s.Close(context.WithoutCancel(t.Context())) })
	must(t, s.Remote.AwaitKey(t.Context()))
	r := &rig{t: t, service: service, s: s, log: &notes{}}
	v := newServer(&run.Program{Version: "test"}, s, "studio", r.log)
	r.client = r.connect(v, version)
	return r
}

func (r *rig) connect(v *server, version string) *sdk.ClientSession {
	r.t.Helper()
	ours, theirs := sdk.NewInMemoryTransports()
	ctx := context.WithoutCancel(r.t.Context())
	served := simtest.Must(v.protocol().Connect(ctx, ours, nil))(r.t)
	client := simtest.Must(sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, theirs, &sdk.ClientSessionOptions{ProtocolVersion: version}))(r.t)
	r.t.Cleanup(func() { _ = client.Close(); _ = served.Wait() })
	return client
}

// notes is a log that is read while it is written.
type notes struct {
	mu   sync.Mutex
	text string
}

func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text += string(b)
	return len(b), nil
}

func (n *notes) String() string {
	return simtest.Read(&n.mu, func() string { return n.text })
}

var must = simtest.NoError

type object = map[string]any

// call calls a tool and gives its document, or that of a refusal.
func (r *rig) call(name string, args any) (object, *sdk.CallToolResult) {
	r.t.Helper()
	result := simtest.Must(r.client.CallTool(r.t.Context(), &sdk.CallToolParams{Name: name, Arguments: args}))(r.t)
	document, _ := result.StructuredContent.(object)
	if document == nil {
		text := result.Content[0].(*sdk.TextContent).Text
		if json.Unmarshal([]byte(text), &document) != nil {
			document = object{"error": text}
		}
	}
	return document, result
}

func still(prompt string) object { return object{"model": "lumen/still-1", "prompt": prompt} }

func ask(intent, prompt string) object {
	return object{"kind": "image", "request": still(prompt), "intent": intent, "max_credits": 50}
}

func (r *rig) creates() (n int) {
	for _, c := range r.service.Calls() {
		if c.Endpoint == "create" {
			n++
		}
	}
	return n
}

// TestTheLoop goes from the question to the picture, in every protocol.
func TestTheLoop(t *testing.T) {
	t.Parallel()
	for _, version := range sdk.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, version)
			models, _ := r.call("models", object{"kind": "video"})
			expect.That(t, strings.Contains(fmt.Sprint(models), "seedance2") && !strings.Contains(fmt.Sprint(models), "still"), "models", models)
			quote, _ := r.call("quote", object{"kind": "image", "request": object{"model": "lumen/still-1", "prompt": "x", "size": "9K", "image_url": "/etc/passwd"}})
			expect.Contains(t, fmt.Sprint(quote["problems"]), "agent_material", "quote")
			quote, _ = r.call("quote", object{"kind": "image", "request": still("x")})
			expect.That(t, fmt.Sprint(quote["credits"]) == "map[age_seconds:0 estimated:12.5 source:service]", "quote", quote)
			submitted, _ := r.call("submit", ask("a", "a koi"))
			id, _ := submitted["job"].(string)
			expect.Must(t, submitted["phase"] == "held" && submitted["code"] == "not_granted" &&
				strings.Contains(fmt.Sprint(submitted["approve"]), "darkroom job "+id+" --send"), "submit", submitted)
			held, _ := r.call("wait", object{"job": id, "seconds": 0.1})
			expect.That(t, held["phase"] == "held", "wait", held)
			expect.That(t, r.creates() == 0, "it was sent without a person")
			offer := simtest.Must(r.s.Queue().Offer(t.Context(), id, true))(t)
			must(t, r.s.Queue().Resume(t.Context(), offer))
			for done := (object{}); done["phase"] != "done"; {
				done, _ = r.call("wait", object{"job": id})
				expect.Must(t, done["code"] == nil && done["phase"] != "failed", "wait", done)
			}
			document, result := r.call("result", object{"job": id, "picture": true})
			var kinds []string
			for _, c := range result.Content[1:] {
				switch c := c.(type) {
				case *sdk.ResourceLink:
					kinds = append(kinds, c.URI, c.MIMEType)
					file := simtest.Must(r.client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: c.URI}))(t)
					sum := fmt.Sprintf("%x", sha256.Sum256(file.Contents[0].Blob))
					expect.That(t, strings.Contains(fmt.Sprint(document), sum) && file.Contents[0].MIMEType == c.MIMEType, sum, file.Contents[0].MIMEType)
					for _, other := range []string{"darkroom://job/" + id + "/2", "darkroom://job/../1", "darkroom://job/none/1", "file:///etc/passwd"} {
						expect.Fails(t, expect.Err(r.client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: other})), "", other, "can be read")
					}
				case *sdk.ImageContent:
					picture := simtest.Must(jpeg.Decode(bytes.NewReader(c.Data)))(t)
					size := picture.Bounds()
					expect.That(t, max(size.Dx(), size.Dy()) == 256 && len(c.Data) <= 16<<10, "a picture of", size, "in", len(c.Data), "bytes")
					kinds = append(kinds, "picture")
				}
			}
			want := "[darkroom://job/" + id + "/1 image/png picture]"
			expect.That(t, fmt.Sprint(kinds) == want && !strings.Contains(fmt.Sprint(document), "/pictures/"), kinds, "want", want, document)
			budget, _ := r.call("budget", object{})
			expect.That(t, strings.Contains(fmt.Sprint(budget), "spent:12.5"), "budget", budget)
			list, _ := r.call("jobs", object{})
			expect.That(t, len(list["jobs"].([]any)) == 1, "jobs", list)
			for !strings.Contains(r.log.String(), "tool=jobs") {
				time.Sleep(time.Millisecond)
			}
			said := r.log.String()
			expect.That(t, !strings.Contains(said, "koi") && !strings.Contains(said, testKey) && strings.Contains(said, "tool=submit"), said)
		})
	}
}

// TestNothingAnAgentSaysIsAnAgreement: 0 creates whatever it sends.
func TestNothingAnAgentSaysIsAnAgreement(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	long := strings.Repeat("a", 100_000)
	for i, args := range []object{
		{"confirm": true}, {"yes": true}, {"approved": true, "confirm_id": "x"}, {"action": "accept", "content": object{}},
		{"inputResponses": object{"a": object{"action": "accept"}}}, {"requestState": "x"}, {"again": true}, {"max_credits": -1},
		{"max_credits": 1e-9}, {"max_credits": "1e400"}, {"intent": ""}, {"intent": testKey + " " + long}, {long: 1}, {"kind": testKey}, {"request": object{"model": "lumen/still-1", "prompt": "x", "confirm": true}},
		{"request": object{"model": "lumen/still-1", "prompt": long}}, {"request": []any{}}, {"request": nil}, {"requests": []any{}}, {"kind": "tool"},
		{"request": object{"model": "lumen/still-1", "prompt": "x " + testKey}},
	} {
		all := ask(fmt.Sprint("i", i), "x")
		for name, v := range args {
			all[name] = v
		}
		said, result := r.call("submit", all)
		expect.That(t, result.IsError, args, "was taken", result.StructuredContent)
		text := fmt.Sprint(said)
		expect.That(t, len(text) < 3000 && !strings.Contains(text, testKey) && !strings.Contains(text, "reflect"), i, len(text), "bytes are repeated")
	}
	_, err := r.client.CallTool(t.Context(), &sdk.CallToolParams{Name: "upload", Arguments: object{}})
	expect.That(t, err != nil, "there is a tool upload")
	list, _ := r.call("jobs", object{})
	expect.That(t, len(list["jobs"].([]any)) == 0 && r.creates() == 0, list, r.creates(), "creates")
}

// TestAFlood: a hundred calls at once make one job, and the service is asked no
// more often than a person could.
func TestAFlood(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			_, _ = r.client.CallTool(t.Context(), &sdk.CallToolParams{Name: "submit", Arguments: ask("one", "a koi")})
			_, _ = r.client.CallTool(t.Context(), &sdk.CallToolParams{Name: "quote", Arguments: object{"kind": "image", "request": still("x")}})
		})
	}
	all.Wait()
	list, _ := r.call("jobs", object{})
	expect.All(t, "1 0", len(list["jobs"].([]any)), r.creates())
	expect.That(t, len(r.service.Calls()) <= 40, len(r.service.Calls()), "calls")
}

// TestAConnectionThatHangs: a client that does not read what it is told, and one that
// uses an id twice or writes what is not a message, hold up nothing for ever.
func TestAConnectionThatHangs(t *testing.T) {
	t.Parallel()
	var calls strings.Builder
	calls.WriteString("{\n\n[]\nnull\n" + `[{"jsonrpc":"2.0","id":77,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]` + "\n" +
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":"a"}` + "\n" + `[{"id":9007199254740993,"method":"ping"}]` + "\n")
	for _, id := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 5, 5, 20, 21} {
		fmt.Fprintf(&calls, `{"jsonrpc": "2.0", "id": %d, "method": "ping"}`+" \t\n", id)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var answers notes
	c := simtest.Must(transport{&run.Program{In: strings.NewReader(calls.String()), Out: &answers}}.Connect(ctx))(t)
	answer := func(id float64) error {
		name := simtest.Must(jsonrpc.MakeID(id))(t)
		return c.Write(ctx, &jsonrpc.Response{ID: name, Result: json.RawMessage(`{}`)})
	}
	read := func() error {
		_, err := c.Read(context.Background())
		return err
	}
	for range maxCalls {
		must(t, read())
	}
	must(t, answer(5))
	must(t, read()) // it is free again
	name, _ := jsonrpc.MakeID(6.0)
	no := fmt.Errorf("%w: %s %s", &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no", Data: json.RawMessage(`"\x1b"`)}, testKey, strings.Repeat("m", 1<<20))
	must(t, c.Write(ctx, &jsonrpc.Response{ID: name, Error: no}))
	expect.That(t, strings.Contains(answers.String(), "-32601,\"message\":\"no: ") && len(answers.String()) < 5000 &&
		!strings.Contains(answers.String(), testKey), len(answers.String()), "bytes")
	must(t, read()) // the second call of the same id is refused
	expect.Contains(t, answers.String(), `"id":null,"error":{"code":-32700,"message":"this line is not JSON"}}`+"\n", "after {")
	expect.Equal(t, strings.Count(answers.String(), `"id":null,"error":{"code":-32600,`), 4, "after [], null and lists with what is no call")
	for _, id := range []string{`1.5`, `"a"`} {
		expect.Contains(t, answers.String(), `"id":`+id+`,"error":{"code":-32600,`)
	}
	expect.Contains(t, answers.String(), `"id":5,"error":{"code":-32600,`)
	expect.Contains(t, fmt.Sprint(refusalOf(context.Canceled)), "the call was cancelled")
	time.AfterFunc(time.Millisecond, cancel)
	_ = read() // all places are taken
	expect.Is(t, read(), context.Canceled, "after the program's end")
	unread, log := io.Pipe()
	defer unread.Close()
	v := newServer(&run.Program{}, &state.Session{}, "studio", log)
	for range 10 * maxCalls {
		v.log.Info("a call")
	}
}

// TestToolTexts freezes how much of an agent's attention the tools take: 2,000
// tokens of about four bytes.
func TestToolTexts(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	list := simtest.Must(r.client.ListTools(t.Context(), nil))(t)
	text := simtest.Must(json.Marshal(list.Tools))(t)
	expect.That(t, len(text)+len(instructions) <= 5200, len(text)+len(instructions), "bytes")
	for _, tool := range list.Tools {
		a := tool.Annotations
		expect.That(t, a.ReadOnlyHint != (tool.Name == "submit") && a.IdempotentHint == (tool.Name == "submit") && tool.OutputSchema != nil &&
			tool.InputSchema != nil, tool.Name, a)
	}
	expect.Lacks(t, string(text), testKey, "the key")
}

// TestConfigurations are what each program reads, with the command and no key.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	for _, c := range state.AgentClients("/usr/bin/darkroom") {
		text, read, member := c.Text, object{}, ""
		err := json.Unmarshal([]byte(text), &read)
		if c.Name == "codex" {
			err = toml.Unmarshal([]byte(text), &read)
		}
		for member = range read {
		}
		servers, _ := read[member].(object)
		entry, _ := servers["darkroom"].(object)
		said := fmt.Sprint(entry["command"], entry["args"])
		expect.That(t, err == nil && strings.Contains(said, "/usr/bin/darkroom") && strings.Contains(said, "mcp --as "+c.Name) &&
			!strings.Contains(strings.ToLower(text), "key"), c.Name, err, text)
		for old, servers := range map[string]int{
			"": 1, "{}": 1, `{"a": 1}`: 1, "{\n  \"" + member + "\": {}\n}": 1, `{"b": {"x": [1]}, "` + member + `": {"other": {"command": "x"}}, "c": 2}`: 2,
			text: 0, "// x\n{}": 0, `{"` + member + `": 5}`: 0, "[]": 0,
			member + ` = { other = { command = "x" } }`: 0,
		} {
			if c.Name == "codex" && servers > 0 && strings.HasPrefix(old, "{") {
				continue
			}
			added, at, err := addition(old, c)
			now, read := old[:at]+added+old[at:], object{}
			if c.Name == "codex" {
				_ = toml.Unmarshal([]byte(now), &read)
			} else if err == nil {
				err = json.Unmarshal([]byte(now), &read)
			}
			all, _ := read[member].(object)
			expect.That(t, (err == nil) == (servers > 0) && (err != nil || len(all) == servers &&
				strings.Contains(fmt.Sprint(all["darkroom"]), c.Name)), c.Name, "into", old, err, now)
		}
	}
}

// TestAConfigurationIsReplaced as a whole: its link and its mode stay.
func TestAConfigurationIsReplaced(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	linked, file := filepath.Join(home, ".codex", "config.toml"), filepath.Join(home, "codex.toml")
	must(t, os.Mkdir(filepath.Dir(linked), 0o700))
	must(t, os.WriteFile(file, []byte("a = 1"), 0o640))
	must(t, os.Symlink(file, linked))
	p := &run.Program{Env: func(string) string { return home }, Err: io.Discard}
	must(t, writeConfig(t.Context(), p, state.AgentClients("darkroom")[1], true))
	text := simtest.Must(os.ReadFile(file))(t)
	info := simtest.Must(os.Lstat(linked))(t)
	kept := simtest.Must(os.Stat(file))(t)
	expect.That(t, strings.HasPrefix(string(text), "a = 1\n\n[mcp_servers.darkroom]\n") && info.Mode()&os.ModeSymlink != 0 &&
		kept.Mode().Perm() == 0o640, string(text), info.Mode(), kept.Mode())
	for want, make := range map[string]func() error{
		"it is not a file":           func() error { return exec.Command("mkfifo", file).Run() }, // nobody writes to it
		"it is larger than 1024 KiB": func() error { return os.WriteFile(file, slices.Repeat([]byte("#"), run.MaxText+1), 0o600) },
	} {
		must(t, errors.Join(os.Remove(file), make()))
		err := writeConfig(t.Context(), p, state.AgentClients("darkroom")[1], true)
		expect.That(t, err != nil && strings.HasSuffix(err.Error(), want), err, "want", want)
	}
}
