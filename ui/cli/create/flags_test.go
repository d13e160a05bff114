package create

import (
	"reflect"
	"strings"
	"testing"

	"darkroom/api"
)

func TestTheFlagsComeBeforeASavedRequest(t *testing.T) {
	t.Parallel()
	const recipe = `{"kind":"image","request":{"kind":"image","model":"a/b","prompt":"a boat","size":"2K","quality":"low","sync":true}}`
	flags := api.Request{Kind: api.KindImage, Quality: "high"}
	want := api.Request{Kind: api.KindImage, Model: "a/b", Prompt: "a boat", Size: "2K", Quality: "high", Sync: true}
	if got, err := Filled(flags, false, recipe); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	want.Sync = false
	if got, err := Filled(flags, true, recipe); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("with --async: %+v, %v", got, err)
	}
	if _, err := Filled(api.Request{Kind: api.KindVideo}, false, recipe); err == nil || !strings.Contains(err.Error(), "darkroom image") {
		t.Errorf("of another kind: %v", err)
	}
	if got, err := Filled(flags, false, `{"model":"a/b","prompt":"c"}`); err != nil || got.Prompt != "c" || got.Kind != api.KindImage || got.Quality != "high" {
		t.Errorf("a body: %+v, %v", got, err)
	}
	if got, err := Filled(flags, false, `{"scene":"a boat"}`); err != nil || got.Prompt != `{"scene":"a boat"}` {
		t.Errorf("a prompt: %+v, %v", got, err)
	}
}

// A flag is found by the label of its field, and by its names in listings.
func TestAFlagIsFoundByItsLabel(t *testing.T) {
	t.Parallel()
	for _, f := range api.Fields(api.KindVideo) {
		if f.Help == "" || f.Name == api.FieldSeed || f.Name == api.FieldAsync || f.Max > 0 {
			continue
		}
		want, err := RequestOf(api.KindVideo, []string{"--" + f.Flag(), "x"})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append([]string{strings.ReplaceAll(strings.ToLower(f.Label), " ", "-")}, f.Also...) {
			got, err := RequestOf(api.KindVideo, []string{"--" + strings.ReplaceAll(name, "_", "-"), "x"})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("--%s gives %+v, %v; --%s %+v", name, got, err, f.Flag(), want)
			}
		}
	}
}
