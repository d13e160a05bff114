package run

import (
	"fmt"
	"strings"

	"darkroom/state"
)

// ChooseConfiguration gives all, or only the one that an argument names.
func ChooseConfiguration(all []state.ToolClient, args []string) ([]state.ToolClient, error) {
	for i, c := range all {
		if len(args) > 0 && c.Name == args[0] {
			return all[i : i+1], nil
		}
	}
	if len(args) == 0 {
		return all, nil
	}
	names := Map(all, func(c state.ToolClient) string { return c.Name })
	return nil, Usagef("there is no configuration %q: give one of %s", args[0], strings.Join(names, ", "))
}

// PrintConfigurations prints configurations with their names and files, or a single
// one so that it can go into its file as it is.
func (p *Program) PrintConfigurations(list []state.ToolClient) {
	switch {
	case p.JSON:
		p.PrintJSON(map[string]any{"configurations": list}, "configurations")
	case len(list) == 1:
		fmt.Fprintln(p.Out, list[0].Text)
	default:
		for _, c := range list {
			fmt.Fprintf(p.Out, "# %s %s\n%s\n\n", c.Name, c.File, c.Text)
		}
	}
}
