package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// noticeFor is how long a notice stays without a key.
const noticeFor = 8 * time.Second

// notice is the one line that says what just happened.
type notice struct {
	saidMsg
	seq int
}

// noticeDueMsg is the end of a notice's time.
type noticeDueMsg struct{ seq int }

func (n *notice) set(k *kit, m saidMsg) tea.Cmd {
	n.saidMsg = m
	n.seq++
	seq, ctx := n.seq, k.ctx
	return func() tea.Msg {
		pause(ctx, noticeFor)
		return noticeDueMsg{seq}
	}
}

// seen is called with each key: what stood there was read.
func (n *notice) seen() {
	if n.text != "" {
		n.saidMsg = saidMsg{}
		n.seq++
	}
}

func (n *notice) expire(m noticeDueMsg) {
	if m.seq == n.seq && n.tone != toneBad {
		n.saidMsg = saidMsg{}
	}
}

// fail shows an error in words. It stays until a key is pressed.
func (n *notice) fail(k *kit, err error) {
	n.saidMsg = saidMsg{toneBad, sentence(k, err)}
	n.seq++
}

func (n *notice) line(t *theme.Theme, w int) string {
	ink, mark := t.Muted, "· "
	switch n.tone {
	case toneGood:
		ink, mark = t.Good, "✓ "
	case toneWarn:
		ink, mark = t.Warn, "! "
	case toneBad:
		ink, mark = t.Bad, "✕ "
	}
	return " " + ink.Paint(theme.Fit(mark+n.text, w-2)) + " "
}
