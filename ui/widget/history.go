package widget

// maxHistory is how many edits of a line can be undone.
const maxHistory = 200

// moment is a line's text with its cursor.
type moment struct {
	text string
	at   int
}

// history remembers the edits of a Line, so that they can be undone: typing as
// one until a blank or a movement ends it, everything else one by one. What an
// unseen line held is not remembered.
type history struct {
	past, next []moment
	typing     bool
}

func (h *history) forget() { *h = history{} }

// stop ends a run of typing.
func (h *history) stop() { h.typing = false }

// remember keeps what the line is before an edit; alone edits are undone by
// themselves.
func (h *history) remember(l *Line, alone bool) {
	if l.Unseen {
		return
	}
	now := moment{l.Text(), l.model().Position()}
	if alone || !h.typing || now.at > 0 && []rune(now.text)[now.at-1] == ' ' {
		h.past = append(h.past, now)
		if len(h.past) > maxHistory {
			h.past = append(h.past[:0], h.past[maxHistory/4:]...)
		}
	}
	h.typing, h.next = !alone, nil
}

func (h *history) undo(l *Line) { h.past, h.next = h.travel(l, h.past, h.next) }
func (h *history) redo(l *Line) { h.next, h.past = h.travel(l, h.next, h.past) }

// travel takes the last of from that differs from the line's text.
func (h *history) travel(l *Line, from, to []moment) (rest, kept []moment) {
	h.typing = false
	now := moment{l.Text(), l.model().Position()}
	for len(from) > 0 {
		last := from[len(from)-1]
		from = from[:len(from)-1]
		if last.text != now.text {
			l.model().SetValue(last.text)
			l.model().SetCursor(last.at)
			return from, append(to, now)
		}
	}
	return from, to
}
