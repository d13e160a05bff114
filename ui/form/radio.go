package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// Radio is a choice of two or three options that are all in view.
type Radio struct{ Choice }

// NewRadio makes a radio field; the first option is chosen.
func NewRadio(name, label string, options ...Option) *Radio {
	return &Radio{Choice{Core: Core{Name: name, Label: label}, options: options, value: options[0].Value}}
}

// Choose is SetValue by a person: it can be undone where the form asks for it.
func (r *Radio) Choose(v string) {
	old := r.value
	if v != old && r.history != nil {
		r.history.cut()
		r.history.add(r, func() { r.value = old }, func() { r.value = v })
	}
	r.SetValue(v)
}

func (r *Radio) paste(string) bool { return false }

func (r *Radio) key(k tea.KeyPressMsg) bool {
	by := 1
	switch k.String() {
	case "right", "l", "space", "enter":
	case "left", "h":
		by = len(r.options) - 1
	default:
		return false
	}
	r.Choose(r.options[(r.index()+by)%len(r.options)].Value)
	return true
}

func (r *Radio) click(at pointer) {
	from := 0
	for _, o := range r.options {
		w := theme.Width(o.shown()) + 2
		if at.x >= from && at.x < from+w {
			r.Choose(o.Value)
			return
		}
		from += w + radioGap
	}
}

const radioGap = 3

func (r *Radio) draw(l *Look, width int, focus bool) drawing {
	var b strings.Builder
	for i, o := range r.options {
		if i > 0 {
			b.WriteString(theme.Blank(radioGap))
		}
		switch {
		case o.Value == r.value && focus:
			l.Theme.Accent.Write(&b, "◉ ")
			l.Theme.Strong.Write(&b, o.shown())
		case o.Value == r.value:
			l.Theme.Text.Write(&b, "◉ "+o.shown())
		default:
			l.Theme.Muted.Write(&b, "○ "+o.shown())
		}
	}
	return drawing{lines: []string{theme.Cut(b.String(), width)}}
}
