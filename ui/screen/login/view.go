package login

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	keyWidth = 76
	keyLabel = 10
)

// page is the screen as drawn, with the places of the mouse and the cursor.
type page struct {
	lines  []string
	box    widget.Rect // of the pane in the body
	fieldY [keyFields]int
}

func (s *Screen) View() []string { return s.page.lines }

// arrange lays the page out, in the middle of the body. Every way into the screen ends
// with it, so that drawing changes nothing.
func (s *Screen) arrange() {
	if s.w == 0 || !s.shown {
		return
	}
	k, t := s.k, s.k.Theme
	w := min(keyWidth, s.w)
	f := &widget.Facts{Width: w - 4, Theme: t, Lines: []string{""}}
	p := &s.page
	f.Add(s.pictures()...)
	f.Wrapped(t.Strong, env.Capital(k.Say("pictures and videos, with the price before you send")))
	f.Wrapped(t.Text, s.why())
	f.Add("")
	room := f.Width - keyLabel - 2
	keep, note := s.keepText()
	var heads [keyFields]string
	for at, field := range [keyFields]struct{ label, value, hint string }{
		keyBase: {k.Say("Service"), s.text(&s.base, "https://api.example.com", room-2), s.baseHint()},
		keyKey:  {k.Say("Key"), s.text(&s.key, "ak_…", room-2), s.keyHint()},
		keyKeep: {k.Say("Keep"), keep, note},
	} {
		bar, style, ground, hint := "  ", t.Muted, t.Element, t.Muted
		switch {
		case at == int(keyKeep) && !s.ring.Usable:
			continue
		case s.at == keyField(at):
			bar, style = "▸ ", t.Accent
		case at == int(keyBase) && s.fixed:
			ground = theme.Ground{}
		}
		if strings.HasPrefix(field.hint, "✕") {
			hint = t.Bad
		}
		heads[at] = t.Accent.Paint(bar) + style.Paint(theme.Fit(field.label, keyLabel)) + ground.Lay(" "+theme.Fit(field.value, room-1))
		f.Add(heads[at])
		under := widget.Facts{Width: room - 1}
		under.Wrapped(hint, field.hint)
		for _, l := range append(under.Lines, "") {
			f.Add(theme.Blank(min(len(l), keyLabel+3)) + l)
		}
	}
	switch {
	case s.trying:
		f.Wrapped(t.Run, "◐ "+k.Say("Checking the key with one call."))
	case s.problem != "" && !s.malformed():
		f.Wrapped(t.Bad, "✕ "+s.problem)
	default:
		said := k.Say("The key is checked with one call before it is kept. It is never written to a file.")
		if !s.ring.Usable { // why there is no choice
			said = note + " " + said
		}
		f.Wrapped(t.Muted, said)
	}
	f.Add("")
	keys := s.keys().Lines(f.Width)
	for i := len(f.Lines) - 1; i >= 0 && len(f.Lines)+len(keys) > s.h-2; i-- { // blank lines give way, the last ones first
		if f.Lines[i] == "" {
			f.Lines = slices.Delete(f.Lines, i, i+1)
		}
	}
	f.Add(keys...)
	pane := widget.Pane{Width: w, Height: min(len(f.Lines)+2, s.h), Title: k.Say("Connect"), Focus: true, Quiet: true}
	lines := pane.Lines(t, f.Lines)
	p.box = widget.Rect{X: (s.w - w) / 2, Y: max((s.h-len(lines))/3, 0), W: w, H: len(lines)}
	for i, head := range heads {
		p.fieldY[i] = -1
		if head != "" {
			p.fieldY[i] = slices.Index(f.Lines, head) + p.box.Y + 1
		}
	}
	p.lines = widget.Overlay(make([]string, s.h), lines, p.box.X, p.box.Y)
	if p.box.Y > 0 {
		p.lines[p.box.Y-1] = theme.Blank(p.box.X) + widget.Above(t, lines[0])
	}
}

// malformed: a field says that what it has cannot be right.
func (s *Screen) malformed() bool {
	return strings.HasPrefix(s.baseHint(), "✕") || strings.HasPrefix(s.keyHint(), "✕")
}

// pictures are what can be made, where there is room.
func (s *Screen) pictures() (lines []string) {
	for y := 0; len(s.examples) > 0 && s.h > 33 && y <= s.examples[0].Rows; y++ {
		line := ""
		for i, th := range s.examples {
			if drawn, _ := s.thumbs.Lines(th); y < th.Rows {
				line += theme.Blank(i*(th.Cols+3)-theme.Width(line)) + drawn[y]
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// keys are the button, dim while a field is wrong or empty. Until there is an address, the
// demo is what can be done.
func (s *Screen) keys() widget.Keys {
	check := s.actions[0]
	check.Disabled = func() string {
		return cmp.Or(s.k.SayIf(s.malformed(), "Correct the marked field first"), s.k.SayIf(s.base.Empty(), "Enter the address first"),
			s.k.SayIf(s.key.Empty(), "Enter the key first"))
	}
	return widget.Keys{K: s.k, Table: []action.Action{check, s.actions[1]}, Words: env.Capital(s.k.Say(check.Label)),
		Second: s.k.Say("Try the demo, without a key"), Loud: s.base.Empty()}
}

// At is the action whose key is shown at a cell, or nil.
func (s *Screen) At(x, y int) *action.Action {
	box := s.page.box
	return s.keys().At(box.W, box.H, x-box.X, y-box.Y)
}

// why says why the key is asked for.
func (s *Screen) why() string {
	k, st := s.k, s.k.Health
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

// text draws a line of text, or what it begins like, behind the cursor.
func (s *Screen) text(l *widget.Line, empty string, w int) string {
	if l.Empty() {
		return s.k.Theme.Faint.Paint(" " + empty)
	}
	return s.k.Theme.Text.Paint(l.Window(w))
}

// baseHint says what the address is, or what is wrong with it.
func (s *Screen) baseHint() string {
	k := s.k
	text := strings.TrimSpace(s.base.Text())
	_, err := api.ParseBase(text)
	switch {
	case s.fixed:
		return k.Say("set by %s", "DARKROOM_BASE_URL")
	case text == "":
		return ""
	case err != nil:
		return "✕ " + env.Sentence(k, err)
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
		return k.Say("From the service's API access page. Not shown as you type.")
	case !strings.HasPrefix(text, "ak_") && !strings.HasPrefix("ak_", text):
		return "✕ " + k.Say("A key starts with ak_; this does not.")
	case err != nil:
		return k.Say("%d characters, not a whole key yet", n)
	}
	return "✓ " + k.Say("%d characters, shaped like a key", n)
}

// keepText is where the key will be kept, if there is a choice, and what that means.
func (s *Screen) keepText() (text, hint string) {
	k := s.k
	switch {
	case !s.ring.Usable && s.ring.Why.IsZero():
		return "", k.Say("Looking for your keyring.")
	case !s.ring.Usable:
		return "", k.Reason(s.ring.Why)
	case s.keep == keys.InKeyring:
		text, hint = k.Say("in your keyring (%s)", s.ring.Name), k.Say("It is there the next time too.")
	default:
		text, hint = k.Say("for this session only"), k.Say("You will be asked again the next time.")
	}
	return k.Theme.Text.Paint("‹ " + text + " ›"), hint
}

// Cursor is in the line being typed.
func (s *Screen) Cursor() *tea.Cursor {
	l := s.line()
	if l == nil || s.trying {
		return nil
	}
	box := s.page.box
	return l.Cursor(box.X+2+3+keyLabel, s.page.fieldY[s.at], box.W-4-keyLabel-4)
}
