// Package media brings result files to the disk: download or decode, sniff,
// name, publish without overwriting, and open with the system's program.
package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// ErrExpired says that a result link answered 403, 404 or 410.
var ErrExpired = api.Sentence("the result link has expired").Fault(nil)

// Limits of downloads ("Results" of the promises): how long nothing may come, and
// how many there are at once.
const (
	idleLimit = 30 * time.Second
	idleFloor = 250 * time.Millisecond // of scaled limits
	maxAtOnce = 2
)

// Options are the parts of a Fetcher.
type Options struct {
	Base      *url.URL // of the service: loopback and private addresses only when it is one
	Dir       string   // downloads folder, made 0700 when missing
	Scale     float64  // of time limits; 0 means 1
	Transport http.RoundTripper
	Recipes   bool
	Names     string // pattern of file names; "" is the default one
}

// Fetcher brings results to the downloads folder, two at a time. It is safe
// for use by several goroutines; of several that fetch the same result, also in
// other windows, one works and the others get ErrBusy.
type Fetcher struct {
	base    *url.URL
	dir     string
	idle    time.Duration
	recipes bool
	names   string
	client  *http.Client
	probe   *http.Client // asks whether materials are public
	slots   chan struct{}
	limit   func(api.Kind) int64 // bytes

	mu      sync.Mutex
	partial map[string]validator // by part name; what may be resumed
}

// Saver saves results; a *Fetcher is the real one.
type Saver interface {
	Fetch(ctx context.Context, w Want) (store.File, error)
	WriteRecipe(j store.Job) error
}

// New makes a Fetcher.
func New(o Options) *Fetcher {
	if o.Scale == 0 {
		o.Scale = 1
	}
	f := &Fetcher{
		base:    o.Base,
		dir:     o.Dir,
		idle:    max(time.Duration(float64(idleLimit)*o.Scale), idleFloor),
		recipes: o.Recipes,
		names:   o.Names,
		slots:   make(chan struct{}, maxAtOnce),
		limit:   api.MaxBytes,
		partial: map[string]validator{},
	}
	f.client, f.probe = f.newClient(o.Transport, f.allow), f.newClient(o.Transport, f.allowPublic)
	return f
}

// Want is one result to be brought.
type Want struct {
	Job     string // local job id; names the .part file
	N       int    // 1-based number of the result
	Kind    api.Kind
	Title   string // the prompt's beginning, for the name
	Model   string // for the name
	Seed    *int64 // for the name, when the request had one
	Created time.Time
	Result  api.Result // URL or Data
	// Body, when set, is the media itself as it streams from a create; Length
	// is its Content-Length or -1.
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
}

// WantOf is result n of a job.
func WantOf(j *store.Job, n int, r api.Result) Want {
	return Want{Job: j.ID, N: n, Kind: j.Kind, Title: j.Title, Model: j.Model, Seed: j.Request.Seed, Created: j.CreatedAt,
		Result: r, Length: -1}
}

// Fetch brings one result once (no retries): a .part file, length and type
// checked, synced, published under its own name. ErrExpired when the link is
// gone; other errors are *Error. A file that this job and number already
// published is returned as is, unless it has changed since.
func (f *Fetcher) Fetch(ctx context.Context, w Want) (store.File, error) {
	if w.Job == "" || w.N < 1 {
		return store.File{}, &Error{Reason: api.Sentence("a result without a job cannot be saved").Reason(), Final: true}
	}
	part := partName(w.Job, w.N)
	root, err := f.openDir()
	if err != nil {
		return store.File{}, err
	}
	defer root.Close()
	if file, ok, err := f.published(ctx, root, w); err != nil {
		return store.File{}, err
	} else if ok {
		f.forget(root, part)
		return file, nil
	}
	p, err := openPart(root, part, w.TakeOver)
	if err != nil {
		return store.File{}, f.diskError(whyNotTaken, err)
	}
	file, err := f.bring(ctx, root, p, w)
	drop := err == nil || !f.resumable(part)
	if drop {
		p.remove()
	}
	p.close()
	if drop {
		f.forget(root, part)
	}
	return file, err
}

// bring fills the part from wherever the result is, and publishes it.
func (f *Fetcher) bring(ctx context.Context, root *os.Root, p *part, w Want) (store.File, error) {
	var err error
	switch data := w.Result.Data; {
	case w.Body != nil:
		err = f.take(ctx, p, w.Body, w.Length, w.Kind)
	case w.Result.File != "":
		err = f.takeFile(ctx, p, w)
	case len(data) > 0:
		err = f.take(context.WithoutCancel(ctx), p, bytes.NewReader(data), int64(len(data)), w.Kind)
	case w.Result.URL != "":
		err = f.download(ctx, p, w)
	default:
		err = &Error{Reason: api.Sentence("the result has neither an address nor content").Reason(), Final: true}
	}
	if err != nil {
		return store.File{}, f.explain(ctx, err)
	}
	if sum := p.hash(); slices.Contains(w.Others, sum) {
		return store.File{}, &SavedError{sum}
	}
	file, err := f.publish(root, p, w)
	if err == nil && w.Result.File != "" {
		_ = os.Remove(w.Result.File) // what is left over goes with the next clearing
	}
	return file, err
}

func (f *Fetcher) resumable(part string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.partial[part]
	return ok
}

// forget removes a part file, its purpose fulfilled or out of reach.
func (f *Fetcher) forget(root *os.Root, part string) {
	f.mu.Lock()
	delete(f.partial, part)
	f.mu.Unlock()
	removePart(root, part)
}

// openDir opens the downloads folder; every file is reached through it, so
// that no name can lead out of it.
func (f *Fetcher) openDir() (*os.Root, error) {
	if !filepath.IsAbs(f.dir) {
		return nil, &Error{Reason: api.Sentence("the downloads folder is not an absolute folder: set DARKROOM_DOWNLOADS").Reason(), Final: true}
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, f.diskError(api.Sentence("the downloads folder %v cannot be made: %v"), err)
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, f.diskError(api.Sentence("the downloads folder %v cannot be opened: %v"), err)
	}
	return root, nil
}

// CheckFolder makes the folder of results when it is missing, and reports why
// no file can be written there: that is known before a result is paid for.
func CheckFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return folderError(dir, err)
	}
	file, err := os.CreateTemp(dir, ".darkroom-check-*")
	if err != nil {
		return folderError(dir, err)
	}
	_, err = file.Write([]byte{0}) // a full disk takes names, but no bytes
	if err = errors.Join(err, file.Close(), os.Remove(file.Name())); err != nil {
		return folderError(dir, err)
	}
	return nil
}

func folderError(dir string, cause error) error {
	why := api.Sentence("results cannot be saved in %v (%v): make the folder writable, or choose another one in the settings")
	return &Error{Reason: why.Reason(dir, api.WithoutPath(cause)), Cause: cause}
}
