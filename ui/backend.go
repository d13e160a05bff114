package ui

import (
	"context"

	"darkroom/state"
	"darkroom/ui/result"
)

// appBackend is what App needs of what lies behind the screens; it is called
// from commands only, but for Health and Settings.
type appBackend interface {
	result.JobReader
	Health() state.Health
	Settings() state.Settings
	Wait(ctx context.Context) ([]string, error)
	ChooseStore(ctx context.Context) error
	Today(ctx context.Context) (state.Spent, error)
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	MarkOpened(ctx context.Context, id string) (bool, error)
	OpenFile(ctx context.Context, id string, n int) error // n counts from 1
	Results() state.Results
}
