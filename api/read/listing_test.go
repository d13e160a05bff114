package read

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"darkroom/api"
)

// classByStatus is the class of an error fixture unless its words say more.
var classByStatus = map[int]api.ErrorClass{400: api.ClassInvalid, 401: api.ClassKey, 402: api.ClassCredits, 403: api.ClassKey, 404: api.ClassNotFound,
	409: api.ClassConflict, 413: api.ClassInvalid, 422: api.ClassInvalid, 429: api.ClassRate, 502: api.ClassServer, 504: api.ClassServer}

// classByWords are the fixtures whose class was read by a person, by a part of
// their body.
var classByWords = []struct {
	part  string
	class api.ErrorClass
}{
	{"account overdue", api.ClassCredits}, {"Resource pack depleted", api.ClassCredits}, {"parallel task", api.ClassRate},
	{"Invalid API key", api.ClassKey}, {"content_moderation", api.ClassModeration}, {"Not enough credits", api.ClassCredits},
	{"CodeCostBalanceFailure", api.ClassCredits}, {"content policy", api.ClassModeration}, {"provider_content_policy", api.ClassModeration},
	{"bad params", api.ClassInvalid}, {"This field is required", api.ClassInvalid}, {"invalid parameter", api.ClassInvalid},
	{"Failed to retrieve", api.ClassServer},
}

func scoreErrors(t testing.TB, d dialect, scores map[string]*tally, change changed) {
	for _, f := range d.Errors {
		e := Error(f.Status, f.header(), change(f.raw()))
		want := classByStatus[f.Status]
		for _, w := range classByWords {
			if strings.Contains(string(f.raw()), w.part) {
				want = w.class
			}
		}
		scores["error class"].check(e.Class == want, d.Service, "%d %s: got %s, want %s", f.Status, f.raw(), e.Class, want)
		var texts []string
		if present(f.Body) {
			texts = recorded(t, f.Body, d.Paths["err"])
		}
		ok := !e.Text.IsZero()
		if len(texts) > 0 { // a longer text that holds the recorded one is as good
			ok = slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(e.Text.String(), s) })
		}
		scores["error text"].check(ok, d.Service, "%d %s: got %q, want one of %q", f.Status, f.raw(), e.Text, texts)
	}
}

func scoreListings(t testing.TB, d dialect, scores map[string]*tally, change changed) {
	if present(d.Models) {
		var want []string
		for _, list := range d.Paths["models"] {
			for _, id := range d.Paths["model_id"] {
				path := list + "." + id
				if strings.HasPrefix(list, "(root") {
					path = id
				}
				want = append(want, recorded(t, d.Models, []string{path})...)
			}
		}
		models, _, err := Models(nil, change(d.Models))
		var got []string
		kinds := true
		for _, m := range models {
			got = append(got, m.ID)
			kinds = kinds && (m.Kind == listedKinds[m.ID])
		}
		scores["models"].check(err == nil && slices.Equal(got, want), d.Service, "got %v (%v), want %v", got, err, want)
		scores["model kinds"].check(kinds, d.Service, "%+v", models)
	}
	if present(d.Estimate) {
		want := recorded(t, d.Estimate, d.Paths["estimate"])
		e, err := Estimate(change(d.Estimate))
		scores["estimate"].check(err == nil && e.Credits.String() == want[0], d.Service, "got %v (%v), want %v", e.Credits, err, want)
	}
}

// listedKinds were read by a person; the models left out here have none.
var listedKinds = map[string]api.Kind{"seedance-2": api.KindVideo, "nano-banana-pro": api.KindImage, "bytedance/seedream": api.KindImage,
	"bytedance/seedance-2": api.KindVideo, "veo3-text-to-video": api.KindVideo, "seedance-2-0": api.KindVideo, "gpt-image-2": api.KindImage,
	"x/img": api.KindImage}

// A bare amount beside a model's type tells no unit.
func TestPriceUnit(t *testing.T) {
	t.Parallel()
	for listing, unit := range map[string]string{
		`[{"id":"seedance2","type":"video","credits":85}]`:                       unitUnknown,
		`[{"slug":"a","type":"video","price":85}]`:                               unitUnknown,
		`[{"slug":"a","type":"text-to-image","price":85}]`:                       unitUnknown,
		`{"videos":[{"id":"a","credits":85}]}`:                                   unitUnknown,
		`[{"id":"a","type":"video","credits":85,"unit":"second"}]`:               unitSecond,
		`[{"id":"a","type":"video","price":{"credits":85,"type":"per_second"}}]`: unitSecond,
	} {
		models, _, err := Models(nil, []byte(listing))
		if err != nil || len(models) != 1 || models[0].Price == nil || models[0].Price.Unit != unit {
			t.Errorf("%s: %+v, %v, want %s", listing, models, err, unit)
		}
	}
}

// A listing that names a further page is incomplete.
func TestIncompleteListing(t *testing.T) {
	t.Parallel()
	for body, incomplete := range map[string]bool{
		`{"next":"/api/v1/models?cursor=b","results":%s}`:                  true,
		`{"next":null,"results":%s}`:                                       false,
		`{"links":{"next":{"href":"?page=2"}},"data":%s}`:                  true,
		`{"links":{"next":null},"data":%s}`:                                false,
		`{"has_more":true,"next_cursor":"b","models":%s}`:                  true,
		`{"has_more":false,"next_cursor":null,"models":%s}`:                false,
		`{"has_more":true,"last_id":"m1","data":%s}`:                       true,
		`{"has_more":false,"last_id":"m3","data":%s}`:                      false,
		`{"nextPageToken":"b","models":%s}`:                                true,
		`{"data":{"page":1,"total_pages":3,"items":%s}}`:                   true,
		`{"code":0,"data":{"total":3,"pageSize":1,"pageNum":1,"list":%s}}`: true,
		`{"offset":0,"limit":1,"total":3,"items":%s}`:                      true,
		`{"page":1,"per_page":50,"total":1,"data":%s}`:                     false,
		`{"data":{"page":1,"total_pages":1,"items":%s}}`:                   false,
		`{"cursor":"b","last_id":"a","data":%s}`:                           false,
		`{"has_more":false,"next_cursor":"b","data":%s}`:                   false,
		`%s`: false,
	} {
		models, more, err := Models(nil, []byte(fmt.Sprintf(body, `[{"id":"m1","type":"image"}]`)))
		if err != nil || len(models) != 1 || more != incomplete {
			t.Errorf("%s: %+v, incomplete %v, %v", body, models, more, err)
		}
	}
	if _, more, _ := Models(http.Header{"Link": {`</api/v1/models?page=2>; rel="next"`}}, []byte(`[{"id":"m1"}]`)); !more {
		t.Error("the header names a further page")
	}
}
