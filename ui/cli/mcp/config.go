package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/ui/cli/run"
)

// clients are the programs of agents: their names, where their configuration
// belongs, and its member for the servers of tools.
var clients = []struct{ name, file, member string }{
	{"claude", ".mcp.json", "mcpServers"}, {"codex", "~/.codex/config.toml", "mcp_servers"}, {"cursor", ".cursor/mcp.json", "mcpServers"},
	{"vscode", ".vscode/mcp.json", "servers"}, {"gemini", ".gemini/settings.json", "mcpServers"}, {"opencode", "opencode.json", "mcp"},
}

type configDocument struct {
	Name string `json:"name"`
	File string `json:"file"`
	Text string `json:"text"`
}

func configCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config [NAME]",
		Short: "Print the configuration of an agent's program, which then needs no key",
		Long: "Prints what belongs into the configuration of an agent's program: a command without a key. " +
			"The program may not hand on its environment: set base_url in the settings file, and keep the key in the keyring.",
		Example:   `  darkroom mcp config claude`,
		Args:      run.Arguments(0, 1),
		ValidArgs: run.Map(clients, func(c struct{ name, file, member string }) string { return c.name }),
		RunE: func(cmd *cobra.Command, args []string) error {
			var chosen []configDocument
			for _, c := range clients {
				if len(args) == 0 || args[0] == c.name {
					chosen = append(chosen, configDocument{c.name, c.file, configOf(c.name, c.member, program())})
				}
			}
			switch {
			case len(chosen) == 0:
				return run.Usagef("there is no configuration %q: give one of %s", args[0], strings.Join(cmd.ValidArgs, ", "))
			case p.JSON:
				p.PrintJSON(map[string]any{"configurations": chosen}, "configurations")
			case len(args) == 1:
				fmt.Fprintln(p.Out, chosen[0].Text)
			default:
				for _, c := range chosen {
					fmt.Fprintf(p.Out, "# %s %s\n%s\n\n", c.Name, c.File, c.Text)
				}
			}
			return nil
		},
	}
	p.JSONFlags(cmd, configDocument{})
	return cmd
}

// program is how another program starts this one.
func program() string {
	if _, err := exec.LookPath("darkroom"); err == nil {
		return "darkroom"
	}
	path, err := os.Executable()
	if err != nil {
		return "darkroom"
	}
	return path
}

// configOf is the configuration of a program of agents.
func configOf(name, member, program string) string {
	args := []string{"mcp", "--as", name}
	entry := document{"command": program, "args": args}
	switch name {
	case "codex":
		list, _ := json.Marshal(args) // is TOML as well
		return fmt.Sprintf("[%s.darkroom]\ncommand = %q\nargs = %s", member, program, list)
	case "vscode":
		entry["type"] = "stdio"
	case "opencode":
		entry = document{"type": "local", "command": append([]string{program}, args...), "enabled": true}
	}
	text, _ := json.MarshalIndent(document{member: document{"darkroom": entry}}, "", "  ") // can always be written
	return string(text)
}
