// Package login is the screen that asks for the API key.
package login

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// The fields.
const (
	keyBase = iota
	keyKey
	keyKeep
	keyFields
)

// Screen asks where the service is and for the key: on the first run, and
// when the service refused the one in use.
type Screen struct {
	widget.Passive
	k       *env.Env
	backend Backend
	w, h    int
	base    widget.Line
	key     widget.Line
	at      int        // the field that has the keys
	fixed   bool       // the address is set from outside and cannot be changed here
	keep    bool       // the key, in the keyring; else it is for this session
	ring    keys.State // zero until the keyring's state is known

	problem string // why the last try did not succeed
	wrong   bool   // a field says that what it has cannot be right
	trying  *try   // the one under way, or nil; the answers to others are dropped
	shown   bool

	lines  []string    // as they are drawn
	box    widget.Rect // of the pane in the body
	fieldY [keyFields]int

	examples []result.Thumb // pictures of what can be made
	thumbs   *result.Thumbs
}

// New makes the screen, with the address that the settings have.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, thumbs: result.NewThumbs(k)}
	if s.key.Unseen = true; k.Example != nil {
		s.examples = slices.Repeat([]result.Thumb{{Cols: 22, Rows: 8}}, 3)
	}
	s.base.Set(k.Settings.BaseURL)
	s.fixed = k.Settings.BaseFrom == "environment"
	if s.base.Text() != "" {
		s.at = keyKey
	}
	s.Table = action.Then([]action.Action{
		{Name: "check_key", Keys: "enter", Label: "check and keep the key", Handler: s.enter, Always: true, Confirms: true, Hidden: true},
		{Name: "demo", Keys: "ctrl+t", Label: "try the demo", Always: true, Hidden: true,
			Handler: func() tea.Cmd { return func() tea.Msg { return msg.DemoMsg{} } }},
		{Name: "next_field", Keys: "tab down", Display: "tab", Label: "next field", Handler: action.Do(s.step, 1), Always: true},
		{Name: "previous_field", Keys: "shift+tab up", Label: "previous field", Hidden: true, Handler: action.Do(s.step, -1), Always: true},
		{Name: "change_keep", Keys: "right space left", Display: "←/→", Label: "where it is kept", Hidden: true,
			Handler: func() tea.Cmd { s.keep = s.keep != (s.at == keyKeep); return nil }},
		{Name: "close", Keys: "esc", Label: "leave", Handler: s.close, Always: true},
	}, s.arrange)
	return s
}

func (s *Screen) Typing() bool { return s.at != keyKeep }

func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

func (s *Screen) Restyle() { s.arrange() }

// Focus reads the state of the keyring until it is known.
func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	s.arrange()
	if s.ring != (keys.State{}) {
		return s.thumbs.Want(s.examples)
	}
	backend, draw, drawn, prompts := s.backend, s.k.Example, slices.Clone(s.examples), result.Examples(s.k)
	return tea.Batch(func() tea.Msg { return backend.KeyringState() }, func() tea.Msg {
		for i := range drawn {
			drawn[i].Path = draw(prompts[i])
		}
		return drawn
	})
}

// Blur forgets a half-typed key.
func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	s.key.Set("")
	s.problem, s.trying = "", nil
	return s.thumbs.Want(nil)
}

// try is one try of a key: where it is to be kept, and at the end why it was not. It is also the
// message that says that it has ended.
type try struct {
	keep bool
	err  error
}

// Edit gives a key to the line being typed.
func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	defer s.arrange()
	if s.trying != nil {
		return nil, m.String() != "esc"
	}
	l := s.line()
	used := l != nil && l.Edit(m)
	if used {
		s.problem = ""
	}
	return nil, used
}

// line is the line of text that has the keys, or nil.
func (s *Screen) line() *widget.Line {
	switch {
	case s.at == keyBase && !s.fixed:
		return &s.base
	case s.at == keyKey:
		return &s.key
	}
	return nil
}

func (s *Screen) Update(message tea.Msg) tea.Cmd {
	defer s.arrange()
	s.thumbs.Update(message)
	switch m := message.(type) {
	case []result.Thumb:
		s.examples = m
	case tea.PasteMsg:
		if l := s.line(); l != nil && s.trying == nil {
			l.Insert(strings.TrimSpace(m.Content))
			s.problem = ""
		}
	case keys.State:
		s.ring, s.keep = m, m.Usable && !s.k.Health.KeyPending // a keyring that waits would keep the key waiting too
	case *try:
		return s.tried(m)
	case msg.ClickMsg:
		if at := slices.Index(s.fieldY[:], m.Y); at >= 0 {
			s.at = at
		}
	}
	if !s.shown {
		return nil
	}
	return s.thumbs.Want(s.examples)
}

func (s *Screen) Idle() bool { return s.trying == nil && s.key.Empty() }

// step goes to another field; what cannot be changed is passed over.
func (s *Screen) step(by int) {
	s.at = (s.at + by + keyFields) % keyFields
	if s.at == keyBase && s.fixed || s.at == keyKeep && !s.ring.Usable {
		s.step(by)
	}
}

// enter goes on to the next field, and from the last one tries the key.
func (s *Screen) enter() tea.Cmd {
	base := strings.TrimSpace(s.base.Text())
	_, noBase := api.ParseBase(base)
	key, noKey := api.ParseKey(s.key.Text())
	switch {
	case s.trying != nil:
	case noBase != nil:
		s.at, s.problem = keyBase, env.Sentence(s.k, noBase)
	case s.key.Empty() && s.at != keyKey:
		s.at = keyKey
	case noKey != nil:
		s.at, s.problem = keyKey, env.Sentence(s.k, noKey)
	default:
		ctx, backend, one := s.k.Context, s.backend, &try{keep: s.keep}
		s.trying, s.problem = one, ""
		return func() tea.Msg {
			if one.err = backend.CheckKey(ctx, base, key); one.err == nil {
				one.err = backend.UseKey(ctx, base, key, one.keep)
			}
			return one
		}
	}
	return nil
}

// tried goes on with a key that works, or says why it does not.
func (s *Screen) tried(m *try) tea.Cmd {
	if m != s.trying {
		return nil
	}
	s.trying = nil
	if m.err != nil {
		if e, ok := errors.AsType[*api.Error](m.err); ok {
			m.err = e // what to do about it is in view here
		}
		s.problem = env.Sentence(s.k, m.err)
		return nil
	}
	s.key.Set("")
	said := cmp.Or(s.k.SayIf(m.keep, "The key works and is kept in your keyring (%s).", s.ring.Name),
		s.k.Say("The key works. It is kept for this session only."))
	return tea.Batch(s.k.Do(msg.WentMsg{To: msg.PlaceCreate}), msg.Notify(msg.ToneGood, said))
}

// close goes back to a screen with something to see, else it quits.
func (s *Screen) close() tea.Cmd {
	if s.trying != nil {
		s.trying = nil
		return nil
	}
	if s.k.Health.KeyHint == "" && s.k.All == 0 {
		return tea.Quit
	}
	return s.k.Do(msg.WentMsg{To: msg.PlaceJobs})
}

// Backend is the part of the session that the screen needs.
type Backend interface {
	CheckKey(ctx context.Context, base string, key api.Key) error
	UseKey(ctx context.Context, base string, key api.Key, keep bool) error
	KeyringState() keys.State
}

const (
	keyWidth = 78
	keyLabel = 10
)

func (s *Screen) View() []string { return s.lines }

// arrange lays the page out, in the middle of the body. Every way into the screen ends
// with it, so that drawing changes nothing.
func (s *Screen) arrange() {
	if s.w == 0 || !s.shown {
		return
	}
	k, t, w := s.k, s.k.Theme, min(keyWidth, s.w)
	s.wrong = false
	f := &widget.Facts{Width: w - 2*widget.Inset, Theme: t, Lines: []string{""}}
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
		case at == keyKeep && !s.ring.Usable:
			continue
		case s.at == at:
			bar, style = "▸ ", t.Accent
		case at == keyBase && s.fixed:
			ground = theme.Ground{}
		}
		if strings.HasPrefix(field.hint, "✕") {
			hint, s.wrong = t.Bad, true
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
	case s.trying != nil:
		f.Wrapped(t.Run, "◐ "+k.Say("Checking the key with one call."))
	case s.problem != "" && !s.wrong:
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
	p := widget.Pane{Width: w, Height: min(len(f.Lines)+2, s.h), Title: k.Say("Connect"), Focus: true, Quiet: true, Inset: true}
	lines := p.Lines(t, f.Lines)
	s.box = widget.Rect{X: (s.w - w) / 2, Y: max((s.h-len(lines))/3, 0), W: w, H: len(lines)}
	for i, head := range heads {
		s.fieldY[i] = -1
		if head != "" {
			s.fieldY[i] = slices.Index(f.Lines, head) + s.box.Y + 1
		}
	}
	s.lines = widget.Overlay(make([]string, s.h), lines, s.box.X, s.box.Y)
	if s.box.Y > 0 {
		s.lines[s.box.Y-1] = theme.Blank(s.box.X) + widget.Above(t, lines[0])
	}
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
	check := s.Table[0]
	check.Disabled = func() string {
		return cmp.Or(s.k.SayIf(s.wrong, "Correct the marked field first"), s.k.SayIf(s.base.Empty(), "Enter the address first"),
			s.k.SayIf(s.key.Empty(), "Enter the key first"))
	}
	return widget.Keys{K: s.k, Table: []action.Action{check, s.Table[1]}, Words: env.Capital(s.k.Say(check.Label)),
		Second: s.k.Say("Try the demo, without a key"), Loud: s.base.Empty()}
}

// At is the action whose key is shown at a cell, or nil.
func (s *Screen) At(x, y int) *action.Action {
	return s.keys().At(s.box.W-2, s.box.H, x-s.box.X-1, y-s.box.Y)
}

// why says why the key is asked for.
func (s *Screen) why() string {
	k, st := s.k, s.k.Health
	if slices.Contains([]api.Reason{state.ErrNoBase.Why(), state.ErrNoKey.Why(), keys.ErrNone.Why()}, st.KeyError) {
		st.KeyError = api.Reason{} // what is said last says it
	}
	return cmp.Or(
		k.SayIf(st.KeyRefused, "The service refused the key %s. Give a valid one, and everything goes on where it stopped.", st.KeyHint),
		k.SayIf(st.KeyPending, "Your keyring has not answered yet. Wait for it, or type the key for this session."),
		k.Reason(st.KeyError), k.Say("darkroom needs to know where the service is, and your key to it."))
}

// text draws a line of text, or what it begins like, behind the cursor.
func (s *Screen) text(l *widget.Line, empty string, w int) string {
	return cmp.Or(s.k.Theme.Text.Paint(l.Window(w)), s.k.Theme.Faint.Paint(" "+empty))
}

// baseHint says what the address is, or what is wrong with it.
func (s *Screen) baseHint() string {
	k, text := s.k, strings.TrimSpace(s.base.Text())
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
		return k.Say("From the service's API key page. Not shown as you type.")
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
	case s.keep:
		text, hint = k.Say("in your keyring (%s)", s.ring.Name), k.Say("It is there the next time too.")
	default:
		text, hint = k.Say("for this session only"), k.Say("You will be asked again the next time.")
	}
	return k.Theme.Text.Paint("‹ " + text + " ›"), hint
}

// Cursor is in the line being typed.
func (s *Screen) Cursor() *tea.Cursor {
	l := s.line()
	if l == nil || s.trying != nil {
		return nil
	}
	return l.Cursor(s.box.X+widget.Inset+3+keyLabel, s.fieldY[s.at], s.box.W-2*widget.Inset-keyLabel-4)
}
