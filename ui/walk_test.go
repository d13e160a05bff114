package ui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/action"
)

func (d *fakeSession) Fetch(_ context.Context, id string) error   { return d.note("fetch %s", id) }
func (d *fakeSession) Refresh(_ context.Context, id string) error { return d.note("refresh %s", id) }
func (d fakeMaterials) Paste(context.Context) (string, error)     { return "", errors.New("no picture") }

// Whatever is pressed, pasted, clicked and resized, by chance but the same in every run: nothing
// breaks, no line is wider than the terminal, only what is confirmed is sent, and esc leads back.
func TestWalksByChance(t *testing.T) {
	t.Parallel()
	common := strings.Fields("enter enter esc tab shift+tab up down left right pgdown home end backspace space " +
		"ctrl+s ctrl+t alt+v alt+r alt+1 alt+2 alt+3 alt+4 ctrl+k 0 6 9 - / g m c")
	pastes := []string{"60", "a {red|blue} boat on {calm|wild} water", "\x1b[31m\u202e\x00", "{{|", strings.Repeat("x", 9000),
		"https://cdn.example.com/a.png", `is:"`}
	for seed := range uint64(12) {
		fly(80+int(seed)*6, 24+int(seed), []func(*fakeSession){heldJobs, withCommands, spentLately, hostileResults}[seed%4])(t, func(p *pilot) {
			withTools(p.session)
			chance, said, confirmed := rand.New(rand.NewPCG(seed, 1)), []string(nil), 0
			for n := range 120 {
				table, size := append(p.app.surface().Actions(), p.app.globals...), p.app.size
				key := common[chance.IntN(len(common))]
				if keys := table[chance.IntN(len(table))].Keys.List(); len(keys) > 0 && n%2 == 0 {
					key = keys[chance.IntN(len(keys))]
				}
				act := action.Find(p.app.surface().Actions(), key)
				do := func() { p.keys(key) }
				switch what := chance.IntN(20); {
				case p.quit:
					return
				case what == 0:
					key, act, do = "(paste)", nil, func() { p.paste(pastes[chance.IntN(len(pastes))]) }
				case what == 1:
					w, h := 1+chance.IntN(220), 1+chance.IntN(70)
					key, act, do = fmt.Sprint(w, "x", h), nil, func() { p.send(tea.WindowSizeMsg{Width: w, Height: h}) }
				case what == 2:
					m := tea.MouseClickMsg{X: chance.IntN(size.W), Y: chance.IntN(size.H), Button: tea.MouseLeft}
					key, act, do = fmt.Sprint("click ", m.X, m.Y), p.app.shownAt(m.X, m.Y, p.app.frame().front), func() { p.send(m) }
				case what < 5 || key == "ctrl+z":
					key, act = "~", nil
				}
				if act != nil && act.Confirms {
					confirmed++
				}
				said = append(said, key)
				do()
				for i, l := range strings.Split(p.app.View().Content, "\n") {
					wide := ansi.StringWidth(l) > max(p.app.size.W, 2)
					expect.Must(p.t, !wide, seed, said, "line", i, "of", placeOf(p.app), "is too wide", ansi.Strip(l))
				}
				p.expect(len(p.session.noted("submit", "agree", "resend", "resume")) <= confirmed, "%d: %v: sent unasked", seed, said)
			}
			p.send(tea.WindowSizeMsg{Width: 100, Height: 30})
			p.repeat(30, "esc")
			p.expect(p.app.top() == nil || p.quit, "%d: %v: no way out of %s", seed, said, placeOf(p.app))
		})
	}
}

// hostileResults have titles and files of every kind.
func hostileResults(d *fakeSession) {
	d.fillDone(30).painter = blockPainter{coloured: true}
	for i, title := range []string{"", strings.Repeat("長", 300), hostilePrompt, "👨‍👩‍👧‍👦 family é ｱ"} {
		j := madeUpJob(i, api.Clean(title, 200).String(), api.PhaseDone)
		j.ID, j.Request.Prompt = fmt.Sprint("odd", i), title
		j.Files = append(j.Files, j.Files...)
		d.add(j)
	}
}
