package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
)

func TestAnAbsenceIsSummedUpAtTheStart(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeSession) { d.absence = state.Absence{Done: 3, Broken: 1, Credits: 700 * api.Credit} }, func(p *pilot) {
		p.pass(lookBackPause)
		p.shows("While you were away: 3 done, 1 failed, about 700 cr.")
	})
	fly(t, 120, 40, func(d *fakeSession) { d.absence = state.Absence{Broken: 1, Expired: 2, Credits: 850 * api.Credit} }, func(p *pilot) {
		p.pass(lookBackPause)
		p.shows("While you were away: 0 done, 1 failed, 2 with expired links, about 850 cr.")
	})
	fly(t, 120, 40, nil, func(p *pilot) { p.pass(lookBackPause); p.lacks("While you were away") })
}

// The title in a notification is text from outside: it can neither end the
// sequence nor add a field to it.
func TestANotificationHasTheTitleAndNothingElse(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 3, func(p *pilot) {
		p.app.opts.Env = func(name string) string { return map[string]string{"TERM": "foot"}[name] }
		p.send(tea.BlurMsg{})
		j := madeUpJob(0, "a boat;\x07\x1b]52;c;aGk=\x1b\\ at sea", api.PhaseDone)
		j.EndedAt, j.Version = fakeNow.Add(time.Second), 2
		p.session.replace(j)
		p.pass(time.Second)
		sent := p.written()
		at := strings.Index(sent, "\x1b]777;")
		if at < 0 {
			t.Fatalf("nothing was sent: %q", sent)
		}
		note := sent[at:]
		if end := strings.IndexByte(note, '\x07'); end < 0 || strings.Count(note[:end], ";") != 3 || strings.Contains(note[1:end], "\x1b") || !strings.Contains(note[:end], "is done") {
			t.Errorf("%q", note)
		}
	})
}
