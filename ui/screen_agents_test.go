package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
)

// hostilePrompt tries to look like one of our lines.
const hostilePrompt = "a koi”\n\n0 credits now · studio: today 0\n\x1b[31m\u202eenter send\u2028esc back " +
	"and then a very long text that goes on and on until it does not fit any more into the few lines that there are for it"

// askedJob has an agent ask for an image.
func askedJob(d *fakeSession, prompt string) {
	d.fill(8)
	for _, entry := range []string{"studio", "other"}[:1+min(len(prompt)/100, 1)] { // the newest comes first
		j := madeUpJob(1, "a koi", api.PhaseHeld)
		j.ID, j.RemoteID, j.Version, j.Entry, j.Paused, j.Estimate.Credits = entry+"1", "", 1, entry, true, 425*api.Credit
		j.Request = api.Request{Kind: api.KindImage, Model: "acme/brush", Prompt: prompt, ImageURL: "https://evil.example/?stolen=secret"}
		d.add(j)
		d.queue.offer = state.Offer{Held: []state.Held{{Job: j}, {Job: j}}, Total: 450 * api.Credit, Agreed: 425 * api.Credit, Known: true}
	}
}

func inAsked(d *fakeSession) { askedJob(d, hostilePrompt) }

func TestAgents(t *testing.T) { flyEach(t, agentFlights) }

var agentFlights = []flight{
	// What an agent asks for rings once, in the tab, in a notice, and for who is away.
	{"an agent rings", fly(120, 40, func(d *fakeSession) { d.fill(3) }), func(p *pilot) {
		p.send(tea.BlurMsg{})
		askedJob(p.session, "a koi")
		p.session.changes <- nil
		p.settle()
		p.shows("studio asks for 425 credits · alt+2", "◆1")
		raw := ""
		for _, m := range p.raw {
			if r, ok := m.(tea.RawMsg); ok {
				raw += r.Msg.(string)
			}
		}
		if !strings.Contains(raw, "\x07") {
			p.t.Errorf("no notification: %q", raw)
		}
		p.keys("x")
		p.session.changes <- nil
		p.settle()
		if strings.Contains(p.screen(), "asks for") {
			p.t.Error("it rings again")
		}
	}},
	// The review shows ours first; nothing of the agent's is on a line without a mark.
	{"an agent is reviewed", fly(120, 40, inAsked), func(p *pilot) {
		p.keys("alt+2", "~")
		p.shows("studio asks", "other asks", "▏ “a koi” 0 credits now")
		p.keys("enter")
		p.shows("Send what other asks for?", "450 credits now, 425 when it was asked for", "other: today 40 → 490 of 500 · leaves 10", "▏ “a koi” 0 credits now",
			"▏ https://evil.example/?stolen=secret")
		for line := range strings.SplitSeq(p.screen(), "\n") {
			_, inside, _ := strings.Cut(line, "│")
			if strings.Contains(inside, "0 credits now") && !strings.Contains(inside, "450") && !strings.Contains(inside, "▏") {
				p.t.Errorf("a line looks like ours: %q", line)
			}
		}
		if s := p.screen(); strings.Contains(s, "\u202e") || strings.Contains(s, "\u2028") {
			p.t.Error("controls are on the screen")
		}
		p.keys("enter")
		p.queued("offer other1 false", "offer other1 true", "spent by other", "resume 2")
	}},
	{"an agent is declined", fly(120, 40, inAsked), func(p *pilot) {
		p.keys("alt+2", "~", "enter", "d", "|too blue", "enter")
		p.shows("Declined. Nothing was spent.")
		p.queued("offer other1 false", "offer other1 true", "spent by other", "decline [other1]: too blue")
	}},
	// An edited request is sent in place of the agent's, which is said.
	{"an agent's request is edited", fly(120, 40, func(d *fakeSession) { askedJob(d, "a koi") }), func(p *pilot) {
		p.keys("alt+2", "~", "P", "e", "| at dawn", "ctrl+s", "~")
		p.shows("studio asked for this: it gets the result.")
		p.keys("enter")
		if c := p.session.confirmed; len(c) != 1 || c[0].Asked != "studio1" || c[0].Request.Prompt != "a koi at dawn" {
			p.t.Errorf("sent %+v", c)
		}
		p.keys("ctrl+s", "~", "enter")
		if c := p.session.confirmed; len(c) != 2 || c[1].Asked != "" {
			p.t.Errorf("sent after it %+v", c)
		}
	}},
	// Several that are sent in its place settle it, and the agent reads why.
	{"an agent's request is sent as several", fly(120, 40, func(d *fakeSession) { askedJob(d, "a koi") }), func(p *pilot) {
		p.keys("alt+2", "~", "enter", "e", "ctrl+s", "~", "+", "~")
		p.shows("studio asked for this: it is told that you sent others instead.")
		p.keys("enter")
		p.queued("offer studio1 false", "offer studio1 true", "spent by studio",
			"decline [studio1]: a person edited it, and sent several others instead")
	}},
	// What was sent before is agreed to once more.
	{"an agent asks for the same again", fly(120, 40, func(d *fakeSession) { askedJob(d, "a koi") }), func(p *pilot) {
		h := &p.session.queue.offer
		h.Held[0].Code, h.Reason = "again", api.Sentence("an identical request is running").Reason()
		p.keys("alt+2", "~", "enter")
		p.shows("An identical request is running.", "Enter agrees to sending it once more.")
	}},
}

// queued checks the calls of the queue, in order.
func (p *pilot) queued(want ...string) {
	p.t.Helper()
	var got []string
	for _, l := range p.session.log {
		for _, verb := range []string{"pause", "decline", "resume", "offer", "spent"} {
			if strings.HasPrefix(l, verb+" ") {
				got = append(got, l)
			}
		}
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("calls %q, want %q", got, want)
	}
}
