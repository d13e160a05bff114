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

func BenchmarkReadModels(b *testing.B) {
	raw := filled(`{"data":[`, `{"id":"model-%d","type":"video","description":"`+strings.Repeat("x", 400)+
		`","parameters":{"duration":{"type":"enum","values":[4,5,6],"default":5},"resolution":["480p","720p"]},"price":{"credits":85,"unit":"second"}}`, `]}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Models(nil, raw); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadHostile reads what costs most: many values, long keys, deep
// nesting, JSON within strings.
func BenchmarkReadHostile(b *testing.B) {
	for name, raw := range map[string][]byte{
		"values":  filled(`{"data":[`, `%d`, `]}`),
		"objects": filled(`{"job":{"status":"COMPLETED","result":[`, `{"id":%d}`, `]}}`),
		"keys":    filled(`{`, `"k%d":1`, `}`),
		"key":     []byte(`{"` + strings.Repeat("k", 4<<20) + `":{"status":"COMPLETED","output":["https://a.example/1.png"]}}`),
		"within":  filled(`{"status":"done","result":[`, `"{\"url\":\"https://a.example/%d.png\"}"`, `]}`),
		"arrays":  filled(`{"status":"done","result":[`, `"[%d]"`, `]}`),
		"quotes":  []byte(`{"result":"` + strings.Repeat(`\"`, 4<<20-100) + `"}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				readAll(raw)
			}
		})
	}
}
