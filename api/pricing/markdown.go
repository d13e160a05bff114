package pricing

import "strings"

// Markdown writes the table as Markdown. cell gives the text of a choice.
func (t *Table) Markdown(title string, cell func(*Choice) string) string {
	var b strings.Builder
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
