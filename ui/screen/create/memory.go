package create

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
)

// beforeDraft is behind the name of a draft that another request has replaced.
const beforeDraft = ".before"

// before is a draft that another request has replaced.
type before struct {
	request api.Request
	held    bool
}

// empty reports whether nothing was written that could be lost.
func (d *draft) empty() bool {
	for kind := range d.materials.Kinds {
		if len(d.materials.Drafted(kind)) > 0 {
			return false
		}
	}
	return strings.TrimSpace(d.prompt.Value()) == ""
}

// unsent reports whether the draft holds something that was not sent as it is.
func (d *draft) unsent() bool { return !d.empty() && !sameRequest(d.request, d.sent) }

// saved is the draft as it is kept: with what is typed and not taken over yet,
// and with parameters that the listing does not name.
func (d *draft) saved() api.Request {
	r := d.values()
	one := func(kind int) string {
		if all := d.materials.Drafted(kind); len(all) > 0 {
			return all[0]
		}
		return ""
	}
	r.ImageURL = one(singleImage)
	if d.kind == api.KindVideo {
		if r.FunctionMode == api.ModeFirstLastFrame {
			r.ImageURL = one(firstFrame)
		}
		r.EndImageURL, r.VideoURL = one(lastFrame), one(singleVideo)
		r.ImageFiles, r.VideoFiles, r.AudioFiles = d.materials.Drafted(images), d.materials.Drafted(videos), d.materials.Drafted(audios)
	}
	r.Extra = append(r.Extra, d.kept...)
	return r
}

// hold keeps the draft in view for alt+p when a request replaces it that is
// another one.
func (c *Screen) hold(by api.Request) tea.Cmd {
	d := c.draft()
	if !d.unsent() || sameRequest(d.request, by) {
		return nil
	}
	return tea.Batch(c.setBefore(d.saved()), msg.Notify(msg.ToneHint, c.env.Say("Your unsent draft is kept: alt+p brings it back.")))
}

// setBefore keeps a request as the draft before the one in view.
func (c *Screen) setBefore(r api.Request) tea.Cmd {
	c.before[c.at] = before{r, true}
	ctx, b, name := c.env.Context, c.backend, draftNames[c.at]+beforeDraft
	return func() tea.Msg { return savedBeforeMsg{b.SaveDraft(ctx, name, r)} }
}

// savedBeforeMsg says whether a draft could be kept.
type savedBeforeMsg struct{ err error }

func (m savedBeforeMsg) Failed() error { return m.err }

// previousDraft exchanges the draft with the one before it.
func (c *Screen) previousDraft() tea.Cmd {
	to, d := c.before[c.at], c.draft()
	keep := c.setBefore(d.saved())
	if d.empty() {
		c.before[c.at].held = false
	}
	d.load(to.request, false)
	return tea.Batch(keep, c.follow(), c.saveSoon(), msg.Notify(msg.ToneHint, c.env.Say("This is the draft before.")))
}

func (c *Screen) whyNoDraftBefore() string {
	if !c.before[c.at].held {
		return c.env.Say("There is no draft before this one.")
	}
	return ""
}

// carry takes a prompt over into the draft in view if that is empty.
func (c *Screen) carry(prompt string) tea.Cmd {
	d := c.draft()
	if !d.empty() || strings.TrimSpace(prompt) == "" {
		return nil
	}
	d.prompt.Replace(prompt)
	d.prompt.ToEnd()
	d.form.Settle()
	return c.changed()
}

// readBefore reads the drafts that were replaced, and the requests sent last.
func (m *restoredMsg) readBefore(ctx context.Context, b Backend) {
	for i, name := range draftNames {
		r, ok, _ := b.Draft(ctx, name+beforeDraft)
		m.before[i] = before{r, ok}
	}
	m.sent = lastSent(ctx, b)
}
