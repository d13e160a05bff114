package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
	"darkroom/ui/theme"
)

const (
	keyWidth = 76
	keyLabel = 10
)

func (s *keyScreen) view() string {
	if !s.valid {
		s.body = s.draw()
		s.valid = true
	}
	return s.body
}

// draw writes the pane and puts it in the middle of the body.
func (s *keyScreen) draw() string {
	k, t := s.k, s.k.theme
	w := min(keyWidth, s.w)
	f := facts{w: w - 6, t: t}
	f.lines = append(f.lines, "")
	f.wrapped(t.Text, s.why())
	f.lines = append(f.lines, "")
	s.drawField(&f, keyBase, k.say("Service"), s.baseText(f.w-keyLabel-2), s.baseHint())
	s.drawField(&f, keyKey, k.say("Key"), s.keyText(f.w-keyLabel-2), s.keyHint())
	s.drawField(&f, keyKeep, k.say("Keep"), s.keepText(), s.keepHint())
	switch {
	case s.trying:
		f.wrapped(t.Run, "◐ "+k.say("Checking the key with one call."))
	case s.problem != "":
		f.wrapped(t.Bad, "✕ "+s.problem)
	default:
		f.wrapped(t.Muted, k.say("The key is checked with one call before it is kept. It is never written to a file."))
	}
	f.lines = append(f.lines, "")
	f.wrapped(t.Muted, k.say("No key yet? The service makes one when you register; copy it from its API access page. Or press ctrl+t for the demo: no key, no network, nothing spent."))
	f.lines = append(f.lines, "")

	fitLines(&f, s.h-2, s.fieldY[:])
	p := pane{w: w, h: min(len(f.lines)+2, s.h), title: k.say("Key"), focus: true}
	for i := range f.lines {
		f.lines[i] = " " + f.lines[i]
	}
	lines := p.lines(t, f.lines)
	s.box = rect{(s.w - w) / 2, max((s.h-len(lines))/3, 0), w, len(lines)}
	for i := range s.fieldY {
		s.fieldY[i] += s.box.y + 1
	}
	out := make([]string, s.h)
	for i := range out {
		if n := i - s.box.y; n >= 0 && n < len(lines) {
			out[i] = theme.Blank(s.box.x) + lines[n]
		}
	}
	return strings.Join(out, "\n")
}

// why says what brings one here.
func (s *keyScreen) why() string {
	k := s.k
	st := k.standing
	switch {
	case st.KeyRefused:
		return k.say("The service refused the key %s. Give a valid one, and everything goes on where it stopped.", st.KeyHint)
	case st.KeyPending:
		return k.say("Your keyring has not answered yet. Wait for it, or type the key for this session.")
	case st.KeyError != "" && st.KeyError != state.ErrNoBase.Error() && st.KeyError != state.ErrNoKey.Error() && st.KeyError != keys.ErrNone.Error():
		return asSentence(k.translate(st.KeyError))
	}
	return k.say("darkroom needs to know where the service is, and your key to it.")
}

func (s *keyScreen) drawField(f *facts, at keyField, label, value, hint string) {
	t := s.k.theme
	mark, ink := "  ", t.Muted
	if s.at == at {
		mark, ink = "▸ ", t.Accent
	}
	s.fieldY[at] = len(f.lines)
	f.lines = append(f.lines, t.Accent.Paint(mark)+ink.Paint(theme.Fit(label, keyLabel))+value)
	for _, l := range strings.Split(ansi.Wrap(hint, f.w-keyLabel-2, ""), "\n") {
		f.lines = append(f.lines, theme.Blank(keyLabel+2)+t.Muted.Paint(l))
	}
	f.lines = append(f.lines, "")
}

func (s *keyScreen) baseText(w int) string {
	t := s.k.theme
	if s.base.empty() && s.at != keyBase {
		return t.Faint.Paint("https://…")
	}
	if s.fixed {
		return t.Text.Paint(theme.Cut(s.base.shown(), w))
	}
	return t.Text.Paint(s.base.window(w))
}

func (s *keyScreen) baseHint() string {
	k := s.k
	text := strings.TrimSpace(s.base.text())
	switch {
	case s.fixed:
		return k.say("set by %s", s.baseFrom())
	case text == "":
		return k.say("The address that all paths start from, such as https://api.example.com.")
	}
	if _, err := api.ParseBase(text); err != nil {
		return sentence(k, err)
	}
	return "✓ " + k.say("will be kept in the settings file")
}

func (s *keyScreen) baseFrom() string {
	if s.k.settings.BaseFrom == "environment" {
		return "DARKROOM_BASE_URL"
	}
	return s.k.say("the command line")
}

func (s *keyScreen) keyText(w int) string {
	t := s.k.theme
	if s.key.empty() && s.at != keyKey {
		return t.Faint.Paint("ak_…")
	}
	return t.Text.Paint(s.key.window(w))
}

// keyHint checks the shape with every key.
func (s *keyScreen) keyHint() string {
	k := s.k
	text := s.key.text()
	n := utf8.RuneCountInString(text)
	switch {
	case n == 0:
		return k.say("It starts with ak_. What you type or paste is not shown.")
	case !strings.HasPrefix(text, "ak_") && !strings.HasPrefix("ak_", text):
		return k.say("A key starts with ak_; this does not.")
	}
	if _, err := api.ParseKey(text); err != nil {
		return k.say("%d characters, not a whole key yet", n)
	}
	return "✓ " + k.say("%d characters, shaped like a key", n)
}

func (s *keyScreen) keepText() string {
	k, t := s.k, s.k.theme
	text := k.say("for this session only")
	if s.keep == keys.InKeyring {
		text = k.say("in your keyring (%s)", s.ring.Name)
	}
	if s.ring.Usable {
		text = "‹ " + text + " ›"
	}
	return t.Text.Paint(text)
}

func (s *keyScreen) keepHint() string {
	k := s.k
	switch {
	case s.ring.Usable && s.keep == keys.InKeyring:
		return k.say("It is there the next time too.")
	case s.ring.Usable:
		return k.say("You will be asked again the next time.")
	case s.ring.Why != "":
		return asSentence(k.translate(s.ring.Why))
	}
	return k.say("Looking for your keyring.")
}

func (s *keyScreen) cursor() *tea.Cursor {
	l := s.line()
	if l == nil || s.trying || s.at == keyBase && s.fixed {
		return nil
	}
	room := s.box.w - 6 - keyLabel - 2
	x := s.box.x + 3 + 2 + keyLabel + l.column() - l.offset(room)
	return tea.NewCursor(x, s.fieldY[s.at])
}

// fitLines takes blank lines out, the last ones first, until the lines fit into h;
// marks are lines that move along.
func fitLines(f *facts, h int, marks []int) {
	for i := len(f.lines) - 1; i >= 0 && len(f.lines) > h; i-- {
		if f.lines[i] != "" {
			continue
		}
		f.lines = append(f.lines[:i], f.lines[i+1:]...)
		for n := range marks {
			if marks[n] > i {
				marks[n]--
			}
		}
	}
}
