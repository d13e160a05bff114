package submit

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// ToolCall is one call of a tool that a person wants.
type ToolCall struct {
	Name string
	// Args is a JSON object; nil is an empty one.
	Args json.RawMessage
	// Agreed says that a person agreed to what the call may cost. Only tools
	// that the service declares read-only are called without.
	Agreed bool
	// UnderBudget says that a person agreed, after a Refusal with CodeAskTool,
	// that a tool that is declared read-only is called although a budget is set.
	UnderBudget bool
	// Progress is called with how far the tool is; it must not block.
	Progress func(mcp.Progress)
}

// ToolAnswer is what a tool answered. The bytes of its parts are files in the
// downloads folder: Files has one for each part of Parts, empty for parts
// without bytes.
type ToolAnswer struct {
	mcp.Answer
	Files []store.File
	// Unsaved says why a part's bytes, or the job, could not be kept.
	Unsaved error
	// Job is the local id of the job that an agreed call began; it is followed
	// like any other. "" when the answer names none.
	Job  string
	Took time.Duration
}

// CodeAskTool is the code of the Refusal of a tool that is declared read-only
// while a budget is set: that it costs nothing is the service's word alone. A
// person may agree to it, once for each tool and session: see
// ToolCall.UnderBudget.
const CodeAskTool = "ask_tool"

// CallTool calls a tool once. A *remote.Refusal means that nothing was sent. An
// *api.Error with Sent after an agreed call does not say whether the tool
// ran and was charged: see ToolUnknown. Every call is recorded before and
// settled after. When ctx ends, an agreed call is given as long for its answer
// as a create is; every other one ends at once.
func (s *Submitter) CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error) {
	conn, err := s.readyForTool(c.Agreed)
	if err != nil {
		return ToolAnswer{}, err
	}
	if conn.Key.In(c.Args) {
		return ToolAnswer{}, &remote.Refusal{Code: "not_sendable", Reason: remote.ErrHoldsKey.Why(), Cause: remote.ErrHoldsKey}
	}
	if refusal := s.mayRead(conn, c); refusal != nil {
		return ToolAnswer{}, refusal
	}
	if c.Agreed {
		if refusal := s.canSave(); refusal != nil {
			return ToolAnswer{}, refusal
		}
	}
	path, err := s.toolsPath(ctx, conn)
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
		record.Budget = s.o.Settings.Budget()
	}
	if err := s.o.Store().RecordTool(ctx, record); err != nil {
		return ToolAnswer{}, toolRefusal(err)
	}
	call, end := s.toolContext(ctx, c.Agreed)
	defer end()
	answer, err := conn.Service.CallTool(call, path, mcp.Call{Name: c.Name, Args: c.Args, Agreed: c.Agreed, Progress: c.Progress})
	took := time.Since(began)
	s.finishTool(id, c.Agreed, answer, err)
	if err = s.o.Remote.ObserveTool(context.WithoutCancel(ctx), conn, err); err != nil {
		return ToolAnswer{}, err
	}
	out := ToolAnswer{Answer: answer, Took: took}
	s.keepParts(&out, conn, id, c.Name, began)
	if c.Agreed && !answer.Failed {
		s.follow(&out, conn, id, c, began)
	}
	return out, nil
}

// toolsPath is where the entry is, which is looked for when it is not known.
func (s *Submitter) toolsPath(ctx context.Context, conn *remote.Connection) (string, error) {
	path, _, err := s.o.Remote.ToolsPath(ctx, conn)
	if err != nil || path != "" {
		return path, err
	}
	box, err := s.o.Remote.Tools(ctx)
	return box.Path, err
}

// mayRead refuses a tool that is declared read-only under a budget, until a
// person has agreed to it once.
func (s *Submitter) mayRead(conn *remote.Connection, c ToolCall) *remote.Refusal {
	if c.Agreed || s.o.Settings.Budget() == 0 {
		return nil
	}
	name := conn.Base + " " + c.Name
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.UnderBudget {
		s.readTools[name] = true
	}
	if s.readTools[name] {
		return nil
	}
	return &remote.Refusal{Code: CodeAskTool, Reason: whyToolAsk.Reason()}
}

// stopPatience is how long an agreed call may go on after its caller gave up.
// While the session closes it is Close that decides.
const stopPatience = 3 * time.Second

func (s *Submitter) toolContext(ctx context.Context, spends bool) (context.Context, func()) {
	call, stop := context.WithCancel(context.WithoutCancel(ctx))
	givenUp := context.AfterFunc(ctx, func() {
		if spends && (!remote.Sleep(call, s.scale.Of(stopPatience)) || s.isClosed()) {
			return
		}
		stop()
	})
	ended := context.AfterFunc(s.sendCtx, stop)
	return call, func() { ended(); givenUp(); stop() }
}

// readyForTool asks of a call that may spend what is asked of every create.
func (s *Submitter) readyForTool(spends bool) (*remote.Connection, error) {
	if !spends {
		return s.o.Remote.Ready()
	}
	conn, refusal := s.ready(false)
	if refusal != nil {
		return nil, refusal
	}
	if _, err := s.o.Remote.Ready(); err != nil { // the service may have asked for a rest
		return nil, err
	}
	return conn, nil
}

func toolRefusal(err error) error {
	var refusal *remote.Refusal
	if errors.As(err, &refusal) {
		return &remote.Refusal{Code: refusal.Code, Reason: whyToolBudget.Reason(), Cause: err}
	}
	err = store.Explain(err)
	return &remote.Refusal{Code: "store", Reason: whyToolNot.Reason(err), Cause: err}
}

// ToolUnknown reports whether an error of an agreed call leaves open whether the
// tool ran and was charged.
func ToolUnknown(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Sent
}

// finishTool writes what became of a call.
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
	ctx := context.WithoutCancel(s.ctx)
	// Without this note the call stays in the ledger as one that may have run.
	if err := s.o.Store().FinishTool(ctx, id, phase, api.Clean(why, api.MaxErrorText), time.Now()); err != nil {
		s.o.Remote.SetTrouble(store.Why(err))
	}
	s.o.Changed()
}
