package submit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Ask is what an agent asks for: requests that wait for a person, as one.
type Ask struct {
	Entry      string // the name under which the agent's program was set up
	Intent     string // chosen by the agent: the same one is the same requests for ever
	Requests   []api.Request
	MaxCredits api.Credits // of the total
}

// Ask records what an agent asks for and gives the ids of the requests. What the
// settings grant to the entry is sent in its turn, all else waits for a person.
// Nothing of it is confirmed: what the agent says is no agreement.
func (s *Submitter) Ask(ctx context.Context, a Ask) ([]string, error) {
	whole, err := wholeHash(a.Requests)
	if err != nil {
		return nil, err
	}
	if ids, err := s.o.Store().AskedBefore(ctx, a.Entry, a.Intent, whole); err != nil || len(ids) > 0 {
		return ids, refusalOr(err)
	}
	conn, refusal := s.ready(false)
	if refusal != nil {
		return nil, refusal
	}
	if limit := s.o.Settings.Get().VariationsLimit(); len(a.Requests) > limit {
		cause := &expand.TooManyError{Count: len(a.Requests), Limit: limit}
		return nil, refuse("too_many", cause.Why(), cause)
	}
	k := store.Ask{Entry: a.Entry, Intent: a.Intent, Whole: whole, MaxCredits: a.MaxCredits, Agreement: store.Agreement{
		ID: NewConfirmID(), Instance: s.o.Instance, Base: conn.Base, Total: api.Estimate{Source: api.SourceTable},
		Budget: s.o.Settings.Budget(),
	}}
	var denied *remote.Refusal
	for i, r := range a.Requests {
		r, body, refusal := s.askedBody(ctx, conn, r)
		if refusal != nil {
			return nil, refusal
		}
		asked, _ := s.o.Remote.Estimate(ctx, r)
		price, _ := asked.WithTable(r).Current(r, time.Now())
		grant, refusal := s.grant(a.Entry, r)
		if k.Grant = &grant; refusal != nil && denied == nil {
			denied = refusal
		}
		k.Total = k.Total.Plus(price)
		id, label := store.NewID(), ""
		if len(a.Requests) > 1 {
			label = "#" + strconv.Itoa(i+1)
		}
		k.Held = append(k.Held, store.Held{ConfirmID: k.ID + "/" + id, Job: store.Job{
			Row:     store.Row{ID: id, Title: titleOf(r.Prompt), Label: label},
			Request: r, Body: body, Estimate: price,
		}})
	}
	if k.Pattern = k.Held[0].Request; k.Total.Known() {
		if refusal := underMax(a.MaxCredits, k.Total); refusal != nil {
			return nil, refusal
		}
	}
	return s.hold(ctx, k, denied)
}

// hold records what is asked for: to be sent, unless that is denied, or to wait.
func (s *Submitter) hold(ctx context.Context, k store.Ask, denied *remote.Refusal) (ids []string, err error) {
	if denied == nil {
		denied = s.canSave()
	}
	k.Now = time.Now()
	if denied == nil {
		ids, err = s.o.Store().Ask(ctx, k)
		if !errors.As(err, &denied) || denied.Code == "too_many_open" || denied.Code == store.CodeDeclined {
			return s.held(ids, err)
		}
	}
	k.Grant, k.Code, k.Why = nil, denied.Code, denied.Reason
	return s.held(s.o.Store().Ask(ctx, k))
}

func (s *Submitter) held(ids []string, err error) ([]string, error) {
	if err != nil {
		return nil, refusalOf(err)
	}
	s.o.Changed(ids...)
	return ids, nil
}

func refusalOr(err error) error {
	if err == nil {
		return nil
	}
	return refusalOf(err)
}

// wholeHash tells the requests of an intent from others. It is not that of the
// bodies, which follow the service's listing.
func wholeHash(list []api.Request) (string, error) {
	text, err := api.PlainJSON(list)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// grant is what the person lets an entry spend, if that is for a request's model.
func (s *Submitter) grant(entry string, r api.Request) (store.Grant, *remote.Refusal) {
	agent := s.o.Settings.Agent(entry)
	switch {
	case agent.PerJob == 0 || agent.PerDay == 0:
		return store.Grant{}, refuse("not_granted", whyNoGrant.Reason(), nil)
	case len(agent.Models) > 0 && !slices.Contains(agent.Models, r.Model):
		return store.Grant{}, refuse("not_granted", whyNoModelGrant.Reason(api.Clean(r.Model, api.MaxIDText)), nil)
	}
	return store.Grant{PerJob: agent.PerJob, PerDay: agent.PerDay}, nil
}

// Examine is what is against a request that an agent may ask for; none is nil.
func (s *Submitter) Examine(ctx context.Context, r api.Request) (api.Request, error) {
	conn, refusal := s.ready(false)
	if refusal == nil {
		r, _, refusal = s.askedBody(ctx, conn, r)
	}
	if refusal != nil {
		return r, refusal
	}
	return r, nil
}

// askedBody is bodyOf for a request of an agent, with the addresses of the results
// that it names. Nothing is requested from the addresses.
func (s *Submitter) askedBody(ctx context.Context, conn *remote.Connection, r api.Request) (api.Request, []byte, *remote.Refusal) {
	var problems []api.Problem
	for _, f := range api.Fields(r.Kind) {
		if f.Shape != api.ShapeURL {
			continue
		}
		texts := slices.Clone(f.Texts(&r))
		for i, text := range texts {
			place := f.Name
			if f.Max > 0 {
				place += "." + strconv.Itoa(i+1)
			}
			address, code := s.material(ctx, text)
			if texts[i] = address; code != "" {
				problems = append(problems, api.NewProblem(place, code))
			}
		}
		if len(texts) > 0 {
			f.Set(&r, texts...)
		}
	}
	if len(problems) > 0 {
		return r, nil, &remote.Refusal{Code: "problems", Reason: whyProblems.Reason(problems[0]), Problems: problems}
	}
	body, refusal := s.bodyOf(ctx, conn, r)
	return r, body, refusal
}

// material is the address of a material that an agent names: a result of ours, as
// job:ID/1, or an https address. code says why it is neither.
func (s *Submitter) material(ctx context.Context, text string) (address, code string) {
	name, ours := strings.CutPrefix(text, "job:")
	if !ours {
		if !strings.HasPrefix(text, "https://") {
			code = "agent_material"
		}
		return text, code
	}
	id, number, _ := strings.Cut(name, "/")
	j, err := s.o.Store().Job(ctx, id)
	n, _ := strconv.Atoi(number)
	switch {
	case err != nil || n < 1:
		return text, "agent_result"
	case n <= len(j.Files):
		return j.Files[n-1].URL, ""
	case n <= len(j.Results):
		return j.Results[n-1].URL, ""
	}
	return text, "agent_result"
}
