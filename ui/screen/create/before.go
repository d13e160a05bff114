package create

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
)

// beforeDraft is behind the name of a draft that another request has replaced.
const beforeDraft = ".before"

// before is a draft that another request has replaced.
type before struct {
	request api.Request
	held    bool
}

// hold keeps the draft in view for alt+p when a request replaces it that is
// another one.
func (c *Screen) hold(by api.Request) tea.Cmd {
	d := c.draft()
	if !d.Unsent() || draft.Same(d.Request, by) {
		return nil
	}
	return tea.Batch(c.setBefore(d.Saved()), msg.Notify(msg.ToneHint, c.env.Say("Your unsent draft is kept: alt+p brings it back.")))
}

// setBefore keeps a request as the draft before the one in view.
func (c *Screen) setBefore(r api.Request) tea.Cmd {
	c.before[c.at] = before{r, true}
	ctx, b, name := c.env.Context, c.backend, draftNames[c.at]+beforeDraft
	return func() tea.Msg { return msg.FailedMsg{Err: b.SaveDraft(ctx, name, r)} }
}

// previousDraft exchanges the draft with the one before it.
func (c *Screen) previousDraft() tea.Cmd {
	to, d := c.before[c.at], c.draft()
	keep := c.setBefore(d.Saved())
	if d.Empty() {
		c.before[c.at].held = false
	}
	d.Load(to.request, false)
	return tea.Batch(keep, c.follow(quietFor), c.saveSoon(), msg.Notify(msg.ToneHint, c.env.Say("This is the draft before.")))
}

func (c *Screen) whyNoDraftBefore() string {
	return c.env.SayIf(!c.before[c.at].held, "There is no draft before this one.")
}

// carry takes a prompt over into the draft in view if that is empty.
func (c *Screen) carry(prompt string) tea.Cmd {
	if !c.draft().Empty() || strings.TrimSpace(prompt) == "" {
		return nil
	}
	return c.write(prompt)
}

// readBefore reads the drafts that were replaced, and the requests sent last.
func (m *restoredMsg) readBefore(ctx context.Context, b Backend) {
	for i, name := range draftNames {
		r, ok, _ := b.Draft(ctx, name+beforeDraft)
		m.before[i] = before{r, ok}
	}
	m.sent, _ = b.History(ctx, state.HistoryQuery{Limit: rememberFrom})
	m.ofModels, _ = b.History(ctx, state.HistoryQuery{ByModel: true, Limit: maxModels})
}
