package ui

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbles/v2/table"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
)

// BenchmarkToolkit is one key in the parts of bubbles that darkroom has its own
// of: a list of jobs (compare BenchmarkKeyInJobs, which is the whole App) and
// the prompt's editor (compare BenchmarkCreateKey, likewise).
func BenchmarkToolkit(b *testing.B) {
	for _, n := range []int{300, 10_000} {
		b.Run(fmt.Sprintf("table-%d", n), func(b *testing.B) {
			rows := make([]table.Row, n)
			for i := range rows {
				rows[i] = table.Row{"● done", "video", fmt.Sprintf("paper boat %d", i), "425"}
			}
			m := table.New(table.WithFocused(true), table.WithHeight(36), table.WithWidth(60), table.WithRows(rows), table.WithColumns([]table.Column{
				{Title: "Phase", Width: 10}, {Title: "Kind", Width: 6}, {Title: "Title", Width: 30}, {Title: "Credits", Width: 8},
			}))
			keys := []tea.KeyPressMsg{keyOf("down"), keyOf("up")}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m, _ = m.Update(keys[i%2])
				_ = m.View()
			}
		})
	}
	for name, text := range map[string]string{
		"ascii-200": strings.Repeat("A paper boat drifts down a gutter. ", 6)[:200], "cjk-5000": strings.Repeat("纸船顺着雨水沟漂流而下", 460)[:15000],
	} {
		b.Run("textarea-"+name, func(b *testing.B) {
			m := textarea.New()
			m.CharLimit, m.MaxHeight = 0, 0
			m.SetWidth(70)
			m.SetHeight(8)
			m.SetValue(text)
			m.Focus()
			x, back := keyOf("x"), keyOf("backspace")
			keys := []tea.KeyPressMsg{x, back}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m, _ = m.Update(keys[i%2])
				_ = m.View()
			}
		})
	}
}
