// Package export writes a contact sheet of results.
package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// run is a run of the command.
type run struct{ *program.Program }

// Command makes a contact sheet of results.
func Command(one *program.Program) *cobra.Command {
	p := run{one}
	var dir, filter string
	var limit int
	cmd := &cobra.Command{
		Use:   "export --html DIR",
		Short: "Make a contact sheet of results: one page in a folder of its own",
		Long: "Writes DIR/index.html and copies the results it shows into DIR/files, newest first. " +
			"The page has no scripts and makes no requests. A folder that holds anything else is refused; " +
			"an earlier export is brought up to date.",
		Args: program.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return say.Usagef("--html: name the folder for the contact sheet")
			}
			return p.With(cmd.Context(), false, func(s *state.Session) error {
				return p.export(cmd.Context(), s, dir, filter, limit)
			})
		},
	}
	cmd.Flags().StringVar(&dir, "html", "", "the folder; made when it is missing")
	cmd.Flags().StringVar(&filter, "filter", "", "only jobs that match, such as 'is:picked stars:>=4 since:7d boat'")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many jobs; default: all")
	p.JSONFlags(cmd)
	return cmd
}

const (
	sheetPage  = "index.html"
	sheetFiles = "files"
	sheetMark  = `<meta name="generator" content="darkroom">`
)

func (p run) export(ctx context.Context, s *state.Session, dir, filter string, limit int) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return say.Usagef("--html: %s", say.FileError(err))
	}
	root, err := openSheet(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	page := sheet{p: p, root: root}
	page.head(time.Now())
	err = s.EachJob(ctx, state.Query{Filter: filter}, func(job state.Job) error {
		if limit > 0 && page.jobs == limit {
			return nil
		}
		return page.add(ctx, job)
	})
	if err == nil {
		err = page.write()
	}
	if err != nil {
		return say.Sentencef("the contact sheet was not finished: %s", say.FileError(err))
	}
	for _, name := range page.missing {
		p.Notice(say.Sentencef("%s is not there any more: 'darkroom fetch' gets it again while its link lasts", say.Verbatim(api.Clean(name, 4096).String())))
	}
	if page.jobs == 0 {
		p.Remark("the contact sheet is empty: no job that matches has a result")
	}
	index := filepath.Join(dir, sheetPage)
	if p.JSON {
		p.PrintJSON(map[string]any{"index": index, "jobs": page.jobs, "files": page.files, "missing": len(page.missing)})
		return nil
	}
	fmt.Fprintf(p.Out, "%s\n", index)
	return nil
}

// openSheet opens the folder, which must be new, empty, or an earlier export.
func openSheet(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, say.Usagef("--html: the folder cannot be made: %s", say.FileError(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, say.Usagef("--html: %s", say.FileError(err))
	}
	if err := ours(root); err != nil {
		_ = root.Close()
		return nil, say.Usagef("--html: %s %s: name a new or empty folder, or one of an earlier export", say.Verbatim(dir), err)
	}
	if err := root.Mkdir(sheetFiles, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		_ = root.Close()
		return nil, say.Usagef("--html: %s", say.FileError(err))
	}
	return root, nil
}

func ours(root *os.Root) error {
	names, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return nil
	}
	page, err := root.Open(sheetPage)
	if err != nil {
		return say.Sentencef("holds other files")
	}
	defer func() { _ = page.Close() }()
	start, err := io.ReadAll(io.LimitReader(page, 512))
	if err != nil {
		return err
	}
	if !bytes.Contains(start, []byte(sheetMark)) {
		return say.Sentencef("holds a page that darkroom did not write")
	}
	return nil
}

// sheet is a contact sheet in the making.
type sheet struct {
	p       run
	root    *os.Root
	text    bytes.Buffer
	jobs    int
	files   int
	missing []string // paths of results that are not there any more
}

// head begins the page: one column of figures per 18 em, in the colours that
// the reader's system asks for.
func (w *sheet) head(now time.Time) {
	w.text.WriteString(`<!doctype html>
<html lang="` + w.p.Words.Lang() + `"><head><meta charset="utf-8">` + sheetMark + `
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>` + w.p.Say("Contact sheet") + ` · ` + now.Format(time.DateOnly) + `</title>
<style>
:root { color-scheme: light dark; --text: light-dark(#1c1c1c, #e6e6e6); --soft: light-dark(#666, #999); --page: light-dark(#fbfbf8, #14161b); --frame: light-dark(#e7e5df, #23262d); }
body { margin: 0; padding: 2rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1rem; font-weight: 600; margin: 0 0 1.5rem; }
h1 span, figcaption p { color: var(--soft); font-weight: 400; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(18em, 1fr)); gap: 2rem 1.5rem; align-items: start; }
figure { margin: 0; }
figure > a, figure > video { display: block; background: var(--frame); border-radius: 4px; overflow: hidden; }
img, video { display: block; width: 100%; height: 16em; object-fit: contain; }
figure > a.file { padding: 2rem 1rem; color: inherit; overflow-wrap: anywhere; }
figcaption { margin-top: .5rem; }
figcaption div { white-space: pre-wrap; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; }
figcaption div:hover { -webkit-line-clamp: none; }
figcaption span { white-space: nowrap; }
figcaption p { margin: .25rem 0 0; font-size: .85em; font-variant-numeric: tabular-nums; }
@media print { body { padding: 0; } figure { break-inside: avoid; } }
</style></head><body>
<h1>` + w.p.Say("Contact sheet") + ` <span>` + now.Format(time.DateOnly) + `</span></h1>
<main>
`)
}

// add copies a job's files and shows each with the prompt and what was asked.
func (w *sheet) add(ctx context.Context, job state.Job) error {
	caption := html.EscapeString(api.CleanLines(job.Request.Prompt, len(job.Request.Prompt)+1).String())
	facts := "<span>" + strings.Join(w.facts(job), "</span> · <span>") + "</span>"
	shown := false
	for _, f := range job.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := filepath.Base(f.Path)
		err := w.copy(f, name)
		if errors.Is(err, fs.ErrNotExist) {
			w.missing = append(w.missing, f.Path)
			continue
		}
		if err != nil {
			return err
		}
		shown = true
		w.files++
		at, alt := sheetFiles+"/"+url.PathEscape(name), html.EscapeString(job.Title)
		w.text.WriteString("<figure>")
		switch {
		case strings.HasPrefix(f.MediaType, "image/"):
			fmt.Fprintf(&w.text, `<a href="%s"><img loading="lazy" src="%s" alt="%s"></a>`, at, at, alt)
		case strings.HasPrefix(f.MediaType, "video/"):
			// The fragment makes browsers show a frame before it is played.
			fmt.Fprintf(&w.text, `<video controls preload="metadata" src="%s#t=0.1" title="%s"></video>`, at, alt)
		default:
			fmt.Fprintf(&w.text, `<a class="file" href="%s">%s</a>`, at, html.EscapeString(name))
		}
		fmt.Fprintf(&w.text, "<figcaption><div>%s</div><p>%s</p></figcaption></figure>\n", caption, facts)
	}
	if shown {
		w.jobs++
	}
	return nil
}

// facts are what a job was asked for, what it cost and when it was made, as
// HTML.
func (w *sheet) facts(job state.Job) []string {
	r := job.Request
	var facts []string
	for _, fact := range []string{job.Model, r.VideoModel, r.Size, r.Quality, r.Resolution, r.AspectRatio} {
		if fact != "" {
			facts = append(facts, html.EscapeString(output.ID(fact)))
		}
	}
	if r.Duration != "" {
		facts = append(facts, w.p.Say("%s s", html.EscapeString(output.ID(r.Duration))))
	}
	if r.Seed != nil {
		facts = append(facts, w.p.Say("seed %d", *r.Seed))
	}
	if job.Estimate.Known() {
		facts = append(facts, w.p.Sentence(say.Credits(job.Estimate.Credits)))
	}
	return append(facts, job.CreatedAt.Local().Format("2006-01-02 15:04"))
}

// copy puts a result beside the page, whole or not at all. One that is there
// in its full length already is not copied again: names hold the job's id.
func (w *sheet) copy(f state.File, name string) error {
	from, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	to := filepath.Join(sheetFiles, name)
	if there, err := w.root.Lstat(to); err == nil && there.Mode().IsRegular() && there.Size() == info.Size() {
		return nil
	}
	return w.replace(to, from)
}

func (w *sheet) write() error {
	w.text.WriteString("</main>\n</body></html>\n")
	return w.replace(sheetPage, &w.text)
}

// replace writes a file under another name first, so that what stands there
// stays until the new one is whole.
func (w *sheet) replace(name string, from io.Reader) error {
	part := name + ".part"
	to, err := w.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err == nil {
		err = w.root.Rename(part, name)
	}
	if err != nil {
		_ = w.root.Remove(part)
	}
	return err
}
