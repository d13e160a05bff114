package create

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/screen/create/review"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
	"darkroom/ui/words"
)

// paste writes a text into the field, unless it is a request or names its file.
func (c *Screen) paste(text string) tea.Cmd {
	var r api.Request
	ok := false
	if c.inPrompt() {
		path, local := state.LocalFile(text, c.env.Home)
		if local && slices.Contains([]string{".png", ".jpg", ".jpeg", ".mp4", ".mov", ".json"}, strings.ToLower(filepath.Ext(path))) {
			return func() tea.Msg {
				r, ok, err := state.SavedRequest(path)
				return thenMsg(func(s *Screen) tea.Cmd { return s.pasted(text, r, ok && err == nil) })
			}
		}
		r, ok = api.ReadRequest(text)
	}
	return c.pasted(text, r, ok)
}

// pasted asks whether a request, if the text is or names one, is to fill the form; else the
// text goes into the field.
func (c *Screen) pasted(text string, r api.Request, ok bool) tea.Cmd {
	if !ok {
		c.draft().Form.Paste(text)
		return c.changed()
	}
	r.Kind = cmp.Or(r.Kind, c.draft().Kind)
	what := api.Clean(r.Model, 128).String() + "\n" + api.CleanLines(r.Prompt, 300).String()
	ask := widget.NewConfirm(c.env, c.env.Say("Fill the form with it?"),
		c.env.Say("The pasted text is a complete request and replaces the form.")+"\n\n"+what,
		"enter y", "fill the form", func() tea.Cmd { return c.env.Do(msg.LoadedMsg{Request: r}) })
	as := thenMsg(func(s *Screen) tea.Cmd { return s.pasted(text, api.Request{}, false) })
	ask.Table[1].Label, ask.Table[1].Handler = "paste as text", func() tea.Cmd { return func() tea.Msg { return as } }
	return msg.Open(c.env, ask)
}

// load takes a whole request, or a choice of model and parameters.
func (c *Screen) load(m msg.LoadedMsg) tea.Cmd {
	c.leaveRecent()
	c.at = max(slices.Index(draftNames[:], string(m.Request.Kind)), onVideo)
	var hold tea.Cmd
	d := c.draft()
	if !m.Keep && (d.Unsent() || d.Set.Several()) && !draft.Same(d.Request, m.Request) && !draft.Same(d.Pattern, m.Request) { // for alt+p
		kept := c.env.Say("Your draft is kept: %s brings it back.", c.env.Key("previous_draft", "alt+p"))
		hold = tea.Batch(c.setBefore(c.at, d.Saved()), msg.Notify(msg.ToneHint, kept))
	}
	if !m.Pattern {
		m.Request.Prompt = expand.Literal(m.Request.Prompt, c.draft().Lists) // as it was sent
	}
	c.draft().Load(m.Request, m.Keep)
	c.draft().SetServiceProblems(m.Problems)
	c.asked[c.at] = m.Asked
	if m.Frame != "" {
		c.public.Ours[m.Request.ImageURL] = state.Found{Job: m.Frame, Path: m.Request.ImageURL}
		c.draft().Prompt.SelectAll() // what is typed takes its place
		why := c.whyNoUpload()
		then := msg.Notify(msg.ToneWarn, why)
		if why == "" {
			then = c.uploadFile()
		}
		hold = msg.Sequence(hold, then)
	}
	cmds := []tea.Cmd{c.follow(quietFor), c.saveSoon(), c.saveShown(), hold}
	if m.Review {
		cmds = append(cmds, c.toReview())
	}
	return tea.Batch(cmds...)
}

// useResult takes a result as a reference; only a video takes one that is a video.
func (c *Screen) useResult(m msg.UsedMsg) tea.Cmd {
	if (m.Kind != api.MaterialImage || m.Frame) && c.at == onImage {
		c.draft().Form.Rest()
		c.at = onVideo
	}
	if m.Job != "" {
		c.public.Ours[m.Address] = m.Found
	}
	d, place, why := c.draft(), "", ""
	if m.Frame {
		place = d.SetFrame(m)
	} else {
		place, why = d.AddReference(m.Kind, m.Address)
	}
	d.Form.Focus(d.Prompt)
	d.Form.Settle()
	notice := msg.Notify(msg.ToneGood, cmp.Or(
		c.env.SayIf(!m.Ends.IsZero(), "Added as %s. Link expires in %s.", place, c.env.Span(m.Ends.Sub(c.env.At))),
		c.env.Say("Added as %s.", place)))
	switch {
	case why != "":
		notice = msg.Notify(msg.ToneHint, why)
	case d.Expired(m.Address):
		notice = c.usedExpired(m, place)
	}
	return tea.Batch(c.changed(), c.saveShown(), notice)
}

// file is the local file of a row to upload: of the selected one first.
func (c *Screen) file() (typed, path string) {
	d := c.draft()
	if typed, ok := d.Materials.Selected(); ok && d.Form.Focused() == form.Field(d.Materials) {
		if path, local := state.LocalFile(typed, c.env.Home); local {
			return typed, path
		}
	}
	for _, r := range d.Attached() {
		if path, local := state.LocalFile(r.Address, c.env.Home); local && !c.public.Uploading[r.Address] {
			return r.Address, path
		}
	}
	return "", ""
}

func (c *Screen) whyNoUpload() string {
	typed, _ := c.file()
	return cmp.Or(c.env.SayIf(typed == "", "None of the materials is a local file."),
		c.env.SayIf(c.public.Uploading[typed], "Already uploading."), c.whyNotUploaded())
}

func (c *Screen) uploadFile() tea.Cmd { return c.askUpload(c.file()) }

// pastePicture takes the picture on the clipboard as a material.
func (c *Screen) pastePicture() tea.Cmd {
	ctx, b := c.env.Context, c.backend
	return func() tea.Msg {
		path, err := b.Materials().Paste(ctx)
		return thenMsg(func(s *Screen) tea.Cmd {
			if err != nil {
				return func() tea.Msg { return msg.FailedMsg{Err: err} }
			}
			_, why := s.draft().AddReference(api.MaterialImage, path)
			if why != "" {
				return msg.Notify(msg.ToneHint, why)
			}
			s.draft().Form.Settle()
			return tea.Batch(s.changed(), s.askUpload(path, path))
		})
	}
}

// whyNotUploaded says what uploading needs.
func (c *Screen) whyNotUploaded() string {
	return c.env.SayIf(len(c.env.Settings.Upload) == 0,
		"The service takes URLs only. Set upload in the settings to a command that uploads files.")
}

// askUpload asks whether a file is to be uploaded, but in the demo; its address then takes its place.
func (c *Screen) askUpload(typed, path string) tea.Cmd {
	if c.env.Health.Demo {
		return c.startUpload(typed, path)
	}
	text := c.env.Say("This file is uploaded by your command, and everybody can read it then:") + "\n" + api.Clean(path, 1000).String() +
		"\n\n" + api.Clean(strings.Join(state.UploadArguments(c.env.Settings.Upload, path), " "), 2000).String()
	return msg.Open(c.env, widget.NewConfirm(c.env, c.env.Say("Upload this file?"), text, "y", "upload", func() tea.Cmd {
		return c.settled(c.startUpload(typed, path))
	}))
}

// usedExpired says that a result's link has expired, and offers to upload its file.
func (c *Screen) usedExpired(m msg.UsedMsg, place string) tea.Cmd {
	notice := msg.Notify(msg.ToneBad, c.env.Say("Added as %s, but its link has expired.", place))
	switch {
	case m.Path == "" || c.public.Uploading[m.Address]:
		return notice
	case len(c.env.Settings.Upload) == 0:
		return msg.Notify(msg.ToneBad, c.env.Say("Added as %s, but its link has expired. "+
			"With the setting upload its file can be uploaded.", place))
	}
	return tea.Batch(notice, c.askUpload(m.Address, m.Path))
}

func (c *Screen) startUpload(typed, path string) tea.Cmd {
	c.public.Uploading[typed] = true
	c.draft().Form.Settle()
	ctx, b := c.env.Context, c.backend
	return func() tea.Msg {
		address, err := b.Materials().Upload(ctx, path)
		return thenMsg(func(s *Screen) tea.Cmd { return s.uploaded(typed, address, err) })
	}
}

// uploaded puts an address in the place of a path as it stands in the rows.
func (c *Screen) uploaded(typed, address string, err error) tea.Cmd {
	delete(c.public.Uploading, typed)
	notice := msg.Notify(msg.ToneGood, c.env.Say("Uploaded as %s.", draft.Title(address)))
	if err != nil {
		notice = msg.Notify(msg.ToneBad, env.Sentence(c.env, err))
	} else {
		c.public.Ours[address] = state.Found{Job: c.public.Ours[typed].Job, Path: c.public.Ours[typed].Path} // it ends later, if ever
		for _, d := range c.drafts {
			d.Materials.Change(typed, address)
		}
	}
	c.touchMaterials()
	return tea.Batch(c.changed(), notice)
}

// checkable are the materials in view whose hosts can be asked.
func (c *Screen) checkable() []draft.Material {
	return slices.DeleteFunc(c.draft().Attached(), func(r draft.Material) bool { return !strings.HasPrefix(r.Address, "http") })
}

// checkPublic asks the hosts of all materials, at first after a question.
func (c *Screen) checkPublic() tea.Cmd {
	if !c.public.Allowed {
		return msg.Open(c.env, widget.NewConfirm(c.env, c.env.Say("Check that your links are public?"),
			c.env.Say("darkroom requests each link from this machine, without your key. The hosts will see your IP address. "+
				"From then on new links are checked before each review."),
			"enter y", "check", func() tea.Cmd {
				c.public.Allowed = true
				ctx, b := c.env.Context, c.backend
				return c.settled(tea.Batch(c.checkPublic(), func() tea.Msg { return msg.FailedMsg{Err: b.Materials().LetBeAsked(ctx)} }))
			}))
	}
	clear(c.public.Found)
	return c.askHosts()
}

func (c *Screen) whyNothingToCheck() string {
	_, path := c.file()
	none := len(c.checkable()) == 0
	return cmp.Or(c.env.SayIf(none && path != "", "%s is a local file: it has no link to check.", api.Clean(path, 200)),
		c.env.SayIf(none, "There is no material with a link yet: add one first."))
}

// askHosts asks the hosts of the materials of which nothing is known.
func (c *Screen) askHosts() tea.Cmd {
	if !c.public.Allowed {
		return nil
	}
	var cmds []tea.Cmd
	ctx, b := c.env.Context, c.backend
	for _, r := range c.checkable() {
		if _, known := c.public.Found[r.Address]; known || c.public.Asking[r.Address] {
			continue
		}
		c.public.Asking[r.Address] = true
		cmds = append(cmds, func() tea.Msg {
			link, err := b.Materials().Public(ctx, r.Address)
			return review.HostAnsweredMsg{Address: r.Address, Link: link, Err: err}
		})
	}
	c.draft().Form.Settle()
	return tea.Batch(cmds...)
}

// faulty names the links of which why says something, and says it.
func (c *Screen) faulty(why func(address string) string) []string {
	return api.Pick(c.checkable(), func(m draft.Material) (string, bool) {
		said := why(m.Address)
		return m.Name + " " + said, said != ""
	})
}

// pictureCells is how wide the thumbnail in a row of the materials is.
const pictureCells = 4

// lookUpMaterials asks the store once which materials are results of ours.
func (c *Screen) lookUpMaterials() tea.Cmd {
	ctx, b := c.env.Context, c.backend
	return tea.Batch(api.Pick(c.checkable(), func(r draft.Material) (tea.Cmd, bool) {
		found, asked := c.public.Ours[r.Address]
		c.public.Ours[r.Address] = found
		return func() tea.Msg {
			job, f, end, _ := b.Materials().Result(ctx, r.Address)
			return thenMsg(func(s *Screen) tea.Cmd {
				if job != "" {
					s.public.Ours[r.Address] = state.Found{Job: job, Path: f.Path, Ends: end}
					s.touchMaterials()
				}
				return nil
			})
		}, !asked
	})...)
}

func (c *Screen) touchMaterials() {
	for _, d := range c.drafts {
		d.Form.Settle() // for what is said of them
		d.Materials.Touch()
	}
}

// materialTitle is the file and host of an address, or the file and job of a result.
func (c *Screen) materialTitle(address string) string {
	text := draft.Title(address)
	if own := c.public.Ours[address]; own.Job != "" {
		name, _, _ := strings.Cut(text, " · ")
		return name + " · " + c.env.Say("job %s", own.Job[:min(len(own.Job), 4)])
	}
	return text
}

// materialPicture is the thumbnail of a material that is a result of ours.
func (c *Screen) materialPicture(address string) string {
	lines, state := c.thumbs.Lines(result.Thumb{Path: c.public.Ours[address].Path, Cols: pictureCells, Rows: 1})
	if state != result.ThumbReady {
		return ""
	}
	return theme.Fit(lines[0], pictureCells)
}

// openEditor opens $VISUAL or $EDITOR on the prompt.
func (c *Screen) openEditor() tea.Cmd {
	editor := cmp.Or(c.env.Getenv("VISUAL"), c.env.Getenv("EDITOR"))
	if editor == "" {
		return msg.Notify(msg.ToneHint, c.env.Say("Set VISUAL or EDITOR to the name of an editor first."))
	}
	at, text, words, lent := c.at, c.draft().Prompt.Value(), c.env.Words, &c.env.Lent
	return func() tea.Msg {
		// CreateTemp gives a file that only its owner reads.
		f, err := os.CreateTemp("", "darkroom-prompt-*.txt")
		if err == nil {
			_, err = f.WriteString(text)
			if err = errors.Join(err, f.Close()); err == nil {
				return edit(editor, f.Name(), text, at, words, lent)()
			}
			os.Remove(f.Name())
		}
		return msg.FailedMsg{Err: errors.New(words.Say("The prompt could not be written for the editor: %s", err))}
	}
}

// edit lends the terminal to the editor.
func edit(editor, path, text string, at int, words *words.Words, lent *atomic.Int32) tea.Cmd {
	// The variable may hold arguments, so the shell takes it apart.
	cmd, environ := exec.Command("sh", "-c", editor+` "$1"`, "sh", path), state.OthersEnviron()
	if filepath.Separator == '\\' { // no words of a line of cmd could hold the quotes that it needs
		cmd, environ = exec.Command("cmd", "/c", "%EDITING%", "%EDITED%"), append(environ, "EDITING="+editor, `EDITED="`+path+`"`)
	}
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout // themselves, not what darkroom reads keys and draws through
	cmd.Env = environ                           // without the key: an editor has plugins
	lent.Add(1)
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		time.AfterFunc(time.Second/4, func() { lent.Add(-1) }) // the signal that ended it may still be on its way
		return edited(path, text, at, words, err)
	})
}

// edited takes over what the editor saved into the draft that it was opened in, and removes the
// file, unless it has what was saved before an error.
func edited(path, before string, at int, words *words.Words, err error) tea.Msg {
	text, late := state.ReadText(path, 1<<20) // far more than a prompt may have
	if err = cmp.Or(err, late); err != nil && !os.IsNotExist(late) && (late != nil || text != before) {
		return msg.FailedMsg{Err: errors.New(words.Say("What the editor saved is in %s; it ended with an error: %s", path, err))}
	}
	os.Remove(path)
	if err != nil {
		return msg.FailedMsg{Err: errors.New(words.Say("The editor ended with an error; the prompt is unchanged: %s", err))}
	}
	return thenMsg(func(s *Screen) tea.Cmd {
		s.at = at
		s.draft().Form.Focus(s.draft().Prompt)
		if text == before {
			return msg.Notify(msg.ToneHint, words.Say("Nothing was saved. An editor in a window must wait: code --wait"))
		}
		return s.write(strings.TrimRight(text, "\r\n"))
	})
}
