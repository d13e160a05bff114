package pricing

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
)

// rated gives the figures of the spec's rate table.
func rated(c *Choice) (api.Credits, bool) { return c.Rate.Credits, c.Rate.Known() }

func seedance(seconds int) Table {
	return For(api.Model{ID: api.Seedance2, Kind: api.KindVideo}, seconds, "")
}

func TestChoicesStandInRisingOrder(t *testing.T) {
	t.Parallel()
	m := api.Model{ID: "acme/brush", Kind: api.KindImage, Parameters: []api.Parameter{
		{Name: "image_size", Values: []string{"auto_2K", "4K", "1024x1024", "512", "2K", "best", "1K"}},
		{Name: "quality", Values: []string{"high", "ultra", "low", "medium"}},
	}}
	got := For(m, 5, "")
	expect.List(t, got.Rows, []string{"512", "1K", "2K", "auto_2K", "4K", "1024x1024", "best"}, "sizes")
	expect.List(t, got.Cols, []string{"low", "medium", "high", "ultra"}, "qualities")
	expect.Equal(t, m.Parameters[0].Values[0], "auto_2K", "the listing itself was sorted")
	r := got.At(1, 2).Request
	expect.All(t, "1K high  0", r.Size, r.Quality, r.Duration, got.SecondsOf(got.At(1, 2)))
	video := api.Model{ID: "acme/clip", Kind: api.KindVideo, Parameters: []api.Parameter{
		{Name: "duration", Values: []string{"10", "5"}}, {Name: "resolution", Values: []string{"1080p", "720p"}}}}
	clip := For(video, 7, "")
	expect.That(t, slices.Equal(clip.Rows, []string{"5", "10"}) && !clip.Chosen && clip.SecondsOf(clip.At(1, 0)) == 10 &&
		clip.At(1, 0).Request.Resolution == "720p", "a video model's table is", clip)
	video.Parameters[0].Values = []string{"10"}
	one := For(video, 7, "")
	expect.That(t, !one.Chosen && one.SecondsOf(one.At(0, 0)) == 10, "with one duration", one)
	for seconds, want := range map[int]int{7: 7, -1: 0, 1: 1, 86400: 86400, 86401: 86400} {
		one := For(api.Model{ID: "acme/any", Kind: api.KindVideo}, seconds, "")
		expect.That(t, one.Chosen && one.SecondsOf(one.At(0, 0)) == want, "without listed durations", one)
	}
	expect.Equal(t, len(For(api.Model{}, 5, "").Choices), 0, "choices of no model")
}

func TestRefusedChoicesAndDurations(t *testing.T) {
	t.Parallel()
	table := seedance(5)
	refused := 0
	for i := range table.Choices {
		c := &table.Choices[i]
		_, available := api.RateOf(c.Request.VideoModel, c.Request.Resolution)
		expect.That(t, c.Refused() != available, c.Key, "is refused", c.Refused())
		if c.Refused() {
			refused++
		}
	}
	expect.All(t, "5 ", refused, table.Refusal.Code)
	high := 12.0
	bounded := api.Model{ID: api.Seedance2, Kind: api.KindVideo, Parameters: []api.Parameter{{Name: "duration", Max: &high}}}
	long := For(bounded, 13, "")
	expect.That(t, long.Refusal.Field == api.FieldDuration && !long.At(0, 1).Refused(), "13 s", long.Refusal, long.At(0, 1))
	ratio := api.Model{ID: "acme/brush", Kind: api.KindImage, Parameters: []api.Parameter{{Name: "aspect_ratio", Values: []string{"1:1"}}}}
	expect.That(t, For(ratio, 5, "16:9").Choices[0].Refused(), "a ratio that is not listed is not refused")
}

func TestCheapestAndNear(t *testing.T) {
	t.Parallel()
	table := seedance(5)
	var got []string
	for _, c := range table.CheapestOf(rated) {
		names := ""
		for _, choice := range c.Choices {
			names += " " + table.Other(choice)
		}
		got = append(got, fmt.Sprintf("%s%s %s of %d", c.Group, names, c.Credits, c.Of))
	}
	want := []string{"480p fast_vip 250 of 2", "720p fast standard 425 of 4", "1080p standard_vip 1,000 of 1"}
	expect.List(t, got, want, "cheapest")
	gap := func(c *Choice) (api.Credits, bool) { // one price of 720p is not known
		return c.Rate.Credits, c.Rate.Known() && c.Request.VideoModel+c.Request.Resolution != "fast720p"
	}
	apart := table.CheapestOf(gap)
	expect.That(t, len(apart) == 2 && apart[0].Group == "480p" && apart[1].Group == "1080p", "with a gap", apart)
	for from, want := range map[string][2]string{ // dearer, cheaper
		"fast 720p": {"fast_vip 720p", ""}, "fast_vip 720p": {"", "fast 720p"}, "fast_vip 480p": {"standard_vip 480p", ""}, "standard_vip 1080p": {"", ""},
	} {
		for i := range table.Choices {
			c := &table.Choices[i]
			if c.Request.VideoModel+" "+c.Request.Resolution != from {
				continue
			}
			for n, up := range []bool{true, false} {
				name := ""
				if near := table.Near(c, up, rated); near != nil {
					name = near.Request.VideoModel + " " + near.Request.Resolution
				}
				expect.Equal(t, name, want[n], from, "up", up)
			}
		}
	}
}

func TestAffordable(t *testing.T) {
	t.Parallel()
	table := seedance(5)
	for _, c := range []struct {
		amount         api.Credits
		count, seconds int64 // of fast 720p
	}{{2000 * api.Credit, 4, 23}, {424 * api.Credit, 0, 4}, {0, 0, 0}, {-2000 * api.Credit, 0, 0}, {api.MaxCredits, int64(api.MaxCredits / (425 * api.Credit)), int64(api.MaxCredits / (85 * api.Credit))}} {
		a := table.Affordable(c.amount, rated)
		expect.That(t, len(a) == 7 && a[0].Count == c.count && a[0].Seconds == c.seconds, c.amount, "pay for", a[0])
	}
	free := func(*Choice) (api.Credits, bool) { return 0, true }
	least := table.Afford(0, &table.Choices[1], 1)
	a := table.Affordable(api.Credit, free)
	expect.All(t, fmt.Sprint("7 ", Unlimited, " 0 0"), len(a), a[0].Count, least.Count, least.Seconds)
}

func TestPlan(t *testing.T) {
	t.Parallel()
	table, p := seedance(5), Plan{}
	fast, vip := table.At(0, 1).Request, table.At(2, 0).Request
	for range 3 {
		p.Add(fast)
	}
	p.Add(vip)
	price := func(r api.Request) (api.Credits, bool) { e := api.TableEstimate(r); return e.Credits, e.Known() }
	sum, unknown := p.Total(price)
	expect.That(t, sum == 1525*api.Credit && unknown == 0, "total", sum, unknown, "unknown")
	model := func(id string) api.Model { return api.Model{ID: id, Kind: api.KindVideo} }
	dear, moved := p.Shift(true, model, rated)
	sum, _ = dear.Total(price)
	expect.That(t, sum == 1925*api.Credit && moved == 2, "dearer", sum, moved, "moved")
	cheap, moved := p.Shift(false, model, rated)
	expect.That(t, moved == 0 && fmt.Sprint(cheap.Items) == fmt.Sprint(p.Items), "cheaper", moved, "moved", cheap)
	brush := api.Model{ID: "acme/brush", Kind: api.KindImage, Parameters: []api.Parameter{{Name: "size", Values: []string{"1K"}}, {Name: "quality", Values: []string{"low", "high"}}}}
	some := Plan{Items: []Item{{Request: api.Request{Kind: api.KindImage, Model: brush.ID, Size: "8K"}, Count: 1},
		{Request: api.Request{Kind: api.KindImage, Model: brush.ID, Size: "1K", Quality: "low"}, Count: 1}}}
	byQuality := func(c *Choice) (api.Credits, bool) { return api.Credits(len(c.Request.Quality)), true }
	dear, moved = some.Shift(true, func(string) api.Model { return brush }, byQuality)
	// The first choice, after one that the model does not have.
	expect.All(t, "1 8K high", moved, dear.Items[0].Request.Size, dear.Items[1].Request.Quality)
	p.Take(vip)
	p.Take(vip)
	p.Take(fast)
	expect.That(t, !p.Has(vip) && p.Has(fast) && len(p.Items) == 1 && p.Items[0].Count == 2, "after taking away", p.Items)
	p.Add(api.Request{Kind: api.KindImage, Model: "acme/brush"})
	_, unknown = p.Total(price)
	expect.That(t, unknown == 1, unknown, "unknown")
	p.Items[0].Count = 10_000 - 1
	expect.That(t, p.Add(fast) && !p.Add(fast) && p.Items[0].Count == 10_000, "a full item takes one more, or is not full", p.Items[0])
	added := 0
	for n := range 100 {
		if p.Add(api.Request{Kind: api.KindImage, Model: "acme/brush", Size: fmt.Sprint(n + 1)}) {
			added++
		}
	}
	expect.All(t, "100 98", len(p.Items), added)
	for n, want := range []api.Credits{0, api.MaxCredits/2 + 1, api.MaxCredits, api.MaxCredits} {
		got, half := Times(api.MaxCredits/2+1, n), Times(api.MaxCredits/2, min(n, 2))
		expect.That(t, got == want && half == api.MaxCredits/2*api.Credits(min(n, 2)), n, "times is", got, "not", want, "of half the most", half)
	}
	for text, want := range map[string]bool{
		`[{"request":{"model":"m"},"count":1}]`: true, `[{"request":{"model":"m"},"count":10000}]`: true, `[]`: true, `{`: false, `{}`: false,
		`[{"request":{"model":"m"},"count":0}]`: false, `[{"request":{"model":"m"},"count":10001}]`: false, `[{"request":{},"count":1}]`: false,
	} {
		_, ok := ReadItems([]byte(text))
		expect.That(t, ok == want, text, "is read", ok)
	}
}

func TestListedIsForTheUsualChoiceOnly(t *testing.T) {
	t.Parallel()
	m := api.Model{ID: "acme/brush", Price: &api.Price{Credits: api.Credit}, Parameters: []api.Parameter{{Name: "size", Values: []string{"1K", "2K"}, Default: "1K"}}}
	for unit, fits := range map[string]bool{"image": true, "call": true, "second": false} {
		m.Price.Unit = unit
		for size, usual := range map[string]bool{"1K": true, "": true, "2K": false} {
			c, ok := Listed(m, api.Request{Size: size, Quality: "any"})
			expect.That(t, ok == (usual && fits) && (!ok || c == api.Credit), "size", size, "per", unit, c, ok)
		}
	}
	_, ok := Listed(api.Model{}, api.Request{})
	expect.That(t, !ok, "there is no price")
}

func TestMarkdownKeepsItsCells(t *testing.T) {
	t.Parallel()
	m := api.Model{ID: "<x>", Kind: api.KindImage, Parameters: []api.Parameter{{Name: "size", Values: []string{"1K|2K"}}, {Name: "quality", Values: []string{"a\n|b"}}}}
	for want, m := range map[string]api.Model{
		"| &lt;x> | a \\|b |\n|---|---:|\n| 1K\\|2K | – |\n":    m,
		"| acme/brush |  |\n|---|---:|\n|  | 1 |\n":             {ID: "acme/brush", Kind: api.KindImage},
		"| acme/clip, 1 s |  |\n|---|---:|\n|  | 1 (1 / s) |\n": {ID: "acme/clip", Kind: api.KindVideo},
	} {
		table := For(m, 1, "")
		expect.Equal(t, table.Markdown(func(*Choice) (api.Credits, bool) { return api.Credit, true }, fmt.Sprintf), want)
	}
	rates := seedance(5)
	text := rates.Markdown(func(c *Choice) (api.Credits, bool) { return c.Rate.Credits, c.Request.VideoModel != "fast_vip" }, fmt.Sprintf)
	expect.Equal(t, text, `| seedance2, 5 s | 480p | 720p | 1080p |
|---|---:|---:|---:|
| fast | – | 425 (85 / s) | – |
| standard | – | 425 (85 / s) | – |
| fast_vip | ? | ? | – |
| standard_vip | 425 (85 / s) | 500 (100 / s) | 1,000 (200 / s) |
`)
}

func TestOneOnly(t *testing.T) {
	t.Parallel()
	for class, want := range map[api.ErrorClass]bool{api.ClassInvalid: true, api.ClassUnreadable: true, api.ClassRate: false, api.ClassKey: false, api.ClassNetwork: false, api.ClassServer: false} {
		expect.Equal(t, OneOnly(fmt.Errorf("wrapped: %w", &api.Error{Class: class})), want, class)
	}
	expect.That(t, !OneOnly(errors.New("x")), "an error of our own is about one price")
}
