package create

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"darkroom/state"
	"darkroom/ui/cli/run"
)

// copyTo is the whole name of the file or folder that results are copied to, checked before anything is paid.
func (f *generateFlags) copyTo(name string) (string, error) {
	switch {
	case name == "":
		return "", nil
	case !f.follow.Wait:
		return "", run.Usagef("--output needs the result: leave --no-wait out")
	}
	to, err := filepath.Abs(name)
	if info, serr := os.Stat(name); os.IsPathSeparator(name[len(name)-1]) || serr == nil && info.IsDir() {
		to += string(filepath.Separator) // it is meant as a folder
	}
	if err = cmp.Or(err, state.CheckCopy(to)); err != nil {
		return "", run.Unsent(run.Sentencef("--output %s: %s", name, err))
	}
	return to, nil
}

// taken reports whether a file that a result is copied to can be one of those before, and adds it.
// Without an extension it can be each that begins with its name.
func taken(outputs map[string]bool, to string) bool {
	if to == "" || os.IsPathSeparator(to[len(to)-1]) {
		return false
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(to)); err == nil {
		to = filepath.Join(folder, filepath.Base(to))
	}
	stem := strings.TrimSuffix(to, filepath.Ext(to))
	other, mark := stem, stem+"."
	if stem == to {
		other, mark = mark, to
	}
	found := outputs[to] || outputs[other]
	outputs[to], outputs[mark] = true, true
	return found
}

// copyAll copies the files of jobs to where --output names.
func (p Run) copyAll(ctx context.Context, s *state.Session, ids []string, all []item) (err error) {
	var left []error // what is said of results that are not saved yet, because --timeout has ended the wait
	for i, id := range ids {
		job, late := s.Job(ctx, id)
		to := all[i].output
		if to == "" || late != nil {
			err = cmp.Or(err, late)
			continue
		}
		if job.Phase.Active() {
			left = append(left, run.Sentencef("the result will not be copied to %s: copy the file that 'darkroom wait %s' saves", to, id))
		}
		err = cmp.Or(err, p.copyFiles(ctx, s, &job, to))
	}
	switch len(left) {
	case 0:
	case 1:
		p.Notice(left[0])
	default:
		p.Notice(run.Sentencef("%d results will not be copied: copy the files that 'darkroom wait ID…' saves", len(left)))
	}
	return err
}

// copyFiles copies a job's files to where --output names. Several files of one
// job are numbered; a number that another file has is left out.
func (p Run) copyFiles(ctx context.Context, s *state.Session, job *state.Job, to string) error {
	for n, number := 0, 1; n < len(job.Files); number++ {
		name := to
		if info, err := os.Stat(to); err != nil || !info.IsDir() {
			name = state.CopyName(to, number)
		}
		copied, err := s.Results().SaveAs(ctx, job.ID, n+1, name)
		switch {
		case err == nil:
			p.Remark("copied to %s", copied)
			n++
		case name == to || !errors.Is(err, fs.ErrExist):
			p.Notice(run.Sentencef("the result is saved, but not copied: %s", err))
			return run.Printed(run.ExitFailed)
		}
	}
	return nil
}
