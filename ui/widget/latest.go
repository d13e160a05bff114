package widget

// Latest orders the questions about data that changes by itself. A change while
// one is under way is asked about when that one is answered: so answers are
// shown also when the data changes faster than they come, and never more than
// one read of the same thing runs. A question with other terms (a filter, a
// place in the list) takes the place of the one before.
type Latest struct {
	seq      int
	underway bool
	again    bool
}

// Ask numbers a new question. Answers to those before are dropped.
func (l *Latest) Ask() int {
	l.seq++
	l.underway, l.again = true, false
	return l.seq
}

// Changed reports whether to ask now; if not, Answered will report it.
func (l *Latest) Changed() bool {
	l.again = l.underway
	return !l.underway
}

// Answered reports whether an answer is that to the last question, and whether
// the data has changed since that was asked.
func (l *Latest) Answered(seq int) (last, again bool) {
	if seq != l.seq {
		return false, false
	}
	l.underway = false
	return true, l.again
}
