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

// CallTool calls a tool once. A *remote.Refusal means that nothing was sent. An
// *api.Error with Sent after an agreed call does not say whether the tool
// ran and was charged: see ToolUnknown. Calls that may spend are in the ledger.
func (s *Submitter) CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error) {
	conn, err := s.readyForTool(c.Agreed)
	if err != nil {
		return ToolAnswer{}, err
	}
	if conn.Key.In(c.Args) {
		return ToolAnswer{}, &remote.Refusal{Code: "not_sendable", Text: remote.ErrHoldsKey.Error(), Cause: remote.ErrHoldsKey}
	}
	path, _, err := s.o.Remote.ToolsPath(ctx, conn)
	if err != nil {
		return ToolAnswer{}, err
	}
	if path == "" {
		box, err := s.o.Remote.Tools(ctx)
		if err != nil {
			return ToolAnswer{}, err
		}
		path = box.Path
	}
	if refusal := s.begin(); refusal != nil {
		return ToolAnswer{}, refusal
	}
	defer s.sends.Done()
	id, began := store.NewID(), time.Now()
	if c.Agreed {
		err := s.o.Store().RecordTool(ctx, store.ToolCall{ID: id, Instance: s.o.Instance, Base: conn.Base, Name: c.Name, Now: began, Budget: s.o.Settings.Get().Budget})
		if err != nil {
			return ToolAnswer{}, toolRefusal(err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.sendCtx, cancel)()
	answer, err := conn.Service.CallTool(ctx, path, mcp.Call{Name: c.Name, Args: c.Args, Agreed: c.Agreed, Progress: c.Progress})
	took := time.Since(began)
	if c.Agreed {
		s.finishTool(id, answer, err)
	}
	if err = s.o.Remote.ObserveTool(context.WithoutCancel(ctx), conn, err); err != nil {
		return ToolAnswer{}, err
	}
	out := ToolAnswer{Answer: answer, Took: took}
	s.keepParts(&out, conn, id, c.Name, began)
	if c.Agreed && !answer.Failed {
		s.adopt(&out, conn, id, c, began)
	}
	return out, nil
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
	var budget *store.BudgetError
	if errors.As(err, &budget) {
		return &remote.Refusal{Code: "budget", Cause: err,
			Text: "a budget is set and what this tool costs is not known: it was not called; remove the budget to call it"}
	}
	err = store.Explain(err)
	return &remote.Refusal{Code: "store", Text: "the tool was not called: " + err.Error(), Cause: err}
}

// ToolUnknown reports whether an error of an agreed call leaves open whether the
// tool ran and was charged.
func ToolUnknown(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Sent
}

// finishTool writes what became of a call that may have spent.
func (s *Submitter) finishTool(id string, a mcp.Answer, err error) {
	phase, why := api.PhaseDone, ""
	switch {
	case errors.Is(err, mcp.ErrNotAgreed):
		phase = api.PhaseNotSent
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
		s.o.Remote.SetTrouble(store.Words(err))
	}
	s.o.Changed()
}
