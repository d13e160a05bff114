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

// page is the screen as it is drawn, with the places that the mouse and the
// cursor need.
type page struct {
	lines  []string
	box    widget.Rect // of the pane in the body
	fieldY [keyFields]int
}

// View draws the pane in the middle of the body.
func (s *Screen) View() []string { return s.page.lines }

// arrange lays the page out. Every way into the screen ends with it, so that
// drawing changes nothing.
func (s *Screen) arrange() {
	if s.shown && s.w > 0 {
		s.page = s.layOut()
	}
}

func (s *Screen) layOut() page {
	k, t := s.k, s.k.Theme
	w := min(keyWidth, s.w)
	f := &widget.Facts{Width: w - 6, Theme: t}
	var p page
	f.Lines = append(f.Lines, "")
	f.Wrapped(t.Text, s.why())
	f.Lines = append(f.Lines, "")
	p.fieldY[keyBase] = s.writeField(f, keyBase, k.Say("Service"), s.baseText(f.Width-keyLabel-2), s.baseHint())
	p.fieldY[keyKey] = s.writeField(f, keyKey, k.Say("Key"), s.keyText(f.Width-keyLabel-2), s.keyHint())
	p.fieldY[keyKeep] = s.writeField(f, keyKeep, k.Say("Keep"), s.keepText(), s.keepHint())
	switch {
	case s.trying:
		f.Wrapped(t.Run, "◐ "+k.Say("Checking the key with one call."))
	case s.problem != "":
		f.Wrapped(t.Bad, "✕ "+s.problem)
	default:
		f.Wrapped(t.Muted, k.Say("The key is checked with one call before it is kept. It is never written to a file."))
	}
	f.Lines = append(f.Lines, "")
	f.Wrapped(t.Muted, k.Say("No key yet? The service makes one when you register; copy it from its API access page. Or press %s for the demo: no key, no network, nothing spent.", k.Key("demo", "ctrl+t")))
	f.Lines = append(f.Lines, "")

	fitLines(f, s.h-2, p.fieldY[:])
	for i := range f.Lines {
		f.Lines[i] = " " + f.Lines[i]
	}
	lines := widget.Pane{Width: w, Height: min(len(f.Lines)+2, s.h), Title: k.Say("Key"), Focus: true}.Lines(t, f.Lines)
	p.box = widget.Rect{X: (s.w - w) / 2, Y: max((s.h-len(lines))/3, 0), W: w, H: len(lines)}
	for i := range p.fieldY {
		p.fieldY[i] += p.box.Y + 1
	}
	p.lines = make([]string, s.h)
	for i, l := range lines {
		if n := p.box.Y + i; n < len(p.lines) {
			p.lines[n] = theme.Blank(p.box.X) + l
		}
	}
	return p
}

func (s *Screen) why() string {
	k := s.k
	st := k.Health
	switch {
	case st.KeyRefused:
		return k.Say("The service refused the key %s. Give a valid one, and everything goes on where it stopped.", st.KeyHint)
	case st.KeyPending:
		return k.Say("Your keyring has not answered yet. Wait for it, or type the key for this session.")
	case !st.KeyError.IsZero() && st.KeyError != state.ErrNoBase.Why() && st.KeyError != state.ErrNoKey.Why() && st.KeyError != keys.ErrNone.Why():
		return k.Reason(st.KeyError)
	}
	return k.Say("darkroom needs to know where the service is, and your key to it.")
}

func (s *Screen) writeField(f *widget.Facts, at keyField, label, value, hint string) int {
	t := s.k.Theme
	mark, style := "  ", t.Muted
	if s.at == at {
		mark, style = "▸ ", t.Accent
	}
	line := len(f.Lines)
	f.Lines = append(f.Lines, t.Accent.Paint(mark)+style.Paint(theme.Fit(label, keyLabel))+value)
	for _, l := range widget.Wrap(hint, f.Width-keyLabel-2) {
		f.Lines = append(f.Lines, theme.Blank(keyLabel+2)+t.Muted.Paint(l))
	}
	f.Lines = append(f.Lines, "")
	return line
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

// keyShape is how far what is typed looks like a key.
type keyShape int

const (
	keyEmpty keyShape = iota
	keyForeign
	keyPart
	keyWhole
)

// shape checks what is typed of the key, and counts its characters.
func (s *Screen) shape() (keyShape, int) {
	text := s.key.Text()
	n := utf8.RuneCountInString(text)
	switch {
	case n == 0:
		return keyEmpty, 0
	case !strings.HasPrefix(text, "ak_") && !strings.HasPrefix("ak_", text):
		return keyForeign, n
	}
	if _, err := api.ParseKey(text); err != nil {
		return keyPart, n
	}
	return keyWhole, n
}

// keyHint says with every character what the key looks like.
func (s *Screen) keyHint() string {
	k := s.k
	switch shape, n := s.shape(); shape {
	case keyEmpty:
		return k.Say("It starts with ak_. What you type or paste is not shown.")
	case keyForeign:
		return k.Say("A key starts with ak_; this does not.")
	case keyPart:
		return k.Say("%d characters, not a whole key yet", n)
	default:
		return "✓ " + k.Say("%d characters, shaped like a key", n)
	}
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
	case !s.ring.Why.IsZero():
		return k.Reason(s.ring.Why)
	}
	return k.Say("Looking for your keyring.")
}

// Cursor is in the line being typed.
func (s *Screen) Cursor() *tea.Cursor {
	l := s.line()
	if l == nil || s.trying {
		return nil
	}
	p := &s.page
	room := p.box.W - 6 - keyLabel - 2
	return tea.NewCursor(p.box.X+3+2+keyLabel+l.Column()-l.Offset(room), p.fieldY[s.at])
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
