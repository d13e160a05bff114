package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	if _, err := openable(path); err != nil {
		return "", err
	}
	if err := checkCopy(to); err != nil {
		return "", failed(err, whyUnwritten, to, whyNoCopy(err))
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, filepath.Base(path))
	} else if to = filepath.Clean(to); filepath.Ext(to) == "" {
		to += filepath.Ext(path)
	}
	return to, NewFile(to, 0o644, func(part string) error {
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := os.OpenFile(part, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, contextReader{ctx, in})
		return errors.Join(err, out.Close())
	})
}

func whyNoCopy(err error) api.Reason {
	switch {
	case errors.Is(err, fs.ErrExist):
		return whyCopyThere.Reason()
	case errors.Is(err, fs.ErrPermission):
		return api.Sentence("no permission").Reason()
	}
	return api.ReasonOf(api.WithoutPath(err))
}

// CheckCopy reports why a result of any type cannot be copied to a path or into a
// folder, or further ones to the next free numbers.
func CheckCopy(to string) error {
	if err := checkCopy(to); err != nil {
		return err
	}
	if err := probed(probe(to)); err != nil {
		return &api.Fault{Reason: whyNoCopy(err), Cause: err}
	}
	return nil
}

// probe makes a file where a copy will be, unless its name is taken or cannot be one.
func probe(to string) (*os.File, error) {
	folder := to
	if info, err := os.Stat(to); err != nil || !info.IsDir() {
		folder = filepath.Dir(to)
		for _, t := range append(mediaTypes[:], unknownType) {
			name := filepath.Clean(to)
			if filepath.Ext(to) == "" {
				name += t.ext
			}
			if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				return nil, cmp.Or(err, fs.ErrExist)
			}
		}
	}
	return os.CreateTemp(folder, probeName)
}

// CopyName is where result n of a job is copied to, from 1, when the first is
// copied to a path and nothing else has the name.
func CopyName(to string, n int) string {
	if n == 1 {
		return to
	}
	ext := filepath.Ext(to)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(to, ext), n, ext)
}

const (
	whyCopyThere = api.Sentence("a file with that name already exists")
	whyUnwritten = api.Sentence("%v could not be written: %v")
)

func checkCopy(to string) error {
	if !filepath.IsAbs(to) || strings.ContainsRune(to, 0) {
		return api.Sentence("enter the full path of a folder or file").Fault(nil)
	}
	info, err := os.Stat(to)
	if err == nil && !info.IsDir() {
		return whyCopyThere.Fault(fs.ErrExist)
	}
	if above, aerr := os.Stat(filepath.Dir(to)); err != nil && (aerr != nil || !above.IsDir()) {
		return api.Sentence("no such folder").Fault(nil)
	}
	return nil
}
