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

// SaveAs copies a result file to a path or into a folder that exists, and
// returns the path of the copy. The copy is whole or not there; nothing is
// overwritten. A name without an ending gets that of the file. Errors are
// *Error.
func SaveAs(ctx context.Context, path, to string) (string, error) {
	if err := openable(path); err != nil {
		return "", err
	}
	if to == "" || !filepath.IsAbs(to) || strings.ContainsRune(to, 0) {
		return "", &Error{Reason: whyCopyPath.Reason(), Final: true}
	}
	to = filepath.Clean(to)
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, filepath.Base(path))
	} else if filepath.Ext(to) == "" {
		to += filepath.Ext(path)
	}
	if err := copyNew(ctx, path, to); err != nil {
		why := api.ReasonOf(api.WithoutPath(err))
		switch {
		case errors.Is(err, fs.ErrExist):
			why = whyCopyThere.Reason()
		case errors.Is(err, fs.ErrNotExist):
			why = whyCopyFolder.Reason()
		case errors.Is(err, fs.ErrPermission):
			why = whyCopyDenied.Reason()
		}
		return "", &Error{Reason: whyCopy.Reason(to, why), Cause: err}
	}
	return to, nil
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
