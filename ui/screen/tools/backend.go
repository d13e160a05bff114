package tools

import (
	"context"

	"darkroom/state"
)

// Backend is what Tools needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	KnownTools(ctx context.Context) state.Toolbox
	Tools(ctx context.Context) (state.Toolbox, error)
	CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error)
	OpenPath(ctx context.Context, path string) error
}
