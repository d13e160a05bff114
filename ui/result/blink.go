package result

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
)

// flip shows the other one. The first time it puts both in one place.
func (c *compare) flip() tea.Cmd {
	if !c.blinks {
		return c.setBlink(true)
	}
	c.at, c.other, c.run = c.other, c.at, nil
	return nil
}

func (c *compare) setBlink(on bool) tea.Cmd {
	c.blinks, c.run = on, nil
	c.arrange()
	return c.paint()
}

// blinkOn lets them change by themselves, or holds the one in view.
func (c *compare) blinkOn() tea.Cmd {
	if c.run != nil {
		c.run = nil
		return nil
	}
	begin, run := c.setBlink(true), new(int)
	c.run = run
	return tea.Batch(begin, c.beat(run))
}

func (c *compare) beat(run *int) tea.Cmd {
	return env.Later(c.k.Context, time.Second/2, answerMsg{asker: c.verbs, then: func() tea.Cmd {
		if c.run != run || !c.k.Moves() {
			return nil
		}
		c.at, c.other = c.other, c.at
		return c.beat(run)
	}})
}
