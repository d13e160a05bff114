// Package sheet makes a contact sheet of results: one page of HTML that needs
// nothing but its folder, without scripts and network.
package sheet

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/words"
)

const (
	page  = "index.html"
	files = "files"
	mark  = `<meta name="generator" content="darkroom">`
)

// Sheet is a contact sheet in the making.
type Sheet struct {
	words   *words.Words
	dir     string
	root    *os.Root
	text    bytes.Buffer
	Jobs    int // that it shows
	Files   int
	Missing []string // paths of results that are not there any more
}

func (w *Sheet) Index() string { return filepath.Join(w.dir, page) }

func (w *Sheet) Close() error { return w.root.Close() }

type Reader func(ctx context.Context, id string) (state.Job, error)

// Write makes the page of the results of rows, in their order. Variations of one
// sending that follow each other stand as a grid.
func (w *Sheet) Write(ctx context.Context, rows []state.Row, read Reader, now time.Time) error {
	said := strings.NewReplacer("${lang}", w.words.Lang, "${mark}", mark, "${title}", w.words.Say("Contact sheet"),
		"${date}", now.Format(time.DateOnly))
	w.text.WriteString(said.Replace(head))
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Agreement != "" && rows[n].Agreement == rows[0].Agreement {
			n++
		}
		if err := w.group(ctx, rows[:n], read); err != nil {
			return err
		}
		rows = rows[n:]
	}
	w.text.WriteString("</main>\n</body></html>\n")
	return w.replace(page, &w.text)
}

// group writes results that were sent as one, or a single one.
func (w *Sheet) group(ctx context.Context, rows []state.Row, read Reader) error {
	axis := expand.Axis(api.Map(rows, func(r state.Row) string { return r.Label }))
	if len(rows) > 1 {
		columns := "auto-fill, minmax(12em, 1fr)"
		if len(axis) > 1 {
			columns = fmt.Sprintf("%d, minmax(10em, 1fr)", len(axis))
		}
		fmt.Fprintf(&w.text, "<section style=\"grid-template-columns: repeat(%s)\">\n", columns)
		defer w.text.WriteString("</section>\n")
	}
	line, before := 0, ""
	for i, row := range rows {
		job, err := read(ctx, row.ID)
		if err != nil {
			return err
		}
		place := ""
		if first, last := expand.SplitLabel(row.Label); len(rows) > 1 && len(axis) > 1 {
			if i == 0 || first != before {
				line, before = line+1, first
			}
			place = fmt.Sprintf(` style="grid-area: %d / %d"`, line, slices.Index(axis, last)+1)
		}
		if err := w.add(ctx, job, place, row.Label); err != nil {
			return err
		}
	}
	return nil
}

// head is the beginning of the page: one column of figures per 18 em, in the colours that
// the reader's system asks for.
//
//go:embed head.html
var head string

// add copies a job's files and shows each with the prompt and what was asked;
// of a variation, with what tells it from the others.
func (w *Sheet) add(ctx context.Context, job state.Job, place, label string) error {
	caption := "<div>" + html.EscapeString(api.CleanLines(job.Request.Prompt, len(job.Request.Prompt)+1).String()) + "</div>"
	if label != "" {
		caption = "<b>" + html.EscapeString(label) + "</b>" + caption
	}
	said := api.Map(job.Request.Said(w.words.Say), html.EscapeString)
	if job.Estimate.Known() {
		said = append(said, w.words.Reason(job.Estimate.Credits.Amount()))
	}
	said = append(said, job.CreatedAt.Local().Format("2006-01-02 15:04"))
	facts := "<span>" + strings.Join(said, "</span> · <span>") + "</span>"
	figures := ""
	for _, f := range job.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := filepath.Base(f.Path)
		err := w.copy(f, name)
		if errors.Is(err, fs.ErrNotExist) {
			w.Missing = append(w.Missing, f.Path)
			continue
		}
		if err != nil {
			return err
		}
		w.Files++
		at, alt := files+"/"+url.PathEscape(name), html.EscapeString(job.Title)
		figures += "<figure>"
		switch {
		case strings.HasPrefix(f.MediaType, "image/"):
			figures += fmt.Sprintf(`<a href="%s"><img loading="lazy" src="%s" alt="%s"></a>`, at, at, alt)
		case strings.HasPrefix(f.MediaType, "video/"):
			// The fragment makes browsers show a frame before it is played.
			figures += fmt.Sprintf(`<video controls preload="metadata" src="%s#t=0.1" title="%s"></video>`, at, alt)
		default:
			figures += fmt.Sprintf(`<a class="file" href="%s">%s</a>`, at, html.EscapeString(name))
		}
		figures += fmt.Sprintf("<figcaption>%s<p>%s</p></figcaption></figure>\n", caption, facts)
	}
	if figures != "" {
		fmt.Fprintf(&w.text, "<div class=\"job\"%s>%s</div>\n", place, figures)
		w.Jobs++
	}
	return nil
}

// Open opens a folder, which must be new, empty, or an earlier export.
func Open(dir string, w *words.Words) (*Sheet, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	s := &Sheet{words: w, dir: dir}
	if err == nil {
		s.root, err = os.OpenRoot(dir)
	}
	if err == nil {
		if err = s.refusal(); err == nil {
			return s, nil
		}
		_ = s.Close()
	}
	if _, said := errors.AsType[*api.Fault](err); said {
		return nil, err
	}
	return nil, api.Sentence("the folder %v cannot be used: %v").Fault(err, api.Clean(dir, 4096), api.Clean(api.WithoutPath(err).Error(), 200))
}

// refusal is why the folder cannot be written to, such as when it is neither empty nor an earlier export.
func (w *Sheet) refusal() error {
	names, err := fs.ReadDir(w.root.FS(), ".")
	if err == nil && len(names) > 0 {
		why, start := api.Sentence("%v holds other files: name a new or empty folder, or one of an earlier export"), []byte(nil)
		if there, _, unread := api.OpenRegular(w.Index()); unread == nil {
			why = api.Sentence("%v holds a page that darkroom did not write: name a new or empty folder, or one of an earlier export")
			start, err = io.ReadAll(io.LimitReader(there, 512))
			_ = there.Close()
		}
		if err == nil && !bytes.Contains(start, []byte(mark)) {
			return why.Fault(nil, api.Clean(w.dir, 4096))
		}
	}
	if err == nil && len(names) == 0 { // an export that is interrupted can be repeated
		err = w.replace(page, strings.NewReader(mark))
	}
	if err == nil {
		err = w.root.MkdirAll(files, 0o755)
	}
	return err
}

// copy puts a result next to the page, whole or not at all. One that is there
// in its full length already is not copied again: names hold the job's id.
func (w *Sheet) copy(f state.File, name string) error {
	info, err := os.Lstat(f.Path) // a link could lead to any other file
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	from, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to := filepath.Join(files, name)
	if there, err := w.root.Lstat(to); err == nil && there.Mode().IsRegular() && there.Size() == info.Size() {
		return nil
	}
	return w.replace(to, from)
}

// replace writes a file under another name first, so that what stands there
// stays until the new one is whole.
func (w *Sheet) replace(name string, from io.Reader) error {
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
