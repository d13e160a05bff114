//go:build linux

package blackbox

import (
	"testing"
	"time"

	"darkroom/api/sim"
)

// TestADraftOutlivesAKill: whatever key came last, the draft of a second ago is
// there again, with its materials and with what stood in the line of one.
func TestADraftOutlivesAKill(t *testing.T) {
	t.Parallel()
	service := startService(t, sim.Options{})
	steps := []struct {
		name string
		keys []string
		want []string
	}{
		{"in a word", []string{"a paper bo"}, []string{"a paper bo"}},
		{"while typing goes on", []string{"one ", "two ", "three ", "four ", "five "}, []string{"one two three four five"}},
		{"after a paste of materials", []string{video, "a boat", materials, pasted(at("1.png") + "\n" + at("drops.mp3"))}, []string{"1.png · in.example.com", "drops.mp3 · in.example.com"}},
		{"in the line of a material", []string{video, "a boat", materials, at("half.p")}, []string{"half.p"}},
		{"after a material was moved", []string{video, "【@图片1】", materials, pasted(at("1.png") + "\n" + at("2.png")), "<up>", altUp}, []string{"【@图片2】", "图片1  ▩ 2.png"}},
		{"after a removal was undone", []string{video, "【@图片1】", materials, pasted(at("1.png")), "<up>", "\x7f", "\x1bz"}, []string{"【@图片1】", "图片1  ▩ 1.png"}},
		{"after a choice", []string{video, "a boat", "<tab><tab><tab><tab>", "<left>"}, []string{"‹ standard_vip ›"}},
	}
	for _, c := range steps {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, service.URL())
			s := h.open(120, 40)
			s.waitFor("Prompt", "lumen/still-1")
			var last time.Time
			for _, keys := range c.keys {
				last = time.Now()
				s.write(keys)
				time.Sleep(200 * time.Millisecond)
			}
			s.waitFor(c.want...)
			time.Sleep(time.Second)
			awaitDraft(t, s, h, last)
			s.kill()
			s = h.open(120, 40)
			s.waitFor(c.want...)
		})
	}
	t.Logf("killed at %d places", len(steps))
}

// awaitDraft waits until a draft was saved after a moment: on a busy machine the
// second in which it happens may be longer.
func awaitDraft(t *testing.T, s *terminal, h *home, after time.Time) {
	t.Helper()
	db := openStore(t, h.storePath())
	defer db.Close()
	s.waitUntil("the draft is saved", func(string) bool {
		var at int64
		must(t, db.QueryRow(`SELECT coalesce(max(at), 0) FROM drafts`).Scan(&at))
		return at >= after.UnixMilli()
	})
}
