package state

import (
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// TestAnOfferSaysThatTheStoreIsACopy whatever else some of the requests wait for.
func TestAnOfferSaysThatTheStoreIsACopy(t *testing.T) {
	t.Parallel()
	service := newFake()
	service.price = func(api.Request) (api.Estimate, error) { return api.Estimate{Source: api.SourceService}, nil }
	o, _ := fakeOptions(t, t.TempDir(), service)
	session := openSession(t, o)
	noError(t, session.Remote.AwaitKey(limited(t)))
	s, own := session.storage.current(), session.instance.id
	copied, dearer := api.ReasonReset.Reason(), api.ReasonStopped.Reason()
	list := []store.Held{
		{ID: "first", ConfirmID: "1", Request: api.Request{Kind: api.KindImage, Prompt: "x"}, Body: []byte("{}")},
		{ID: "second", ConfirmID: "2", Request: api.Request{Kind: api.KindImage, Prompt: "y"}, Body: []byte("{}")},
	}
	must(s.Hold(t.Context(), store.Agreement{ID: "a", Instance: own, Held: list, Now: time.Now()}))(t)
	// Both wait in a copy, and the second was sent on and is too dear now.
	noError(t, s.PauseHeld(t.Context(), "a", store.CodeCopied, copied))
	noError(t, s.ResumeHeld(t.Context(), own, list[1:]))
	noError(t, s.PauseHeld(t.Context(), "a", "price", dearer))
	offer, err := session.Queue().Offer(t.Context(), "first", true)
	if err != nil || len(offer.Held) != 2 || !offer.Copied || offer.Reason != copied {
		t.Errorf("%+v, %v", offer, err)
	}
}
