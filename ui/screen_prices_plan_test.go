package ui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/msg"
)

// copied is the last text that was put on the clipboard.
func (p *pilot) copied() string {
	for i := len(p.raw) - 1; i >= 0; i-- {
		if v := reflect.ValueOf(p.raw[i]); v.Kind() == reflect.String && strings.Contains(v.Type().Name(), "lipboard") {
			return v.String()
		}
	}
	return ""
}

func TestAPlanIsPricedSavedAndOpened(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, pricedBefore, func(p *pilot) {
		p.shows("500", "1 saved plan: press o.")
		p.keys("backspace")
		p.shows("There is none of it in the plan.")
		p.keys("space", "space", "space", "backspace") // 2 × fast 720p
		p.keys("down", "down", "space")                // 1 × fast_vip 720p
		p.shows("1,350 credits  3 requests", "leaves 1,410 of the 2,760 left today",
			"cheaper tier 1,275 (−75 −6%)", "dearer tier 1,500 (+150 +11%)", "2 × fast · 720p · 5 s", "63%", "37%")
		p.keys("w")
		p.typed("trailer")
		p.keys("enter")
		p.shows("Plan saved as trailer.", "Plan trailer")
		if len(p.session.pricing.plans) != 2 || len(p.session.pricing.plans[0].Items) != 2 {
			t.Fatalf("kept: %+v", p.session.pricing.plans)
		}
		p.keys("x")
		p.shows("Press space on a price to plan one of it")
		p.keys("o", "down", "enter")
		p.settle()
		p.shows("Plan storyboard", "2,000 credits  4 requests", "▸   4 × fast_vip · 720p · 5 s")
		p.keys("space")
		p.shows("5 × fast_vip", "2,500 credits")
		for range 3 {
			p.keys("space")
		}
		p.shows("1,240 more than the 2,760 left today")
		p.keys("enter")
		if r := p.kept("video"); p.app.at != msg.PlaceCreate || r.VideoModel != "fast_vip" || r.Resolution != "720p" || r.Duration != "5" {
			t.Errorf("Create has %+v", r)
		}
		p.keys("alt+3", "o", "x")
		p.settle()
		if len(p.session.pricing.plans) != 1 {
			t.Errorf("a removed plan stays: %+v", p.session.pricing.plans)
		}
	})
}

func TestWhatAnAmountPaysFor(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, nil, func(p *pilot) {
		p.shows("No budget is set. Press b and type an amount")
		p.keys("b")
		p.typed("2000")
		p.keys("enter")
		p.settle()
		p.shows("2,000 credits", "23 s", "fast 720p", "4 × 5 s", "40 s", "8 × 5 s", "10 s", "standard_vip 1080p", "2 × 5 s", "160 images", "1K · medium")
		p.keys("b")
		p.typed("a lot")
		p.keys("enter")
		p.shows("Type a number, such as 2000.", "2,000 credits")
	})
	inPrices(t, 120, 40, pricedBefore, func(p *pilot) { p.shows("2,760 left today", "32 s") })
}

func TestTheTableIsCopiedAsMarkdown(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, nil, func(p *pilot) {
		p.keys("y")
		want := "| seedance2, 5 s | 480p | 720p | 1080p |\n|---|---:|---:|---:|\n| fast | – | 425 (85 / s) | – |\n| standard | – | 425 (85 / s) | – |\n" +
			"| fast_vip | 250 (50 / s) | 500 (100 / s) | – |\n| standard_vip | 425 (85 / s) | 500 (100 / s) | 1000 (200 / s) |\n"
		if got := p.copied(); got != want {
			t.Errorf("copied\n%s\nwant\n%s", got, want)
		}
		p.keys("t", "i")
		p.shows("The service has sent no record of this model.")
	})
}

// One key goes from seedance2 to the images and back, wherever they are listed.
func TestOneKeyToTheImages(t *testing.T) {
	t.Parallel()
	inPrices(t, 80, 24, func(d *fakeSession) {
		d.models[0], d.models[1] = d.models[1], d.models[0]
		d.models[0].Raw = []byte(`{"id":"acme/brush","secret":1}`)
	}, func(p *pilot) {
		p.shows("▸ seedance2", "Credits for 5 s")
		p.keys("t")
		p.settle()
		p.shows("▸ acme/brush", "Credits for one image", "Cheapest: 1K low 6 · 2K low 12 · 4K low 30")
		p.keys("i")
		p.shows(`"secret": 1`)
		p.keys("esc", "t")
		p.shows("▸ seedance2")
		p.keys("d")
		p.typed("10")
		if p.app.at != msg.PlacePrices {
			t.Error("a typed digit went to another screen")
		}
		p.shows("Duration in seconds › 10", "850")
	})
}

func TestThePageOfSpending(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, spentLately, func(p *pilot) {
		p.keys("$")
		p.settle()
		total := p.session.pricing.spend.Total()
		p.shows("7,480 credits", fmt.Sprintf("%d jobs", total.Jobs), "possibly 425 more", "3 results kept, 2,493.34 credits each",
			"seedance2  video", "6,400", "+425", "86%", "By day", "2026-03-01  image")
		p.keys("+")
		p.settle()
		p.shows("− 90 days +")
		if n := p.session.asked("spend 2025-12-02"); n != 1 {
			t.Errorf("90 days were asked for %d times: %v", n, p.session.log)
		}
		p.keys("-", "-")
		p.settle()
		p.shows("− 7 days +")
		p.keys("G")
		p.lacks("By model")
		p.keys("esc")
		p.shows("seedance2", "Credits for 5 s")
	})
	inPrices(t, 120, 40, func(d *fakeSession) { d.pricing.spend = state.Spend{} }, func(p *pilot) {
		p.keys("$")
		p.settle()
		p.shows("Nothing was spent in these days.")
	})
}

// A plan that was written by another version is left out, not shown wrongly.
func TestPlansThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{`[{"request":{"kind":"image","model":"a/b"},"count":2}]`: true, `[]`: true, `{}`: false,
		`[{"count":1}]`: false, `[{"request":{"model":"a/b"},"count":0}]`: false, `[{"request":{"model":"a/b"},"count":99999}]`: false} {
		if _, err := pricing.ReadItems([]byte(text)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
