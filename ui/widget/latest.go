package widget

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
)

// Latest orders the questions about data that changes by itself. A change while
// one is under way is asked about when that one is answered: so answers are
// shown also when the data changes faster than they come, and never more than
// one read of the same thing runs. A question with other terms (a filter, a
// place in the list) takes the place of the one before.
// What could not be read is asked for again, first after a second.
type Latest struct {
	seq      int
	underway bool
	again    bool
	wait     time.Duration // before what could not be read is asked for again
}

// longestWait is the most that wait grows to.
const longestWait = 32 * time.Second

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
// to ask again (After): the data has changed since, or could not be read.
func (l *Latest) Answered(seq int, err error) (last, again bool) {
	if seq != l.seq {
		return false, false
	}
	l.underway = false
	if err == nil {
		l.wait = 0
	} else {
		l.wait = min(max(2*l.wait, time.Second), longestWait)
	}
	return true, l.again || err != nil
}

// After is the command that asks again, after a wait when the data could not be
// read.
func (l *Latest) After(ctx context.Context, ask tea.Cmd) tea.Cmd {
	wait := l.wait
	if wait == 0 {
		return ask
	}
	return func() tea.Msg {
		env.Pause(ctx, wait)
		return ask()
	}
}
