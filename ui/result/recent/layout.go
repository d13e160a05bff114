package recent

import (
	"math"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	leastCard = 16 // columns of a picture, so that its caption can be read
	mostCard  = 40
)

// stripInner is the room for cards: a card's frame, its picture and its caption
// below each other.
func (r *Recent) stripInner() (w, h int) {
	return widget.Pane{Width: r.strip.W, Height: r.strip.H}.Inner()
}

// natural is the room that a card's picture wants.
func (r *Recent) natural(n int) (cols, rows int) {
	w, h := r.stripInner()
	rows = max(h-3, 1)
	cols = int(math.Round(r.cards[n].ratio * 2 * float64(rows)))
	return min(max(cols, leastCard), mostCard, max(w-2, 1)), rows
}

// cardRoom is the room for the picture of a card: the last one in view has what
// the others leave.
func (r *Recent) cardRoom(n int) (cols, rows int) {
	left, _ := r.stripInner()
	for i := r.top; i < n; i++ {
		cols, _ = r.natural(i)
		left -= cols + 2
	}
	if cols, rows = r.natural(n); left-2 >= leastCard {
		cols = min(cols, left-2)
	}
	return cols, rows
}

// gap is what stands before a card besides the frames: where cards go on beyond
// those in view, these are spread over the whole strip.
func (r *Recent) gap(n int) int {
	const most = 8
	from, to := r.window()
	if n == from || from == 0 && to == len(r.cards) {
		return 0
	}
	left, _ := r.stripInner()
	for i := from; i < to; i++ {
		cols, _ := r.cardRoom(i)
		left -= cols + 2
	}
	gaps := to - from - 1
	left = min(left, most*gaps)
	return left*(n-from)/gaps - left*(n-from-1)/gaps
}

// bigRoom is the room for the large picture, above two lines of facts.
func (r *Recent) bigRoom() (cols, rows int) {
	w, h := widget.Pane{Width: r.large.W, Height: r.large.H}.Inner()
	return w, max(h-3, 1)
}

// window are the cards in view, from the first up to but not including the
// second.
func (r *Recent) window() (from, to int) {
	if len(r.cards) == 0 {
		return 0, 0
	}
	from = min(r.top, len(r.cards)-1)
	return from, r.fits(from)
}

// fits is the end of the cards that fit when from is the first.
func (r *Recent) fits(from int) int {
	if r.badges() {
		return min(from+r.badgeCount(), len(r.cards))
	}
	left, _ := r.stripInner()
	n := from
	for ; n < len(r.cards); n++ {
		cols, _ := r.natural(n)
		if cols+2 > left {
			break
		}
		left -= cols + 2
	}
	if left >= leastCard+2 {
		n++ // the next one as small as need be
	}
	return min(max(n, from+1), len(r.cards))
}

// reveal brings the chosen card into view with as little movement as possible.
func (r *Recent) reveal() {
	if len(r.cards) == 0 {
		r.top = 0
		return
	}
	at := r.at()
	r.top = max(min(r.top, at), 0)
	for r.top < at && r.fits(r.top) <= at {
		r.top++
	}
}

// Click chooses the card at a position in the strip. It reports whether there is
// one, and whether it was chosen before.
func (r *Recent) Click(x, y int) (cmd tea.Cmd, hit, again bool) {
	n, ok := r.cardAt(x, y)
	if !ok {
		return nil, false, false
	}
	again = r.focused && r.cards[n].job.ID == r.chosen
	return r.choose(n), true, again
}

// cardAt is the card at a position in the strip.
func (r *Recent) cardAt(x, y int) (n int, ok bool) {
	from, to := r.window()
	if r.badges() {
		n = from + (x-badgesAt)/r.badgeWidth()
		return n, x >= badgesAt && n < to
	}
	left := 2
	for n = from; n < to && y > 0 && y < r.strip.H-1; n++ {
		cols, _ := r.cardRoom(n)
		left += r.gap(n)
		if x >= left && x < left+cols+2 {
			return n, true
		}
		left += cols + 2
	}
	return 0, false
}

// leastAside is the room from which something stands behind the last card.
const leastAside = 36

// aside is what stands behind the last of few cards, in w×h cells: what the
// chosen result is, unless it stands large, and what can be done with it.
func (r *Recent) aside(w, h int) []string {
	k, t := r.k, r.k.Theme
	j := &r.cards[r.at()].job
	lines := []string{""}
	if r.large.W == 0 {
		phase, facts := r.facts(j)
		lines = append(lines, phase)
		for _, l := range widget.Wrap(facts, w) {
			lines = append(lines, t.Text.Paint(l))
		}
		lines = append(lines, theme.Cut(r.timeLine(j), w), "")
	}
	keys, labels := t.Key, t.Muted
	key := func(key, label string) {
		if len(lines) < h-1 {
			lines = append(lines, theme.Cut(keys.Paint(theme.Fit(key, 8))+labels.Paint(k.Say(label)), w))
		}
	}
	if !r.focused { // the verbs' keys are for the form still
		key(k.Key("results", "alt+r"), "results")
		keys, labels = t.Faint, t.Faint
	}
	verbs := r.verbs.Actions()
	for i := range verbs {
		if a := &verbs[i]; a.Ready() && (a.Offer == nil || a.Offer()) && a.KeyText() != "" {
			key(k.Key(a.Name, a.KeyText()), a.Label)
		}
	}
	return lines
}
