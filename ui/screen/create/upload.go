package create

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/widget"
)

type uploadedMsg struct {
	typed   string // the path as it stands in the rows
	address string
	err     error
}

// file is the local file of a row to upload: of the selected one, else of the
// first that has one.
func (c *Screen) file() (typed, path string) {
	d := c.draft()
	if d.Form.Focused() == form.Field(d.Materials) {
		if typed, ok := d.Materials.Selected(); ok {
			if path, local := state.LocalFile(typed, c.env.Home); local {
				return typed, path
			}
		}
	}
	for _, r := range d.Attached() {
		if path, local := state.LocalFile(r.Address, c.env.Home); local && !c.public.Uploading[r.Address] {
			return r.Address, path
		}
	}
	return "", ""
}

func (c *Screen) whyNoUpload() string {
	typed, _ := c.file()
	switch {
	case typed == "":
		return c.env.Say("No material is a file of this machine.")
	case len(c.env.Settings.Upload) == 0:
		return c.env.Say("The service takes addresses only. Set upload in the settings to a command that uploads files.")
	case c.public.Uploading[typed]:
		return c.env.Say("Already uploading.")
	}
	return ""
}

// uploadFile asks about one file, with its path and the command.
func (c *Screen) uploadFile() tea.Cmd { return c.askUpload(c.file()) }

// askUpload asks whether a file is to be uploaded; its address then takes the
// place of what stands in the rows.
func (c *Screen) askUpload(typed, path string) tea.Cmd {
	words := state.UploadArguments(c.env.Settings.Upload, path)
	text := c.env.Say("This file is uploaded by your command, and everybody can read it then:") + "\n" + api.Clean(path, 1000).String() +
		"\n\n" + api.Clean(strings.Join(words, " "), 2000).String()
	return msg.Open(widget.NewConfirm(c.env, c.env.Say("Upload this file?"), text, "y", "upload", func() tea.Cmd {
		return c.startUpload(typed, path)
	}))
}

// usedExpired says that a result's link has expired, and asks whether its saved
// file is to be uploaded in its place when that can be done.
func (c *Screen) usedExpired(m msg.UsedMsg, place string) tea.Cmd {
	notice := msg.Notify(msg.ToneBad, c.env.Say("Added as %s, but its link has expired.", place))
	switch {
	case m.Path == "" || c.public.Uploading[m.Address]:
		return notice
	case len(c.env.Settings.Upload) == 0:
		return msg.Notify(msg.ToneBad, c.env.Say("Added as %s, but its link has expired. "+
			"With the setting upload its file can be uploaded.", place))
	}
	return tea.Batch(notice, c.askUpload(m.Address, m.Path))
}

func (c *Screen) startUpload(typed, path string) tea.Cmd {
	c.public.Uploading[typed] = true
	c.draft().Form.Settle()
	c.arrange()
	ctx, b := c.env.Context, c.backend
	return func() tea.Msg {
		address, err := b.Materials().Upload(ctx, path)
		return uploadedMsg{typed, address, err}
	}
}

// uploaded puts the address in the place of the path.
func (c *Screen) uploaded(m uploadedMsg) tea.Cmd {
	delete(c.public.Uploading, m.typed)
	notice := msg.Notify(msg.ToneGood, c.env.Say("Uploaded as %s.", draft.Title(m.address)))
	if m.err != nil {
		notice = msg.Notify(msg.ToneBad, env.Sentence(c.env, m.err))
	}
	for _, d := range c.drafts {
		if m.err == nil {
			d.Materials.Change(m.typed, m.address)
		}
		d.Form.Settle()
	}
	return tea.Batch(c.changed(), notice)
}
