package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"darkroom/ui/cli/run"
)

// clients are the programs of agents: their names, where their configuration
// belongs, and its member for the servers of tools.
var clients = []struct{ name, file, member string }{
	{"claude", ".mcp.json", "mcpServers"}, {"codex", "~/.codex/config.toml", "mcp_servers"}, {"cursor", ".cursor/mcp.json", "mcpServers"},
	{"vscode", ".vscode/mcp.json", "servers"}, {"gemini", ".gemini/settings.json", "mcpServers"}, {"opencode", "opencode.json", "mcp"},
}

func configCommand(p *run.Program) *cobra.Command {
	var write, yes bool
	cmd := &cobra.Command{
		Use:   "config [NAME]",
		Short: "Print the configuration of an agent's program, which then needs no key",
		Long: "Prints what belongs into the configuration of an agent's program: a command without a key. " +
			"The program may not hand on its environment: set base_url in the settings file, and keep the key in the keyring.",
		Example:   `  darkroom mcp config claude`,
		Args:      run.Arguments(0, 1),
		ValidArgs: run.Map(clients, func(c struct{ name, file, member string }) string { return c.name }),
		RunE: func(cmd *cobra.Command, args []string) error {
			command := program()
			chosen, err := run.ChooseConfiguration(run.Map(clients, func(c struct{ name, file, member string }) run.Configuration {
				return run.Configuration{Name: c.name, File: c.file, Text: configOf(c.name, c.member, command)}
			}), args)
			switch {
			case err != nil:
				return err
			case write && len(args) == 0:
				return run.Usagef("--write needs the name of a program: one of %s", strings.Join(cmd.ValidArgs, ", "))
			case write:
				return writeConfig(cmd.Context(), p, chosen[0], yes)
			}
			p.PrintConfigurations(chosen, len(args) == 1)
			return nil
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write it into the program's file in this folder, or for codex in your home, after a question")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --write: write without asking")
	p.JSONFlags(cmd, run.Configuration{})
	return cmd
}

// writeConfig shows what is added to a program's file, and adds it. Nothing else in
// the file is changed.
func writeConfig(ctx context.Context, p *run.Program, c run.Configuration, yes bool) error {
	path := c.File
	if rest, below := strings.CutPrefix(path, "~/"); below {
		path = filepath.Join(p.Env("HOME"), rest)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return run.FileError(err)
	}
	added, at, err := addition(string(old), c)
	if err != nil {
		return run.Usagef("%s: %s; put it in by hand: darkroom mcp config %s", path, err, c.Name)
	}
	fmt.Fprintf(p.Err, "%s\n+ %s\n", path, strings.ReplaceAll(strings.Trim(added, "\n"), "\n", "\n+ "))
	if !yes {
		if err := p.Ask(ctx, "--yes", run.Sentencef("Write it?")); err != nil {
			return err
		}
	}
	err = os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(string(old[:at])+added+string(old[at:])), 0o600)
	}
	if err != nil {
		return run.FileError(err)
	}
	return nil
}

var (
	errThere  = run.Sentencef("it has an entry darkroom already")
	errLayout = run.Sentencef("its layout is unusual")
)

// addition is what is to be added to the text of a configuration, and where.
func addition(old string, c run.Configuration) (added string, at int, err error) {
	var have, servers map[string]json.RawMessage
	lines, member := strings.Split(c.Text, "\n"), ""
	for _, one := range clients {
		if one.name == c.Name {
			member = one.member
		}
	}
	switch {
	case strings.TrimSpace(old) == "":
		return c.Text + "\n", len(old), nil
	case c.Name == "codex":
		var tables map[string]any
		err = toml.Unmarshal([]byte(old), &tables)
		if all, _ := tables[member].(map[string]any); err == nil && all["darkroom"] != nil {
			return "", 0, errThere
		}
		return "\n\n" + c.Text + "\n", len(old), err
	case json.Unmarshal([]byte(old), &have) != nil || have == nil,
		have[member] != nil && (json.Unmarshal(have[member], &servers) != nil || servers == nil):
		return "", 0, errLayout
	case servers["darkroom"] != nil:
		return "", 0, errThere
	}
	read := json.NewDecoder(strings.NewReader(old))
	_, _ = read.Token() // it can be read, and is an object
	added, more := strings.Join(lines[1:len(lines)-1], "\n"), len(have) > 0
	at = int(read.InputOffset())
	for servers != nil {
		if key, _ := read.Token(); key == member {
			_, _ = read.Token()
			added, more, at = strings.Join(lines[2:len(lines)-2], "\n"), len(servers) > 0, int(read.InputOffset())
			break
		}
		var other json.RawMessage
		_ = read.Decode(&other)
	}
	if more {
		return "\n" + added + ",", at, nil
	}
	return "\n" + added + "\n", at, nil
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
