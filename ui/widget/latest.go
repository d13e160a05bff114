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

// Changed reports whether to ask now; if not, Again will.
func (l *Latest) Changed() bool {
	l.again = l.underway
	return !l.underway
}

// Answered reports whether an answer is the last question's.
func (l *Latest) Answered(seq int, err error) bool {
	if seq != l.seq {
		return false
	}
	l.underway, l.wait = false, min(max(2*l.wait, time.Second), longestWait)
	if err == nil {
		l.wait = 0
	}
	l.again = l.again || err != nil
	return true
}

// Again asks again if the data has changed since it was asked for, or could not be read.
func (l *Latest) Again(ctx context.Context, ask func() tea.Cmd) tea.Cmd {
	if l.underway || !l.again {
		return nil
	}
	wait, again := l.wait, ask()
	return func() tea.Msg {
		env.Pause(ctx, wait)
		return again()
	}
}
