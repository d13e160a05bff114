package words

import "darkroom/api"

// Error says an error in this language when it is one of ours; else as it is.
func (w *Words) Error(err error) string { return w.Reason(api.ReasonOf(err)) }

// Reason says why something is so. The English is api's own, which logs and
// programs get too.
func (w *Words) Reason(r api.Reason) string {
	if w.says == nil {
		return r.String()
	}
	return r.In(func(code string) string { return chineseReason(code) })
}

// chineseReason is the Chinese format of a code; "" when there is none.
func chineseReason(code string) string {
	if zh := chineseReasons[code]; zh != "" {
		return zh
	}
	return chineseStateReasons[code]
}
