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

// Tool is one tool of the entry, as --json prints it too.
type Tool struct {
	Name        string   `json:"name"` // as a call names it: clean and at most MaxIDText runes
	Title       api.Text `json:"title"`
	Description api.Text `json:"description"`
	// ReadOnly says that the service declares the tool to change nothing.
	// Every other tool may spend credits.
	ReadOnly bool `json:"read_only"`
	// Schema is the JSON Schema of the arguments as the service gave it, but
	// for the key; nil when it gave none or one larger than 256 KiB.
	Schema json.RawMessage `json:"input_schema"`
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

type PartKind string

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
	Text      api.Text // of a text; of a link what it is
	URL       string   // of a link or file: data, not text
	MediaType string   // clean
	Data      []byte   // of an image, audio or file
}

type Answer struct {
	Failed     bool // the tool says that it failed; the parts say why
	Parts      []Part
	Structured json.RawMessage // valid JSON but for the key; nil for none
}

// Document returns the JSON of a part whose text is JSON, or nil.
func (p Part) Document() json.RawMessage {
	if text := p.Text.String(); p.Kind == PartText && api.IsDocument(text) {
		return json.RawMessage(text)
	}
	return nil
}

// Unrepeated is the structured answer, unless a part repeats it as a text.
func (a Answer) Unrepeated() json.RawMessage {
	if slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Document() != nil }) {
		return nil
	}
	return a.Structured
}

func (a Answer) Texts() string {
	var all []string
	for _, p := range a.Parts {
		if p.Kind == PartText && !p.Text.IsZero() {
			all = append(all, p.Text.String())
		}
	}
	return strings.Join(all, "\n")
}

func (c *Client) toolAnswer(r *mcp.CallToolResult) Answer {
	a := Answer{Failed: r.IsError}
	for _, content := range r.Content[:min(len(r.Content), maxToolParts)] {
		a.Parts = append(a.Parts, c.toolPart(content))
	}
	if r.StructuredContent != nil {
		raw, _ := api.PlainJSON(r.StructuredContent) // it was JSON
		a.Structured = c.Key.Redact(raw)
	}
	return a
}

func (c *Client) lines(s string) api.Text { return api.CleanLines(c.Key.RedactString(s), maxToolText) }
func (c *Client) media(s string) string   { return api.Clean(c.Key.RedactString(s), 100).String() }

func (c *Client) toolPart(content mcp.Content) Part {
	switch v := content.(type) {
	case *mcp.TextContent:
		return Part{Kind: PartText, Text: c.lines(v.Text)}
	case *mcp.ImageContent:
		return Part{Kind: PartImage, Data: v.Data, MediaType: c.media(v.MIMEType)}
	case *mcp.AudioContent:
		return Part{Kind: PartAudio, Data: v.Data, MediaType: c.media(v.MIMEType)}
	case *mcp.ResourceLink:
		about := strings.TrimSuffix(cmp.Or(v.Title, v.Name)+": "+v.Description, ": ")
		return Part{Kind: PartLink, URL: c.Key.RedactString(v.URI), Text: c.lines(about), MediaType: c.media(v.MIMEType)}
	case *mcp.EmbeddedResource:
		if v.Resource != nil {
			return c.embeddedPart(v.Resource)
		}
	}
	return Part{Kind: PartOther, Text: c.lines("a part of a kind that darkroom does not know")}
}

func (c *Client) embeddedPart(r *mcp.ResourceContents) Part {
	p := Part{Kind: PartFile, URL: c.Key.RedactString(r.URI), MediaType: c.media(r.MIMEType), Data: r.Blob}
	switch {
	case r.Text != "":
		p.Kind, p.Text = PartText, c.lines(r.Text)
	case len(r.Blob) == 0:
		p.Kind = PartLink
	case strings.HasPrefix(p.MediaType, "image/"):
		p.Kind = PartImage
	}
	return p
}
