package queue

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// fakeWindow has a store and no prices.
type fakeWindow struct {
	Window
	file *store.Store
}

func (w fakeWindow) Store() *store.Store { return w.file }

func (w fakeWindow) Estimate(context.Context, api.Request) (api.Estimate, error) {
	return api.Estimate{}, nil
}

// TestAnOfferSaysThatTheStoreIsACopy whatever else some of the requests wait for.
func TestAnOfferSaysThatTheStoreIsACopy(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "darkroom.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	copied, dearer := api.ReasonReset.Reason(), api.ReasonStopped.Reason()
	list := []store.Held{
		{ID: "first", ConfirmID: "1", Request: api.Request{Kind: api.KindImage, Prompt: "x"}, Body: []byte("{}")},
		{ID: "second", ConfirmID: "2", Request: api.Request{Kind: api.KindImage, Prompt: "y"}, Body: []byte("{}")},
	}
	if _, err := s.Hold(t.Context(), store.Agreement{ID: "a", Instance: "me", Held: list, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	// Both wait in a copy, and the second was sent on and is too dear now.
	if err := s.PauseHeld(t.Context(), "a", store.CodeCopied, copied); err != nil {
		t.Fatal(err)
	}
	if err := s.ResumeHeld(t.Context(), "me", list[1:]); err != nil {
		t.Fatal(err)
	}
	if err := s.PauseHeld(t.Context(), "a", "price", dearer); err != nil {
		t.Fatal(err)
	}
	q := &Queue{o: Options{Window: fakeWindow{file: s}}}
	offer, err := q.Offer(t.Context(), "first", true)
	if err != nil || len(offer.Held) != 2 || !offer.Copied || offer.Reason != copied {
		t.Errorf("%+v, %v", offer, err)
	}
}
