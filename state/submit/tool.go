package submit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/api/read"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// ToolCall is one call of a tool that a person wants.
type ToolCall struct {
	mcp.Call
	// UnderBudget says that a person agreed to it after a Refusal with CodeAskTool, or since credits or calls were used up.
	UnderBudget bool
}

// ToolAnswer is what a tool answered. Files has one for each part, or an empty one.
type ToolAnswer struct {
	mcp.Answer
	Files []store.File
	// Unsaved says why a part, its bytes, or the job, could not be kept.
	Unsaved error
	// Job is the local id of the job that an agreed call began, or "".
	Job  string
	Took time.Duration
}

// CodeAskTool refuses a tool that is declared read-only while a budget is set:
// that it costs nothing is the service's word alone. A person may agree to it,
// once for each tool and session.
const CodeAskTool = "ask_tool"

// CallTool calls a tool once, recorded before and settled after. A
// *remote.Refusal means that nothing was sent. Of another error ToolUnknown says
// whether the tool may have run. When ctx ends, an agreed call is given as long
// for its answer as a create.
func (s *Submitter) CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error) {
	if c.Agreed { // what is asked of every create
		if err := s.Ready(c.UnderBudget); err != nil {
			return ToolAnswer{}, err
		}
	}
	conn, err := s.o.Remote.Ready() // the service may have asked for a rest
	if err != nil {
		return ToolAnswer{}, err
	}
	if conn.Key.In(c.Args) {
		return ToolAnswer{}, refusedBy("not_sendable", remote.ErrHoldsKey)
	}
	if refusal := s.mayRead(conn, c); refusal != nil {
		return ToolAnswer{}, refusal
	}
	path, _, err := s.o.Remote.ToolsPath(ctx, conn)
	if err == nil && path == "" { // it is looked for
		var box remote.Toolbox
		box, err = s.o.Remote.Tools(ctx)
		path = box.Path
	}
	if err != nil {
		return ToolAnswer{}, err
	}
	if refusal := s.begin(); refusal != nil {
		return ToolAnswer{}, refusal
	}
	defer s.sends.Done()
	id, began := store.NewID(), time.Now()
	record := store.ToolCall{ID: id, Instance: s.o.Instance, Base: conn.Base, Name: c.Name, Now: began}
	if c.Agreed {
		record.Budget = s.o.Settings.Budgets()
	}
	err = s.o.Store().RecordTool(ctx, record)
	if refusal, ok := errors.AsType[*remote.Refusal](err); ok {
		return ToolAnswer{}, refuse(refusal.Code, err, whyToolBudget)
	} else if err != nil {
		err = store.Explain(err)
		return ToolAnswer{}, refuse("store", err, "the tool was not called: %v", err)
	}
	call, end := s.toolContext(ctx, c.Agreed)
	defer end()
	answer, err := conn.Service.CallTool(call, path, c.Call)
	took := time.Since(began)
	s.finishTool(id, c.Agreed, answer, err)
	if err = s.o.Remote.ObserveTool(context.WithoutCancel(ctx), conn, err); err != nil {
		return ToolAnswer{}, err
	}
	out := ToolAnswer{Answer: answer, Unsaved: answer.Cut, Took: took}
	s.keepParts(&out, conn, id, c.Name, began)
	if c.Agreed && !answer.Failed {
		s.follow(&out, conn, id, c, began)
	}
	return out, nil
}

// mayRead refuses a tool as CodeAskTool says.
func (s *Submitter) mayRead(conn *remote.Connection, c ToolCall) *remote.Refusal {
	if c.Agreed || s.o.Settings.Budgets() == (api.Budgets{}) {
		return nil
	}
	name := conn.Base + " " + c.Name
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readTools[name] = s.readTools[name] || c.UnderBudget; s.readTools[name] {
		return nil
	}
	return refuse(CodeAskTool, nil, whyToolAsk)
}

// stopPatience is how long an agreed call may go on after its caller gave up.
// While the session closes it is Close that decides.
const stopPatience = 3 * time.Second

func (s *Submitter) toolContext(ctx context.Context, spends bool) (context.Context, func()) {
	call, stop := context.WithCancel(context.WithoutCancel(ctx))
	givenUp := context.AfterFunc(ctx, func() {
		if spends && (!remote.Sleep(call, s.scale.Of(stopPatience)) || s.closed.Load()) {
			return
		}
		stop()
	})
	ended := context.AfterFunc(s.sendCtx, stop)
	return call, func() { ended(); givenUp(); stop() }
}

// ToolUnknown reports whether an error leaves open if a call ran and was charged.
func ToolUnknown(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Sent
}

func (s *Submitter) finishTool(id string, spends bool, a mcp.Answer, err error) {
	phase, why := api.PhaseDone, ""
	if !spends {
		phase = store.PhaseRead
	}
	switch {
	case errors.Is(err, mcp.ErrNotAgreed):
		phase, why = api.PhaseNotSent, err.Error()
	case ToolUnknown(err):
		phase, why = api.PhaseUnknown, err.Error()
	case err != nil:
		phase, why = api.PhaseRejected, err.Error()
	case a.Failed:
		phase, why = api.PhaseFailed, a.Texts()
	}
	// Without this note the call stays in the ledger as one that may have run.
	_ = s.o.Store().FinishTool(context.WithoutCancel(s.ctx), id, phase, api.Clean(why, api.MaxErrorText), time.Now())
	s.o.Changed()
}

// follow follows the job that a call began, by the id that the service knows.
func (s *Submitter) follow(a *ToolAnswer, conn *remote.Connection, id string, c ToolCall, began time.Time) {
	kind := api.KindImage
	if strings.Contains(strings.ToLower(c.Name), "video") {
		kind = api.KindVideo
	}
	var candidates []string
	// The parts that may name a job:
	for _, raw := range append([]json.RawMessage{a.Structured}, api.Map(a.Parts, mcp.Part.Document)...) {
		found := read.Create(200, nil, raw, kind)
		may := func(id string) (string, bool) { // an earlier job may be named, as what this one is made from
			first := len(candidates) == 0 && id == found.ID
			return id, read.PollableID(id) && (first || !s.o.Store().Knows(s.sendCtx, conn.Base, id))
		}
		candidates = append(candidates, api.Pick(append([]string{found.ID}, found.Candidates...), may)...)
	}
	if len(candidates) == 0 {
		return
	}
	remote, _, err := conn.Service.Resolve(s.sendCtx, candidates, kind)
	if e, ok := errors.AsType[*api.Error](err); ok && e.Class == api.ClassNotFound {
		return // ids of something else
	}
	remote = cmp.Or(remote, candidates[0]) // without an answer the poller will find out
	request, err := api.ParseBody(kind, c.Args)
	if err != nil {
		request = api.Request{Kind: kind}
	}
	called := store.Intent{Base: conn.Base, Request: request, Body: c.Args, Title: cmp.Or(titleOf(request.Prompt), c.Name), Now: began}
	if called.Body == nil {
		called.Body = []byte("{}")
	}
	job, err := s.o.Store().Follow(context.WithoutCancel(s.ctx), id, remote, cmp.Or(request.Model, c.Name), called, time.Now())
	if err != nil {
		a.Unsaved = whyJobNotKept.Fault(err, api.Clean(remote, api.MaxIDText), store.Explain(err))
		return
	}
	a.Job = job.ID
	s.o.Changed(job.ID)
}

// keepParts saves the bytes of an answer as results: they may have cost credits.
func (s *Submitter) keepParts(a *ToolAnswer, conn *remote.Connection, id, name string, at time.Time) {
	a.Files = make([]store.File, len(a.Parts))
	ctx := context.WithoutCancel(s.ctx)
	for i, p := range a.Parts {
		if len(p.Data) == 0 {
			continue
		}
		kind := cmp.Or(read.TypeKind(p.MediaType), api.KindVideo)
		job := &store.Job{Row: store.Row{ID: id, Kind: kind, Title: name, CreatedAt: at}}
		result := api.Result{Data: p.Data, MediaType: p.MediaType, Kind: kind}
		saved, err := s.o.Fetcher(conn).Fetch(ctx, media.Want{Job: job, N: i + 1, Result: result})
		if a.Files[i] = saved; err != nil {
			a.Unsaved = api.Sentence("part %v of the response could not be saved: %v").Fault(err, i+1, err)
		}
	}
}
