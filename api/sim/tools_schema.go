package sim

import (
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
)

// toolOf describes a tool whose arguments are an In, with the choices that its
// fields have. readOnly declares that it changes nothing and costs nothing.
func toolOf[In any](name, title, about string, readOnly bool) *mcp.Tool {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // the inputs are types of this file's neighbours
	}
	for field, p := range schema.Properties {
		choices := toolChoices()[field]
		if field == "duration" {
			p.Minimum, p.Maximum = number(4), number(12)
		}
		if field == "prompt" {
			p.MinLength, p.MaxLength = count(1), count(api.MaxPrompt)
		}
		for _, c := range choices {
			p.Enum = append(p.Enum, c)
		}
	}
	return &mcp.Tool{
		Name: name, Title: title, Description: about, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly},
	}
}

func toolChoices() map[string][]string {
	return map[string][]string{
		"size":         sizes,
		"quality":      {"low", "medium", "high"},
		"aspect_ratio": ratios,
		"ratio":        {"16:9", "9:16", "1:1", "4:3"},
		"video_model":  {"fast", "standard", "fast_vip", "standard_vip"},
		"resolution":   {"480p", "720p", "1080p"},
	}
}

func number(f float64) *float64 { return &f }
func count(n int) *int          { return &n }
