package sim

import (
	"testing"

	"darkroom/api"
)

func BenchmarkDraw(b *testing.B) {
	for _, size := range []string{"1K", "2K", "4K"} {
		b.Run(size, func(b *testing.B) {
			o := order{kind: api.KindImage, prompt: "Harbour at dawn 港口的黎明", size: size, ratio: "16:9"}
			var st studio
			st.draw(&o, o.still(16)) // reads the font
			for b.Loop() {
				encode(st.paint(&o, o.still(0)), o.still(0).mediaType)
			}
		})
	}
}
