package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

// noticeFor is how long a notice stays without a key.
const noticeFor = 8 * time.Second

// notice is the one line that says what just happened.
type notice struct {
	msg.NotifiedMsg
	seq int
}

// noticeDueMsg is the end of a notice's time.
type noticeDueMsg struct{ seq int }

func (n *notice) set(k *env.Env, m msg.NotifiedMsg) tea.Cmd {
	n.NotifiedMsg = m
	n.seq++
	seq, ctx := n.seq, k.Context
	return func() tea.Msg {
		env.Pause(ctx, noticeFor)
		return noticeDueMsg{seq}
	}
}

// seen is called with each key: what stood there was read.
func (n *notice) seen() {
	if n.Text != "" {
		n.NotifiedMsg = msg.NotifiedMsg{}
		n.seq++
	}
}

func (n *notice) expire(m noticeDueMsg) {
	if m.seq == n.seq && n.Tone != msg.ToneBad {
		n.NotifiedMsg = msg.NotifiedMsg{}
	}
}

// fail shows an error in words. It stays until a key is pressed.
func (n *notice) fail(k *env.Env, err error) {
	n.NotifiedMsg = msg.NotifiedMsg{Tone: msg.ToneBad, Text: env.Sentence(k, err)}
	n.seq++
}

func (n *notice) line(t *theme.Theme, w int) string {
	style, mark := t.Muted, "· "
	switch n.Tone {
	case msg.ToneGood:
		style, mark = t.Good, "✓ "
	case msg.ToneWarn:
		style, mark = t.Warn, "! "
	case msg.ToneBad:
		style, mark = t.Bad, "✕ "
	}
	if n.Mark != "" {
		mark = n.Mark + " "
	}
	return " " + style.Paint(theme.Fit(mark+n.Text, w-2)) + " "
}
