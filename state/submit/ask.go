package submit

import (
	"cmp"
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
		if r, err = s.Examine(ctx, r); err != nil {
			return nil, err
		}
		one := Agreed{Request: r}
		if len(k.Confirm) > 0 {
			one.ConfirmID = k.Confirm[i]
		}
		if len(requests) > 1 {
			one.Label = "#" + strconv.Itoa(i+1)
		}
		one.Estimate, _ = s.o.Remote.Price(ctx, r)
		t.Requests, t.Pattern = append(t.Requests, one), r
	}
	if k.Grant = s.grant(k.Entry, requests...); k.Grant != nil {
		_, err = s.Hold(ctx, t)
		if denied, ok := errors.AsType[*remote.Refusal](err); ok { // it can wait all the same
			k.Grant, k.Code, k.Why = nil, denied.Code, denied.Reason
		}
	}
	if k.Grant == nil {
		k.Code = cmp.Or(k.Code, "not_granted")
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

// Examine gives a request of an agent with the addresses of the results that it
// names, and all that is against it.
func (s *Submitter) Examine(ctx context.Context, r api.Request) (api.Request, error) {
	conn, refusal := s.ready(false)
	if refusal != nil {
		return r, refusal
	}
	problems := s.materials(ctx, &r)
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

// materials takes the addresses of an agent's materials, and says where there are
// none. Nothing is requested from any of them.
func (s *Submitter) materials(ctx context.Context, r *api.Request) (problems []api.Problem) {
	r.MapAddresses(func(place, address string) string {
		if name, ours := strings.CutPrefix(address, "job:"); ours {
			address = s.resultAddress(ctx, name)
		}
		if !strings.HasPrefix(address, "https://") {
			problems = append(problems, api.NewProblem(place, "agent_material"))
		}
		return address
	})
	return problems
}

// resultAddress is where a result of ours is, which is named as ID/1; "" without one.
func (s *Submitter) resultAddress(ctx context.Context, name string) string {
	id, number, _ := strings.Cut(name, "/")
	n, _ := strconv.Atoi(number)
	j, err := s.o.Store().Job(ctx, id)
	if err != nil || n < 1 || n > len(j.Results) {
		return ""
	}
	return j.Results[n-1].URL // one of the answer itself has none
}
