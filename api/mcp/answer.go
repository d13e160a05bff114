package mcp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
)

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
