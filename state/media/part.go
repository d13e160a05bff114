package media

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"darkroom/api"
	"darkroom/state/store"
)

// part is a result on its way: a file locked for us alone, with the hash of
// what is in it. Nobody else removes or publishes it while the lock is held.
type part struct {
	root *os.Root
	name string
	file *os.File
	digest
}

// digest is what is known of the bytes that were written to it.
type digest struct {
	size int64
	sum  hash.Hash
	head []byte // the first sniffLen bytes
}

func newDigest() *digest { return &digest{sum: sha256.New()} }

func (d *digest) Write(b []byte) (int, error) {
	d.head = append(d.head, b[:min(sniffLen-len(d.head), len(b))]...)
	d.size += int64(len(b))
	return d.sum.Write(b)
}

func (d *digest) hash() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// ErrBusy says that another window holds the part of a result.
var ErrBusy = failed(nil, "another window is fetching this result")

// openPart makes the part file, or takes over the one that a killed process
// left. What an old one holds is kept until resume. One that another window
// holds is removed when takeOver is set; that window cannot publish it then.
func openPart(root *os.Root, name string, takeOver bool) (*part, error) {
	for range 8 {
		file, err := openOrMake(root, name)
		if err != nil {
			return nil, err
		}
		if file == nil {
			continue
		}
		if err := lockSoon(file); err != nil {
			_, there := sameFile(root, name, file)
			file.Close()
			if errors.Is(err, ErrBusy) && takeOver && there && root.Remove(name) == nil {
				continue
			}
			return nil, err
		}
		switch info, ok := sameFile(root, name, file); {
		case ok && store.FileNames(info) > 1:
			// Published already by a process that was killed before it could
			// remove this name: the bytes are those of a result, which is not changed.
			if err := root.Remove(name); err != nil {
				file.Close()
				return nil, err
			}
		case ok:
			_ = file.Chmod(0o600) // somebody else's may have had another mode
			return &part{root, name, file, *newDigest()}, nil
		}
		file.Close() // and between opening and locking another window may have removed it
	}
	return nil, ErrBusy
}

// lockSoon takes the file for us alone. Where a file system has no locks the
// store's leases are all there is.
func lockSoon(file *os.File) error {
	free, err := store.LockSoon(file)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err == nil && !free:
		return ErrBusy
	}
	return err
}

// openOrMake opens the file of a name, which it makes when there is none. It
// gives neither file nor error when the name has to be tried again.
func openOrMake(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return file, err
	}
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, root.Remove(name) // not ours; a link could lead to another file
	}
	file, err = root.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // removed meanwhile
	}
	return file, err
}

// sameFile reports whether the name still leads to the open file.
func sameFile(root *os.Root, name string, file *os.File) (fs.FileInfo, bool) {
	a, err := root.Lstat(name)
	if err != nil || !a.Mode().IsRegular() {
		return nil, false
	}
	b, err := file.Stat()
	return b, err == nil && os.SameFile(a, b)
}

// resume reads what an earlier download of ours left; size 0 begins again.
func (p *part) resume(size int64) error {
	_, err := p.file.Seek(0, io.SeekStart)
	if err = errors.Join(err, p.file.Truncate(size)); err != nil {
		return err
	}
	p.size, p.head = 0, nil
	p.sum.Reset()
	n, err := io.Copy(&p.digest, io.LimitReader(p.file, size))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	_, _ = p.digest.Write(b[:n]) // never fails
	return n, err
}

// removeSame removes the file of a name that still leads to the open file.
func removeSame(root *os.Root, name string, file *os.File) {
	if _, ok := sameFile(root, name, file); ok {
		_ = root.Remove(name) // not every system can before it is closed
	}
}

// errTakenAway: the part was removed, or is another window's by now.
var errTakenAway = failed(nil, "the file on its way was taken away")

// errMoved: the path of the folder leads to another one than was written to.
var errMoved = failed(nil, "the downloads folder was moved meanwhile")

// publish syncs the part and gives it its own name, never over another file.
// The part's name is gone when it returns without an error.
func (f *Fetcher) publish(p *part, w Want) (store.File, error) {
	t := sniff(p.head)
	if err := p.file.Sync(); err != nil {
		return store.File{}, f.diskError(whyNotTaken, err)
	}
	if _, ok := sameFile(p.root, p.name, p.file); !ok {
		return store.File{}, errTakenAway
	}
	name, err := f.giveName(p, w, t.ext)
	if err != nil {
		return store.File{}, f.diskError(whyNotTaken, err)
	}
	if d, err := p.root.Open("."); err == nil {
		_ = d.Sync() // it makes the new name last; not every system can
		d.Close()
	}
	file := f.saved(&p.digest, name, w, t)
	there, err := os.Stat(file.Path)
	if ours, _ := p.file.Stat(); err != nil || !os.SameFile(there, ours) {
		_ = p.root.Remove(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return store.File{}, f.diskError(whyNotTaken, err)
		}
		return store.File{}, errMoved
	}
	return file, nil
}

func (f *Fetcher) saved(d *digest, name string, w Want, t mediaType) store.File {
	return store.File{Path: filepath.Join(f.Dir, name), URL: w.Result.URL, MediaType: t.name, Bytes: d.size, SHA256: d.hash()}
}

// giveName links the part to the name, or to the next free one like it when a
// file of other origin has the name.
func (f *Fetcher) giveName(p *part, w Want, ext string) (string, error) {
	for copies := range maxSameName {
		name := fileName(f.Names, w, copies, ext)
		if err := p.publishAs(name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", failed(nil, "too many files have the name %v: move them away", fileName(f.Names, w, 0, ext))
}

// publishAs gives the part a final name, which replaces nothing: a link cannot,
// and where the file system has none it is looked for first. The windows of darkroom
// exclude each other by the part's lock, and no other program makes such names.
func (p *part) publishAs(name string) error {
	err := p.root.Link(p.name, name)
	switch {
	case err == nil:
		if _, ok := sameFile(p.root, name, p.file); !ok { // this process was stopped before the link, and the part taken over
			_ = p.root.Remove(name)
			return errTakenAway
		}
		// After a kill right here the next fetch removes the part's name.
		_ = p.root.Remove(p.name)
		return nil
	case errors.Is(err, fs.ErrExist), full(err):
		return err
	}
	if _, err := p.root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fs.ErrExist)
	}
	return p.root.Rename(p.name, name)
}

// published finds the file that this job and number already has, whatever its
// date, title and type: one with the content that is known, or without such
// knowledge one that is not cut short. Empty files are not results.
func (f *Fetcher) published(ctx context.Context, root *os.Root, w Want) (none store.File, err error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return none, err
	}
	for _, e := range entries {
		stem, ok := resultStem(e.Name())
		if !ok || !strings.HasSuffix(stem, nameEnd(w.Job.ID, w.N)) || strings.HasPrefix(stem, ".") || !e.Type().IsRegular() {
			continue
		}
		file, whole, err := f.describe(ctx, root, e.Name(), w)
		if err != nil {
			return none, err
		}
		if whole && file.Bytes > 0 && (w.Known.SHA256 == "" || w.Known.SHA256 == file.SHA256) {
			return file, nil
		}
	}
	return none, nil
}

// Intact reports whether a saved file still has the content that was saved.
func Intact(ctx context.Context, f store.File) bool {
	file, info, err := api.OpenRegular(f.Path)
	if err != nil {
		return false
	}
	defer file.Close()
	if info.Size() != f.Bytes {
		return false
	}
	d := newDigest()
	if _, err := io.Copy(d, api.ContextReader{Ctx: ctx, Reader: file}); err != nil {
		return ctx.Err() != nil // the caller has given up
	}
	return f.SHA256 == d.hash()
}

// describe reads a file of ours again and reports whether its end is there.
func (f *Fetcher) describe(ctx context.Context, root *os.Root, name string, w Want) (store.File, bool, error) {
	file, err := root.Open(name)
	if err != nil {
		return store.File{}, false, err
	}
	defer file.Close()
	d := newDigest()
	if _, err := io.Copy(d, api.ContextReader{Ctx: ctx, Reader: file}); err != nil {
		return store.File{}, false, err
	}
	t := sniff(d.head)
	return f.saved(d, name, w, t), !cutShort(file, d.size, t.ext), nil
}

const (
	partMark    = ".darkroom-"
	partEnd     = ".part"
	maxSameName = 100 // other files that may have a result's name
)

func partName(job string, n int) string {
	return fmt.Sprintf("%s%s-%d%s", partMark, job, n, partEnd)
}
