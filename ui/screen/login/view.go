package login

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	keyWidth = 76
	keyLabel = 10
)

func (s *Screen) View() string {
	if !s.valid {
		s.body = s.draw()
		s.valid = true
	}
	return s.body
}

// draw writes the pane and puts it in the middle of the body.
func (s *Screen) draw() string {
	k, t := s.k, s.k.Theme
	w := min(keyWidth, s.w)
	f := widget.Facts{Width: w - 6, Theme: t}
	f.Lines = append(f.Lines, "")
	f.Wrapped(t.Text, s.why())
	f.Lines = append(f.Lines, "")
	s.drawField(&f, keyBase, k.Say("Service"), s.baseText(f.Width-keyLabel-2), s.baseHint())
	s.drawField(&f, keyKey, k.Say("Key"), s.keyText(f.Width-keyLabel-2), s.keyHint())
	s.drawField(&f, keyKeep, k.Say("Keep"), s.keepText(), s.keepHint())
	switch {
	case s.trying:
		f.Wrapped(t.Run, "◐ "+k.Say("Checking the key with one call."))
	case s.problem != "":
		f.Wrapped(t.Bad, "✕ "+s.problem)
	default:
		f.Wrapped(t.Muted, k.Say("The key is checked with one call before it is kept. It is never written to a file."))
	}
	f.Lines = append(f.Lines, "")
	f.Wrapped(t.Muted, k.Say("No key yet? The service makes one when you register; copy it from its API access page. Or press ctrl+t for the demo: no key, no network, nothing spent."))
	f.Lines = append(f.Lines, "")

	fitLines(&f, s.h-2, s.fieldY[:])
	p := widget.Pane{Width: w, Height: min(len(f.Lines)+2, s.h), Title: k.Say("Key"), Focus: true}
	for i := range f.Lines {
		f.Lines[i] = " " + f.Lines[i]
	}
	lines := p.Lines(t, f.Lines)
	s.box = widget.Rect{X: (s.w - w) / 2, Y: max((s.h-len(lines))/3, 0), W: w, H: len(lines)}
	for i := range s.fieldY {
		s.fieldY[i] += s.box.Y + 1
	}
	out := make([]string, s.h)
	for i := range out {
		if n := i - s.box.Y; n >= 0 && n < len(lines) {
			out[i] = theme.Blank(s.box.X) + lines[n]
		}
	}
	return strings.Join(out, "\n")
}

// why says what brings one here.
func (s *Screen) why() string {
	k := s.k
	st := k.Standing
	switch {
	case st.KeyRefused:
		return k.Say("The service refused the key %s. Give a valid one, and everything goes on where it stopped.", st.KeyHint)
	case st.KeyPending:
		return k.Say("Your keyring has not answered yet. Wait for it, or type the key for this session.")
	case st.KeyError != "" && st.KeyError != state.ErrNoBase.Error() && st.KeyError != state.ErrNoKey.Error() && st.KeyError != keys.ErrNone.Error():
		return env.AsSentence(k.Translate(st.KeyError))
	}
	return k.Say("darkroom needs to know where the service is, and your key to it.")
}

func (s *Screen) drawField(f *widget.Facts, at keyField, label, value, hint string) {
	t := s.k.Theme
	mark, ink := "  ", t.Muted
	if s.at == at {
		mark, ink = "▸ ", t.Accent
	}
	s.fieldY[at] = len(f.Lines)
	f.Lines = append(f.Lines, t.Accent.Paint(mark)+ink.Paint(theme.Fit(label, keyLabel))+value)
	for _, l := range widget.Wrap(hint, f.Width-keyLabel-2) {
		f.Lines = append(f.Lines, theme.Blank(keyLabel+2)+t.Muted.Paint(l))
	}
	f.Lines = append(f.Lines, "")
}

func (s *Screen) baseText(w int) string {
	t := s.k.Theme
	if s.base.Empty() && s.at != keyBase {
		return t.Faint.Paint("https://…")
	}
	if s.fixed {
		return t.Text.Paint(theme.Cut(s.base.Shown(), w))
	}
	return t.Text.Paint(s.base.Window(w))
}

func (s *Screen) baseHint() string {
	k := s.k
	text := strings.TrimSpace(s.base.Text())
	switch {
	case s.fixed:
		return k.Say("set by %s", s.baseFrom())
	case text == "":
		return k.Say("The address that all paths start from, such as https://api.example.com.")
	}
	if _, err := api.ParseBase(text); err != nil {
		return env.Sentence(k, err)
	}
	return "✓ " + k.Say("will be kept in the settings file")
}

func (s *Screen) baseFrom() string {
	if s.k.Settings.BaseFrom == "environment" {
		return "DARKROOM_BASE_URL"
	}
	return s.k.Say("the command line")
}

func (s *Screen) keyText(w int) string {
	t := s.k.Theme
	if s.key.Empty() && s.at != keyKey {
		return t.Faint.Paint("ak_…")
	}
	return t.Text.Paint(s.key.Window(w))
}

// keyHint checks the shape with every key.
func (s *Screen) keyHint() string {
	k := s.k
	text := s.key.Text()
	n := utf8.RuneCountInString(text)
	switch {
	case n == 0:
		return k.Say("It starts with ak_. What you type or paste is not shown.")
	case !strings.HasPrefix(text, "ak_") && !strings.HasPrefix("ak_", text):
		return k.Say("A key starts with ak_; this does not.")
	}
	if _, err := api.ParseKey(text); err != nil {
		return k.Say("%d characters, not a whole key yet", n)
	}
	return "✓ " + k.Say("%d characters, shaped like a key", n)
}

func (s *Screen) keepText() string {
	k, t := s.k, s.k.Theme
	text := k.Say("for this session only")
	if s.keep == keys.InKeyring {
		text = k.Say("in your keyring (%s)", s.ring.Name)
	}
	if s.ring.Usable {
		text = "‹ " + text + " ›"
	}
	return t.Text.Paint(text)
}

func (s *Screen) keepHint() string {
	k := s.k
	switch {
	case s.ring.Usable && s.keep == keys.InKeyring:
		return k.Say("It is there the next time too.")
	case s.ring.Usable:
		return k.Say("You will be asked again the next time.")
	case s.ring.Why != "":
		return env.AsSentence(k.Translate(s.ring.Why))
	}
	return k.Say("Looking for your keyring.")
}

func (s *Screen) Cursor() *tea.Cursor {
	l := s.line()
	if l == nil || s.trying || s.at == keyBase && s.fixed {
		return nil
	}
	room := s.box.W - 6 - keyLabel - 2
	x := s.box.X + 3 + 2 + keyLabel + l.Column() - l.Offset(room)
	return tea.NewCursor(x, s.fieldY[s.at])
}

// fitLines takes blank lines out, the last ones first, until the lines fit into h;
// marks are lines that move along.
func fitLines(f *widget.Facts, h int, marks []int) {
	for i := len(f.Lines) - 1; i >= 0 && len(f.Lines) > h; i-- {
		if f.Lines[i] != "" {
			continue
		}
		f.Lines = append(f.Lines[:i], f.Lines[i+1:]...)
		for n := range marks {
			if marks[n] > i {
				marks[n]--
			}
		}
	}
}
