package create

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// paste writes a text into the field, unless it is a request or names its file.
func (c *Screen) paste(text string) tea.Cmd {
	m := pastedMsg{text: text}
	if c.inPrompt() {
		path, local := state.LocalFile(text, c.env.Home)
		ends := []string{".png", ".jpg", ".jpeg", ".mp4", ".mov", ".json"}
		if local && slices.Contains(ends, strings.ToLower(filepath.Ext(path))) {
			return func() tea.Msg {
				r, ok, err := state.SavedRequest(path)
				return pastedMsg{text, r, ok && err == nil}
			}
		}
		m.request, m.ok = api.ReadRequest(text)
	}
	return c.pasted(m)
}

// pastedMsg is a text that is to go into the field, or the request that it is or names.
type pastedMsg struct {
	text    string
	request api.Request
	ok      bool
}

// pasted asks whether a request is to fill the form; a text goes into the field.
func (c *Screen) pasted(m pastedMsg) tea.Cmd {
	if !m.ok {
		c.draft().Form.Paste(m.text)
		return c.changed()
	}
	r := m.request
	r.Kind = cmp.Or(r.Kind, c.draft().Kind)
	what := api.Clean(r.Model, 128).String() + "\n" + api.CleanLines(r.Prompt, 300).String()
	ask := widget.NewConfirm(c.env, c.env.Say("Fill the form with it?"),
		c.env.Say("The pasted text is a complete request and replaces the form.")+"\n\n"+what,
		"y", "fill the form", func() tea.Cmd { return msg.Load(r, false) })
	text := pastedMsg{text: m.text}
	ask.Declined("paste as text", func() tea.Cmd { return func() tea.Msg { return text } })
	return msg.Open(ask)
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
	if !m.Pattern {
		m.Request.Prompt = expand.Literal(m.Request.Prompt, c.draft().Lists) // as it was sent
	}
	c.draft().Load(m.Request, m.Keep)
	c.draft().SetServiceProblems(m.Problems)
	c.asked[c.at] = m.Asked
	cmds := []tea.Cmd{c.follow(quietFor), c.saveSoon(), c.saveShown(), hold}
	if m.Review {
		cmds = append(cmds, c.send())
	}
	return tea.Batch(cmds...)
}

// useResult takes a result as a reference; only a video takes one that is a video.
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
