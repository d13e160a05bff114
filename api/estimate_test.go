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
