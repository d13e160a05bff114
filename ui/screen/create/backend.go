package create

import (
	"context"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/result/recent"
)

// Backend is what Create needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	draftStore
	materialKeeper
	pricer
	Queue() state.Queue
	Submit(ctx context.Context, c state.Confirmed) (state.Job, error)
	recent.Backend
	Today(ctx context.Context) (state.Spent, error)
}

// draftStore keeps unsent requests, and those that were sent with their stars.
type draftStore interface {
	SaveDraft(ctx context.Context, name string, r api.Request) error
	Draft(ctx context.Context, name string) (api.Request, bool, error)
	History(ctx context.Context, q state.HistoryQuery) ([]state.Sent, error)
	Results() state.Results
	LastModel(ctx context.Context, kind api.Kind) (string, error)
}

// materialKeeper hands out what is done with materials.
type materialKeeper interface {
	Materials() state.Materials
}

// pricer knows models and estimates.
type pricer interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}
