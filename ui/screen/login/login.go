package login

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state/keys"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// keyField is a field of the key screen.
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
	seq     int
	table   []action.Action
	body    string
	valid   bool
	box     widget.Rect // of the pane in the body
	fieldY  [keyFields]int
}

func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b}
	s.key.Unseen = true
	s.base.Set(k.Settings.BaseURL)
	switch k.Settings.BaseFrom {
	case "environment", "flag", "demo":
		s.fixed = true
	}
	if s.base.Text() != "" {
		s.at = keyKey
	}
	s.table = []action.Action{
		{Keys: []string{"enter"}, Label: "check and keep the key", Handler: s.enter, Always: true},
		{Keys: []string{"ctrl+t"}, Label: "try the demo", Handler: s.demo, Always: true},
		{Keys: []string{"tab", "down"}, Display: "tab", Label: "next field", Handler: s.mover(1), Always: true},
		{Keys: []string{"shift+tab", "up"}, Label: "previous field", Hidden: true, Handler: s.mover(-1), Always: true},
		{Keys: []string{"right", "space", "left"}, Display: "←/→", Label: "where it is kept", Hidden: true, Handler: s.toggle},
		{Keys: []string{"esc"}, Label: "leave", Handler: s.leave, Always: true},
	}
	return s
}

func (s *Screen) Actions() []action.Action { return s.table }
func (s *Screen) Typing() bool             { return s.at != keyKeep }

func (s *Screen) Resize(w, h int) { s.w, s.h = w, h; s.dirty() }
func (s *Screen) Restyle()        { s.dirty() }
func (s *Screen) dirty()          { s.valid = false }

func (s *Screen) Focus() tea.Cmd {
	s.dirty()
	if s.asked {
		return nil
	}
	s.asked = true
	ctx, d := s.k.Context, s.backend
	return func() tea.Msg { return ringMsg{d.KeyringState(ctx)} }
}

// blur forgets what was typed of the key.
func (s *Screen) Blur() tea.Cmd {
	s.key.Set("")
	s.problem, s.trying = "", false
	s.seq++
	return nil
}

// ringMsg says how the keyring is.
type ringMsg struct{ state keys.State }

// triedMsg is the end of a try; where it was kept, or why not.
type triedMsg struct {
	seq  int
	keep keys.Keep
	err  error
}

func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if s.trying {
		return nil, m.String() != "esc"
	}
	l := s.line()
	if l == nil || s.at == keyBase && s.fixed {
		return nil, false
	}
	if !l.Edit(m) {
		return nil, false
	}
	s.problem = ""
	s.dirty()
	return nil, true
}

func (s *Screen) line() *widget.Line {
	switch s.at {
	case keyBase:
		return &s.base
	case keyKey:
		return &s.key
	}
	return nil
}

func (s *Screen) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		l := s.line()
		if l != nil && !s.trying && !(s.at == keyBase && s.fixed) {
			l.Insert(strings.TrimSpace(m.Content))
			s.problem = ""
			s.dirty()
		}
	case ringMsg:
		s.ring = m.state
		s.keep = keys.ForSession
		if m.state.Usable && !s.k.Standing.KeyPending { // a keyring that waits would keep the key waiting too
			s.keep = keys.InKeyring
		}
		s.dirty()
	case triedMsg:
		return s.tried(m)
	case msg.ChangedMsg:
		s.dirty()
	case msg.ClickMsg:
		for f, y := range s.fieldY {
			if m.Y == y {
				s.at = keyField(f)
				s.dirty()
			}
		}
	}
	return nil
}

// idle reports whether nobody is giving a key here.
func (s *Screen) Idle() bool { return !s.trying && s.key.Empty() }

func (s *Screen) mover(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.at = (s.at + keyField(by) + keyFields) % keyFields
		if s.at == keyBase && s.fixed {
			s.at = (s.at + keyField(by) + keyFields) % keyFields
		}
		s.dirty()
		return nil
	}
}

func (s *Screen) toggle() tea.Cmd {
	if s.at != keyKeep || !s.ring.Usable {
		return nil
	}
	s.keep = keys.InKeyring + keys.ForSession - s.keep
	s.dirty()
	return nil
}

// enter goes on to the next field, and from the last one tries the key.
func (s *Screen) enter() tea.Cmd {
	if s.trying {
		return nil
	}
	base := strings.TrimSpace(s.base.Text())
	s.dirty()
	if _, err := api.ParseBase(base); err != nil {
		s.at, s.problem = keyBase, env.Sentence(s.k, err)
		return nil
	}
	if s.key.Empty() && s.at != keyKey {
		s.at = keyKey
		return nil
	}
	key, err := api.ParseKey(s.key.Text())
	if err != nil {
		s.at, s.problem = keyKey, env.Sentence(s.k, err)
		return nil
	}
	s.trying, s.problem = true, ""
	s.seq++
	ctx, d, seq, keep := s.k.Context, s.backend, s.seq, s.keep
	return func() tea.Msg {
		if err := d.CheckKey(ctx, base, key); err != nil {
			return triedMsg{seq, keep, err}
		}
		return triedMsg{seq, keep, d.UseKey(ctx, base, key, keep)}
	}
}

func (s *Screen) tried(m triedMsg) tea.Cmd {
	if m.seq != s.seq {
		return nil
	}
	s.trying = false
	s.dirty()
	if m.err != nil {
		s.problem = env.Sentence(s.k, m.err)
		if e := (*api.Error)(nil); errors.As(m.err, &e) {
			s.problem = env.Sentence(s.k, e) // what to do about it is in view here
		}
		return nil
	}
	s.key.Set("")
	said := s.k.Say("The key works. It is kept for this session only.")
	if m.keep == keys.InKeyring {
		said = s.k.Say("The key works and is kept in your keyring (%s).", s.ring.Name)
	}
	return tea.Batch(msg.GoTo(msg.PlaceCreate), msg.Notify(msg.ToneGood, said))
}

// leave goes back to where there is something to see, else out.
func (s *Screen) leave() tea.Cmd {
	if s.trying {
		s.trying = false
		s.seq++
		s.dirty()
		return nil
	}
	if s.k.Standing.KeyHint == "" && s.k.All == 0 {
		return tea.Quit
	}
	return msg.GoTo(msg.PlaceJobs)
}

// demo leaves and asks whoever started App to run the demo instead.
func (s *Screen) demo() tea.Cmd { return func() tea.Msg { return msg.DemoMsg{} } }
