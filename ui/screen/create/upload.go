package create

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// uploadedMsg is the result of an upload.
type uploadedMsg struct {
	typed   string // the path as it stands in the rows
	address string
	err     error
}

// file is the local file of a row to upload: of the selected one, else of the
// first that has one.
func (c *Screen) file() (typed, path string) {
	d := c.draft()
	if d.form.Focused() == form.Field(d.materials) {
		if typed, ok := d.materials.Selected(); ok {
			if path, local := state.LocalFile(typed, c.env.Home); local {
				return typed, path
			}
		}
	}
	for _, r := range d.rows() {
		if path, local := state.LocalFile(r.address, c.env.Home); local && !d.links.uploading[r.address] {
			return r.address, path
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
	case c.public.uploading[typed]:
		return c.env.Say("Already uploading.")
	}
	return ""
}

// uploadFile asks about one file, with its path and the command.
func (c *Screen) uploadFile() tea.Cmd {
	typed, path := c.file()
	words := state.UploadArguments(c.env.Settings.Upload, path)
	text := c.env.Say("This file is uploaded by your command, and everybody can read it then:") + "\n" + api.Clean(path, 1000).String() +
		"\n\n" + api.Clean(strings.Join(words, " "), 2000).String()
	return msg.Open(widget.NewConfirm(c.env, c.env.Say("Upload this file?"), text, "y", "upload", func() tea.Cmd {
		return c.startUpload(typed, path)
	}))
}

func (c *Screen) startUpload(typed, path string) tea.Cmd {
	if c.public.uploading == nil {
		c.public.uploading = map[string]bool{}
	}
	c.public.uploading[typed] = true
	c.draft().form.Settle()
	c.arrange()
	ctx, b := c.env.Context, c.backend
	return func() tea.Msg {
		address, err := b.Materials().Upload(ctx, path)
		return uploadedMsg{typed, address, err}
	}
}

// uploaded puts the address in the place of the path.
func (c *Screen) uploaded(m uploadedMsg) tea.Cmd {
	delete(c.public.uploading, m.typed)
	notice := msg.Notify(msg.ToneGood, c.env.Say("Uploaded as %s.", title(m.address)))
	if m.err != nil {
		notice = msg.Notify(msg.ToneBad, env.Sentence(c.env, m.err))
	}
	for _, d := range c.drafts {
		if m.err == nil {
			d.materials.Change(m.typed, m.address)
		}
		d.form.Settle()
	}
	return tea.Batch(c.changed(), notice)
}

// localSentence says that an address is a file of this machine, and what to do.
func (d *draft) localSentence(address string) (string, bool) {
	path, local := state.LocalFile(address, d.env.Home)
	if !local {
		return "", false
	}
	name := api.Clean(path, 200).String()
	if len(d.env.Settings.Upload) == 0 {
		return d.env.Say("%s is a file of this machine. The service takes addresses only.", name), true
	}
	return d.env.Say("%s is a file of this machine: alt+u uploads it with your command.", name), true
}
