package media

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"darkroom/api"
)

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
