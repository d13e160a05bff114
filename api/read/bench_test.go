package read

import (
	"fmt"
	"strings"
	"testing"

	"darkroom/api"
)

// filled makes an answer of about 8 MiB around one repeated element.
func filled(head, element, tail string) []byte {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < 8<<20-len(element); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, element, i)
	}
	b.WriteString(tail)
	return []byte(b.String())
}

func BenchmarkReadJob(b *testing.B) {
	small := []byte(`{"job":{"id":"j1","status":"COMPLETED","result":{"videos":[{"url":"https://cdn.example.com/v.mp4"}]},"error":null}}`)
	large := filled(`{"job":{"id":"j1","status":"COMPLETED","result":{"images":[`, `{"url":"https://cdn.example.com/%d.png","note":"`+strings.Repeat("x", 200)+`"}`, `]}}}`)
	for name, raw := range map[string][]byte{"small": small, "8MiB": large} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				Job(200, nil, raw, api.KindVideo)
			}
		})
	}
}
