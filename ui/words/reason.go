package words

import "darkroom/api"

// Error says an error in this language when it is one of ours; else as it is.
func (w *Words) Error(err error) string { return w.Reason(api.ReasonOf(err)) }

// Reason says why something is so. The English is api's own, which logs and
// programs get too.
func (w *Words) Reason(r api.Reason) string {
	if w.zh.Reasons == nil {
		return r.String()
	}
	return r.In(func(code string) string { return w.zh.Reasons[code] })
}
