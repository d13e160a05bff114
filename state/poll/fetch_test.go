package poll

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/media"
	"darkroom/state/store"
)

func TestDownloads(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset")
	never := &media.Error{Fault: api.ReasonText.Fault(nil, "it is not https"), Final: true}
	pieces := func(kept int, cause error) error {
		return &media.Error{Fault: api.ReasonText.Fault(cause, "reset"), Kept: int64(kept)}
	}
	for name, row := range map[string]struct {
		fail  func(w media.Want, call int) error
		phase api.Phase
		calls int
		polls int
		says  api.Sentence
		waits float64 // seconds between the tries, together; the jitter is a fifth
	}{
		"at once":        {nil, api.PhaseDone, 2, 1, "", 0},
		"more are left":  {nil, api.PhaseDone, 2, 1, read.Left, 0},
		"an error too":   {nil, api.PhaseDone, 2, 1, read.Said, 0},
		"id of another":  {nil, api.PhaseDone, 2, 1, "another job has this id already", 0},
		"no recipe":      {nil, api.PhaseDone, 2, 1, "the recipe could not be written: %v", 0},
		"third try":      {func(_ media.Want, n int) error { return unless(n > 2, broken) }, api.PhaseDone, 4, 1, "", 10},
		"never":          {func(w media.Want, _ int) error { return unless(w.N == 1, broken) }, api.PhaseFailed, 5, 1, "the result could not be brought here: %v. Fetch it again", 42},
		"in pieces":      {func(_ media.Want, n int) error { return unless(n > 9, pieces(n*media.MinComing, nil)) }, api.PhaseDone, 11, 1, "", 18},
		"in crumbs":      {func(w media.Want, n int) error { return unless(w.N == 1, pieces(media.MinComing+n, nil)) }, api.PhaseFailed, 5, 1, "the result could not be brought here: %v. Fetch it again", 42},
		"slow pieces":    {func(_ media.Want, n int) error { return unless(n > 9, pieces(n*media.MinComing, media.ErrSlow)) }, api.PhaseDone, 11, 1, "", 18},
		"slow crumbs":    {func(w media.Want, n int) error { return unless(w.N == 1, pieces(media.MinComing+n, media.ErrSlow)) }, api.PhaseFailed, 5, 1, "the result could not be brought here: %v. Fetch it again", -1},
		"not at all":     {func(w media.Want, _ int) error { return unless(w.N == 2, never) }, api.PhaseFailed, 2, 1, "the result could not be brought here: %v", 0},
		"once more":      {func(w media.Want, n int) error { return unless(n != 2, never) }, api.PhaseDone, 3, 2, "", 0},
		"more in vain":   {func(_ media.Want, n int) error { return unless(n != 2 && n != 3, never) }, api.PhaseDone, 4, 3, "", 2},
		"slow at times":  {func(_ media.Want, n int) error { return unless(n == 3 || n == 7, media.ErrSlow) }, api.PhaseDone, 7, 1, "", -1},
		"fresh address":  {func(_ media.Want, n int) error { return unless(n > 1, media.ErrExpired) }, api.PhaseDone, 3, 2, "", 0},
		"short-lived":    {func(w media.Want, n int) error { return unless(n%2 == 0, media.ErrExpired) }, api.PhaseDone, 4, 3, "", 0},
		"expired":        {func(media.Want, int) error { return media.ErrExpired }, api.PhaseExpired, 3, 2, "the result's link has expired, and the service gave no fresh one", 0},
		"one is expired": {func(w media.Want, _ int) error { return unless(w.N == 2, media.ErrExpired) }, api.PhaseExpired, 3, 2, "the result's link has expired, and the service gave no fresh one", 0},
		"asked in vain":  {func(_ media.Want, n int) error { return unless(n > 2, media.ErrExpired) }, api.PhaseDone, 4, 3, "", 2},
		"no answer":      {func(w media.Want, _ int) error { return unless(w.N == 2, media.ErrExpired) }, api.PhaseFailed, 5, 5, "the result could not be brought here: %v. Fetch it again", 42},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				f.job = func(_ string, n int) (api.JobAnswer, error) {
					a := answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png", "https://cdn.test/2.png")
					if n == 2 && strings.HasSuffix(name, " in vain") || n > 1 && name == "no answer" {
						return a, failing(api.ClassServer, 502, 0)
					}
					a.Raw, a.Results[1] = []byte("the key is "+testKey), api.Result{Data: []byte("png")} // the second is in the answer itself
					if row.says == read.Left || row.says == read.Said {
						a.Left = row.says.Reason(300, 256)
					}
					return a, nil
				}
				dir := t.TempDir()
				fetcher := &f.fetcher
				fetcher.fail, fetcher.refused = row.fail, unless(name != "no recipe", broken)
				a := openWindow(t, dir, f, 1)
				if !strings.HasPrefix(name, "slow") { // each window counts
					openWindow(t, dir, f, 1) // a second one must not fetch as well
				}
				var lost []api.Reason
				if row.says == store.ErrTaken.Reason.Format() {
					lost = append(lost, store.ErrTaken.Reason)
				}
				j := accepted(t, a, lost...)
				j = a.ended(t, j.ID)
				expect.That(t, j.Phase == row.phase && j.ErrClass == "" && fetcher.count() == row.calls && f.total() == row.polls && j.Error.Format() == row.says,
					j.Phase, j.Error, fetcher.count(), "downloads", f.total(), "polls")
				took := fetcher.at[len(fetcher.at)-1].Sub(fetcher.at[0]).Seconds() // a fresh address waits for the pace
				expect.That(t, row.waits < 0 || took >= 0.8*row.waits && took <= 1.2*row.waits+1.5, "it was tried for", took, "s")
				done := j.Phase == api.PhaseDone
				expect.That(t, done == (len(j.Files) == 2) && done == (fetcher.recipes == 1) && len(j.Results) == 2 &&
					done == (j.Results[1].Data == nil && j.Progress == 1) && !j.EndedAt.IsZero() && j.Completed,
					len(j.Files), "files", fetcher.recipes, "recipes, results", j.Results, "ended", j.EndedAt)
				raw := must(a.file.Answer(t.Context(), j.ID, ""))(t)
				expect.That(t, len(raw) != 0 && !strings.Contains(string(raw), testKey), "the answer is kept as", string(raw))
				want, ended, saved := []api.Phase{api.PhaseFetching, row.phase}, j.EndedAt, 2
				if !done {
					meanwhile := func(media.Want, int) error { saved++; return a.Fetch(t.Context(), j.ID) } // asked for once more, it goes on
					locked(&fetcher.mu, func() { fetcher.fail = meanwhile })
					for _, file := range j.Files { // is brought again, too
						saved++
						noError(t, os.WriteFile(file.Path, []byte("damaged"), 0o600))
					}
					noError(t, a.Fetch(t.Context(), j.ID))
					damaged := func(f store.File) bool { return !media.Intact(t.Context(), f) }
					j = a.ended(t, j.ID)
					expect.That(t, j.Phase == api.PhaseDone && len(j.Files) == 2 && !slices.ContainsFunc(j.Files, damaged) && j.Error.IsZero() &&
						j.EndedAt.Equal(ended), "fetched again", j.Phase, j.Error, len(j.Files), "files, ended", ended, j.EndedAt)
					want = append(want, want[0], api.PhaseDone)
				}
				synctest.Wait() // until it is told, too
				f.mu.Lock()
				defer f.mu.Unlock()
				told := f.told[j.ID] // each file too, before the job is done
				expect.That(t, len(told)-len(slices.Compact(slices.Clone(told))) == saved && slices.Equal(slices.Compact(told), want),
					"told of", told)
			})
		})
	}
}

// A job whose link has expired keeps its phase when the key is refused, and goes on once there is another.
func TestAnExpiredLinkWaitsForAKey(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.fetcher.fail = func(_ media.Want, n int) error { return unless(n > 1, media.ErrExpired) }
		f.job = func(_ string, n int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), unless(n != 2, failing(api.ClassKey, 401, 0))
		}
		j := accepted(t, w)
		time.Sleep(time.Hour)
		expect.That(t, must(w.file.Job(t.Context(), j.ID))(t).Phase == api.PhaseFetching && f.total() == 2, f.total(), "polls with a refused key")
		w.remote.FindKey()
		expect.Equal(t, w.ended(t, j.ID).Phase, api.PhaseDone, "with another key it is")
	})
}

// No download fails while the service cannot be reached either, however long that takes.
func TestANetworkThatIsAway(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		gone := failing(api.ClassNetwork, 0, 0)
		var back atomic.Bool
		locked(&f.mu, func() { f.models = gone })
		f.job = func(id string, n int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), unless(n == 1 && id != "r4" || back.Load(), gone)
		}
		why := map[string]error{"r1": errors.New("reset"), "r2": media.ErrSlow, "r3": media.ErrExpired}
		f.fetcher.fail = func(m media.Want, _ int) error { return unless(back.Load(), why[m.Job.RemoteID]) }
		jobs := []store.Job{accepted(t, w), accepted(t, w), accepted(t, w), accepted(t, w, read.Left.Reason(300, 256))} // the last without a result
		time.Sleep(10 * time.Minute)
		for _, j := range jobs {
			expect.Equal(t, must(w.file.Job(t.Context(), j.ID))(t).Phase, api.PhaseFetching, why[j.RemoteID])
		}
		locked(&f.mu, func() { f.models = nil })
		back.Store(true)
		for _, j := range jobs {
			expect.Equal(t, w.ended(t, j.ID).Phase, api.PhaseDone, "with a network again", why[j.RemoteID])
		}
	})
}

// What a service does not know stays so, and does not count as completed, when it is fetched.
func TestAForgottenJobIsNotCompletedByFetching(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.job = refusing(failing(api.ClassNotFound, 404, 0), always)
		j := w.ended(t, accepted(t, w).ID)
		noError(t, w.Fetch(t.Context(), j.ID))
		again := w.ended(t, j.ID)
		expect.That(t, j.Error.Is(whyForgotten) && again.Error == j.Error && again.Phase == j.Phase && again.ErrClass == j.ErrClass, j.Row, "became", again.Row)
	})
}

// What a full disk did not take of an answer is the job's failure, and is asked for again when it is fetched.
func TestAnAnswerWithoutRoom(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		full := answer(api.StatusSucceeded, "COMPLETED")
		full.Left = api.Sentence("the file could not be written: %v").Reason(syscall.ENOSPC)
		f.job = func(string, int) (api.JobAnswer, error) { return full, nil }
		j := w.ended(t, accepted(t, w).ID)
		expect.That(t, j.Phase == api.PhaseFailed && j.Completed && strings.Contains(j.Error.String(), "no space left on device. Fetch it again"),
			j.Phase, j.Error, "completed", j.Completed)
		f.job = done
		noError(t, w.Fetch(t.Context(), j.ID))
		j = w.ended(t, j.ID)
		expect.That(t, j.Phase == api.PhaseDone && len(j.Files) == 1 && j.Error.IsZero(), "with room", j.Phase, j.Error)
		for _, f.job = range []func(string, int) (api.JobAnswer, error){ // of the answer to a create
			refusing(failing(api.ClassNotFound, 404, 0), always),
			func(string, int) (api.JobAnswer, error) { return answer(api.StatusSucceeded, "COMPLETED"), nil },
		} {
			j := w.ended(t, accepted(t, w, full.Left).ID)
			expect.That(t, j.Phase == api.PhaseFailed && j.Error == full.Left, j.Phase, j.Error)
		}
	})
}

// Downloads that hardly come give up their places: two of them do not hold up the
// others, and are tried again as often as any.
func TestSlowDownloadsAreNotInTheWay(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.job = func(id string, n int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", fmt.Sprintf("https://cdn.test/%s.png?%d", id, n)), nil
		}
		tries := map[string]int{}
		f.fetcher.fail = func(w media.Want, _ int) error {
			if !strings.Contains(w.Result.URL, "/r1.png") && !strings.Contains(w.Result.URL, "/r2.png") {
				return unless(!strings.HasSuffix(w.Result.URL, "?1"), media.ErrExpired) // the second address works
			}
			locked(&f.fetcher.mu, func() { tries[w.Result.URL]++ })
			time.Sleep(30 * time.Second)
			return &media.Error{Fault: api.ReasonText.Fault(media.ErrSlow, "hardly anything came")}
		}
		a, b := accepted(t, w), accepted(t, w)
		time.Sleep(20 * time.Second) // both are being downloaded
		began := time.Now()
		for range 4 {
			expect.Equal(t, w.ended(t, accepted(t, w).ID).Phase, api.PhaseDone, "a quick one is")
		}
		// A first poll takes 12 s at most, and both places are taken for 30 s.
		took := time.Since(began)
		expect.That(t, took <= 4*12*time.Second+30*time.Second, "four quick downloads took", took)
		for _, j := range []store.Job{a, b} {
			j = w.ended(t, j.ID)
			expect.That(t, j.Phase == api.PhaseFailed && strings.Contains(j.Error.String(), "hardly anything"), "a slow one is", j.Phase, j.Error)
		}
		for address, n := range tries {
			expect.Equal(t, n, 4, address, "tries")
		}
		synctest.Wait()
		expect.Equal(t, len(w.work.jobs), 0, "jobs that have ended and are remembered", w.work.jobs)
	})
}

// TestPlaces are those of polls and downloads: one deed for a job, four polls, two
// downloads that are not slow for certain, one that was too slow, and six that crawl.
func TestPlaces(t *testing.T) {
	t.Parallel()
	w := work{jobs: map[string]*jobWork{"s1": {slow: 1}, "s2": {slow: 1}}}
	for i, step := range strings.Fields(`poll:a:true poll:a:false fetch:a:false end:a poll:a:true poll:b:true poll:c:true poll:d:true poll:e:false
		end:a poll:e:true fetch:s1:true fetch:s2:false hand:s2:true end:s2 fetch:f:true fetch:g:false hand:g:true fetch:h:false
		crawl:f:true fetch:h:false crawl:g:true fetch:h:true fetch:i:false crawl:f:true crawl:s1:true fetch:s2:true end:s2 crawl:h:true
		crawl:j:true crawl:k:true crawl:l:false crawl:k:true end:k crawl:l:true fetch:i:true fetch:m:true fetch:n:false
		end:a end:b end:c end:d end:e end:f end:g end:h end:i end:j end:l end:m end:s1`) {
		did, word := map[string]func(id string) bool{"poll": w.begin, "crawl": w.crawl, "end": func(id string) bool { w.end(id); return true },
			"fetch": func(id string) bool { return w.beginFetch(id, true) }, "hand": func(id string) bool { return w.beginFetch(id, false) }}, strings.Split(step+":true", ":")
		expect.Equal(t, fmt.Sprint(did[word[0]](word[1])), word[2], "step", i, step)
	}
	expect.That(t, len(w.jobs) == 2 && *w.jobs["s1"] == (jobWork{slow: 1}), "in the end it remembers", w.jobs)
}

// The wait for a window that does not go on has a limit: the job says until when,
// and the file is then taken over, once.
func TestDownloadIsTakenOver(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.job = done
		var began, over time.Time
		f.fetcher.fail = func(w media.Want, n int) error {
			if n == 1 {
				began = time.Now()
			}
			if w.TakeOver {
				over = time.Now()
			}
			return unless(w.TakeOver, media.ErrBusy)
		}
		j := accepted(t, w)
		time.Sleep(time.Minute)
		now := must(w.file.Job(t.Context(), j.ID))(t)
		expect.That(t, now.Phase == api.PhaseFetching && strings.Contains(now.Error.String(), began.Add(5*time.Minute).Format("15:04:05")), now.Row, began)
		locked(&f.mu, func() { // the second says for what it waits
			expect.List(t, f.told[j.ID], []api.Phase{api.PhaseFetching, api.PhaseFetching}, "told")
		})
		j = w.ended(t, j.ID)
		expect.All(t, "done  5m0s", j.Phase, j.Error, over.Sub(began).Round(time.Second))
		for i, at := range f.fetcher.at[1:] { // it looks every 8 s, with jitter, and at the end
			wait := at.Sub(f.fetcher.at[i]).Seconds()
			expect.That(t, wait <= 1.2*8+0.1 && (wait >= 0.8*8 || i >= len(f.fetcher.at)-4), "it looked again after", wait, "s")
		}
		synctest.Wait()
		// The result, that it waits, that it goes on, the file and the end.
		expect.List(t, f.told[j.ID], append(slices.Repeat([]api.Phase{api.PhaseFetching}, 4), api.PhaseDone), "told")
	})
}

// A clock that is set back does not begin a download anew.
func TestADownloadGoesOnWhenTheClockIsSetBack(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.job = done
		f.fetcher.fail = func(media.Want, int) error { time.Sleep(3 * time.Minute); return nil }
		j := accepted(t, w)
		time.Sleep(time.Minute)
		f.setClock(-time.Hour)
		w.Wake()
		j = w.ended(t, j.ID)
		expect.All(t, "done 1", j.Phase, len(f.fetcher.at))
	})
}

// Among downloads that are due the one whose link expires first goes first; links
// of which that is not known come last.
func TestExpiringLinksGoFirst(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		expiries := map[string]time.Duration{"r4": 3 * time.Hour, "r5": 2 * time.Hour, "r6": time.Hour}
		f.job = func(id string, _ int) (api.JobAnswer, error) {
			a := answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/"+id)
			if d := expiries[id]; d > 0 {
				a.Results[0].ExpiresAt = time.Now().Add(d)
			}
			return a, nil
		}
		free := make(chan struct{})
		var order []string
		f.fetcher.fail = func(w media.Want, n int) error {
			if n <= 2 { // the places are taken until all others are due
				<-free
				return nil
			}
			locked(&f.fetcher.mu, func() { order = append(order, strings.TrimPrefix(w.Result.URL, "https://cdn.test/")) })
			time.Sleep(time.Second)
			return nil
		}
		var jobs []store.Job
		for range 2 {
			jobs = append(jobs, accepted(t, w))
		}
		time.Sleep(20 * time.Second)
		for range 4 {
			jobs = append(jobs, accepted(t, w))
			time.Sleep(20 * time.Second)
		}
		close(free)
		for _, j := range jobs {
			w.ended(t, j.ID)
		}
		first := order[:2] // in any order: they begin at the same time
		slices.Sort(first)
		expect.Equal(t, strings.Join(first, " "), "r5 r6", "downloaded first")
	})
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

// results are those at addresses, of which https://a/ may be left out.
func results(addresses string) (list []api.Result) {
	for word := range strings.FieldsSeq(addresses) {
		switch {
		case word == "-":
			word = ""
		case strings.HasPrefix(word, "//"):
			word = "https:" + word
		default:
			word = "https://a/" + word
		}
		list = append(list, api.Result{URL: word})
	}
	return list
}

// written are results as they are given to results.
func written(list []api.Result) string {
	word := func(r api.Result) string {
		return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(r.URL, "https://a/"), "https:"), "-")
	}
	return strings.Join(api.Map(list, word), " ")
}

// TestAddressesAreRecognized: refreshed keeps the numbers of results, and relinked takes
// what is certain alone. The files of the others may be of another result.
func TestAddressesAreRecognized(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ known, fresh, refreshed, relinked, links, unproven string }{
		"first answer":       {"", "1", "1", "", "", ""},
		"another order":      {"1?s=1 2?s=2", "2?s=3 1?s=4", "1?s=4 2?s=3", "1?s=4 2?s=3", "1 2", ""},
		"another host":       {"1 2", "//b/2 //b/1", "//b/1 //b/2", "//b/1 //b/2", "1 2", ""},
		"one path":           {"f?id=1&s=1 f?id=2&s=2", "f?id=2&s=3 f?id=1&s=4", "f?id=1&s=4 f?id=2&s=3", "f?id=1&s=4 f?id=2&s=3", "1 2", ""},
		"one is missing":     {"1 2 3", "3?n 1?n", "1?n 2 3?n", "1?n 2 3?n", "1 3", ""},
		"one more":           {"1 2", "0 2?n 1?n", "1?n 2?n 0", "1?n 2?n", "1 2", ""},
		"one is not told":    {"x/1 2", "2?n y/1", "y/1 2?n", "x/1 2?n", "2", "1"},
		"one in all":         {"x/1", "y/1", "y/1", "y/1", "1", "1"},
		"one of two alike":   {"1?a=1&b=2 1?a=1", "1?a=1&b=2&s=9", "1?a=1&b=2&s=9 1?a=1", "1?a=1&b=2&s=9 1?a=1", "1", ""},
		"no address of them": {"- -", "1 2", "1 2", "- -", "", "1 2"},
		"without address":    {"1", "-", "-", "1", "", "1"},
		"none":               {"1", "", "", "1", "", ""},
	} {
		known, fresh := results(row.known), results(row.fresh)
		list, links := relinked(known, fresh)
		var numbers []string
		for n := range list {
			if link, ok := links[n+1]; ok {
				numbers = append(numbers, fmt.Sprint(n+1))
				expect.That(t, link == list[n].URL, name, n+1, "leads to", link, "not to", list[n].URL)
			}
		}
		have := map[int]store.File{}
		for i, r := range known {
			have[i+1] = store.File{URL: r.URL, SHA256: fmt.Sprint(i + 1)}
		}
		d := &download{job: store.Job{Results: refreshed(known, fresh)}, have: have}
		open := slices.Sorted(maps.Values(d.others(0)))
		got := [4]string{written(refreshed(known, fresh)), written(list), strings.Join(numbers, " "), strings.Trim(fmt.Sprint(open), "[]")}
		expect.Equal(t, got, [4]string{row.refreshed, row.relinked, row.links, row.unproven}, name)
	}
}

// TestFreshLinksOfACompletedJob are asked for once and kept, with those of its files.
func TestFreshLinksOfACompletedJob(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, a *window) {
		f.job = func(_ string, n int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", fmt.Sprintf("https://cdn.test/1.png?s=%d", n)), nil
		}
		j := a.ended(t, accepted(t, a).ID)
		before, phase := f.total(), j.Phase
		noError(t, expect.Err(a.FreshLinks(t.Context(), j.ID)))
		fresh := fmt.Sprintf("https://cdn.test/1.png?s=%d", before+1)
		j = must(a.file.Job(t.Context(), j.ID))(t)
		synctest.Wait()
		expect.All(t, "1 4 done done", f.total()-before, len(f.told[j.ID]), phase, j.Phase)
		expect.That(t, j.Results[0].URL == fresh && j.Files[0].URL == fresh, "results", j.Results, "files", j.Files)
		for n, wait := range []time.Duration{0, 1400 * time.Millisecond, 1100 * time.Millisecond, 0} { // by hand, and not too often
			time.Sleep(wait)
			noError(t, a.Refresh(t.Context(), j.ID))
			expect.Equal(t, f.total()-before, 2+n/2, "polls after refresh", n)
		}
		f.job = func(string, int) (api.JobAnswer, error) { // it is fetched again meanwhile
			noError(t, a.file.Refetch(t.Context(), j.ID, time.Now().Add(time.Hour)))
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png?late"), nil
		}
		now := must(a.FreshLinks(t.Context(), j.ID))(t)
		expect.That(t, now.Phase == api.PhaseFetching && !strings.Contains(now.Results[0].URL, "late"), "meanwhile", now.Phase, now.Results)
		noError(t, a.file.Refetch(t.Context(), j.ID, time.Now()))
		a.Wake()
		a.ended(t, j.ID)
		before++
		refused := &api.Error{Class: api.ClassNotFound, Status: 404}
		f.job = func(string, int) (api.JobAnswer, error) { return api.JobAnswer{}, refused }
		expect.Is(t, expect.Err(a.FreshLinks(t.Context(), j.ID)), refused)
		expect.Equal(t, f.total()-before, 4, "polls")
		time.Sleep(2 * time.Second)
		expect.Is(t, a.Refresh(t.Context(), j.ID), refused, "refreshed")
		again := must(a.file.Job(t.Context(), j.ID))(t)
		expect.That(t, again.Phase == phase && again.Files[0].URL == fresh, "after a refusal", again)
		time.Sleep(2 * time.Second)
		refused = &api.Error{Class: api.ClassRate, Status: 429, RetryAfter: time.Minute}
		expect.Is(t, expect.Err(a.FreshLinks(t.Context(), j.ID)), refused)
		expect.That(t, !a.remote.Health().Trouble.IsZero(), "asked for a rest", a.remote.Health())
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
			inWindow(t, func(t *testing.T, f *fakeService, w *window) {
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
				j := w.ended(t, accepted(t, w).ID)
				expect.Must(t, j.Phase == api.PhaseDone && polls >= 2, j.Phase, j.Error, "after", polls, "polls")
				saved := api.Map(j.Files, func(f store.File) string { return string(must(os.ReadFile(f.Path))(t)) })
				slices.Sort(saved)
				expect.List(t, saved, []string{"picture a", "picture b", "picture c"}, "saved")
				for i, r := range j.Results {
					text, _ := os.ReadFile(j.Files[i].Path)
					expect.That(t, f.fetcher.content(r.URL) == string(text), "file", i+1, "is", string(text), "its result", r.URL)
				}
			})
		})
	}
}
