package media

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

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
