package review

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

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
