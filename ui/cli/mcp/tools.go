package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/run"
)

// document is what a tool answers.
type document = map[string]any

// refusalOf is why a call did nothing, as an agent can act on it.
func refusalOf(err error) document {
	if errors.Is(err, context.Canceled) {
		err = run.Sentencef("the call was cancelled: call jobs to see what was recorded")
	}
	d := document{"error": api.HideKeys(api.OneLine(run.English.Error(err)))}
	if refusal, ok := errors.AsType[*state.Refusal](err); ok {
		d["code"] = refusal.Code
		if len(refusal.Problems) > 0 {
			d["problems"] = run.Problems(refusal.Problems)
		}
	}
	return d
}

// wanted is a request as an agent writes it: the spec's fields, and none else.
type wanted struct {
	Kind    api.Kind        `json:"kind"`
	Request json.RawMessage `json:"request"`
}

// arguments are those of all calls. Each takes some of them, as tools.json says.
type arguments struct {
	wanted
	Requests   []wanted    `json:"requests"`
	Intent     string      `json:"intent"`
	MaxCredits json.Number `json:"max_credits"`
	Limit      int         `json:"limit"`
	Job        string      `json:"job"`
	Seconds    *float64    `json:"seconds"` // to wait
	Picture    bool        `json:"picture"` // comes with the result
}

func (w wanted) read() (api.Request, error) {
	r, err := api.ParseBody(w.Kind, w.Request)
	refusal := &state.Refusal{Code: "problems", Fault: api.Fault{Reason: api.ReasonOf(err)}}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(w.Request, &fields) // it was parsed, or there is a problem
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != api.FieldRatio && !slices.Contains(api.Fields(w.Kind), api.FieldNamed(name)) {
			name := api.Clean(name, 40)
			refusal.Problems = append(refusal.Problems, api.NewProblem(name.String(), "unknown_field", name))
			refusal.Reason = api.ReasonText.Reason(refusal.Problems[0])
		}
	}
	if err != nil || len(refusal.Problems) > 0 {
		return r, refusal
	}
	return r, nil
}

func (v *server) models(ctx context.Context, _ *sdk.CallToolRequest, in arguments) (any, []sdk.Content, error) {
	listing := v.s.Models(ctx)
	list := append([]api.Model{}, api.Pick(listing.Models, func(m api.Model) (api.Model, bool) {
		m.Raw = nil
		return run.ModelOf(m), in.Kind == "" || m.Kind == in.Kind
	})...)
	if len(list) == 0 && listing.Err != nil {
		return nil, nil, listing.Err
	}
	return document{"models": list}, nil, nil
}

func (v *server) quote(ctx context.Context, _ *sdk.CallToolRequest, in arguments) (any, []sdk.Content, error) {
	r, err := in.read()
	if err == nil {
		r, err = v.s.Examine(ctx, v.agent.Entry, r)
	}
	var e api.Estimate
	if err == nil {
		e, err = v.s.Estimate(ctx, r)
		e, err = run.Current(e, err, r)
	}
	d := document{"problems": []any{}, "credits": document{"estimated": nil, "source": api.SourceNone}, "error": nil}
	if e.Known() {
		d["credits"] = document{"estimated": e.Credits, "source": e.Source, "age_seconds": run.Age(e)}
	} else if err != nil {
		maps.Copy(d, refusalOf(err))
	}
	d["today"], err = v.today(ctx)
	return d, nil, err
}

// today is the day of all windows; what is null is not limited.
func (v *server) today(ctx context.Context) (document, error) {
	s, err := v.s.Today(ctx)
	d := document{"spent": s.Credits, "possibly": s.Possibly, "budget": nil, "left": nil}
	if s.Budget != 0 { // one that cannot be read allows nothing
		d["budget"] = s.Budget
	}
	if s.Tightest().Budget != 0 { // of the month may be left less
		d["left"], _ = s.Left()
	}
	return d, err
}

func (v *server) budget(ctx context.Context, _ *sdk.CallToolRequest, _ arguments) (any, []sdk.Content, error) {
	today, err := v.today(ctx)
	spent, may, err2 := v.s.Queue().SpentBy(ctx, v.agent.Entry)
	return document{"today": today, "entry": document{"name": v.agent.Entry, "spent": spent, "per_job": may.PerJob, "per_day": may.PerDay,
		"models": append([]string{}, may.Models...)}}, nil, cmp.Or(err, err2)
}

func (v *server) submit(ctx context.Context, _ *sdk.CallToolRequest, in arguments) (any, []sdk.Content, error) {
	list := in.Requests
	if (len(list) == 0) == (in.Kind == "" || in.Request == nil) {
		return nil, nil, run.Sentencef("give either kind and request, or requests")
	}
	if len(list) == 0 {
		list = []wanted{in.wanted}
	}
	limit, err := api.ParseLimit(in.MaxCredits.String())
	if err != nil || limit <= 0 { // 0 would be no limit
		return nil, nil, run.Sentencef("max_credits is not an amount of credits above 0")
	}
	requests := make([]api.Request, len(list))
	for i, one := range list {
		if requests[i], err = one.read(); err != nil {
			return nil, nil, err
		}
	}
	asked, err := v.agent.Ask(ctx, api.HideKeys(in.Intent), requests, limit)
	if err != nil {
		return nil, nil, err
	}
	documents := api.Map(asked, v.job)
	first := documents[0]
	d := document{"job": first.ID, "phase": first.Phase, "approve": first.Next, "code": first.Code, "error": first.Error}
	if len(documents) > 1 {
		d["jobs"] = documents
	}
	return d, nil, nil
}

// askedDocument is the document of a job with what concerns the agent.
type askedDocument struct {
	jobs.Document
	Code    string     `json:"code,omitempty"` // why it waits, or is not sent
	Expires string     `json:"expires_at"`
	Files   []document `json:"files"`
	Next    string     `json:"next"`
}

func (v *server) job(a state.Asked) askedDocument {
	d := askedDocument{Document: jobs.DocumentOf(a.Job), Code: a.Code, Expires: a.Expires.Format(time.RFC3339), Files: []document{}}
	if d.Pattern, d.Variation = "", ""; a.Ended {
		d.Phase = api.Phase(a.Code)
	}
	for _, f := range a.Job.Files {
		file := document{"id": fmt.Sprintf("%s/%d", a.ID, f.N), "media_type": f.MediaType, "bytes": f.Bytes, "sha256": f.SHA256}
		if v.s.Settings().Agents[v.agent.Entry].Paths {
			file["path"] = f.Path
		}
		d.Files = append(d.Files, file)
	}
	switch {
	case a.Ended && a.Code == "declined":
		d.Next = "A person declined it; error has the reason. Do not ask for the same again within 10 minutes."
	case a.Ended:
		d.Next = "It is not sent any more: ask for it again with a new intent if it is still wanted."
	case a.Phase == api.PhaseHeld && a.Paused:
		d.Next = "A person has to send it: in Jobs or with 'darkroom job " + a.ID + " --send'. Nothing is spent until then. Call wait."
	case a.Phase == api.PhaseUnknown, a.Phase == api.PhaseUnread:
		d.Next = "It may have been accepted and charged: do not send it again; a person settles it."
	case a.Phase == api.PhaseDone:
		d.Next = "It is done: call result."
	case a.Phase.Active(), a.Phase == api.PhaseHeld:
		d.Next = "It is under way: call wait."
	default:
		d.Next = "It ended without a result; error says why."
	}
	return d
}

// wait waits in three parts: a client that is told of each does not give up the call.
func (v *server) wait(ctx context.Context, r *sdk.CallToolRequest, in arguments) (any, []sdk.Content, error) {
	limit, token := 45*time.Second, r.Params.GetProgressToken()
	if in.Seconds != nil {
		limit = min(limit, time.Duration(*in.Seconds*float64(time.Second)))
	}
	for n := 1.0; ; n++ {
		part, stop := context.WithTimeout(ctx, limit/3)
		one, err := v.agent.Await(part, in.Job)
		ended := part.Err() == nil
		stop()
		switch {
		case err != nil:
			return nil, nil, err
		case ended, n == 3, ctx.Err() != nil:
			return v.job(one), nil, nil
		case token != nil:
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Total: 3}) // nobody may listen
		}
	}
}

func (v *server) jobs(ctx context.Context, _ *sdk.CallToolRequest, in arguments) (any, []sdk.Content, error) {
	list, err := v.agent.List(ctx, cmp.Or(in.Limit, 20))
	return document{"jobs": api.Map(list, v.job)}, nil, err
}

func (v *server) result(ctx context.Context, _ *sdk.CallToolRequest, in arguments) (any, []sdk.Content, error) {
	one, err := v.agent.Find(ctx, in.Job)
	if err != nil {
		return nil, nil, err
	}
	var more []sdk.Content
	d := v.job(one)
	for _, f := range one.Job.Files {
		name := fmt.Sprintf("%s/%d", one.ID, f.N)
		d.Next = "Use a file in another request as job:" + name + "."
		more = append(more, &sdk.ResourceLink{URI: fileURI + name, Name: name, MIMEType: f.MediaType, Size: &f.Bytes})
	}
	if in.Picture && len(one.Job.Files) > 0 {
		if small, err := v.loader.JPEG(ctx, one.Job.Files[0].Path, 256, 16<<10); err != nil { // pixels and bytes
			more = append(more, &sdk.TextContent{Text: "There is no picture of it: " + err.Error()})
		} else {
			more = append(more, &sdk.ImageContent{Data: small, MIMEType: "image/jpeg"})
		}
	}
	return d, more, nil
}

const (
	fileURI = "darkroom://job/"
	maxFile = 8 << 20 // bytes of a file that is read
)

// file gives a file of one of the entry's jobs.
func (v *server) file(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id, number, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, fileURI), "/")
	one, err := v.agent.Find(ctx, id)
	n, _ := strconv.Atoi(number)
	f, saved := api.Find(one.Job.Files, func(f state.File) bool { return f.N == n })
	if err != nil || !saved {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	data, err := v.ReadInput(ctx, f.Path, maxFile+1)
	if err != nil || len(data) > maxFile {
		return nil, fmt.Errorf("the file is gone, or longer than %d bytes", maxFile)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: f.MediaType, Blob: data}}}, nil
}
