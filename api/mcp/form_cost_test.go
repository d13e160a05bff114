package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestToolFormsKeepPace reads schemas that are made to be slow.
func TestToolFormsKeepPace(t *testing.T) {
	t.Parallel()
	var required, properties, refs strings.Builder
	for i := range 12000 {
		fmt.Fprintf(&required, `"p%d",`, i)
		fmt.Fprintf(&properties, `"p%d":{},`, i)
	}
	steps := strings.Repeat("/a", 4000)
	for i := range 25 {
		fmt.Fprintf(&refs, `"q%d":{"$ref":"#%s"},`, i, steps)
	}
	for name, schema := range map[string]string{
		"many required": `{"required":[` + required.String() + `"z"],"properties":{` + properties.String() + `"z":{}}}`,
		"long references": `{"properties":{` + refs.String() + `"z":{}},"a":` +
			strings.Repeat(`{"a":`, 3999) + `{"$ref":"#` + steps + `"}` + strings.Repeat(`}`, 3999) + `}`,
		"references to themselves": `{"$ref":"#/a","a":{"$ref":"#/b"},"b":{"anyOf":[{"$ref":"#/a"}]},"properties":{` + properties.String() + `"z":{}}}`,
	} {
		keepsPace(t, name, schema, func() {
			if f := ReadForm([]byte(schema)); len(f.Fields) == 0 && !f.Free {
				t.Errorf("%s: %+v", name, f)
			}
		})
	}
}

// keepsPace reads within a limit that only a careless reader breaks.
func keepsPace(t *testing.T, name, text string, read func()) {
	t.Helper()
	const limit = 30 * time.Second
	done := make(chan time.Duration, 1)
	go func() {
		began := time.Now()
		read()
		done <- time.Since(began)
	}()
	select {
	case took := <-done:
		t.Logf("%-32s %4d KiB in %v", name, len(text)>>10, took.Round(time.Millisecond))
	case <-time.After(limit):
		t.Errorf("%s: %d KiB are not read within %v", name, len(text)>>10, limit)
	}
}
