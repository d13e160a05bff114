package state

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/state/store"
)

// Confirmed is what a person agreed to.
type Confirmed struct {
	ConfirmID  string // made once per key press; the same one is never sent twice
	Request    api.Request
	Estimate   api.Estimate
	MaxCredits api.Credits // 0: no limit; else an unknown or higher estimate is refused
	Again      bool        // agreed to send a body equal to one that is active or unknown
	OverBudget bool        // reserved; a budget is a hard stop
}

// NewConfirmID makes a random confirm id.
func NewConfirmID() string { return rand.Text() }

// errHoldsKey: what is written into a request is kept, shown and passed on.
var errHoldsKey = errors.New("the request holds your API key: take it out; nothing of it was sent or kept")

// sameWithin is how long an active job makes an equal body a question.
const sameWithin = 10 * time.Minute

// creditsRest is how long creates wait for the person after the service said
// that there are no credits.
const creditsRest = 10 * time.Minute

// Submit records, marks and sends the request once, in the background, and
// returns as soon as the intent is durable. A *Refusal means nothing was sent
// and nothing recorded. Progress comes through Wait. A confirm id that was
// submitted before returns its job and sends nothing.
func (s *Session) Submit(ctx context.Context, c Confirmed) (Job, error) {
	l, refusal := s.ready(c.Again)
	if refusal != nil {
		return Job{}, refusal
	}
	model := s.modelNamed(ctx, l.base, c.Request.Model)
	if problems := api.Check(c.Request, model); len(problems) > 0 {
		return Job{}, &Refusal{Code: "problems", Text: problems[0].Sentence(), Problems: problems}
	}
	if r := underMax(c); r != nil {
		return Job{}, r
	}
	body := c.Request.Body(model)
	if l.key.In(body) {
		return Job{}, &Refusal{Code: "not_sendable", Text: errHoldsKey.Error(), Cause: errHoldsKey}
	}
	return s.submit(ctx, l, c, body, "")
}

// ready says why nothing can be sent now, or gives the link to send by.
func (s *Session) ready(again bool) (*link, *Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.standing
	switch {
	case s.closed:
		return nil, &Refusal{Code: "store", Text: errClosed.Error(), Cause: errClosed}
	case s.base == nil:
		return nil, &Refusal{Code: "no_base", Text: st.KeyError, Cause: ErrNoBase}
	case s.link == nil && st.KeyPending:
		return nil, &Refusal{Code: "no_key", Text: "the keyring has not answered yet: wait a moment, or type the key for this session", Cause: ErrNoKey}
	case s.link == nil:
		return nil, &Refusal{Code: "no_key", Text: st.KeyError, Cause: ErrNoKey}
	case st.KeyRefused:
		return nil, &Refusal{Code: "key_refused", Text: ErrKeyRefused.Error(), Cause: ErrKeyRefused}
	case st.ReadOnly != "":
		return nil, &Refusal{Code: "store", Text: st.ReadOnly, Cause: ErrReadOnly}
	}
	if again {
		s.creditsAt = time.Time{}
	}
	if !s.creditsAt.IsZero() && time.Since(s.creditsAt) < s.scaled(creditsRest) {
		return nil, &Refusal{Code: "credits", Text: "the service said that the key has no credits left: add credits on its page, then confirm again"}
	}
	return s.link, nil
}

func underMax(c Confirmed) *Refusal {
	switch {
	case c.MaxCredits <= 0:
		return nil
	case !c.Estimate.Known():
		return &Refusal{Code: "max_credits", Text: "the price of this request is not known, and a limit of " + c.MaxCredits.String() + " credits was set: nothing was sent"}
	case c.Estimate.Credits > c.MaxCredits:
		return &Refusal{Code: "max_credits", Text: "the estimate of " + c.Estimate.Credits.String() + " credits is above the limit of " + c.MaxCredits.String() + " credits: nothing was sent"}
	}
	return nil
}

// submit records the intent and starts the one that sends it.
func (s *Session) submit(ctx context.Context, l *link, c Confirmed, body []byte, parent string) (Job, error) {
	if c.ConfirmID == "" {
		return Job{}, &Refusal{Code: "not_sendable", Text: "this was not confirmed: confirm it, then it is sent"}
	}
	s.mu.Lock()
	if s.closed { // Close waits for sends that began before it
		s.mu.Unlock()
		return Job{}, &Refusal{Code: "store", Text: errClosed.Error(), Cause: errClosed}
	}
	s.sends.Add(1)
	s.mu.Unlock()
	budget, now := s.set.Budget(), time.Now()
	j, fresh, err := s.store().Record(ctx, store.Intent{
		ConfirmID: c.ConfirmID, Parent: parent, Owner: s.own.id, Base: l.base, Request: c.Request, Body: body,
		Title: titleOf(c.Request.Prompt), Estimate: c.Estimate, Now: now,
		Budget: budget, Day: dayStart(now), Again: c.Again, Recent: now.Add(-sameWithin),
	})
	if err != nil || !fresh {
		s.sends.Done()
		if err != nil {
			return Job{}, refusalOf(err)
		}
		return s.overlay(j), nil
	}
	s.change(func(st *Standing) { st.Sending++ })
	s.tell(j.ID)
	s.start(func() {
		defer s.sends.Done()
		defer s.change(func(st *Standing) { st.Sending-- })
		s.send(l, j)
	})
	return j, nil
}

func refusalOf(err error) error {
	var budget *store.BudgetError
	var same *store.SameError
	switch {
	case errors.As(err, &budget):
		return &Refusal{Code: "budget", Text: budget.Error(), Cause: err}
	case errors.As(err, &same):
		return &Refusal{Code: "again", Text: same.Error(), Cause: err}
	}
	err = storeError(err)
	return &Refusal{Code: "store", Text: "nothing was sent: " + err.Error(), Cause: err}
}

// titleWidth is how many characters of a prompt make its title.
const titleWidth = 80

// titleOf cuts a line from the prompt.
func titleOf(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	line = api.Clean(strings.Join(strings.Fields(line), " "), 4*titleWidth).String()
	if utf8.RuneCountInString(line) > titleWidth {
		line = strings.TrimSpace(string([]rune(line)[:titleWidth-1])) + "…"
	}
	return line
}

func dayStart(now time.Time) time.Time {
	y, m, d := now.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, now.Location())
}
