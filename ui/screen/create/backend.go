package create

import (
	"context"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/result/recent"
	"darkroom/ui/screen/create/history"
	"darkroom/ui/screen/create/review"
)

// Backend is what Create needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	draftStore
	materialKeeper
	pricer
	review.Backend
	recent.Backend
}

// draftStore keeps unsent requests, and those that were sent with their stars.
type draftStore interface {
	SaveDraft(ctx context.Context, name string, r api.Request) error
	Draft(ctx context.Context, name string) (api.Request, bool, error)
	history.Store
	Prompts() state.Prompts
}

// materialKeeper hands out what is done with materials.
type materialKeeper interface {
	Materials() state.Materials
}

type pricer interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}
