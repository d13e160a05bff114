package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Screen is where requests are written: two drafts, one for images and one for
// videos, their price and what is still wrong with them.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int
	sheets  [2]*sheet // video, image
	At      int
	table   []action.Action

	Price    [2]pricing
	public   publicity
	listing  state.Listing
	asked    bool // the listing was asked for since the program began
	restored bool
	saver    [2]saver
	opening  bool // the review is on its way: keys are not for the form
	drawn    createDrawn
}

const (
	OnVideo = 0
	OnImage = 1
)

func New(k *env.Env, b Backend) *Screen {
	c := &Screen{k: k, backend: b, At: OnImage} // a newcomer makes an image first
	c.sheets = [2]*sheet{newSheet(k, api.KindVideo), newSheet(k, api.KindImage)}
	c.table = []action.Action{
		{Keys: []string{"ctrl+s"}, Label: "review and send", Handler: c.send, Always: true},
		{Keys: []string{"ctrl+t"}, Label: "image or video", Handler: c.Turn, Always: true},
		{Display: "@", Label: "insert a material", Handler: c.Offer, Disabled: c.whyNoOffer},
		{Keys: []string{"ctrl+r"}, Label: "prompts sent before", Handler: c.search, Always: true},
		{Keys: []string{"ctrl+o"}, Label: "editor", Handler: c.openEditor, Always: true},
		{Keys: []string{"ctrl+e"}, Label: "materials", Handler: c.toMaterials, Disabled: c.whyNoMaterials, Hidden: true, Always: true},
		{Display: "tab", Label: "next field", Hidden: true, Handler: c.press(tea.KeyPressMsg{Code: tea.KeyTab})},
		{Display: "shift+tab", Label: "previous field", Hidden: true, Handler: c.press(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})},
		{Display: "ctrl+a", Label: "select the whole prompt", Hidden: true, Handler: c.selectAll},
		{Display: "alt+z", Label: "undo", Hidden: true, Handler: c.press(tea.KeyPressMsg{Code: 'z', Mod: tea.ModAlt})},
		{Display: "alt+y", Label: "redo", Hidden: true, Handler: c.press(tea.KeyPressMsg{Code: 'y', Mod: tea.ModAlt})},
		{Keys: []string{"ctrl+p"}, Label: "check that the materials are public", Hidden: true, Handler: c.askPublic, Disabled: c.whyNothingToAsk, Always: true},
		{Keys: []string{"ctrl+g"}, Label: "ask for the price again", Hidden: true, Handler: c.askAgain, Always: true},
	}
	for i := range c.sheets {
		c.Price[i].edits = -1
	}
	return c
}

func (c *Screen) Sheet() *sheet            { return c.sheets[c.At] }
func (c *Screen) Actions() []action.Action { return c.table }
func (c *Screen) Typing() bool             { return c.Sheet().Form.Typing() || c.opening }

func (c *Screen) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	if c.opening {
		return nil, true
	}
	if c.Sheet().Form.Key(key) {
		return c.Changed(), true
	}
	return nil, false
}

// press does what the key would do, for people who find it in the palette.
func (c *Screen) press(key tea.KeyPressMsg) func() tea.Cmd {
	return func() tea.Cmd {
		cmd, _ := c.Edit(key)
		return cmd
	}
}

func (c *Screen) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.KeyPressMsg:
		cmd, _ := c.Edit(m)
		return cmd
	case tea.PasteMsg:
		if c.opening {
			return nil
		}
		c.Sheet().Form.Paste(m.Content)
		return c.Changed()
	case msg.ClickMsg:
		return c.click(m)
	case msg.WheelMsg:
		c.Sheet().Form.Wheel(m.X-2, m.Y-1, m.By)
	case msg.TickedMsg, msg.ChangedMsg:
		c.drawn.side = nil
	case msg.LoadedMsg:
		return c.load(m)
	case msg.RefusedMsg:
		return c.refused(m)
	case msg.UsedMsg:
		return c.use(m)
	case restoredMsg:
		return c.restore(m)
	case ModelsReadMsg:
		return c.list(m)
	case estimateDueMsg:
		return c.estimate(m)
	case EstimatedMsg:
		c.estimated(m)
	case publicDueMsg:
		return c.publicDue(m)
	case publicMsg:
		c.publicTold(m)
	case draftDueMsg:
		return c.draftDue(m)
	case draftSavedMsg:
		c.saver[m.sheet].failed = m.err != nil
	case reviewMadeMsg:
		c.opening = false
	case submittedMsg:
		return c.submitted(m)
	case editorReadyMsg:
		return m.run()
	case editedMsg:
		return c.edited(m)
	case promptPickedMsg:
		c.Sheet().Prompt.Replace(m.text)
		c.Sheet().Form.Settle()
		return c.Changed()
	}
	return nil
}

// Changed follows an edit: the price, and the draft that saves itself.
func (c *Screen) Changed() tea.Cmd {
	c.Sheet().restored = true
	return tea.Batch(c.follow(), c.saveSoon())
}

func (c *Screen) Resize(w, h int) {
	c.w, c.h = w, h
	c.plan()
}

// plan gives the forms their cells.
func (c *Screen) plan() {
	left, right := widget.SplitPanes(c.w, 62, 44)
	h := c.h - 2
	if right == 0 {
		h-- // the line with the price
	}
	for _, s := range c.sheets {
		s.Form.Resize(left-4, h)
	}
	c.drawn = createDrawn{}
}

func (c *Screen) Restyle() {
	for _, s := range c.sheets {
		s.label()
		s.Form.Restyle(s.look())
	}
	c.drawn = createDrawn{}
}

func (c *Screen) Focus() tea.Cmd {
	s := c.Sheet()
	s.Form.Focus(s.Prompt)
	var cmds []tea.Cmd
	if !c.restored {
		c.restored = true
		cmds = append(cmds, readDrafts(c.k, c.backend))
	}
	if !c.asked {
		c.asked = true
		cmds = append(cmds, readModels(c.k, c.backend))
	}
	return tea.Batch(append(cmds, c.follow())...)
}

func (c *Screen) Blur() tea.Cmd {
	c.Sheet().Form.Rest()
	return c.saveNow()
}

// Turn goes to the other draft.
func (c *Screen) Turn() tea.Cmd {
	c.Sheet().Form.Rest()
	c.At = 1 - c.At
	c.drawn = createDrawn{}
	s := c.Sheet()
	s.Form.Focus(s.Prompt)
	return tea.Batch(c.follow(), c.saveShown())
}

func (c *Screen) Offer() tea.Cmd {
	s := c.Sheet()
	s.Form.Focus(s.Prompt)
	s.Form.OfferTokens()
	return nil
}

func (c *Screen) whyNoOffer() string {
	if c.Sheet().have == [3]int{} {
		return c.k.Say("There is no material yet: add one first.")
	}
	return ""
}

func (c *Screen) toMaterials() tea.Cmd {
	s := c.Sheet()
	switch {
	case s.Mode.Value() == api.ModeFirstLastFrame:
		s.Form.Focus(s.first)
	default:
		s.Form.Focus(s.materials)
	}
	return nil
}

func (c *Screen) whyNoMaterials() string {
	if s := c.Sheet(); s.kind != api.KindVideo || s.model.Value() != api.Seedance2 {
		return c.k.Say("Only seedance2 takes materials.")
	}
	return ""
}

func (c *Screen) selectAll() tea.Cmd {
	s := c.Sheet()
	s.Form.Focus(s.Prompt)
	s.Prompt.SelectAll()
	return nil
}

// load takes a whole request, or a choice of model and parameters.
func (c *Screen) load(m msg.LoadedMsg) tea.Cmd {
	c.At = OnVideo
	if m.Request.Kind == api.KindImage {
		c.At = OnImage
	}
	c.drawn = createDrawn{}
	c.Sheet().Load(m.Request, m.Keep)
	c.Sheet().Tell(m.Problems)
	c.restored = true
	return tea.Batch(c.follow(), c.saveSoon(), c.saveShown())
}

func (c *Screen) click(m msg.ClickMsg) tea.Cmd {
	left, _ := widget.SplitPanes(c.w, 62, 44)
	if m.Y == 0 && m.X < left {
		from := left - 3 - theme.Width(c.switcher())
		if m.X >= from && m.X < left-2 {
			return c.Turn()
		}
		return nil
	}
	if m.X < left {
		c.Sheet().Form.Click(m.X-2, m.Y-1)
		return c.Changed()
	}
	return c.clickGrid(m.X-left-2, m.Y-1)
}

func (c *Screen) Cursor() *tea.Cursor {
	x, y, ok := c.Sheet().Form.Cursor()
	if !ok {
		return nil
	}
	return tea.NewCursor(x+2, y+1)
}

// switcher is the title of the two drafts, plain.
func (c *Screen) switcher() string {
	return "‹ " + c.k.Say("Image") + " ╱ " + c.k.Say("Video") + " ›"
}

// send opens the review, or shows what is wrong.
func (c *Screen) send() tea.Cmd {
	s := c.Sheet()
	s.Form.Leave()
	if s.toldSeen {
		s.Told = nil // sent again as it is: the person means it
	}
	s.toldSeen = len(s.ToldProblems()) > 0
	if !s.Form.Try() {
		text := s.Form.Problems()[0].Text
		if n := len(s.Form.Problems()); n > 1 {
			text = c.k.Say("%d problems first: %s", n, text)
		}
		return msg.Notify(msg.ToneWarn, text)
	}
	if why := c.k.Standing.ReadOnly; why != "" {
		return msg.Notify(msg.ToneBad, env.AsSentence(c.k.Translate(why)))
	}
	c.opening = true
	cmd := c.review(s)
	return tea.Batch(c.follow(), c.saveNow(), cmd)
}

// submitted follows a request that is on its way: on to the jobs, with the
// prompt selected for the next one.
func (c *Screen) submitted(m submittedMsg) tea.Cmd {
	if m.err != nil {
		return nil // the review shows it
	}
	s := c.Sheet()
	s.Form.Fresh()
	s.Form.Focus(s.Prompt)
	s.Prompt.SelectAll()
	s.Form.Settle()
	return nil
}
