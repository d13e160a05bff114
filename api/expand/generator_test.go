package expand

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes random patterns, valid and broken ones.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 1))} }

func (g generator) pattern(depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		switch n := g.IntN(12); {
		case n < 4 && depth > 0:
			b.WriteByte('{')
			if g.IntN(3) == 0 {
				fmt.Fprintf(&b, "%d$$", g.IntN(4))
			}
			for i := range 1 + g.IntN(3) {
				if i > 0 {
					b.WriteByte('|')
				}
				b.WriteString(g.pattern(depth - 1))
			}
			b.WriteByte('}')
		case n == 4:
			b.WriteByte("{}|"[g.IntN(3)])
		case n == 5:
			b.WriteString(strings.Repeat(`\`, 1+g.IntN(3)))
		case n == 6:
			b.WriteString([]string{"__a__", "__", `{"k": "v|w"}`, "_"}[g.IntN(4)])
		default:
			b.WriteString([]string{"a", "b", "红", " "}[g.IntN(4)])
		}
	}
	return b.String()
}
