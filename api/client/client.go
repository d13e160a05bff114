package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"darkroom/api"
)

// Options are the parts of a Client.
type Options struct {
	Base *url.URL
	Key  api.Key
	// Transport stands in for the network in tests; nil is the real one. Of an
	// *http.Transport a copy without keep-alive is used for creates.
	Transport http.RoundTripper
	Scale     float64 // multiplies the limits of single calls; 0 means 1
	// NewFile makes a file for large media inside an answer: base64 in JSON, or
	// the body of a poll. It is the caller's once a Result names it. Without it
	// such answers are too large to be read.
	NewFile      func() (*os.File, error)
	UserAgent    string
	Log          func(format string, args ...any) // gets, when set, one redacted line per call
	EstimatePost bool                             // the estimate is known to want POST
	MethodFound  func(method string)              // called, when set, with the method of the estimate
	JobID        string                           // path of a job's id in the answer to a create, as "data.tasks[0].id"
}

// Client is the guarded way to the service: one origin, its key, limits of
// calls, no redirects. It is safe for use by several goroutines.
type Client struct {
	Options
	Reads, Creates keyed
	// Traced says that the transports are net/http's, which report every
	// connection. Other transports do not tell whether bytes left.
	Traced       bool
	estimatePost atomic.Bool
}

// New makes a client. Without a base URL or key every call is refused unsent.
// Creates have a transport of their own without keep-alive: on a connection that
// the service closed while it was idle a create would end as unknown. Without an
// http.Client nothing follows a redirect or keeps a cookie.
func New(o Options) *Client {
	c := &Client{Options: o}
	c.estimatePost.Store(o.EstimatePost)
	c.Base = cmp.Or(o.Base, &url.URL{})
	reads := o.Transport
	if reads == nil {
		reads = newTransport(c.Base, c.Scale)
	}
	creates := reads
	if t, ok := reads.(*http.Transport); ok {
		once := t.Clone()
		once.DisableKeepAlives = true
		creates, c.Traced = once, true
	}
	c.Reads = keyed{origin: api.Origin(c.Base), key: o.Key, next: reads}
	c.Creates = c.Reads
	c.Creates.next = creates
	return c
}

// CloseIdle drops idle connections, as after the machine slept.
func (c *Client) CloseIdle() {
	if t, ok := c.Reads.next.(interface{ CloseIdleConnections() }); ok { // creates keep none
		t.CloseIdleConnections()
	}
}

// address gives the URL of an escaped path of the service.
func (c *Client) address(path string, query url.Values) (*url.URL, error) {
	if c.Base.Host == "" {
		return nil, errNoBase
	}
	u, err := url.Parse(c.Base.Scheme + "://" + c.Base.Host + c.Base.EscapedPath() + path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#") {
		return nil, errPath
	}
	u.RawQuery = query.Encode()
	return u, nil
}

// LogCall writes the one line of a call: no query, no header, no body.
func (c *Client) LogCall(method, path string, t Trip, began time.Time) {
	if c.Log == nil {
		return
	}
	said := "-"
	if t.Err != nil {
		said = NetworkError(t).Reason.String()
	}
	line := c.Key.RedactString(method + " " + path + " · " + said)
	line = api.Clean(line, api.MaxErrorText).String()
	c.Log("%s · status %d, %d bytes, %v, connected %t", line, t.Status, len(t.Body),
		time.Since(began).Round(time.Millisecond), t.Connected)
}

// read is send with an error for every answer but a 2xx that came to its end.
func (c *Client) read(ctx context.Context, k call) (Trip, error) {
	t := c.send(ctx, k)
	return t, ReadFailure(t)
}
