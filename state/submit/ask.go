package submit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
)

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
		r, refusal := s.materials(ctx, r)
		if refusal != nil {
			return nil, refusal
		}
		one := Agreed{Request: r}
		if len(requests) > 1 {
			one.Label = "#" + strconv.Itoa(i+1)
		}
		one.Estimate, _ = s.o.Remote.Price(ctx, r)
		t.Requests, t.Pattern = append(t.Requests, one), r
	}
	k.Code = "not_granted" // it is the usual case
	if k.Grant = s.grant(k.Entry, requests...); k.Grant != nil {
		_, err = s.Hold(ctx, t)
		var denied *remote.Refusal
		if errors.As(err, &denied) { // it can wait all the same
			k.Grant, k.Code, k.Why = nil, denied.Code, denied.Reason
		}
	}
	if k.Grant == nil {
		_, err = s.Hold(ctx, t)
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

// Examine is what is against a request that an agent may ask for; none is nil.
func (s *Submitter) Examine(ctx context.Context, r api.Request) (api.Request, error) {
	conn, refusal := s.ready(false)
	if refusal == nil {
		r, refusal = s.materials(ctx, r)
	}
	if refusal == nil {
		_, refusal = s.bodyOf(ctx, conn, r)
	}
	if refusal != nil {
		return r, refusal
	}
	return r, nil
}

// materials gives a request of an agent with the addresses of the results that it
// names. Nothing is requested from any address.
func (s *Submitter) materials(ctx context.Context, r api.Request) (api.Request, *remote.Refusal) {
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
		return r, &remote.Refusal{Code: "problems", Reason: whyProblems.Reason(problems[0]), Problems: problems}
	}
	return r, nil
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
	if err != nil || n < 1 || n > len(j.Results) || j.Results[n-1].URL == "" { // one of the answer itself has none
		return text, "agent_result"
	}
	return j.Results[n-1].URL, ""
}
