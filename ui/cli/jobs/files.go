package jobs

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
	"darkroom/ui/picture"
	"darkroom/ui/sheet"
)

// endedCommand does what is possible with ended jobs only.
func (p Run) endedCommand(use string, needs run.Needs, do func(context.Context, *state.Session, string) error) *cobra.Command {
	return p.Command(use, needs, func(ctx context.Context, s *state.Session, args []string) error {
		job, err := Find(ctx, s, args[0])
		switch {
		case err != nil:
			return err
		case job.Error == job.Elsewhere().Reason: // nobody waits for it
			return run.Because(job.Error)
		case job.Phase.Active() && len(job.Files) == 0:
			return run.Sentencef("still %s: run 'darkroom wait %s'", run.Phase(job.Phase), job.ID)
		}
		return do(ctx, s, job.ID)
	})
}

// cleaning is a file of a job, and why it stays where it is.
type cleaning struct {
	Job string `json:"job"`
	state.File
	Why  string `json:"why,omitempty"`
	name string // in the trash
}

func (p Run) cleanCommand() *cobra.Command {
	var words []string // of a filter
	var rejected, hidden, unpicked, yes, undo, all, empty bool
	cmd := p.Command("clean", run.Store, func(ctx context.Context, s *state.Session, _ []string) (err error) {
		for word, given := range map[string]bool{"is:rejected": rejected, "is:hidden": hidden, "is:unpicked": unpicked} {
			if given {
				words = append(words, word)
			}
		}
		if undo && empty || all && !undo || (len(words) > 0) == (undo || empty) {
			return run.Usagef("name the results with --rejected, --hidden, --not-picked or --older-than; or give --undo or --empty alone")
		}
		var t *state.Trash
		if yes || undo || empty {
			if t, err = state.OpenTrash(s.Settings().DataDir); err != nil {
				return err
			}
			defer t.Close()
		}
		var files []cleaning
		if undo || empty {
			newest := "" // the step that was done last
			err = t.Each(ctx, func(name, step, id string, which func([]state.File) (state.File, bool)) {
				job, err := s.Job(ctx, id)
				file, found := which(job.Files)
				if err == nil && job.ID == id && found && (empty || all || newest == "" || step == newest) {
					newest = step
					files = append(files, cleaning{Job: id, File: file, name: name})
				}
			})
		} else {
			files, err = chosen(ctx, s, strings.Join(words, " "))
		}
		if err != nil {
			return err
		}
		put, look := func(c cleaning) error { return t.Put(ctx, c.Job, c.File) }, func(cleaning) error { return nil }
		switch {
		case len(files) == 0 && !p.JSON && (undo || empty):
			p.Remark("the trash has no results")
		case len(files) == 0 && !p.JSON:
			p.Remark("no file matches")
		case undo:
			p.cleanEach(ctx, files, "%s, %.1f MB put back", func(c cleaning) error { return t.Restore(ctx, c.File, c.name) })
		case empty && yes:
			p.cleanEach(ctx, files, "%s, %.1f MB deleted", func(c cleaning) error { return t.Delete(ctx, c.File, c.name) })
		case empty:
			p.cleanEach(ctx, files, "%s, %.1f MB in the trash: --yes deletes them", look)
		case yes:
			p.cleanEach(ctx, files, "%s, %.1f MB moved into the trash: --undo puts them back, --empty --yes deletes them", put)
		default:
			p.cleanEach(ctx, files, "%s, %.1f MB: --yes moves them into the trash, --undo puts them back", look)
		}
		return nil
	})
	flags := cmd.Flags()
	flags.BoolVar(&rejected, "rejected", false, "only results that you rejected")
	flags.BoolVar(&hidden, "hidden", false, "only results that you removed from the list")
	flags.BoolVar(&unpicked, "not-picked", false, "only results that are neither favourites nor rated")
	flags.Func("older-than", "only results of jobs from before that many days or weeks, such as 30d or 8w", func(text string) error {
		words = append(words, "older:"+text)
		if (state.Query{Filter: "older:" + text}).UnknownTerm() != "" || strings.Contains(text, " ") {
			return run.Usagef("--older-than: give a number of days or weeks, such as 30d or 8w")
		}
		return nil
	})
	flags.BoolVarP(&yes, "yes", "y", false, "do it: without it nothing is moved or deleted")
	flags.BoolVar(&undo, "undo", false, "put back what was moved last")
	flags.BoolVar(&all, "all", false, "with --undo: put back everything in the trash")
	flags.BoolVar(&empty, "empty", false, "delete what is in the trash")
	return p.JSONFlags(cmd, cleaning{})
}

// cleanEach does something with each file, and says what it did.
func (p Run) cleanEach(ctx context.Context, files []cleaning, said string, do func(cleaning) error) {
	var t run.Table
	sum := int64(0)
	for i := 0; i < len(files); i++ {
		c := &files[i]
		switch err := do(*c); {
		case err == nil:
			t.Add(strconv.FormatInt(c.Bytes, 10), api.OneLine(run.Lines(c.Path)))
			sum += c.Bytes
		case ctx.Err() != nil:
			files, p.ExitCode = files[:i], run.ExitFailed
		default:
			if c.Why, p.ExitCode = err.Error(), run.ExitFailed; !p.JSON {
				p.Notice(run.Sentencef("%s stays: %s", c.Path, err))
			}
		}
	}
	if n := len(t); p.JSON {
		p.PrintJSON(map[string]any{"files": append([]cleaning{}, files...), "count": n, "bytes": sum}, "files")
	} else {
		p.PrintTable(t, "bytes", "file")
		p.Remark(said, p.Count(n, "%d file", "%d files"), float64(sum)/1e6)
	}
}

// chosen are the files of ended jobs that match a filter, also of hidden ones, as far as
// they are there with their size.
func chosen(ctx context.Context, s *state.Session, filter string) (files []cleaning, err error) {
	for _, hidden := range []string{"", " is:hidden"} {
		err = cmp.Or(err, s.EachJob(ctx, state.Query{Filter: filter + hidden}, func(job state.Job) error {
			for _, file := range job.Files {
				info, err := os.Lstat(file.Path)
				if err == nil && info.Mode().IsRegular() && info.Size() == file.Bytes && !job.Phase.Active() && job.Hidden == (hidden != "") {
					files = append(files, cleaning{Job: job.ID, File: file})
				}
			}
			return nil
		}))
	}
	return files, err
}

func (p Run) exportCommand() *cobra.Command {
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
			p.Notice(Gone(name))
		}
		if len(list.Rows) == 0 {
			p.Remark("the page is empty: no job with results matches")
		}
		return p.PrintResult(page.Index(),
			map[string]any{"index": page.Index(), "jobs": page.Jobs, "files": page.Files, "missing": len(page.Missing)})
	})
	cmd.Flags().StringVar(&dir, "html", "", "the folder; made when it is missing")
	QueryFlags(cmd, &q, "maximum number of jobs (default all)")
	return p.JSONFlags(cmd, "index", "jobs", "files", "missing")
}

// joinCommand writes the first files of jobs behind each other into a new file, which is
// whole or not there.
func (p Run) joinCommand() *cobra.Command {
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
			job, err := Find(ctx, s, id)
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
				p.Remark("the clips differ in codec, size, frame rate or audio: they are re-encoded")
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
		return p.PrintResult(to, map[string]any{"path": to, "clips": len(paths), "seconds": seconds, "encoded": encoded})
	})
	cmd.Flags().StringVarP(&to, "output", "o", "", "the new FILE, an MP4; nothing is overwritten")
	return p.JSONFlags(cmd, "path", "clips", "seconds", "encoded")
}
