package words

import (
	"fmt"
	"strings"

	"darkroom/api"
)

// Error says an error of the service or of the way to it: what happened, and
// what to do about it.
func (w *Words) Error(e *api.Error) string {
	if w.says == nil {
		return e.Error()
	}
	happened, advice := w.Reason(e.Happened()), e.Advice()
	if advice.IsZero() {
		return happened
	}
	return strings.TrimRight(happened, ".") + "；" + w.Reason(advice)
}

// Reason says why something is so. The English is api's own, which logs and
// programs get too.
func (w *Words) Reason(r api.Reason) string {
	format, ok := chineseReasons[r.Code]
	if w.says == nil || !ok {
		return r.String()
	}
	values := make([]any, len(r.Args))
	for i, v := range r.Args {
		switch v := v.(type) {
		case api.Reason:
			values[i] = w.Reason(v)
		case api.Text:
			values[i] = v
			if r.Code == api.ReasonText { // the reader's own words have no codes yet
				values[i] = w.Look(v.String())
			}
		default:
			values[i] = v
		}
	}
	return fmt.Sprintf(format, values...)
}
