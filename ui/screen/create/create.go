// Package create is the screen on which requests are written, priced, reviewed
// and sent.
package create

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// Screen holds two drafts, one for videos and one for images, with their
// prices and problems.
type Screen struct {
	env     *env.Env
	backend Backend
	w, h    int
	drafts  [2]*draft
	at      int // the draft in view: onVideo or onImage
	table   []action.Action

	prices      [2]pricing
	public      links
	savers      [2]saver
	before      [2]before
	listing     state.Listing
	modelsAsked bool // the listing was asked for since the program began
	restored    bool // the saved drafts were asked for

	opening   *review // waits for its confirm id; keys are not for the form then
	reviews   int     // how many were begun
	histories int     // how many were opened
	started   time.Time

	ready     readiness // what the side pane's list shows
	readyText widget.Memo[readyKey, []string]
	list      widget.Scroll // readyText in the side pane
	side      widget.Memo[sideKey, []string]
	strip     widget.Memo[stripKey, string]
	pane      widget.Memo[formKey, []string]
	whole     widget.Memo[wholeKey, string]
}

// The drafts.
const (
	onVideo = 0
	onImage = 1
)

// New makes the screen. It opens on an image: that is what a newcomer makes
// first.
func New(k *env.Env, b Backend) *Screen {
	c := &Screen{env: k, backend: b, at: onImage, started: k.At}
	c.drafts = [2]*draft{newDraft(k, api.KindVideo, &c.public), newDraft(k, api.KindImage, &c.public)}
	c.table = c.actions()
	c.arrange()
	return c
}

// draft is the one in view.
func (c *Screen) draft() *draft { return c.drafts[c.at] }

func (c *Screen) Actions() []action.Action { return c.table }
func (c *Screen) Typing() bool             { return c.draft().form.Typing() || c.opening != nil }

func (c *Screen) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	if c.opening != nil {
		return nil, true
	}
	if !c.draft().form.Key(key) {
		return nil, false
	}
	cmd := c.changed()
	c.arrange()
	return cmd, true
}

func (c *Screen) Update(message tea.Msg) tea.Cmd {
	cmd := c.handle(message)
	c.arrange()
	return cmd
}

func (c *Screen) handle(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.KeyPressMsg:
		cmd, _ := c.Edit(m)
		return cmd
	case tea.PasteMsg:
		return c.paste(m.Content)
	case pastedMsg:
		return c.pasteText(m.text)
	case msg.ClickMsg:
		return c.click(m)
	case msg.WheelMsg:
		c.wheel(m)
	case msg.LoadedMsg:
		return c.load(m)
	case msg.RefusedMsg:
		return c.refused(m)
	case msg.UsedMsg:
		return c.useResult(m)
	case restoredMsg:
		return c.restore(m)
	case modelsReadMsg:
		return c.takeModels(m)
	case estimateDueMsg:
		return c.askEstimate(m)
	case estimatedMsg:
		c.estimated(m)
	case publicDueMsg:
		return c.publicDue(m)
	case publicMsg:
		c.publicFound(m)
	case uploadedMsg:
		return c.uploaded(m)
	case saveDueMsg:
		return c.saveDue(m)
	case savedMsg:
		c.saved(m)
	case confirmMadeMsg:
		return c.openReview(m)
	case reviewOpenedMsg:
		c.reviewOpened(m)
	case submittedMsg:
		c.submitted(m)
	case editorReadyMsg:
		return m.run()
	case editedMsg:
		return c.edited(m)
	case promptChosenMsg:
		c.draft().prompt.Replace(m.text)
		c.draft().prompt.ToEnd()
		c.draft().form.Settle()
		return c.changed()
	}
	return nil
}

// changed follows an edit: it updates the price and saves the draft soon.
func (c *Screen) changed() tea.Cmd {
	c.draft().touched = true
	return tea.Batch(c.follow(), c.saveSoon())
}

func (c *Screen) paste(text string) tea.Cmd {
	if c.opening != nil {
		return nil
	}
	if ask := c.offerRequest(text); ask != nil {
		return ask
	}
	return c.pasteText(text)
}

func (c *Screen) Resize(w, h int) {
	c.w, c.h = w, h
	left, right := c.panes()
	h -= 2
	if right == 0 {
		h-- // the line with the price
	}
	for _, d := range c.drafts {
		d.form.Resize(left-4, h)
	}
	c.arrange()
}

func (c *Screen) Restyle() {
	for _, d := range c.drafts {
		d.label()
		d.form.Restyle(d.look())
	}
	c.arrange()
}

func (c *Screen) Focus() tea.Cmd {
	d := c.draft()
	d.form.Focus(d.prompt)
	var cmds []tea.Cmd
	if !c.restored {
		c.restored = true
		cmds = append(cmds, readDrafts(c.env.Context, c.backend))
	}
	if !c.modelsAsked {
		c.modelsAsked = true
		cmds = append(cmds, readModels(c.env.Context, c.backend))
	}
	cmds = append(cmds, c.follow())
	c.arrange()
	return tea.Batch(cmds...)
}

func (c *Screen) Blur() tea.Cmd {
	c.draft().form.Rest()
	c.opening = nil
	return c.saveNow()
}

// load takes a whole request, or a choice of model and parameters.
func (c *Screen) load(m msg.LoadedMsg) tea.Cmd {
	c.at = onVideo
	if m.Request.Kind == api.KindImage {
		c.at = onImage
	}
	var hold tea.Cmd
	if !m.Keep {
		hold = c.hold(m.Request)
	}
	c.draft().load(m.Request, m.Keep)
	c.draft().setServiceProblems(m.Problems)
	cmds := []tea.Cmd{c.follow(), c.saveSoon(), c.saveShown(), hold}
	if m.Review {
		cmds = append(cmds, c.send())
	}
	return tea.Batch(cmds...)
}

func (c *Screen) Cursor() *tea.Cursor {
	x, y, ok := c.draft().form.Cursor()
	if !ok {
		return nil
	}
	return tea.NewCursor(x+2, y+1)
}
