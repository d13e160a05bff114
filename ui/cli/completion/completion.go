// Package completion offers the values of arguments and flags in a shell.
package completion

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/state"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// completed is how many values a completion offers at most.
const completed = 50

// run is a run that offers values.
type run struct{ *program.Program }

// Add gives every command the values that a shell can offer for its
// arguments and flags. They come from the spec and from the store, never from
// the network.
func Add(one *program.Program, root *cobra.Command) {
	p := run{one}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	for _, cmd := range program.CommandsBelow(root) {
		switch cmd.CommandPath() {
		case "darkroom job", "darkroom open", "darkroom fetch":
			cmd.ValidArgsFunction = p.offer(1, p.jobValues)
		case "darkroom wait":
			cmd.ValidArgsFunction = p.offer(program.Many, p.jobValues)
		case "darkroom tools call":
			cmd.ValidArgsFunction = p.offer(1, toolValues)
		case "darkroom tools config":
			cmd.ValidArgsFunction = p.offer(1, clientValues)
		case "darkroom edit":
			cmd.ValidArgsFunction = filesOnly
		case "darkroom image", "darkroom estimate image":
			p.completeRequest(cmd, api.KindImage)
		case "darkroom video", "darkroom estimate video":
			p.completeRequest(cmd, api.KindVideo)
		case "darkroom prices":
			p.completeRequest(cmd, "")
		}
		for name, values := range fixed {
			if cmd.Flags().Lookup(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
					return values(), cobra.ShellCompDirectiveNoFileComp
				})
			}
		}
		for _, name := range []string{"output", "html", "explain"} {
			if cmd.Flags().Lookup(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, filesOnly)
			}
		}
	}
}

// fixed are the values of flags that are the same everywhere.
var fixed = map[string]func() []string{
	"kind":    func() []string { return []string{string(api.KindImage), string(api.KindVideo)} },
	"async":   func() []string { return []string{"true", "false", "omit"} },
	"budget":  func() []string { return []string{"today"} },
	"dialect": sim.Dialects,
}

func filesOnly(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// values reads what can be offered out of an open session.
type values func(*cobra.Command, *state.Session) []string

// offer makes a completion of the first most arguments.
func (p run) offer(most int, read values) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		p.Quiet = true // nothing but values may be printed
		_ = p.With(cmd.Context(), false, func(s *state.Session) error {
			found = read(cmd, s)
			return nil
		})
		found = slices.DeleteFunc(found, func(text string) bool {
			value, _, _ := strings.Cut(text, "\t")
			return slices.Contains(args, value) || !plain(value)
		})
		for i, text := range found {
			if value, about, described := strings.Cut(text, "\t"); described {
				found[i] = cobra.CompletionWithDesc(value, api.Clean(about, 200).String())
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// plain reports whether a value means itself in every shell and is no flag. Names
// come from the service, and a shell may put what several have in common into
// the line as it is.
func plain(value string) bool {
	return value != "" && value[0] != '-' && output.ID(value) == value && !strings.ContainsAny(value, "$`\\\"'|&;<>()*?[]{}!#~^%\ufffd")
}

func (p run) jobValues(cmd *cobra.Command, s *state.Session) []string {
	page, err := s.Jobs(cmd.Context(), state.Query{Limit: completed})
	if err != nil {
		return nil
	}
	var all []string
	for _, row := range page.Rows {
		all = append(all, cobra.CompletionWithDesc(row.ID, p.Sentence(say.Phase(row.Phase))+" · "+api.OneLine(row.Title)))
	}
	return all
}

func toolValues(cmd *cobra.Command, s *state.Session) []string {
	var all []string
	for _, t := range s.KnownTools(cmd.Context()).Tools {
		all = append(all, cobra.CompletionWithDesc(t.Name, api.OneLine(t.Title.String())))
	}
	return all
}

func clientValues(*cobra.Command, *state.Session) []string {
	var all []string
	for _, c := range state.ToolClients("") {
		all = append(all, cobra.CompletionWithDesc(c.Name, c.File))
	}
	return all
}

// completeRequest offers the values of a request's fields: what the spec
// allows, and what the last listing of models named; of every kind for "".
func (p run) completeRequest(cmd *cobra.Command, kind api.Kind) {
	cmd.ValidArgsFunction = cobra.NoFileCompletions // a prompt
	flag := func(name string, read values) {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, p.offer(program.Many, read))
		}
	}
	flag("model", func(cmd *cobra.Command, s *state.Session) []string {
		var all []string
		for _, m := range s.KnownModels(cmd.Context()).Models {
			if m.Kind == kind || m.Kind == "" || kind == "" {
				all = append(all, m.ID)
			}
		}
		if kind != api.KindImage && !slices.Contains(all, api.Seedance2) {
			all = append(all, api.Seedance2)
		}
		return all
	})
	for name, field := range map[string]string{
		"size": api.FieldSize, "quality": api.FieldQuality, "aspect-ratio": api.FieldAspectRatio, "ratio": api.FieldAspectRatio,
		"function-mode": api.FieldFunctionMode, "video-model": api.FieldVideoModel, "resolution": api.FieldResolution, "duration": api.FieldDuration,
	} {
		flag(name, func(cmd *cobra.Command, s *state.Session) []string { return fieldValues(cmd, s, kind, field) })
	}
}

// fieldValues are the values of a field that the spec allows, or that the models
// of the kind list; of the model alone when the command line names one.
func fieldValues(cmd *cobra.Command, s *state.Session, kind api.Kind, field string) []string {
	all := api.Choices(field)
	if field == api.FieldResolution {
		tier, _ := cmd.Flags().GetString("video-model")
		all = api.Resolutions(tier)
	}
	model, _ := cmd.Flags().GetString("model")
	for _, m := range s.KnownModels(cmd.Context()).Models {
		if kind != "" && m.Kind != kind || model != "" && m.ID != model {
			continue
		}
		if p, ok := m.Parameter(field); ok {
			for _, v := range p.Values {
				if !slices.Contains(all, v) {
					all = append(all, v)
				}
			}
		}
	}
	return all
}
