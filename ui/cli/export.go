package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/run"
	"darkroom/ui/picture"
	"darkroom/ui/sheet"
)

func (p *commands) exportCommand() *cobra.Command {
	dir, q := "", state.Query{Results: true}
	cmd := p.Command("export --html DIR", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		if dir == "" {
			return run.Usagef("--html: name the folder for the contact sheet")
		}
		q.Limit = cmp.Or(q.Limit, math.MaxInt)
		list, err := s.Jobs(ctx, q)
		if err != nil {
			return err
		}
		page, err := sheet.Open(dir, p.Words)
		if err != nil {
			return run.Usagef("--html: %s", err)
		}
		defer func() { _ = page.Close() }()
		if err := page.Write(ctx, list.Rows, s.Job, time.Now()); err != nil {
			return run.Sentencef("the contact sheet was not finished: %s", run.FileError(err))
		}
		for _, name := range page.Missing {
			p.Notice(jobs.Gone(name))
		}
		if len(list.Rows) == 0 {
			p.Remark("the page is empty: no job with results matches")
		}
		if !p.JSON {
			fmt.Fprintln(p.Out, page.Index())
			return nil
		}
		p.PrintJSON(map[string]any{"index": page.Index(), "jobs": page.Jobs, "files": page.Files, "missing": len(page.Missing)})
		return nil
	})
	cmd.Flags().StringVar(&dir, "html", "", "the folder; made when it is missing")
	jobs.QueryFlags(cmd, &q, "maximum number of jobs (default all)")
	return p.JSONFlags(cmd, "index", "jobs", "files", "missing")
}

// addCompletion gives arguments and flags the values that a shell can offer. They
// come from the spec and from the store, never from the network.
func (p *commands) addCompletion(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	job, jobs, fixed := p.offer(1, p.jobValues), p.offer(math.MaxInt, p.jobValues), cobra.ShellCompDirectiveNoFileComp
	files := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	arguments := map[string]cobra.CompletionFunc{
		"darkroom job": job, "darkroom open": job, "darkroom fetch": job, "darkroom join": jobs, "darkroom wait": jobs,
		"darkroom tools call": p.offer(1, toolValues), "darkroom edit": files,
	}
	flags := map[string]cobra.CompletionFunc{
		"output": files, "html": files,
		"budget": cobra.FixedCompletions([]string{"today"}, fixed),
		"model":  p.offer(math.MaxInt, modelValues),
	}
	for _, field := range append(api.Settings(""), api.FieldNamed(api.FieldFunctionMode)) {
		// The values are those that the spec allows, or that the models of the kind list; of
		// the model alone when the command line names one.
		flags[field.Flag()] = p.offer(math.MaxInt, func(cmd *cobra.Command, s *state.Session) []string {
			all := slices.Clone(field.Values)
			if field.Name == api.FieldResolution {
				tier, _ := cmd.Flags().GetString("video-model")
				all = api.Resolutions(tier)
			}
			model, _ := cmd.Flags().GetString("model")
			for _, m := range s.KnownModels(cmd.Context()).Models {
				if p, ok := m.Parameter(field.Name); ok && asksFor(cmd, m.Kind) && (model == "" || m.ID == model) {
					all = append(all, p.Values...)
				}
			}
			return all
		})
	}
	for _, cmd := range run.CommandsBelow(root) {
		if values, ok := arguments[cmd.CommandPath()]; ok {
			cmd.ValidArgsFunction = values
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if values, ok := flags[f.Name]; ok {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, values)
			}
		})
	}
}

// offer makes a completion of the first arguments, up to a number. Names come from
// the service, and a shell may insert what several have in common: only values that
// mean themselves in every shell, and are not a flag, are offered.
func (p *commands) offer(number int, read func(*cobra.Command, *state.Session) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, _ string) (found []string, how cobra.ShellCompDirective) {
		p.Quiet = true // nothing but values may be printed
		_ = p.With(cmd.Context(), run.Store, func(s *state.Session) error {
			if len(given) < number {
				found = read(cmd, s)
			}
			return nil
		})
		found = slices.DeleteFunc(found, func(text string) bool {
			value, _, _ := strings.Cut(text, "\t")
			useless := slices.Contains(given, value) || value == "" || value[0] == '-' || run.ID(value) != value
			given = append(given, value)
			return useless || strings.ContainsAny(value, "$`\\\"'|&;<>()*?[]{}!#~^%\ufffd")
		})
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func described(value, about string) string {
	return cobra.CompletionWithDesc(value, api.Clean(api.OneLine(about), 200).String())
}

func (p *commands) jobValues(cmd *cobra.Command, s *state.Session) []string {
	page, _ := s.Jobs(cmd.Context(), state.Query{Limit: 50})
	return api.Map(page.Rows, func(row state.Row) string {
		return described(row.ID, p.Sentence(run.Phase(row.Phase))+" · "+row.Title)
	})
}

func toolValues(cmd *cobra.Command, s *state.Session) (all []string) {
	for _, t := range s.KnownTools(cmd.Context()).Tools {
		all = append(all, described(t.Name, t.Title.String()))
	}
	return all
}

// asksFor reports whether the requests of a command may be for a model: one of
// their kind, or any where it makes none.
func asksFor(cmd *cobra.Command, kind api.Kind) bool {
	own := api.Kind(cmd.Name())
	return kind == own || !own.Known()
}

func modelValues(cmd *cobra.Command, s *state.Session) (all []string) {
	listed := slices.Clip(s.KnownModels(cmd.Context()).Models)
	for _, m := range append(listed, api.Model{ID: api.Seedance2, Kind: api.KindVideo}) {
		if m.Kind == "" || asksFor(cmd, m.Kind) {
			all = append(all, m.ID)
		}
	}
	return all
}

// joinCommand writes the first files of jobs behind each other into a new file, which is
// whole or not there.
func (p *commands) joinCommand() *cobra.Command {
	to := ""
	cmd := p.Command("join ID ID…", run.Store, func(ctx context.Context, s *state.Session, ids []string) error {
		if info, err := os.Stat(to); to == "" || err == nil && info.IsDir() {
			return run.Usagef("--output needs the name of a new file")
		}
		if filepath.Ext(to) == "" {
			to += ".mp4"
		}
		to, err := filepath.Abs(to)
		if err = cmp.Or(err, state.CheckCopy(to)); err != nil {
			return run.Usagef("--output %s: %s", to, err)
		}
		var paths []string
		for _, id := range ids {
			job, err := jobs.Find(ctx, s, id)
			if err != nil {
				return err
			}
			if len(job.Files) == 0 || !strings.HasPrefix(job.Files[0].MediaType, "video/") {
				return run.Usagef("job %s has no video", job.ID)
			}
			paths = append(paths, job.Files[0].Path)
		}
		loader, seconds, encoded := picture.NewLoader(false, state.OthersEnviron()...), 0.0, false
		err = state.NewFile(to, 0o644, func(path string) (err error) {
			seconds, err = loader.Join(ctx, paths, path, func() {
				encoded = true
				p.Remark("the clips differ in codec, size, rate or audio: they are encoded anew")
			})
			return err
		})
		switch {
		case ctx.Err() != nil && err != nil:
			return run.Sentencef("stopped; nothing was written")
		case err != nil:
			return err
		}
		p.Remark("%d clips, %.1f s", len(paths), seconds)
		if p.JSON {
			p.PrintJSON(map[string]any{"path": to, "clips": len(paths), "seconds": seconds, "encoded": encoded})
			return nil
		}
		fmt.Fprintln(p.Out, to)
		return nil
	})
	cmd.Flags().StringVarP(&to, "output", "o", "", "the new FILE, an MP4; nothing is overwritten")
	return p.JSONFlags(cmd, "path", "clips", "seconds", "encoded")
}
