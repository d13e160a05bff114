package form

import (
	"strings"
	"testing"
)

const page13k = "纸船顺着雨水沟漂流而下，微距镜头，浅景深；雨滴的节奏由音乐决定。"

// BenchmarkPromptKey is one typed key with the form drawn after it, each key a
// text that was not there before.
func BenchmarkPromptKey(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"latin-200", strings.Repeat("A paper boat drifts down a rain gutter, macro lens. ", 4)[:200]},
		{"mixed-200", string([]rune(strings.Repeat("纸船顺着雨水沟漂流而下 paper boat, macro lens 【@图片1】；", 10))[:200])},
		{"cjk-1000", string([]rune(strings.Repeat(page13k, 200))[:1000])},
		{"cjk-5000", string([]rune(strings.Repeat(page13k, 200))[:5000])},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, key := newPaper(70, 30), press("字")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%25 == 0 {
					b.StopTimer()
					p.prompt.SetValue(c.text)
					p.Settle()
					p.keys("up", "up", "up")
					b.StartTimer()
				}
				p.Key(key)
				p.Lines()
				p.Cursor()
			}
		})
	}
}
