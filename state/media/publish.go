package media

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"darkroom/api"
	"darkroom/state/store"
)

// maxSameName bounds how many other files may have a result's name.
const maxSameName = 100

// errTakenAway: the part was removed, or is another window's by now.
var errTakenAway = &Error{Reason: api.Sentence("the file on its way was taken away: fetch again").Reason()}

// publish syncs the part and gives it its own name, never over another file.
// The part's name is gone when it returns without an error.
func (f *Fetcher) publish(root *os.Root, p *part, w Want) (store.File, error) {
	t := sniff(p.head)
	if err := p.file.Sync(); err != nil {
		return store.File{}, f.diskError(whyNotTaken, err)
	}
	if _, ok := sameFile(root, p.name, p.file); !ok {
		return store.File{}, errTakenAway
	}
	name, err := giveName(root, p, f.names, w, t.ext)
	if err != nil {
		return store.File{}, f.diskError(whyNotTaken, err)
	}
	syncDir(root)
	return f.saved(p, name, w, t), nil
}

// saved is the file of a name that has what went through the part.
func (f *Fetcher) saved(p *part, name string, w Want, t mediaType) store.File {
	return store.File{Path: filepath.Join(f.dir, name), URL: w.Result.URL, MediaType: t.name, Bytes: p.size, SHA256: p.hash()}
}

// giveName links the part to the name, or to the next free one like it when a
// file of other origin has the name.
func giveName(root *os.Root, p *part, names string, w Want, ext string) (string, error) {
	for copies := range maxSameName {
		name := fileName(names, w, copies, ext)
		err := publishAs(root, p, name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	why := api.Sentence("too many files have the name %v: move them away and fetch again")
	return "", &Error{Reason: why.Reason(fileName(names, w, 0, ext))}
}

// publishAs gives the part a final name, which replaces nothing: a link cannot,
// and where the file system has none it is looked for first. The windows of darkroom
// exclude each other by the part's lock, and no other program makes such names.
func publishAs(root *os.Root, p *part, name string) error {
	err := root.Link(p.name, name)
	switch {
	case err == nil:
		if _, ok := sameFile(root, name, p.file); !ok { // this process was stopped before the link, and the part taken over
			_ = root.Remove(name)
			return errTakenAway
		}
		// A kill right here leaves two names for one whole file; the next
		// fetch removes the part's.
		_ = root.Remove(p.name)
		return nil
	case errors.Is(err, fs.ErrExist), full(err):
		return err
	}
	if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fs.ErrExist)
	}
	return root.Rename(p.name, name)
}

// published finds the file that this job and number already has, whatever its
// date, title and type: one with the content that is known, or without such
// knowledge one that is not cut short. Empty files are not results.
func (f *Fetcher) published(ctx context.Context, root *os.Root, w Want) (store.File, bool, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return store.File{}, false, f.diskError(whyNotRead, err)
	}
	for _, e := range entries {
		stem, ok := resultStem(e.Name())
		if !ok || !strings.HasSuffix(stem, nameEnd(w.Job, w.N)) || strings.HasPrefix(stem, ".") || !e.Type().IsRegular() {
			continue
		}
		file, whole, err := f.describe(ctx, root, e.Name(), w)
		if err != nil {
			return store.File{}, false, f.diskError(whyNotRead, err)
		}
		if whole && file.Bytes > 0 && (w.Known.SHA256 == "" || w.Known.SHA256 == file.SHA256) {
			return file, true, nil
		}
	}
	return store.File{}, false, nil
}

// Intact reports whether a saved file is still on the disk with the content that
// it was saved with.
func Intact(ctx context.Context, f store.File) bool {
	file, err := os.Open(f.Path)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != f.Bytes {
		return false
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, contextReader{ctx, file}); err != nil {
		return ctx.Err() != nil // the caller has given up
	}
	return f.SHA256 == hex.EncodeToString(sum.Sum(nil))
}

// describe reads a file of ours again and reports whether its end is there.
func (f *Fetcher) describe(ctx context.Context, root *os.Root, name string, w Want) (store.File, bool, error) {
	file, err := root.Open(name)
	if err != nil {
		return store.File{}, false, err
	}
	defer file.Close()
	p := &part{file: file, sum: sha256.New()}
	if _, err := io.Copy(recorder{p}, contextReader{ctx, file}); err != nil {
		return store.File{}, false, err
	}
	t := sniff(p.head)
	return f.saved(p, name, w, t), !cutShort(file, p.size, t.ext), nil
}

// contextReader ends a long read of a file with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// syncDir makes a new name last; not every system can.
func syncDir(root *os.Root) {
	if d, err := root.Open("."); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
