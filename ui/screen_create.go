package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
)

// create is where requests are written: two drafts, one for images and one for
// videos, their price and what is still wrong with them.
type create struct {
	k       *kit
	backend createBackend
	w, h    int
	sheets  [2]*sheet // video, image
	at      int
	table   []action

	price    [2]pricing
	public   publicity
	listing  state.Listing
	asked    bool // the listing was asked for since the program began
	restored bool
	saver    [2]saver
	opening  bool // the review is on its way: keys are not for the form
	drawn    createDrawn
}

const (
	onVideo = 0
	onImage = 1
)

func newCreate(k *kit, b createBackend) *create {
	c := &create{k: k, backend: b, at: onImage} // a newcomer makes an image first
	c.sheets = [2]*sheet{newSheet(k, api.KindVideo), newSheet(k, api.KindImage)}
	c.table = []action{
		{keys: []string{"ctrl+s"}, label: "review and send", do: c.send, always: true},
		{keys: []string{"ctrl+t"}, label: "image or video", do: c.turn, always: true},
		{show: "@", label: "insert a material", do: c.offer, why: c.whyNoOffer},
		{keys: []string{"ctrl+r"}, label: "prompts sent before", do: c.search, always: true},
		{keys: []string{"ctrl+o"}, label: "editor", do: c.openEditor, always: true},
		{keys: []string{"ctrl+e"}, label: "materials", do: c.toMaterials, why: c.whyNoMaterials, quiet: true, always: true},
		{show: "tab", label: "next field", quiet: true, do: c.press(tea.KeyPressMsg{Code: tea.KeyTab})},
		{show: "shift+tab", label: "previous field", quiet: true, do: c.press(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})},
		{show: "ctrl+a", label: "select the whole prompt", quiet: true, do: c.selectAll},
		{show: "alt+z", label: "undo", quiet: true, do: c.press(tea.KeyPressMsg{Code: 'z', Mod: tea.ModAlt})},
		{show: "alt+y", label: "redo", quiet: true, do: c.press(tea.KeyPressMsg{Code: 'y', Mod: tea.ModAlt})},
		{keys: []string{"ctrl+p"}, label: "check that the materials are public", quiet: true, do: c.askPublic, why: c.whyNothingToAsk, always: true},
		{keys: []string{"ctrl+g"}, label: "ask for the price again", quiet: true, do: c.askAgain, always: true},
	}
	for i := range c.sheets {
		c.price[i].edits = -1
	}
	return c
}

func (c *create) sheet() *sheet     { return c.sheets[c.at] }
func (c *create) actions() []action { return c.table }
func (c *create) typing() bool      { return c.sheet().form.Typing() || c.opening }

func (c *create) edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	if c.opening {
		return nil, true
	}
	if c.sheet().form.Key(key) {
		return c.changed(), true
	}
	return nil, false
}

// press does what the key would do, for people who find it in the palette.
func (c *create) press(key tea.KeyPressMsg) func() tea.Cmd {
	return func() tea.Cmd {
		cmd, _ := c.edit(key)
		return cmd
	}
}

func (c *create) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.KeyPressMsg:
		cmd, _ := c.edit(m)
		return cmd
	case tea.PasteMsg:
		if c.opening {
			return nil
		}
		c.sheet().form.Paste(m.Content)
		return c.changed()
	case clickMsg:
		return c.click(m)
	case wheelMsg:
		c.sheet().form.Wheel(m.x-2, m.y-1, m.by)
	case tickedMsg, changedMsg:
		c.drawn.side = nil
	case loadedMsg:
		return c.load(m)
	case refusedMsg:
		return c.refused(m)
	case usedMsg:
		return c.use(m)
	case restoredMsg:
		return c.restore(m)
	case modelsReadMsg:
		return c.list(m)
	case estimateDueMsg:
		return c.estimate(m)
	case estimatedMsg:
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
		c.sheet().prompt.Replace(m.text)
		c.sheet().form.Settle()
		return c.changed()
	}
	return nil
}

// changed follows an edit: the price, and the draft that saves itself.
func (c *create) changed() tea.Cmd {
	c.sheet().restored = true
	return tea.Batch(c.follow(), c.saveSoon())
}

func (c *create) resize(w, h int) {
	c.w, c.h = w, h
	c.plan()
}

// plan gives the forms their cells.
func (c *create) plan() {
	left, right := splitPanes(c.w, 62, 44)
	h := c.h - 2
	if right == 0 {
		h-- // the line with the price
	}
	for _, s := range c.sheets {
		s.form.Resize(left-4, h)
	}
	c.drawn = createDrawn{}
}

func (c *create) restyle() {
	for _, s := range c.sheets {
		s.label()
		s.form.Restyle(s.look())
	}
	c.drawn = createDrawn{}
}

func (c *create) focus() tea.Cmd {
	s := c.sheet()
	s.form.Focus(s.prompt)
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

func (c *create) blur() tea.Cmd {
	c.sheet().form.Rest()
	return c.saveNow()
}

// turn goes to the other draft.
func (c *create) turn() tea.Cmd {
	c.sheet().form.Rest()
	c.at = 1 - c.at
	c.drawn = createDrawn{}
	s := c.sheet()
	s.form.Focus(s.prompt)
	return tea.Batch(c.follow(), c.saveShown())
}

func (c *create) offer() tea.Cmd {
	s := c.sheet()
	s.form.Focus(s.prompt)
	s.form.OfferTokens()
	return nil
}

func (c *create) whyNoOffer() string {
	if c.sheet().have == [3]int{} {
		return c.k.say("There is no material yet: add one first.")
	}
	return ""
}

func (c *create) toMaterials() tea.Cmd {
	s := c.sheet()
	switch {
	case s.mode.Value() == api.ModeFirstLastFrame:
		s.form.Focus(s.first)
	default:
		s.form.Focus(s.materials)
	}
	return nil
}

func (c *create) whyNoMaterials() string {
	if s := c.sheet(); s.kind != api.KindVideo || s.model.Value() != api.Seedance2 {
		return c.k.say("Only seedance2 takes materials.")
	}
	return ""
}

func (c *create) selectAll() tea.Cmd {
	s := c.sheet()
	s.form.Focus(s.prompt)
	s.prompt.SelectAll()
	return nil
}

// load takes a whole request, or a choice of model and parameters.
func (c *create) load(m loadedMsg) tea.Cmd {
	c.at = onVideo
	if m.request.Kind == api.KindImage {
		c.at = onImage
	}
	c.drawn = createDrawn{}
	c.sheet().load(m.request, m.keep)
	c.sheet().tell(m.told)
	c.restored = true
	return tea.Batch(c.follow(), c.saveSoon(), c.saveShown())
}

func (c *create) click(m clickMsg) tea.Cmd {
	left, _ := splitPanes(c.w, 62, 44)
	if m.y == 0 && m.x < left {
		from := left - 3 - theme.Width(c.switcher())
		if m.x >= from && m.x < left-2 {
			return c.turn()
		}
		return nil
	}
	if m.x < left {
		c.sheet().form.Click(m.x-2, m.y-1)
		return c.changed()
	}
	return c.clickGrid(m.x-left-2, m.y-1)
}

func (c *create) cursor() *tea.Cursor {
	x, y, ok := c.sheet().form.Cursor()
	if !ok {
		return nil
	}
	return tea.NewCursor(x+2, y+1)
}

// switcher is the title of the two drafts, plain.
func (c *create) switcher() string {
	return "‹ " + c.k.say("Image") + " ╱ " + c.k.say("Video") + " ›"
}

// send opens the review, or shows what is wrong.
func (c *create) send() tea.Cmd {
	s := c.sheet()
	s.form.Leave()
	if s.toldSeen {
		s.told = nil // sent again as it is: the person means it
	}
	s.toldSeen = len(s.toldProblems()) > 0
	if !s.form.Try() {
		text := s.form.Problems()[0].Text
		if n := len(s.form.Problems()); n > 1 {
			text = c.k.say("%d problems first: %s", n, text)
		}
		return say(toneWarn, text)
	}
	if why := c.k.standing.ReadOnly; why != "" {
		return say(toneBad, asSentence(c.k.translate(why)))
	}
	c.opening = true
	cmd := c.review(s)
	return tea.Batch(c.follow(), c.saveNow(), cmd)
}

// submitted follows a request that is on its way: on to the jobs, with the
// prompt selected for the next one.
func (c *create) submitted(m submittedMsg) tea.Cmd {
	if m.err != nil {
		return nil // the review shows it
	}
	s := c.sheet()
	s.form.Fresh()
	s.form.Focus(s.prompt)
	s.prompt.SelectAll()
	s.form.Settle()
	return nil
}
