package api

// Bodies to be replaced by their rooms' builders; this file must be gone at the end.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

var errStub = errors.New("not built yet")

// ---- rules ----

// Check applies every rule of the spec and of the model's listing to a request.
// The model may be the zero Model when its listing is not known.
func Check(r Request, m Model) []Problem { return nil }

// Body is the exact JSON body of the request: the spec's names, in the spec's
// order, async always present; the ratio under the name the model lists.
func (r Request) Body(m Model) []byte { b, _ := json.Marshal(r); return b }

// Path is the path of the generation call, such as /api/v1/images/generations.
func (r Request) Path() string { return "" }

// TableEstimate is the price of a seedance2 request by the spec's rate table
// (Limits), or an Estimate with SourceNone.
func TableEstimate(r Request) Estimate { return Estimate{Source: SourceNone} }

// ---- text and key ----

// Clean cleans one line of text from outside and cuts it to limit runes.
func Clean(s string, limit int) Text { return Text{s} }

// CleanLines is Clean for several lines: line feeds stay.
func CleanLines(s string, limit int) Text { return Text{s} }

// Key is an API key. It prints as ak_…9f3c in every verb, JSON and log.
type Key struct{ secret string }

// ParseKey trims s and refuses what is not shaped like a key
// (^ak_[\x21-\x7e]{1,512}$, "Authentication" 2).
func ParseKey(s string) (Key, error) { return Key{}, errStub }

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

// Reveal gives the secret, for the transport and the keyring alone.
func (k Key) Reveal() string { return k.secret }

// String gives the hint, such as ak_…9f3c.
func (k Key) String() string { return "" }

// Redact replaces the key wherever b holds it, also in encoded forms.
func (k Key) Redact(b []byte) []byte { return b }

// ---- reader ----

// ReadCreate reads the answer to a generation call.
func ReadCreate(status int, header http.Header, raw []byte, kind Kind) JobAnswer { return JobAnswer{} }

// ReadJob reads the answer to GET /api/v1/jobs/{id}.
func ReadJob(status int, header http.Header, raw []byte, kind Kind) JobAnswer { return JobAnswer{} }

// ReadModels reads a models listing.
func ReadModels(raw []byte) ([]Model, []Found, error) { return nil, nil, errStub }

// ReadEstimate reads the answer of the estimate endpoint.
func ReadEstimate(raw []byte) (Estimate, []Found, error) { return Estimate{}, nil, errStub }

// ReadError reads an answer that is a refusal: any status of 400 or more, and
// refusals told inside a 2xx.
func ReadError(status int, header http.Header, raw []byte) *Error { return &Error{} }

// ReadWait reads how long an answer asks to wait (Retry-After and its
// relatives). now stands in for a missing Date header.
func ReadWait(header http.Header, now time.Time) (time.Duration, bool) { return 0, false }

// Error gives what happened and what to do, without any secret.
func (e *Error) Error() string { return e.Text.String() }

// Unwrap gives the transport's error.
func (e *Error) Unwrap() error { return e.Cause }

// ---- client ----

// ParseBase reads a base URL: https, or http for loopback only; no user, query
// or fragment; a path prefix is kept, a trailing slash is not.
func ParseBase(s string) (*url.URL, error) { return nil, errStub }

// ClientOptions are the parts of a Client.
type ClientOptions struct {
	Base *url.URL
	Key  Key
	// Transport stands in for the network in tests; nil is the real one.
	Transport http.RoundTripper
	// Scale multiplies the limits of single calls; 0 means 1.
	Scale float64
	Now   func() time.Time
	// UserAgent is sent with every call.
	UserAgent string
	// Log, when set, gets one redacted line per call.
	Log func(format string, args ...any)
}

// Client calls the service with a key, at one origin, without redirects.
type Client struct{}

// NewClient makes a client.
func NewClient(o ClientOptions) *Client { return &Client{} }

// Models lists the models ("GET /api/v1/models"), at most 8 MiB.
func (c *Client) Models(ctx context.Context) ([]Model, error) { return nil, errStub }

// Estimate asks for the price of the request with GET, and with POST when GET
// answers 404 or 405 ("GET or POST /api/v1/pricing/estimate").
func (c *Client) Estimate(ctx context.Context, r Request, m Model) (Estimate, error) {
	return Estimate{}, errStub
}

// CreateOptions go with one create.
type CreateOptions struct {
	Kind  Kind
	Model Model
	Sync  bool // async false was asked for: the whole limit is 15 minutes
	// Media takes a body that is itself media, as it streams. Without it such a
	// body is an unread outcome.
	Media func(mediaType string, length int64, body io.Reader) error
}

// Create sends body once, exactly once, and says what became of it. It never
// returns without an Outcome; the context stops it only before a connection
// is had, and afterwards makes the outcome unknown.
func (c *Client) Create(ctx context.Context, path string, body []byte, o CreateOptions) Outcome {
	return Outcome{}
}

// Job reads a job's status ("GET /api/v1/jobs/{id}"). Errors are *Error.
func (c *Client) Job(ctx context.Context, id string, kind Kind) (JobAnswer, error) {
	return JobAnswer{}, errStub
}

// CloseIdle drops idle connections, as after the machine slept.
func (c *Client) CloseIdle() {}
