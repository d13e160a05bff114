package paint

import (
	"testing"

	"darkroom/api"
)

func BenchmarkDraw(b *testing.B) {
	for _, size := range []string{"1K", "2K", "4K"} {
		b.Run(size, func(b *testing.B) {
			in := Input{Kind: api.KindImage, Prompt: "Harbour at dawn 港口的黎明", Size: size, Ratio: "16:9"}
			for b.Loop() {
				encode(draw(in, in.Media(0)), in.Media(0).Type)
			}
		})
	}
}
