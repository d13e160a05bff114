package vary

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	editorWidth    = 84
	editorLabel    = 14 // cells of the field's name
	editorFieldsAt = 4  // the box's line that the fields begin on
)

func (o *variationEditor) Cursor() *tea.Cursor {
	if !o.Typing() {
		return nil
	}
	room := min(editorWidth, o.w) - 4 - editorLabel - 2
	f := o.field()
	return tea.NewCursor(2+2+editorLabel+f.line.Column()-f.line.Offset(room), editorFieldsAt+o.at)
}

// Box draws the editor.
func (o *variationEditor) Box(w, h int) string {
	width := min(editorWidth, w)
	inner := width - 4
	t := o.env.Theme
	lines := []string{
		t.Muted.Paint(theme.Cut(o.env.Say("Each chosen value is a request of its own."), inner)),
		t.Muted.Paint(theme.Cut(o.env.Say("In the prompt: %s", "{a|b}, {2$$a|b|c}, __list__"), inner)), "",
	}
	for i := range o.fields {
		lines = append(lines, o.fieldLine(i, inner))
	}
	lines = append(lines, "", o.summary(inner), "", widget.KeyLine(o.env, o.table))
	return widget.Boxed(o.env, width, h, o.env.Say("Variations"), lines)
}

func (o *variationEditor) fieldLine(i, inner int) string {
	t, f := o.env.Theme, &o.fields[i]
	mark, label := "  ", t.Muted
	if i == o.at {
		mark, label = "▸ ", t.Text
	}
	var b strings.Builder
	t.Accent.Write(&b, mark)
	label.Write(&b, theme.Fit(o.env.Say(f.Label), editorLabel))
	if len(f.Options) == 0 {
		if f.line.Empty() && i != o.at {
			t.Faint.Write(&b, o.env.Say("such as %s", f.Example))
		} else {
			t.Text.Write(&b, f.line.Window(inner-2-editorLabel))
		}
		return b.String()
	}
	for n, v := range f.Options {
		style, box := t.Muted, "□ "
		if slices.Contains(f.Chosen, v) || len(f.Chosen) == 0 && v == f.Own {
			style, box = t.Text, "■ "
		}
		if i == o.at && n == f.option {
			style = t.Accent
		}
		style.Write(&b, box+api.Clean(f.Names[n], 24).String())
		b.WriteString("  ")
	}
	return theme.Cut(b.String(), inner)
}

// summary is how many requests there are now, or why there are none.
func (o *variationEditor) summary(inner int) string {
	t := o.env.Theme
	if o.err != "" {
		return t.Bad.Paint(theme.Cut("✗ "+o.err, inner))
	}
	text := Count(o.env, &o.set)
	if n := len(o.set.All); n <= 1 {
		return t.Muted.Paint(text)
	}
	return t.Accent.Paint(theme.Cut(text+" · "+o.env.Say("at most %s", strconv.Itoa(o.env.Settings.VariationsLimit())), inner))
}

// Count is the count of a set, and how it comes about.
func Count(k *env.Env, set *expand.Set) string {
	var factors []string
	for _, n := range set.Factors {
		if n > 1 {
			factors = append(factors, strconv.Itoa(n))
		}
	}
	n, left := set.Count, ""
	if len(set.All) > 0 {
		n = len(set.All)
	}
	if len(set.All) > 0 && set.Equal() > 0 {
		left = k.Say(" (%d equal left out)", set.Equal())
	}
	text := k.Words.Count(n, "%d request", "%d requests") + left
	if len(factors) > 1 {
		text = strings.Join(factors, " × ") + " = " + text
	}
	return text
}
