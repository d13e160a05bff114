package words

import (
	"fmt"
	"strings"

	"darkroom/api"
)

// bilingual is one sentence in both languages. Both take the same values; the
// Chinese may take them in another order (%[2]s).
type bilingual struct{ en, zh string }

func (w *Words) in(b bilingual) string {
	if w.says != nil {
		return b.zh
	}
	return b.en
}

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
	return fmt.Sprintf(w.in(format), values...)
}

// materialNouns complete "add …".
var materialNouns = map[api.MaterialKind]bilingual{
	api.MaterialImage: {"an image", "图片"}, api.MaterialVideo: {"a video", "视频"}, api.MaterialAudio: {"an audio", "音频"},
}

// mostListed is how many values a sentence lists.
const mostListed = 12

// value is a value of a code as a sentence takes it.
func (w *Words) value(v any) any {
	switch v := v.(type) {
	case api.MaterialKind:
		return w.in(materialNouns[v])
	case []string:
		text := strings.Join(v[:min(len(v), mostListed)], ", ")
		if more := len(v) - mostListed; more > 0 {
			text += w.Say(" (%d more)", more)
		}
		return api.Clean(text, 200).String()
	}
	return v
}
