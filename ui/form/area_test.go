package form

import (
	"strings"
	"syscall"
	"testing"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
)

// editor is what is measured: one key, then the lines to show.
type editor struct {
	set  func(string)
	key  func(tea.KeyPressMsg)
	draw func()
}

func ownEditor() editor {
	p, l := NewPrompt("p", "P", 5000), look()
	p.Marks = func(string) Mark { return MarkToken }
	p.fit(12)
	return editor{p.SetValue, func(k tea.KeyPressMsg) { p.key(k) }, func() { p.draw(l, 70, true) }}
}

func areaEditor() editor {
	p, l := NewArea("p", "P", 5000), look()
	p.Marks = func(string) Mark { return MarkToken }
	p.fit(12)
	return editor{p.SetValue, func(k tea.KeyPressMsg) { p.key(k) }, func() { p.draw(l, 70, true) }}
}

// bareEditor is the widget with none of the shims: what an adapter costs at least.
func bareEditor() editor {
	m := textarea.New()
	m.Prompt, m.ShowLineNumbers, m.MaxHeight, m.MaxWidth = "", false, 0, 0
	m.SetVirtualCursor(false)
	m.SetWidth(67)
	m.SetHeight(12)
	m.Focus()
	return editor{m.SetValue, func(k tea.KeyPressMsg) { m, _ = m.Update(k) }, func() { _ = m.View() }}
}

func cpu() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkEditors measures one typed key with its drawing, under the same
// conditions for each editor: 67 cells, 12 lines, the cursor three lines above
// the end, each key a text that was not there before (the widget remembers how
// it wrapped a text, so typing and deleting in turn would flatter it). cpu-ns/key
// is what the process used, for machines that do other work meanwhile.
func BenchmarkEditors(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"latin-200", strings.Repeat("A paper boat drifts down a rain gutter, macro lens. ", 97)[:200]},
		{"mixed-200", string([]rune(strings.Repeat("纸船顺着雨水沟漂流而下 paper boat, macro lens 【@图片1】；", 10))[:200])},
		{"cjk-1000", string([]rune(strings.Repeat(page13k, 200))[:1000])},
		{"cjk-5000", string([]rune(strings.Repeat(page13k, 200))[:5000])},
		{"cjk-5000-50-paragraphs", string([]rune(strings.Repeat(strings.Repeat(page13k, 3)+"\n", 60))[:5000])},
	} {
		for name, make := range map[string]func() editor{"own": ownEditor, "adapter": areaEditor, "bare": bareEditor} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				e, up, key := make(), press("up"), press("字")
				var used int64
				for i := 0; b.Loop(); i++ {
					if i%25 == 0 {
						b.StopTimer()
						e.set("")
						e.set(c.text)
						e.draw()
						for range 3 {
							e.key(up)
						}
						e.draw()
						b.StartTimer()
					}
					t := cpu()
					e.key(key)
					e.draw()
					used += cpu() - t
				}
				b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/key")
			})
		}
	}
}
