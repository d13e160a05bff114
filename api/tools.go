package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tool-protocol entry ("Tool-protocol entry"): Streamable HTTP JSON-RPC
// with the same key. The spec shows neither its path nor its messages.

// Tool is one tool of the entry.
type Tool struct {
	Name        string // as a call names it: clean and at most MaxIDText runes
	Title       Text
	Description Text
	// Schema is the JSON Schema of the arguments as the service gave it, but
	// for the key; nil when it gave none or one larger than 256 KiB.
	Schema json.RawMessage
	// ReadOnly says that the service declares the tool to change nothing.
	// Every other tool may spend credits.
	ReadOnly bool
}

// Label is the title, or the name without one.
func (t Tool) Label() string {
	if !t.Title.IsZero() {
		return t.Title.String()
	}
	return t.Name
}

// ToolListing is what the entry offers.
type ToolListing struct {
	Path    string // escaped, from the origin's root
	Server  Text   // name and version of the server
	Advice  Text   // its instructions
	Tools   []Tool
	Skipped int // tools whose names cannot be shown or called
}

// Find gives the tool of a name.
func (l ToolListing) Find(name string) (Tool, bool) {
	for _, t := range l.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// ToolCall is one call of a tool.
type ToolCall struct {
	Name string
	// Args is a JSON object; nil is an empty one.
	Args json.RawMessage
	// Agreed says that a person agreed to what the call may cost. Without it
	// only tools that are declared read-only are called.
	Agreed bool
	// Progress, when set, is told how far the tool is: in order, one at a
	// time, never after CallTool returned. It must not block.
	Progress func(ToolProgress)
}

// ToolProgress is how far a tool says that it is.
type ToolProgress struct {
	Done  float64
	Total float64 // 0: not known
	Text  Text
}

// PartKind is what a part of an answer is.
type PartKind string

// Kinds of parts.
const (
	PartText  PartKind = "text"
	PartImage PartKind = "image"
	PartAudio PartKind = "audio"
	PartLink  PartKind = "link"
	PartFile  PartKind = "file" // an embedded resource with bytes
	PartOther PartKind = "other"
)

// ToolPart is one part of a tool's answer.
type ToolPart struct {
	Kind      PartKind
	Text      Text   // of a text; of a link what it is
	URL       string // of a link or file: data, not text
	MediaType string // clean
	Data      []byte // of an image, audio or file
}

// ToolAnswer is what a tool answered.
type ToolAnswer struct {
	Failed     bool // the tool says that it failed; the parts say why
	Parts      []ToolPart
	Structured json.RawMessage // valid JSON but for the key; nil for none
}

// Texts joins the texts of the answer.
func (a ToolAnswer) Texts() string {
	var all []string
	for _, p := range a.Parts {
		if p.Kind == PartText && !p.Text.IsZero() {
			all = append(all, p.Text.String())
		}
	}
	return strings.Join(all, "\n")
}

// Limits of the tool-protocol entry.
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
var ErrNotAgreed = errors.New("this tool may spend credits; agree to it first")

// toolOf reads a tool of a listing; false when it cannot be called by name.
func (c *ToolClient) toolOf(t *mcp.Tool) (Tool, bool) {
	name := Clean(t.Name, MaxIDText).String()
	if name == "" || name != t.Name || strings.TrimSpace(name) != name || c.key.RedactString(name) != name {
		return Tool{}, false
	}
	title := t.Title
	if title == "" && t.Annotations != nil {
		title = t.Annotations.Title
	}
	out := Tool{
		Name:        name,
		Title:       Clean(c.key.RedactString(title), 200),
		Description: CleanLines(c.key.RedactString(t.Description), maxToolAbout),
		ReadOnly:    t.Annotations != nil && t.Annotations.ReadOnlyHint,
	}
	if t.InputSchema != nil {
		if raw, err := json.Marshal(t.InputSchema); err == nil && len(raw) <= maxToolSchema {
			out.Schema = c.key.Redact(raw)
		}
	}
	return out, true
}

// toolAnswer reads a tool's answer into parts that can be shown.
func (c *ToolClient) toolAnswer(r *mcp.CallToolResult) ToolAnswer {
	a := ToolAnswer{Failed: r.IsError}
	for _, content := range r.Content {
		if len(a.Parts) == maxToolParts {
			break
		}
		a.Parts = append(a.Parts, c.toolPart(content))
	}
	if r.StructuredContent != nil {
		if raw, err := plainJSON(r.StructuredContent); err == nil {
			a.Structured = c.key.Redact(raw)
		}
	}
	return a
}

// plainJSON encodes without escapes for HTML, as people read it.
func plainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func (c *ToolClient) toolPart(content mcp.Content) ToolPart {
	lines := func(s string) Text { return CleanLines(c.key.RedactString(s), maxToolText) }
	media := func(s string) string { return Clean(c.key.RedactString(s), 100).String() }
	switch v := content.(type) {
	case *mcp.TextContent:
		return ToolPart{Kind: PartText, Text: lines(v.Text)}
	case *mcp.ImageContent:
		return ToolPart{Kind: PartImage, Data: v.Data, MediaType: media(v.MIMEType)}
	case *mcp.AudioContent:
		return ToolPart{Kind: PartAudio, Data: v.Data, MediaType: media(v.MIMEType)}
	case *mcp.ResourceLink:
		about := v.Title
		if about == "" {
			about = v.Name
		}
		if v.Description != "" {
			about = strings.TrimSpace(about + ": " + v.Description)
		}
		return ToolPart{Kind: PartLink, URL: c.key.RedactString(v.URI), Text: lines(about), MediaType: media(v.MIMEType)}
	case *mcp.EmbeddedResource:
		return c.embeddedPart(v.Resource, lines, media)
	}
	return ToolPart{Kind: PartOther, Text: Clean("a part of a kind that darkroom does not know", 100)}
}

func (c *ToolClient) embeddedPart(r *mcp.ResourceContents, lines func(string) Text, media func(string) string) ToolPart {
	if r == nil {
		return ToolPart{Kind: PartOther, Text: Clean("an empty part", 100)}
	}
	p := ToolPart{Kind: PartFile, URL: c.key.RedactString(r.URI), MediaType: media(r.MIMEType), Data: r.Blob}
	switch {
	case r.Text != "":
		p.Kind, p.Text = PartText, lines(r.Text)
	case len(r.Blob) > 0 && strings.HasPrefix(p.MediaType, "image/"):
		p.Kind = PartImage
	case len(r.Blob) == 0:
		p.Kind = PartLink
	}
	return p
}

// toolPlaces are where such entries are found, most likely first.
var toolPlaces = [...]string{"/api/v1/mcp", "/api/mcp", "/mcp", "/api/v1/mcp-http", "/v1/mcp"}

// toolCandidates gives the paths to try, under the base URL's prefix first and
// then at the origin's root.
func (c *ToolClient) toolCandidates() []string {
	prefix := c.base.EscapedPath()
	var out []string
	for _, p := range toolPlaces {
		out = append(out, prefix+p)
	}
	if prefix != "" {
		out = append(out, toolPlaces[:]...)
	}
	return out
}

// ToolsAddress gives the whole URL of the entry at a path from the origin's
// root, as other clients want it.
func ToolsAddress(base *url.URL, path string) string {
	if base == nil || path == "" {
		return ""
	}
	return base.Scheme + "://" + base.Host + path
}

// ParseToolsPath reads where the entry is as a person writes it: a path under
// the base URL, or a whole address at the base URL's origin. It gives the
// escaped path from the origin's root.
func ParseToolsPath(base *url.URL, s string) (string, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "/") {
		s = base.Scheme + "://" + base.Host + strings.TrimRight(base.EscapedPath(), "/") + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.EscapedPath() == "" || len(s) > maxBaseText ||
		len(base.Scheme)+len("://")+len(base.Host)+len(u.EscapedPath()) > maxBaseText: // escapes make it longer
		return "", errors.New("the tool entry's path cannot be read; give it as /api/v1/mcp, or as a whole address")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the tool entry's path must not hold a user, a query or a fragment")
	case origin(u) != origin(base):
		return "", errors.New("the tool entry is at another host than the base URL, where the key is not sent")
	}
	if _, err := basePath(u); err != nil {
		return "", errors.New("the tool entry's path must not hold empty, . or .. steps")
	}
	return u.EscapedPath(), nil
}

// notThere reports whether an answer only says that the entry is elsewhere.
func notThere(e *Error) bool {
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotAcceptable, http.StatusBadRequest:
		return true
	}
	return e.Class == ClassUnreadable || e.Class == ClassNotFound
}
