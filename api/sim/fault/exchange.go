package fault

import (
	"net"
	"net/http"
	"time"

	"darkroom/api"
)

// Exchange is a call while the service answers it. Its server has to use
// Set.ConnContext.
type Exchange interface {
	Request() *http.Request
	Writer() http.ResponseWriter
	// Answer lets the service work on the call and returns its answer.
	Answer() Answer
	// Received records a request body that the service itself does not see.
	Received(body []byte)
	// Answered records the status that is written.
	Answered(status int)
	// Closed is closed when the server is.
	Closed() <-chan struct{}
}

// Answer is what a call is answered with.
type Answer struct {
	Status int
	Header http.Header // besides Content-Type and Content-Length
	Type   string      // Content-Type
	Body   []byte
	JobID  string  // of the job that it is about, if any
	Result *Result // that it names, if any
	Price  *Price  // that it states, if any
	// File is what a service answers that sends the picture itself.
	File func() (mediaType string, data []byte)
	// Stream writes the answer by itself; all fields above are unused then.
	Stream func()
}

// Result is a job's result as an answer names it.
type Result struct {
	URL  string
	Link func(name string) string // the address of another file of the job
}

// Price is a price that an answer states.
type Price struct {
	Credits api.Credits
	Seconds int // of the video that it is for; 0 for an image
}

// Pause waits, unless the caller or the server closes the connection: then it
// ends the handler.
func Pause(x Exchange, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.Request().Context().Done():
		panic(http.ErrAbortHandler)
	case <-x.Closed():
		panic(http.ErrAbortHandler)
	}
}

// runner carries out the faults that are due on a call.
type runner struct {
	Exchange
	due []Fault
}

func (r *runner) conn() net.Conn {
	return r.Request().Context().Value(connKey{}).(net.Conn)
}

// cut resets the call's connection and ends its handler.
func (r *runner) cut() {
	reset(r.conn())
	panic(http.ErrAbortHandler)
}

// closeConn ends the call's connection in order, and its handler.
func (r *runner) closeConn() {
	_ = r.conn().Close()
	panic(http.ErrAbortHandler)
}
