package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/api/read"
	"darkroom/state/media"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// Toolbox is what the service's tool-protocol entry offers, with its age.
type Toolbox struct {
	mcp.Listing
	Address string    // the entry's whole URL
	At      time.Time // when the service gave it
	Cached  bool      // from the store, because the service was not asked or did not answer
}

const cacheTools = "tools"

// KnownTools returns the last list from the store, without a call; the zero
// Toolbox when there is none.
func (s *Session) KnownTools(ctx context.Context) Toolbox {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	if base == nil {
		return Toolbox{}
	}
	raw, at, err := s.store().Recall(ctx, cacheTools, base.String())
	var l mcp.Listing
	if err != nil || raw == nil || json.Unmarshal(raw, &l) != nil {
		return Toolbox{}
	}
	return Toolbox{Listing: l, Address: mcp.Address(base, l.Path), At: at, Cached: true}
}

// Tools asks the tool-protocol entry for its tools. Where the entry is a
// person may have set; else the place that answered before is asked, and
// without one the known places are tried once.
func (s *Session) Tools(ctx context.Context) (Toolbox, error) {
	l, err := s.calling()
	if err != nil {
		return Toolbox{}, err
	}
	answer := s.calls.DoChan("tools "+l.base, func() (any, error) {
		return s.listTools(s.ctx, l)
	})
	select {
	case r := <-answer:
		return r.Val.(Toolbox), r.Err
	case <-ctx.Done():
		return Toolbox{}, ctx.Err()
	}
}

func (s *Session) listTools(ctx context.Context, l *link) (Toolbox, error) {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	path, learnt, err := s.toolsPath(ctx, l)
	if err != nil {
		return Toolbox{}, err
	}
	if path == "" && !s.Standing().Online {
		// A refused key is told from a place without an entry by one call, not
		// by one for each place.
		_, err := l.service.Models(ctx)
		s.sawCall(l, err)
		if s.Standing().KeyRefused {
			return Toolbox{}, ErrKeyRefused
		}
	}
	listing, err := l.service.Tools(ctx, path)
	if learnt && moved(err) {
		listing, err = l.service.Tools(ctx, "")
	}
	if err = s.sawTools(ctx, l, err); err != nil {
		return Toolbox{}, err
	}
	if path == "" || learnt {
		s.learn(l.base, func(seen *settings.Seen) { seen.ToolsPath = listing.Path })
	}
	now := time.Now()
	if raw, err := json.Marshal(listing); err == nil {
		_ = s.store().Remember(s.ctx, cacheTools, l.base, raw, now)
	}
	return Toolbox{Listing: listing, Address: mcp.Address(base, listing.Path), At: now}, nil
}

// sawTools takes the outcome of a call of the entry into the Standing, as far
// as it is about the service. An entry that is not there, or that wants another
// login, must not stop the polling of jobs: before the key counts as refused
// the service itself is asked.
func (s *Session) sawTools(ctx context.Context, l *link, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		if err == nil {
			s.sawCall(l, nil)
		}
		return err
	}
	switch {
	case keyRefused(e):
		_, asked := l.service.Models(ctx)
		s.sawCall(l, asked)
		if asked == nil {
			told := *e
			told.Class = api.ClassServer
			told.Text = api.Clean("the tool entry refused the key, although the service takes it", api.MaxErrorText)
			told.Do = api.Clean("look on the service's pages how to log in there", api.MaxErrorText)
			return &told
		}
		if s.Standing().KeyRefused {
			return ErrKeyRefused
		}
	case e.Class == api.ClassNetwork && !errors.Is(e.Cause, context.Canceled), e.Class == api.ClassRate:
		s.sawCall(l, err)
	}
	return err
}

// toolsPath is where the entry is; learnt says that it was found and may have
// moved since, rather than set by a person.
func (s *Session) toolsPath(ctx context.Context, l *link) (path string, learnt bool, err error) {
	if set := s.Settings().WaysFor(l.base).ToolsPath; set != "" {
		s.mu.Lock()
		base := s.base
		s.mu.Unlock()
		path, err := mcp.ParseEntryPath(base, set)
		if err != nil {
			return "", false, &Refusal{Code: "not_sendable", Text: "tools_path in the settings file: " + err.Error(), Cause: err}
		}
		return path, false, nil
	}
	seen, err := s.seen(ctx, l.base)
	return seen.ToolsPath, seen.ToolsPath != "", err
}

// moved reports whether an error may mean that the entry is elsewhere by now.
func moved(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && (e.Class == api.ClassNotFound || e.Class == api.ClassUnreadable || e.Status == 405)
}

// ToolCall is one call of a tool that a person wants.
type ToolCall struct {
	Name string
	// Args is a JSON object; nil is an empty one.
	Args json.RawMessage
	// Agreed says that a person agreed to what the call may cost. Only tools
	// that the service declares read-only are called without.
	Agreed bool
	// Progress is told how far the tool is; it must not block.
	Progress func(mcp.Progress)
}

// ToolAnswer is what a tool answered. The bytes of its parts are files in the
// downloads folder: Files has one for each part of Parts, empty for parts
// without bytes.
type ToolAnswer struct {
	mcp.Answer
	Files []File
	// Unsaved says why a part's bytes, or the job, could not be kept.
	Unsaved error
	// Job is the local id of the job that an agreed call began; it is followed
	// like any other. "" when the answer tells of none.
	Job  string
	Took time.Duration
}

// CallTool calls a tool once. A *Refusal means that nothing was sent. An
// *api.Error with Sent after an agreed call leaves open whether the tool ran
// and was charged: see ToolDoubt. Calls that may spend stand in the ledger.
func (s *Session) CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error) {
	l, err := s.readyForTool(c.Agreed)
	if err != nil {
		return ToolAnswer{}, err
	}
	if l.key.In(c.Args) {
		return ToolAnswer{}, &Refusal{Code: "not_sendable", Text: errHoldsKey.Error(), Cause: errHoldsKey}
	}
	path, _, err := s.toolsPath(ctx, l)
	if err != nil {
		return ToolAnswer{}, err
	}
	if path == "" {
		box, err := s.Tools(ctx)
		if err != nil {
			return ToolAnswer{}, err
		}
		path = box.Path
	}
	s.mu.Lock()
	if s.closed { // Close waits for calls that began before it
		s.mu.Unlock()
		return ToolAnswer{}, &Refusal{Code: "store", Text: errClosed.Error(), Cause: errClosed}
	}
	s.sends.Add(1)
	s.mu.Unlock()
	defer s.sends.Done()
	id, began := store.NewID(), time.Now()
	if c.Agreed {
		err := s.store().RecordTool(ctx, store.ToolCall{ID: id, Owner: s.own.id, Base: l.base, Name: c.Name, Now: began, Budget: s.Settings().Budget})
		if err != nil {
			return ToolAnswer{}, toolRefusal(err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.sendCtx, cancel)()
	answer, err := l.service.CallTool(ctx, path, mcp.Call{Name: c.Name, Args: c.Args, Agreed: c.Agreed, Progress: c.Progress})
	took := time.Since(began)
	if c.Agreed {
		s.finishTool(id, answer, err)
	}
	if err = s.sawTools(context.WithoutCancel(ctx), l, err); err != nil {
		return ToolAnswer{}, err
	}
	out := ToolAnswer{Answer: answer, Took: took}
	s.keepParts(&out, l, id, c.Name, began)
	if c.Agreed && !answer.Failed {
		s.adopt(&out, l, id, c, began)
	}
	return out, nil
}

// readyForTool asks of a call that may spend what is asked of every create.
func (s *Session) readyForTool(spends bool) (*link, error) {
	if !spends {
		return s.calling()
	}
	l, refusal := s.ready(false)
	if refusal != nil {
		return nil, refusal
	}
	if _, err := s.calling(); err != nil { // the service may have asked for a rest
		return nil, err
	}
	return l, nil
}

func toolRefusal(err error) error {
	var budget *store.BudgetError
	if errors.As(err, &budget) {
		return &Refusal{Code: "budget", Cause: err,
			Text: "a budget is set and what this tool costs is not known: it was not called; remove the budget to call it"}
	}
	err = storeError(err)
	return &Refusal{Code: "store", Text: "the tool was not called: " + err.Error(), Cause: err}
}

// ToolDoubt reports whether an error of an agreed call leaves open whether the
// tool ran and was charged.
func ToolDoubt(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Sent
}

// finishTool writes what became of a call that may have spent.
func (s *Session) finishTool(id string, a mcp.Answer, err error) {
	phase, why := api.PhaseDone, ""
	switch {
	case errors.Is(err, mcp.ErrNotAgreed):
		phase = api.PhaseNotSent
	case ToolDoubt(err):
		phase, why = api.PhaseUnknown, err.Error()
	case err != nil:
		phase, why = api.PhaseRejected, err.Error()
	case a.Failed:
		phase, why = api.PhaseFailed, a.Texts()
	}
	ctx := context.WithoutCancel(s.ctx)
	// Without this note the call stays in the ledger as one that may have run.
	if err := s.store().FinishTool(ctx, id, phase, api.Clean(why, api.MaxErrorText), time.Now()); err != nil {
		s.change(func(st *Standing) { st.Trouble = store.Words(err) })
	}
	s.news.tell()
}

// adopt follows the job that a call began, so that its result is not lost: the
// answer's ids are tried at the service, and the one that it knows is taken.
func (s *Session) adopt(a *ToolAnswer, l *link, id string, c ToolCall, began time.Time) {
	kind := api.KindImage
	if strings.Contains(strings.ToLower(c.Name), "video") {
		kind = api.KindVideo
	}
	var candidates []string
	for _, raw := range documentsOf(a.Answer) {
		told := read.Create(200, nil, raw, kind)
		for _, id := range append([]string{told.ID}, told.Candidates...) {
			if read.PollableID(id) && !slices.Contains(candidates, id) {
				candidates = append(candidates, id)
			}
		}
	}
	if len(candidates) == 0 {
		return
	}
	remote, _, err := l.service.Resolve(s.sendCtx, candidates[:min(len(candidates), mostCandidates)], kind)
	if err != nil {
		var e *api.Error
		if errors.As(err, &e) && e.Class == api.ClassNotFound {
			return // ids of something else
		}
		remote = candidates[0] // the poller will find out
	}
	request, err := api.ParseBody(kind, c.Args)
	if err != nil {
		request = api.Request{Kind: kind}
	}
	adopted := store.Adopted{
		Call: id, Base: l.base, RemoteID: remote, Model: request.Model, Title: titleOf(request.Prompt),
		Request: request, Body: c.Args, SentAt: began, Now: time.Now(),
	}
	if adopted.Body == nil {
		adopted.Body = json.RawMessage("{}")
	}
	if adopted.Model == "" {
		adopted.Model = c.Name
	}
	if adopted.Title == "" {
		adopted.Title = c.Name
	}
	job, err := s.store().Adopt(context.WithoutCancel(s.ctx), adopted)
	if err != nil {
		a.Unsaved = fmt.Errorf("the job %s that the tool began could not be kept: %w", api.Clean(remote, api.MaxIDText), storeError(err))
		return
	}
	a.Job = job.ID
	s.tell(job.ID)
	s.wake()
}

// mostCandidates bounds how many ids of an answer are tried.
const mostCandidates = 4

// documentsOf are the parts of a tool's answer that may tell of a job.
func documentsOf(a mcp.Answer) []json.RawMessage {
	var out []json.RawMessage
	if len(a.Structured) > 0 {
		out = append(out, a.Structured)
	}
	for _, p := range a.Parts {
		if p.Kind == mcp.PartText && api.IsDocument(p.Text.String()) {
			out = append(out, json.RawMessage(p.Text.String()))
		}
	}
	return out
}

// keepParts saves the bytes of an answer as results are saved: they may have
// cost credits, and the screen shows files.
func (s *Session) keepParts(a *ToolAnswer, l *link, id, name string, at time.Time) {
	a.Files = make([]File, len(a.Parts))
	ctx := context.WithoutCancel(s.ctx)
	for i, p := range a.Parts {
		if len(p.Data) == 0 {
			continue
		}
		kind := api.KindVideo
		if strings.HasPrefix(p.MediaType, "image/") {
			kind = api.KindImage
		}
		f, err := l.fetcher.Fetch(ctx, media.Want{
			Job: id, N: i + 1, Kind: kind, Title: name, Created: at,
			Result: api.Result{Data: p.Data, MediaType: p.MediaType, Kind: kind},
		})
		if err != nil {
			a.Unsaved = fmt.Errorf("part %d of the answer could not be saved: %w", i+1, err)
			continue
		}
		a.Files[i] = f
	}
}

// OpenPath opens a file that a tool's answer was saved in.
func (s *Session) OpenPath(ctx context.Context, path string) error {
	return media.Open(ctx, s.Settings().Opener, path, os.Environ())
}
