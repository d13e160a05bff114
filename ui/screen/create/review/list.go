package review

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
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

// dead are the materials of a review that a check found to be of no use to the
// service. It is a warning: the service knows better. Sending needs a second
// key then.
type dead struct {
	materials []string // name and reason of each
	seen      bool     // the first key was pressed
}

// warn takes the first key of a review with dead materials.
func (r *Review) warn() (tea.Cmd, bool) {
	if len(r.dead.materials) == 0 || r.dead.seen {
		return nil, false
	}
	r.dead.seen = true
	r.table[0].Label = "send anyway"
	return msg.Notify(msg.ToneWarn, r.env.Say("The service may not be able to use %s. Press enter again to send anyway.", r.dead.materials[0])), true
}

// deadLines are the warnings above the body.
func (r *Review) deadLines(w int) []string {
	var out []string
	for _, m := range r.dead.materials {
		for i, l := range widget.Wrap(m, w-2) {
			out = append(out, r.env.Theme.Warn.Paint([2]string{"! ", "  "}[min(i, 1)]+l))
		}
	}
	return out
}
