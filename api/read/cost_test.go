package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
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
		ratio, short, long := math.Inf(1), time.Hour, time.Hour
		for looks := 0; ratio > most && looks < 15; looks++ { // a busy machine may spoil one, not all
			short, long = min(short, reading(small)), min(long, reading(large[name]))
			ratio = float64(long) / float64(max(short, 100*time.Microsecond))
		}
		expect.That(t, ratio <= most, name, "reading", len(large[name])>>10, "KiB takes", long, ratio, "times as long as", len(small)>>10, "KiB")
	}
}

// reading is how long all readers compute for an answer.
func reading(text string) time.Duration {
	key, _ := api.ParseKey("ak_live_0123456789abcdef")
	began := cpuTime()
	readAll(key.Redact([]byte(text)))
	return cpuTime() - began
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

// changer makes other answers of those in dialects.json: wrappers on the way to
// a concept get other names, an answer is one level deeper or shallower, and
// members change places.
type changer struct {
	*rand.Rand
	wrappers map[string]bool   // the keys on the way to a concept
	names    map[string]string // what they are called instead
}

var wrapperNames = strings.Fields("wrapper bundle zeta envelope outer_value holder qx7 theContainer parcel inside")

// TestGenerality reads answers of shapes that no rule was written after.
func TestGenerality(t *testing.T) {
	t.Parallel()
	c := &changer{Rand: rand.New(rand.NewPCG(1, 2))}
	report(t, score(t, slices.Repeat(dialects(t), 2), c.change), 92)
}

func (c *changer) change(d dialect, raw json.RawMessage) json.RawMessage {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return raw
	}
	c.wrappers, c.names = map[string]bool{}, map[string]string{}
	for paths := range maps.Values(d.Paths) {
		for _, path := range paths {
			path, _, _ = strings.Cut(path, " (")
			for _, key := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
				c.wrappers[key] = true
			}
		}
	}
	object, _ := v.(map[string]any)
	switch c.IntN(3) {
	case 0: // one level shallower, where no names clash
		for _, key := range slices.Sorted(maps.Keys(object)) {
			inner, ok := object[key].(map[string]any)
			clash := slices.ContainsFunc(slices.Collect(maps.Keys(inner)), func(k string) bool { return object[k] != nil })
			if ok && c.wrappers[key] && !clash {
				delete(object, key)
				maps.Copy(object, inner)
				break
			}
		}
	case 1: // one level deeper
		v = map[string]any{wrapperNames[c.IntN(len(wrapperNames))]: v}
	}
	return json.RawMessage(c.write(v))
}

// write writes JSON with members in a random order.
func (c *changer) write(v any) string {
	var parts []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			parts = append(parts, c.write(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, c.write(c.name(key, v[key]))+":"+c.write(v[key]))
		}
		c.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// name is what a key is called: half of the wrappers have another name.
func (c *changer) name(key string, v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	if _, object := v.(map[string]any); !object || !c.wrappers[key] {
		return key
	}
	if c.names[key] == "" {
		c.names[key] = key
		if c.IntN(2) == 0 {
			c.names[key] = wrapperNames[c.IntN(len(wrapperNames))] + key[:1]
		}
	}
	return c.names[key]
}
