package ui

import (
	"context"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
)

// door is the part of *state.Session that screens knock on, always from within
// a command, never from Update or View.
type door interface {
	Standing() state.Standing
	Settings() state.Settings
	Wait(ctx context.Context) ([]string, error)
	ChooseStore(ctx context.Context) error

	CheckKey(ctx context.Context, base string, key api.Key) error
	UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error
	Forget(ctx context.Context) error
	KeyringState(ctx context.Context) keys.State

	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate

	Submit(ctx context.Context, c state.Confirmed) (state.Job, error)
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Job(ctx context.Context, id string) (state.Job, error)
	RawAnswer(ctx context.Context, id string) ([]byte, error)
	Today(ctx context.Context) (state.Spent, error)

	Refresh(ctx context.Context, id string) error
	Fetch(ctx context.Context, id string) error
	Attach(ctx context.Context, id, remoteID string) error
	Dismiss(ctx context.Context, id string) error
	Resend(ctx context.Context, id, confirmID string) (state.Job, error)
	OpenFile(ctx context.Context, id string, n int) error // n counts from 1
	MarkOpened(ctx context.Context, id string) (bool, error)

	KnownTools(ctx context.Context) state.Toolbox
	Tools(ctx context.Context) (state.Toolbox, error)
	CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error)
	OpenPath(ctx context.Context, path string) error

	MayAskMaterials(ctx context.Context) bool
	LetMaterialsBeAsked(ctx context.Context) error
	Public(ctx context.Context, address string) error

	SaveDraft(ctx context.Context, name string, r api.Request) error
	Draft(ctx context.Context, name string) (api.Request, bool, error)
	Prompts(ctx context.Context, contains string, limit int) ([]string, error)
	LastModel(ctx context.Context, kind api.Kind) (string, error)
}

var _ door = (*state.Session)(nil)
