package poll

import (
	"bytes"
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Limits of what ends a job.
const (
	notFoundCount = 3 // 404 or 410 in a row …
	notFoundFor   = 10 * time.Minute
	noPageFor     = 24 * time.Hour // … of pages of HTML, as gateways send them while the service is away
	emptyCount    = 5              // further polls of a COMPLETED without a result
	emptyEvery    = 5 * time.Second
)

// GivenUp reports whether a job has ended by darkroom's judgement and not by the
// service's word, so that an answer about it counts when a person asks again:
// another account's key, or a gateway, does not know it either.
func GivenUp(phase api.Phase, why api.Reason) bool {
	return phase == api.PhaseStale || phase == api.PhaseFailed && (why.Is(whyForgotten) || why.Is(whyNoResult))
}

// transition says what one poll makes of a job: a pure function. An ended job
// stays ended unless it was given up; only its result addresses may be newer.
// outlived says that it is proven to be too old to be polled by itself.
func transition(j store.Job, t store.Tally, a api.JobAnswer, err error, now time.Time, scale remote.Scale, outlived bool) store.Transition {
	r := store.Transition{
		ID: j.ID, Phase: j.Phase, Status: j.Status, Error: j.Error, ErrClass: j.ErrClass, Progress: j.Progress,
		Tally: t, EndedAt: j.EndedAt, NextPoll: j.NextPoll, Raw: a.Raw, Now: now,
	}
	e, _ := errors.AsType[*api.Error](err)
	switch {
	case j.Phase == api.PhaseFetching, j.Phase.Ended() && !GivenUp(j.Phase, j.Error):
		if err == nil && a.Class == api.StatusSucceeded && len(a.Results) > 0 {
			r.Results = refreshed(j.Results, a.Results)
		}
		r.Quiet = r.Results == nil
		return r
	case unheardOf(err):
		r.Raw = e.Raw
		notFound(&r, bytes.HasPrefix(bytes.TrimSpace(e.Raw), []byte("<")), now, scale)
	case err != nil:
		if e != nil {
			r.Raw = e.Raw
		}
	default:
		if r.NotFound, r.NotFoundSince = 0, (time.Time{}); r.Error.Is(whyNotKnown) {
			r.Error = api.Reason{}
		}
		answered(&r, a, now)
	}
	if !r.Phase.Ended() && r.Phase != api.PhaseFetching {
		schedule(&r, j, now, scale, outlived)
	}
	if r.Phase.Ended() && r.EndedAt.IsZero() {
		r.EndedAt, r.NextPoll = now, time.Time{}
	}
	r.Quiet = r.Results == nil && r.Phase == j.Phase && r.Status == j.Status && r.Error == j.Error && r.Progress == j.Progress
	return r
}

// unheardOf reports whether a service answered that it does not know the job.
func unheardOf(err error) bool {
	e, answered := errors.AsType[*api.Error](err)
	return answered && (e.Status == 404 || e.Status == 410)
}

// notFound counts answers that the service does not know the job.
func notFound(r *store.Transition, page bool, now time.Time, scale remote.Scale) {
	enough := notFoundFor
	if page {
		enough = noPageFor
	}
	if r.NotFound++; r.NotFound > 1 && !r.Phase.Ended() { // a new job is not known everywhere at once
		r.Error = whyNotKnown.Reason()
	}
	if r.NotFound >= notFoundCount && now.Sub(r.NotFoundSince) >= scale.Of(enough) {
		r.Phase = api.PhaseFailed
		r.Error = whyForgotten.Reason()
		r.ErrClass = api.ClassNotFound
		r.Completed = true // accepted once, so it counts as spent
	}
}

// answered applies a readable answer.
func answered(r *store.Transition, a api.JobAnswer, now time.Time) {
	if !a.Status.IsZero() {
		r.Status = a.Status
	}
	r.Progress = a.Progress
	if a.Class != api.StatusSucceeded {
		r.Empty = 0
	}
	if GivenUp(r.Phase, r.Error) && a.Class != api.StatusNone {
		r.Phase, r.EndedAt, r.Completed = api.PhaseRunning, time.Time{}, false
	}
	switch a.Class {
	case api.StatusWaiting:
		r.Phase, r.Error, r.ErrClass = api.PhaseQueued, api.Reason{}, ""
	case api.StatusRunning, api.StatusUnlisted:
		r.Phase, r.Error, r.ErrClass = api.PhaseRunning, api.Reason{}, ""
	case api.StatusFailed, api.StatusCancelled:
		r.Phase, r.Error = api.PhaseFailed, failure(a)
	case api.StatusSucceeded:
		succeeded(r, a, now)
	}
}

func succeeded(r *store.Transition, a api.JobAnswer, now time.Time) {
	r.Completed = true
	if len(a.Results) > 0 {
		r.Phase, r.Results, r.NextPoll, r.Progress = api.PhaseFetching, a.Results, now, 1
		r.Error, r.ErrClass, r.Empty = a.Left, "", 0
		return
	}
	r.Empty++
	r.Phase = api.PhaseRunning
	r.Error = api.Sentence("completed, but the response holds no result yet: it is asked again").Reason()
	if r.Empty > emptyCount {
		r.Phase = api.PhaseFailed
		r.Error = whyNoResult.Reason()
		r.ErrClass = api.ClassUnreadable
	}
}

func failure(a api.JobAnswer) api.Reason {
	if !a.Reason.IsZero() {
		return api.ReasonText.Reason(a.Reason)
	}
	word := strings.TrimSpace(a.Status.String())
	if a.Class == api.StatusCancelled {
		return api.Sentence("cancelled by the service (%v), which gave no reason").Reason(word)
	}
	return api.Sentence("the service gave no reason (%v)").Reason(word)
}

// schedule plans the next poll from now, after the answer.
func schedule(r *store.Transition, j store.Job, now time.Time, scale remote.Scale, outlived bool) {
	switch {
	case r.Empty > 0:
		r.NextPoll = now.Add(scale.Of(emptyEvery))
	case outlived:
		r.Phase = api.PhaseStale
		r.Error = api.Sentence("no end was seen within seven days: refresh it to ask once more").Reason()
	default:
		r.NextPoll = now.Add(plan(j.Kind, now.Sub(began(j)), scale))
	}
}

// began is when a job's age begins.
func began(j store.Job) time.Time { return cmp.Or(j.SentAt, j.CreatedAt) }

// Why a job is as it is, or is not asked about.
var (
	whyNotKnown  = api.Sentence("the service does not know this job: darkroom keeps asking for at least ten minutes")
	whyForgotten = api.Sentence("the service does not know this job, at least not by this key: look on its page whether it was charged, " +
		"and refresh it to ask once more")
	whyNoResult = api.Sentence("completed, no result in the response: the raw response is kept with the job")
)

// refreshed gives the results of a newer answer in the order of the known ones, so
// that result n stays the one whose file has the number n: services list the same
// results in any order and sign their addresses again. A result that cannot be
// recognized takes a free place, and what does not fit follows; the download tells
// those apart by their content (see download.fetch).
func refreshed(known, fresh []api.Result) []api.Result {
	if len(known) == 0 || len(fresh) == 0 {
		return fresh
	}
	list, same := slices.Clone(known), pairs(known, fresh)
	var left []api.Result
	for j, r := range fresh {
		if i := slices.Index(same, j); i >= 0 {
			list[i] = r
		} else {
			left = append(left, r)
		}
	}
	for i := range list {
		if same[i] < 0 && len(left) > 0 {
			list[i], left = left[0], left[1:]
		}
	}
	return append(list, left...)
}

// relinked gives the known results with the fresh addresses of those that are
// recognized for certain, and these addresses by number from 1: nothing is
// downloaded that could tell the others apart.
func relinked(known, fresh []api.Result) (list []api.Result, links map[int]string) {
	list, links = slices.Clone(known), map[int]string{}
	same := pairs(known, fresh)
	if len(known) == 1 && len(fresh) == 1 {
		same = []int{0}
	}
	for i, j := range same {
		if j >= 0 && fresh[j].URL != "" {
			list[i], links[i+1] = fresh[j], fresh[j].URL
		}
	}
	return list, links
}

// pairs finds for each known result the index of the same one in fresh by their
// addresses: -1 when there is none or several are as good.
func pairs(known, fresh []api.Result) []int {
	from, to := addresses(known), addresses(fresh)
	list := make([]int, len(known))
	for i := range list {
		list[i] = likest(from[i], to)
		if j := list[i]; j >= 0 && likest(to[j], from) != i {
			list[i] = -1
		}
	}
	return list
}

// likest is the index of the one address that has the most in common with
// another; -1 when none has anything, or several have as much.
func likest(of *url.URL, among []*url.URL) int {
	index, top := -1, 0
	for i, address := range among {
		switch alike := likeness(of, address); {
		case alike > top:
			index, top = i, alike
		case alike == top:
			index = -1
		}
	}
	return index
}

// likeness says how much two addresses have in common: 0 when they are of two
// results, because the paths differ. The parameters that are the same count for
// services with one path for all files; signatures are among those that differ.
func likeness(a, b *url.URL) int {
	if a == nil || b == nil || a.Path != b.Path || a.Path == "" {
		return 0
	}
	alike, theirs := len(a.Path), b.Query()
	for name, values := range a.Query() {
		if slices.Equal(theirs[name], values) {
			alike++
		}
	}
	return alike
}

// addresses parses the results' addresses; nil stands for one without.
func addresses(results []api.Result) []*url.URL {
	list := make([]*url.URL, len(results))
	for i, r := range results {
		if u, err := url.Parse(r.URL); err == nil && r.URL != "" {
			list[i] = u
		}
	}
	return list
}

// unproven gives the saved files, by number, that the addresses do not prove to be
// of the result with the same number.
func unproven(results []api.Result, have map[int]store.File) map[int]store.File {
	saved := make([]api.Result, len(results))
	for i := range saved {
		saved[i].URL = have[i+1].URL
	}
	files := map[int]store.File{}
	for i, j := range pairs(saved, results) {
		if f, ok := have[i+1]; ok && j != i && (f.URL == "" || f.URL != results[i].URL) {
			files[i+1] = f
		}
	}
	return files
}
