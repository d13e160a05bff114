// Package create is the screen on which requests are written, priced and sent.
package create

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/form"
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
	thumbs  *result.Thumbs // of materials that are results of ours

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
		env: k, backend: b, at: onImage, started: k.At, recent: recent.New(k, b), thumbs: result.NewThumbs(k),
		public: draft.Links{Asking: map[string]bool{}, Found: map[string]draft.Link{}, Uploading: map[string]bool{},
			Ours: map[string]state.Found{}},
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
	c.example = action.After([]action.Action{
		{Name: "take_example", Keys: "enter", Label: "take it", Handler: c.takeExample},
		{Name: "next_result", Keys: "right l down", Display: "←/→", Label: "choose", Handler: action.By(c.recent.Move, 1)},
		{Name: "previous_result", Keys: "left h", Label: "previous result", Hidden: true, Handler: action.By(c.recent.Move, -1)},
		{Name: "back", Keys: "esc alt+r up", Label: "back to the prompt", Handler: c.leaveRecent},
	}, settled)
	c.arrange()
	return c
}

func (c *Screen) draft() *draft.Draft { return c.drafts[c.at] }

// Actions are the keys of the form, or those of the chosen result.
func (c *Screen) Actions() []action.Action {
	switch {
	case !c.recent.Focused():
		return c.table
	case c.recent.Empty():
		return c.example
	}
	return c.chosen
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
	if !c.recent.Shown() {
		return cmd
	}
	c.arrange()
	materials := api.Map(c.draft().Attached(), func(m draft.Material) result.Thumb {
		return result.Thumb{Path: c.public.Ours[m.Address].Path, Cols: pictureCells, Rows: 1}
	})
	return tea.Batch(cmd, c.recent.Want(), c.thumbs.Want(materials))
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
		for _, d := range c.drafts { // what the service rejected is shown next to the fields of the same request
			if d.Refused(m.Request, m.Problems) {
				return msg.Notify(msg.ToneWarn, c.env.Say("The service refused the request: see the marked fields in Create."))
			}
		}
	case msg.UsedMsg:
		c.leaveRecent()
		return c.useResult(m)
	case restoredMsg:
		return c.restore(m)
	case review.HostAnsweredMsg:
		delete(c.public.Asking, m.Address)
		c.public.Found[m.Address] = draft.Link{Link: m.Link, Why: m.Why(c.env)}
		c.touchMaterials()
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
		return tea.Batch(api.Map([]rune(m.Text), func(r rune) tea.Cmd { // key by key, to the focused field
			cmd, _ := c.Edit(tea.KeyPressMsg{Code: r, Text: string(r)})
			return cmd
		})...)
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
	return tea.Batch(c.updatePrice(quiet), c.lookUpMaterials(), c.findCast(), c.recent.Edited(c.draft().Prompt.Value()))
}

func (c *Screen) Focus() tea.Cmd {
	d := c.draft()
	c.leaveRecent()
	d.Form.Focus(d.Prompt)
	cmds := []tea.Cmd{c.recent.Show(true), c.recent.Read(d.Prompt.Value())}
	if !c.restored {
		c.restored = true
		cmds = append(cmds, readDrafts(c.env.Context, c.backend))
	}
	if !c.modelsAsked {
		c.awaitModels(true)
	}
	cmds = append(cmds, c.readModels(c.modelsAsked), readLists(c.backend), c.follow(0))
	c.modelsAsked = true
	c.arrange()
	return tea.Batch(cmds...)
}

func (c *Screen) Blur() tea.Cmd {
	c.draft().Form.Rest()
	return tea.Batch(c.recent.Show(false), c.thumbs.Want(nil), c.saveNow())
}

// Backend is what Create calls, from commands only.
type Backend interface {
	SaveDraft(ctx context.Context, name string, r api.Request) error
	Draft(ctx context.Context, name string) (api.Request, bool, error)
	LastModel(ctx context.Context, kind api.Kind) (string, error)
	Materials() state.Materials
	SavedTexts(folder string) ([]state.SavedText, error)
	SaveText(folder, name, text string, over bool) error
	env.Offers
	history.Store
	review.Backend
	recent.Backend
}

// actions is the screen's table.
func (c *Screen) actions() []action.Action {
	return append(c.materialActions(), []action.Action{
		{Name: "review", Group: "Send", Keys: "ctrl+s", Label: "review and send", Handler: c.toReview, Disabled: c.whyNotSent, Always: true},
		{Name: "change_value", Display: "←/→", Label: "change", Handler: c.press(tea.KeyRight, 0), Offer: c.hasChoices},
		{Name: "open_choices", Display: "enter", Label: "all choices", Handler: c.press(tea.KeyEnter, 0), Offer: c.hasChoices},
		{Name: "results", Group: "Results", Keys: "alt+r", Label: "results", Also: "contact sheet, compare, favourite",
			Handler: c.enterRecent, Always: true, Offer: func() bool { return !c.recent.Empty() },
			Disabled: func() string {
				return c.env.SayIf(c.recent.Empty() && !c.recent.Examples(), "There are no results yet.")
			}},
		{Name: "switch_kind", Keys: "ctrl+t", Label: "image or video", Handler: c.switchKind, Always: true},
		{Name: "insert_material", Group: "Write", Display: "@", Label: "insert material",
			Handler: c.on(func(d *draft.Draft) { d.Form.Focus(d.Prompt); d.Form.OfferTokens() }), Disabled: c.whyNoTokens, Offer: c.inPrompt},
		{Name: "history", Group: "Results", Keys: "ctrl+r", Label: "history", Always: true, Offer: func() bool { return !c.recent.Empty() },
			Handler: func() tea.Cmd { return history.Open(c.env, c.backend, c.started, c.draft().Prompt.Value()) }},
		{Name: "saved_prompts", Group: "Write", Keys: "alt+s", Label: "saved prompts", Hidden: true, Handler: c.openSaved, Always: true},
		{Name: "paste_picture", Group: "Write", Keys: "alt+i", Label: "paste a picture", Hidden: true, Handler: c.pastePicture,
			Disabled: c.whyNotUploaded, Always: true},
		{Name: "cast", Group: "Write", Keys: "alt+m", Label: "named materials", Hidden: true, Handler: c.openCast, Always: true},
		{Name: "previous_draft", Group: "Write", Keys: "alt+p", Label: "draft before", Hidden: true, Always: true, Handler: c.previousDraft,
			Disabled: func() string { return c.env.SayIf(c.before[c.at] == nil, "There is no draft before this one.") }},
		{Name: "external_editor", Group: "Write", Keys: "ctrl+o", Label: "write in your editor",
			Handler: c.openEditor, Always: true, Offer: c.inPrompt},
		{Name: "materials", Group: "Write", Keys: "ctrl+e", Label: "go to the materials", Also: "reference images, first and last frames",
			Handler: c.on(func(d *draft.Draft) { d.Form.Focus(d.Materials) }), Hidden: true, Always: true},
		{Name: "variations", Group: "Write", Keys: "alt+v", Label: "try several variations",
			Handler: c.openVariations, Hidden: true, Always: true},
		{Name: "single", Group: "Send", Keys: "alt+c", Label: "one request, random seed", Hidden: true, Always: true,
			Handler: func() tea.Cmd { c.draft().Single(); return c.changed() },
			Disabled: func() string {
				return c.env.SayIf(!c.draft().Repeats(), "It is already one request with a random seed.")
			}},
		{Name: "more", Group: "Write", Label: "more settings", Also: "async", Hidden: true, Handler: c.on((*draft.Draft).ShowMore)},
		{Name: "next_field", Display: "tab", Label: "another field", Hidden: true, Handler: c.press(tea.KeyTab, 0)},
		{Name: "previous_field", Display: "shift+tab", Label: "previous field", Hidden: true, Handler: c.press(tea.KeyTab, tea.ModShift)},
		{Name: "select_prompt", Group: "Write", Display: "ctrl+a", Label: "select the whole prompt", Hidden: true,
			Handler: c.on(func(d *draft.Draft) { d.Form.Focus(d.Prompt); d.Prompt.SelectAll() })},
		{Name: "undo", Group: "Write", Display: "alt+z", Label: "undo", Hidden: true, Handler: c.press('z', tea.ModAlt)},
		{Name: "redo", Group: "Write", Display: "alt+y", Label: "redo", Hidden: true, Handler: c.press('y', tea.ModAlt)},
		{Name: "check_links", Group: "Send", Keys: "ctrl+p", Label: "check that links are public", Hidden: true, Handler: c.checkPublic,
			Disabled: c.whyNothingToCheck, Always: true},
		{Name: "refresh_price", Group: "Send", Keys: "ctrl+g", Label: "refresh the price", Hidden: true, Handler: c.refreshPrice, Always: true},
	}...)
}

// press does what the key would do, for people who find it in the palette.
func (c *Screen) press(key rune, mod tea.KeyMod) func() tea.Cmd {
	return func() tea.Cmd {
		cmd, _ := c.Edit(tea.KeyPressMsg{Code: key, Mod: mod})
		return cmd
	}
}

// on is a handler that does something with the draft in view.
func (c *Screen) on(do func(d *draft.Draft)) func() tea.Cmd {
	return func() tea.Cmd {
		do(c.draft())
		return nil
	}
}

// switchKind shows the other draft.
func (c *Screen) switchKind() tea.Cmd {
	c.draft().Form.Rest()
	prompt := c.draft().Prompt.Value()
	c.at = 1 - c.at
	d := c.draft()
	d.Form.Focus(d.Prompt)
	var carry tea.Cmd
	if d.Empty() && strings.TrimSpace(prompt) != "" { // an empty draft takes it over
		carry = c.write(prompt)
	}
	return tea.Batch(carry, c.follow(quietFor), c.saveShown())
}

func (c *Screen) inPrompt() bool { return c.draft().Form.Focused() == form.Field(c.draft().Prompt) }

func (c *Screen) hasChoices() bool {
	choice, ok := c.draft().Form.Focused().(*form.Choice)
	return ok && choice.Choosable()
}

func (c *Screen) whyNoTokens() string {
	return cmp.Or(c.env.SayIf(!c.draft().References(), "Only seedance2 takes materials."),
		c.env.SayIf(c.draft().Frames(), "The first and last frame need no name in the prompt."))
}

// materialActions are the keys of a row of the materials, which the list itself takes.
func (c *Screen) materialActions() []action.Action {
	table := []action.Action{
		{Name: "edit_material", Display: "enter", Label: "edit", Handler: c.press(tea.KeyEnter, 0)},
		{Name: "remove_material", Display: "delete", Label: "remove", Handler: c.press(tea.KeyDelete, 0)},
		{Name: "move_material_up", Display: "alt+↑/↓", Label: "move", Handler: c.press(tea.KeyUp, tea.ModAlt)},
		{Name: "move_material_down", Display: "alt+↓", Label: "move down", Hidden: true, Handler: c.press(tea.KeyDown, tea.ModAlt)},
		{Name: "change_material_kind", Display: "←/→", Label: "kind", Handler: c.press(tea.KeyRight, 0)},
	}
	for i := range table {
		table[i].Disabled = func() string {
			_, ok := c.draft().Materials.Selected()
			return cmp.Or(c.env.SayIf(!ok || c.draft().Form.Focused() != form.Field(c.draft().Materials), "Choose a material first."),
				c.env.SayIf(c.at == onImage && table[i].Name == "change_material_kind", "There is only one kind of materials."))
		}
	}
	return append(table, action.Action{Name: "upload_file", Keys: "alt+u", Label: "upload file", Handler: c.uploadFile,
		Disabled: c.whyNoUpload, Always: true})
}

func (c *Screen) enterRecent() tea.Cmd {
	c.draft().Form.Rest()
	c.recent.Focus(true)
	c.draft().Form.Idle(true)
	return nil
}

// leaveRecent gives the keys back to the form. As an action it leads to nothing else.
func (c *Screen) leaveRecent() tea.Cmd {
	c.recent.Focus(false)
	c.draft().Form.Idle(false)
	return nil
}

// takeExample puts the chosen example, which is the row's title, into the prompt.
func (c *Screen) takeExample() tea.Cmd {
	row, _ := c.recent.Row()
	c.leaveRecent()
	c.draft().Form.Focus(c.draft().Prompt)
	return c.write(row.Title)
}

func (c *Screen) recentActions() []action.Action {
	table := slices.Concat(c.recent.Verbs(), []action.Action{
		{Name: "back", Keys: "esc alt+r up", Label: "back to the prompt", Handler: c.leaveRecent},
		{Name: "next_result", Keys: "right l down", Display: "←/→", Label: "choose", Hidden: true, Handler: action.By(c.recent.Move, 1)},
		{Name: "previous_result", Keys: "left h", Label: "previous result", Hidden: true, Handler: action.By(c.recent.Move, -1)},
		{Name: "first_result", Keys: "home", Display: "home/end", Label: "first or last", Hidden: true, Handler: action.By(c.recent.Move, -1000)},
		{Name: "last_result", Keys: "end", Label: "last result", Hidden: true, Handler: action.By(c.recent.Move, 1000)},
		{Name: "review", Group: "Send", Keys: "ctrl+s", Label: "review and send", Hidden: true, Handler: c.toReview},
		{Name: "switch_kind", Keys: "ctrl+t", Label: "image or video", Hidden: true, Handler: c.switchKind},
	})
	// The way back stands behind enter, so that the footer shows it.
	return action.First(table, "settle", "send_again", "full_screen", "back")
}

// toReview begins the review, or shows what is wrong.
func (c *Screen) toReview() tea.Cmd {
	d := c.draft()
	if d.Unlisted() {
		return msg.Notify(msg.ToneHint, c.env.Say("The models are still being read."))
	}
	if why := c.whyNotSent(); why != "" {
		return msg.Notify(msg.ToneWarn, why)
	}
	d.Form.Leave()
	d.Send()
	if !d.Form.Try() {
		return msg.Notify(msg.ToneWarn, c.env.Words.Count(len(d.Form.Problems()), "%d problem", "%d problems"))
	}
	if why := c.env.Health.ReadOnly; !why.IsZero() {
		return msg.Notify(msg.ToneBad, c.env.Reason(why))
	}
	return tea.Batch(c.follow(quietFor), c.saveNow(), c.openReview())
}

// whyNotSent says that the service does not answer, while it has named no model yet.
func (c *Screen) whyNotSent() string {
	return c.env.SayIf(c.draft().Request.Model == "" && !c.prices[c.at].retryAt.IsZero(),
		"Nothing can be sent: %s does not answer.", cmp.Or(c.env.Health.Base, c.env.Say("the service")))
}

// openReview opens a review of the draft. The hosts of new materials are asked then.
func (c *Screen) openReview() tea.Cmd {
	d, p := c.draft(), &c.prices[c.at]
	start := review.Start{
		Draft: c.at, Listing: d.Listing, Pattern: d.Pattern, Set: d.Set,
		Prices: map[string]api.Estimate{}, Placeholders: append(form.Placeholders(d.Pattern.Prompt), d.Unplaced()...),
		Asked: c.asked[c.at], Dead: c.faulty(d.Useless), Written: d.Form.Written,
		Materials: api.Map(d.Attached(), func(m draft.Material) review.Material {
			return review.Material{Name: m.Name, Address: m.Address, Title: c.materialTitle(m.Address), Path: c.public.Ours[m.Address].Path}
		}),
	}
	maps.Copy(start.Prices, c.sums)
	start.Prices[p.key] = p.estimate
	return tea.Batch(review.Open(c.env, c.backend, start), c.askHosts())
}

// submitted keeps the screen and the prompt as they are; the job appears first
// among the results. An error is shown by the review.
func (c *Screen) submitted(m review.SubmittedMsg) tea.Cmd {
	if m.Err != nil {
		return nil
	}
	d := c.drafts[m.Draft]
	d.Sent, c.sentAt, c.asked[m.Draft] = d.Request, c.env.Clock(), nil
	d.Remember(d.Request)
	d.Form.Fresh()
	c.leaveRecent()
	if d.Form.Focused() == form.Field(d.Prompt) {
		d.Prompt.ToEnd()
		c.sent = true
	}
	d.Form.Settle()
	c.recent.Sent()
	return c.recent.Read(c.draft().Prompt.Value())
}
