package read

import (
	"slices"
	"strings"
	"testing"
)

func TestScanIDs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw      string
		accepted bool
		want     []string
	}{
		{`{"request_id":"r","data":{"id":7,"task_id":"t","status":"pend`, true, []string{"t", "7", "r"}},
		{`{"request_id":"r","job":{"id":"j"`, false, []string{"j"}},
		{`{"request_id":"r"}`, false, nil},
		{`{"id":"a","x":[{"id":"a"},{"id":"b"}]`, true, []string{"a", "b"}},
		{`{"a":"id","b":"job_id"}`, true, nil},
		{`["id","x"]`, true, nil},
		{`{"id":".."}`, true, nil},
		{`{"id":"cut in the midd`, true, nil},
		{strings.Repeat(`{"a":`, 5000), true, nil},
		{`]`, true, nil},
		{``, true, nil},
	} {
		if got := ScanIDs([]byte(c.raw), c.accepted); !slices.Equal(got, c.want) {
			t.Errorf("ScanIDs(%.60s) = %q, want %q", c.raw, got, c.want)
		}
	}
}

// FuzzScanIDs: ids from the remains of an answer are few, distinct and can
// be asked for.
func FuzzScanIDs(f *testing.F) {
	for _, s := range []string{`{"id":"a","job":{"id":"b"},"request_id":"c"`, `{"job_id":7,"task_uuid":"x","task_id":{"id":"y"}}`, `{"id":"..","ID":"","Job-Id":"z"`,
		`[[{"id":"a"},{"id":"a"}],"id"`, `{"id":"\ud800","id":"` + strings.Repeat("i", 200), `{"a":{"id":1e5}}]`, strings.Repeat("[", 80), "\xff{\"id\":\"\xff\"}"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, accepted bool) {
		ids := ScanIDs(raw, accepted)
		if len(ids) > MaxCandidates {
			t.Errorf("%d ids", len(ids))
		}
		for i, id := range ids {
			if !PollableID(id) || slices.Contains(ids[:i], id) {
				t.Errorf("the ids %q", ids)
			}
		}
		for _, id := range ScanIDs(raw, false) {
			if accepted && len(ids) < MaxCandidates && !slices.Contains(ids, id) {
				t.Errorf("%q of a refusal is not among %q", id, ids)
			}
		}
	})
}

// The names of ids are the same for the reader and for the scan.
func TestScanKnowsTheReadersIDs(t *testing.T) {
	t.Parallel()
	for _, keys := range append(idKeys[:], requestIDKeys) {
		for _, name := range keys {
			raw := `{"` + name + `":"x-1","status":"queued"}`
			if a := create(t, raw); a.ID != "x-1" || !slices.Equal(ScanIDs([]byte(raw[:len(raw)-3]), true), []string{"x-1"}) {
				t.Errorf("%s: read %q, scanned %q", name, a.ID, ScanIDs([]byte(raw), true))
			}
		}
	}
}
