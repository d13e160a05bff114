package create

import (
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
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
	if path, local := state.LocalFile(text, c.env.Home); local && isRequestFile(path) {
		return func() tea.Msg {
			r, ok, err := state.SavedRequest(path)
			return pastedMsg{text, r, ok && err == nil}
		}
	}
	r, ok := api.ReadRequest(text)
	if !ok {
		return nil
	}
	return c.offer(r, text)
}

// offer asks whether a request is to fill the form, or the text that was pasted
// to go into the prompt.
func (c *Screen) offer(r api.Request, text string) tea.Cmd {
	if r.Kind == "" {
		r.Kind = c.draft().Kind
	}
	what := api.Clean(r.Model, 128).String() + "\n" + api.CleanLines(r.Prompt, 300).String()
	ask := widget.NewConfirm(c.env, c.env.Say("Fill the form with it?"),
		c.env.Say("What was pasted is a whole request. It replaces what the form has now; esc pastes the text into the prompt.")+"\n\n"+what,
		"y", "fill the form", func() tea.Cmd { return msg.Load(r, false) })
	ask.Declined = func() tea.Cmd { return func() tea.Msg { return pastedMsg{text: text} } }
	return msg.Open(ask)
}

// isRequestFile reports whether a file may hold a request: a result, or a recipe.
func isRequestFile(path string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".mp4", ".mov", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// pastedMsg is a pasted text that is to go into the prompt, or the request of
// the file that it names.
type pastedMsg struct {
	text    string
	request api.Request
	ok      bool
}

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
	c.draft().SetServiceProblems(m.Problems)
	cmds := []tea.Cmd{c.follow(quietFor), c.saveSoon(), c.saveShown(), hold}
	if m.Review {
		cmds = append(cmds, c.send())
	}
	return tea.Batch(cmds...)
}

// useResult takes a result as a reference into the draft in view; a video can
// only be one of a video.
func (c *Screen) useResult(m msg.UsedMsg) tea.Cmd {
	if (m.Kind != api.MaterialImage || m.Frame) && c.at == onImage {
		c.draft().Form.Rest()
		c.at = onVideo
	}
	if m.Job != "" {
		c.ours[m.Address] = ownResult{m.Job, m.Path}
	}
	d := c.draft()
	place, why := "", ""
	if m.Frame {
		place = d.SetFrame(m)
	} else {
		place, why = d.AddReference(m.Kind, m.Address)
	}
	d.Form.Focus(d.Prompt)
	d.Form.Settle()
	notice := msg.Notify(msg.ToneHint, why)
	switch {
	case why != "":
	case m.Expired:
		notice = c.usedExpired(m, place)
	case m.Expires != "":
		notice = msg.Notify(msg.ToneGood, c.env.Say("Added as %s. Link expires in %s.", place, m.Expires))
	default:
		notice = msg.Notify(msg.ToneGood, c.env.Say("Added as %s.", place))
	}
	return tea.Batch(c.changed(), c.saveShown(), notice)
}
