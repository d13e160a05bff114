package mcp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
)

// The tool-protocol entry ("Tool-protocol entry"): Streamable HTTP JSON-RPC
// with the same key. The spec shows neither its path nor its messages.

// Tool is one tool of the entry.
type Tool struct {
	Name        string // as a call names it: clean and at most MaxIDText runes
	Title       api.Text
	Description api.Text
	// Schema is the JSON Schema of the arguments as the service gave it, but
	// for the key; nil when it gave none or one larger than 256 KiB.
	Schema json.RawMessage
	// ReadOnly says that the service declares the tool to change nothing.
	// Every other tool may spend credits.
	ReadOnly bool
}

func (t Tool) Label() string { return cmp.Or(t.Title.String(), t.Name) }

type Listing struct {
	Path    string   // escaped, from the origin's root
	Server  api.Text // name and version of the server
	Tools   []Tool
	Skipped int // tools whose names cannot be shown or called
}

func (l Listing) Find(name string) (Tool, bool) {
	i := slices.IndexFunc(l.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return l.Tools[i], true
}

const (
	limitToolHello = 15 * time.Second
	limitToolList  = 30 * time.Second
	limitToolCall  = 15 * time.Minute // a tool may wait for a video

	maxToolListing = 8 << 20  // of one connection before a call, in bytes
	maxToolAnswers = 64 << 20 // of one connection, in bytes; pictures come inside
	maxTools       = 1000
	maxToolSchema  = 256 << 10
	maxToolText    = 64 << 10 // of one text, in runes
	maxToolAbout   = 4000     // of one description, in runes
	maxToolParts   = 200
)

// ErrNotAgreed says that a tool that may spend credits was not called.
var ErrNotAgreed = api.Sentence("this tool may cost credits; agree to it first").Fault(nil)

// toolOf reads a tool of a listing; false when it cannot be called by name.
func (c *Client) toolOf(t *mcp.Tool) (Tool, bool) {
	name := api.Clean(t.Name, api.MaxIDText).String()
	if name == "" || name != t.Name || strings.TrimSpace(name) != name || c.Key.RedactString(name) != name {
		return Tool{}, false
	}
	hints := cmp.Or(t.Annotations, &mcp.ToolAnnotations{})
	out := Tool{
		Name:        name,
		Title:       api.Clean(c.Key.RedactString(cmp.Or(t.Title, hints.Title)), 200),
		Description: api.CleanLines(c.Key.RedactString(t.Description), maxToolAbout),
		ReadOnly:    hints.ReadOnlyHint,
	}
	if t.InputSchema != nil {
		if raw, err := json.Marshal(t.InputSchema); err == nil && len(raw) <= maxToolSchema {
			out.Schema = c.Key.Redact(raw)
		}
	}
	return out, true
}
