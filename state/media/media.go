// Package media brings result files to the disk: download or decode, sniff,
// name, publish without overwriting, and open with the system's program.
package media

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

var errStub = errors.New("not built yet")

// ErrExpired says that a result link answered 403, 404 or 410.
var ErrExpired = errors.New("the result link has expired")

// Options are the parts of a Fetcher.
type Options struct {
	Base      *url.URL // of the service: loopback and private addresses only when it is one
	Dir       string   // downloads folder, made 0700 when missing
	Scale     float64  // of time limits; 0 means 1
	Transport http.RoundTripper
	Recipes   bool
}

// Fetcher brings results to the downloads folder, two at a time.
type Fetcher struct{}

// New makes a Fetcher.
func New(o Options) *Fetcher { return &Fetcher{} }

// Want is one result to be brought.
type Want struct {
	Job     string // local job id; names the .part file
	N       int    // 1-based number of the result
	Kind    api.Kind
	Title   string // the prompt's beginning, for the name
	Created time.Time
	Result  api.Result // URL or Data
	// Body, when set, is the media itself as it streams from a create; Length
	// is its Content-Length or -1.
	Body   io.Reader
	Length int64
}

// Fetch brings one result once (no retries): a .part file, length and type
// checked, synced, published under its own name. ErrExpired when the link is
// gone. A file that this job and number already published is returned as is.
func (f *Fetcher) Fetch(ctx context.Context, w Want) (store.File, error) {
	return store.File{}, errStub
}

// WriteRecipe writes NAME.darkroom.json beside the first file.
func (f *Fetcher) WriteRecipe(j store.Job) error { return errStub }

// Open opens path with the opener, or the system's program when opener is "".
func Open(ctx context.Context, opener, path string, env []string) error { return errStub }
