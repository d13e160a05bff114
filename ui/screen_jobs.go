package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// jobs is the list of everything ever confirmed.
type jobs struct {
	k     *kit
	w, h  int
	drawn string
}

func newJobs(k *kit) *jobs { return &jobs{k: k} }

func (s *jobs) actions() []action                    { return nil }
func (s *jobs) typing() bool                         { return false }
func (s *jobs) edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (s *jobs) update(tea.Msg) tea.Cmd               { return nil }
func (s *jobs) resize(w, h int)                      { s.w, s.h, s.drawn = w, h, "" }
func (s *jobs) restyle()                             { s.drawn = "" }
func (s *jobs) cursor() *tea.Cursor                  { return nil }
func (s *jobs) focus() tea.Cmd                       { return nil }
func (s *jobs) blur() tea.Cmd                        { return nil }

func (s *jobs) view() string {
	if s.drawn == "" {
		p := pane{w: s.w, h: s.h, title: s.k.say("Jobs"), focus: true}
		s.drawn = strings.Join(p.lines(s.k.theme, nil), "\n")
	}
	return s.drawn
}
