package history

import (
	"strings"

	"charm.land/lipgloss/v2"

	"darkroom/ui/result"
	"darkroom/ui/theme"
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
	var text strings.Builder
	for _, d := range words {
		wordStyle(&o.env.Theme.Styles, d).Write(&text, strings.ReplaceAll(d.Text, "\n", " "))
	}
	lines := strings.Split(lipgloss.Wrap(text.String(), w-2, ""), "\n")
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] += o.env.Theme.Muted.Paint(" …")
	}
	return lines
}

func wordStyle(in *theme.Styles, d result.Word) theme.Style {
	if d.New {
		return in.Accent
	}
	return in.Muted
}
