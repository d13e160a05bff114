package create

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/screen/create/review"
	"darkroom/ui/widget"
)

// checkable are the materials in view whose hosts can be asked.
func (c *Screen) checkable() []draft.Material {
	return slices.DeleteFunc(c.draft().Attached(), func(r draft.Material) bool { return !strings.HasPrefix(r.Address, "http") })
}

// checkPublic asks the hosts of all materials, after a question when it is the
// first time.
func (c *Screen) checkPublic() tea.Cmd {
	if !c.public.Allowed {
		return msg.Open(widget.NewConfirm(c.env, c.env.Say("Check that your links are public?"),
			c.env.Say("darkroom requests each link from this machine, without your key. The hosts will see your IP address. "+
				"From then on new links are checked before each review."),
			"y", "check", c.allowPublic))
	}
	clear(c.public.Found)
	return c.askHosts()
}

func (c *Screen) allowPublic() tea.Cmd {
	c.public.Allowed = true
	check := c.checkPublic()
	c.arrange()
	ctx, b := c.env.Context, c.backend
	return tea.Batch(check, func() tea.Msg { return msg.FailedMsg{Err: b.Materials().LetBeAsked(ctx)} })
}

func (c *Screen) whyNothingToCheck() string {
	return c.env.SayIf(len(c.checkable()) == 0, "There is no material yet: add one first.")
}

// askHosts asks the hosts of the materials of which nothing is known.
func (c *Screen) askHosts() tea.Cmd {
	if !c.public.Allowed {
		return nil
	}
	var cmds []tea.Cmd
	ctx, b := c.env.Context, c.backend
	for _, r := range c.checkable() {
		if _, known := c.public.Found[r.Address]; known || c.public.Asking[r.Address] {
			continue
		}
		c.public.Asking[r.Address] = true
		cmds = append(cmds, func() tea.Msg {
			link, err := b.Materials().Public(ctx, r.Address)
			return review.HostAnsweredMsg{Address: r.Address, Link: link, Err: err}
		})
	}
	c.draft().Form.Settle()
	return tea.Batch(cmds...)
}

// hostAnswered keeps what a host said.
func (c *Screen) hostAnswered(m review.HostAnsweredMsg) {
	delete(c.public.Asking, m.Address)
	c.public.Found[m.Address] = draft.Link{Link: m.Link, Why: m.Why(c.env)}
	for _, d := range c.drafts {
		d.Form.Settle()
	}
}

// publicWords is the result for all materials, behind their number.
func (c *Screen) publicWords() string {
	all := c.checkable()
	public := 0
	for _, m := range all {
		if c.public.Asking[m.Address] {
			return " · " + c.env.Say("checking links …")
		}
		if found, known := c.public.Found[m.Address]; known && found.Why == "" {
			public++
		}
	}
	if public == 0 || public < len(all) {
		return ""
	}
	return " · " + c.env.Say("public")
}

// unreadable are the materials that the service will not be able to read.
func (c *Screen) unreadable() (out []string) {
	for _, m := range c.checkable() {
		if why := c.public.Problem(m.Address); why != "" {
			out = append(out, m.Name+" "+why)
		}
	}
	return out
}
