package jobs

import (
	"context"

	"darkroom/state"
	"darkroom/ui/result"
)

// Backend is what Jobs needs of what lies behind the screens; it is called
// from commands only.
type Backend interface {
	result.Backend
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Refresh(ctx context.Context, id string) error
	Prefer(id string) // the job that is polled before all others that are due
}
