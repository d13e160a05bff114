package create

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/msg"
)

// reviewOf is an open review of a draft.
func reviewOf(t *testing.T, w, h int, r api.Request) (*Screen, *review) {
	t.Helper()
	c := videoScreen(t, w, h, r)
	c.beginReview()
	o := c.opening
	if o == nil || c.openReview(confirmMadeMsg{o.number, "first"}) == nil {
		t.Fatal("the review did not open")
	}
	return c, o
}

func TestCurlIsQuotedForAShell(t *testing.T) {
	t.Parallel()
	got := api.Curl("https://api.example.com/api/v1/images/generations", []byte(`{"prompt":"it's $HOME; `+"`id`"+`"}`))
	for _, want := range []string{`'{"prompt":"it'\''s $HOME; ` + "`id`" + `"}'`, `"Authorization: Bearer $DARKROOM_API_KEY"`, "'https://api.example.com/api/v1/images/generations'"} {
		if !strings.Contains(got, want) {
			t.Errorf("curl lacks %s:\n%s", want, got)
		}
	}
}

// TestKeysWaitForTheReview: between ctrl+s and the review, keys and pastes are
// not for the form, ctrl+s is not a second review, and the confirm id of a
// review that was given up opens nothing.
func TestKeysWaitForTheReview(t *testing.T) {
	t.Parallel()
	c := videoScreen(t, 120, 40, boat)
	press := func(key string) tea.Cmd { return action.Find(c.Actions(), key).Handler() }
	if press("ctrl+s") == nil || c.opening == nil {
		t.Fatal("no review was begun")
	}
	first := c.opening
	c.Edit(tea.KeyPressMsg{Code: 'x', Text: "x"})
	c.Update(tea.PasteMsg{Content: "pasted"})
	press("ctrl+s")
	press("ctrl+t")
	if c.at != onVideo || c.opening != first || c.draft().prompt.Value() != boat.Prompt {
		t.Errorf("review %d, prompt %q", c.opening.number, c.draft().prompt.Value())
	}
	c.Blur()
	if c.openReview(confirmMadeMsg{first.number, "late"}) != nil {
		t.Error("the review opened over another screen")
	}
	press("ctrl+s")
	second := c.opening
	if c.openReview(confirmMadeMsg{first.number, "late"}) != nil || second.confirm != "" {
		t.Error("the second review took the first one's confirm id")
	}
}

// TestReviewShowsWhatIsSent: edits of the draft do not reach an open review.
func TestReviewShowsWhatIsSent(t *testing.T) {
	t.Parallel()
	c, r := reviewOf(t, 120, 40, boat)
	c.draft().prompt.Replace("koi")
	c.draft().form.Settle()
	if !strings.Contains(plain(r.Box(120, 40)), "boat 【@图片1】") || !strings.Contains(r.texts()[0], "boat") {
		t.Error("the review shows another request")
	}
}

func TestReviewTakesOnlyItsOwnAnswers(t *testing.T) {
	t.Parallel()
	_, r := reviewOf(t, 120, 40, boat)
	service := api.Estimate{Credits: 9 * api.Credit, Source: api.SourceService, At: now}
	prices := map[string]api.Estimate{r.made[0].Request.EstimateKey(r.listing): service}
	r.Update(reviewPricedMsg{confirm: "other", prices: prices})
	if !r.asking || r.total().Source != api.SourceTable {
		t.Error("it took the price of another review")
	}
	r.Update(reviewPricedMsg{confirm: "first", prices: prices})
	if r.asking || !strings.Contains(plain(r.Box(120, 40)), "9 credits") {
		t.Error("it did not take its price")
	}
	r.send()
	r.Update(submittedMsg{confirm: "other", err: errors.New("no")})
	if !r.sending || r.refusal != "" {
		t.Error("it took the result of another review")
	}
	r.Update(submittedMsg{confirm: "first", err: &state.Refusal{Code: "again", Reason: api.NewReason(api.ReasonText, "running")}})
	if box := plain(r.Box(120, 40)); r.sending || !strings.Contains(box, "An identical request is running. Send again for 9 credits?") {
		t.Errorf("after its result:\n%s", box)
	}
}

// TestCopiesAreOneAgreement: however often send is pressed, the agreement and
// its seeds are the same, and agreeing to several equal bodies is not asked for
// twice.
func TestCopiesAreOneAgreement(t *testing.T) {
	t.Parallel()
	_, r := reviewOf(t, 120, 40, boat)
	for range 2 {
		r.more(1)()
	}
	if r.table[0].Label != "send all" || r.shown != textList {
		t.Errorf("%q, text %d", r.table[0].Label, r.shown)
	}
	q := &fakeQueue{}
	r.queue = q
	r.send()()
	r.sending = false
	r.send()()
	if len(q.agreed) != 2 || q.agreed[0].ConfirmID != "first" || q.agreed[1].ConfirmID != "first" {
		t.Fatalf("agreements %+v", q.agreed)
	}
	seeds := map[int64]bool{}
	for i, a := range q.agreed[0].Requests {
		seed := *a.Request.Seed
		if seeds[seed] || seed != *q.agreed[1].Requests[i].Request.Seed || a.Again {
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
		_, o := reviewOf(t, 120, 40, r)
		for range maxCopies {
			o.more(1)()
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
	_, r := reviewOf(t, 80, 16, boat)
	box := func() string { return plain(r.Box(80, 16)) }
	first := box()
	if !strings.Contains(first, `"model": "seedance2"`) || !strings.Contains(first, "lines 1 to ") {
		t.Fatalf("the body does not begin at its beginning:\n%s", first)
	}
	for range 3 {
		action := r.Actions()[slices.IndexFunc(r.Actions(), func(a action.Action) bool { return a.Name == "next_page" })]
		action.Handler()
	}
	if last := box(); !strings.Contains(last, `"async": true`) || strings.Contains(last, "lines 1 to ") {
		t.Errorf("paging does not reach the end:\n%s", last)
	}
	r.Update(msg.WheelMsg{By: -10})
	if box() != first {
		t.Error("the wheel does not lead back")
	}
	r.Actions()[3].Handler() // curl
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
