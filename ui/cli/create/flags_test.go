package create

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/cli/run"
)

func TestTheFlagsComeBeforeASavedRequest(t *testing.T) {
	t.Parallel()
	const recipe = `{"kind":"image","request":{"kind":"image","model":"a/b","prompt":"a boat","size":"2K","quality":"low","sync":true}}`
	flags := api.Request{Kind: api.KindImage, Quality: "high"}
	want := api.Request{Kind: api.KindImage, Model: "a/b", Prompt: "a boat", Size: "2K", Quality: "high", Sync: true}
	got, err := Filled(flags, false, recipe)
	expect.That(t, err == nil && reflect.DeepEqual(got, want), got, err)
	want.Sync = false
	got, err = Filled(flags, true, recipe)
	expect.That(t, err == nil && reflect.DeepEqual(got, want), "with --async", got, err)
	expect.Equal(t, simtest.Must(Filled(flags, false, `{"scene":"a boat"}`))(t).Prompt, `{"scene":"a boat"}`, "a prompt")
}

// A flag is found by the label of its field, and by its names in listings.
func TestAFlagIsFoundByItsLabel(t *testing.T) {
	t.Parallel()
	for _, f := range api.Fields(api.KindVideo) {
		if f.Help == "" || f.Name == api.FieldSeed || f.Name == api.FieldAsync || f.Max > 0 {
			continue
		}
		want := simtest.Must(RequestOf(api.KindVideo, []string{"--" + f.Flag(), "x"}))(t)
		for _, name := range append([]string{strings.ReplaceAll(strings.ToLower(f.Label), " ", "-")}, f.Also...) {
			got, err := RequestOf(api.KindVideo, []string{"--" + strings.ReplaceAll(name, "_", "-"), "x"})
			expect.That(t, err == nil && reflect.DeepEqual(got, want), name, "gives", got, err, f.Flag(), want)
		}
	}
}

// TestListsAreRead: every format gives the same requests, and what is wrong names its line.
func TestListsAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"prompt,kind,Video Model,duration\n\"a, b\",video,fast,5\nc,image,,\n", `2 video "a, b" fast 5|3 image "c"  `},
		{"\ufeff{\"prompt\":\"a, b\",\"kind\":\"video\",\"video_model\":\"fast\",\"duration\":5}\r\n\n{\"prompt\":\"c\",\"size\":null}", `1 video "a, b" fast 5|3 image "c"  `},
		{"# Shots\n\n- a\n  harbour\n* b\r\n3. b\n", `3 image "a harbour"  |5 image "b"  |6 image "b"   #2`},
		{"{\"prompt\":\"a\",\"image_files\":[\"x\",\"y\"],\"kind\":\"video\"}", `1 video "a"   x y`},
		{"prompt,image_files,image_files,kind\na,x,y,video", `2 video "a"   x y`},
		{`{"prompt":"a","图片":["x","y"],"kind":"video"}`, `1 video "a"   x y`},
		{"prompt,sizze\na,2K", "line 1: there is no field sizze; did you mean size?"},
		{"prompt,seed\na,\nb,1.5", `line 3: --seed: "1.5" is not a whole number`},
		{"prompt,size,size\na,1K,2K", "line 1: size is given twice"},
		{`{"prompt":"a","size":"1K","size":"2K"}`, "line 1: size is given twice"},
		{`{"prompt":"a","kind":"video","image_files":["x"],"image_files":["y"]}`, "line 1: image_files is given twice"},
		{`{"prompt":["a","b"]}`, "line 1: prompt is neither text nor a number"},
		{"prompt,size\n\"a\nb\",2K\n,2K", "line 4: there is no prompt"},
		{"prompt,size\na", "line 2: this is not a row of CSV with 2 columns"},
		{"shot,size\na,2K", "no column is named prompt"},
		{"{\"prompt\":\"a\"}\n{\"prompt\":", "line 2: this is not one JSON object"},
		{"{\"prompt\":\"a\",\"size\":{}}", "line 1: size is neither text nor a number"},
		{"{\"prompt\":\"a\",\"kind\":\"sound\"}", `line 1: "sound" is not a kind: write image or video`},
		{"- a\nprose", "line 2: this is not a list item"},
		{"prompt,size\na\nb,2K\n\"c\" d,1K\n,1K", "line 2: this is not a row of CSV with 2 columns\nline 4: this is not a row of CSV with 2 columns\nline 5: there is no prompt"},
		{"- a\nprose\n  more\n- b\n1", "line 2: this is not a list item: put - or a number before a prompt\nline 5: this is not a list item"},
		{"prompt,yes\na,true", "line 1: there is no field yes"},
		{"", "the list is empty: give CSV"},
		{"[{\"prompt\":\"a\"}]", "the list is one JSON array"},
		{"\x89PNG\x00", "this is not a text file: give CSV"},
		{"prompt,size\n", "the list has 0 lines: give 1 to 1000"},
		{strings.Repeat("- a\n", 1001), "the list has 1001 lines"},
	} {
		list, err := readShots([]byte(c.text), "image")
		err = cmp.Or(err, wrong(list))
		var got []string
		for _, one := range list {
			r := one.request
			text := fmt.Sprintf("%d %s %q %s %s", one.line, r.Kind, r.Prompt, r.VideoModel, r.Duration)
			if got = append(got, text); len(r.ImageFiles) > 0 {
				got[len(got)-1] += " " + strings.Join(r.ImageFiles, " ")
			}
			if one.nth > 1 {
				got[len(got)-1] += fmt.Sprintf(" #%d", one.nth)
			}
		}
		if f, _ := err.(*run.Failure); f != nil && f.Lines != nil {
			err = errors.Join(api.Map(f.Lines, func(f *run.Failure) error { return f })...)
		}
		expect.That(t, (err == nil || strings.HasPrefix(fmt.Sprint(err), c.want)) && (err != nil || strings.Join(got, "|") == c.want),
			c.text, got, err)
	}
}
