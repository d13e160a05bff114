package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"darkroom/state"
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/run"
	"darkroom/ui/sheet"
)

func (p *commands) exportCommand() *cobra.Command {
	dir, q := "", state.Query{Results: true}
	cmd := p.Command("export --html DIR", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		return p.export(ctx, s, dir, q)
	})
	cmd.Flags().StringVar(&dir, "html", "", "the folder; made when it is missing")
	jobs.QueryFlags(cmd, &q, "maximum number of jobs (default all)")
	return p.JSONFlags(cmd, "index", "jobs", "files", "missing")
}

func (p *commands) export(ctx context.Context, s *state.Session, dir string, q state.Query) error {
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
		p.Notice(run.Sentencef("%s is not there any more: 'darkroom fetch' gets it again while its link lasts", name))
	}
	if p.JSON {
		p.PrintJSON(map[string]any{"index": page.Index(), "jobs": page.Jobs, "files": page.Files, "missing": len(page.Missing)})
		return nil
	}
	fmt.Fprintln(p.Out, page.Index())
	return nil
}
