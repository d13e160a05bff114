package jobs

import (
	"context"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/result"
)

// Backend is what Jobs needs of what lies behind the screens; it is called
// from commands only.
type Backend interface {
	result.JobReader
	settler
	Queue() state.Queue
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Refresh(ctx context.Context, id string) error
	Fetch(ctx context.Context, id string) error
	OpenFile(ctx context.Context, id string, n int) error // n counts from 1
}

// settler settles jobs whose outcome is unknown.
type settler interface {
	Attach(ctx context.Context, id, remoteID string) error
	Dismiss(ctx context.Context, id string) error
	// ResendConfirm gives the id under which sending again is confirmed, and the
	// current price; no id means that the job cannot be sent again.
	ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error)
	Resend(ctx context.Context, id, confirmID string) (state.Job, error)
}
