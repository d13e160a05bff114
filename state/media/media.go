// Package media brings result files to the disk: download or decode, sniff,
// name, publish without overwriting, and open with the system's program.
package media

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// ErrExpired says that a result link answered 403, 404 or 410.
var ErrExpired = api.Sentence("the result link has expired").Fault(nil)

// Limits of downloads ("Results" of the promises).
const (
	idleLimit = 30 * time.Second
	idleFloor = 250 * time.Millisecond // of scaled limits
	maxAtOnce = 2
)

// Options are the parts of a Fetcher.
type Options struct {
	Base  *url.URL // of the service: loopback and private addresses only when it is one
	Dir   string   // downloads folder, made 0700 when missing
	Scale float64  // of time limits; 0 means 1
	Names string   // pattern of file names; "" is the default one
}

// Fetcher brings results to the downloads folder, two at a time. It is safe
// for use by several goroutines; of several that fetch the same result, also in
// other windows, one works and the others get ErrBusy.
type Fetcher struct {
	Options
	idle   time.Duration
	client *http.Client
	probe  *http.Client // asks whether materials are public
	slots  chan struct{}
	limit  func(api.Kind) int64 // bytes

	partial sync.Map // the validators of parts that may be resumed, by their names
}

// Saver saves results; a *Fetcher is the real one.
type Saver interface {
	Fetch(ctx context.Context, w Want) (store.File, error)
	WriteRecipe(j store.Job) error
}

// New makes a Fetcher.
func New(o Options) *Fetcher {
	f := &Fetcher{Options: o, slots: make(chan struct{}, maxAtOnce), limit: api.MaxBytes}
	f.idle = max(time.Duration(float64(idleLimit)*cmp.Or(o.Scale, 1)), idleFloor)
	f.client, f.probe = f.newClient(false), f.newClient(true)
	return f
}

// Want is one result to be brought.
type Want struct {
	Job    *store.Job // whose result it is: names of files are made from it
	N      int        // 1-based number of the result
	Result api.Result // URL or Data
	// Body is the media itself as it streams from a create, of Length or -1.
	Body   io.Reader
	Length int64
	// Others are the SHA-256 in hex of files that are saved already as other
	// results: content that is one of them is not saved again, but a SavedError.
	Others []string
	// Known is what was saved as this result before; zero when nothing was.
	Known store.File
	// TakeOver is set when the window that holds the part was waited for long
	// enough: its part is removed and another one made.
	TakeOver bool
	// Crawls, when set, is told that the download comes slowly, and allows it to go
	// on without a place among those at once.
	Crawls func() bool
}

// Fetch brings one result once (no retries): a .part file, length and type
// checked, synced, published under its own name. ErrExpired when the link is
// gone; other errors are *Error. A file that this job and number already
// published is returned as is, unless it has changed since.
func (f *Fetcher) Fetch(ctx context.Context, w Want) (file store.File, err error) {
	part := partName(w.Job.ID, w.N)
	root, err := f.openDir()
	if err != nil {
		return file, err
	}
	defer root.Close()
	if file, err := f.published(ctx, root, w); err != nil {
		return file, f.diskError(api.Sentence("the downloads folder %v cannot be read: %v"), err)
	} else if file.Path != "" {
		f.forget(root, part)
		return file, nil
	}
	p, err := openPart(root, part, w.TakeOver)
	if err != nil {
		return file, f.diskError(whyNotTaken, err)
	}
	file, err = f.bring(ctx, p, w)
	if v, resumable := f.partial.Load(part); err == nil || !resumable {
		removeSame(root, part, p.file) // while its lock is held: a process that was just forked could hold it later
		defer f.forget(root, part)
	} else if e, ok := errors.AsType[*Error](err); ok && !e.Final { // a final one may be of several downloads
		e.Kept = v.(*validator).size
	}
	p.file.Close()
	return file, err
}

// bring fills the part from wherever the result is, and publishes it.
func (f *Fetcher) bring(ctx context.Context, p *part, w Want) (file store.File, err error) {
	switch data := w.Result.Data; {
	case w.Body != nil:
		err = f.take(ctx, p, w.Body, w.Length, w.Job.Kind)
	case w.Result.File != "": // it came inside of an answer, which has to be asked for again if the file is gone
		from, _, gone := api.OpenRegular(w.Result.File)
		if err = ErrExpired; gone == nil {
			err = f.take(ctx, p, from, -1, w.Job.Kind)
			from.Close()
		}
	case len(data) > 0:
		err = f.take(context.WithoutCancel(ctx), p, bytes.NewReader(data), int64(len(data)), w.Job.Kind)
	case w.Result.URL != "":
		err = f.download(ctx, p, w)
	default:
		err = final("the result has neither a URL nor content")
	}
	if err == nil {
		err = p.judge(w.Result.URL)
	}
	if err != nil {
		return file, f.explain(ctx, err)
	}
	if sum := p.hash(); slices.Contains(w.Others, sum) {
		return file, &SavedError{sum}
	}
	file, err = f.publish(p, w)
	if err == nil && w.Result.File != "" {
		_ = os.Remove(w.Result.File) // what is left over goes with the next clearing
	}
	return file, err
}

// forget removes a part unless another window holds it.
func (f *Fetcher) forget(root *os.Root, part string) {
	f.partial.Delete(part)
	file, err := root.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if lockSoon(file) == nil {
		removeSame(root, part, file)
	}
}

// openDir opens the downloads folder; every file is reached through it, so
// that no name can lead out of it.
func (f *Fetcher) openDir() (*os.Root, error) {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, f.diskError(api.Sentence("the downloads folder %v cannot be made: %v"), err)
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, f.diskError(api.Sentence("the downloads folder %v cannot be opened: %v"), err)
	}
	return root, nil
}

var whyNotTaken = api.Sentence("the downloads folder %v cannot be written to: %v")

// Error is why a result could not be brought, without its address.
type Error struct {
	*api.Fault
	Final bool  // trying again cannot help
	Kept  int64 // bytes that the next try goes on from
}

func final(why api.Sentence, values ...any) *Error {
	return &Error{Fault: why.Fault(nil, values...), Final: true}
}

func failed(cause error, why api.Sentence, values ...any) *Error {
	return &Error{Fault: why.Fault(cause, values...)}
}

// SavedError says that an address led to a file that another result has already.
type SavedError struct{ SHA256 string }

func (*SavedError) Error() string { return "the URL leads to another result, which is saved already" }

// explain turns what stopped a download into a sentence.
func (f *Fetcher) explain(ctx context.Context, err error) error {
	switch known, ok := errors.AsType[*Error](err); {
	case errors.Is(err, ErrExpired):
		return ErrExpired
	case ok:
		return known
	case ctx.Err() != nil:
		return failed(ctx.Err(), "the download was stopped")
	case errors.Is(err, ErrSlow):
		return failed(ErrSlow, "hardly anything came for %v, so the download was stopped", f.idle)
	case errors.Is(err, errShort), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return failed(errShort, "the connection ended before the whole file had come")
	}
	return failed(err, "the file cannot be fetched: %v", cmp.Or(api.ConnectionReason(err), api.ReasonConnFailed.Reason()))
}

func (f *Fetcher) diskError(why api.Sentence, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if full(err) {
		return failed(err, "there is no room left in %v: make room", f.Dir)
	}
	return failed(err, why, f.Dir, api.WithoutPath(err))
}

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
	a, _ := root.Lstat(name)
	b, _ := file.Stat()
	return b, os.SameFile(a, b) && b.Mode().IsRegular() // of what there is not it is false
}

// resume reads what an earlier download of ours left; size 0 begins again.
func (p *part) resume(size int64) error {
	p.size, p.head = 0, nil
	p.sum.Reset()
	_, err := p.file.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.CopyN(&p.digest, p.file, size) // io.EOF: somebody has taken the part away
	}
	return cmp.Or(err, p.file.Truncate(size))
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
