package create

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// draftNames are the names under which the drafts are saved: their kinds.
var draftNames = [2]string{"video", "image"}

// shownDraft is the name under which the kind in view is saved.
const shownDraft = "shown"

// saver is what is known about saving one draft.
type saver struct {
	saved  int64 // the form's edits as saved
	timing bool
}

// saveSoon saves the draft in view by one timer; half a second of typing may be lost with the program.
func (c *Screen) saveSoon() tea.Cmd {
	at, v := c.at, &c.savers[c.at]
	if v.timing || c.draft().Form.Edits() == v.saved {
		return nil
	}
	v.timing = true
	return env.Later(c.env.Context, 500*time.Millisecond, thenMsg(func(s *Screen) tea.Cmd {
		s.savers[at].timing = false
		return s.save(at)
	}))
}

func (c *Screen) saveNow() tea.Cmd {
	var cmds []tea.Cmd
	for i, d := range c.drafts {
		if d.Touched && d.Form.Edits() != c.savers[i].saved {
			cmds = append(cmds, c.save(i))
		}
	}
	return tea.Batch(cmds...)
}

func (c *Screen) save(i int) tea.Cmd {
	c.savers[i].saved = c.drafts[i].Form.Edits()
	ctx, b, r := context.WithoutCancel(c.env.Context), c.backend, c.drafts[i].Saved() // the last is saved when a signal has ended the rest
	return func() tea.Msg { return msg.FailedMsg{Err: b.SaveDraft(ctx, draftNames[i], r)} }
}

// saveShown saves which kind is in view; its errors are not reported.
func (c *Screen) saveShown() tea.Cmd {
	ctx, b, kind := c.env.Context, c.backend, c.draft().Kind
	return func() tea.Msg {
		_ = b.SaveDraft(ctx, shownDraft, api.Request{Kind: kind})
		return nil
	}
}

// restoredMsg is what was saved when the program last ran.
type restoredMsg struct {
	drafts   [2]api.Request
	found    [2]bool
	last     [2]string // models last used
	shown    api.Kind  // that was in view or sent last; "" for a newcomer
	check    bool      // the person lets the hosts of materials be asked
	listing  state.Listing
	before   [2]*api.Request
	sent     []state.Sent // the newest first
	ofModels []state.Sent // the last one of each model
	msg.FailedMsg
}

func readDrafts(ctx context.Context, b Backend) tea.Cmd {
	return func() tea.Msg {
		var m restoredMsg
		for i, name := range draftNames {
			var err error
			m.drafts[i], m.found[i], err = b.Draft(ctx, name)
			m.Err = cmp.Or(err, m.Err)
			m.last[i], _ = b.LastModel(ctx, api.Kind(name))
			if before, held, _ := b.Draft(ctx, name+beforeDraft); held {
				m.before[i] = &before
			}
		}
		m.sent, _ = b.History(ctx, state.HistoryQuery{Limit: 24})
		m.ofModels, _ = b.History(ctx, state.HistoryQuery{ByModel: true, Limit: 1000})
		shown, saved, _ := b.Draft(ctx, shownDraft)
		if m.shown = shown.Kind; !saved && len(m.sent) > 0 {
			m.shown = m.sent[0].Request.Kind
		}
		m.check = b.Materials().MayAsk(ctx)
		m.listing = b.KnownModels(ctx)
		return m
	}
}

// restore puts the saved drafts into forms that nobody has touched meanwhile.
func (c *Screen) restore(m restoredMsg) tea.Cmd {
	c.public.Allowed = c.public.Allowed || m.check
	var cmds []tea.Cmd
	untouched := !c.drafts[onVideo].Touched && !c.drafts[onImage].Touched
	for i, d := range c.drafts {
		for _, one := range slices.Concat(m.sent, m.ofModels) {
			d.Recall(one.Request)
		}
		if !d.Touched && !m.found[i] && m.last[i] != "" {
			d.Model.SetValue(m.last[i])
		}
		if len(m.listing.Models) > 0 && !c.listed() {
			d.List(m.listing.Models)
		}
		switch c.before[i] = cmp.Or(c.before[i], m.before[i]); {
		case m.found[i] && !d.Touched:
			d.Load(m.drafts[i], false)
		case m.found[i] && !draft.Same(d.Request, m.drafts[i]): // it was opened with another one
			cmds = append(cmds, c.setBefore(i, m.drafts[i]))
		}
		if d.Sent.Kind == "" && len(m.sent) > 0 && m.sent[0].Request.Kind == d.Kind {
			d.Sent = m.sent[0].Request
		}
		c.savers[i].saved = d.Form.Edits()
	}
	if !c.listed() {
		c.listing = m.listing
	}
	if untouched && m.shown == api.KindVideo && c.at != onVideo {
		c.draft().Form.Rest()
		c.at = onVideo
	}
	return tea.Batch(append(cmds, c.follow(0))...)
}

// listed reports whether the service itself has listed its models.
func (c *Screen) listed() bool { return len(c.listing.Models) > 0 && !c.listing.Cached }

// readModels asks the service for its models, or takes what Prices or another window was told since.
func (c *Screen) readModels(stored bool) tea.Cmd {
	ctx, read := c.env.Context, c.backend.Models
	if stored {
		read = c.backend.KnownModels
	}
	return func() tea.Msg {
		listing := read(ctx)
		return thenMsg(func(s *Screen) tea.Cmd {
			if stored && !listing.At.After(s.listing.At) {
				return nil
			}
			s.awaitModels(false)
			var again tea.Cmd
			if s.drafts[onImage].Request.Model == "" {
				again = s.unpriced(onImage, listing.Err)
			}
			if len(listing.Models) == 0 {
				s.modelsAsked = false // ask again when the screen is entered next
				return tea.Batch(s.follow(0), again)
			}
			s.listing = listing
			s.choices.edits++
			for i, d := range s.drafts {
				clean := d.Form.Edits() == s.savers[i].saved
				d.List(listing.Models)
				if clean {
					s.savers[i].saved = d.Form.Edits()
				}
			}
			// The price may have come before the models.
			return tea.Batch(s.follow(0), s.askChoices(s.prices[s.at].estimate.Source == api.SourceService), again)
		})
	}
}

// awaitModels says whether the listing is being read.
func (c *Screen) awaitModels(on bool) {
	for _, d := range c.drafts {
		d.Awaited = on
		d.Form.Settle()
	}
}

// beforeDraft is behind the name of a draft that another request has replaced.
const beforeDraft = ".before"

// setBefore keeps a draft for alt+p.
func (c *Screen) setBefore(at int, r api.Request) tea.Cmd {
	c.before[at] = &r
	ctx, b, name := c.env.Context, c.backend, draftNames[at]+beforeDraft
	return func() tea.Msg { return msg.FailedMsg{Err: b.SaveDraft(ctx, name, r)} }
}

// previousDraft exchanges the draft with the one before it.
func (c *Screen) previousDraft() tea.Cmd {
	to, d := c.before[c.at], c.draft()
	keep := c.setBefore(c.at, d.Saved())
	if d.Empty() {
		c.before[c.at] = nil
	}
	d.Load(*to, false)
	return tea.Batch(keep, c.follow(quietFor), c.saveSoon(), msg.Notify(msg.ToneHint, c.env.Say("Previous draft restored.")))
}

// savedPrompts lists the prompts, or the cast, whose names or texts hold what is typed.
// What is typed is also the name under which the form's prompt, or material, is kept.
type savedPrompts struct {
	widget.Finder
	screen *Screen
	folder string
	say    savedWords
	text   string // the form's
	all    []state.SavedText
	shown  []state.SavedText // of all
	known  bool
	w, h   int
}

// promptsReadMsg are the prompts that are kept, and the name that the cursor goes to.
type promptsReadMsg struct {
	all      []state.SavedText
	selected string
	msg.FailedMsg
}

// savedWords are the sentences of a folder.
type savedWords struct{ title, save, hint, noText, badName, none, empty, replace, remove string }

func (c *Screen) openSaved() tea.Cmd {
	return c.openTexts(state.SavedPrompts, strings.TrimSpace(c.draft().Prompt.Value()), savedWords{
		"Saved prompts", "save this prompt", "search, or type a name and press %s to save the current prompt",
		"Write a prompt first.", "A file cannot have this name.", "No saved prompt matches.",
		"No prompt is saved yet. Use {{subject}} as a placeholder; tab jumps between placeholders.",
		"Replace the saved prompt %s?", "Remove the saved prompt %s?"})
}

// openCast lists the materials with names, which the chosen one, else the last, can get.
func (c *Screen) openCast() tea.Cmd {
	d := c.draft()
	text, chosen := d.Materials.Selected()
	if all := d.Attached(); len(all) > 0 && (!chosen || d.Form.Focused() != form.Field(d.Materials)) {
		text = all[len(all)-1].Address
	}
	return c.openTexts(state.Cast, text, savedWords{
		"Named materials", "name this material", "search, or type a name and press %s to give it to the chosen material",
		"Add a material first.", "A name has letters, digits, - and _ only.", "No named material matches.",
		"No material has a name yet. In a prompt, @name stands for the material.",
		"Give the name %s to another material?", "Remove the name %s?"})
}

func (c *Screen) openTexts(folder, text string, words savedWords) tea.Cmd {
	o := &savedPrompts{screen: c, folder: folder, say: words, text: text}
	o.Finder = widget.Finder{Room: func() int { return o.inner() - 2 }, Typed: func() tea.Cmd { return o.find("") }, Choose: o.insert}
	o.Table = append([]action.Action{
		{Name: "insert", Keys: "enter", Label: "insert", Handler: o.insert, Disabled: o.whyNone},
		{Name: "save", Keys: "alt+s", Label: words.save, Handler: o.save, Disabled: o.whyNotSaved},
		{Name: "remove", Keys: "alt+x", Label: "remove", Handler: o.remove, Disabled: o.whyNone},
		{Name: "back", Keys: "esc", Label: "back", Closes: true},
	}, o.List.Actions(true)...)
	return tea.Batch(msg.Open(o.screen.env, o), o.read(""))
}

func (o *savedPrompts) read(selected string) tea.Cmd {
	b, folder := o.screen.backend, o.folder
	return func() tea.Msg {
		all, err := b.SavedTexts(folder)
		return promptsReadMsg{all, selected, msg.FailedMsg{Err: err}}
	}
}

func (o *savedPrompts) find(selected string) tea.Cmd {
	o.shown = slices.DeleteFunc(slices.Clone(o.all), func(p state.SavedText) bool {
		return !holds(p.Name, o.Line.Text()) && !holds(p.Text, o.Line.Text())
	})
	o.List.SetRows(len(o.shown))
	o.List.Select(slices.IndexFunc(o.shown, func(p state.SavedText) bool { return p.Name == selected }))
	return nil
}

func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(part)))
}

func (o *savedPrompts) selected() state.SavedText { return widget.Chosen(&o.List, o.shown) }

func (o *savedPrompts) whyNone() string {
	return o.screen.env.SayIf(len(o.shown) == 0, o.say.none)
}

// insert writes a prompt, or names a member of the cast, at the cursor of the form's
// prompt. Where that names none, the member becomes a material.
func (o *savedPrompts) insert() tea.Cmd {
	p, d := o.selected(), o.screen.draft()
	text := p.Text
	if o.folder == state.Cast {
		text = "@" + p.Name + " "
	}
	if o.folder == state.Cast && d.Prompt.Offer() == nil {
		d.Materials.Add(text)
	} else {
		d.Form.Focus(d.Prompt)
		d.Prompt.InsertSaved(text)
	}
	d.Form.Settle()
	return tea.Batch(o.screen.env.Do(msg.ClosedMsg{}), o.screen.settled(o.screen.changed()))
}

func (o *savedPrompts) whyNotSaved() string {
	k, name := o.screen.env, strings.TrimSpace(o.Line.Text())
	return cmp.Or(k.SayIf(o.text == "", o.say.noText), k.SayIf(name == "", "Type a name first."),
		k.SayIf(!state.SavedName(o.folder, name), o.say.badName))
}

// save keeps the form's prompt, after a question when the name is taken.
func (o *savedPrompts) save() tea.Cmd {
	name := strings.TrimSpace(o.Line.Text())
	p, taken := api.Find(o.all, func(p state.SavedText) bool { return strings.EqualFold(p.Name, name) })
	if !taken || p.Text == o.text {
		return o.write(cmp.Or(p.Name, name), taken)
	}
	return msg.Open(o.screen.env, widget.NewConfirm(o.screen.env, o.screen.env.Say(o.say.replace, p.Name), p.Text, "enter y", "replace",
		func() tea.Cmd { return o.write(p.Name, true) }))
}

func (o *savedPrompts) write(name string, over bool) tea.Cmd {
	ctx, b, folder, text := o.screen.env.Context, o.screen.backend, o.folder, o.text
	o.Line.Set("")
	save := func(ctx context.Context) error {
		if folder == state.Cast { // the link of a result lasts for hours only
			if job, f, _, _ := b.Materials().Result(ctx, text); job != "" {
				text = fmt.Sprintf("job:%s/%d", job, f.N)
			}
		}
		return b.SaveText(folder, name, text, over)
	}
	return msg.Sequence(result.Call(ctx, o.screen.env.Say("Saved as %s.", name), save), o.read(name))
}

func (o *savedPrompts) remove() tea.Cmd {
	k, p := o.screen.env, o.selected()
	return msg.Open(k, widget.NewConfirm(k, k.Say(o.say.remove, p.Name), p.Text, "enter y", "remove", func() tea.Cmd {
		b := o.screen.backend
		remove := func(context.Context) error { return b.SaveText(o.folder, p.Name, "", true) }
		return msg.Sequence(result.Call(k.Context, k.Say("Removed."), remove), o.read(""))
	}))
}

func (o *savedPrompts) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		o.w, o.h = m.Width, m.Height
		o.List.SetWindow(widget.FinderTop, min(max(o.h-2-widget.FinderTop-savedPreview, 1), savedLines))
	case promptsReadMsg:
		if o.all, o.known = m.all, true; o.folder == state.Cast {
			o.screen.public.Cast = m.all
		}
		return o.find(m.selected)
	}
	return o.Finder.Update(message)
}

const (
	savedWidth   = 100
	savedLines   = 14 // of the list
	savedPreview = 5
	savedName    = 24
)

func (o *savedPrompts) inner() int { return max(min(savedWidth, o.w)-4, 1) }

func (o *savedPrompts) Box(int, int) string {
	t, w := o.screen.env.Theme, o.inner()
	rows := o.List.Lines(func(n int, selected bool) string {
		p := o.shown[n]
		in, mark := t.Row(selected)
		name := in.Strong.If(selected, in.Text).Paint(mark + theme.Fit(p.Name, savedName))
		return name + in.Muted.Paint(theme.Fit(" "+api.OneLine(p.Text), max(w-savedName-2, 1)))
	})
	if len(o.shown) == 0 && o.known {
		why := cmp.Or(o.screen.env.SayIf(len(o.all) > 0, o.say.none), o.screen.env.Say(o.say.empty))
		copy(rows, widget.Muted(o.screen.env, why, w))
	}
	preview := make([]string, savedPreview)
	copy(preview, api.Map(widget.WrapTo(o.selected().Text, w-2, savedPreview), t.Text.Paint))
	lines := slices.Concat(o.Head(t, o.screen.env.Say(o.say.hint, o.Table[1].KeyText())), rows, []string{widget.Divide("")}, preview)
	return widget.Boxed(o.screen.env, w+4, o.h, o.screen.env.Say(o.say.title), lines, o.List.Below())
}

// findCast looks up the materials that the draft names, and puts them in their places.
func (c *Screen) findCast() tea.Cmd {
	ctx, b, d := c.env.Context, c.backend, c.draft()
	return tea.Batch(api.Pick(d.Named(), func(name string) (tea.Cmd, bool) {
		asked := c.public.Asking[name]
		c.public.Asking[name] = true
		return func() tea.Msg {
			found, err := b.Materials().Find(ctx, name)
			return thenMsg(func(s *Screen) tea.Cmd {
				if err != nil { // it stays as it is, and is asked for again when it is written again
					return func() tea.Msg { return msg.FailedMsg{Err: err} }
				}
				delete(s.public.Asking, name)
				if found.Job != "" {
					s.public.Ours[found.Address] = found
				}
				if why := d.Attach(name, found); why != "" {
					s.public.Asking[name] = true
					return msg.Notify(msg.ToneHint, why)
				}
				return tea.Batch(s.changed(), s.askHosts())
			})
		}, !asked
	})...)
}
