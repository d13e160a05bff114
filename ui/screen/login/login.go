// Package login is the screen that asks for the API key.
package login

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state/keys"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

type keyField int

const (
	keyBase keyField = iota
	keyKey
	keyKeep
	keyFields
)

// Screen asks where the service is and for the key: on the first run, and
// when the service refused the one in use.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int
	base    widget.Line
	key     widget.Line
	at      keyField
	fixed   bool // the address is set from outside and cannot be changed here
	keep    keys.Keep
	ring    keys.State
	asked   bool // the keyring's state was asked for

	problem string // why the last try did not succeed
	trying  bool   // a check is under way
	shown   bool
	tries   int // the number of the last try; other answers are dropped
	actions []action.Action
	page    page

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
	s.actions = action.Then([]action.Action{
		{Name: "check_key", Keys: "enter", Label: "check and keep the key", Handler: s.enter, Always: true, Confirms: true, Hidden: true},
		{Name: "demo", Keys: "ctrl+t", Label: "try the demo", Always: true, Hidden: true,
			Handler: func() tea.Cmd { return func() tea.Msg { return msg.DemoMsg{} } }},
		{Name: "next_field", Keys: "tab down", Display: "tab", Label: "next field", Handler: action.By(s.step, 1), Always: true},
		{Name: "previous_field", Keys: "shift+tab up", Label: "previous field", Hidden: true, Handler: action.By(s.step, -1), Always: true},
		{Name: "change_keep", Keys: "right space left", Display: "←/→", Label: "where it is kept", Hidden: true,
			Handler: s.toggle},
		{Name: "close", Keys: "esc", Label: "leave", Handler: s.close, Always: true},
	}, s.arrange)
	return s
}

func (s *Screen) Actions() []action.Action { return s.actions }

func (s *Screen) Typing() bool { return s.at != keyKeep }

func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

func (s *Screen) Restyle() { s.arrange() }

// Focus reads the state of the keyring once.
func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	s.arrange()
	if s.asked {
		return s.thumbs.Want(s.examples)
	}
	s.asked = true
	ctx, backend, draw, drawn := s.k.Context, s.backend, s.k.Example, slices.Clone(s.examples)
	prompts := result.Examples(s.k)
	return tea.Batch(func() tea.Msg { return backend.KeyringState(ctx) }, func() tea.Msg {
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
	s.problem, s.trying = "", false
	s.tries++
	return s.thumbs.Want(nil)
}

// triedMsg is the end of a try: where the key is kept, or why it is not.
type triedMsg struct {
	try  int
	keep keys.Keep
	err  error
}

// Edit gives a key to the line being typed.
func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	defer s.arrange()
	if s.trying {
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
		if l := s.line(); l != nil && !s.trying {
			l.Insert(strings.TrimSpace(m.Content))
			s.problem = ""
		}
	case keys.State:
		s.ring, s.keep = m, keys.ForSession
		if m.Usable && !s.k.Health.KeyPending { // a keyring that waits would keep the key waiting too
			s.keep = keys.InKeyring
		}
	case triedMsg:
		return s.tried(m)
	case msg.ClickMsg:
		if at := slices.Index(s.page.fieldY[:], m.Y); at >= 0 {
			s.at = keyField(at)
		}
	}
	if !s.shown {
		return nil
	}
	return s.thumbs.Want(s.examples)
}

func (s *Screen) Idle() bool { return !s.trying && s.key.Empty() }

// step goes to another field; what cannot be changed is passed over.
func (s *Screen) step(by int) tea.Cmd {
	s.at = (s.at + keyField(by) + keyFields) % keyFields
	if s.at == keyBase && s.fixed || s.at == keyKeep && !s.ring.Usable {
		return s.step(by)
	}
	return nil
}

// toggle keeps the key in the keyring, or for this session only.
func (s *Screen) toggle() tea.Cmd {
	if s.at == keyKeep {
		s.keep = keys.InKeyring + keys.ForSession - s.keep
	}
	return nil
}

// enter goes on to the next field, and from the last one tries the key.
func (s *Screen) enter() tea.Cmd {
	if s.trying {
		return nil
	}
	base := strings.TrimSpace(s.base.Text())
	_, noBase := api.ParseBase(base)
	key, noKey := api.ParseKey(s.key.Text())
	switch {
	case noBase != nil:
		s.at, s.problem = keyBase, env.Sentence(s.k, noBase)
		return nil
	case s.key.Empty() && s.at != keyKey:
		s.at = keyKey
		return nil
	case noKey != nil:
		s.at, s.problem = keyKey, env.Sentence(s.k, noKey)
		return nil
	}
	s.trying, s.problem = true, ""
	s.tries++
	ctx, backend, try, keep := s.k.Context, s.backend, s.tries, s.keep
	return func() tea.Msg {
		if err := backend.CheckKey(ctx, base, key); err != nil {
			return triedMsg{try, keep, err}
		}
		return triedMsg{try, keep, backend.UseKey(ctx, base, key, keep)}
	}
}

// tried goes on with a key that works, or says why it does not.
func (s *Screen) tried(m triedMsg) tea.Cmd {
	if m.try != s.tries {
		return nil
	}
	s.trying = false
	if m.err != nil {
		var e *api.Error
		if errors.As(m.err, &e) {
			m.err = e // what to do about it is in view here
		}
		s.problem = env.Sentence(s.k, m.err)
		return nil
	}
	s.key.Set("")
	said := s.k.Say("The key works. It is kept for this session only.")
	if m.keep == keys.InKeyring {
		said = s.k.Say("The key works and is kept in your keyring (%s).", s.ring.Name)
	}
	return tea.Batch(msg.GoTo(msg.PlaceCreate), msg.Notify(msg.ToneGood, said))
}

// close goes back to a screen with something to see, else it quits.
func (s *Screen) close() tea.Cmd {
	if s.trying {
		s.trying = false
		s.tries++
		return nil
	}
	if s.k.Health.KeyHint == "" && s.k.All == 0 {
		return tea.Quit
	}
	return msg.GoTo(msg.PlaceJobs)
}

// Backend is the part of the session that the screen needs.
type Backend interface {
	CheckKey(ctx context.Context, base string, key api.Key) error
	UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error
	KeyringState(ctx context.Context) keys.State
}
