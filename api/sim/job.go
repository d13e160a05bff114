package sim

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/sim/dialect"
	"darkroom/api/sim/fault"
)

// failWord in a prompt makes its job fail.
const failWord = "[fail]"

// job is an accepted generation. It does not change after it was made: where
// it stands follows from the clock.
type job struct {
	id      string
	request api.Request
	body    []byte
	key     string
	credits api.Credits
	at      time.Time
	begins  time.Time // PROCESSING from here
	ends    time.Time // COMPLETED or FAILED from here
}

// newID makes an id that nobody can guess.
func newID(prefix string) string {
	var b [12]byte
	rand.Read(b[:])
	return prefix + hex.EncodeToString(b[:])
}

// schedule sets when work on the job begins and ends: an image takes 2 to 6
// seconds in all, a video 6 to 15, times scale.
func (j *job) schedule(scale float64) {
	// chance is a number from 0 to 1 that depends on the request and a word alone.
	in := input(j.request)
	chance := func(word string) float64 { return float64(in.Hash(word)>>11) / (1 << 53) }
	wait, work := 300+900*chance("wait"), 1700+3100*chance("work")
	if j.request.Kind == api.KindVideo {
		wait, work = 800+2200*chance("wait"), 5200+6800*chance("work")
	}
	j.begins = j.at.Add(time.Duration(wait * scale * float64(time.Millisecond)))
	j.ends = j.begins.Add(time.Duration(work * scale * float64(time.Millisecond)))
}

func (j *job) status(now time.Time) string {
	switch {
	case now.Before(j.begins):
		return dialect.Pending
	case now.Before(j.ends):
		return dialect.Processing
	case strings.Contains(j.request.Prompt, failWord):
		return dialect.Failed
	}
	return dialect.Completed
}

func (x *exchange) create() fault.Answer {
	if r := x.readBody(); r != nil {
		return x.refuse(*r)
	}
	kind := api.KindImage
	if x.path == pathVideos {
		kind = api.KindVideo
	}
	o, bad := x.s.rules().read(kind, x.body)
	if bad != nil {
		return x.refuse(*bad)
	}
	j, bad := x.s.accept(x.key, o, x.body)
	if bad != nil {
		return x.refuse(*bad)
	}
	x.s.note(x.call, func(c *Call) { c.JobID = j.id })
	if !o.Waits() { // as it was accepted, however long the answer takes
		return x.answerJob(j, j.at, x.s.dialect.Created)
	}
	fault.Pause(x, time.Until(j.ends))
	return x.answerJob(j, time.Now(), x.s.dialect.Created)
}

func (s *Server) accept(key string, o api.Request, body []byte) (*job, *dialect.Refusal) {
	price, bad := s.rules().price(o)
	if bad != nil {
		return nil, bad
	}
	now := time.Now()
	j := &job{id: newID("job_"), request: o, body: body, key: key, credits: price, at: now}
	j.schedule(s.o.TimeScale)
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := s.creditsLeft(key, now); s.o.Credits > 0 && price > left {
		return nil, &dialect.Refusal{Status: http.StatusPaymentRequired, Code: "insufficient_credits",
			Message: fmt.Sprintf("This needs %v credits and the key has %v left. Raise its credit quota on the API key page.", price, left)}
	}
	s.jobs[j.id] = j
	s.accepted = append(s.accepted, j)
	return j, nil
}

// creditsLeft is what a key may still spend. Failed jobs give theirs back.
// The lock is held.
func (s *Server) creditsLeft(key string, now time.Time) api.Credits {
	left := s.o.Credits
	for _, j := range s.accepted {
		if j.key == key && j.status(now) != dialect.Failed {
			left -= j.credits
		}
	}
	return left
}

// findJob looks a job up for the key that made it.
func (s *Server) findJob(id, key string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil && j.key == key {
		return j
	}
	return nil
}

func (x *exchange) job() fault.Answer {
	id, err := url.PathUnescape(strings.TrimPrefix(x.path, pathJobs))
	j := x.s.findJob(id, x.key)
	if err != nil || j == nil {
		return x.refuse(dialect.Refusal{Status: http.StatusNotFound, Code: "job_not_found", Message: "This key has no job of that id."})
	}
	return x.answerJob(j, time.Now(), x.s.dialect.Job)
}

// answerJob answers with a job as it is at a moment.
func (x *exchange) answerJob(j *job, now time.Time, say func(dialect.Job) any) fault.Answer {
	d := x.s.describe(j, now)
	a := x.json(http.StatusOK, say(d))
	a.JobID, a.File = j.id, x.s.fileOf(j)
	if d.URL != "" {
		a.Result = &fault.Result{URL: d.URL, Link: func(name string) string { return x.s.link(j, name, now) }}
	}
	return a
}

// describe returns what a dialect says of a job at a moment, with a new signature.
func (s *Server) describe(j *job, now time.Time) dialect.Job {
	v := dialect.Job{
		ID: j.id, Kind: j.request.Kind, Model: j.request.Model, Status: j.status(now),
		Progress: min(1, max(0, float64(now.Sub(j.begins))/float64(j.ends.Sub(j.begins)))),
		Credits:  j.credits, Created: j.at,
	}
	switch v.Status {
	case dialect.Failed:
		v.Reason = "The model could not finish this generation: the prompt asks it to fail. No credits were used."
	case dialect.Completed:
		m := input(j.request).Media(s.o.LongSide)
		v.URL, v.MediaType, v.Width, v.Height = s.link(j, m.Name, now), m.Type, m.Width, m.Height
		v.Expires = now.Add(s.o.LinkLife)
		if v.Kind == api.KindVideo {
			v.Poster, v.Seconds = s.link(j, posterName, now), m.Seconds
		}
	}
	return v
}
