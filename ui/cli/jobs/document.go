package jobs

import (
	"context"
	"encoding/json"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/say"
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
		ID: job.ID, Kind: job.Kind, Model: job.Model, Phase: say.ShownPhase(job.Phase),
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
	d.RemoteID = output.OrNull(api.Clean(job.RemoteID, api.MaxIDText).String())
	d.Error = output.OrNull(job.Error.String())
	if !job.EndedAt.IsZero() {
		d.FinishedAt = output.OrNull(job.EndedAt.Format(time.RFC3339))
	}
	return d
}

// withAnswer is documentOf with the service's newest answer where that could
// not be read: then it is all that there is to go by.
func withAnswer(s *state.Session, job state.Job) jobDocument {
	d := documentOf(job)
	if job.Phase == api.PhaseUnread || job.Phase == api.PhaseUnknown || job.ErrClass == api.ClassUnreadable {
		if answer, err := s.RawAnswer(context.Background(), job.ID); err == nil && len(answer) > 0 {
			d.Raw = output.Raw(answer)
		}
	}
	return d
}
