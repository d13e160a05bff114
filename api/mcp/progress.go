package mcp

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
)

// Progress is how far a tool says that it is.
type Progress struct {
	Done  float64
	Total float64 // 0: not known
	Text  api.Text
}

// progressRelay passes progress on until the call is over: a message of it may come
// after the answer.
type progressRelay struct {
	mu     sync.Mutex
	report func(Progress)
	over   bool
}

func (t *progressRelay) stop() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
}

func (t *progressRelay) received(c *Client, p *mcp.ProgressNotificationParams) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.report == nil || p == nil {
		return
	}
	t.report(Progress{Done: p.Progress, Total: max(p.Total, 0), Text: api.Clean(c.Key.RedactString(p.Message), 200)})
}
