package prices

import (
	"context"

	"darkroom/api"
	"darkroom/state"
)

// Backend is what Prices needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}
