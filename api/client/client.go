package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// Options are the parts of a Client.
type Options struct {
	Base *url.URL // of the service, as api.ParseBase gives it
	Key  api.Key
	// Transport takes the place of the one that New makes; creates use a copy.
	Transport *http.Transport
	Scale     float64 // multiplies the limits of single calls; 0 means 1
	// NewFile makes a file for large media inside an answer: base64 in JSON, or
	// the body of a poll. It is the caller's once a Result names it.
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
	estimatePost   atomic.Bool
}

// New makes a client. Without a key every call is refused unsent.
// Creates have a transport of their own without keep-alive: on a connection that
// the service closed while it was idle a create would end as unknown. Without an
// http.Client nothing follows a redirect or keeps a cookie.
func New(o Options) *Client {
	c := &Client{Options: o}
	c.estimatePost.Store(o.EstimatePost)
	c.Transport = cmp.Or(o.Transport, newTransport(c.Base, c.Scale))
	creates := c.Transport.Clone()
	creates.DisableKeepAlives = true
	c.Reads = keyed{origin: api.Origin(c.Base), key: o.Key, next: c.Transport}
	c.Creates = c.Reads
	c.Creates.next = creates
	return c
}

// CloseIdle drops idle connections, as after the machine slept; creates keep none.
func (c *Client) CloseIdle() { c.Transport.CloseIdleConnections() }

// address gives the URL of an escaped path of the service.
func (c *Client) address(path string, query url.Values) (*url.URL, error) {
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
	line := api.Clean(c.Key.RedactString(method+" "+path+" · "+said), api.MaxErrorText).String()
	c.Log("%s · status %d, %d bytes, %v, connected %t", line, t.Status, len(t.Body), time.Since(began).Round(time.Millisecond), t.Connected)
}

// CreateOptions go with one create.
type CreateOptions struct {
	Kind api.Kind
	Sync bool // async false was asked for: the whole limit is 15 minutes
	// Media takes a body that is itself media, as it streams, to its end.
	// Without it such a body is an unread outcome. length may be -1.
	Media func(mediaType string, length int64, body io.Reader) error
	Last  func() error         // called right before the request is sent; an error keeps it from that
	Known func(id string) bool // reports whether an id is that of an earlier job; nil: of none
}

// CreateLimit is how long a create takes at most until its answer has begun.
func CreateLimit(sync bool) time.Duration {
	if sync {
		return limitSync
	}
	return limitWhole
}

// Create sends body exactly once and says what became of it. The context stops it
// only before it has a connection; afterwards it makes the outcome unknown.
func (c *Client) Create(ctx context.Context, path string, body []byte, o CreateOptions) api.Outcome {
	k := call{
		method: http.MethodPost, path: path, body: body, create: true,
		cap: MaxAnswer, whole: CreateLimit(o.Sync), newFile: c.NewFile, CreateOptions: o,
	}
	if len(body) == 0 {
		// net/http may repeat a request without a body.
		return Classify(Trip{Host: c.Base.Host, Err: ErrBody}, o.Kind)
	}
	t := c.send(ctx, k)
	out := atJobID(Classify(t, o.Kind), t, c.JobID)
	out = c.recheck(ctx, o, out)
	if out.Phase != api.PhaseFetching {
		out.Answer.Results = t.extractor.drop(out.Answer.Results)
	}
	return out
}

// recheck asks for the ids that a refusal names, in case one of them is the job's.
// Only when the service knows none of them, except earlier jobs, is the refusal proven.
func (c *Client) recheck(ctx context.Context, asked CreateOptions, o api.Outcome) api.Outcome {
	if o.Phase != api.PhaseRejected {
		return o
	}
	if asked.Known != nil { // as in "wait for job 7, which is still running"
		o.Answer.Candidates = slices.DeleteFunc(o.Answer.Candidates, asked.Known)
	}
	id, a, err := c.Resolve(ctx, o.Answer.Candidates, asked.Kind)
	switch e, _ := errors.AsType[*api.Error](err); {
	case err == nil:
		(*extractor)(nil).drop(a.Results) // the next poll has them again
		o.Phase, o.Err, o.RetryAfter = api.PhaseQueued, nil, 0
		o.Answer = api.JobAnswer{ID: id, Status: a.Status, Class: a.Class, Progress: a.Progress, Raw: o.Raw}
	case e.Class == api.ClassNotFound, e.Class == api.ClassKey && o.Err.Class == api.ClassKey: // it knows none, or refuses all calls
	default:
		o.Phase, o.RetryAfter = api.PhaseUnknown, 0
		o.Err.Do = api.Sentence("it names a job that could not be checked: resolve it before you send again").Reason()
	}
	return o
}

// Models lists the models ("GET /api/v1/models"), at most 8 MiB. incomplete says
// that there are more of them. Errors are *Error.
func (c *Client) Models(ctx context.Context) (models []api.Model, incomplete bool, err error) {
	const path = "/api/v1/models"
	t := c.send(ctx, call{method: http.MethodGet, path: path, cap: maxModels, whole: limitWhole})
	if err = ReadFailure(t); err == nil {
		if models, incomplete, err = read.Models(t.Header, t.Body); err != nil {
			err = notRead(t, err)
		}
	}
	if e, ok := errors.AsType[*api.Error](err); ok && t.Status == http.StatusNotFound { // another server answers
		e.Reason = api.Sentence("there is no list of models at %v").Reason(c.Base.JoinPath(path))
		e.Do = api.Sentence("compare the service's address with the one in its documentation").Reason()
	}
	return models, incomplete, err
}

// Job reads a job's status ("GET /api/v1/jobs/{id}"). Errors are *Error; an
// answer that could not be read comes with the error, and so does one about
// another job, which is neither id nor one of also.
func (c *Client) Job(ctx context.Context, id string, kind api.Kind, also ...string) (api.JobAnswer, error) {
	if !read.PollableID(id) {
		return api.JobAnswer{}, OwnError(api.ClassInvalid, 0,
			api.Sentence("the job's id cannot be asked for: it is empty, a dot path or longer than 128 bytes"))
	}
	k := call{method: http.MethodGet, path: "/api/v1/jobs/" + url.PathEscape(id), cap: MaxAnswer, whole: limitPoll, newFile: c.NewFile}
	var body api.Result
	var lost api.Reason
	k.Media = func(mediaType string, length int64, from io.Reader) (err error) {
		body = api.Result{MediaType: mediaType, Kind: read.TypeKind(mediaType)}
		body.File, lost, err = c.keepBody(api.MaxBytes(kind), length, from)
		return err
	}
	t := c.send(ctx, k)
	if lost.IsZero() {
		t.Err = cmp.Or(t.Err, t.StreamErr)
	}
	if err := ReadFailure(t); err != nil {
		t.extractor.drop([]api.Result{body})
		return api.JobAnswer{Progress: -1, Raw: json.RawMessage(t.Body)}, err
	}
	if t.Streamed { // the job is finished, unless the status is 202
		a := api.JobAnswer{Binary: true, Progress: -1, Class: api.StatusSucceeded, Results: []api.Result{body}, Left: lost}
		if t.Status != http.StatusOK {
			a.Class = api.StatusRunning
		}
		if a.Class == api.StatusRunning || !lost.IsZero() {
			os.Remove(body.File)
			a.Results = nil
		}
		return a, nil
	}
	a := read.Job(t.Status, t.Header, t.Body, kind)
	t.extractor.resolve(&a)
	switch {
	case a.Refusal != nil && a.Class == api.StatusNone:
		return a, a.Refusal
	case !a.NotReadable.IsZero():
		return a, Unreadable(t, a.NotReadable)
	case a.OtherJob(id, also...):
		t.extractor.drop(a.Results)
		return api.JobAnswer{Progress: -1, Raw: a.Raw}, Unreadable(t, api.Sentence("it is about another job").Reason())
	}
	return a, nil
}

// Resolve asks for each of several ids and gives the first that answers with a
// status. A failure that says nothing about the id ends it with that error.
func (c *Client) Resolve(ctx context.Context, candidates []string, kind api.Kind) (string, api.JobAnswer, error) {
	var tried []string
	others := []api.ErrorClass{api.ClassNotFound, api.ClassInvalid, api.ClassUnreadable, api.ClassConflict} // of an id that is not a job's
	for _, id := range candidates {
		if slices.Contains(tried, id) || len(tried) >= read.MaxCandidates {
			continue
		}
		tried = append(tried, id)
		a, err := c.Job(ctx, id, kind)
		if e, ok := errors.AsType[*api.Error](err); ok && !slices.Contains(others, e.Class) {
			return "", api.JobAnswer{}, err
		} else if err == nil && a.Class != api.StatusNone {
			return id, a, nil
		}
	}
	return "", api.JobAnswer{}, OwnError(api.ClassNotFound, 0, api.Sentence("the service knows none of the ids in the response"))
}

// ReadFailure gives the error of a trip that is not a complete 2xx, else nil.
func ReadFailure(t Trip) error {
	switch {
	case t.Status >= 400:
		return read.Error(t.Status, t.Header, t.Body)
	case t.Status != 0 && !t.accepted():
		return Unreadable(t, api.Reason{})
	case t.Err == nil && t.Status != 0:
		return nil
	}
	return NetworkError(t)
}

// notRead is the error of a 2xx that a reader could not use, or the refusal in it.
func notRead(t Trip, cause error) *api.Error {
	refused := read.Error(t.Status, t.Header, t.Body)
	switch refused.Class {
	case api.ClassKey, api.ClassCredits, api.ClassCalls, api.ClassRate, api.ClassInvalid, api.ClassNotFound:
		return refused
	}
	return Unreadable(t, api.ReasonOf(cause))
}

// Estimate asks for the price of the request with GET, and with POST when GET
// answers 404 or 405 ("GET or POST /api/v1/pricing/estimate"). The client
// remembers which of the two the service has. A price of one second is multiplied
// by the request's duration, and the rate table's price counts if it is higher.
// An amount that is not in credits, or is the price of a part only, is an *Error
// of ClassCurrency.
func (c *Client) Estimate(ctx context.Context, r api.Request, m api.Model) (api.Estimate, error) {
	post := c.estimatePost.Load()
	e, err := c.estimate(ctx, r, m, post)
	found := err == nil
	if otherMethod(err) {
		other, second := c.estimate(ctx, r, m, !post)
		if otherMethod(second) {
			return other, err // neither is there: the first error is nearer the cause
		}
		answered, ok := errors.AsType[*api.Error](second)
		found = second == nil || ok && answered.Status != 0 && answered.Status < 500
		post, e, err = !post, other, second
	}
	if found {
		c.estimatePost.Store(post)
	}
	if found && c.MethodFound != nil {
		c.MethodFound(map[bool]string{false: http.MethodGet, true: http.MethodPost}[post])
	}
	return e, err
}

// otherMethod reports an error that may mean that the other method is wanted.
func otherMethod(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

func (c *Client) estimate(ctx context.Context, r api.Request, m api.Model, post bool) (api.Estimate, error) {
	none := api.Estimate{Source: api.SourceNone}
	k := call{method: http.MethodGet, path: "/api/v1/pricing/estimate", cap: MaxAnswer, whole: limitPoll}
	if post {
		k.method, k.body = http.MethodPost, r.EstimateBody(m)
	} else {
		k.query = r.EstimateQuery(m)
	}
	t := c.send(ctx, k)
	if err := ReadFailure(t); err != nil {
		return none, err
	}
	e, err := read.Estimate(t.Body, r.EstimateQuery(m))
	switch e = e.Total(r); {
	case errors.Is(err, read.ErrOthers):
	case err != nil:
		return none, notRead(t, err)
	case e.Unit != "" && read.RateUnit(e.Unit):
		err = api.Sentence("the service gives this price per %v, not for the request, so there is no figure").Fault(nil, e.Unit)
	case e.Unit != "":
		err = api.Sentence("the service gives this price in %v, not in credits, so there is no figure").Fault(nil, e.Unit)
	}
	if err != nil {
		return none, &api.Error{Class: api.ClassCurrency, Reason: api.ReasonOf(err), Raw: read.KeepRaw(t.Body)}
	}
	e.At = time.Now()
	if len(t.Body) <= read.MaxKeptRaw { // a cut one would not be JSON
		e.Raw = t.Body
	}
	return e.WithTable(r), nil
}

// Classify says what became of a create's one POST, by the outcome table: what is
// not proven is unknown: a second POST cannot be taken back.
func Classify(t Trip, kind api.Kind) api.Outcome {
	o := api.Outcome{HTTPStatus: t.Status, Header: t.Header, Raw: read.KeepRaw(t.Body)}
	switch {
	case t.Status == 0 && (t.Connected || t.Err == nil):
		o.Phase, o.Err = api.PhaseUnknown, NetworkError(t)
		o.Err.Sent = true
	case t.Status == 0: // only without a connection is a create proven unsent
		o.Phase, o.Err = api.PhaseNotSent, NetworkError(t)
		if !o.Err.Final {
			o.RetryAfter = time.Second // it never left
		}
	case t.accepted() && t.Streamed:
		classifyStreamed(t, &o)
	case t.accepted() && t.Err == nil && len(t.Body) > 0:
		classifyAccepted(t, kind, &o)
	case t.Status >= 400 && t.Status <= 499 && t.Err == nil:
		classifyRefusal(t, read.Error(t.Status, t.Header, t.Body), &o)
	}
	if o.Phase == "" {
		classifyUnknown(t, &o)
	}
	return o
}

func classifyAccepted(t Trip, kind api.Kind, o *api.Outcome) {
	a := read.Create(t.Status, t.Header, t.Body, kind)
	t.extractor.resolve(&a)
	o.Answer = a
	lost := a.Left.Format() == whyNoFile // the job can be asked for it again
	switch {
	case a.Binary:
		o.Phase = api.PhaseUnread
		o.Err = OwnError(api.ClassUnreadable, t.Status,
			api.Sentence("the service answered with the result itself, and nothing was there to take it"))
	case !a.NotReadable.IsZero():
	case (len(a.Results) > 0 || lost && read.PollableID(a.ID)) && !a.Unfinished():
		o.Phase = api.PhaseFetching
	case read.PollableID(a.ID):
		o.Phase = api.PhaseQueued
	case a.Refusal != nil:
		classifyRefusal(t, a.Refusal, o)
	case lost:
		o.Phase, o.Err = api.PhaseUnread, OwnError(api.ClassUnreadable, t.Status, whyNotSaved, a.Left)
	default:
		o.Phase = api.PhaseUnread
		o.Err = OwnError(api.ClassUnreadable, t.Status,
			api.Sentence("the service accepted the request, but its response holds no job id that can be read"))
	}
}

func classifyStreamed(t Trip, o *api.Outcome) {
	o.Answer = api.JobAnswer{Binary: true, Class: api.StatusSucceeded, Progress: -1}
	switch {
	case t.Err != nil: // unknown
		o.Err = NetworkError(t)
		o.Err.Reason = api.Sentence("the result was cut short: %v").Reason(o.Err.Reason)
	case t.StreamErr != nil:
		o.Phase, o.Err = api.PhaseUnread, OwnError(api.ClassUnreadable, t.Status, whyNotSaved, t.StreamErr)
		o.Err.Cause = t.StreamErr
	default:
		o.Phase = api.PhaseFetching
	}
}

const whyNotSaved = api.Sentence("the service answered with the result itself, and it could not be saved: %v")

// classifyRefusal judges a complete refusal: a 4xx by its status or by words for
// exhausted credits or content that is not allowed, inside a 2xx by its class, like
// the 4xx of that class. What may be a job's id in it has still to be asked for.
func classifyRefusal(t Trip, e *api.Error, o *api.Outcome) {
	class, rated := e.Class, t.Status == http.StatusTooManyRequests
	proven := rated || api.ProvesRefusal(t.Status)
	if t.accepted() {
		rated = class == api.ClassRate
		proven = rated || class == api.ClassKey || class == api.ClassInvalid || class == api.ClassNotFound
	}
	o.Err = e
	if !proven && !class.UsedUp() && class != api.ClassModeration {
		return
	}
	o.Phase, o.Answer.Candidates = api.PhaseRejected, read.ScanIDs(t.Header, t.Body, false)
	if rated && !class.UsedUp() {
		o.RetryAfter = api.ClampWait(cmp.Or(e.RetryAfter, api.DefaultWait))
	}
}

// classifyUnknown keeps the ids that can be seen, for a person to attach.
func classifyUnknown(t Trip, o *api.Outcome) {
	o.Phase, o.Answer.Raw = api.PhaseUnknown, o.Raw
	if o.Answer.ID == "" && len(o.Answer.Candidates) == 0 {
		o.Answer.Candidates = read.ScanIDs(t.Header, t.Body, t.accepted())
	}
	switch {
	case o.Err != nil:
	case t.Status >= 500 || t.Status >= 400 && t.Err == nil:
		o.Err = read.Error(t.Status, t.Header, t.Body)
	case t.Err != nil:
		o.Err = NetworkError(t)
	default:
		o.Err = Unreadable(t, o.Answer.NotReadable)
	}
	o.Err.Raw = o.Raw
}

// atJobID gives an accepted create the id at a path that a person set. One that
// leads nowhere leaves what the reader found.
func atJobID(o api.Outcome, t Trip, path string) api.Outcome {
	if path == "" || !t.accepted() || o.Phase != api.PhaseQueued && o.Phase != api.PhaseUnread {
		return o
	}
	id := read.IDAt(t.Body, path)
	if !read.PollableID(id) {
		return o
	}
	if was := o.Answer.ID; was != "" && was != id {
		o.Answer.Candidates = append([]string{was}, o.Answer.Candidates...)
	}
	o.Answer.ID, o.Answer.IDPath = id, path
	o.Phase, o.Err = api.PhaseQueued, nil
	return o
}
