package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"darkroom/api"
)

const whyCopyThere = api.Sentence("there is a file of that name already")

// SaveAs copies a result file to a path or into a folder that exists, and
// returns the path of the copy. The copy is whole or not there; nothing is
// overwritten. A name without an ending gets that of the file. Errors are
// *Error.
func SaveAs(ctx context.Context, path, to string) (string, error) {
	if err := openable(path); err != nil {
		return "", err
	}
	err := CheckCopy(to)
	if err == nil {
		if info, serr := os.Stat(to); serr == nil && info.IsDir() {
			to = filepath.Join(to, filepath.Base(path))
		} else if to = filepath.Clean(to); filepath.Ext(to) == "" {
			to += filepath.Ext(path)
		}
		err = copyNew(ctx, path, to)
	}
	if err == nil {
		return to, nil
	}
	why := api.ReasonOf(api.WithoutPath(err))
	switch {
	case errors.Is(err, fs.ErrExist):
		why = whyCopyThere.Reason()
	case errors.Is(err, fs.ErrPermission):
		why = api.Sentence("no permission").Reason()
	}
	return "", &Error{Reason: api.Sentence("%v could not be written: %v").Reason(to, why), Cause: err}
}

// CheckCopy reports why nothing can be copied to a path or into a folder, as far
// as that is known before there is a file.
func CheckCopy(to string) error {
	if !filepath.IsAbs(to) || strings.ContainsRune(to, 0) {
		return api.Sentence("name a folder or a file by its whole path").Fault(nil)
	}
	info, err := os.Stat(to)
	if err == nil && !info.IsDir() {
		return whyCopyThere.Fault(nil)
	}
	if above, aerr := os.Stat(filepath.Dir(to)); err != nil && (aerr != nil || !above.IsDir()) {
		return api.Sentence("there is no such folder").Fault(nil)
	}
	return nil
}

// copyNew copies a file to a name that is free. What was begun is removed when
// it cannot be finished.
func copyNew(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, contextReader{ctx, in})
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}
