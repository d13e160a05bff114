package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// toolsCommand prints the tools of the service with their arguments, and calls them.
func (p *commands) toolsCommand() *cobra.Command {
	cmd := p.Command("tools", run.Service, func(ctx context.Context, s *state.Session, _ []string) error {
		box, err := s.Tools(ctx)
		if err != nil {
			return err
		}
		if p.JSON {
			all := append([]mcp.Tool{}, box.Tools...) // never nil, which JSON would call null
			p.PrintJSON(map[string]any{"address": box.Address, "server": box.Server.String(), "tools": all}, "tools")
			return nil
		}
		fmt.Fprintf(p.Err, "%s · %s\n", box.Address, box.Server)
		for _, t := range box.Tools {
			fmt.Fprintf(p.Out, "%s  %s\n", t.Name, cmp.Or(p.SayIf(t.ReadOnly, "read-only"), p.Say("may cost credits")))
			args := mcp.ReadSchema(t.Schema)
			about, _, _ := strings.Cut(t.Description.String(), "\n")
			lines := append([]string{about}, api.Map(args.List, func(a mcp.Argument) string {
				takes := cmp.Or(api.Clean(strings.Join(a.Choices, ", "), 200).String(), p.Words.Reason(a.Type))
				return p.Say("%s: %s", run.ID(a.Name), takes) + p.SayIf(a.Required, ", required") +
					p.SayIf(a.Default != "", ", default %s", api.Clean(a.Default, 60).String())
			})...)
			for _, line := range append(lines, p.SayIf(len(args.List) == 0 && !args.None, "any JSON object")) {
				if line != "" {
					fmt.Fprintln(p.Out, "    "+line)
				}
			}
		}
		if box.Skipped > 0 {
			p.Notice(run.Sentencef("tools left out, because their names cannot be shown: %d", box.Skipped))
		}
		return nil
	})
	cmd.AddCommand(p.toolsCallCommand(), p.toolsConfigCommand())
	return p.JSONFlags(cmd, mcp.Tool{})
}

func (p *commands) toolsConfigCommand() *cobra.Command {
	cmd := p.Command("config [NAME]", run.Service, func(ctx context.Context, s *state.Session, args []string) (err error) {
		box := s.KnownTools(ctx)
		if box.Address == "" {
			box, err = s.Tools(ctx)
		}
		chosen, unknown := run.ChooseConfiguration(state.ToolClients(box.Address), args)
		if err = cmp.Or(err, unknown); err == nil {
			p.Remark("With agents, the other program can only ask, and you send. " +
				"With any other, it spends with your key, past darkroom's budget.")
			p.PrintConfigurations(chosen)
		}
		return err
	})
	cmd.ValidArgs = api.Map(state.ToolClients(""), func(c state.ToolClient) string { return c.Name + "\t" + c.File })
	return p.JSONFlags(cmd, state.ToolClient{})
}

func (p *commands) toolsCallCommand() *cobra.Command {
	var limit run.LimitFlag
	var timeout time.Duration
	var call state.ToolCall // UnderBudget is --yes
	call.Progress = func(t mcp.Progress) {
		line := cmp.Or(p.SayIf(t.Total > 0, "%g of %g", t.Done, t.Total), fmt.Sprintf("%g", t.Done))
		fmt.Fprintln(p.Err, run.Joined(line, t.Text.String()))
	}
	cmd := &cobra.Command{Use: "call NAME [JSON]", RunE: func(cmd *cobra.Command, args []string) (err error) {
		args = append(args, "{}") // without an argument
		call.Name, call.Args = args[0], json.RawMessage(args[1])
		if name, isFile := strings.CutPrefix(args[1], "@"); isFile || name == "-" {
			call.Args, err = p.ReadInput(cmd.Context(), name, run.MaxText)
		}
		switch {
		case err != nil:
			return run.Usagef("the arguments cannot be read: %s", run.FileError(err))
		case len(call.Args) >= run.MaxText:
			return run.Usagef("the arguments are longer than %d bytes", run.MaxText)
		}
		if err = p.checkArguments(json.RawMessage("{}"), call.Args); err != nil { // as an object, before anything is asked
			return err
		}
		return p.With(cmd.Context(), run.Service, func(s *state.Session) error {
			return p.callTool(cmd.Context(), s, call, limit, timeout)
		})
	}}
	cmd.Flags().BoolVarP(&call.UnderBudget, "yes", "y", false, "call without asking about credits")
	limit.Add(cmd, "max-credits", "refuse tools that may cost credits, because their price is not known")
	cmd.Flags().DurationVar(&timeout, "timeout", 0,
		"stop waiting after this long, such as 2m (default: 15m); a call already sent may still cost credits")
	return p.JSONFlags(cmd, answerDocument{})
}

// callTool calls a tool once it is agreed to, and prints what it answers.
func (p *commands) callTool(ctx context.Context, s *state.Session, call state.ToolCall, limit run.LimitFlag, timeout time.Duration) error {
	box, err := s.Tools(ctx)
	tool, ok := box.Find(call.Name)
	switch text := string(call.Args); {
	case err != nil:
		return err
	case !ok:
		return run.Usagef("the service has no tool %s: see 'darkroom tools'", run.ID(call.Name))
	case api.HideKeys(text) != text:
		return run.Usagef("the tool was not called: its arguments hold an API key; take it out")
	}
	if err = p.checkArguments(tool.Schema, call.Args); err != nil {
		return err
	}
	ask := func() error { return p.Ask(ctx, "--yes", run.Sentencef("Call it?"), run.Sentencef("not called")) }
	switch call.Agreed = !tool.ReadOnly; { // it may spend an unknown amount
	case tool.ReadOnly:
	case limit.Given:
		return run.Usagef("the tool was not called: what it costs is not known, and --max-credits is %s", limit.Amount)
	case s.Settings().Budgets() != (api.Budgets{}):
		return run.Usagef("the tool was not called: a budget is set, and what it costs is not known; remove the budget to call it")
	case call.UnderBudget && p.AgentShell(s):
		return run.WithCode(run.ExitHeld, run.Sentencef("not called: in an agent's shell --yes is not a person's answer. "+
			"A person calls it in Tools, or with this command in a shell of their own"))
	case !call.UnderBudget:
		p.Remark("%s may cost credits; how many is not known.", tool.Label())
		if err = ask(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(timeout, math.MaxInt64))
	defer cancel()
	answer, err := s.CallTool(ctx, call)
	if refusal := run.Refused(err, state.CodeAskTool); refusal != nil {
		p.Notice(refusal)
		if err := ask(); err != nil {
			return err
		}
		call.UnderBudget = true
		answer, err = s.CallTool(ctx, call)
	}
	// A call that had no answer has an exit code of its own if it may have been charged.
	switch doubt := err != nil && state.ToolDoubt(err); {
	case err == nil:
	case errors.Is(err, mcp.ErrNotAgreed):
		return run.Usagef("the tool was not called: the service no longer declares it read-only; call it again to be asked")
	case !tool.ReadOnly && doubt:
		return run.WithCode(run.ExitUnknown, err)
	case ctx.Err() == nil:
		return err
	case doubt:
		return run.WithCode(run.ExitWaiting, run.Sentencef("stopped waiting for the tool"))
	default:
		return run.ErrAborted
	}
	p.printAnswer(call.Name, answer)
	if answer.Job != "" {
		p.Remark("It began job %[1]s, which is followed like any other: darkroom wait %[1]s", answer.Job)
	}
	p.Notice(answer.Unsaved)
	if answer.Failed {
		return run.Printed(run.ExitFailed)
	}
	return nil
}

// checkArguments refuses what breaks a schema. One that cannot be used is said.
func (p *commands) checkArguments(schema, args json.RawMessage) error {
	problems, err := mcp.Check(schema, args)
	p.Notice(err)
	if len(problems) > 0 {
		err = run.Sentencef("invalid arguments, the tool was not called")
		return &run.Failure{Code: run.ExitUsage, Err: err, Problems: problems, Plain: true}
	}
	return nil
}

type partDocument struct {
	mcp.Part
	Bytes int    `json:"bytes,omitempty"`
	Path  string `json:"path,omitempty"`
}

type answerDocument struct {
	Tool       string          `json:"tool"`
	Failed     bool            `json:"failed"`
	Content    []partDocument  `json:"content"`
	Structured json.RawMessage `json:"structured"`
	Job        *string         `json:"job"`
	Error      *string         `json:"error,omitempty"` // what a tool that failed says
}

func (p *commands) printAnswer(name string, a state.ToolAnswer) {
	out, d := p.Out, answerDocument{Tool: name, Failed: a.Failed, Structured: run.Valid(a.Structured), Job: run.OrNull(a.Job)}
	d.Content = []partDocument{}
	for i, part := range a.Parts {
		d.Content = append(d.Content, partDocument{part, len(part.Data), a.Files[i].Path})
	}
	if a.Failed {
		said, _ := api.Find(a.Parts, func(part mcp.Part) bool { return part.Kind == mcp.PartText && !part.Text.IsZero() })
		out, d.Error = p.Err, run.OrNull(cmp.Or(said.Text.String(), "the tool says that it failed"))
	}
	switch {
	case p.JSON:
		if !p.PrintJSON(d) { // the call may have been charged
			for _, file := range a.Files {
				fmt.Fprintln(p.Err, file.Path)
			}
		}
		return
	case a.Failed:
		p.Notice(run.Sentencef("the tool says that it failed:"))
	}
	document := func(raw json.RawMessage) { fmt.Fprintf(out, "%s\n", run.Escape(api.Indent(raw))) }
	for _, part := range d.Content {
		switch {
		case part.Document() != nil:
			document(part.Document())
		case part.Path != "":
			fmt.Fprintln(out, part.Path)
		case part.URL != "" && !part.Text.IsZero():
			fmt.Fprintf(out, "%s\n  %s\n", run.Address(part.URL), part.Text)
		case part.URL != "":
			fmt.Fprintln(out, run.Address(part.URL))
		case !part.Text.IsZero():
			fmt.Fprintln(out, part.Text)
		default:
			fmt.Fprintln(out, p.Say("(%s, %d bytes)", part.Kind, part.Bytes))
		}
	}
	if raw := a.Unrepeated(); len(raw) > 0 {
		document(raw)
	}
}
