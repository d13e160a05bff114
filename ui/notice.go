package ui

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
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

// sentence says an error so that it can stand on a line: cleaned, one line,
// translated where it is one of ours.
func sentence(k *kit, err error) string {
	var refusal *state.Refusal
	if errors.As(err, &refusal) && len(refusal.Problems) > 0 {
		return k.problem(refusal.Problems[0])
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok && strings.Contains(err.Error(), "\n") {
		var all []string
		for _, one := range several.Unwrap() {
			all = append(all, sentence(k, one))
		}
		return strings.Join(all, " ")
	}
	text := api.CleanLines(err.Error(), api.MaxErrorText).String()
	text = strings.Join(strings.Fields(text), " ")
	return asSentence(k.translate(text))
}

// asSentence gives an error's words a capital and a full stop.
func asSentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	s = string(unicode.ToUpper(r)) + s[n:]
	switch last, _ := utf8.DecodeLastRuneInString(s); last {
	case '.', '?', '。', '？', ':', '…':
		return s
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r > 0x2e80 && r < 0xfff0 }) {
		return s + "。"
	}
	return s + "."
}

// problem says a problem in this language.
func (k *kit) problem(p api.Problem) string { return k.say(p.Format, p.Args...) }

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
