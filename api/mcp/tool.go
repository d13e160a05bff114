package mcp

import (
	"encoding/json"
	"maps"
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

// Form is a tool's JSON Schema as fields to fill in. A schema may say
// anything; what is not understood becomes a field for JSON, never a lost one.
type Form struct {
	// Fields are the required ones first, in the schema's order, then the
	// others by name.
	Fields []Field
	// Closed says that the tool refuses arguments that are no field.
	Closed bool
	// Free says that the schema names no fields although it takes arguments:
	// they are written as one JSON object.
	Free bool
}

// FieldType is what a field of a tool holds.
type FieldType string

// Types of fields.
const (
	FieldText    FieldType = "text"
	FieldWhole   FieldType = "whole"   // a whole number
	FieldNumber  FieldType = "number"  // any number
	FieldYesNo   FieldType = "yes_no"  // true or false
	FieldLines   FieldType = "lines"   // a list of texts, one a line
	FieldNumbers FieldType = "numbers" // a list of numbers, one a line
	FieldJSON    FieldType = "json"    // anything else
)

// Field is one argument of a tool.
type Field struct {
	Name     string // as it is sent: data, not text
	Label    api.Text
	About    api.Text
	Type     FieldType
	Choices  []string // as JSON texts or numbers are written by people
	Default  string
	Required bool
	Long     bool // wants several lines
	Min, Max *float64
	MinLen   int // characters, or entries of a list
	MaxLen   int // 0: none
}

// Limits of what is read of a schema.
const (
	maxToolFields  = 60
	maxToolChoices = 200
	maxSchemaDepth = 8
	longFrom       = 300 // a text that may be longer wants several lines
)

// ReadForm reads the schema of a tool's arguments.
func ReadForm(schema json.RawMessage) Form {
	root, ok := schemaObject(schema)
	if !ok {
		return Form{Free: true}
	}
	s := schemaReader{root}
	root = s.resolve(root, 0)
	properties, _ := root["properties"].(map[string]any)
	extra, given := root["additionalProperties"].(bool)
	f := Form{Closed: given && !extra}
	if len(properties) == 0 {
		f.Free = !f.Closed && (root["additionalProperties"] != nil || root["anyOf"] != nil || root["oneOf"] != nil || root["allOf"] != nil)
		return f
	}
	var names []string
	listed := map[string]bool{}
	for _, name := range texts(root["required"]) {
		if _, there := properties[name]; there && !listed[name] {
			listed[name] = true
			names = append(names, name)
		}
	}
	required := len(names)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !listed[name] {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if len(f.Fields) == maxToolFields {
			f.Closed = false // what has no field may still be an argument
			break
		}
		f.Fields = append(f.Fields, s.field(name, properties[name], i < required))
	}
	return f
}
