package create

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
)

// readRecent reads the results again; those of the draft's prompt come first.
func (c *Screen) readRecent() tea.Cmd {
	if !c.recent.Shown() {
		return nil // Focus reads them
	}
	return c.recent.Read(c.draft().Prompt.Value())
}

// enterRecent gives the keys to the results.
func (c *Screen) enterRecent() tea.Cmd {
	c.draft().Form.Rest()
	c.recent.Focus(true)
	c.draft().Form.Idle(true)
	return nil
}

// leaveRecent gives the keys back to the form.
func (c *Screen) leaveRecent() {
	c.recent.Focus(false)
	c.draft().Form.Idle(false)
}

func (c *Screen) whyNoResults() string {
	return c.env.SayIf(c.recent.Empty(), "There are no results yet.")
}

// recentActions is the table while a result has the keys.
func (c *Screen) recentActions() []action.Action {
	keys := func(k ...string) []string { return k }
	move := func(by int) func() tea.Cmd { return func() tea.Cmd { return c.recent.Move(by) } }
	// The way back stands behind enter, so that the footer shows it.
	verbs := c.recent.Verbs()
	i := slices.IndexFunc(verbs, func(a action.Action) bool { return a.Name == "full_screen" }) + 1
	back := action.Action{Name: "back", Keys: keys("esc", "alt+r", "up"), Label: "back to the prompt", Handler: c.back}
	table := slices.Insert(slices.Clone(verbs), i, back)
	return c.arranged(append(table, []action.Action{
		{Name: "next_result", Keys: keys("right", "l", "down"), Display: "←/→", Label: "choose", Hidden: true, Handler: move(1)},
		{Name: "previous_result", Keys: keys("left", "h"), Label: "previous result", Hidden: true, Handler: move(-1)},
		{Name: "first_result", Keys: keys("home"), Label: "first result", Hidden: true, Handler: move(-1000)},
		{Name: "last_result", Keys: keys("end"), Label: "last result", Hidden: true, Handler: move(1000)},
		{Name: "review", Keys: keys("ctrl+s"), Label: "review and send", Hidden: true, Handler: c.send},
		{Name: "switch_kind", Keys: keys("ctrl+t"), Label: "image or video", Hidden: true, Handler: c.switchKind},
	}...))
}

func (c *Screen) back() tea.Cmd {
	c.leaveRecent()
	return nil
}

// enterResult shows the chosen result alone.
func (c *Screen) enterResult() tea.Cmd { return c.recent.Enter(false) }

// clickRecent chooses the result under the mouse; a second press shows it alone.
func (c *Screen) clickRecent(x, y int) tea.Cmd {
	cmd, hit, again := c.recent.Click(x, y)
	switch {
	case again:
		return c.enterResult()
	case hit:
		return tea.Batch(cmd, c.enterRecent())
	}
	return nil
}
