package ui

import (
	"testing"

	"darkroom/api"
)

// A draft that costs more than when it was last sent says so beside its price.
func TestCreateSaysThatADraftBecameDearer(t *testing.T) {
	t.Parallel()
	for sent, says := range map[api.Credits]bool{340: true, 425: false, 500: false} {
		fly(t, 120, 40, func(d *fakeSession) {
			right := d.estimate
			d.estimate = func(r api.Request) (api.Estimate, error) {
				e, err := right(r)
				e.Sent, e.SentAt = sent*api.Credit, fakeNow.AddDate(0, 0, -9)
				return e, err
			}
		}, func(p *pilot) {
			p.keys("alt+1", "ctrl+t")
			p.typed("a boat")
			p.settle()
			if says {
				p.shows("425 credits", "Dearer than when last sent: 340")
			} else {
				p.shows("425 credits")
				p.lacks("Dearer")
			}
		})
	}
}
