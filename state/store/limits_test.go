package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

// TestPlansOfAClockThatWasAhead are made anew, each beyond its limit and none within;
// while a rest that can be true lasts, plans follow it.
func TestPlansOfAClockThatWasAhead(t *testing.T) {
	s, ctx := begin(t)
	for _, span := range []time.Duration{0, 10 * time.Second} {
		plan := Schedule{Min: time.Minute, Max: 15 * time.Minute, Rest: time.Hour, Span: span}
		for i, row := range []struct {
			age, next, rest time.Duration
			anew            bool
		}{
			{0, time.Minute, 0, false}, {0, time.Minute + time.Millisecond, 0, true},
			{100 * time.Minute, 6 * time.Minute, 0, false}, {100 * time.Minute, 6*time.Minute + time.Millisecond, 0, true},
			{10 * time.Hour, 16 * time.Minute, 0, false}, {10 * time.Hour, 16*time.Minute + time.Millisecond, 0, true},
			{0, 2 * time.Hour, 30 * time.Minute, false}, {0, 2 * time.Hour, time.Hour, false}, {0, 2 * time.Hour, -time.Minute, true},
			{0, time.Second, time.Hour + time.Millisecond, false}, {0, 2 * time.Hour, 2 * time.Hour, true},
		} {
			base := fmt.Sprint(i, span)
			in := intent(i)
			in.ConfirmID, in.Base, in.Now = base, base, noon.Add(-row.age)
			j := accept(t, s, in, api.PhaseQueued, "r")
			must(s.w.Exec(`UPDATE jobs SET next_poll=? WHERE id=?`, millis(noon.Add(row.next)), j.ID))(t)
			if row.rest != 0 {
				must(s.CloseGate(ctx, base, noon.Add(row.rest-time.Minute), time.Minute, time.Minute, time.Hour))(t)
			}
			noError(t, s.TakeBack(ctx, base, noon, plan))
			next, until := must(s.Job(ctx, j.ID))(t).NextPoll, must(s.GateUntil(ctx, base))(t)
			if wait := next.Sub(noon); row.anew && (wait < 0 || wait > max(span-time.Millisecond, 0)) || !row.anew && wait != row.next {
				t.Errorf("%+v: planned in %v", row, wait)
			}
			if open := row.rest > time.Hour; open != until.IsZero() && row.rest != 0 || !open && row.rest != 0 && until.Sub(noon) != row.rest {
				t.Errorf("%+v: a rest until %v", row, until)
			}
			noError(t, s.Spread(ctx, base, noon, 0, time.Hour)) // what is beyond, at once
			if next := must(s.Job(ctx, j.ID))(t).NextPoll; row.next > time.Hour && !row.anew && !next.Equal(noon) {
				t.Errorf("%+v: planned anew at %v", row, next)
			}
		}
	}
}

// TestAnIDIsAttachedToADoubt alone, once at a service; an outcome that comes later does
// not take it away.
func TestAnIDIsAttachedToADoubt(t *testing.T) {
	s, ctx := begin(t)
	taken := accept(t, s, intent(1), api.PhaseQueued, "r1")
	for i, phase := range []api.Phase{api.PhaseUnknown, api.PhaseUnread} {
		j := accept(t, s, intent(2+i), phase, "")
		if err := s.Attach(ctx, j.ID, "r1", noon); !errors.Is(err, ErrTaken) {
			t.Errorf("the id of %s: %v", taken.ID, err)
		}
		must(s.w.Exec(`UPDATE jobs SET dismissed=1, gone=2, hollow=3, ended_at=1 WHERE id=?`, j.ID))(t)
		before, id, later := must(s.ChangeNumber(ctx))(t), fmt.Sprint("a", i), noon.Add(time.Minute)
		noError(t, s.Attach(ctx, j.ID, id, later))
		if tally := must(s.Job(ctx, j.ID))(t).Tally; tally != (Tally{}) {
			t.Errorf("%+v", tally)
		}
		late := Finish{ID: j.ID, Attempt: 2, Phase: api.PhaseDone, RemoteID: "other", Now: noon, Raw: []byte("late"), Files: []File{{Path: "/x"}}, Results: []api.Result{{URL: "https://x"}}}
		noError(t, s.Finish(ctx, late))
		if j = must(s.Job(ctx, j.ID))(t); j.Phase != api.PhaseQueued || j.RemoteID != id || j.Dismissed || !j.EndedAt.IsZero() || !j.NextPoll.Equal(later) ||
			j.Version <= before || len(j.Files)+len(j.Results) != 0 {
			t.Errorf("%s: %+v", phase, j)
		}
		if raw := must(s.Answer(ctx, j.ID, ""))(t); string(raw) != "late" {
			t.Errorf("the answer is %q", raw)
		}
		if err := s.Attach(ctx, j.ID, "b", noon); !errors.Is(err, ErrLate) {
			t.Errorf("attached twice: %v", err)
		}
	}
}

// TestOutcomesAreKeptWhole: files by their numbers, links with when they expire, the
// raw answer as far as there is room, and the attempt.
func TestOutcomesAreKeptWhole(t *testing.T) {
	s, ctx := begin(t)
	for phase, ended := range map[api.Phase]bool{api.PhaseDone: true, api.PhaseRejected: true, api.PhaseFetching: false, api.PhaseUnknown: false} {
		in := intent(1)
		in.ConfirmID, in.Again = string(phase), true
		j := record(t, s, in)
		attempt := must(s.MarkSending(ctx, j.ID, "me", noon))(t)
		f := Finish{ID: j.ID, Attempt: attempt, Phase: phase, RemoteID: string(phase), Now: noon.Add(time.Second), HTTPStatus: 418, Raw: []byte(strings.Repeat("x", 64<<10+1)),
			Files: []File{{Path: "/1"}, {Path: "/2"}}, Results: []api.Result{{URL: "https://x", ExpiresAt: noon.Add(time.Hour)}}}
		noError(t, s.Finish(ctx, f))
		j = must(s.Job(ctx, j.ID))(t)
		files, raw := must(s.FileNumbers(ctx, j.ID))(t), must(s.Answer(ctx, j.ID, "create"))(t)
		var status int
		var at int64
		noError(t, s.r.QueryRow(`SELECT http_status, ended_at FROM attempts WHERE id=?`, attempt).Scan(&status, &at))
		if j.EndedAt.IsZero() == ended || len(files) != 2 || files[1].Path != "/1" || files[2].Path != "/2" || len(raw) != 64<<10 || len(j.Results) != 1 ||
			!j.ExpiresAt.Equal(noon.Add(time.Hour)) || status != 418 || at != millis(f.Now) {
			t.Errorf("%s: ended %v, files %v, %d bytes, %d at %d", phase, j.EndedAt, files, len(raw), status, at)
		}
	}
}

// TestRepeatedOnce: what was confirmed before another window sent it again is out of date.
func TestRepeatedOnce(t *testing.T) {
	s, ctx := begin(t)
	j := accept(t, s, intent(1), api.PhaseUnknown, "")
	again := intent(1)
	again.Again, again.Parent = true, j.ID
	for id, want := range map[string]string{j.ID + "#0": "", j.ID + "#2": "stale", "x": "stale"} {
		again.ConfirmID = id
		if _, _, err := s.Record(ctx, again); refusedFor(err, "stale") != (want != "") {
			t.Errorf("%s: %v", id, err)
		}
	}
	again.Parent, again.ConfirmID = "nobody", "nobody#0"
	if _, _, err := s.Record(ctx, again); !errors.Is(err, ErrMissing) {
		t.Errorf("a job that is not there is sent again: %v", err)
	}
}

// TestWhatIsHeldMoves among others, and costs what the agent wants to pay at most.
func TestWhatIsHeldMoves(t *testing.T) {
	s, ctx := begin(t)
	a := Agreement{ID: "a", Instance: "me", Base: testBase, Now: noon, Ask: &Ask{Entry: "studio", Intent: "i", MaxCredits: 30 * api.Credit, Code: "asked"},
		Total: api.Estimate{Credits: 1, Source: api.SourceTable}}
	for _, id := range []string{"h1", "h2", "h3"} {
		a.Held = append(a.Held, Held{ConfirmID: id, Job: Job{Row: Row{ID: id, Title: id, Label: id}, Request: intent(1).Request, Body: []byte(id), Estimate: intent(1).Estimate}})
	}
	must(s.Hold(ctx, a))(t)
	if err := s.MoveHeld(ctx, "nobody", true); !errors.Is(err, ErrMissing) {
		t.Errorf("moved: %v", err)
	}
	noError(t, s.MoveHeld(ctx, "h1", true))
	noError(t, s.MoveHeld(ctx, "h3", true))
	list := must(s.HeldOf(ctx, "h1"))(t)
	if got := fmt.Sprint(list[0].ID, list[1].ID, list[2].ID); got != "h1h3h2" {
		t.Errorf("in the order %s", got)
	}
	unpriced := slices.Clone(list[:1])
	unpriced[0].Estimate = api.Estimate{Source: api.SourceNone}
	for code, offer := range map[string][]Held{"price_unknown": unpriced, "max_credits": list} { // 36 of 30
		if err := s.ResumeHeld(ctx, "me", offer, noon); !refusedFor(err, code) {
			t.Errorf("%s: %v", code, err)
		}
	}
	noError(t, s.ResumeHeld(ctx, "me", list[:2], noon.Add(24*time.Hour-time.Millisecond)))
	h, ok, err := s.NextHeld(ctx, "me")
	if !ok || err != nil || h.ID != "h1" || h.Code != "" {
		t.Errorf("next is %+v, %v", h, err)
	}
	if err := s.ResumeHeld(ctx, "me", list[2:], noon.Add(24*time.Hour)); !errors.Is(err, ErrLate) {
		t.Errorf("after a day: %v", err)
	}
	noError(t, s.Expire(ctx, noon.Add(24*time.Hour)))
	must(s.w.Exec(`DELETE FROM held WHERE id='h1'`))(t)
	codes := map[string]string{}
	for _, one := range must(s.AskedBy(ctx, "studio", 10))(t) {
		if codes[one.ID] = one.Code; one.Ended != (one.ID != "h3") {
			t.Errorf("%s ended: %t", one.ID, one.Ended)
		}
	}
	if codes["h1"] != CodeDeclined || codes["h2"] != CodeExpired || codes["h3"] != "" {
		t.Errorf("they wait for %v", codes)
	}
	for wait, code := range map[time.Duration]string{10*time.Minute - time.Millisecond: CodeDeclined, 10 * time.Minute: ""} {
		again := a
		again.ID, again.Ask, again.Held, again.Now = fmt.Sprint(wait), &Ask{Entry: "studio", Intent: fmt.Sprint(wait)}, slices.Clone(a.Held[:1]), noon.Add(wait)
		again.Held[0].ID, again.Held[0].ConfirmID = again.ID, again.ID
		must(s.w.Exec(`UPDATE asked SET code='declined', ended_at=? WHERE id='h1'`, millis(noon)))(t)
		if _, err := s.Hold(ctx, again); refusedFor(err, CodeDeclined) != (code != "") {
			t.Errorf("declined %v before: %v", wait, err)
		}
	}
}

// TestBudgetsAreNearAtFourFifths; one that cannot be read refuses all with its own words.
func TestBudgetsAreNearAtFourFifths(t *testing.T) {
	s, ctx := begin(t)
	const c = api.Credit
	for sp, near := range map[Spent]bool{{}: false, {Credits: c}: false, {Budget: 100 * c, Credits: 40 * c, Possibly: 40 * c}: true,
		{Budget: 100 * c, Credits: 40 * c, Possibly: 40*c - 1}: false, {Budget: api.BudgetUnreadable}: true} {
		if sp.Near() != near {
			t.Errorf("%+v is near: %t", sp, sp.Near())
		}
	}
	in := intent(1)
	in.Budget[api.Day] = api.BudgetUnreadable
	for _, in.Estimate = range []api.Estimate{in.Estimate, {Source: api.SourceNone}} {
		if _, _, err := s.Record(ctx, in); !refusedFor(err, "budget") || !Why(err).Is(whyBudgetUnread) {
			t.Errorf("%v", err)
		}
	}
}

// TestWhatIsRemembered is one answer of a name, the newest 500 of a kind, and not given to
// a caller who holds it; drafts and plans are replaced by name.
func TestWhatIsRemembered(t *testing.T) {
	s, ctx := begin(t)
	must(s.w.Exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n LIMIT 501) INSERT INTO cache (kind, name, at, value) SELECT 'models', i, 1+i, i FROM n`))(t)
	for _, text := range []string{"old", "new"} {
		noError(t, s.Remember(ctx, "models", "501", []byte(text), noon))
	}
	for name, want := range map[string]string{"0": "", "1": "", "2": "2", "501": "new"} {
		value, at, err := s.Recall(ctx, "models", name, time.Time{})
		if again, same, _ := s.Recall(ctx, "models", name, at); string(value) != want || at.IsZero() != (want == "") || err != nil || again != nil || !same.Equal(at) {
			t.Errorf("%s: %q of %v, %v; then %q", name, value, at, err, again)
		}
	}
	for _, found := range []bool{false, true} {
		draft, kept, err := s.Draft(ctx, "image")
		plans := must(s.Plans(ctx))(t)
		if kept != found || err != nil || (draft.Prompt == "b") != found || (len(plans) == 1 && plans[0][1] == `"b"`) != found {
			t.Errorf("%+v, %t, %v; %+v", draft, kept, err, plans)
		}
		for _, text := range []string{"a", "b"} {
			noError(t, s.SaveDraft(ctx, "image", api.Request{Prompt: text}, noon))
			noError(t, s.SavePlan(ctx, "x", text, noon))
		}
	}
}
