package prices

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
)

// Backend is what Prices needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}

// Records is what is known of prices, plans and spending; *state.Pricing is the
// real one. It is called from commands only.
type Records interface {
	Quote(ctx context.Context, r api.Request) (api.Estimate, error)
	Changes(ctx context.Context, requests map[string]api.Request) (map[string]state.PriceChange, error)
	ListedChanges(ctx context.Context, models []string) (map[string]state.PriceChange, error)
	NoteRates(ctx context.Context) error
	Plans(ctx context.Context) ([]pricing.Plan, error)
	SavePlan(ctx context.Context, plan pricing.Plan) error
	Spend(ctx context.Context, since time.Time) (state.Spend, error)
}
