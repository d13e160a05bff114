package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
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
