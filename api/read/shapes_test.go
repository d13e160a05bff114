package read_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/read"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// shapeRow is one line of testdata/shapes.jsonl: an answer as services of this
// kind give it, with made-up values, and what is to be read from it.
type shapeRow struct {
	Shape string
	Call  string   // create, job, error, models, estimate, place
	Kind  api.Kind // of the request; video when empty
	HTTP  int      // 200 when 0
	Body  json.RawMessage
	Raw   string // in place of a body that is not JSON
	Want  struct {
		Phase   api.Phase // of a create
		Class   string    // of a job's status, or of an error
		ID      string    // not compared when empty
		Results []string  // addresses; "bytes" for bytes
		Any     bool      // there are results, and which of them is open
		Reason  string    // not compared when empty; "-" for none
		Text    string    // a part of the error's text
		Field   string    // "-" for none
		Wait    int       // seconds
		Models  []string
		Credits string
		Unit    string
		None    bool // no amount at all
		// Compared when they are there.
		More     bool // the listing has further pages
		Place    int
		Progress *float64
		Expires  int64
		Kind     api.Kind // of all results
		Code     string
	}
}

// TestShapes reads answers that no rule was written after. Every row has to be
// read right in all that it names.
func TestShapes(t *testing.T) {
	t.Parallel()
	for line := range bytes.Lines(simtest.Must(os.ReadFile("testdata/shapes.jsonl"))(t)) {
		row := shapeRow{Kind: api.KindVideo, HTTP: 200}
		simtest.NoError(t, json.Unmarshal(line, &row))
		if row.Raw != "" {
			row.Body = json.RawMessage(row.Raw)
		}
		row.compare(t)
	}
}

// compare fails for what is read otherwise than the row says.
func (row shapeRow) compare(t *testing.T) {
	same := func(what string, got, want any) { expect.Equal(t, fmt.Sprint(got), fmt.Sprint(want), row.Shape, what) }
	w := row.Want
	switch row.Call {
	case "create":
		o := client.Classify(client.Trip{Connected: true, Status: row.HTTP, Body: row.Body}, row.Kind)
		same("phase", o.Phase, w.Phase)
		if w.Phase == api.PhaseFetching {
			same("results", resultTexts(o.Answer), w.Results)
		}
		if w.ID != "" {
			same("id", o.Answer.ID, w.ID)
		}
		if w.Class != "" && o.Err != nil {
			same("class", o.Err.Class, w.Class)
		}
	case "job":
		a := read.Job(row.HTTP, nil, row.Body, row.Kind)
		same("class", a.Class, w.Class)
		if w.ID != "" {
			same("id", a.ID, w.ID)
		}
		if w.Any {
			same("has results", len(a.Results) > 0, true)
		} else {
			same("results", resultTexts(a), w.Results)
		}
		if w.Progress != nil {
			same("progress", a.Progress, *w.Progress)
		}
		for _, r := range a.Results {
			if max(r.ExpiresAt.Unix(), 0) != w.Expires || r.ExpiresAt.IsZero() != (w.Expires == 0) || w.Kind != "" && r.Kind != w.Kind {
				same("result", r, "another kind or expiry")
			}
		}
		if w.Reason != "" {
			same("reason", a.Reason, strings.TrimSuffix(w.Reason, "-"))
		}
	case "error":
		e := read.Error(row.HTTP, nil, row.Body)
		same("class", e.Class, w.Class)
		if !strings.Contains(e.Text.String(), w.Text) {
			same("text", e.Text, w.Text)
		}
		if w.Field == "-" || w.Field == "" && w.Class != string(api.ClassInvalid) { // what is not about the request blames no field
			same("fields", e.Fields, []api.FieldError(nil))
		} else if w.Field != "" {
			e.Fields = slices.DeleteFunc(e.Fields, func(f api.FieldError) bool { return f.Field != w.Field })
			same("names of the field", len(e.Fields), 1)
		}
		if w.Code != "" {
			same("code", e.Code, w.Code)
		}
		same("wait", e.RetryAfter, time.Duration(w.Wait)*time.Second)
	case "models":
		models, more, err := read.Models(nil, row.Body)
		same("more", more, w.More)
		var got []string
		for _, m := range models {
			if !strings.Contains(strings.Join(w.Models, ""), "=") {
				m.Parameters = nil
			}
			got = append(got, modelLine(m))
		}
		same("none", err != nil, w.None)
		same("models", got, w.Models)
	case "place":
		same("place", read.ReadPlace(row.Body), w.Place)
	case "estimate":
		e, err := read.Estimate(row.Body, nil)
		same("none", err != nil, w.None)
		same("unit", e.Unit, w.Unit)
		if w.Credits != "" {
			same("credits", e.Credits, w.Credits)
		}
	}
}

func resultTexts(a api.JobAnswer) []string {
	var out []string
	for _, r := range a.Results {
		if r.Data != nil {
			out = append(out, "bytes")
			continue
		}
		out = append(out, r.URL)
	}
	return out
}

// modelLine is a model in one line, as the rows of shapes.jsonl have it.
func modelLine(m api.Model) string {
	line := m.ID + " " + string(m.Kind) + " none"
	if m.Price != nil {
		line = m.ID + " " + string(m.Kind) + " " + m.Price.Credits.String() + "/" + m.Price.Unit
	}
	for _, p := range m.Parameters {
		line += " " + p.Name + "=" + strings.Join(p.Values, ",")
		if p.Min != nil && p.Max != nil {
			line += api.Credits(*p.Min*1e6).String() + ".." + api.Credits(*p.Max*1e6).String()
		}
		line += p.Type + "(" + p.Default + ")"
		if p.Required {
			line += "!"
		}
	}
	return line
}
