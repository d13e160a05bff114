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
	"reflect"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

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
			switch {
			case err != nil:
				return err
			case write && len(args) == 0:
				return run.Usagef("--write needs the name of a program: one of %s", strings.Join(cmd.ValidArgs, ", "))
			case write:
				return writeConfig(cmd.Context(), p, chosen[0], yes)
			}
			p.PrintConfigurations(chosen)
			return nil
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write it into the program's file in this folder, or for codex in your home, after a question")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with --write: write without asking")
	return p.JSONFlags(cmd, state.ToolClient{})
}

// writeConfig shows what is added to a program's file, and adds it. Nothing else in
// the file is changed.
func writeConfig(ctx context.Context, p *run.Program, c state.ToolClient, yes bool) error {
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
	return run.FileError(state.ReplaceFile(path, string(old[:at])+added+string(old[at:])))
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
		if servers["darkroom"] != nil {
			return "", 0, run.Sentencef("it has an entry darkroom already")
		}
		within = regexp.MustCompile(`"` + member + `"\s*:\s*\{|$`).FindStringIndex(old)
		if wanted[member] = one; servers != nil {
			servers["darkroom"], wanted[member] = one["darkroom"], servers
		}
	}
	lines, first := strings.Split("\n"+c.Text, "\n"), strings.Index(old, "{")+1
	inner, outer := "\n"+strings.Join(lines[3:max(len(lines)-2, 3)], "\n"), "\n"+strings.Join(lines[2:len(lines)-1], "\n")
	for _, try := range []struct {
		at   int
		text string
	}{
		{len(old), strings.Repeat("\n", min(len(old), 2)) + c.Text + "\n"},
		{within[1], inner + ","}, {within[1], inner + "\n"}, {first, outer + ","}, {first, outer + "\n"},
	} {
		var now map[string]any
		if read([]byte(old[:try.at]+try.text+old[try.at:]), &now) == nil && reflect.DeepEqual(now, wanted) {
			return try.text, try.at, nil
		}
	}
	return "", 0, run.Sentencef("its layout is unusual")
}
