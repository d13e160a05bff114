package recent

import (
	"math"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/widget"
)

const (
	leastCard = 16 // columns of a picture, so that its caption can be read
	mostCard  = 40
)

// ratioOf is width by height of what a request makes, as far as it says.
func ratioOf(r api.Request) float64 {
	for _, s := range []string{r.AspectRatio, r.Size} {
		for _, sep := range []string{":", "x", "×"} {
			a, b, ok := strings.Cut(s, sep)
			x, err1 := strconv.ParseFloat(a, 64)
			y, err2 := strconv.ParseFloat(b, 64)
			if ok && err1 == nil && err2 == nil && x > 0 && y > 0 {
				return min(max(x/y, 0.25), 4)
			}
		}
	}
	if r.Kind == api.KindVideo {
		return 16.0 / 9
	}
	return 1
}

// fitRatio is the largest box of a ratio in an area of cells, which are twice
// as high as wide.
func fitRatio(ratio float64, cols, rows int) (c, r int) {
	c, r = cols, int(math.Round(float64(cols)/ratio/2))
	if r > rows {
		c, r = int(math.Round(float64(rows)*ratio*2)), rows
	}
	return max(min(c, cols), 1), max(min(r, rows), 1)
}

// stripInner is the room for cards: a card's frame, its picture and its caption
// below each other.
func (r *Recent) stripInner() (w, h int) {
	return widget.Pane{Width: r.strip.W, Height: r.strip.H}.Inner()
}

// cardRoom is the room for the picture of a card.
func (r *Recent) cardRoom(n int) (cols, rows int) {
	w, h := r.stripInner()
	rows = max(h-3, 1)
	cols = int(math.Round(ratioOf(r.cards[n].job.Request) * 2 * float64(rows)))
	return min(max(cols, leastCard), mostCard, max(w-2, 1)), rows
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
	w, _ := r.stripInner()
	n := from
	for x := 0; n < len(r.cards); n++ {
		cols, _ := r.cardRoom(n)
		if x += cols + 2; x > w {
			break
		}
	}
	return max(n, min(from+1, len(r.cards)))
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
		n = from + (x-badgesAt)/badgeWidth
		return n, x >= badgesAt && n < to
	}
	left := 2
	for n = from; n < to && y > 0 && y < r.strip.H-1; n++ {
		cols, _ := r.cardRoom(n)
		if x >= left && x < left+cols+2 {
			return n, true
		}
		left += cols + 2
	}
	return 0, false
}
