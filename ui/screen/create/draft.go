package create

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/words"
)

// draftRest is how long a draft rests before it is saved.
const draftRest = 500 * time.Millisecond

// maxWaits is how many rests in a row may be cut short by typing before the
// draft is saved all the same.
const maxWaits = 6

// Names under which drafts are kept. ShownDraft holds which of the two was in
// view.
var draftNames = [2]string{"video", "image"}

const ShownDraft = "shown"

// saver is what is known about keeping one draft.
type saver struct {
	saved  int64 // the form's edits as saved
	due    int64 // the edits that the timer under way was started for
	timing bool
	waits  int  // rests that were cut short since the last save
	failed bool // the last one was not kept; said once
}

type draftDueMsg struct{ sheet int }

type draftSavedMsg struct {
	sheet int
	err   error
	quiet bool
}

func (m draftSavedMsg) Failed() error {
	if m.quiet {
		return nil
	}
	return m.err
}

// saveSoon keeps the draft when the form rests. There is at most one timer for
// each draft.
func (c *Screen) saveSoon() tea.Cmd {
	v, edits := &c.saver[c.At], c.Sheet().Form.Edits()
	if v.timing || edits == v.saved {
		return nil
	}
	v.timing, v.due = true, edits
	return c.draftTimer(c.At)
}

func (c *Screen) draftTimer(sheet int) tea.Cmd {
	return later(c.k.Context, draftRest, draftDueMsg{sheet})
}

func (c *Screen) draftDue(m draftDueMsg) tea.Cmd {
	v, edits := &c.saver[m.sheet], c.sheets[m.sheet].Form.Edits()
	v.timing = false
	if edits == v.saved {
		return nil
	}
	if edits != v.due && v.waits < maxWaits { // still being typed
		v.timing, v.due = true, edits
		v.waits++
		return c.draftTimer(m.sheet)
	}
	return c.save(m.sheet)
}

// saveNow keeps whatever is not kept yet.
func (c *Screen) saveNow() tea.Cmd {
	var cmds []tea.Cmd
	for i, s := range c.sheets {
		if s.restored && s.Form.Edits() != c.saver[i].saved {
			cmds = append(cmds, c.save(i))
		}
	}
	return tea.Batch(cmds...)
}

func (c *Screen) save(i int) tea.Cmd {
	v := &c.saver[i]
	v.saved, v.waits = c.sheets[i].Form.Edits(), 0
	ctx, d, r, quiet := c.k.Context, c.backend, c.sheets[i].draft(), v.failed
	return func() tea.Msg { return draftSavedMsg{i, d.SaveDraft(ctx, draftNames[i], r), quiet} }
}

func (c *Screen) saveShown() tea.Cmd {
	ctx, d, kind := c.k.Context, c.backend, c.Sheet().kind
	return func() tea.Msg {
		return draftSavedMsg{OnVideo, d.SaveDraft(ctx, ShownDraft, api.Request{Kind: kind}), true}
	}
}

// restoredMsg is what was kept when the program last ran.
type restoredMsg struct {
	drafts  [2]api.Request
	found   [2]bool
	last    [2]string // models last used
	shown   api.Kind
	may     bool // the person lets the hosts of materials be asked
	listing state.Listing
	at      time.Time
	err     error
}

func (m restoredMsg) Failed() error { return m.err }

func readDrafts(k *env.Env, d Backend) tea.Cmd {
	ctx, now := k.Context, k.Clock
	return func() tea.Msg {
		m := restoredMsg{at: now()}
		for i, name := range draftNames {
			var err error
			if m.drafts[i], m.found[i], err = d.Draft(ctx, name); err != nil {
				m.err = err
			}
			m.last[i], _ = d.LastModel(ctx, [2]api.Kind{api.KindVideo, api.KindImage}[i])
		}
		m.shown = lastKind(ctx, d)
		m.may = d.MayAskMaterials(ctx)
		m.listing = d.KnownModels(ctx)
		return m
	}
}

// lastKind is the kind that was in view last, else that of the newest job, so
// that what was sent by command counts too; "" for a newcomer.
func lastKind(ctx context.Context, d Backend) api.Kind {
	if shown, ok, _ := d.Draft(ctx, ShownDraft); ok {
		return shown.Kind
	}
	if page, err := d.Jobs(ctx, state.Query{Limit: 1}); err == nil && len(page.Rows) > 0 {
		return page.Rows[0].Kind
	}
	return ""
}

// restore puts the kept drafts into forms that nobody has touched meanwhile.
func (c *Screen) restore(m restoredMsg) tea.Cmd {
	c.public.may = c.public.may || m.may
	untouched := !c.sheets[OnVideo].restored && !c.sheets[OnImage].restored
	for i, s := range c.sheets {
		if !s.restored && !m.found[i] && m.last[i] != "" {
			s.model.SetValue(m.last[i])
		}
		if len(m.listing.Models) > 0 && !c.listedOnce() {
			s.list(m.listing.Models)
		}
		if !s.restored && m.found[i] {
			s.Load(m.drafts[i], false)
		}
		c.saver[i].saved = s.Form.Edits()
	}
	if !c.listedOnce() {
		c.listing = m.listing
	}
	if untouched && m.shown == api.KindVideo && c.At != OnVideo {
		c.Sheet().Form.Rest()
		c.At = OnVideo
	}
	c.drawn = createDrawn{}
	return c.follow()
}

func (c *Screen) listedOnce() bool { return len(c.listing.Models) > 0 && !c.listing.Cached }

// ModelsReadMsg is the service's listing of models.
type ModelsReadMsg struct{ Listing state.Listing }

func readModels(k *env.Env, d Backend) tea.Cmd {
	ctx := k.Context
	return func() tea.Msg { return ModelsReadMsg{d.Models(ctx)} }
}

func (c *Screen) list(m ModelsReadMsg) tea.Cmd {
	if len(m.Listing.Models) == 0 {
		c.asked = false // ask again when the screen is entered next
		return nil
	}
	c.listing = m.Listing
	for i, s := range c.sheets {
		clean := s.Form.Edits() == c.saver[i].saved
		s.list(m.Listing.Models)
		if clean {
			c.saver[i].saved = s.Form.Edits()
		}
	}
	c.drawn = createDrawn{}
	return c.follow()
}

// editorReadyMsg has the prompt in a file for the editor; editedMsg is what
// came back.
type editorReadyMsg struct {
	editor, path string
	words        *words.Words
}

type editedMsg struct {
	text string
	err  error
}

func (m editedMsg) Failed() error { return m.err }

// openEditor opens $VISUAL or $EDITOR on the prompt.
func (c *Screen) openEditor() tea.Cmd {
	editor := c.k.Getenv("VISUAL")
	if editor == "" {
		editor = c.k.Getenv("EDITOR")
	}
	if editor == "" {
		return msg.Notify(msg.ToneHint, c.k.Say("Set VISUAL or EDITOR to the name of an editor first."))
	}
	text, words := c.Sheet().Prompt.Value(), c.k.Words
	return func() tea.Msg {
		// CreateTemp gives a file that only its owner reads.
		f, err := os.CreateTemp("", "darkroom-prompt-*.txt")
		if err != nil {
			return editedMsg{err: errors.New(words.Say("The prompt could not be written for the editor: %s", err))}
		}
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(f.Name())
			return editedMsg{err: errors.New(words.Say("The prompt could not be written for the editor: %s", err))}
		}
		return editorReadyMsg{editor, f.Name(), words}
	}
}

// run gives the terminal to the editor; the file is gone when it comes back.
func (m editorReadyMsg) run() tea.Cmd {
	// The variable may hold arguments, so the shell takes it apart.
	cmd := exec.Command("sh", "-c", m.editor+` "$1"`, "sh", m.path)
	cmd.Env = state.OthersEnviron(os.Environ()) // an editor has plugins: the key is none of their business
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return m.ended(err) })
}

func (m editorReadyMsg) ended(err error) editedMsg {
	defer os.Remove(m.path)
	var text []byte
	if err == nil {
		text, err = os.ReadFile(m.path)
	}
	if err != nil {
		return editedMsg{err: errors.New(m.words.Say("The editor ended with an error, the prompt is as it was: %s", err))}
	}
	return editedMsg{text: strings.TrimRight(string(text), "\r\n")}
}

func (c *Screen) edited(m editedMsg) tea.Cmd {
	if m.err != nil {
		return nil
	}
	s := c.Sheet()
	s.Prompt.Replace(m.text)
	s.Form.Focus(s.Prompt)
	s.Form.Settle()
	return c.Changed()
}
