// Package mcp is darkroom for agents: a server of the tool protocol (MCP) over
// standard input and output. What an agent asks for is held; a person sends it.
package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
	"darkroom/ui/picture"
)

// Command serves an agent.
func Command(p *run.Program) *cobra.Command {
	var entry string
	cmd := &cobra.Command{Use: "mcp", RunE: func(cmd *cobra.Command, _ []string) error {
		if p.Slash {
			return run.Usagef("this is for the program of an agent, which starts it")
		}
		if !state.IsEntry(entry) {
			return run.Usagef("--as: %q is not a name: write up to 32 of a-z, 0-9, - and _", entry)
		}
		return p.With(cmd.Context(), run.Polling, func(s *state.Session) error {
			switch err := newServer(p, s, entry, p.Err).protocol().Run(cmd.Context(), transport{p}); {
			case err == nil, cmd.Context().Err() != nil, errors.Is(err, io.EOF):
				return nil
			case errors.Is(err, bufio.ErrTooLong):
				return run.Sentencef("the agent's program sent a line of more than %d bytes", maxLine)
			default:
				return run.Sentencef("the agent's program broke off: %s", api.HideKeys(err.Error()))
			}
		})
	}}
	cmd.Flags().StringVar(&entry, "as", "agent", "the NAME under which you see what it asks for, and can grant it something")
	cmd.AddCommand(configCommand(p))
	return cmd
}

const (
	maxLine  = 1 << 20          // bytes of a message
	maxCalls = 20               // that have no answer yet
	callRest = 10 * time.Second // that a call of the service counts after its end
)

const instructions = "Ask for images and videos with submit. A person sends what you ask for; you cannot confirm it yourself, " +
	"and nothing is spent before. An outcome that is unknown is never sent again."

type server struct {
	*run.Program
	s      *state.Session
	agent  state.Agent
	loader *picture.Loader
	log    *slog.Logger
	asks   chan struct{} // calls of the service, also for a while afterwards: they use up a key's limits
}

func newServer(p *run.Program, s *state.Session, entry string, log io.Writer) *server {
	lines := make(hidden, maxCalls)
	go func() {
		for line := range lines {
			_, _ = io.WriteString(log, line) // nothing can be said about it
		}
	}()
	return &server{p, s, s.Agent(entry), picture.NewLoader(false, state.OthersEnviron()...),
		slog.New(slog.NewTextHandler(lines, nil)), make(chan struct{}, maxCalls)}
}

// toolsText are the tools as they are listed.
//
//go:embed tools.json
var toolsText []byte

// protocol is the server as the library has it.
func (v *server) protocol() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "darkroom", Version: v.Version},
		&sdk.ServerOptions{Instructions: instructions, Logger: v.log, Capabilities: &sdk.ServerCapabilities{}})
	var tools []*sdk.Tool
	_ = json.Unmarshal(toolsText, &tools) // embedded: a test sees it
	answers := map[string]func(context.Context, *sdk.CallToolRequest, arguments) (any, []sdk.Content, error){
		"models": v.models, "quote": v.quote, "submit": v.submit, "wait": v.wait, "jobs": v.jobs, "result": v.result, "budget": v.budget,
	}
	for _, tool := range tools { // each answers with a document, or an error that the agent reads
		sdk.AddTool(server, tool, func(ctx context.Context, r *sdk.CallToolRequest, in arguments) (*sdk.CallToolResult, any, error) {
			answer, more, err := answers[tool.Name](ctx, r, in)
			if err != nil {
				return refused(err), nil, nil
			}
			text, err := api.PlainJSON(answer)
			return &sdk.CallToolResult{Content: append([]sdk.Content{&sdk.TextContent{Text: string(text)}}, more...)}, json.RawMessage(text), err
		})
	}
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "file", URITemplate: fileURI + "{id}/{file}"}, v.file)
	server.AddReceivingMiddleware(v.watch)
	return server
}

func refused(err error) *sdk.CallToolResult {
	text, _ := api.PlainJSON(refusalOf(err)) // texts can always be written
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
}

// watch logs calls, without what they say, and lets so many ask the service.
func (v *server) watch(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		call, ok := r.(*sdk.CallToolRequest)
		if !ok {
			return next(ctx, method, r)
		}
		if slices.Contains([]string{"models", "quote", "submit"}, call.Params.Name) {
			select {
			case v.asks <- struct{}{}:
				defer time.AfterFunc(callRest, func() { <-v.asks })
			default:
				return refused(&state.Refusal{Code: "busy", Fault: *api.Sentence("too many calls: ask again in ten seconds").Fault(nil)}), nil
			}
		}
		began := time.Now()
		result, err := next(ctx, method, r)
		answer, _ := result.(*sdk.CallToolResult)
		if answer != nil && answer.GetError() != nil {
			answer.Content = []sdk.Content{&sdk.TextContent{Text: brief(answer.GetError())}}
		}
		v.log.Info("call", "tool", api.Clean(call.Params.Name, 40).String(), "took", time.Since(began).Round(time.Millisecond),
			"failed", err != nil || answer != nil && answer.IsError)
		return result, err
	}
}

// hidden is a log without keys. Lines that nobody reads are lost, and no call waits.
type hidden chan string

func (h hidden) Write(b []byte) (int, error) {
	select {
	case h <- api.HideKeys(string(b)):
	default:
	}
	return len(b), nil
}

// transport is standard input and output, which the program closes.
type transport struct{ *run.Program }

func (t transport) Connect(ctx context.Context) (sdk.Connection, error) {
	in := bufio.NewScanner(t.In)
	in.Buffer(nil, maxLine)
	valid, to := io.Pipe()
	go func() {
		for in.Scan() {
			var one message
			var list []message
			line := bytes.TrimSpace(in.Bytes())
			switch {
			case len(line) == 0:
			case !json.Valid(line):
				refuse(t.Out, nil, jsonrpc.CodeParseError, "this line is not JSON")
			case line[0] == '{' && json.Unmarshal(line, &one) == nil && one.invalid():
				refuse(t.Out, one["id"], jsonrpc.CodeInvalidRequest, "a call has a method, and its id is a string or a whole number")
			case line[0] == '[' && json.Unmarshal(line, &list) == nil && slices.ContainsFunc(list, message.noCall):
				refuse(t.Out, nil, jsonrpc.CodeInvalidRequest, "a list may have calls alone") // the library would never answer them
			default:
				if _, err := fmt.Fprintf(to, "%s\n", line); err != nil {
					return // the connection is closed
				}
			}
		}
		to.CloseWithError(ended{cmp.Or(in.Err(), io.EOF)})
	}()
	pipe := &sdk.IOTransport{Reader: valid, MaxLineLength: -1, Writer: struct {
		io.Writer
		io.Closer
	}{t.Out, io.NopCloser(nil)}}
	c, err := pipe.Connect(ctx)
	return connection{c, ctx, t.Out, make(chan struct{}, maxCalls), &sync.Map{}}, err
}

// message is what a client writes, or one of its list.
type message map[string]json.RawMessage

func (m message) noCall() bool { return m["id"] == nil || m.invalid() }

// invalid reports what the library would not answer, or under another number than its id.
func (m message) invalid() bool {
	var method string
	var id float64
	unnamed := json.Unmarshal(m["method"], &method) != nil && m["result"] == nil && m["error"] == nil
	return m["id"] != nil && (unnamed || json.Unmarshal(m["id"], &id) == nil && (id != math.Trunc(id) || math.Abs(id) >= 1<<53))
}

// ended is why nothing more can be read.
type ended struct{ error }

// refuse answers a line, whose id may not be known. A client that is gone is noticed by what it is sent next. It is one
// write, as each answer of the library is: a file takes one after the other.
func refuse(out io.Writer, id json.RawMessage, code int, why string) {
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n",
		cmp.Or(string(id), "null"), code, api.JSONString(api.HideKeys(why)))
}

// brief is an error of the library, which repeats what was sent, with a bound and without keys, and null as such.
func brief(err error) string {
	return api.Clean(api.HideKeys(strings.ReplaceAll(err.Error(), "<invalid reflect.Value>", "null")), api.MaxErrorText).String()
}

// connection reads a call when fewer than so many have no answer that was written:
// nothing grows for a client that does not read. It breaks off when the program ends.
type connection struct {
	sdk.Connection
	ctx  context.Context
	out  io.Writer
	open chan struct{}
	ids  *sync.Map // of these calls
}

func (c connection) Read(context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(c.ctx)
		r, _ := m.(*jsonrpc.Request)
		switch end, over := errors.AsType[ended](err); {
		case over:
			return nil, end.error
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe), c.ctx.Err() != nil: // it was closed
			return nil, err
		case err != nil:
			refuse(c.out, nil, jsonrpc.CodeInvalidRequest, err.Error())
			continue
		case r == nil || !r.IsCall():
			return m, nil
		}
		if _, twice := c.ids.LoadOrStore(r.ID, nil); !twice { // the library answers none but the first
			select {
			case c.open <- struct{}{}:
			case <-c.ctx.Done():
			}
			return m, nil
		}
		no := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a call with this id has no answer yet"}
		_ = c.Connection.Write(c.ctx, &jsonrpc.Response{ID: r.ID, Error: no}) // who is gone is noticed by the next one
	}
}

func (c connection) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		c.ids.Delete(r.ID) // the client may use it again once it has read this
		defer func() { <-c.open }()
		if known, ok := errors.AsType[*jsonrpc.Error](r.Error); ok {
			no := &jsonrpc.Error{Code: known.Code, Message: brief(r.Error)}
			if r.Error = no; json.Valid(known.Data) { // the library quotes what was sent as Go does
				no.Data = known.Data
			}
		}
	}
	return c.Connection.Write(ctx, m)
}

func configCommand(p *run.Program) *cobra.Command {
	var write, yes bool
	cmd := &cobra.Command{
		Use:       "config [NAME]",
		ValidArgs: api.Map(state.AgentClients(""), func(c state.ToolClient) string { return c.Name }),
		RunE: func(cmd *cobra.Command, args []string) error {
			program, err := os.Executable()
			if _, missing := exec.LookPath("darkroom"); missing == nil || err != nil {
				program = "darkroom"
			}
			chosen, err := run.ChooseConfiguration(state.AgentClients(program), args)
			if write && len(args) == 0 {
				return run.Usagef("--write needs the name of a program: one of %s", strings.Join(cmd.ValidArgs, ", "))
			} else if write && err == nil {
				err = writeConfig(cmd.Context(), p, chosen[0], yes)
			}
			if err == nil && (p.JSON || !write) {
				p.PrintConfigurations(chosen)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write it into the program's file in this folder, or for codex in your home, after a question")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --write: write without asking")
	return p.JSONFlags(cmd, state.ToolClient{})
}

// writeConfig shows what is added to a program's file, and adds it. Nothing else in
// the file is changed.
func writeConfig(ctx context.Context, p *run.Program, c state.ToolClient, yes bool) error {
	home, _ := state.LocalFile(c.File, p.Env("HOME"))
	path := cmp.Or(home, c.File)
	old, err := state.ReadText(path, run.MaxText)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return run.Sentencef("%s: %s", path, api.WithoutPath(err))
	}
	added, at, err := addition(old, c)
	if err != nil {
		return run.Usagef("%s: %s; put it in by hand: darkroom mcp config %s", path, err, c.Name)
	}
	fmt.Fprintf(p.Err, "%s\n+ %s\n", path, strings.ReplaceAll(strings.Trim(added, "\n"), "\n", "\n+ "))
	if !yes {
		if err := p.Ask(ctx, "--yes", run.Sentencef("Write it?"), run.Sentencef("nothing was changed")); err != nil {
			return err
		}
	}
	if now, err := state.ReadText(path, run.MaxText); now != old || err != nil && !errors.Is(err, os.ErrNotExist) {
		return run.Usagef("%s has changed meanwhile: nothing was written", path)
	}
	return run.FileError(state.ReplaceFile(path, old[:at]+added+old[at:]))
}

// addition is what is to be added to the text of a configuration, and where: one
// piece, with which it says what it said before and has the entry.
func addition(old string, c state.ToolClient) (added string, at int, err error) {
	read := json.Unmarshal
	if c.Name == "codex" {
		read = toml.Unmarshal
	}
	wanted, entry := map[string]any{}, map[string]map[string]any{}
	if strings.TrimSpace(old) != "" {
		err = read([]byte(old), &wanted)
	}
	if err = errors.Join(err, read([]byte(c.Text), &entry)); err != nil || wanted == nil {
		return "", 0, run.Sentencef("its layout is unusual")
	}
	within := []int{0, 0}
	for member, one := range entry { // there is one
		servers, _ := wanted[member].(map[string]any)
		switch {
		case servers["darkroom"] != nil:
			return "", 0, run.Sentencef("it has an entry darkroom already")
		case c.Name == "codex" && regexp.MustCompile(`(?m)^\s*["']?`+member+`["']?\s*=`).MatchString(old): // nothing may follow it
			return "", 0, run.Sentencef("its layout is unusual")
		}
		within = regexp.MustCompile(`"` + member + `"\s*:\s*\{|$`).FindStringIndex(old)
		if wanted[member] = one; servers != nil {
			servers["darkroom"], wanted[member] = one["darkroom"], servers
		}
	}
	lines, first := strings.Split("\n"+c.Text, "\n"), strings.Index(old, "{")+1
	inner, outer := "\n"+strings.Join(lines[3:max(len(lines)-2, 3)], "\n"), "\n"+strings.Join(lines[2:len(lines)-1], "\n")
	whole, places := strings.Repeat("\n", min(len(old), 2))+c.Text+"\n", []int{len(old), within[1], within[1], first, first}
	for i, added := range []string{whole, inner + ",", inner + "\n", outer + ",", outer + "\n"} {
		var now map[string]any
		if at := places[i]; read([]byte(old[:at]+added+old[at:]), &now) == nil && reflect.DeepEqual(now, wanted) {
			return added, at, nil
		}
	}
	return "", 0, run.Sentencef("its layout is unusual")
}
