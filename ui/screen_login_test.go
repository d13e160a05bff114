package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
)

func TestKeyScreenFieldsByMouseAndKeys(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, noKey, func(p *pilot) {
		click := func(label string) {
			for y, l := range strings.Split(p.screen(), "\n") {
				if strings.Contains(l, label) {
					p.send(tea.MouseClickMsg{X: 60, Y: y, Button: tea.MouseLeft})
				}
			}
		}
		p.typed("ak")
		p.shows("▸ Key       ••", "2 characters, not a whole key yet")
		at := p.app.View().Cursor
		p.keys("left")
		if c := p.app.View().Cursor; at == nil || c == nil || c.X != at.X-1 || c.Y != at.Y {
			t.Errorf("left moved the cursor from %v to %v", at, c)
		}
		click("Keep  ")
		p.shows("▸ Keep", "in your keyring")
		if p.app.View().Cursor != nil {
			t.Error("a cursor on a choice")
		}
		p.keys("right")
		p.shows("for this session only", "You will be asked again the next time.")
		p.keys("tab") // the address is set from outside, so it is left out
		p.shows("▸ Key")
		p.keys("end")
		p.paste("\n_1234567890 \n")
		p.shows("13 characters, shaped like a key")
		if strings.Contains(p.app.View().Content, "1234567890") {
			t.Error("the key is shown")
		}
		p.send(tea.WindowSizeMsg{Width: 60, Height: 16})
		p.shows("▸ Key", "shaped like a key", "Keep")
		if p.app.at != msg.PlaceKey {
			t.Error("it went to another screen")
		}
	})
}
