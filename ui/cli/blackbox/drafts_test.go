//go:build linux

package blackbox

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestSettingsWithoutADisk: the settings file stays as it was when a new
// address cannot be written to it, and takes it once it can.
func TestSettingsWithoutADisk(t *testing.T) {
	t.Parallel()
	t.Run("full", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, "")
		disk := filepath.Join(h.dir, "config")
		smallDisk(t, disk, 64)
		settingsCannotBeSaved(t, h, "no space left", func() (back func()) {
			must(t, fill(disk))
			return func() { must(t, empty(disk)) }
		})
	})
	t.Run("read-only", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, "")
		settingsCannotBeSaved(t, h, "read-only file system", func() (back func()) { return readOnly(t, filepath.Join(h.dir, "config")) })
	})
}

func settingsCannotBeSaved(t *testing.T, h *home, says string, turn func() (back func())) {
	t.Helper()
	service := startService(t, simtest.Options{})
	h = h.with("DARKROOM_API_KEY", "")
	const before = "# mine\nbudget = 500\n"
	h.configure(before)
	back := turn()
	s := h.open(110, 34)
	s.waitFor("Service")
	s.keysTo(service.URL()+"<enter>", "▸ Key")
	s.keys(testKey + "<enter>")
	s.waitUntil("the settings file is said to be "+says, func(screen string) bool {
		plain := strings.NewReplacer("▎", "", " ", "", "\n", "").Replace(screen) // wherever the lines break
		return strings.Contains(plain, "✕Thesettingsfile") && strings.Contains(plain, strings.ReplaceAll(says, " ", ""))
	})
	expect.Equal(t, string(simtest.Must(os.ReadFile(h.configFile()))(t)), before, "the settings file was changed")
	back()
	s.keysTo("<enter>", "The key works")
	s.quit()
	now := string(simtest.Must(os.ReadFile(h.configFile()))(t))
	expect.Contains(t, now, before, "the settings file after there was room")
	expect.Contains(t, now, service.URL(), "the settings file after there was room")
}

// TestDraftsWithoutADisk: typing goes on when drafts cannot be saved, it is
// said, what was saved before stays, and all of it is saved once it can be.
func TestDraftsWithoutADisk(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("then much more of it ", 150)
	for name, c := range map[string]struct {
		says string
		turn func(t *testing.T, s *terminal, disk string) (back func())
	}{
		"full": {"disk is full", func(t *testing.T, _ *terminal, disk string) func() {
			must(t, fill(disk))
			return func() { must(t, empty(disk)) }
		}},
		"read-only": {"he disk refused the store", func(t *testing.T, s *terminal, disk string) func() {
			needPrograms(t, "strace")
			store := filepath.Join(disk, "darkroom", "darkroom.db")
			back, err := refuseWrites(t, s.cmd.Process.Pid, "EROFS", store, store+"-wal")
			if err != nil {
				forbidden(t, "ptrace", err)
			}
			return back
		}},
	} {
		t.Run(name, func(t *testing.T) {
			service, h, disk := diskHome(t, simtest.Options{})
			s := h.open(110, 34)
			s.t = t
			s.waitFor("/ 5,000")
			s.keys("the first words ")
			waitForBytes(t, disk, "the first words")
			back := c.turn(t, s, disk)
			s.keysTo(long, c.says)
			again := h.open(110, 34) // another window has what was saved
			again.t = t
			again.waitFor("the first words")
			again.kill()
			back()
			s.keys("END")
			waitForBytes(t, disk, "more of it END")
			s.quits()
			last := h.open(110, 34)
			last.t = t
			last.waitFor("more of it END")
			expect.Equal(t, len(service.Ledger()), 0, "jobs were accepted")
		})
	}
}

// waitForBytes waits until some file under a folder holds the text.
func waitForBytes(t *testing.T, dir, text string) {
	t.Helper()
	await(t, text+" is saved", func() bool { return len(searchTree(t, dir, []keyForm{{"text", []byte(text)}}).found) > 0 })
}

// halfTyped leaves an address unfinished: it comes back as a material, as when its
// line is left.
const halfTyped = backTab + materials + "https"

// draftKeys are keys of a person who writes a prompt and arranges its materials;
// each changes the draft. A text is what the screen shows after it.
var draftKeys = []struct{ name, keys, shows string }{
	{"a letter", "a", "▎ a"},
	{"a letter more", "b", "▎ ab"},
	{"a space", " ", ""},
	{"a Chinese character", "船", "ab 船"},
	{"backspace", "\x7f", "▎ ab"},
	{"undo", "\x1bz", "ab 船"},
	{"redo", "\x1by", "▎ ab"},
	{"a paste", pasted("boat\nin the rain "), "in the rain"},
	{"a size", "<tab><tab><right>", "‹ 2K ›"},
	{"the other kind, with the prompt", video, "Mode"},
	{"a letter in the video's prompt", "c", "in the rain c"},
	{"a material", materials + pasted(at("1.png")), "图片1         ▩ 1.png"},
	{"three materials more", pasted(at("2.png") + "\n" + at("3.png") + "\n" + at("drops.mp3")), "音频1         ♪ drops.mp3"},
	{"a token", backTab + backTab + "@<enter>", "【@图片1】"},
	{"a token of the sound", "@<down><down><down><enter>", "【@音频1】"},
	{"a material moved", materials + "<up><up>" + altUp, "图片2         ▩ 3.png"},
	{"moved again, past the one of the token", altUp, "图片1         ▩ 3.png"},
	{"the move undone", "\x1bz", "图片2         ▩ 3.png"},
	{"the move made again", "\x1by", "图片1         ▩ 3.png"},
	{"a kind swapped", "<left>", "single image 1/1"},
	{"swapped back", "<right>", "Images 3/9"},
	{"a material removed", "\x7f", "Images 2/9"},
	{"the removal undone", "\x1bz", "Images 3/9"},
	{"half an address", halfTyped, "https"},
	{"the line emptied", strings.Repeat("\x7f", len("https")), "add a URL"},
	{"a tier", "<tab><tab><left>", "‹ standard_vip ›"},
	{"a duration", "<tab><tab>10", "Duration      10"},
	{"a letter after all", strings.Repeat(backTab, 6) + "z", "】z"},
	{"back to the image", video, "‹ 2K ›"},
	{"a letter in the image's prompt", "d", "in the rain d"},
}

// TestADraftOutlivesAKill types draftKeys up to each of them, or up
// to some in the quick form, kills the program when the draft is saved, and sees the
// form as it was.
func TestADraftOutlivesAKill(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	seed := uint64(time.Now().UnixNano())
	places := rand.New(rand.NewPCG(seed, 1)).Perm(len(draftKeys))[:times(4, len(draftKeys))]
	slices.Sort(places)
	t.Logf("seed %d: killed after the keys %v", seed, places)
	var mu sync.Mutex
	var slowest time.Duration
	t.Cleanup(func() { t.Logf("a key was saved after at most %v", slowest) })
	for _, last := range places {
		t.Run(fmt.Sprintf("%d %s", last, draftKeys[last].name), func(t *testing.T) {
			t.Parallel()
			h := newHome(t, service.URL())
			s := h.screens(120, 40, "lumen/still-1")
			var pressed time.Time
			for _, k := range draftKeys[:last+1] {
				pressed = time.Now()
				s.keysTo(k.keys, k.shows)
			}
			took := awaitDraft(t, s, h, pressed).Sub(pressed)
			simtest.Locked(&mu, func() { slowest = max(slowest, took) })
			want := draftForm(s.text())
			s.kill()
			s = h.open(120, 40)
			s.waitUntil("the draft is there again", func(screen string) bool {
				form := draftForm(screen)
				return form == want || draftKeys[last].keys == halfTyped && strings.Contains(form, "图片4 ▩ https")
			})
		})
	}
}

// draftForm is what the form on the screen says, without what depends on which
// field has the keys.
func draftForm(screen string) string {
	var out []string
	for _, line := range strings.Split(screen, "\n")[1:] {
		if strings.HasPrefix(strings.TrimSpace(line), "▀▀▀▀") { // the edge of the form
			break
		}
		line = ansi.Truncate(line, 74, "") // what follows is the price
		line = strings.NewReplacer("▎", " ", "▸", " ", "‹", " ", "›", " ").Replace(line)
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(out, "\n")
}

// draftPause is longer than the pause of the keys after which a draft is saved.
const draftPause = 1500 * time.Millisecond

// awaitDraft waits until a draft was saved after a moment and is not saved again,
// as that one may be without the last of several keys, and says when that was: on a
// busy machine the second in which it happens may be longer.
func awaitDraft(t *testing.T, s *terminal, h *home, after time.Time) time.Time {
	t.Helper()
	db := h.store()
	var at, before int64
	var seen time.Time // when this one was first there
	s.waitUntil("the draft is saved", func(string) bool {
		must(t, db.QueryRow(`SELECT coalesce(max(at), 0) FROM drafts`).Scan(&at))
		if at != before {
			before, seen = at, time.Now()
		}
		return at >= after.UnixMilli() && time.Since(seen) > draftPause
	})
	return time.UnixMilli(at)
}

// TestCullingOutlivesAKill rates results in the gallery by one key each, undoes the
// last five by keys, and kills the program: what was rated before stays. There are
// 100 in the long form.
func TestCullingOutlivesAKill(t *testing.T) {
	results := times(15, 100)
	_, h := begin(t, simtest.Options{LongSide: 16})
	h.configure("variations_limit = 1000")
	var words []string
	for n := range results {
		words = append(words, fmt.Sprintf("boat%03d", n))
	}
	h.run("image", "{"+strings.Join(words, "|")+"}", "--expand", "--yes", "--quiet").wantCode(t, 0)

	keys := []string{"f", "x", "5", "3", "1"}
	columns := []string{"1 0", "-1 0", "0 5", "0 3", "0 1"}
	db := h.store()
	rated := func() (all []string) {
		rows := simtest.Must(db.Query(`SELECT pick || ' ' || stars FROM jobs WHERE pick <> 0 OR stars <> 0 ORDER BY seq DESC`))(t)
		defer rows.Close()
		for rows.Next() {
			var one string
			must(t, rows.Scan(&one))
			all = append(all, one)
		}
		return all
	}
	s := h.screens(120, 40)
	s.keysTo("<alt+2>", words[results-1]) // the newest one
	s.keysTo("g", "Gallery")
	s.keys("") // the screen changed by itself
	for n := range results {
		s.write(keys[n%len(keys)])
	}
	s.waitUntil("all are rated", func(string) bool { return len(rated()) == results })
	s.write(strings.Repeat("U", 5))
	s.waitUntil("five are undone", func(string) bool { return len(rated()) == results-5 })
	s.kill()
	picked := document[struct{ Jobs []job }](t, h.run("jobs", "--filter", "is:picked", "--json").wantCode(t, 0)).Jobs
	expect.Equal(t, len(picked), results/len(keys)-1, "favourites")
	for n, got := range rated() {
		expect.Equal(t, got, columns[n%len(columns)], "result", n, "has")
	}
	t.Logf("%d results by %d keys, 5 undone, %d kept", results, results, len(rated()))
}
