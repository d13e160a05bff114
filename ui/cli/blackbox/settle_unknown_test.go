//go:build linux

package blackbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// doubt is a home with a service that accepts and does not say so.
type doubt struct {
	t       *testing.T
	h       *home
	service *simtest.Server
}

func newDoubt(t *testing.T) *doubt {
	t.Helper()
	service := startService(t, simtest.Options{LongSide: 64})
	return &doubt{t, newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1"), service}
}

// job leaves a job in doubt, and gives it with the id that the service gave it.
func (d *doubt) job(prompt, do, phase string) (job, string) {
	d.t.Helper()
	d.service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: do})
	j := document[job](d.t, d.h.run("image", prompt, "--model", "lumen/still-1", "--yes", "--json").wantCode(d.t, 6))
	d.service.ClearFaults()
	expect.Must(d.t, j.Phase == phase, do, j.Phase, "want", phase)
	for _, e := range d.service.Ledger() {
		if e.Prompt == prompt {
			return j, e.ID
		}
	}
	d.t.Fatalf("%s: the service did not accept it", do)
	return j, ""
}

// sentBy counts the creates that a action sent.
func (d *doubt) sentBy(action func()) int {
	before := creates(d.service)
	action()
	return creates(d.service) - before
}

func (d *doubt) phase(id string) string {
	d.t.Helper()
	return document[job](d.t, d.h.run("job", id, "--json").wantCode(d.t, 0)).Phase
}

// twoDoubts are the two ways to be in doubt.
var twoDoubts = map[string]string{"reset-after-body": "unknown", "no-id": "unread"}

// TestSettlingByCommand settles jobs in doubt on the command line: look, attach,
// dismiss and send again, with every answer to every question.
func TestSettlingByCommand(t *testing.T) {
	t.Parallel()
	for do, phase := range twoDoubts {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			d := newDoubt(t)
			d.attachByCommand(do, phase)
			d.dismissByCommand(do, phase)
			d.resendByCommand(do, phase)
		})
	}
}

func (d *doubt) attachByCommand(do, phase string) {
	d.t.Helper()
	j, remote := d.job("attach", do, phase)
	answer := document[struct {
		Raw json.RawMessage `json:"raw"`
	}](d.t, d.h.run("job", j.ID, "--raw", "--json").wantCode(d.t, 0)).Raw
	expect.Equal(d.t, len(answer) > 2 && string(answer) != "null", phase == "unread", phase, "the raw answer is", string(answer))
	n := d.sentBy(func() {
		for _, id := range []string{"", " ", "..", strings.Repeat("x", 200)} {
			d.h.run("job", j.ID, "--attach", id).wantCode(d.t, 2)
		}
		expect.Equal(d.t, d.phase(j.ID), phase, "an id that is none made it")
		d.h.run("job", j.ID, "--attach", " "+remote+" ", "--json").wantCode(d.t, 0)
		d.h.run("job", j.ID, "--attach", "another").wantCode(d.t, 2)
		done := document[job](d.t, d.h.run("wait", j.ID, "--json").wantCode(d.t, 0))
		expect.That(d.t, done.Phase == "done" && done.RemoteID != nil && *done.RemoteID == remote, "attached", done.Phase)
		sameAsServed(d.t, d.service, done)
		for _, action := range []string{"--attach=x", "--dismiss", "--resend"} {
			d.h.run("job", j.ID, action, "--yes", "--yes").wantCode(d.t, 2) // it is done
		}
	})
	expect.Equal(d.t, n, 0, "creates sent by attaching")
}

func (d *doubt) dismissByCommand(do, phase string) {
	d.t.Helper()
	j, _ := d.job("dismiss", do, phase)
	n := d.sentBy(func() {
		expect.Equal(d.t, d.asked(map[string]string{"not charged?": "n\n"}, "job", j.ID, "--dismiss"), 2, "a refused question ended with")
		d.h.with("DARKROOM_BUDGET", "12.5").run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(d.t, 2) // it counts as spent
		expect.Equal(d.t, d.asked(map[string]string{"not charged?": "y\n"}, "job", j.ID, "--dismiss"), 0, "dismissing ended with")
	})
	expect.Equal(d.t, n, 0, "creates sent by dismissing")
}

// resendByCommand answers the two questions in every way.
func (d *doubt) resendByCommand(do, phase string) {
	d.t.Helper()
	j, _ := d.job("send again", do, phase)
	first, second := "Send this request again?", "It may be charged twice."
	questions := 0
	for _, c := range []struct {
		answers map[string]string
		args    []string
		code    int
		sent    int
	}{
		{map[string]string{first: "n\n"}, nil, 2, 0},
		{map[string]string{first: "\n"}, nil, 2, 0},
		{map[string]string{first: "\x04"}, nil, 2, 0}, // end of the input
		{map[string]string{first: "<ctrl+c>"}, nil, 2, 0},
		{map[string]string{first: "y\n", second: "n\n"}, nil, 2, 0},
		{map[string]string{first: "y\n", second: "maybe\n"}, nil, 2, 0},
		{map[string]string{first: "y\n", second: "<ctrl+c>"}, nil, 2, 0},
		{map[string]string{second: "n\n"}, []string{"--yes"}, 2, 0},
		{map[string]string{first: "y\n", second: "yes\n"}, nil, 0, 1},
	} {
		n := d.sentBy(func() {
			code := d.asked(c.answers, append([]string{"job", j.ID, "--resend"}, c.args...)...)
			expect.Equal(d.t, code, c.code, c.answers, c.args, "ended with")
		})
		questions += len(c.answers)
		expect.Equal(d.t, n, c.sent, c.answers, c.args, "creates")
		expect.Equal(d.t, d.phase(j.ID), phase, c.answers, "the first job")
	}
	for _, args := range [][]string{nil, {"--yes"}} {
		n := d.sentBy(func() { d.h.run(append([]string{"job", j.ID, "--resend"}, args...)...).wantCode(d.t, 2) })
		expect.Equal(d.t, n, 0, "creates without a terminal, with", args)
	}
	d.t.Logf("%s: %d questions answered in 9 runs, 1 create", phase, questions)
}

// asked runs a command in a terminal, answers its questions as they come, and
// gives its exit code.
func (d *doubt) asked(answers map[string]string, args ...string) int {
	d.t.Helper()
	s := d.h.open(100, 20, args...)
	for range answers {
		var answer string
		s.waitUntil("one of the questions is asked", func(screen string) bool {
			for question, text := range answers {
				if strings.Contains(screen, question) && text != "" {
					answer, answers[question] = text, ""
					return true
				}
			}
			return false
		})
		s.keys(answer)
	}
	return s.end()
}

// TestSettlingOnScreen settles jobs in doubt on the Jobs screen.
func TestSettlingOnScreen(t *testing.T) {
	t.Parallel()
	for do, phase := range twoDoubts {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			d := newDoubt(t)
			d.onScreen(do, phase)
		})
	}
}

func (d *doubt) onScreen(do, phase string) {
	t := d.t
	third, _ := d.job("zebra-1", do, phase)
	second, remote := d.job("yak-1", do, phase)
	first, _ := d.job("xerus-1", do, phase)
	d.h.configure("on_done = \"nothing\"\n") // the picture of what is done would take the keys at any moment
	s := d.h.screens(110, 34)
	s.keysTo("<alt+2>", "/ filter", "xerus-1", "yak-1", "zebra-1")
	sent := d.sentBy(func() {
		// Every way out of the two questions, a key of the other question, and
		// a paste that looks like the answers.
		for _, way := range []string{"<enter>|Outcome unknown|s|Send again?|<esc>", "<enter>|Outcome unknown|s|Send again?|n", "<enter>|Outcome unknown|s|Send again?|y|Charged twice?|<esc>", "<enter>|Outcome unknown|s|Send again?|y|Charged twice?|y|Charged twice?|n",
			"<enter>|Outcome unknown|s|Send again?|y|Charged twice?|<enter>|Charged twice?|<esc>", "<enter>|Outcome unknown|s|Send again?|\x1b[200~y\x1b[201~|Send again?|<esc>", "\x1b[200~sys\x1b[201~"} {
			for i, step := range strings.Split(way, "|") {
				if i%2 == 1 {
					s.waitFor(step)
				} else {
					s.keys(step)
				}
			}
			s.waitUntil("no question is open", func(screen string) bool {
				return !strings.Contains(screen, "Send again?") && !strings.Contains(screen, "Charged twice?")
			})
		}
	})
	expect.Equal(t, sent, 0, "creates of refused questions")
	sent = d.sentBy(func() {
		s.keysTo("<enter>", "Outcome unknown")
		s.keysTo("s", "Send again?")
		s.keysTo("y", "Charged twice?")
		s.keys("sss")
		d.awaitCreates(s, 4)
	})
	expect.Equal(t, sent, 1, "creates of two agreements")
	s.keys("<esc>")                    // a third s is another key of the list
	s.waitPast("Send again?", "done ") // a key just after a change that nobody made is dropped
	d.choose(s, "yak-1")
	s.keysTo("<enter>", "Outcome unknown")
	s.keysTo("a", "Enter job id")
	s.keysTo(remote, remote) // on a busy machine what was typed is handled late, and enter too soon after it confirms nothing
	s.keys("<enter>")
	d.awaitPhase(s, second.ID, "done")
	s.keysTo("<esc>", "xerus-1", "yak-1", "zebra-1")
	d.choose(s, "zebra-1")
	s.keysTo("<enter>", "Outcome unknown")
	s.keysTo("x", "Not charged?")
	s.keys("n")
	s.waitUntil("no question is open", func(screen string) bool { return !strings.Contains(screen, "Not charged?") })
	expect.That(t, !d.dismissed(third.ID), "a refused question dismissed the job")
	s.keysTo("<enter>", "Outcome unknown")
	s.keysTo("x", "Not charged?")
	s.keysTo("y", "no longer counts")
	expect.That(t, d.dismissed(third.ID), "the job was not dismissed")
	s.keys("<ctrl+q>")
	expect.Equal(t, s.end(), 0, "how the screens ended")
	expect.Equal(t, d.phase(first.ID), phase, "the job that was sent again")
	t.Logf("%s: 7 ways to refuse, 0 creates; 2 agreements, %d create; 1 id attached, 1 job dismissed", phase, sent)
}

// awaitCreates waits until the service saw n creates in all.
func (d *doubt) awaitCreates(s *terminal, n int) {
	d.t.Helper()
	s.waitUntil(fmt.Sprint(n, " creates were sent"), func(string) bool { return creates(d.service) >= n })
	d.awaitPhase(s, d.h.jobs()[0].ID, "done")
}

// awaitPhase waits until a job is in a phase.
func (d *doubt) awaitPhase(s *terminal, id, phase string) {
	d.t.Helper()
	s.waitUntil("job "+id+" is "+phase, func(string) bool { return d.phase(id) == phase })
}

// choose selects the job whose prompt has the word. It needs a character that no
// job's id has, since words are looked for there too.
func (d *doubt) choose(s *terminal, word string) {
	d.t.Helper()
	s.keys("/" + word + "<enter>")
	s.waitUntil("only "+word+" is listed", func(screen string) bool {
		for _, other := range []string{"xerus-1", "yak-1", "zebra-1"} {
			if strings.Contains(screen, other) != (other == word) {
				return false
			}
		}
		return true
	})
}

// dismissed reads from the store whether a job no longer counts.
func (d *doubt) dismissed(id string) bool {
	d.t.Helper()
	db := d.h.store()
	var yes bool
	must(d.t, db.QueryRow(`SELECT dismissed FROM jobs WHERE id=?`, id).Scan(&yes))
	return yes
}
