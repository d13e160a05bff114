package ui

import (
	"context"
	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state"
)

// jobReader reads one job and its newest raw answer.
type jobReader interface {
	Job(ctx context.Context, id string) (state.Job, error)
	RawAnswer(ctx context.Context, id string) ([]byte, error)
}

// fieldErrors gives what the service said of the fields of a job it did not
// take.
func fieldErrors(ctx context.Context, d jobReader, id string) []api.FieldError {
	raw, err := d.RawAnswer(ctx, id)
	if err != nil {
		return nil
	}
	return read.ReadFieldErrors(raw)
}
