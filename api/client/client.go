package client

import (
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
	// Scale multiplies the limits of single calls; 0 means 1.
	Scale float64
	Now   func() time.Time
	// NewFile makes a new file for media that come inside of an answer and are
	// too large for the memory: base64 in JSON, or the body of a poll. The file
	// is the caller's once a Result names it. Without it such answers
	// are too large to be read.
	NewFile func() (*os.File, error)
	// UserAgent is sent with every call.
	UserAgent string
	// Log, when set, gets one redacted line per call.
	Log func(format string, args ...any)
	// EstimatePost says that the estimate endpoint is known to want POST.
	EstimatePost bool
	// MethodFound, when set, is called with the method that the estimate endpoint
	// answers to: GET or POST.
	MethodFound func(method string)
	// JobID is the dotted path of the job's id in the answer to a create, as
	// Found writes paths, when a person set it: "data.tasks[0].id". It wins over
	// what the reader finds.
	JobID string
}

// Client calls the service with a key, at one origin, without redirects. It is
// safe for use by several goroutines.
type Client struct {
	Transport
	newFile func() (*os.File, error)
	// estimatePost remembers that the estimate endpoint wants POST.
	estimatePost atomic.Bool
	methodFound  func(method string)
	jobID        string
}

// Transport is the guarded way to the service: one origin, its key, the limits of
// calls and the two transports.
type Transport struct {
	Base  *url.URL
	Key   api.Key
	Scale float64
	Agent string
	Now   func() time.Time
	log   func(format string, args ...any)

	Reads   keyed
	Creates keyed
	// Traced says that the transports are net/http's, which report every
	// connection. Other transports do not tell whether bytes left.
	Traced bool
}

// New makes a client. Without a base URL or key every call is refused
// unsent.
//
// Creates have a transport of their own without keep-alive: on a connection
// that the service closed while it was idle a create would end as unknown,
// although nothing reached the service, and a person would have to resolve it.
// The price is one handshake per create, little compared with a generation.
//
// The transports are called without an http.Client, so there is nothing that
// could follow a redirect or keep a cookie.
func New(o Options) *Client {
	c := &Client{newFile: o.NewFile, methodFound: o.MethodFound, jobID: o.JobID}
	c.Transport = Transport{Key: o.Key, Scale: o.Scale, Agent: o.UserAgent, Now: o.Now, log: o.Log}
	c.estimatePost.Store(o.EstimatePost)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Agent == "" {
		c.Agent = "darkroom"
	}
	if o.Base != nil {
		base := *o.Base
		base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), strings.TrimRight(base.RawPath, "/")
		c.Base = &base
	} else {
		c.Base = &url.URL{}
	}
	transport := o.Transport
	if transport == nil {
		transport = newTransport(c.Base, c.Scale)
	}
	creates := transport
	if t, ok := transport.(*http.Transport); ok {
		once := t.Clone()
		once.DisableKeepAlives = true
		creates, c.Traced = once, true
	}
	c.Reads = keyed{origin: api.Origin(c.Base), key: o.Key, next: transport}
	c.Creates = keyed{origin: api.Origin(c.Base), key: o.Key, next: creates}
	return c
}

// CloseIdle drops idle connections, as after the machine slept.
func (c *Client) CloseIdle() {
	if t, ok := c.Reads.next.(interface{ CloseIdleConnections() }); ok { // creates keep none
		t.CloseIdleConnections()
	}
}

// address gives the URL of a path of the service. The path is escaped already.
func (c *Client) address(path string, query url.Values) (*url.URL, error) {
	if c.Base.Host == "" {
		return nil, errNoBase
	}
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#") {
		return nil, errPath
	}
	u, err := url.Parse(c.Base.Scheme + "://" + c.Base.Host + c.Base.EscapedPath() + path)
	if err != nil {
		return nil, errPath
	}
	u.RawQuery = query.Encode()
	return u, nil
}

// LogCall writes the one line of a call: no query, no header, no body.
func (c *Transport) LogCall(method, path string, t Trip, began time.Time) {
	if c.log == nil {
		return
	}
	said := "-"
	if t.Err != nil {
		why, _ := explainNetwork(t.Err, t.Host)
		said = why.String()
	}
	line := api.Clean(string(c.Key.Redact([]byte(method+" "+path+" · "+said))), api.MaxErrorText).String()
	c.log("%s · status %d, %d bytes, %v, connected %t", line, t.Status, len(t.Body),
		c.Now().Sub(began).Round(time.Millisecond), t.Connected)
}

// read sends a call that may be repeated and gives its trip, or an error for
// every answer but a 2xx that came to its end.
func (c *Client) read(ctx context.Context, k call) (Trip, error) {
	t := c.send(ctx, k)
	if err := ReadFailure(t, c.Now()); err != nil {
		return t, err
	}
	return t, nil
}
