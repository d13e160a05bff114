package create

import (
	"context"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/result"
)

// Backend is what Create needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	draftStore
	publicChecker
	pricer
	Queue() state.Queue
	Submit(ctx context.Context, c state.Confirmed) (state.Job, error)
	result.RecentBackend
	Today(ctx context.Context) (state.Spent, error)
}

// draftStore keeps unsent requests and the prompts that were sent.
type draftStore interface {
	SaveDraft(ctx context.Context, name string, r api.Request) error
	Draft(ctx context.Context, name string) (api.Request, bool, error)
	Prompts(ctx context.Context, contains string, limit int) ([]string, error)
	LastModel(ctx context.Context, kind api.Kind) (string, error)
}

// publicChecker asks whether materials can be read by everybody.
type publicChecker interface {
	MayAskMaterials(ctx context.Context) bool
	LetMaterialsBeAsked(ctx context.Context) error
	Public(ctx context.Context, address string) error
}

// pricer knows models and estimates.
type pricer interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}
