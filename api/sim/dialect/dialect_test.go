package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

// Every dialect says a job's id, how it ended and where its result is, and
// differs from all others.
func TestEveryDialectSaysTheSame(t *testing.T) {
	t.Parallel()
	said := map[string]string{}
	silent := []string{"inline", "operation"} // tell a failure by the status word alone
	for _, name := range Names() {
		d, ok := Named(name)
		if !ok {
			t.Fatalf("%q is listed and missing", name)
		}
		for _, kind := range []api.Kind{api.KindImage, api.KindVideo} {
			j := Job{ID: "job_1", Kind: kind, Status: Processing, Credits: api.Credit, Created: time.Unix(1, 0)}
			if text := write(t, d.Created(j)); !strings.Contains(text, "job_1") {
				t.Errorf("%s: no id in %s", name, text)
			}
			running := write(t, d.Job(j))
			j.Status, j.URL, j.Expires = Completed, "https://example.com/a.png", time.Unix(9, 0)
			done := write(t, d.Job(j))
			if !strings.Contains(done, "example.com/a.png") || strings.Contains(running, "example.com/a.png") {
				t.Errorf("%s: running %s, completed %s", name, running, done)
			}
			j.Status, j.URL, j.Reason = Failed, "", "the reason"
			failed := write(t, d.Job(j))
			if !slices.Contains(silent, name) && !strings.Contains(failed, "the reason") || failed == running {
				t.Errorf("%s: failed %s", name, failed)
			}
			if kind == api.KindImage {
				if other, twice := said[done]; twice {
					t.Errorf("%s speaks as %s", name, other)
				}
				said[done] = name
			}
		}
		if text := write(t, d.Estimate("m", 12*api.Credit+api.Credit/2)); !strings.Contains(text, "12.5") {
			t.Errorf("%s: no price in %s", name, text)
		}
		if status, body := d.Refusal(Refusal{Status: 422, Code: "the_code", Message: "the message"}, "req_1"); status != 422 && status != 200 ||
			!strings.Contains(write(t, body), "the message") && !strings.Contains(write(t, body), "the_code") {
			t.Errorf("%s: refusal %d %v", name, status, body)
		}
	}
	if _, ok := Named("no such"); ok {
		t.Error("an unknown name has a dialect")
	}
}

func write(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
