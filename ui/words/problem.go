package words

import (
	"fmt"
	"strings"

	"darkroom/api"
)

// Problem says a finding of a rule: what is wrong, then what to do.
func (w *Words) Problem(p api.Problem) string {
	format, ok := problemFormats[p.Code]
	if !ok {
		return p.String()
	}
	values := make([]any, len(p.Args))
	for i, v := range p.Args {
		values[i] = w.value(v)
	}
	if zh, ok := w.zh.Problems[p.Code]; ok {
		format = zh
	}
	return fmt.Sprintf(format, values...)
}

// materialNouns complete "add …".
var materialNouns = map[api.MaterialKind]string{
	api.MaterialImage: "an image", api.MaterialVideo: "a video", api.MaterialAudio: "an audio",
}

// mostListed is how many values a sentence lists.
const mostListed = 12

// value is a value of a code as a sentence takes it.
func (w *Words) value(v any) any {
	switch v := v.(type) {
	case api.MaterialKind:
		return w.Say(materialNouns[v])
	case []string:
		text := strings.Join(v[:min(len(v), mostListed)], ", ")
		if more := len(v) - mostListed; more > 0 {
			text += w.Say(" (%d more)", more)
		}
		return api.Clean(text, 200).String()
	}
	return v
}
