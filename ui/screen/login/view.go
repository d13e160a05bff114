package login

import (
	"slices"
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
	f := &widget.Facts{Width: w - 6, Theme: t, Lines: []string{""}}
	var p page
	f.Wrapped(t.Text, s.why())
	f.Lines = append(f.Lines, "")
	room := f.Width - keyLabel - 2
	for at, field := range [keyFields]struct{ label, value, hint string }{
		keyBase: {k.Say("Service"), s.text(keyBase, &s.base, "https://…", room), s.baseHint()},
		keyKey:  {k.Say("Key"), s.text(keyKey, &s.key, "ak_…", room), s.keyHint()},
		keyKeep: {k.Say("Keep"), s.keepText(), s.keepHint()},
	} {
		p.fieldY[at] = len(f.Lines)
		mark, style := "  ", t.Muted
		if s.at == keyField(at) {
			mark, style = "▸ ", t.Accent
		}
		f.Lines = append(f.Lines, t.Accent.Paint(mark)+style.Paint(theme.Fit(field.label, keyLabel))+field.value)
		for _, l := range widget.Wrap(field.hint, room) {
			f.Lines = append(f.Lines, theme.Blank(keyLabel+2)+t.Muted.Paint(l))
		}
		f.Lines = append(f.Lines, "")
	}
	switch {
	case s.trying:
		f.Wrapped(t.Run, "◐ "+k.Say("Checking the key with one call."))
	case s.problem != "":
		f.Wrapped(t.Bad, "✕ "+s.problem)
	default:
		f.Wrapped(t.Muted, k.Say("The key is checked with one call before it is kept. It is never written to a file."))
	}
	f.Lines = append(f.Lines, "")
	f.Wrapped(t.Muted, k.Say("No key yet? The service makes one when you register; copy it from its API access page. "+
		"Or press %s for the demo: no key, no network, nothing spent.", k.Key("demo", "ctrl+t")))
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
	p.lines = widget.Overlay(make([]string, s.h), lines, p.box.X, p.box.Y)
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
	case !slices.Contains([]api.Reason{{}, state.ErrNoBase.Why(), state.ErrNoKey.Why(), keys.ErrNone.Why()}, st.KeyError):
		return k.Reason(st.KeyError)
	}
	return k.Say("darkroom needs to know where the service is, and your key to it.")
}

// text draws a line of text, or in its place what it begins like.
func (s *Screen) text(at keyField, l *widget.Line, empty string, w int) string {
	t := s.k.Theme
	switch {
	case l.Empty() && s.at != at:
		return t.Faint.Paint(empty)
	case at == keyBase && s.fixed:
		return t.Text.Paint(theme.Cut(l.Shown(), w))
	}
	return t.Text.Paint(l.Window(w))
}

func (s *Screen) baseHint() string {
	k := s.k
	text := strings.TrimSpace(s.base.Text())
	_, err := api.ParseBase(text)
	switch {
	case s.fixed:
		return k.Say("set by %s", "DARKROOM_BASE_URL")
	case text == "":
		return k.Say("The address that all paths start from, such as https://api.example.com.")
	case err != nil:
		return env.Sentence(k, err)
	}
	return "✓ " + k.Say("will be kept in the settings file")
}

// keyHint says with every character what the key looks like.
func (s *Screen) keyHint() string {
	k, text := s.k, s.key.Text()
	n := utf8.RuneCountInString(text)
	_, err := api.ParseKey(text)
	switch {
	case n == 0:
		return k.Say("It starts with ak_. What you type or paste is not shown.")
	case !strings.HasPrefix(text, "ak_") && !strings.HasPrefix("ak_", text):
		return k.Say("A key starts with ak_; this does not.")
	case err != nil:
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
