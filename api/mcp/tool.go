package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
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
	return api.Find(l.Tools, func(t Tool) bool { return t.Name == name })
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
	if raw, err := json.Marshal(t.InputSchema); t.InputSchema != nil && err == nil && len(raw) <= maxToolSchema {
		out.Schema = c.Key.Redact(raw)
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
	Kind      PartKind `json:"type"`
	Text      api.Text `json:"text,omitzero"`        // of a text; of a link what it is
	URL       string   `json:"url,omitempty"`        // of a link or file: data, not text
	MediaType string   `json:"media_type,omitempty"` // clean
	Data      []byte   `json:"-"`                    // of an image, audio or file
}

type Answer struct {
	Failed     bool // the tool says that it failed; the parts say why
	Parts      []Part
	Structured json.RawMessage // valid JSON but for the key; nil for none
	Cut        error           // says what was left out of it; nil: nothing
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
	texts := api.Pick(a.Parts, func(p Part) (string, bool) { return p.Text.String(), p.Kind == PartText && !p.Text.IsZero() })
	return strings.Join(texts, "\n")
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

// Client calls the tool-protocol entry with the key, at the origin of the
// generation calls. It is safe for use by several goroutines.
type Client struct{ *client.Client }

// Call is one call of a tool.
type Call struct {
	Name string
	// Args is a JSON object; nil is an empty one.
	Args json.RawMessage
	// Agreed says that a person agreed to what the call may cost. Without it
	// only tools that are declared read-only are called.
	Agreed bool
	// Progress, when set, is called with the tool's progress: in order, one at a
	// time, never after CallTool returned. It must not block.
	Progress func(Progress)
}

// Tools lists the tools of the entry at path, which is escaped and counts from
// the origin's root. Without a path the known places are tried once each; the
// caller keeps Listing.Path for the next time. Errors are *Error.
func (c *Client) Tools(ctx context.Context, path string) (Listing, error) {
	if path != "" {
		return c.listTools(ctx, path)
	}
	var kept *api.Error
	for _, prefix := range slices.Compact([]string{c.Base.EscapedPath(), ""}) { // under that of the base URL first
		for _, place := range []string{"/api/v1/mcp", "/api/mcp", "/mcp", "/api/v1/mcp-http", "/v1/mcp"} { // most likely first
			l, err := c.listTools(ctx, prefix+place)
			switch e, failed := errors.AsType[*api.Error](err); {
			case !failed, e.Class == api.ClassNetwork, e.Class == api.ClassRate, e.Class.UsedUp(), ctx.Err() != nil:
				return l, err // it would be the same everywhere
			case slices.Contains([]int{400, 404, 405, 406, 410}, e.Status), e.Class == api.ClassUnreadable, e.Class == api.ClassNotFound: // next
			case kept == nil:
				kept = e
			}
		}
	}
	if kept != nil {
		return Listing{}, kept
	}
	none := client.OwnError(api.ClassNotFound, 0, api.ReasonNoToolEntry, c.Base.Host)
	none.Do = api.AdviseToolEntry.Reason()
	return Listing{}, none
}

func (c *Client) listTools(ctx context.Context, path string) (Listing, error) {
	ctx, cancel := client.WithLimit(ctx, client.Scaled(limitToolList, c.Scale), api.ReasonIncomplete)
	defer cancel()
	t, err := c.open(ctx, path, nil)
	if err != nil {
		return Listing{}, err
	}
	defer t.close()
	return t.list(ctx)
}

// CallTool calls a tool once, exactly once, and gives its answer; a tool that
// says that it failed is an answer. Errors are *Error, or ErrNotAgreed when the
// tool is not declared read-only and call.Agreed is false. An *Error whose Sent
// is true leaves open whether the tool ran. Ending ctx asks the tool to stop;
// the service decides whether it does.
func (c *Client) CallTool(ctx context.Context, path string, call Call) (Answer, error) {
	args := json.RawMessage(cmp.Or(string(bytes.TrimSpace(call.Args)), "{}"))
	if args[0] != '{' || !json.Valid(args) {
		return Answer{}, client.OwnError(api.ClassInvalid, 0, api.Sentence("the tool's arguments must be one JSON object"))
	}
	ctx, cancel := client.WithLimit(ctx, client.Scaled(limitToolCall, c.Scale), api.ReasonIncomplete)
	defer cancel()
	t, err := c.open(ctx, path, call.Progress)
	if err != nil {
		return Answer{}, err
	}
	defer t.close()
	// The tool's declaration is read again: the caller's may be old.
	l, err := t.list(ctx)
	tool, ok := l.Find(call.Name)
	switch {
	case err != nil:
		return Answer{}, err
	case !ok:
		none := client.OwnError(api.ClassNotFound, 0, api.Sentence("the service has no tool with that name"))
		none.Do = api.Sentence("look at the list of its tools").Reason()
		return Answer{}, none
	case !tool.ReadOnly && !call.Agreed:
		return Answer{}, ErrNotAgreed
	}
	p := &mcp.CallToolParams{Name: call.Name, Arguments: args}
	if call.Progress != nil {
		p.SetProgressToken("darkroom")
	}
	r, err := t.session.CallTool(ctx, p)
	if err != nil {
		failed := t.failure(ctx, err)
		if failed.Sent && !tool.ReadOnly {
			failed.Do = api.AdviseToolCharged.Reason()
		}
		return Answer{}, failed
	}
	a := Answer{Failed: r.IsError, Parts: api.Map(r.Content[:min(len(r.Content), maxToolParts)], c.toolPart)}
	if r.StructuredContent != nil {
		raw, _ := api.PlainJSON(r.StructuredContent) // it was JSON
		a.Structured = c.Key.Redact(raw)
	}
	if len(r.Content) > maxToolParts || slices.ContainsFunc(a.Parts, func(p Part) bool {
		text := p.Text.String() // one that was cut ends so
		return strings.HasSuffix(text, "…") && utf8.RuneCountInString(text) == maxToolText
	}) {
		const why = "the response was cut: darkroom keeps %v parts of it, and %v characters of a text"
		a.Cut = api.Sentence(why).Fault(nil, maxToolParts, maxToolText)
	}
	return a, nil
}

type Progress struct {
	Done  float64
	Total float64 // 0: not known
	Text  api.Text
}

// Address is the whole URL of the entry at a path from the origin's root.
func Address(base *url.URL, path string) string {
	return base.Scheme + "://" + base.Host + path
}

// ParseEntryPath reads the place of the entry as a person writes it: a path under
// the base URL, or a whole address at the base URL's origin. It gives the
// escaped path from the origin's root.
func ParseEntryPath(base *url.URL, s string) (string, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "/") {
		s = Address(base, strings.TrimRight(base.EscapedPath(), "/")+s)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.EscapedPath() == "" ||
		len(Address(base, u.EscapedPath())) > api.MaxBaseText:
		return "", api.Sentence("the tool entry's path cannot be read; give it as /api/v1/mcp, or as a full URL").Fault(nil)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", api.Sentence("the tool entry's path must not hold a user, a query or a fragment").Fault(nil)
	case api.Origin(u) != api.Origin(base):
		return "", api.Sentence("the tool entry is not at the host of the service's address, the only one that the key is sent to").Fault(nil)
	}
	if _, ok := api.BasePath(u); !ok {
		return "", api.Sentence("the tool entry's path must not hold empty, . or .. steps").Fault(nil)
	}
	return u.EscapedPath(), nil
}
