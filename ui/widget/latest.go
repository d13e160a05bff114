package widget

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
)

// Latest orders the questions about data that changes by itself: a change while
// one is under way is asked about when that one is answered, so that answers are
// shown however fast the data changes, and one read of the same thing runs.
type Latest struct {
	seq      int
	underway bool
	again    bool
	wait     time.Duration // before what could not be read is asked for again, from a second on
}

const longestWait = 32 * time.Second

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

// Answered reports whether an answer is the last question's, and whether to ask
// again (After): the data has changed since, or could not be read.
func (l *Latest) Answered(seq int, err error) (last, again bool) {
	if seq != l.seq {
		return false, false
	}
	l.underway, l.wait = false, min(max(2*l.wait, time.Second), longestWait)
	if err == nil {
		l.wait = 0
	}
	return true, l.again || err != nil
}

func (l *Latest) After(ctx context.Context, ask tea.Cmd) tea.Cmd {
	wait := l.wait
	return func() tea.Msg {
		env.Pause(ctx, wait)
		return ask()
	}
}
