package submit

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/api/read"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// follow follows the job that a call began, so that its result is not lost: the
// answer's ids are tried at the service, and the one that it knows is taken.
func (s *Submitter) follow(a *ToolAnswer, conn *remote.Connection, id string, c ToolCall, began time.Time) {
	kind := api.KindImage
	if strings.Contains(strings.ToLower(c.Name), "video") {
		kind = api.KindVideo
	}
	var candidates []string
	for _, raw := range documentsOf(a.Answer) {
		found := read.Create(200, nil, raw, kind)
		for _, id := range append([]string{found.ID}, found.Candidates...) {
			if read.PollableID(id) && !slices.Contains(candidates, id) {
				candidates = append(candidates, id)
			}
		}
	}
	if len(candidates) == 0 {
		return
	}
	remote, _, err := conn.Service.Resolve(s.sendCtx, candidates[:min(len(candidates), maxCandidates)], kind)
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
	followed := store.Followed{
		Call: id, Base: conn.Base, RemoteID: remote, Model: request.Model, Title: titleOf(request.Prompt),
		Request: request, Body: c.Args, SentAt: began, Now: time.Now(),
	}
	if followed.Body == nil {
		followed.Body = json.RawMessage("{}")
	}
	if followed.Model == "" {
		followed.Model = c.Name
	}
	if followed.Title == "" {
		followed.Title = c.Name
	}
	job, err := s.o.Store().Follow(context.WithoutCancel(s.ctx), followed)
	if err != nil {
		a.Unsaved = whyJobNotKept.Fault(err, api.Clean(remote, api.MaxIDText), store.Explain(err))
		return
	}
	a.Job = job.ID
	s.o.Changed(job.ID)
}

// maxCandidates bounds how many ids of an answer are tried.
const maxCandidates = 4

// documentsOf are the parts of a tool's answer that may name a job.
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
func (s *Submitter) keepParts(a *ToolAnswer, conn *remote.Connection, id, name string, at time.Time) {
	a.Files = make([]store.File, len(a.Parts))
	ctx := context.WithoutCancel(s.ctx)
	for i, p := range a.Parts {
		if len(p.Data) == 0 {
			continue
		}
		kind := api.KindVideo
		if strings.HasPrefix(p.MediaType, "image/") {
			kind = api.KindImage
		}
		f, err := s.o.Fetcher(conn).Fetch(ctx, media.Want{
			Job: id, N: i + 1, Kind: kind, Title: name, Created: at,
			Result: api.Result{Data: p.Data, MediaType: p.MediaType, Kind: kind},
		})
		if err != nil {
			a.Unsaved = whyPartNotKept.Fault(err, i+1, err)
			continue
		}
		a.Files[i] = f
	}
}
