package review

import (
	"strconv"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// patternLines is how much of the pattern's prompt stands above the list.
const patternLines = 4

// listLines are the prompt with its alternatives, and the requests, one a line:
// in what each differs, and its price.
func (r *Review) listLines(w int) []string {
	t := r.env.Theme
	prompt := r.pattern.Prompt
	out := widget.Wrap(api.CleanLines(prompt, len(prompt)+1).String(), w)
	if len(out) > patternLines {
		out = out[:patternLines]
		out[patternLines-1] = theme.Cut(out[patternLines-1]+" …", w)
	}
	for i := range out {
		out[i] = t.Text.Paint(out[i])
	}
	out = append(out, "")
	for i, v := range r.requests() {
		price := r.priceOf(&v.Request)
		number := widget.AlignRight(strconv.Itoa(i+1), 3) + "  "
		label := api.Clean(v.Label, 4*w).String()
		room := max(w-theme.Width(number)-theme.Width(price)-1, 1)
		out = append(out, t.Faint.Paint(number)+t.Text.Paint(theme.Fit(label, room))+" "+t.Muted.Paint(price))
	}
	return out
}
