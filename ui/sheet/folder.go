package sheet

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"darkroom/api"
	"darkroom/state"
)

// Reasons why a folder cannot take a sheet.
var (
	whyOther   = api.Sentence("%v holds other files: name a new or empty folder, or one of an earlier export")
	whyForeign = api.Sentence("%v holds a page that darkroom did not write: name a new or empty folder, or one of an earlier export")
)

// Open opens a folder, which must be new, empty, or an earlier export.
func Open(dir string, w Words) (*Sheet, error) {
	unusable := func(err error) error {
		return api.Sentence("the folder %v cannot be used: %v").Fault(err, api.Clean(dir, 4096), api.Clean(api.WithoutPath(err).Error(), 200))
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, unusable(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unusable(err)
	}
	why, err := foreign(root)
	if why == nil && err == nil {
		err = root.MkdirAll(files, 0o755)
	}
	if why == nil && err == nil {
		return &Sheet{words: w, dir: dir, root: root}, nil
	}
	_ = root.Close()
	if why != nil {
		return nil, why.Fault(nil, api.Clean(dir, 4096))
	}
	return nil, unusable(err)
}

// foreign is why a folder is neither empty nor an earlier export, if so.
func foreign(root *os.Root) (*api.Sentence, error) {
	names, err := fs.ReadDir(root.FS(), ".")
	if err != nil || len(names) == 0 {
		return nil, err
	}
	there, err := root.Open(page)
	if err != nil {
		return &whyOther, nil
	}
	defer func() { _ = there.Close() }()
	start, err := io.ReadAll(io.LimitReader(there, 512))
	if err == nil && !bytes.Contains(start, []byte(mark)) {
		return &whyForeign, nil
	}
	return nil, err
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
