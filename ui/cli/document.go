package cli

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// jobDocument is a job as --json prints it.
type jobDocument struct {
	ID         string          `json:"id"`
	RemoteID   *string         `json:"remote_id"`
	Kind       api.Kind        `json:"kind"`
	Model      string          `json:"model"`
	Phase      api.Phase       `json:"phase"`
	Status     string          `json:"status"`
	Error      *string         `json:"error"`
	Request    json.RawMessage `json:"request"`
	Credits    creditsDocument `json:"credits"`
	CreatedAt  string          `json:"created_at"`
	FinishedAt *string         `json:"finished_at"`
	Files      []state.File    `json:"files"`
	Pattern    string          `json:"pattern,omitempty"`
	Variation  string          `json:"variation,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
}

type creditsDocument struct {
	Estimated *api.Credits `json:"estimated"`
	Source    api.Source   `json:"source"`
}

func documentOf(job state.Job) jobDocument {
	d := jobDocument{
		ID: job.ID, Kind: job.Kind, Model: job.Model, Phase: shownPhase(job.Phase),
		Status: job.Status.String(), Request: job.Body,
		Credits:   creditsDocument{Source: job.Estimate.Source},
		CreatedAt: job.CreatedAt.Format(time.RFC3339),
		Files:     job.Files,
	}
	if job.Pattern != nil {
		d.Pattern, d.Variation = job.Pattern.Prompt, job.Label
	}
	if d.Files == nil {
		d.Files = []state.File{}
	}
	if job.Estimate.Known() {
		d.Credits.Estimated = &job.Estimate.Credits
	} else {
		d.Credits.Source = api.SourceNone
	}
	d.RemoteID = orNull(api.Clean(job.RemoteID, api.MaxIDText).String())
	d.Error = orNull(job.Error.String())
	if !job.EndedAt.IsZero() {
		d.FinishedAt = orNull(job.EndedAt.Format(time.RFC3339))
	}
	return d
}

// withAnswer is documentOf with the service's newest answer where that could
// not be read: then it is all that there is to go by.
func withAnswer(s *state.Session, job state.Job) jobDocument {
	d := documentOf(job)
	if job.Phase == api.PhaseUnread || job.Phase == api.PhaseUnknown || job.ErrClass == api.ClassUnreadable {
		if answer, err := s.RawAnswer(context.Background(), job.ID); err == nil && len(answer) > 0 {
			d.Raw = rawDocument(answer)
		}
	}
	return d
}

// rawDocument is an answer as JSON: itself, or a string when it is not JSON.
func rawDocument(answer []byte) json.RawMessage {
	if len(answer) == 0 {
		return json.RawMessage("null")
	}
	if json.Valid(answer) {
		return answer
	}
	text, err := json.Marshal(string(answer))
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// rawOf is the answer that an error tells of, or nothing.
func rawOf(err error) json.RawMessage {
	var told *api.Error
	if !errors.As(err, &told) || len(told.Raw) == 0 {
		return nil
	}
	return rawDocument(told.Raw)
}

// shownPhase leaves out the phase that only exists while a job is recorded.
func shownPhase(p api.Phase) api.Phase {
	if p == api.PhaseIntent {
		return api.PhaseSending
	}
	return p
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type failureJSON struct {
	Error    string        `json:"error"`
	ExitCode int           `json:"exit_code"`
	Problems []problemJSON `json:"problems,omitempty"`
	// Raw is the service's answer, when that is what the error is about.
	Raw json.RawMessage `json:"raw,omitempty"`
}

type problemJSON struct {
	Field    string `json:"field"`
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

func failureDocument(f *failure) failureJSON {
	d := failureJSON{Error: api.HideKeys(f.Error()), ExitCode: f.code, Raw: rawOf(f.err)}
	for _, problem := range f.problems {
		d.Problems = append(d.Problems, problemJSON{problem.Field, problem.Code, english.Problem(problem)})
	}
	return d
}
