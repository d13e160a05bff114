// Package submit is the one way in which credits are spent: what a person has
// confirmed is recorded, sent once, classified and settled. Calls of tools that
// may spend go the same way.
package submit

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// ErrClosed says that the session ends or has ended.
var ErrClosed = api.Sentence("the session is closed").Fault(nil)

// Options are what a Submitter is made from.
type Options struct {
	remote.Shared
	Remote   *remote.Remote
	Instance string                                 // this process among those that share the store
	Fetcher  func(c *remote.Connection) media.Saver // saves what comes inside of its answers
	ReadOnly func() api.Reason                      // why nothing can be recorded; none when it can
	// Turn waits until no other create is under way, in any window. sync says
	// whether the create waits for its result; waits is called while another one
	// has the turn, with when that is over if it is known.
	Turn      func(ctx context.Context, sync func() bool, waits func(until time.Time)) (Turn, error)
	FirstPoll func(kind api.Kind) time.Duration // the wait before the first poll
	// Resolve tells which id is the job's.
	Resolve func(c *remote.Connection, j store.Job, a api.JobAnswer)
	// Result is where a result is that an entry's job has, named as ID/1; "" without one.
	Result func(ctx context.Context, entry, name string) string
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

	noCredits atomic.Pointer[noCredits] // nil once a person has agreed to something all the same
	learned   atomic.Pointer[time.Time] // when learnModels asked; nil: never

	mu      sync.Mutex
	closed  atomic.Bool // set under mu
	unsaved map[string]store.Finish
	inHand  map[string]store.Job // being sent, or with an outcome that is not saved
	// The latest questions whether a job is to be sent again, by confirm id: what
	// is sent again counts with the price that was shown.
	questions map[string]Agreed
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
		inHand: map[string]store.Job{}, questions: map[string]Agreed{}, readTools: map[string]bool{},
	}
	s.sendCtx, s.stopSend = context.WithCancel(context.WithoutCancel(ctx))
	return s
}

const (
	sendPatience = 10 * time.Second       // of Close, for a send in progress
	lastMoment   = 100 * time.Millisecond // for an answer that is there already to be read
	creditsRest  = 10 * time.Minute       // of creates after the service had no credits left
	titleWidth   = 80                     // characters of a prompt that make the title
)

// Close refuses what is confirmed from now on and waits for a send in progress,
// 10 s at most, or until ctx ends. A create that is still under way then ends as
// unknown.
func (s *Submitter) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed.Store(true)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	if ended, _ := api.Within(ctx, s.sends.Wait); !ended { // what came while the process itself was stopped is read first
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMoment)
		defer cancel()
		api.Within(last, s.sends.Wait)
	}
	s.stopSend()
}

// begin counts a send that Close has to wait for, unless it closes already.
func (s *Submitter) begin() *remote.Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return refusedBy("store", ErrClosed)
	}
	s.sends.Add(1)
	return nil
}

// Pending counts creates in progress, and accepted jobs that are not stored yet.
func (s *Submitter) Pending() (sending, unsaved int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.inHand), len(s.unsaved)
}

// Confirmed is what a person agreed to.
type Confirmed struct {
	Agreed
	MaxCredits api.Credits // 0: no limit; else an unknown or higher estimate is refused
	Asked      string      // the held request of an agent that this is sent in place of, if any
}

// NewConfirmID makes a random confirm id.
func NewConfirmID() string { return rand.Text() }

// Submit records the request, sends it once in the background, and returns as
// soon as the intent is durable. A *remote.Refusal means that nothing was sent
// or recorded. A confirm id that was submitted before returns its job and sends
// nothing.
func (s *Submitter) Submit(ctx context.Context, c Confirmed) (store.Job, error) {
	conn, refusal := s.ready(c.Again || c.UsedUp)
	if refusal != nil {
		return store.Job{}, refusal
	}
	body, refusal := s.bodyOf(ctx, conn, c.Request)
	if refusal != nil {
		return store.Job{}, refusal
	}
	return s.submit(ctx, conn, c, store.Intent{Body: body, Held: c.Asked, Edited: c.Asked != ""})
}

// bodyOf is the body of a request, or what is against sending it.
func (s *Submitter) bodyOf(ctx context.Context, conn *remote.Connection, r api.Request) ([]byte, *remote.Refusal) {
	if len(r.Vary) > 0 {
		return nil, refuse("not_sendable", nil, "this expands to several requests: expand it, then confirm those")
	}
	model := s.o.Remote.Model(ctx, conn.Base, r.Model)
	if problems := api.Check(r, model, conn.Base); len(problems) > 0 {
		return nil, &remote.Refusal{Code: "problems", Fault: *whyProblems.Fault(nil, problems[0]), Problems: problems}
	}
	body := r.Body(model)
	if conn.Key.In(body) {
		return nil, refusedBy("not_sendable", remote.ErrHoldsKey)
	}
	return body, nil
}

// ready says why nothing can be sent now, or gives the connection to send by. With again it may be that nothing is left.
func (s *Submitter) ready(again bool) (*remote.Connection, *remote.Refusal) {
	if s.closed.Load() {
		return nil, refusedBy("store", ErrClosed)
	}
	conn, refusal := s.o.Remote.Sendable()
	if refusal != nil {
		return nil, refusal
	}
	if why := s.o.ReadOnly(); !why.IsZero() {
		return nil, &remote.Refusal{Code: "store", Fault: api.Fault{Reason: why, Cause: store.ErrReadOnly}}
	}
	if n := s.noCredits.Load(); !again && n != nil && n.conn == conn && time.Since(n.at) < s.scale.Of(creditsRest) {
		return nil, refuse(string(n.class), nil, whyUsedUp[n.class])
	}
	return conn, nil
}

// within refuses a price above a limit, and a link that has expired since the person was told which ones have.
func (s *Submitter) within(ctx context.Context, limit api.Credits, price api.Estimate, now time.Time, list ...Agreed) *remote.Refusal {
	switch {
	case slices.ContainsFunc(list, func(a Agreed) bool { return s.o.Store().LinkEnded(ctx, a.Request, a.Warned, now) }):
		return refuse("link", nil, whyLinkEnded)
	case limit > 0 && !price.Known():
		return refuse("max_credits", nil, "the price of this request is not known, and a limit of %v was set: nothing was sent", limit.Amount())
	case limit > 0 && price.Credits > limit:
		return refuse("max_credits", nil, "the estimate of %v is above the limit of %v: nothing was sent", price.Credits.Amount(), limit.Amount())
	}
	return nil
}

func refuse(code string, cause error, why api.Sentence, values ...any) *remote.Refusal {
	return &remote.Refusal{Code: code, Fault: *why.Fault(cause, values...)}
}

// refusedBy refuses for the reason of an error.
func refusedBy(code string, why error) *remote.Refusal {
	return &remote.Refusal{Code: code, Fault: api.Fault{Reason: api.ReasonOf(why), Cause: why}}
}

// prices gives the figures that count at the intent for what was agreed to. One that
// is not known or not fresh is requested again, once. When they are together dearer
// than what was agreed to, known or not, the refusal has both: the person has to agree
// again.
func (s *Submitter) prices(ctx context.Context, list []Agreed) (now []api.Estimate, _ *remote.Refusal) {
	was, is := api.Estimate{Source: api.SourceTable}, api.Estimate{Source: api.SourceTable}
	var missing error
	for _, a := range list {
		e := a.Estimate.WithTable(a.Request)
		was = was.Plus(e)
		if !e.Known() || !e.Fresh(time.Now()) {
			asked, err := s.o.Remote.Price(ctx, a.Request)
			e, missing = asked, cmp.Or(missing, err)
		}
		now, is = append(now, e), is.Plus(e)
	}
	why := api.Reason{}
	switch {
	case is.Known() && !was.Known():
		why = api.Sentence("the price is %v now and was not known before: nothing was sent; confirm again to send it").Reason(is.Credits.Amount())
	case is.Known() && is.Credits > was.Credits:
		why = whyDearer.Reason(is.Credits.Amount(), was.Credits.Amount())
	case is.Known(), !was.Known():
		return now, nil
	case missing != nil:
		why = whyPriceGoneOf.Reason(was.Credits.Amount(), missing)
	default:
		why = whyPriceGone.Reason(was.Credits.Amount())
	}
	return nil, &remote.Refusal{Code: "price", Fault: api.Fault{Reason: why}, Prices: now}
}

// submit records and sends what was confirmed; in has its body, and whose repetition or
// which held request it is.
func (s *Submitter) submit(ctx context.Context, conn *remote.Connection, c Confirmed, in store.Intent) (store.Job, error) {
	if c.ConfirmID == "" {
		return store.Job{}, refuse("not_sendable", nil, whyUnconfirmed)
	}
	prices, refusal := s.prices(ctx, []Agreed{c.Agreed})
	if refusal != nil {
		return store.Job{}, refusal
	}
	in.Now, in.Budget, in.Again = time.Now(), s.o.Settings.Budgets(), c.Again
	if refusal := cmp.Or(s.within(ctx, c.MaxCredits, prices[0], in.Now, c.Agreed), s.canSave()); refusal != nil {
		return store.Job{}, refusal
	}
	if refusal := s.begin(); refusal != nil {
		return store.Job{}, refusal
	}
	in.ConfirmID, in.Instance, in.Base = c.ConfirmID, s.o.Instance, conn.Base
	in.Request, in.Title, in.Estimate = c.Request, titleOf(c.Request.Prompt), prices[0]
	j, fresh, err := s.o.Store().Record(ctx, in)
	if err != nil || !fresh {
		s.sends.Done()
		if err != nil {
			return store.Job{}, refusalOf(err)
		}
		s.Overlay(&j.Row)
		return j, nil
	}
	if c.Again || c.UsedUp {
		s.noCredits.Store(nil)
	}
	s.mu.Lock()
	s.inHand[j.ID] = j
	s.mu.Unlock()
	s.o.Changed(j.ID)
	s.o.Go(func() {
		defer s.sends.Done()
		defer func() {
			// It is forgotten, unless its outcome is not saved.
			s.mu.Lock()
			if _, kept := s.unsaved[j.ID]; !kept {
				delete(s.inHand, j.ID)
			}
			s.mu.Unlock()
			s.o.Changed()
		}()
		s.send(&sender{Submitter: s, conn: conn, job: j, max: c.MaxCredits, granted: in.Grant != nil})
	})
	return j, nil
}

// canSave says why no result can be saved, before one is paid for.
func (s *Submitter) canSave() *remote.Refusal {
	set := s.o.Settings.Get()
	if err := media.CheckFolder(set.Downloads, set.Names); err != nil {
		return refuse("downloads", err, "nothing was sent: %v", err)
	}
	return nil
}

func refusalOf(err error) error {
	switch refusal, ok := errors.AsType[*remote.Refusal](err); {
	case ok:
		return refusal
	case errors.Is(err, store.ErrLate):
		return refuse("stale", err, "it was removed, paused or sent meanwhile")
	}
	err = store.Explain(err)
	return refuse("store", err, "nothing was sent: %v", err)
}

func titleOf(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return api.Clean(api.OneLine(line), titleWidth).String()
}

// Ask records requests that an agent asks for as one, and gives their ids. What the
// settings grant to the entry is sent in its turn, all else waits for a person.
// Nothing of it is confirmed: what the agent says is no agreement.
func (s *Submitter) Ask(ctx context.Context, k *store.Ask, requests []api.Request) ([]string, error) {
	text, err := api.PlainJSON(requests)
	if err != nil {
		return nil, err
	}
	k.Whole = fmt.Sprintf("%x", sha256.Sum256(text)) // not of the bodies, which follow the service's listing
	if ids, err := s.o.Store().AskedBefore(ctx, *k); err != nil || len(ids) > 0 {
		return ids, err
	}
	t := Together{ConfirmID: NewConfirmID(), MaxCredits: k.MaxCredits, ask: k}
	for i, r := range requests {
		if r, err = s.Examine(ctx, k.Entry, r); err != nil {
			return nil, err
		}
		one := Agreed{Request: r, Warned: time.Now()} // nobody is there to be told
		if len(k.Confirm) > 0 {
			one.ConfirmID = k.Confirm[i]
		}
		if len(requests) > 1 {
			one.Label = "#" + strconv.Itoa(i+1)
		}
		one.Estimate, _ = s.o.Remote.Price(ctx, r)
		t.Requests = append(t.Requests, one)
	}
	if k.Grant = s.grant(k.Entry, requests...); k.Grant != nil {
		_, err = s.Agree(ctx, t)
		if denied, ok := errors.AsType[*remote.Refusal](err); ok { // it can wait all the same
			k.Grant, k.Code, k.Why = nil, denied.Code, denied.Reason
		}
	}
	if k.Grant == nil {
		k.Code = cmp.Or(k.Code, "not_granted")
		_, err = s.Agree(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	return s.o.Store().AskedBefore(ctx, *k)
}

// grant is what the person lets an entry spend, if that is for the requests' models.
func (s *Submitter) grant(entry string, list ...api.Request) *store.Grant {
	agent := s.o.Settings.Agent(entry)
	if agent.PerJob == 0 || agent.PerDay == 0 || len(agent.Models) > 0 &&
		slices.ContainsFunc(list, func(r api.Request) bool { return !slices.Contains(agent.Models, r.Model) }) {
		return nil
	}
	return &store.Grant{PerJob: agent.PerJob, PerDay: agent.PerDay}
}

// Examine gives a request of an entry's agent with the addresses of the results that it
// names, and all that is against it.
func (s *Submitter) Examine(ctx context.Context, entry string, r api.Request) (api.Request, error) {
	s.learnModels(ctx)
	conn, refusal := s.ready(false)
	if refusal != nil {
		return r, refusal
	}
	problems := s.materials(ctx, entry, &r)
	if _, refusal = s.bodyOf(ctx, conn, r); refusal != nil {
		problems = append(problems, slices.DeleteFunc(refusal.Problems, func(p api.Problem) bool {
			return slices.ContainsFunc(problems, func(q api.Problem) bool { return q.Field == p.Field }) // said already
		})...)
	}
	if len(problems) > 0 {
		refusal = &remote.Refusal{Code: "problems", Fault: *whyProblems.Fault(nil, problems[0]), Problems: problems}
	}
	if refusal != nil {
		return r, refusal
	}
	return r, nil
}

// learnModels asks for the service's models, unless they are known: a request is recorded by their rules and with
// their names. A service that does not answer is asked no longer than an agent waits, and once a minute.
func (s *Submitter) learnModels(ctx context.Context) {
	asked := time.Since(*cmp.Or(s.learned.Load(), &time.Time{})) < time.Minute
	_, refusal := s.ready(false)
	if asked || refusal != nil || !s.o.Remote.KnownModels(ctx).At.IsZero() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	s.o.Remote.Models(ctx)
	s.learned.Store(new(time.Now()))
}

// materials takes the addresses of an agent's materials, and says where there are
// none. Nothing is requested from any of them.
func (s *Submitter) materials(ctx context.Context, entry string, r *api.Request) (problems []api.Problem) {
	r.MapAddresses(func(place, address string) string {
		name, ours := strings.CutPrefix(address, "job:")
		if ours {
			address = s.o.Result(ctx, entry, name)
		}
		if address == "" || !ours && !strings.HasPrefix(address, "https://") {
			problems = append(problems, api.NewProblem(place, "agent_material"))
		}
		return address
	})
	return problems
}
