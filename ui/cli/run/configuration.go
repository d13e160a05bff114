package run

import (
	"fmt"
	"strings"
)

// Configuration is what belongs into a file of another program, as --json prints it.
type Configuration struct {
	Name string `json:"name"`
	File string `json:"file"`
	Text string `json:"text"`
}

// ChooseConfiguration gives all, or only the one that an argument names.
func ChooseConfiguration(all []Configuration, args []string) ([]Configuration, error) {
	if len(args) == 0 {
		return all, nil
	}
	for _, c := range all {
		if c.Name == args[0] {
			return []Configuration{c}, nil
		}
	}
	names := Map(all, func(c Configuration) string { return c.Name })
	return nil, Usagef("there is no configuration %q: give one of %s", args[0], strings.Join(names, ", "))
}

// PrintConfigurations prints configurations with their names and files, or a single
// one so that it can go into its file as it is.
func (p *Program) PrintConfigurations(list []Configuration, single bool) {
	switch {
	case p.JSON:
		p.PrintJSON(map[string]any{"configurations": list}, "configurations")
	case single:
		fmt.Fprintln(p.Out, list[0].Text)
	default:
		for _, c := range list {
			fmt.Fprintf(p.Out, "# %s %s\n%s\n\n", c.Name, c.File, c.Text)
		}
	}
}
