package media

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// NewFile makes a file that is whole or not there, whatever ends the process; it replaces
// nothing. fill writes to the path that the file has until it gets its name. Errors are *Error.
func NewFile(to string, mode fs.FileMode, fill func(path string) error) error {
	root, err := os.OpenRoot(filepath.Dir(to))
	if err == nil {
		defer root.Close()
		err = newFile(root, filepath.Base(to), mode, fill)
	}
	if _, ok := errors.AsType[*api.Fault](err); ok || err == nil {
		return err
	}
	return failed(err, whyUnwritten, to, whyNoCopy(err))
}

func newFile(root *os.Root, name string, mode fs.FileMode, fill func(path string) error) error {
	part := partMark + strings.ToValidUTF8(name[max(len(name)-200, 0):], "") + partEnd // where a file must have a name
	file, path, publish := unnamed(root, mode)
	if file == nil {
		p, err := openPart(root, part, false)
		if err != nil {
			return err
		}
		file, path, publish = p.file, filepath.Join(root.Name(), part), p.publishAs
	}
	defer file.Close()
	err := fill(path)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = publish(name)
	}
	if err != nil {
		removeSame(root, part, file)
	}
	return err
}

// SaveFrame saves a PNG out of a clip in the folder of results, under the clip's name with the
// time in it, and gives its path; one that is there already is not saved again.
func SaveFrame(dir, clip string, at time.Duration, png []byte) (path string, err error) {
	stem := strings.TrimSuffix(filepath.Base(clip), filepath.Ext(clip))
	return savePNG(filepath.Join(dir, fmt.Sprintf("%s-frame-%.2fs.png", stem, at.Seconds())), png)
}

// savePNG saves a picture under a name, or a longer one if another file has that; one that is
// there already is not saved again.
func savePNG(to string, png []byte) (path string, err error) {
	_ = os.MkdirAll(filepath.Dir(to), 0o700) // why it is not there is said below
	for n := 1; n == 1 || n < maxSameName && errors.Is(err, fs.ErrExist); n++ {
		path = CopyName(to, n)
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode().IsRegular() && info.Size() == int64(len(png)) {
			if there, rerr := os.ReadFile(path); rerr == nil && bytes.Equal(there, png) {
				return path, nil
			}
		}
		err = NewFile(path, 0o600, func(path string) error { return os.WriteFile(path, png, 0o600) })
	}
	return path, err
}
