//go:build linux

package blackbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// halfTyped leaves an address unfinished: it comes back as a material, as when its
// line is left.
const halfTyped = backTab + materials + "https"

// draftKeys are keys of a person who writes a prompt and arranges its materials;
// each changes the draft. A text is what the screen shows after it.
var draftKeys = []struct{ name, keys, shows string }{
	{"a letter", "a", "┃ a"},
	{"a letter more", "b", "┃ ab"},
	{"a space", " ", ""},
	{"a Chinese character", "船", "ab 船"},
	{"backspace", "\x7f", "┃ ab"},
	{"undo", "\x1bz", "ab 船"},
	{"redo", "\x1by", "┃ ab"},
	{"a paste", pasted("boat\nin the rain "), "in the rain"},
	{"a size", "<tab><tab><right>", "‹ 2K ›"},
	{"the other kind, with the prompt", video, "Mode"},
	{"a letter in the video's prompt", "c", "in the rain c"},
	{"a material", materials + pasted(at("1.png")), "图片1       ▩ 1.png"},
	{"three materials more", pasted(at("2.png") + "\n" + at("3.png") + "\n" + at("drops.mp3")), "音频1       ♪ drops.mp3"},
	{"a token", backTab + backTab + "@<enter>", "【@图片1】"},
	{"a token of the sound", "@<down><down><down><enter>", "【@音频1】"},
	{"a material moved", materials + "<up><up>" + altUp, "图片2       ▩ 3.png"},
	{"moved again, past the one of the token", altUp, "图片1       ▩ 3.png"},
	{"the move undone", "\x1bz", "图片2       ▩ 3.png"},
	{"the move made again", "\x1by", "图片1       ▩ 3.png"},
	{"a kind swapped", "<left>", "single image 1/1"},
	{"swapped back", "<right>", "图片 3/9"},
	{"a material removed", "\x7f", "图片 2/9"},
	{"the removal undone", "\x1bz", "图片 3/9"},
	{"half an address", halfTyped, "https"},
	{"the line emptied", strings.Repeat("\x7f", len("https")), "add an address"},
	{"a tier", "<tab><tab><left>", "‹ standard_vip ›"},
	{"a duration", "<tab><tab>10", "Duration    10 "},
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
			s := h.open(120, 40)
			s.waitFor("Prompt", "lumen/still-1")
			var pressed time.Time
			for _, k := range draftKeys[:last+1] {
				pressed = time.Now()
				s.keys(k.keys)
				s.waitFor(k.shows)
			}
			took := awaitDraft(t, s, h, pressed).Sub(pressed)
			mu.Lock()
			slowest = max(slowest, took)
			mu.Unlock()
			want := draftForm(s.text())
			s.kill()
			s = h.open(120, 40)
			s.waitUntil("the draft is there again", func(screen string) bool {
				form := draftForm(screen)
				return form == want || draftKeys[last].keys == halfTyped && strings.Contains(form, "图片4       ▩ https")
			})
		})
	}
}

// draftForm is what the form on the screen says, without what depends on which
// field has the keys.
func draftForm(screen string) string {
	var out []string
	for _, line := range strings.Split(screen, "\n")[1:] {
		if strings.HasPrefix(line, "╭─ Recent") {
			break
		}
		line, _, _ = strings.Cut(line, "││")
		out = append(out, strings.TrimSpace(strings.Map(func(r rune) rune {
			if strings.ContainsRune("┃│▸", r) {
				return ' '
			}
			return r
		}, line)))
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
	db := openStore(t, h.storePath())
	defer db.Close()
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
