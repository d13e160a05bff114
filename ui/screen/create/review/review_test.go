package review

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

var now = time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)

var boat = api.Request{
	Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat 【@图片1】", VideoModel: api.TierFast, Resolution: "720p", Duration: "5",
	ImageFiles: []string{"https://a.example/1.png", "https://a.example/2.png"}, AudioFiles: []string{"https://a.example/3.mp3"},
}

// fakeBackend records what is agreed to; the rest panics.
type fakeBackend struct {
	Backend
	queue fakeQueue
}

func (b *fakeBackend) Queue() state.Queue { return &b.queue }

type fakeQueue struct {
	state.Queue
	agreed []state.Together
}

func (b *fakeQueue) Agree(_ context.Context, t state.Together) ([]string, error) {
	b.agreed = append(b.agreed, t)
	return make([]string, len(t.Requests)), nil
}

func plain(s string) string { return ansi.Strip(s) }

// reviewOf is an open review of a request.
func reviewOf(t *testing.T, w, h int, r api.Request) (*Review, *fakeBackend) {
	t.Helper()
	k := &env.Env{
		Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor),
		Clock: func() time.Time { return now }, At: now,
	}
	b := &fakeBackend{}
	o := newReview(k, b, Start{Pattern: r, Set: expand.Set{All: []expand.Variation{{Request: r}}}, Prices: map[string]api.Estimate{}})
	o.Update(tea.WindowSizeMsg{Width: w, Height: h + 2})
	o.confirm = "first"
	return o, b
}

func TestReviewTakesOnlyItsOwnAnswers(t *testing.T) {
	t.Parallel()
	r, _ := reviewOf(t, 120, 40, boat)
	service := api.Estimate{Credits: 9 * api.Credit, Source: api.SourceService, At: now}
	prices := map[string]api.Estimate{r.Set.All[0].Request.EstimateKey(r.Listing): service}
	r.Update(PricedMsg{confirm: "other", Prices: prices})
	if !r.asking || r.total().Source != api.SourceTable {
		t.Error("it took the price of another review")
	}
	r.Update(PricedMsg{confirm: "first", Prices: prices})
	if r.asking || !strings.Contains(plain(r.Box(120, 40)), "9 credits") {
		t.Error("it did not take its price")
	}
	r.send()
	r.Update(SubmittedMsg{confirm: "other", Err: errors.New("no")})
	if !r.sending || r.refusal != "" {
		t.Error("it took the result of another review")
	}
	r.Update(SubmittedMsg{confirm: "first", Err: &state.Refusal{Code: "again", Fault: *api.ReasonText.Fault(nil, "running")}})
	if box := plain(r.Box(120, 40)); r.sending || !strings.Contains(box, "An identical request is running. Send again for 9 credits?") {
		t.Errorf("after its result:\n%s", box)
	}
}

// TestADearerPriceIsAgreedToAgain: a refusal with the prices of now is shown with the
// question, and the next agreement is to them, also to none.
func TestADearerPriceIsAgreedToAgain(t *testing.T) {
	t.Parallel()
	still := api.Request{Kind: api.KindImage, Model: "acme/pix", Prompt: "boat"}
	for _, now := range []api.Estimate{{Credits: 5000 * api.Credit, Source: api.SourceService, At: now}, {Source: api.SourceNone}} {
		r, _ := reviewOf(t, 120, 40, still)
		key := still.EstimateKey(r.Listing)
		r.Update(PricedMsg{confirm: "first", Prices: map[string]api.Estimate{key: {Credits: 5 * api.Credit, Source: api.SourceService, At: now.At}}})
		before := r.Amount()
		r.Update(SubmittedMsg{confirm: "first", Err: &state.Refusal{
			Code: "price", Fault: *api.ReasonText.Fault(nil, "dearer"), Prices: []api.Estimate{now}}})
		if r.whyNotNow() != "" || r.estimate(&still).Credits != now.Credits || r.Amount() == before || !strings.Contains(plain(r.Box(120, 40)), "Dearer.") {
			t.Errorf("%+v: %q, %v\n%s", now, r.whyNotNow(), r.estimate(&still), plain(r.Box(120, 40)))
		}
	}
}

// TestCopiesAreOneAgreement: however often send is pressed, the agreement and
// its seeds are the same, and agreeing to several equal bodies is not asked for
// twice.
func TestCopiesAreOneAgreement(t *testing.T) {
	t.Parallel()
	r, b := reviewOf(t, 120, 40, boat)
	for range 2 {
		r.more(1)
	}
	if r.Table[0].Label != "send all" || r.shown != textSummary {
		t.Errorf("%q, text %d", r.Table[0].Label, r.shown)
	}
	r.send()()
	r.sending = false
	r.send()()
	if len(b.queue.agreed) != 2 || b.queue.agreed[0].ConfirmID != "first" || b.queue.agreed[1].ConfirmID != "first" {
		t.Fatalf("agreements %+v", b.queue.agreed)
	}
	seeds := map[int64]bool{}
	for i, a := range b.queue.agreed[0].Requests {
		seed := *a.Request.Seed
		if seeds[seed] || seed != *b.queue.agreed[1].Requests[i].Request.Seed || a.Again {
			t.Errorf("request %d has seed %d, again %v", i, seed, a.Again)
		}
		seeds[seed] = true
	}
	if len(seeds) != 3 {
		t.Errorf("%d seeds", len(seeds))
	}
}

// TestSeedsStayExact: no seed is above what every JSON reader keeps exactly.
func TestSeedsStayExact(t *testing.T) {
	t.Parallel()
	for _, first := range []int64{41, 1<<53 - 1, 1<<53 - 3} {
		r := boat
		r.Seed = &first
		o, _ := reviewOf(t, 120, 40, r)
		for range maxCopies {
			o.more(1)
		}
		seen := map[int64]bool{}
		for _, v := range o.requests() {
			seed := *v.Request.Seed
			if seed < 0 || seed > 1<<53-1 || seen[seed] {
				t.Errorf("from %d: seed %d is too large or drawn twice", first, seed)
			}
			seen[seed] = true
		}
		if o.copies != maxCopies || o.seeds[0] != first {
			t.Errorf("from %d: %d copies, the first with %d", first, o.copies, o.seeds[0])
		}
	}
}

// TestReviewScrollsItsBody: a long body is reached by keys and wheel, and the
// position is that of what is in view, in JSON and in curl.
func TestReviewScrollsItsBody(t *testing.T) {
	t.Parallel()
	r, _ := reviewOf(t, 80, 16, boat)
	box := func() string { return plain(r.Box(80, 16)) }
	if summary := box(); !strings.Contains(summary, "Tier        fast         Duration    5 s") || !strings.Contains(summary, "boat 【@图片1】") {
		t.Errorf("it does not begin with the request in words:\n%s", summary)
	}
	r.Actions()[4].Handler() // JSON
	first := box()
	if !strings.Contains(first, `"model": "seedance2"`) || !strings.Contains(first, "more lines") {
		t.Fatalf("the body does not begin at its beginning:\n%s", first)
	}
	for range 3 {
		action := r.Actions()[slices.IndexFunc(r.Actions(), func(a action.Action) bool { return a.Name == "next_page" })]
		action.Handler()
	}
	if last := box(); !strings.Contains(last, `"async": true`) {
		t.Errorf("paging does not reach the end:\n%s", last)
	}
	r.Update(msg.WheelMsg{By: -10})
	if box() != first {
		t.Error("the wheel does not lead back")
	}
	r.Actions()[4].Handler() // curl
	for y, l := range strings.Split(box(), "\n") {
		if strings.Contains(l, "--data-raw") && y > 12 {
			t.Errorf("curl is on line %d", y)
		}
	}
	r.Update(tea.WindowSizeMsg{Width: 120, Height: 60})
	if big := plain(r.Box(120, 56)); strings.Contains(big, "lines 1 to") || !strings.Contains(big, "--data-raw") {
		t.Errorf("a larger window shows:\n%s", big)
	}
}
