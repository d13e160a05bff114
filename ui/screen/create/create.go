// Package create is the screen on which requests are written, priced and sent.
package create

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/result/recent"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/screen/create/history"
	"darkroom/ui/screen/create/review"
	"darkroom/ui/widget"
)

// Screen holds a draft for videos and one for images, with their prices.
type Screen struct {
	env     *env.Env
	backend Backend
	w, h    int
	plan    plan
	drafts  [2]*draft.Draft
	at      int // the draft in view: onVideo or onImage
	table   []action.Action
	chosen  []action.Action // while a result has the keys
	example []action.Action // while an example has them
	recent  *recent.Recent
	ours    map[string]ownResult // materials that are results of ours, by address
	thumbs  *result.Thumbs       // of these

	asked       [2]*state.Row // by agents, what the drafts are sent in place of
	prices      [2]quote
	choices     choices
	sums        map[string]api.Estimate // figures of the service, by estimate key
	summing     bool                    // figures for the total are being asked for
	public      draft.Links
	savers      [2]saver
	before      [2]*api.Request // of each, the draft that another request has replaced
	listing     state.Listing
	modelsAsked bool // the listing was asked for since the program began
	restored    bool // the saved drafts were asked for

	started time.Time
	sent    bool // nothing was typed since a request was sent
	away    bool // another screen is in view
	sentAt  time.Time

	ready  readiness     // what the side pane's list shows
	list   widget.Scroll // of it, in the side pane
	beside widget.Beside
	frames [2]widget.Frame // of the form and of the side pane
}

const (
	onVideo = 0
	onImage = 1
)

// New makes the screen. It opens on an image, which newcomers make first.
func New(k *env.Env, b Backend) *Screen {
	c := &Screen{
		env: k, backend: b, at: onImage, started: k.At, ours: map[string]ownResult{}, recent: recent.New(k, b), thumbs: result.NewThumbs(k),
		public:  draft.Links{Asking: map[string]bool{}, Found: map[string]draft.Link{}, Uploading: map[string]bool{}},
		sums:    map[string]api.Estimate{},
		choices: choices{asked: map[string]bool{}, figures: map[string]api.Credits{}},
	}
	c.drafts = [2]*draft.Draft{draft.New(k, api.KindVideo, &c.public), draft.New(k, api.KindImage, &c.public)}
	for _, d := range c.drafts {
		d.Form.Price = c.priceWith
		d.Materials.Title, d.Materials.Picture = c.materialTitle, c.materialPicture
	}
	settled := func() tea.Cmd { return c.settled(nil) }
	c.table, c.chosen = action.After(c.actions(), settled), action.After(c.recentActions(), settled)
	c.example = action.After(c.exampleActions(), settled)
	c.arrange()
	return c
}

func (c *Screen) draft() *draft.Draft { return c.drafts[c.at] }

// Actions are the keys of the form, or those of the chosen result.
func (c *Screen) Actions() []action.Action {
	switch {
	case c.recent.Focused() && c.recent.Empty():
		return c.example
	case c.recent.Focused():
		return c.chosen
	}
	return c.table
}

// Typing reports whether a field of the form takes text.
func (c *Screen) Typing() bool {
	return !c.recent.Focused() && c.draft().Form.Typing()
}

func (c *Screen) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	if c.sent && key.String() == "enter" {
		return nil, true // one too many: it belongs to the review that is gone
	}
	c.sent = false
	if key.String() == "down" && c.recent.Examples() && c.inPrompt() && c.draft().Prompt.Value() == "" {
		return c.settled(c.enterRecent()), true
	}
	if c.recent.Focused() || !c.draft().Form.Key(key) {
		return nil, false
	}
	return c.settled(c.changed()), true
}

func (c *Screen) Update(message tea.Msg) tea.Cmd {
	return c.settled(c.handle(message))
}

// settled brings what follows from the state up to date, and asks for pictures, unless
// another screen is in view: Focus does so too.
func (c *Screen) settled(cmd tea.Cmd) tea.Cmd {
	if c.away {
		return cmd
	}
	c.arrange()
	return tea.Batch(cmd, c.recent.Wanted(), c.wantMaterials())
}

func (c *Screen) handle(message tea.Msg) tea.Cmd {
	if c.thumbs.Update(message) {
		c.touchMaterials()
		return nil
	}
	if cmd := c.recent.Update(message); cmd != nil {
		return cmd
	}
	switch m := message.(type) {
	case tea.KeyPressMsg:
		if c.recent.Focused() && action.Printable(m) {
			return msg.Notify(msg.ToneHint, c.env.Say("%s does nothing here. %s goes back to the prompt.", m.String(), c.env.Key("back", "esc")))
		}
		cmd, _ := c.Edit(m)
		return cmd
	case tea.PasteMsg:
		return c.paste(m.Content)
	case msg.ClickMsg:
		return c.click(m)
	case msg.WheelMsg:
		return c.wheel(m)
	case msg.LoadedMsg:
		return c.load(m)
	case msg.RefusedMsg:
		return c.refused(m)
	case msg.UsedMsg:
		c.leaveRecent()
		return c.useResult(m)
	case restoredMsg:
		return c.restore(m)
	case review.HostAnsweredMsg:
		c.hostAnswered(m)
	case msg.TickedMsg:
		if d := c.draft(); !d.Expiring.IsZero() && !m.At.Before(d.Expiring) {
			d.Form.Settle()
		}
	case thenMsg:
		return m(c)
	case review.PricedMsg:
		c.keepPrices(m.Prices)
	case review.SubmittedMsg:
		return c.submitted(m)
	case msg.ChangedMsg:
		return c.recent.Changed(c.draft().Prompt.Value(), m)
	case review.TypedMsg:
		return c.typed(m)
	case recent.ExampleMsg:
		c.leaveRecent()
		c.draft().Form.Focus(c.draft().Prompt)
		return c.write(m.Prompt)
	case history.PromptChosenMsg:
		if m.Pattern {
			return c.write(m.Text)
		}
		return c.write(expand.Literal(m.Text, c.draft().Lists))
	}
	return nil
}

// thenMsg is what follows in Update when a command has its answer.
type thenMsg func(s *Screen) tea.Cmd

// write puts a text in the place of the whole prompt.
func (c *Screen) write(text string) tea.Cmd {
	d := c.draft()
	d.Prompt.Replace(text)
	d.Prompt.ToEnd()
	d.Form.Settle()
	return c.changed()
}

// changed follows an edit: it updates the price and saves the draft soon.
func (c *Screen) changed() tea.Cmd {
	c.draft().Touched = true
	return tea.Batch(c.follow(quietFor), c.saveSoon())
}

// follow starts what an edit means outside of the form: another price, and
// materials that may be results of ours.
func (c *Screen) follow(quiet time.Duration) tea.Cmd {
	return tea.Batch(c.updatePrice(quiet), c.lookUpMaterials(), c.findCast())
}

func (c *Screen) Resize(w, h int) {
	c.w, c.h = w, h
	for _, d := range c.drafts {
		at := planFor(w, h, d.Kind)
		high := at.form.H - 2
		if at.side.W == 0 || at.recent.H > 1 {
			high-- // the line with the price, or air
		}
		d.Form.Resize(at.form.W-4, high)
	}
	c.arrange()
}

func (c *Screen) Restyle() {
	for _, d := range c.drafts {
		d.Label()
		d.Form.Restyle(d.Look())
	}
	c.arrange()
}

func (c *Screen) Focus() tea.Cmd {
	d := c.draft()
	c.away = false
	c.leaveRecent()
	d.Form.Focus(d.Prompt)
	cmds := []tea.Cmd{c.recent.Show(true), c.readRecent()}
	if !c.restored {
		c.restored = true
		cmds = append(cmds, readDrafts(c.env.Context, c.backend))
	}
	if !c.modelsAsked {
		c.modelsAsked = true
		c.awaitModels(true)
		cmds = append(cmds, c.readModels())
	}
	cmds = append(cmds, readLists(c.env.Context, c.backend), c.follow(0))
	c.arrange()
	return tea.Batch(cmds...)
}

func (c *Screen) Blur() tea.Cmd {
	c.away = true
	c.draft().Form.Rest()
	return tea.Batch(c.recent.Show(false), c.thumbs.Want(nil), c.saveNow())
}

// Backend is what Create calls, from commands only.
type Backend interface {
	SaveDraft(ctx context.Context, name string, r api.Request) error
	Draft(ctx context.Context, name string) (api.Request, bool, error)
	Prompts() state.Prompts
	Materials() state.Materials
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
	history.Store
	review.Backend
	recent.Backend
}
