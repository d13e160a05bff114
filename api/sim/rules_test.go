package sim_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/api/sim/simtest"
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
	path = simtest.PathImages
	if r.Request["kind"] == "video" {
		path = simtest.PathVideos
	}
	delete(r.Request, "kind")
	if mode, ok := r.Request["function_mode"]; ok {
		r.Request[api.FieldFunctionMode] = mode
		delete(r.Request, "function_mode")
	}
	if r.Request["model"] == "acme/pictures" && path == simtest.PathImages {
		r.Request["model"] = sim.StillModel
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
	s := simtest.Run(t, simtest.Options{})
	taken, refused := 0, 0
	for _, row := range rows {
		path, body := row.body()
		own := row.Model != nil || row.Request["model"] != sim.StillModel && row.Request["model"] != api.Seedance2
		if row.Field == "" && (own || slices.Contains(narrower, row.Name)) {
			continue
		}
		r := s.Ask(t, "POST", path, body)
		switch {
		case row.Field == "" && r.StatusCode != 200:
			t.Errorf("%s: %d %s", row.Name, r.StatusCode, r.Body)
		case row.Field == "":
			taken++
		case r.StatusCode != 422 && r.StatusCode != 400 && !own:
			t.Errorf("%s: taken with %d: %.200s", row.Name, r.StatusCode, body)
		case !own && !strings.HasPrefix(row.Field, r.Text(t, "error.field")):
			t.Errorf("%s: refused for %s, want %s", row.Name, r.Text(t, "error.field"), row.Field)
		case r.StatusCode != 200:
			refused++
		}
	}
	if taken < 40 || refused < 80 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
}
