// Package submit is the one way in which credits are spent: what a person has
// confirmed is recorded, sent once, classified and settled. Calls of tools that
// may spend go the same way.
package submit

import (
	"context"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// ErrClosed says that the session ends or has ended.
var ErrClosed = api.Sentence("the session is closed").Fault(nil)

// Options are what a Submitter is made from.
type Options struct {
	Remote   *remote.Remote
	Settings *settings.Current
	// Instance is this process among those that share the store.
	Instance string
	Window
}

// Window is what a Submitter needs of the window that it sends from.
type Window interface {
	Store() *store.Store
	// Fetcher saves what comes inside of a connection's answers.
	Fetcher(c *remote.Connection) media.Saver
	// ReadOnly says why nothing can be recorded; none when it can.
	ReadOnly() api.Reason
	// Turn waits until no other create is under way, in any window. sync says
	// whether the create waits for its result; waits is called with when the other
	// one's turn is over.
	Turn(ctx context.Context, sync func() bool, waits func(until time.Time)) (Turn, error)
	// FirstPoll is the wait before the first poll; Resolve tells which id is the job's.
	FirstPoll(kind api.Kind) time.Duration
	Resolve(c *remote.Connection, j store.Job, a api.JobAnswer)
	// Go runs a function in the background. Changed tells of jobs that are
	// different now and may have to be polled, or, without any, of Pending; it does
	// not block.
	Go(f func())
	Changed(ids ...string)
}

// Turn is the right to send one create. Over reports whether it has ended by
// itself: others may be sending by then.
type Turn struct {
	Release func()
	Over    func() bool
}

// Submitter sends what was confirmed. It is safe for use by several goroutines.
type Submitter struct {
	o     Options
	scale remote.Scale

	ctx      context.Context // ends with the session
	sendCtx  context.Context // outlives ctx by the patience of Close
	stopSend context.CancelFunc
	sends    sync.WaitGroup // the POSTs under way

	mu        sync.Mutex
	closed    bool
	sending   int
	noCredits noCredits
	unsaved   map[string]store.Finish
	inHand    map[string]store.Job // being sent, or with an outcome that is not saved
	// The latest questions whether a job is to be sent again, by confirm id: what
	// is sent again counts with the price that was shown.
	questions map[string]api.Estimate
	readTools map[string]bool // tools that a person let be called under a budget
}

// noCredits is when a create was last refused for want of credits or calls, and by
// which connection: another key may have some.
type noCredits struct {
	conn  *remote.Connection
	at    time.Time
	class api.ErrorClass
}

// New makes a Submitter. When ctx ends, intents that wait are given up.
func New(ctx context.Context, o Options) *Submitter {
	s := &Submitter{
		o: o, ctx: ctx, scale: remote.Scale(o.Settings.Get().TimeScale), unsaved: map[string]store.Finish{},
		inHand: map[string]store.Job{}, questions: map[string]api.Estimate{}, readTools: map[string]bool{},
	}
	s.sendCtx, s.stopSend = context.WithCancel(context.WithoutCancel(ctx))
	return s
}

const sendPatience = 10 * time.Second

// lastMoment is how long an answer that is there already has to be read.
const lastMoment = 100 * time.Millisecond

// Close refuses what is confirmed from now on and waits for a send in progress,
// 10 s at most, or until ctx ends. A create that is still under way then ends as
// unknown.
func (s *Submitter) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	done := make(chan struct{})
	go func() { s.sends.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		select { // what came while the process itself was stopped is read first
		case <-done:
		case <-time.After(lastMoment):
		}
	}
	s.stopSend()
}

func (s *Submitter) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// begin counts a send that Close has to wait for, unless it closes already.
func (s *Submitter) begin() *remote.Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return refuse("store", ErrClosed.Why(), ErrClosed)
	}
	s.sends.Add(1)
	return nil
}

// Pending counts creates in progress, and accepted jobs that are not stored yet.
func (s *Submitter) Pending() (sending, unsaved int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sending, len(s.unsaved)
}

func (s *Submitter) countSending(n int) {
	s.mu.Lock()
	s.sending += n
	s.mu.Unlock()
	s.o.Changed()
}
