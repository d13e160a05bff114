package api

import (
	"testing"
)

func TestExtraHasTheListedType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, text, want string }{
		{"integer", "30", "30"}, {"integer", "3.5", ""}, {"int", "-4", "-4"}, {"integer", "007", ""},
		{"number", "0.5", "0.5"}, {"number", "1e9", ""}, {"float", "NaN", ""},
		{"boolean", "true", "true"}, {"boolean", "1", ""}, {"boolean", "T", ""},
		{"string", "30", `"30"`}, {"", "true", `"true"`}, {"enum", `a"b`, `"a\"b"`},
		{"array", `["a",1]`, `["a",1]`}, {"array", `"a"`, ""}, {"object", `{"a":1}`, `{"a":1}`}, {"object", `[]`, ""},
	} {
		e, ok := Parameter{Name: "style", Type: c.kind}.Extra(c.text)
		if ok != (c.want != "") || ok && string(e.Value) != c.want {
			t.Errorf("%s %s gives %s (%t), want %s", c.kind, c.text, e.Value, ok, c.want)
		}
		if ok && e.Text() != c.text {
			t.Errorf("%s is typed as %s, want %s", e.Value, e.Text(), c.text)
		}
	}
}

func TestExtrasAreWhatTheSpecDoesNotName(t *testing.T) {
	t.Parallel()
	m := Model{Parameters: []Parameter{{Name: "prompt"}, {Name: "image_size"}, {Name: "style"}, {Name: "ratio"}, {Name: `a"b`}, {Name: "steps"}}}
	if got := m.Extras(); len(got) != 2 || got[0].Name != "style" || got[1].Name != "steps" {
		t.Errorf("extra parameters: %+v", got)
	}
}
