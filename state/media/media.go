// Package media brings result files to the disk: download or decode, sniff,
// name, publish without overwriting, and open with the system's program.
package media

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

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
	if _, resumable := f.partial.Load(part); err == nil || !resumable {
		removeSame(root, part, p.file) // while its lock is held: a process that was just forked could hold it later
		defer f.forget(root, part)
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
	if !filepath.IsAbs(f.Dir) {
		return nil, final("the downloads folder is not an absolute folder: set DARKROOM_DOWNLOADS")
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, f.diskError(api.Sentence("the downloads folder %v cannot be made: %v"), err)
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, f.diskError(api.Sentence("the downloads folder %v cannot be opened: %v"), err)
	}
	return root, nil
}

// CheckFolder makes the folder of results when it is missing, and reports why
// no file with the longest name of a pattern can be written there: that is known
// before a result is paid for.
func CheckFolder(dir, names string) error {
	text := strings.Repeat("x", maxSlug)
	j := store.Job{Row: store.Row{ID: text, Kind: api.KindVideo, Title: text, Model: text}, Request: api.Request{Seed: new(int64(1 << 62))}}
	longest := fileName(names, Want{Job: &j, N: 99}, maxSameName, recipeEnd)
	err := error(api.Sentence("its name is not UTF-8").Fault(nil)) // it could not be written down
	if utf8.ValidString(dir) {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		if err = probed(os.CreateTemp(dir, probeName+strings.Repeat("x", max(len(longest)-len(probeName)-9, 0)))); err == nil {
			return nil
		}
	}
	return failed(err, "results cannot be saved in %v (%v): make the folder writable, or choose another one "+
		"(DARKROOM_DOWNLOADS, or downloads in the settings file)", dir, api.WithoutPath(err))
}

// probeName is the pattern of a file that is made to see whether one can be.
const probeName = partMark + "check-*"

// probed writes to such a file: a full disk takes names, but no bytes.
func probed(file *os.File, err error) error {
	if err != nil {
		return err
	}
	_, err = file.Write([]byte{0})
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

var whyNotTaken = api.Sentence("the downloads folder %v cannot be written to: %v")

// Error is why a result could not be brought, without its address.
type Error struct {
	*api.Fault
	Final bool // trying again cannot help
}

func final(why api.Sentence, values ...any) *Error { return &Error{why.Fault(nil, values...), true} }

func failed(cause error, why api.Sentence, values ...any) *Error {
	return &Error{Fault: why.Fault(cause, values...)}
}

// SavedError says that an address led to a file that another result has already.
type SavedError struct{ SHA256 string }

func (*SavedError) Error() string { return "the URL leads to another result, which is saved already" }

// explain turns what stopped a download into a sentence.
func (f *Fetcher) explain(ctx context.Context, err error) error {
	var known *Error
	switch {
	case errors.Is(err, ErrExpired):
		return ErrExpired
	case errors.As(err, &known):
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
