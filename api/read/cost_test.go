package read

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

// costly are answers of up to n bytes, or half of a depth for each part of it,
// whose reading would take seconds, hours or for ever if any reader looked at one
// value from many others.
func costly(n, halves int) map[string]string {
	fill := func(head, each, tail string) string {
		return head + strings.Repeat(each, max(1, (n-len(head)-len(tail))/len(each))) + tail
	}
	count := func(head, format, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < n-len(tail)-64; i++ {
			fmt.Fprintf(&b, format, i)
		}
		b.WriteString(tail)
		return b.String()
	}
	nest := func(open, inner, closing string, times int) string {
		times = times * halves / 2
		return strings.Repeat(open, times) + inner + strings.Repeat(closing, times)
	}
	return map[string]string{
		"lists within lists":             nest(`{"models":[`, `1`, `]}`, 31),
		"named lists within lists":       nest(`{"models":[{"videomodels":{"models":[`, `1`, `]}}]}`, 12),
		"objects within objects":         nest(`{"data":`, `{"data":1}`, `}`, 60),
		"pairs within pairs":             nest(`{"data":{"a":1},"result":`, `1`, `}`, 60),
		"errors within errors":           nest(`{"error":{"errors":[`, `""`, `]}}`, 20),
		"messages within messages":       nest(`{"error":{"message":[{"message":`, `""`, `}]}}`, 15),
		"one address, many names":        count(`{"status":"done","result":{`, `"image%d":"http://a/b",`, `"z":1}}`),
		"one address, many times":        fill(`{"status":"done","result":{"images":[`, `"http://a/b",`, `"http://a/c"],"id":1}}`),
		"one address beside many values": fill(`{"status":"done","result":{"images":[`, `"http://a/b",`, `1],`) + fill(``, `"k":1,`, `"z":1}}`),
		"many of a name beside another":  fill(`{"status":"done","raw":1,`, `"min":1,`, `"z":1}`),
		"many echoes":                    fill(`{"status":"done","id":"a",`, `"image":1,`, `"z":1}`),
		"many ids":                       count(`{`, `"q%[1]d_job_id":"x%[1]d",`, `"z":1}`),
		"many keys of ids":               fill(`{`, `"a_b_id":[],`, `"z":1}`),
		"many prices":                    count(`{"models":[{"id":"m",`, `"q%d_price":0,`, `"z":1}]}`),
		"many parameters":                count(`{"models":[{"id":"m","parameters":{`, `"p%d":{"type":"string","enum":["a","b"]},`, `"z":1}}]}`),
		"many values":                    count(`{"models":[{"id":"m","parameters":{"size":[`, `"%dx1",`, `"z"]}}]}`),
		"one model, many times":          fill(`{"models":[`, `{"id":"m"},`, `{"id":"n"}]}`),
		"many models":                    count(`{"models":[`, `{"id":"m%d","kind":"image","price":1,"parameters":{"size":["a"]}},`, `{"id":"n"}]}`),
		"many groups":                    count(`{"models":{`, `"video%d":{"models":[1]},`, `"z":1}}`),
		"many refused fields":            fill(`{"errors":[`, `{"loc":["body","prompt"],"msg":"is required"},`, `1]}`),
		"many refusals":                  fill(`{"errors":[`, `"the prompt is required, invalid and missing",`, `1]}`),
		"many empty refusals":            fill(`{"error":{"message":[`, `{"error":{}},`, `{}]}}`),
		"many estimates":                 count(`{`, `"estimated%d_cost":{"total":-1},`, `"z":1}`),
		"many strings of JSON":           fill(`{"status":"done","result":[`, `"{\"a\":[1]}",`, `1]}`),
		"a long word":                    fill(`{"id":"m","status":"`, `a`, `"}`),
		"a long name of everything":      fill(`{"id":"m","message_error_reason_detail_`, `ok`, `":"ok"}`),
		"a long good word":               fill(`{"error":"`, `-`, `ok"}`),
		"a long number":                  fill(`{"credits":`, `9`, `,"status":"done","id":1}`),
		"a long pile of marks":           fill(`{"error":"`, "\u0301", `"}`),
		"escapes":                        fill(`{"error":"`, `\u0041\/`, `"}`),
	}
}

// TestReadersKeepPace reads answers that are made to be slow, at one size and at
// eight times that size: work that grows with the answer takes about eight times
// as long, work that grows with its square sixty-four times.
func TestReadersKeepPace(t *testing.T) {
	const most = 32
	size := 16 << 10
	if testing.Short() { // as under -race, whose instruments take ten times as long
		size = 4 << 10
	}
	large := costly(8*size, 2)
	for name, small := range costly(size, 1) {
		var ratio float64
		for range 5 { // a busy machine may spoil one look, not five
			short, long := reading(small), reading(large[name])
			ratio = float64(long) / float64(max(short, 100*time.Microsecond))
			if ratio <= most {
				t.Logf("%-32s %4d KiB in %8v, %3.0f times as long as %d KiB", name, len(large[name])>>10, long.Round(time.Microsecond), ratio, len(small)>>10)
				break
			}
		}
		if ratio > most {
			t.Errorf("%s: reading takes %.0f times as long for eight times the answer", name, ratio)
		}
	}
}

// reading is how long all readers compute for an answer: the least of three.
func reading(text string) time.Duration {
	key, _ := api.ParseKey("ak_live_0123456789abcdef")
	least := time.Duration(math.MaxInt64)
	for range 3 {
		began := cpuTime()
		raw := key.Redact([]byte(text))
		readAll(raw)
		least = min(least, cpuTime()-began)
	}
	return least
}

// readAll reads an answer with every reader.
func readAll(raw []byte) {
	Create(http.StatusOK, nil, raw, api.KindVideo)
	Job(http.StatusOK, nil, raw, api.KindVideo)
	Models(nil, raw)
	Estimate(raw, nil)
	Error(http.StatusBadRequest, nil, raw)
	ScanIDs(nil, raw[:max(0, len(raw)-1)], true)
}
