package pricing

import (
	"strings"

	"darkroom/api"
)

// Markdown writes the table as Markdown, with prices of figure. say writes an
// English format in the language of the reader.
func (t *Table) Markdown(figure Figure, say func(format string, args ...any) string) string {
	var b strings.Builder
	title := api.Clean(t.Model.ID, api.MaxIDText).String()
	if t.Chosen {
		title = say("%s, %d s", title, t.Seconds)
	}
	cell := func(c *Choice) string {
		credits, ok := figure(c)
		switch seconds := t.SecondsOf(c); {
		case c.Refused():
			return "–"
		case !ok:
			return "?"
		case seconds > 0:
			return say("%s (%s / s)", credits.String(), (credits / api.Credits(seconds)).String())
		}
		return credits.String()
	}
	row := func(first string, each func(col int) string) {
		b.WriteString("| " + escaped(first) + " |")
		for col := range t.Cols {
			b.WriteString(" " + escaped(each(col)) + " |")
		}
		b.WriteByte('\n')
	}
	row(title, func(col int) string { return t.Cols[col] })
	b.WriteString("|---|" + strings.Repeat("---:|", len(t.Cols)) + "\n")
	for i, name := range t.Rows {
		row(name, func(col int) string { return cell(t.At(i, col)) })
	}
	return b.String()
}

// escaped keeps text from ending its cell or its line.
func escaped(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "`", "\\`", "<", "&lt;").Replace(s)
}
