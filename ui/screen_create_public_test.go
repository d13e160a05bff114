package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// askedFor are the addresses that were asked for, in order.
func (d *fakeSession) askedFor() []string {
	var out []string
	for _, l := range d.log {
		if address, ok := strings.CutPrefix(l, "public "); ok {
			out = append(out, address)
		}
	}
	slices.Sort(out)
	return out
}

func gutterIsGone(d *fakeSession) {
	d.public = func(address string) error {
		if strings.Contains(address, "gutter") {
			return &api.Fault{Reason: api.Sentence("is %v for the public").Reason(404)}
		}
		return nil
	}
}

// TestCreateAsksWhetherMaterialsArePublic: nobody is asked before the person
// agreed, each address once, and what is typed is not asked for.
func TestCreateAsksWhetherMaterialsArePublic(t *testing.T) {
	flyCreate(t, "en", 120, 40, gutterIsGone, func(p *pilot) {
		fillBoat(p)
		p.pass(time.Minute)
		if got := p.session.askedFor(); len(got) != 0 {
			t.Fatalf("asked without an agreement: %q", got)
		}
		p.keys("ctrl+p", "esc")
		p.pass(time.Minute)
		if got := p.session.askedFor(); len(got) != 0 || p.session.mayAsk {
			t.Fatalf("asked after a no: %q", got)
		}
		p.keys("ctrl+p")
		p.shows("Check that your links are public?", "without your", "The hosts will see your IP address.")
		p.keys("y")
		p.shows("✗ 图片2 is 404 for the public")
		if got := p.session.askedFor(); len(got) != 3 || !p.session.mayAsk {
			t.Fatalf("asked %q, kept %t", got, p.session.mayAsk)
		}
		p.typed("one more word")
		p.pass(time.Minute)
		if got := p.session.askedFor(); len(got) != 3 {
			t.Errorf("asked again: %q", got)
		}
		// Moved, it keeps what is known under its new name; a new one is asked for
		// before the review.
		p.keys("ctrl+e", "up", "up", "alt+up")
		p.shows("✗ 图片1 is 404 for the public")
		p.keys("ctrl+e")
		p.paste("https://cdn.example.com/new.png")
		p.pass(time.Minute)
		if got := p.session.askedFor(); len(got) != 3 {
			t.Errorf("asked when it was pasted: %q", got)
		}
		p.keys("ctrl+s")
		if got := p.session.askedFor(); len(got) != 4 || !slices.Contains(got, "https://cdn.example.com/new.png") {
			t.Errorf("asked before the review: %q", got)
		}
		p.keys("esc", "ctrl+p")
		if got := p.session.askedFor(); len(got) != 8 {
			t.Errorf("asked by hand %d times", len(got))
		}
		p.keys("ctrl+s")
		p.shows("Review and send", "! 图片1 is 404 for the public") // the service knows better
		p.keys("enter")
		p.shows("send anyway", "Press enter again")
		if len(p.session.confirmed) != 0 {
			t.Fatal("one key sent a request with a dead reference")
		}
		p.keys("enter")
		if len(p.session.confirmed) != 1 {
			t.Errorf("the second key sent %d", len(p.session.confirmed))
		}
	})
}

func TestCreateSaysInOneLineWhatIsNotPublic(t *testing.T) {
	flyCreate(t, "zh", 80, 24, func(d *fakeSession) { gutterIsGone(d); d.mayAsk = true }, func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+s", "esc")
		p.shows("图片2 公开访问时返回 404")
		onlyNamesInEnglish(t, p)
	})
}

// A host that answers while the review is in view warns there.
func TestReviewTakesTheAnswersOfHosts(t *testing.T) {
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { gutterIsGone(d); d.mayAsk = true }, func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+s")
		p.shows("Review and send", "! 图片2 is 404 for the public")
		p.keys("enter")
		p.shows("send anyway", "Press enter again")
		if len(p.session.confirmed) != 0 {
			t.Fatal("one key sent a request with a dead reference")
		}
	})
}

// TestMaterialsShowWhatIsKnownOfThem: what a check found stands beside each row,
// and what is wrong with it.
func TestMaterialsShowWhatIsKnownOfThem(t *testing.T) {
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		gutterIsGone(d)
		d.mayAsk, d.link = true, state.Link{Status: 200, Type: "image/png", Bytes: 3_200_000}
	}, func(p *pilot) {
		p.typed("boat")
		p.keys("ctrl+e")
		until := fakeNow.Add(43*time.Minute + time.Second).Unix()
		p.paste(fmt.Sprintf("https://cdn.example.com/boat.png\nhttps://cdn.example.com/gutter.png\nhttps://cdn.example.com/boat.png\nhttps://cdn.example.com/s.png?Expires=%d", until))
		p.shows("same as 图片1", "link expires in 4") // minutes: keys take time here
		p.keys("ctrl+p")
		p.shows("png · 3.2 MB · public ✓", "is 404 for the public")
		p.session.link = state.Link{Status: 200, Type: "text/html"}
		p.paste("https://cdn.example.com/page.png")
		p.keys("ctrl+p")
		p.shows("is a page, not a file")
	})
}

// Nobody has to be asked about a signed link that has ended.
func TestAnExpiredMaterialIsAWarningInTheReview(t *testing.T) {
	flyCreate(t, "en", 80, 24, nil, func(p *pilot) {
		p.keys(":a boat", "ctrl+e")
		p.paste("https://cdn.example.com/a.png?X-Amz-Date=20200101T000000Z&X-Amz-Expires=3600")
		p.pass(time.Second)
		p.keys("ctrl+s")
		p.pass(time.Second)
		p.shows("Review and send", "! 图片1 link has expired")
		p.keys("enter")
		p.shows("图片1 link has expired. Press enter again to send anyway.")
		if len(p.session.confirmed) != 0 {
			t.Fatal("one key sent a request with an expired reference")
		}
		p.keys("enter")
		if len(p.session.confirmed) != 1 {
			t.Errorf("the second key sent %d", len(p.session.confirmed))
		}
	})
}
