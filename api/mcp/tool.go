package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
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

// Label is the title, or the name without one.
func (t Tool) Label() string {
	if !t.Title.IsZero() {
		return t.Title.String()
	}
	return t.Name
}

// Listing is what the entry offers.
type Listing struct {
	Path    string   // escaped, from the origin's root
	Server  api.Text // name and version of the server
	Advice  api.Text // its instructions
	Tools   []Tool
	Skipped int // tools whose names cannot be shown or called
}

// Find gives the tool of a name.
func (l Listing) Find(name string) (Tool, bool) {
	for _, t := range l.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// Call is one call of a tool.
type Call struct {
	Name string
	// Args is a JSON object; nil is an empty one.
	Args json.RawMessage
	// Agreed says that a person agreed to what the call may cost. Without it
	// only tools that are declared read-only are called.
	Agreed bool
	// Progress, when set, is told how far the tool is: in order, one at a
	// time, never after CallTool returned. It must not block.
	Progress func(Progress)
}

// Progress is how far a tool says that it is.
type Progress struct {
	Done  float64
	Total float64 // 0: not known
	Text  api.Text
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

// Part is one part of a tool's answer.
type Part struct {
	Kind      PartKind
	Text      api.Text   // of a text; of a link what it is
	URL       string     // of a link or file: data, not text
	MediaType string     // clean
	Data      []byte     // of an image, audio or file
	Why       api.Reason // of any other, why it is not shown; Text has its English
}

// Answer is what a tool answered.
type Answer struct {
	Failed     bool // the tool says that it failed; the parts say why
	Parts      []Part
	Structured json.RawMessage // valid JSON but for the key; nil for none
}

// Texts joins the texts of the answer.
func (a Answer) Texts() string {
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
var ErrNotAgreed = api.Declare("tool_not_agreed", "this tool may cost credits; agree to it first").Fault(nil)

// toolOf reads a tool of a listing; false when it cannot be called by name.
func (c *Client) toolOf(t *mcp.Tool) (Tool, bool) {
	name := api.Clean(t.Name, api.MaxIDText).String()
	if name == "" || name != t.Name || strings.TrimSpace(name) != name || c.Key.RedactString(name) != name {
		return Tool{}, false
	}
	title := t.Title
	if title == "" && t.Annotations != nil {
		title = t.Annotations.Title
	}
	out := Tool{
		Name:        name,
		Title:       api.Clean(c.Key.RedactString(title), 200),
		Description: api.CleanLines(c.Key.RedactString(t.Description), maxToolAbout),
		ReadOnly:    t.Annotations != nil && t.Annotations.ReadOnlyHint,
	}
	if t.InputSchema != nil {
		if raw, err := json.Marshal(t.InputSchema); err == nil && len(raw) <= maxToolSchema {
			out.Schema = c.Key.Redact(raw)
		}
	}
	return out, true
}

// toolAnswer reads a tool's answer into parts that can be shown.
func (c *Client) toolAnswer(r *mcp.CallToolResult) Answer {
	a := Answer{Failed: r.IsError}
	for _, content := range r.Content {
		if len(a.Parts) == maxToolParts {
			break
		}
		a.Parts = append(a.Parts, c.toolPart(content))
	}
	if r.StructuredContent != nil {
		if raw, err := plainJSON(r.StructuredContent); err == nil {
			a.Structured = c.Key.Redact(raw)
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

func (c *Client) toolPart(content mcp.Content) Part {
	lines := func(s string) api.Text { return api.CleanLines(c.Key.RedactString(s), maxToolText) }
	media := func(s string) string { return api.Clean(c.Key.RedactString(s), 100).String() }
	switch v := content.(type) {
	case *mcp.TextContent:
		return Part{Kind: PartText, Text: lines(v.Text)}
	case *mcp.ImageContent:
		return Part{Kind: PartImage, Data: v.Data, MediaType: media(v.MIMEType)}
	case *mcp.AudioContent:
		return Part{Kind: PartAudio, Data: v.Data, MediaType: media(v.MIMEType)}
	case *mcp.ResourceLink:
		about := v.Title
		if about == "" {
			about = v.Name
		}
		if v.Description != "" {
			about = strings.TrimSpace(about + ": " + v.Description)
		}
		return Part{Kind: PartLink, URL: c.Key.RedactString(v.URI), Text: lines(about), MediaType: media(v.MIMEType)}
	case *mcp.EmbeddedResource:
		return c.embeddedPart(v.Resource, lines, media)
	}
	return other(whyPart)
}

func (c *Client) embeddedPart(r *mcp.ResourceContents, lines func(string) api.Text, media func(string) string) Part {
	if r == nil {
		return other(whyEmptyPart)
	}
	p := Part{Kind: PartFile, URL: c.Key.RedactString(r.URI), MediaType: media(r.MIMEType), Data: r.Blob}
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
func (c *Client) toolCandidates() []string {
	prefix := c.Base.EscapedPath()
	var out []string
	for _, p := range toolPlaces {
		out = append(out, prefix+p)
	}
	if prefix != "" {
		out = append(out, toolPlaces[:]...)
	}
	return out
}

// Address gives the whole URL of the entry at a path from the origin's
// root, as other clients want it.
func Address(base *url.URL, path string) string {
	if base == nil || path == "" {
		return ""
	}
	return base.Scheme + "://" + base.Host + path
}

// ParseEntryPath reads where the entry is as a person writes it: a path under
// the base URL, or a whole address at the base URL's origin. It gives the
// escaped path from the origin's root.
func ParseEntryPath(base *url.URL, s string) (string, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "/") {
		s = base.Scheme + "://" + base.Host + strings.TrimRight(base.EscapedPath(), "/") + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.EscapedPath() == "" || len(s) > api.MaxBaseText ||
		len(base.Scheme)+len("://")+len(base.Host)+len(u.EscapedPath()) > api.MaxBaseText: // escapes make it longer
		return "", errToolsPathText
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errToolsPathUser
	case api.Origin(u) != api.Origin(base):
		return "", errToolsPathHost
	}
	if _, err := api.BasePath(u); err != nil {
		return "", errToolsPathSteps
	}
	return u.EscapedPath(), nil
}

// notThere reports whether an answer only says that the entry is elsewhere.
func notThere(e *api.Error) bool {
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotAcceptable, http.StatusBadRequest:
		return true
	}
	return e.Class == api.ClassUnreadable || e.Class == api.ClassNotFound
}

// Why a path of the tool entry is not taken.
var (
	errToolsPathText  = api.Declare("tools_path_text", "the tool entry's path cannot be read; give it as /api/v1/mcp, or as a whole address").Fault(nil)
	errToolsPathUser  = api.Declare("tools_path_user", "the tool entry's path must not hold a user, a query or a fragment").Fault(nil)
	errToolsPathHost  = api.Declare("tools_path_host", "the tool entry is at another host than the base URL, where the key is not sent").Fault(nil)
	errToolsPathSteps = api.Declare("tools_path_steps", "the tool entry's path must not hold empty, . or .. steps").Fault(nil)
)

var (
	whyPart      = api.Declare("tool_part_unknown", "a part of a kind that darkroom does not know")
	whyEmptyPart = api.Declare("tool_part_empty", "an empty part")
)

// other is a part that is not shown.
func other(kind api.ReasonKind) Part {
	why := kind.Reason()
	return Part{Kind: PartOther, Text: api.Clean(why.String(), 100), Why: why}
}
