package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state/keys"
)

// keyField is a field of the key screen.
type keyField int

const (
	keyBase keyField = iota
	keyKey
	keyKeep
	keyFields
)

// keyScreen asks where the service is and for the key: on the first run, and
// when the service refused the one in use.
type keyScreen struct {
	k       *kit
	backend keyBackend
	w, h    int
	base    line
	key     line
	at      keyField
	fixed   bool // the address is set from outside and cannot be changed here
	keep    keys.Keep
	ring    keys.State
	asked   bool // the keyring's state was asked for

	problem string // why the last try did not succeed
	trying  bool   // a check is under way
	seq     int
	table   []action
	body    string
	valid   bool
	box     rect // of the pane in the body
	fieldY  [keyFields]int
}

func newKeyScreen(k *kit, b keyBackend) *keyScreen {
	s := &keyScreen{k: k, backend: b}
	s.key.unseen = true
	s.base.set(k.settings.BaseURL)
	switch k.settings.BaseFrom {
	case "environment", "flag", "demo":
		s.fixed = true
	}
	if s.base.text() != "" {
		s.at = keyKey
	}
	s.table = []action{
		{keys: []string{"enter"}, label: "check and keep the key", do: s.enter, always: true},
		{keys: []string{"ctrl+t"}, label: "try the demo", do: s.demo, always: true},
		{keys: []string{"tab", "down"}, show: "tab", label: "next field", do: s.mover(1), always: true},
		{keys: []string{"shift+tab", "up"}, label: "previous field", quiet: true, do: s.mover(-1), always: true},
		{keys: []string{"right", "space", "left"}, show: "←/→", label: "where it is kept", quiet: true, do: s.toggle},
		{keys: []string{"esc"}, label: "leave", do: s.leave, always: true},
	}
	return s
}

func (s *keyScreen) actions() []action { return s.table }
func (s *keyScreen) typing() bool      { return s.at != keyKeep }

func (s *keyScreen) resize(w, h int) { s.w, s.h = w, h; s.dirty() }
func (s *keyScreen) restyle()        { s.dirty() }
func (s *keyScreen) dirty()          { s.valid = false }

func (s *keyScreen) focus() tea.Cmd {
	s.dirty()
	if s.asked {
		return nil
	}
	s.asked = true
	ctx, d := s.k.ctx, s.backend
	return func() tea.Msg { return ringMsg{d.KeyringState(ctx)} }
}

// blur forgets what was typed of the key.
func (s *keyScreen) blur() tea.Cmd {
	s.key.set("")
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

func (s *keyScreen) edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if s.trying {
		return nil, m.String() != "esc"
	}
	l := s.line()
	if l == nil || s.at == keyBase && s.fixed {
		return nil, false
	}
	if !l.edit(m) {
		return nil, false
	}
	s.problem = ""
	s.dirty()
	return nil, true
}

func (s *keyScreen) line() *line {
	switch s.at {
	case keyBase:
		return &s.base
	case keyKey:
		return &s.key
	}
	return nil
}

func (s *keyScreen) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		l := s.line()
		if l != nil && !s.trying && !(s.at == keyBase && s.fixed) {
			l.insert(strings.TrimSpace(m.Content))
			s.problem = ""
			s.dirty()
		}
	case ringMsg:
		s.ring = m.state
		s.keep = keys.ForSession
		if m.state.Usable && !s.k.standing.KeyPending { // a keyring that waits would keep the key waiting too
			s.keep = keys.InKeyring
		}
		s.dirty()
	case triedMsg:
		return s.tried(m)
	case changedMsg:
		s.dirty()
	case clickMsg:
		for f, y := range s.fieldY {
			if m.y == y {
				s.at = keyField(f)
				s.dirty()
			}
		}
	}
	return nil
}

// idle reports whether nobody is giving a key here.
func (s *keyScreen) idle() bool { return !s.trying && s.key.empty() }

func (s *keyScreen) mover(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.at = (s.at + keyField(by) + keyFields) % keyFields
		if s.at == keyBase && s.fixed {
			s.at = (s.at + keyField(by) + keyFields) % keyFields
		}
		s.dirty()
		return nil
	}
}

func (s *keyScreen) toggle() tea.Cmd {
	if s.at != keyKeep || !s.ring.Usable {
		return nil
	}
	s.keep = keys.InKeyring + keys.ForSession - s.keep
	s.dirty()
	return nil
}

// enter goes on to the next field, and from the last one tries the key.
func (s *keyScreen) enter() tea.Cmd {
	if s.trying {
		return nil
	}
	base := strings.TrimSpace(s.base.text())
	s.dirty()
	if _, err := api.ParseBase(base); err != nil {
		s.at, s.problem = keyBase, sentence(s.k, err)
		return nil
	}
	if s.key.empty() && s.at != keyKey {
		s.at = keyKey
		return nil
	}
	key, err := api.ParseKey(s.key.text())
	if err != nil {
		s.at, s.problem = keyKey, sentence(s.k, err)
		return nil
	}
	s.trying, s.problem = true, ""
	s.seq++
	ctx, d, seq, keep := s.k.ctx, s.backend, s.seq, s.keep
	return func() tea.Msg {
		if err := d.CheckKey(ctx, base, key); err != nil {
			return triedMsg{seq, keep, err}
		}
		return triedMsg{seq, keep, d.UseKey(ctx, base, key, keep)}
	}
}

func (s *keyScreen) tried(m triedMsg) tea.Cmd {
	if m.seq != s.seq {
		return nil
	}
	s.trying = false
	s.dirty()
	if m.err != nil {
		s.problem = sentence(s.k, m.err)
		if e := (*api.Error)(nil); errors.As(m.err, &e) {
			s.problem = sentence(s.k, e) // what to do about it is in view here
		}
		return nil
	}
	s.key.set("")
	said := s.k.say("The key works. It is kept for this session only.")
	if m.keep == keys.InKeyring {
		said = s.k.say("The key works and is kept in your keyring (%s).", s.ring.Name)
	}
	return tea.Batch(goTo(placeCreate), say(toneGood, said))
}

// leave goes back to where there is something to see, else out.
func (s *keyScreen) leave() tea.Cmd {
	if s.trying {
		s.trying = false
		s.seq++
		s.dirty()
		return nil
	}
	if s.k.standing.KeyHint == "" && s.k.all == 0 {
		return tea.Quit
	}
	return goTo(placeJobs)
}

// demo leaves and asks whoever started App to run the demo instead.
func (s *keyScreen) demo() tea.Cmd { return func() tea.Msg { return demoMsg{} } }
