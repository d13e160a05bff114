package recent

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/result"
	"darkroom/ui/widget"
)

const (
	minCard  = 17 // columns of a picture, so that its caption can be read
	minPart  = 12 // columns in which a part of a card is shown
	maxCard  = 64
	minLimit = 30 // unless three of them do not fit next to each other
	// cardEdges are the lines of a card around its picture: one above, one below, two captions.
	cardEdges = 4
)

// stripInner is the room for cards.
func (r *Recent) stripInner() (w, h int) {
	return widget.Pane{Width: r.strip.W, Height: r.strip.H}.Inner()
}

// room is the size of a picture: several are as high as a wide one of which two and a half fit
// side by side, if there is room, and as wide as their ratio makes them.
func (r *Recent) room(ratio float64) (cols, rows int) {
	w, h := r.stripInner()
	most := min(max(w*2/5, minLimit), maxCard, max(w-2, 1))
	rows = max(h-cardEdges, 1)
	if r.trial {
		most = max(w/len(r.cards)-2, 1)
	} else if r.alone() {
		rows = max(h-cardEdges/2, 1)
	} else if len(r.cards) > 1 {
		_, rows = result.FitRatio(result.CellRatio(r.k, 16.0/9), most, rows)
	}
	return result.FitRatio(result.CellRatio(r.k, ratio), most, rows)
}

// wide is how wide a card is: so much that its caption can be read.
func (r *Recent) wide(n int) int {
	cols, _ := r.room(r.cards[n].ratio)
	w, _ := r.stripInner()
	if j := &r.cards[n].job; j.Phase.Ended() && len(j.Files) == 0 && !r.trial {
		cols = min(cols, minCard) // of words alone
	}
	return max(cols, min(minCard, w-2))
}

// seen is how many columns of a card are in view.
func (r *Recent) seen(n int) int {
	if to, left := r.fits(r.top); n >= to {
		return left - 2
	}
	return r.wide(n)
}

// bigRoom is the room for the large picture, above two lines of facts.
func (r *Recent) bigRoom() (cols, rows int) {
	if r.badges() {
		return r.large.W, r.large.H
	}
	w, h := widget.Pane{Width: r.large.W, Height: r.large.H, Inset: true}.Inner()
	return w, max(h-3-min(h/36, 1), 1)
}

// window are the cards in view, from the first up to but not including the
// second. The last one may be in view in part.
func (r *Recent) window() (from, to int) {
	if len(r.cards) == 0 {
		return 0, 0
	}
	from = min(r.top, len(r.cards)-1)
	to, left := r.fits(from)
	if to < len(r.cards) && left >= minPart {
		to++
	}
	return from, to
}

// fits is the end of the cards that are whole in view when from is the first, and
// how many columns they leave for a part of the next one.
func (r *Recent) fits(from int) (to, left int) {
	if r.badges() {
		return min(from+r.badgeCount(), len(r.cards)), 0
	}
	left, _ = r.stripInner()
	for to = from; to < len(r.cards); to++ {
		cols := r.wide(to)
		if to > from && cols+2 > left {
			break
		}
		left -= cols + 2
	}
	return to, left
}

// reveal brings the whole chosen card into view, with as little movement as possible.
func (r *Recent) reveal(whole bool) {
	at := r.at()
	r.top = max(min(r.top, at), 0)
	for r.top < at {
		if to, left := r.fits(r.top); at < to || at == to && !whole && left >= minPart {
			break
		}
		r.top++
	}
}

// Click chooses the card at a position in the strip, where it stays for a second
// press. It reports whether it was chosen before.
func (r *Recent) Click(x, y int) (cmd tea.Cmd, again bool) {
	n, ok := r.cardAt(x, y)
	if !ok {
		return nil, false
	}
	again = r.focused && r.cards[n].job.ID == r.chosen
	return r.choose(n, false), again
}

// cardAt is the card at a position in the strip.
func (r *Recent) cardAt(x, y int) (n int, ok bool) {
	from, to := r.window()
	if r.badges() {
		n = from + x/r.badgeWidth()
		return n, n < to
	}
	left := 2
	for n = from; n < to && y > 0 && y < r.strip.H-1; n++ {
		if x >= left && x < left+r.seen(n)+2 {
			return n, true
		}
		left += r.seen(n) + 2
	}
	return 0, false
}
