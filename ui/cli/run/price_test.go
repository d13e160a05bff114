package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

// Outside the screens a figure that is older than a minute is not known.
func TestAnOldFigureIsNotKnown(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	down := errors.New("the service is not reachable")
	image := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "a kettle"}
	video := api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: api.TierFast, Resolution: "720p", Duration: "5", Prompt: "a kettle"}
	figure := func(age time.Duration) api.Estimate {
		return api.Estimate{Credits: 7 * api.Credit, Source: api.SourceService, At: now.Add(-age)}
	}
	for _, c := range []struct {
		name    string
		e       api.Estimate
		err     error
		r       api.Request
		credits api.Credits
		source  api.Source
	}{
		{"fresh", figure(time.Second), nil, image, 7 * api.Credit, api.SourceService},
		{"a minute old", figure(time.Minute), down, image, 7 * api.Credit, api.SourceService},
		{"older", figure(time.Minute + time.Second), down, image, 0, api.SourceNone},
		{"weeks old", figure(500 * time.Hour), nil, image, 0, api.SourceNone},
		{"weeks old, with a table", figure(500 * time.Hour), down, video, 425 * api.Credit, api.SourceTable},
	} {
		got, err := Current(c.e, c.err, c.r, now)
		if got.Credits != c.credits || got.Source != c.source {
			t.Errorf("%s: %s from %s", c.name, got.Credits, got.Source)
		}
		if stale := now.Sub(c.e.At) > api.FreshFor; stale && (err == nil || !strings.Contains(err.Error(), "7 credits")) {
			t.Errorf("%s: the old figure and its age are not named: %v", c.name, err)
		}
		limit := LimitFlag{Amount: 10 * api.Credit, Given: true}
		if err := limit.Allow(got, err); (err == nil) != (got.Known() && got.Credits <= 10*api.Credit) {
			t.Errorf("%s: --max-credits 10 gave %v", c.name, err)
		}
	}
	none := LimitFlag{Given: true}
	if none.Allow(figure(0), nil) == nil {
		t.Error("--max-credits 0 lets a price of 7 through")
	}
	if (&LimitFlag{}).Allow(api.Estimate{}, nil) != nil {
		t.Error("no limit refuses an unknown price")
	}
	for c, want := range map[api.Credits]string{api.Credit: "1 credit", 0: "0 credits", 12*api.Credit + 500_000: "12.5 credits"} {
		if got := Credits(c).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
