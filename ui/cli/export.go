package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/sheet"
)

func (p *program) exportCommand() *cobra.Command {
	var dir, filter string
	var limit int
	cmd := &cobra.Command{
		Use:   "export --html DIR",
		Short: "Make a contact sheet of results: one page that needs nothing but its folder",
		Long: "Writes DIR/index.html and copies the results it shows into DIR/files, newest first.\n" +
			"The page has no scripts and asks no network. A folder that holds anything else is refused;\n" +
			"an earlier export is brought up to date.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return usage("--html: name the folder for the contact sheet")
			}
			return p.with(cmd.Context(), false, func(s *state.Session) error {
				return p.export(cmd.Context(), s, dir, filter, limit)
			})
		},
	}
	cmd.Flags().StringVar(&dir, "html", "", "the folder; made when it is missing")
	cmd.Flags().StringVar(&filter, "filter", "", "only jobs that match, such as \"is:picked stars:>=4 since:7d boat\"")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many jobs; default: all")
	p.jsonFlag(cmd)
	return cmd
}

func (p *program) export(ctx context.Context, s *state.Session, dir, filter string, limit int) error {
	all, _, err := allRows(ctx, s, filter, 0)
	if err != nil {
		return err
	}
	page, err := sheet.Open(dir, p.words)
	if err != nil {
		return usage("--html: %s", err)
	}
	defer func() { _ = page.Close() }()
	rows := slices.DeleteFunc(all, func(r state.Row) bool { return r.Files == 0 })
	if limit > 0 {
		rows = rows[:min(limit, len(rows))]
	}
	if err := page.Write(ctx, rows, s.Job, time.Now()); err != nil {
		return sentencef("the contact sheet was not finished: %s", fileError(err))
	}
	for _, name := range page.Missing {
		p.notice(sentencef("%s is not there any more: 'darkroom fetch' gets it again while its link lasts", verbatim(api.Clean(name, 4096).String())))
	}
	if p.json {
		p.printJSON(map[string]any{"index": page.Index(), "jobs": page.Jobs, "files": page.Files, "missing": len(page.Missing)})
		return nil
	}
	fmt.Fprintf(p.out, "%s\n", page.Index())
	return nil
}
