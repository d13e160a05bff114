// Package tools has the commands for the service's tools.
package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// commands are the commands about tools.
type commands struct{ *run.Program }

// Command lists the tools of the service, and calls them.
func Command(one *run.Program) *cobra.Command {
	p := commands{one}
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools of the service's tool-protocol entry, and call them",
		Long: "The service has a tool-protocol entry (Streamable HTTP) with the same key. Its path is " +
			"found automatically, or set as tools_path under [profile] in the settings file.",
		Example: `  darkroom tools
  darkroom tools call estimate_price '{"model":"seedance2"}'`,
		Args: run.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithService(cmd.Context(), false, func(s *state.Session) error {
				box, err := s.Tools(cmd.Context())
				if err != nil {
					return err
				}
				p.printTools(box)
				return nil
			})
		},
	}
	p.JSONFlags(cmd, toolDocument{})
	cmd.AddCommand(p.toolsCallCommand(), p.toolsConfigCommand())
	return cmd
}

type toolDocument struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	ReadOnly    bool            `json:"read_only"`
	Schema      json.RawMessage `json:"input_schema"`
}

func (p commands) printTools(box state.Toolbox) {
	if p.JSON {
		tools := run.Documents(box.Tools, func(t mcp.Tool) toolDocument {
			return toolDocument{t.Name, t.Title.String(), t.Description.String(), t.ReadOnly, run.Valid(t.Schema)}
		})
		p.PrintJSON(struct {
			Address string         `json:"address"`
			Server  string         `json:"server"`
			Tools   []toolDocument `json:"tools"`
		}{box.Address, box.Server.String(), tools})
		return
	}
	fmt.Fprintf(p.Err, "%s · %s\n", box.Address, box.Server)
	for _, t := range box.Tools {
		spends := p.Say("may cost credits")
		if t.ReadOnly {
			spends = p.Say("read-only")
		}
		fmt.Fprintf(p.Out, "%s  %s\n", t.Name, spends)
		about, _, _ := strings.Cut(t.Description.String(), "\n")
		if about != "" {
			fmt.Fprintf(p.Out, "    %s\n", about)
		}
		args := mcp.ReadSchema(t.Schema)
		for _, a := range args.List {
			fmt.Fprintf(p.Out, "    %s\n", p.argumentWords(a))
		}
		if len(args.List) == 0 && !args.None {
			fmt.Fprintln(p.Out, "    "+p.Say("any JSON object"))
		}
	}
	if box.Skipped > 0 {
		p.Notice(run.Sentencef("tools left out, because their names cannot be shown: %d", box.Skipped))
	}
}

func (p commands) argumentWords(a mcp.Argument) string {
	takes := p.Words.Reason(a.Type)
	if len(a.Choices) > 0 {
		takes = api.Clean(strings.Join(a.Choices, ", "), 200).String()
	}
	text := run.ID(a.Name) + ": " + takes
	if a.Required {
		text += p.Say(", required")
	}
	if a.Default != "" {
		text += p.Say(", default %s", api.Clean(a.Default, 60).String())
	}
	return text
}

func (p commands) toolsConfigCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config [NAME]",
		Short:   "Print how other programs are set up for the tools; the key is a variable in it",
		Example: `  darkroom tools config`,
		Args:    run.Arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithService(cmd.Context(), false, func(s *state.Session) error {
				box := s.KnownTools(cmd.Context())
				if box.Address == "" {
					var err error
					if box, err = s.Tools(cmd.Context()); err != nil {
						return err
					}
				}
				return p.printConfigs(state.ToolClients(box.Address), args)
			})
		},
	}
	p.JSONFlags(cmd, "name", "file", "text")
	return cmd
}

func (p commands) printConfigs(clients []state.ToolClient, args []string) error {
	type document struct {
		Name string `json:"name"`
		File string `json:"file"`
		Text string `json:"text"`
	}
	var names []string
	chosen := []document{}
	for _, c := range clients {
		names = append(names, c.Name)
		if len(args) == 0 || args[0] == c.Name {
			chosen = append(chosen, document(c))
		}
	}
	switch {
	case len(chosen) == 0:
		return run.Usagef("there is no configuration %q: give one of %s", args[0], strings.Join(names, ", "))
	case p.JSON:
		p.PrintJSON(map[string]any{"configurations": chosen})
	case len(args) == 1:
		fmt.Fprintln(p.Out, chosen[0].Text)
	default:
		for _, c := range chosen {
			fmt.Fprintf(p.Out, "# %s %s\n%s\n\n", c.Name, c.File, c.Text)
		}
	}
	return nil
}
