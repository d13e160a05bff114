package result

import (
	"context"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state"
)

// JobReader reads one job and its newest raw answer.
type JobReader interface {
	Job(ctx context.Context, id string) (state.Job, error)
	RawAnswer(ctx context.Context, id string) ([]byte, error)
}

// FieldErrors gives what the service said of the fields of a job it did not
// take.
func FieldErrors(ctx context.Context, backend JobReader, id string) []api.FieldError {
	raw, err := backend.RawAnswer(ctx, id)
	if err != nil {
		return nil
	}
	return read.ReadFieldErrors(raw)
}

// QueuePlace is the place of a job in the service's queue as its newest answer
// says; 0 is not known.
func QueuePlace(ctx context.Context, backend JobReader, id string) int {
	raw, err := backend.RawAnswer(ctx, id)
	if err != nil {
		return 0
	}
	return read.ReadPlace(raw)
}
