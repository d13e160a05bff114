package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
)

type toolFlags struct {
	yes        bool
	maxCredits credits
	timeout    time.Duration
}

func (p *program) toolsCallCommand() *cobra.Command {
	f := &toolFlags{}
	cmd := &cobra.Command{
		Use:   "call NAME [JSON]",
		Short: "Call one tool with arguments that are a JSON object",
		Long: "Calls one tool once. The arguments are one JSON object; \"-\" reads it from standard input,\n" +
			"\"@file\" from a file. Before a tool that the service does not declare read-only is called,\n" +
			"it is asked about, because it may cost credits and its price is not known; --yes answers\n" +
			"that question. Pictures in the answer are saved in the downloads folder.",
		Args: arguments(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := "{}"
			if len(args) == 2 {
				text = args[1]
			}
			raw, err := p.readArguments(text)
			if err != nil {
				return err
			}
			return p.withService(cmd.Context(), false, func(s *state.Session) error {
				return p.callTool(cmd.Context(), s, args[0], raw, f)
			})
		},
	}
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "call without asking about credits")
	cmd.Flags().Var(&f.maxCredits, "max-credits", "refuse tools that may spend, because their price is not known")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 0, "stop waiting after this long, such as 2m; a call that has left may still spend")
	p.jsonFlag(cmd)
	return cmd
}

// maxArguments is how long a tool's arguments may be.
const maxArguments = 1 << 20

func (p *program) readArguments(text string) (json.RawMessage, error) {
	var from io.Reader
	switch name, isFile := strings.CutPrefix(text, "@"); {
	case text == "-":
		from = p.in
	case isFile:
		file, err := os.Open(name)
		if err != nil {
			return nil, withCode(exitUsage, fileError(err))
		}
		defer file.Close()
		from = file
	default:
		from = strings.NewReader(text)
	}
	raw, err := io.ReadAll(io.LimitReader(from, maxArguments+1))
	switch {
	case err != nil:
		return nil, usage("the arguments cannot be read: %s", fileError(err))
	case len(raw) > maxArguments:
		return nil, usage("the arguments are longer than %d bytes", maxArguments)
	}
	return raw, nil
}

func (p *program) callTool(ctx context.Context, s *state.Session, name string, args json.RawMessage, f *toolFlags) error {
	box, err := s.Tools(ctx)
	if err != nil {
		return err
	}
	tool, ok := box.Find(name)
	if !ok {
		return usage("the service has no tool %s: see 'darkroom tools'", shownID(name))
	}
	if text := string(args); api.HideKeys(text) != text {
		return usage("the tool was not called: its arguments hold an API key; take it out")
	}
	if problems := mcp.ReadForm(tool.Schema).Check(args); len(problems) > 0 {
		return &failure{code: exitUsage, err: sentencef("the tool was not called, because its arguments break a rule"), problems: problems, plain: true}
	}
	if !tool.ReadOnly {
		if err := p.agreeToTool(ctx, s, tool, f); err != nil {
			return err
		}
	}
	call := state.ToolCall{Name: name, Args: args, Agreed: !tool.ReadOnly, UnderBudget: f.yes, Progress: p.toolProgress}
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	answer, err := s.CallTool(ctx, call)
	var refusal *state.Refusal
	if errors.As(err, &refusal) && refusal.Code == state.CodeAskTool {
		if !p.canAsk() {
			return usage("%s (--yes)", refusal)
		}
		p.notice(refusal)
		if err := p.ask(ctx, sentencef("Call it?")); err != nil {
			return err
		}
		call.UnderBudget = true
		answer, err = s.CallTool(ctx, call)
	}
	if err != nil {
		return toolFailure(ctx, err, tool)
	}
	p.printAnswer(name, answer)
	if answer.Job != "" {
		p.sayln("It began job %[1]s, which is followed like any other: darkroom wait %[1]s", answer.Job)
	}
	if answer.Unsaved != nil {
		p.notice(answer.Unsaved)
	}
	if answer.Failed {
		return &failure{code: exitFailed, err: sentencef("the tool says that it failed"), printed: true}
	}
	return nil
}

// agreeToTool has it agreed to that a tool may spend an amount nobody knows.
func (p *program) agreeToTool(ctx context.Context, s *state.Session, tool mcp.Tool, f *toolFlags) error {
	switch {
	case f.maxCredits.set:
		return usage("the tool was not called: what it costs is not known, and --max-credits is %s", f.maxCredits.amount)
	case s.Settings().Budget > 0:
		return usage("the tool was not called: a budget is set, and what it costs is not known; remove the budget to call it")
	case f.yes:
		return nil
	case !p.canAsk():
		return usage("the tool was not called: without a terminal to ask on, --yes is needed")
	}
	p.sayln("%s may cost credits; how many is not known.", tool.Label())
	return p.ask(ctx, sentencef("Call it?"))
}

func (p *program) toolProgress(t mcp.Progress) {
	line := fmt.Sprintf("%g", t.Done)
	if t.Total > 0 {
		line = p.say("%g of %g", t.Done, t.Total)
	}
	if !t.Text.IsZero() {
		line += " · " + t.Text.String()
	}
	fmt.Fprintln(p.err, line)
}

// toolFailure gives a call that had no answer its exit code.
func toolFailure(ctx context.Context, err error, tool mcp.Tool) error {
	switch {
	case errors.Is(err, mcp.ErrNotAgreed):
		return usage("the tool was not called: the service no longer declares it read-only; call it again to be asked")
	case !tool.ReadOnly && state.ToolDoubt(err):
		return withCode(exitUnknown, err)
	case ctx.Err() != nil && !state.ToolDoubt(err):
		return withCode(exitUsage, errAborted)
	case ctx.Err() != nil:
		return withCode(exitWaiting, sentencef("stopped waiting for the tool"))
	}
	return err
}

// partDocument is one part of a tool's answer as --json prints it.
type partDocument struct {
	Type      mcp.PartKind `json:"type"`
	Text      string       `json:"text,omitempty"`
	URL       string       `json:"url,omitempty"`
	MediaType string       `json:"media_type,omitempty"`
	Bytes     int          `json:"bytes,omitempty"`
	Path      string       `json:"path,omitempty"`
}

func (p *program) printAnswer(name string, a state.ToolAnswer) {
	if p.json {
		parts := []partDocument{}
		for i, part := range a.Parts {
			parts = append(parts, partDocument{part.Kind, part.Text.String(), part.URL, part.MediaType, len(part.Data), a.Files[i].Path})
		}
		p.printJSON(struct {
			Tool       string          `json:"tool"`
			Failed     bool            `json:"failed"`
			Content    []partDocument  `json:"content"`
			Structured json.RawMessage `json:"structured"`
			Job        *string         `json:"job"`
			Error      *string         `json:"error,omitempty"`
		}{name, a.Failed, parts, orNullJSON(a.Structured), orNull(a.Job), toolError(a)})
		return
	}
	out := p.out
	if a.Failed {
		out = p.err
		p.notice(sentencef("the tool says that it failed:"))
	}
	told := false
	for i, part := range a.Parts {
		if text := part.Text.String(); part.Kind == mcp.PartText && api.IsDocument(text) {
			// Tools give their structured answer as a text too.
			told = true
			fmt.Fprintf(out, "%s\n", withoutSteering(api.Indent([]byte(text))))
			continue
		}
		p.printPart(out, part, a.Files[i].Path)
	}
	if !told && len(a.Structured) > 0 {
		fmt.Fprintf(out, "%s\n", withoutSteering(api.Indent(a.Structured)))
	}
}

// toolError is what a tool that failed says, or nil.
func toolError(a state.ToolAnswer) *string {
	if !a.Failed {
		return nil
	}
	for _, part := range a.Parts {
		if part.Kind == mcp.PartText && !part.Text.IsZero() {
			text := part.Text.String()
			return &text
		}
	}
	return orNull("the tool says that it failed")
}

func (p *program) printPart(out io.Writer, part mcp.Part, path string) {
	switch {
	case path != "":
		fmt.Fprintln(out, path)
	case part.URL != "":
		fmt.Fprintln(out, shownAddress(part.URL))
		if !part.Text.IsZero() {
			fmt.Fprintln(out, "  "+part.Text.String())
		}
	case !part.Text.IsZero():
		fmt.Fprintln(out, part.Text)
	default:
		fmt.Fprintln(out, p.say("(%s, %d bytes)", part.Kind, len(part.Data)))
	}
}

// shownAddress is an address of the service's as a line may show it.
func shownAddress(address string) string { return api.Clean(address, api.MaxAddressText).String() }
