package api

import (
	"encoding/json"
	"testing"
	"time"
)

func TestATotalFromARate(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		unit, duration string
		kind           Kind
		rate, want     Credits // want 0: unknown
	}{
		{"second", "5", KindVideo, 85 * Credit, 425 * Credit},
		{"second", "2.5", KindVideo, 500_000, 1_250_000},
		{"second", "0.3", KindVideo, 1, 1}, // rounded up: a price is never less than it is
		{"second", "auto", KindVideo, 85 * Credit, 0},
		{"second", "", KindVideo, 85 * Credit, 0},
		{"second", "0", KindVideo, 85 * Credit, 0},
		{"second", "5", KindImage, 85 * Credit, 0},
		{"second", "5", KindVideo, MaxCredits, 0},
		{"minute", "5", KindVideo, 85 * Credit, 0},
		{"USD", "5", KindVideo, 85 * Credit, 0},
	} {
		e := Estimate{Credits: row.rate, Source: SourceService, Unit: row.unit}.Total(Request{Kind: row.kind, Duration: row.duration})
		if e.Known() != (row.want > 0) || row.want > 0 && e.Credits != row.want {
			t.Errorf("%+v: %+v", row, e)
		}
	}
}

func TestTheHigherOfServiceAndTable(t *testing.T) {
	t.Parallel()
	r := Request{Kind: KindVideo, Model: Seedance2, Duration: "10", VideoModel: TierFastVIP, Resolution: "720p"} // 1,000
	for _, row := range []struct {
		service, want Credits
		source        Source
		differs       bool
	}{
		{0, 1000 * Credit, SourceTable, true},
		{999 * Credit, 1000 * Credit, SourceTable, true},
		{1000 * Credit, 1000 * Credit, SourceService, false},
		{1200 * Credit, 1200 * Credit, SourceService, true},
	} {
		e := Estimate{Credits: row.service, Source: SourceService}.WithTable(r).WithTable(r)
		if e.Credits != row.want || e.Source != row.source || e.Differs != row.differs {
			t.Errorf("%v: %+v", row.service, e)
		}
		if e.Differs && (e.Service != row.service || e.Table != 1000*Credit) {
			t.Errorf("%v: %+v", row.service, e)
		}
		raw, _ := json.Marshal(e)
		var again Estimate
		if err := json.Unmarshal(raw, &again); err != nil || again.Differs != e.Differs || again.Service != e.Service || again.Table != e.Table {
			t.Errorf("%s: %+v, %v", raw, again, err)
		}
	}
	r.Model = "another"
	if e := (Estimate{Source: SourceService}).WithTable(r); e.Differs || e.Credits != 0 {
		t.Errorf("%+v", e)
	}
}

// A request that leaves tier, resolution or duration to the service costs at
// least what the cheapest that it may mean does.
func TestAnOpenPriceHasALeast(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		tier, resolution, duration string
		service, want              Credits
	}{
		{"", "", "5", 0, 250 * Credit},
		{"", "", "5", 249 * Credit, 250 * Credit},
		{"", "", "5", 251 * Credit, 251 * Credit},
		{"", "1080p", "5", 0, 1000 * Credit},
		{"standard_vip", "", "4", Credit, 340 * Credit},
		{"", "", "", 0, 50 * Credit},
		{"", "", "long", 0, 0},
		{"cheap", "", "5", 0, 0},
	} {
		r := Request{Kind: KindVideo, Model: Seedance2, Duration: row.duration, VideoModel: row.tier, Resolution: row.resolution}
		e := Estimate{Credits: row.service, Source: SourceService}.WithTable(r).WithTable(r)
		if e.Credits != row.want || e.Differs != (row.service != row.want) {
			t.Errorf("%+v: %+v", row, e)
		}
	}
}

func TestAnOldFigureDoesNotCount(t *testing.T) {
	t.Parallel()
	now := time.Now()
	e := Estimate{Credits: Credit, Source: SourceService, At: now.Add(-FreshFor - time.Second)}
	if got, fresh := e.Current(Request{}, now); fresh || got.Known() {
		t.Errorf("%+v", got)
	}
	r := Request{Kind: KindVideo, Model: Seedance2, Duration: "10", VideoModel: TierFastVIP, Resolution: "720p"}
	if got, fresh := e.Current(r, now); fresh || got.Credits != 1000*Credit {
		t.Errorf("%+v", got)
	}
	e.At = now.Add(-FreshFor)
	if _, fresh := e.Current(r, now); !fresh {
		t.Error("a figure of a minute is old")
	}
}

// TestEstimateKeyFollowsTheEstimate changes every field of a request: the key
// changes exactly when the question to the service, or the table's figure, does.
func TestEstimateKeyFollowsTheEstimate(t *testing.T) {
	t.Parallel()
	seed := int64(7)
	base := Request{Kind: KindVideo, Model: Seedance2, Prompt: "boat", VideoModel: TierFast, Resolution: "720p", Duration: "5"}
	for field, change := range map[string]func(*Request){
		FieldModel: func(r *Request) { r.Model = "other" }, FieldPrompt: func(r *Request) { r.Prompt = "koi" },
		FieldSize: func(r *Request) { r.Size = "2K" }, FieldQuality: func(r *Request) { r.Quality = "high" },
		FieldAspectRatio: func(r *Request) { r.AspectRatio = "16:9" }, FieldImageURL: func(r *Request) { r.ImageURL = "https://a.example/1" },
		FieldEndImageURL: func(r *Request) { r.EndImageURL = "https://a.example/2" }, FieldImageFiles: func(r *Request) { r.ImageFiles = []string{"a"} },
		FieldVideoURL: func(r *Request) { r.VideoURL = "https://a.example/v" }, FieldVideoFiles: func(r *Request) { r.VideoFiles = []string{"a"} },
		FieldAudioFiles: func(r *Request) { r.AudioFiles = []string{"a"} }, FieldFunctionMode: func(r *Request) { r.FunctionMode = ModeFirstLastFrame },
		FieldSeed: func(r *Request) { r.Seed = &seed }, FieldDuration: func(r *Request) { r.Duration = "10" },
		FieldResolution: func(r *Request) { r.Resolution = "480p" }, FieldVideoModel: func(r *Request) { r.VideoModel = TierStandard },
		FieldAsync: func(r *Request) { r.Sync = true },
	} {
		other := base
		change(&other)
		asked := string(other.EstimateBody(Model{})) != string(base.EstimateBody(Model{}))
		if differs := other.EstimateKey(Model{}) != base.EstimateKey(Model{}); differs != asked || differs != Estimated(field) {
			t.Errorf("%s: the key differs: %t, the question: %t, Estimated: %t", field, differs, asked, Estimated(field))
		}
	}
	image := base
	image.Kind = KindImage
	if image.EstimateKey(Model{}) == base.EstimateKey(Model{}) {
		t.Error("an image has the key of a video, whose figure the rate table knows")
	}
}

// TestEstimateKeyKnowsNames: a listing that renames a parameter makes another
// question of the same values; values cannot run into each other.
func TestEstimateKeyKnowsNames(t *testing.T) {
	t.Parallel()
	r := Request{Kind: KindImage, Model: "acme/brush", Size: "2K", AspectRatio: "16:9"}
	var m Model
	if err := json.Unmarshal([]byte(`{"id":"acme/brush","parameters":[{"name":"image_size"},{"name":"ratio"}]}`), &m); err != nil {
		t.Fatal(err)
	}
	if r.EstimateKey(m) == r.EstimateKey(Model{}) {
		t.Error("renamed parameters have the key of the usual names")
	}
	if other := (Model{ID: "acme/pen", Parameters: m.Parameters}); r.EstimateKey(other) != r.EstimateKey(Model{}) {
		t.Error("the listing of another model changes the key")
	}
	a := Request{Kind: KindImage, Model: "m", Size: "1&quality=low"}
	b := Request{Kind: KindImage, Model: "m", Size: "1", Quality: "low"}
	if a.EstimateKey(Model{}) == b.EstimateKey(Model{}) {
		t.Error("a value that holds a separator has the key of two values")
	}
}
