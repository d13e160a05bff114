package poll

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"darkroom/api"
	"darkroom/state/media"
)

func results(urls ...string) []api.Result { return answer("", "", urls...).Results }

func TestRefreshedKeepsTheNumbers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ known, fresh, want []string }{
		"first answer":       {nil, []string{"https://a/1"}, []string{"https://a/1"}},
		"another order":      {[]string{"https://a/1?s=1", "https://a/2?s=2"}, []string{"https://a/2?s=3", "https://a/1?s=4"}, []string{"https://a/1?s=4", "https://a/2?s=3"}},
		"another host":       {[]string{"https://a/1", "https://a/2"}, []string{"https://b/2", "https://b/1"}, []string{"https://b/1", "https://b/2"}},
		"one path":           {[]string{"https://a/f?id=1&s=1", "https://a/f?id=2&s=2"}, []string{"https://a/f?id=2&s=3", "https://a/f?id=1&s=4"}, []string{"https://a/f?id=1&s=4", "https://a/f?id=2&s=3"}},
		"one is missing":     {[]string{"https://a/1", "https://a/2", "https://a/3"}, []string{"https://a/3?n", "https://a/1?n"}, []string{"https://a/1?n", "https://a/2", "https://a/3?n"}},
		"one more":           {[]string{"https://a/1", "https://a/2"}, []string{"https://a/0", "https://a/2?n", "https://a/1?n"}, []string{"https://a/1?n", "https://a/2?n", "https://a/0"}},
		"one is not told":    {[]string{"https://a/x/1", "https://a/2"}, []string{"https://a/2?n", "https://a/y/1"}, []string{"https://a/y/1", "https://a/2?n"}},
		"no address of them": {[]string{"", ""}, []string{"https://a/1", "https://a/2"}, []string{"https://a/1", "https://a/2"}},
	} {
		var got []string
		for _, r := range refreshed(results(row.known...), results(row.fresh...)) {
			got = append(got, r.URL)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestRelinkedTakesWhatIsCertain(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		known, fresh, want []string
		links              map[int]string
	}{
		"another order":   {[]string{"https://a/1?s=1", "https://a/2?s=2"}, []string{"https://a/2?s=3", "https://a/1?s=4"}, []string{"https://a/1?s=4", "https://a/2?s=3"}, map[int]string{1: "https://a/1?s=4", 2: "https://a/2?s=3"}},
		"one is unknown":  {[]string{"https://a/x/1", "https://a/2"}, []string{"https://a/2?n", "https://a/y/1"}, []string{"https://a/x/1", "https://a/2?n"}, map[int]string{2: "https://a/2?n"}},
		"one in all":      {[]string{"https://a/x/1"}, []string{"https://a/y/1"}, []string{"https://a/y/1"}, map[int]string{1: "https://a/y/1"}},
		"none":            {[]string{"https://a/1"}, nil, []string{"https://a/1"}, map[int]string{}},
		"none was known":  {nil, []string{"https://a/1"}, nil, map[int]string{}},
		"without address": {[]string{"https://a/1"}, []string{""}, []string{"https://a/1"}, map[int]string{}},
	} {
		list, links := relinked(results(row.known...), results(row.fresh...))
		var got []string
		for _, r := range list {
			got = append(got, r.URL)
		}
		if !slices.Equal(got, row.want) || !maps.Equal(links, row.links) {
			t.Errorf("%s: %q %v, want %q %v", name, got, links, row.want, row.links)
		}
	}
}

// TestFreshLinksOfACompletedJob are asked for once and kept, with those of its files.
func TestFreshLinksOfACompletedJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(_ string, n int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", fmt.Sprintf("https://cdn.test/1.png?s=%d", n)), nil
		}
		a := openWindow(t, t.TempDir(), f, 1)
		j := a.ended(t, accepted(t, a).ID)
		before, phase := f.total(), j.Phase
		if _, err := a.FreshLinks(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		fresh := fmt.Sprintf("https://cdn.test/1.png?s=%d", before+1)
		j = must(a.file.Job(t.Context(), j.ID))(t)
		if f.total() != before+1 || phase != api.PhaseDone || j.Phase != phase || j.Results[0].URL != fresh || j.Files[0].URL != fresh {
			t.Errorf("%d polls, %s, results %+v, files %+v", f.total()-before, j.Phase, j.Results, j.Files)
		}
		refused := &api.Error{Class: api.ClassNotFound, Status: 404}
		f.job = func(string, int) (api.JobAnswer, error) { return api.JobAnswer{}, refused }
		if _, err := a.FreshLinks(t.Context(), j.ID); !errors.Is(err, refused) {
			t.Errorf("%v", err)
		}
		if again := must(a.file.Job(t.Context(), j.ID))(t); again.Phase != phase || again.Files[0].URL != fresh {
			t.Errorf("after a refusal: %+v", again)
		}
	})
}

// Every poll lists the same three pictures in another order with addresses that
// work for one download. Each picture is to be saved once.
func TestShuffledAddresses(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]func(picture string, poll int) string{
		"signature in the query": func(p string, n int) string { return fmt.Sprintf("https://cdn.test/%s.png?sig=%d%s", p, n, p) },
		"signature in the path":  func(p string, n int) string { return fmt.Sprintf("https://cdn.test/sig%d%s/%s.png", n, p, p) },
		"one path for all":       func(p string, n int) string { return fmt.Sprintf("https://cdn.test/get?token=%d%s", n, p) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				pictures := []string{"a", "b", "c"}
				polls, downloads := 0, 0
				f.job = func(string, int) (api.JobAnswer, error) {
					f.fetcher.mu.Lock()
					defer f.fetcher.mu.Unlock()
					polls, downloads = polls+1, 0
					var urls []string
					for i := range pictures {
						urls = append(urls, address(pictures[(i+polls)%len(pictures)], polls))
					}
					return answer(api.StatusSucceeded, "COMPLETED", urls...), nil
				}
				f.fetcher.fail = func(w media.Want, _ int) error {
					f.fetcher.mu.Lock()
					defer f.fetcher.mu.Unlock()
					downloads++
					fresh := strings.Contains(w.Result.URL, fmt.Sprint("sig=", polls)) || strings.Contains(w.Result.URL, fmt.Sprint("sig", polls)) ||
						strings.Contains(w.Result.URL, fmt.Sprint("token=", polls))
					// Addresses of the first poll serve one file, later ones all.
					return unless(fresh && (polls > 1 || downloads == 1), media.ErrExpired)
				}
				f.fetcher.content = func(address string) string {
					u, err := url.Parse(address)
					if err != nil {
						return "?"
					}
					if token := u.Query().Get("token"); token != "" {
						return "picture " + token[len(token)-1:]
					}
					return "picture " + strings.TrimSuffix(path.Base(u.Path), ".png")
				}
				w := openWindow(t, t.TempDir(), f, 1)
				j := w.ended(t, accepted(t, w).ID)
				if j.Phase != api.PhaseDone || polls < 2 {
					t.Fatalf("%s (%s) after %d polls", j.Phase, j.Error, polls)
				}
				var saved []string
				for _, file := range j.Files {
					text, err := os.ReadFile(file.Path)
					if err != nil {
						t.Fatal(err)
					}
					saved = append(saved, string(text))
				}
				slices.Sort(saved)
				if !slices.Equal(saved, []string{"picture a", "picture b", "picture c"}) {
					t.Errorf("saved %q", saved)
				}
				for i, r := range j.Results {
					text, _ := os.ReadFile(j.Files[i].Path)
					if f.fetcher.content(r.URL) != string(text) {
						t.Errorf("file %d is %s, its result %s", i+1, text, r.URL)
					}
				}
			})
		})
	}
}

// A result that can never be fetched says why, and does not ask to try again.
func TestFinalDownloadSaysWhy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(string, int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", "http://cdn.test/1.png"), nil
		}
		f.fetcher.fail = func(media.Want, int) error {
			return &media.Error{Reason: api.ReasonText.Reason("it is not https"), Final: true}
		}
		w := openWindow(t, t.TempDir(), f, 1)
		j := w.ended(t, accepted(t, w).ID)
		if j.Phase != api.PhaseFailed || !strings.Contains(j.Error.String(), "not https") || strings.Contains(j.Error.String(), "etch it again") {
			t.Errorf("%s: %s", j.Phase, j.Error)
		}
		if n := f.fetcher.count(); n != 1 || len(j.Results) != 1 || j.Results[0].URL != "http://cdn.test/1.png" {
			t.Errorf("%d tries, results %+v", n, j.Results)
		}
		if !final(&media.Error{Final: true}) || final(errors.New("x")) {
			t.Error("final")
		}
	})
}
