package create

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
)

// saveAfter is how much typing may be lost with the program.
const saveAfter = 500 * time.Millisecond

// draftNames are the names under which the drafts are saved: their kinds.
var draftNames = [2]string{"video", "image"}

// shownDraft is the name under which the kind in view is saved.
const shownDraft = "shown"

// saver is what is known about saving one draft.
type saver struct {
	saved  int64 // the form's edits as saved
	timing bool
	failed bool // the last save failed
}

// saveSoon saves the draft in view after a while, by one timer.
func (c *Screen) saveSoon() tea.Cmd {
	at, v := c.at, &c.savers[c.at]
	if v.timing || c.draft().Form.Edits() == v.saved {
		return nil
	}
	v.timing = true
	return env.Later(c.env.Context, saveAfter, thenMsg(func(s *Screen) tea.Cmd {
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
	ctx, b, r := c.env.Context, c.backend, c.drafts[i].Saved()
	return func() tea.Msg {
		err := b.SaveDraft(ctx, draftNames[i], r)
		return thenMsg(func(s *Screen) tea.Cmd {
			if s.savers[i].failed = err != nil; err == nil {
				return nil
			}
			edits := s.drafts[i].Form.Edits()
			return env.Later(ctx, unsavedAfter, thenMsg(func(s *Screen) tea.Cmd {
				if !s.savers[i].failed || s.drafts[i].Form.Edits() != edits {
					return nil
				}
				return func() tea.Msg { return msg.FailedMsg{Err: err} }
			}))
		})
	}
}

// unsavedAfter is the pause of typing after which it is said that the draft is not saved:
// the next key would take the notice away.
const unsavedAfter = time.Second

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
			if m.drafts[i], m.found[i], err = b.Draft(ctx, name); err != nil {
				m.Err = err
			}
			m.last[i], _ = b.Prompts().LastModel(ctx, api.Kind(name))
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

func (c *Screen) readModels() tea.Cmd {
	ctx, b := c.env.Context, c.backend
	return func() tea.Msg {
		listing := b.Models(ctx)
		return thenMsg(func(s *Screen) tea.Cmd {
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
