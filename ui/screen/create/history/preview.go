package history

import (
	"strings"

	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// previewTitle says against what new words are marked.
func (o *history) previewTitle() string {
	_, v, ok := o.selected()
	switch {
	case !ok:
		return ""
	case v.parent >= 0:
		return o.env.Say("new words of this version")
	case o.now != "":
		return o.env.Say("new words, compared with the form")
	}
	return ""
}

// preview is the picture of the selected request and the beginning of its
// prompt. Words that the prompt before it, or the one in the form, does not have
// are marked.
func (o *history) preview(p plan) []string {
	out := make([]string, p.preview)
	one, v, ok := o.selected()
	if !ok {
		return out
	}
	before, w := o.now, p.inner
	if v.parent >= 0 {
		before = o.found[v.parent].Request.Prompt
	}
	var picture []string
	if one.path != "" && p.picture > 0 {
		picture, _ = o.thumbs.Lines(p.big(one))
		w -= p.picture + 2
	}
	copy(out, o.marked(result.Words(one.Request.Prompt, before), w, p.preview))
	for y := range picture {
		out[y] = theme.Fit(picture[y], p.picture) + "  " + out[y]
	}
	return out
}

// marked wraps words into at most so many lines.
func (o *history) marked(words []result.Word, w, most int) []string {
	t, out := o.env.Theme, []string{}
	line, used := strings.Builder{}, 0
	for _, d := range words {
		parts := []string{strings.ReplaceAll(d.Text, "\n", " ")}
		if theme.Width(parts[0]) > w-2 {
			parts = widget.Wrap(d.Text, w-2)
		}
		for _, part := range parts {
			blank := strings.TrimSpace(part) == ""
			if used > 0 && !blank && used+theme.Width(part) > w-2 {
				if len(out) == most-1 {
					return append(out, line.String()+t.Muted.Paint(" …"))
				}
				out = append(out, line.String())
				line.Reset()
				used = 0
			}
			if used > 0 || !blank {
				wordStyle(&t.Styles, d).Write(&line, part)
				used += theme.Width(part)
			}
		}
	}
	return append(out, line.String())
}

func wordStyle(in *theme.Styles, d result.Word) theme.Style {
	if d.New {
		return in.Accent
	}
	return in.Muted
}
