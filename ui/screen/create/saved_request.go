package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// offerRequest asks whether a pasted recipe, body or curl command is to fill
// the form. Nil is any other text, and every text in another field than the
// prompt.
func (c *Screen) offerRequest(text string) tea.Cmd {
	d := c.draft()
	if d.Form.Focused() != form.Field(d.Prompt) {
		return nil
	}
	r, ok := api.ReadRequest(text)
	if !ok {
		return nil
	}
	if r.Kind == "" {
		r.Kind = d.Kind
	}
	what := api.Clean(r.Model, 128).String() + "\n" + api.CleanLines(r.Prompt, 300).String()
	ask := widget.NewConfirm(c.env, c.env.Say("Fill the form with it?"),
		c.env.Say("The pasted text is a whole request. It replaces what the form has now; esc pastes it into the prompt.")+"\n\n"+what,
		"y", "fill the form", func() tea.Cmd { return msg.Load(r, false) })
	ask.Declined = func() tea.Cmd { return func() tea.Msg { return pastedMsg{text} } }
	return msg.Open(ask)
}

// pastedMsg is a pasted request that is to be text of the prompt.
type pastedMsg struct{ text string }

func (c *Screen) pasteText(text string) tea.Cmd {
	c.draft().Form.Paste(text)
	return c.changed()
}

// load takes a whole request, or a choice of model and parameters.
func (c *Screen) load(m msg.LoadedMsg) tea.Cmd {
	c.leaveRecent()
	c.at = onVideo
	if m.Request.Kind == api.KindImage {
		c.at = onImage
	}
	var hold tea.Cmd
	if !m.Keep {
		hold = c.hold(m.Request)
	}
	m.Request.Prompt = expand.Literal(m.Request.Prompt, c.draft().Lists) // as it was sent
	c.draft().Load(m.Request, m.Keep)
	c.prices[c.at].than = m.Than
	c.draft().SetServiceProblems(m.Problems)
	cmds := []tea.Cmd{c.follow(quietFor), c.saveSoon(), c.saveShown(), hold}
	if m.Review {
		cmds = append(cmds, c.send())
	}
	return tea.Batch(cmds...)
}
