package sim

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"darkroom/api"
)

// ruleRow is a row of the client's rules: a request that keeps or breaks one.
type ruleRow struct {
	Name    string
	Request map[string]any
	Repeat  int
	Model   *struct{} // a listing of the row's own
	Field   string    // empty: the request is good
}

// body is the row as it could go over the wire, fields that a form would leave
// out included, for the image model that this server lists.
func (r ruleRow) body() (path, body string) {
	path = pathImages
	if r.Request["kind"] == "video" {
		path = pathVideos
	}
	delete(r.Request, "kind")
	if mode, ok := r.Request["function_mode"]; ok {
		r.Request[api.FieldFunctionMode] = mode
		delete(r.Request, "function_mode")
	}
	if r.Request["model"] == "acme/pictures" && path == pathImages {
		r.Request["model"] = StillModel
	}
	r.Request["async"] = r.Request["sync"] == nil
	delete(r.Request, "sync")
	r.Request["prompt"] = strings.Repeat(r.Request["prompt"].(string), max(1, r.Repeat))
	b, _ := json.Marshal(r.Request)
	return path, string(b)
}

// narrower are good requests that this server's models do not take.
var narrower = []string{"duration 12.5", "duration auto"}

// Every row that breaks a rule is refused for its field, and the good ones are
// taken.
func TestKeepsTheClientsRules(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../testdata/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []ruleRow
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber() // seeds are larger than a float64 keeps
	if err := d.Decode(&rows); err != nil || len(rows) < 100 {
		t.Fatalf("%v; %d rows", err, len(rows))
	}
	s := start(t, Options{})
	taken, refused := 0, 0
	for _, row := range rows {
		path, body := row.body()
		own := row.Model != nil || row.Request["model"] != StillModel && row.Request["model"] != api.Seedance2
		if row.Field == "" && (own || slices.Contains(narrower, row.Name)) {
			continue
		}
		r := ask(t, s, "POST", path, body)
		switch {
		case row.Field == "" && r.StatusCode != 200:
			t.Errorf("%s: %d %s", row.Name, r.StatusCode, r.body)
		case row.Field == "":
			taken++
		case r.StatusCode != 422 && r.StatusCode != 400 && !own:
			t.Errorf("%s: taken with %d: %.200s", row.Name, r.StatusCode, body)
		case !own && !strings.HasPrefix(row.Field, r.text(t, "error.field")):
			t.Errorf("%s: refused for %s, want %s", row.Name, r.text(t, "error.field"), row.Field)
		case r.StatusCode != 200:
			refused++
		}
	}
	if taken < 40 || refused < 80 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
}

// FuzzReadRequest: no body stops the embedded service, and each is taken or
// refused in words.
func FuzzReadRequest(f *testing.F) {
	for _, s := range []string{`{"model":"seedance2","prompt":"a","duration":5}`, `{"model":"lumen/still-1","prompt":"a","size":"1024x1024"}`, `{"model":7}`,
		`{"prompt":null,"image_files":["a",1]}`, `{"model":"seedance2","prompt":"【@图片1】","image_files":["https://example.com/a.png"],"seed":1e99}`,
		`{"duration":"05.5","ratio":"16:9","aspect_ratio":"1:1"}`, `[]`, ``, "{\"prompt\":\"\xff\"}", `{"x":1}`, `{"async":"false"}`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, video bool) {
		kind := api.KindImage
		if video {
			kind = api.KindVideo
		}
		o, bad := rules{"http://127.0.0.1:80", Models()}.read(kind, body)
		switch {
		case bad != nil && (bad.Status < 400 || bad.Message == ""):
			t.Errorf("refused as %+v", bad)
		case bad == nil && (o.Model == "" || o.Prompt == ""):
			t.Errorf("taken as %+v", o)
		}
	})
}
