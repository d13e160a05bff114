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
	SaveDraft(ctx context.Context, name string, r api.Request) error
	Draft(ctx context.Context, name string) (api.Request, bool, error)
	Prompts() state.Prompts
	Materials() state.Materials
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
	history.Store
	review.Backend
	recent.Backend
}
