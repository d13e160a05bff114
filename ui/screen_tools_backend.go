package ui

import (
	"context"

	"darkroom/state"
)

// toolsBackend is what Tools needs of what lies behind the screens; it is
// called from commands only.
type toolsBackend interface {
	KnownTools(ctx context.Context) state.Toolbox
	Tools(ctx context.Context) (state.Toolbox, error)
	CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error)
	OpenPath(ctx context.Context, path string) error
}
