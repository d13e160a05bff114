package result

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// verbJobMsg brings the job that a verb is about, for one that was not read yet
// when its key was pressed.
type verbJobMsg struct {
	asker *Verbs
	job   state.Job
	err   error
	do    func(state.Job) tea.Cmd
}

// Failed is why the job could not be read.
func (m verbJobMsg) Failed() error { return m.err }

// withJob does something with the whole of the chosen job: the one that the
// place has read, or else the one that a command reads first.
func (v *Verbs) withJob(do func(state.Job) tea.Cmd) tea.Cmd {
	row, ok := v.place.Row()
	if !ok {
		return nil
	}
	if job, ok := v.place.Job(); ok && job.ID == row.ID {
		return do(job)
	}
	ctx, backend, asker, id := v.k.Context, v.backend, v, row.ID
	return func() tea.Msg {
		job, err := backend.Job(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return verbJobMsg{asker, job, err, do}
	}
}

// chosen is the id of the chosen result, or "".
func (v *Verbs) chosen() string {
	row, _ := v.place.Row()
	return row.ID
}

// call calls do in a command, and shows done, if not empty, when it went well.
func (v *Verbs) call(done string, do func(ctx context.Context) error) tea.Cmd {
	ctx := v.k.Context
	return func() tea.Msg {
		if err := do(ctx); err != nil {
			return msg.FailedMsg{Err: err}
		}
		if done == "" {
			return nil
		}
		return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
	}
}

func (v *Verbs) hint(text string) tea.Cmd { return msg.Notify(msg.ToneHint, text) }

// enter shows the chosen result full screen; a job without one is settled.
func (v *Verbs) enter() tea.Cmd {
	if r, ok := v.place.Row(); ok && NeedsSettling(&r) {
		return v.openSettle(r)
	}
	return v.place.Enter(false)
}

func (v *Verbs) needsSettling() bool {
	r, ok := v.place.Row()
	return ok && NeedsSettling(&r)
}

func (v *Verbs) hasResult() bool { return !v.needsSettling() }

func (v *Verbs) zoom() tea.Cmd { return v.place.Enter(true) }

// bulk asks once and then does something with every marked result; without
// marks it does it with the chosen one at once. each is called in a command.
func (v *Verbs) bulk(question, yes, done string, each func(ctx context.Context, id string) error) tea.Cmd {
	ids := v.marks.IDs()
	if len(ids) == 0 {
		if id := v.chosen(); id != "" {
			ids = []string{id}
		}
	}
	all := func() tea.Cmd {
		return v.call(done, func(ctx context.Context) error {
			for _, id := range ids {
				if err := each(ctx, id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if v.marks.Len() == 0 {
		return all()
	}
	return msg.Open(widget.NewConfirm(v.k, v.markedTitle(), question, "y", yes, all))
}

// markedTitle says how many results a question is about.
func (v *Verbs) markedTitle() string {
	return v.k.Words.Count(v.marks.Len(), "%d marked result", "%d marked results")
}

// Enter is the verb of that name, for a click.
func (v *Verbs) Enter() tea.Cmd { return v.enter() }

// Open is the verb of that name.
func (v *Verbs) Open() tea.Cmd { return v.open() }

func (v *Verbs) open() tea.Cmd {
	n, backend := v.place.File()+1, v.backend
	if v.marks.Len() > 0 {
		n = 1
	}
	return v.bulk(v.k.Say("Open the first file of each?"), "open all", "",
		func(ctx context.Context, id string) error { return backend.OpenFile(ctx, id, n) })
}

func (v *Verbs) fetch() tea.Cmd {
	return v.bulk(v.k.Say("Fetch their files again?"), "fetch again", v.k.Say("Fetching its files again."), v.backend.Fetch)
}

func (v *Verbs) reveal() tea.Cmd {
	id, n, backend := v.chosen(), v.place.File()+1, v.backend
	return v.call("", func(ctx context.Context) error { return backend.Results().Reveal(ctx, id, n) })
}

// saveAs asks where the file is to be copied to; marked results are copied into
// one folder.
func (v *Verbs) saveAs() tea.Cmd {
	ids, n := v.marks.IDs(), 1
	title, text := v.markedTitle(), v.k.Say("The folder for copies of their first files. Nothing is overwritten.")
	if len(ids) == 0 {
		ids, n = []string{v.chosen()}, v.place.File()+1
		title, text = v.k.Say("Save as"), v.k.Say("A folder, or the copy's path. Nothing is overwritten.")
	}
	home, backend := v.k.Home, v.backend
	done := v.k.Say("Saved.")
	return msg.Open(widget.NewAsk(v.k, title, text, func(typed string) tea.Cmd {
		to := absolute(typed, home)
		return v.call(done, func(ctx context.Context) error {
			for _, id := range ids {
				if _, err := backend.Results().SaveAs(ctx, id, n, to); err != nil {
					return err
				}
			}
			return nil
		})
	}))
}

// absolute is a path as people type it: ~ is the home folder, and a relative
// path begins there.
func absolute(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok || !filepath.IsAbs(path) {
		return filepath.Join(home, rest)
	}
	return path
}

// hide takes the chosen or the marked results out of the list; one that is out
// of it comes back.
func (v *Verbs) hide() tea.Cmd {
	if r, _ := v.place.Row(); r.Hidden {
		return v.unhide()
	}
	ids, title := v.marks.IDs(), v.k.Say("Remove from the list?")
	if len(ids) == 0 {
		ids = []string{v.chosen()}
	} else {
		title = v.markedTitle()
	}
	backend, marks := v.backend, v.marks
	done := v.k.Say("Removed from the list. The filter is:hidden shows it again.")
	return msg.Open(widget.NewConfirm(v.k, title,
		v.k.Say("Files, credits and the budget stay as they are. Jobs that are active or whose outcome is unknown stay in the list."),
		"y", "remove from the list", func() tea.Cmd {
			marks.Clear()
			return v.call(done, func(ctx context.Context) error {
				_, err := backend.Results().Hide(ctx, true, ids...)
				return err
			})
		}))
}

// unhide puts a hidden result back into the list.
func (v *Verbs) unhide() tea.Cmd {
	id, backend := v.chosen(), v.backend
	return v.call(v.k.Say("Back in the list."), func(ctx context.Context) error {
		_, err := backend.Results().Hide(ctx, false, id)
		return err
	})
}

// annotate asks for a note.
func (v *Verbs) annotate() tea.Cmd {
	row, ok := v.place.Row()
	if !ok {
		return nil
	}
	id, backend := row.ID, v.backend
	done := v.k.Say("Note saved.")
	text := v.k.Say("Your own words, found by the filter. A single - takes the note away.")
	if row.Note != "" {
		text = row.Note + "\n" + text
	}
	return msg.Open(widget.NewAsk(v.k, v.k.Say("Note"), text, func(typed string) tea.Cmd {
		if typed == "-" {
			typed = ""
		}
		return v.call(done, func(ctx context.Context) error { return backend.Results().Annotate(ctx, id, typed) })
	}))
}

func (v *Verbs) mark() tea.Cmd {
	if id := v.chosen(); id != "" {
		v.marks.Toggle(id)
		if v.culls() {
			return v.place.Move(1)
		}
	}
	return nil
}

// edit loads the chosen job's request into Create, with what the service had
// against it.
func (v *Verbs) edit() tea.Cmd {
	ctx, backend := v.k.Context, v.backend
	return v.withJob(func(j state.Job) tea.Cmd {
		if j.Phase != api.PhaseRejected {
			return msg.Load(j.Request, false)
		}
		id, request := j.ID, j.Request
		return func() tea.Msg {
			return msg.LoadedMsg{Request: request, Problems: FieldErrors(ctx, backend, id)}
		}
	})
}

// maxSeed is the highest seed that is drawn: it is short enough to be read.
const maxSeed = 1_000_000

// again loads the request and opens its review; where the model takes a seed it
// gets another one.
func (v *Verbs) again() tea.Cmd {
	return v.withJob(func(j state.Job) tea.Cmd {
		r := j.Request
		if r.Kind == api.KindVideo && r.Model == api.Seedance2 {
			seed := rand.Int64N(maxSeed)
			r.Seed = &seed
		}
		return func() tea.Msg { return msg.LoadedMsg{Request: r, Review: true} }
	})
}

// final loads a draft's request at the best tier and its highest resolution.
func (v *Verbs) final() tea.Cmd {
	return v.withJob(func(j state.Job) tea.Cmd {
		r := j.Request
		r.VideoModel = api.TierStandardVIP
		resolutions := api.Resolutions(r.VideoModel)
		r.Resolution = resolutions[len(resolutions)-1]
		return msg.Load(r, false)
	})
}

// use hands the shown file's address to Create as a reference.
func (v *Verbs) use() tea.Cmd {
	return v.withAddress(func(j state.Job, m msg.UsedMsg) tea.Cmd {
		return func() tea.Msg { return m }
	})
}

// makeVideo hands an image to Create as the first frame of a video.
func (v *Verbs) makeVideo() tea.Cmd {
	return v.withAddress(func(j state.Job, m msg.UsedMsg) tea.Cmd {
		m.Frame, m.Prompt, m.Ratio = true, j.Request.Prompt, j.Request.AspectRatio
		return func() tea.Msg { return m }
	})
}

// withAddress does something with the shown file's address.
func (v *Verbs) withAddress(do func(state.Job, msg.UsedMsg) tea.Cmd) tea.Cmd {
	n := v.place.File()
	return v.withJob(func(j state.Job) tea.Cmd {
		m := msg.UsedMsg{Address: cleanAddress(&j, n), Kind: api.MaterialImage}
		if m.Address == "" {
			return v.hint(v.k.Say("This job has no address yet."))
		}
		if isVideo(&j, n) {
			m.Kind = api.MaterialVideo
		}
		if j.ExpiresAt.After(v.k.At) {
			m.Expires = v.k.Span(j.ExpiresAt.Sub(v.k.At))
		}
		return do(j, m)
	})
}

// copyAddress puts the result's address on the clipboard, through the terminal.
func (v *Verbs) copyAddress() tea.Cmd {
	return v.withAddress(func(_ state.Job, m msg.UsedMsg) tea.Cmd {
		return v.clip(m.Address, v.k.Say("Address copied, if the terminal allows it."))
	})
}

func (v *Verbs) copyPath() tea.Cmd {
	n := v.place.File()
	return v.withJob(func(j state.Job) tea.Cmd {
		if n >= len(j.Files) {
			return v.hint(v.k.Say("This job has no file yet."))
		}
		return v.clip(j.Files[n].Path, v.k.Say("Path copied, if the terminal allows it."))
	})
}

func (v *Verbs) copyPrompt() tea.Cmd {
	return v.withJob(func(j state.Job) tea.Cmd {
		return v.clip(api.CleanLines(j.Request.Prompt, len(j.Request.Prompt)+1).String(), v.k.Say("Prompt copied, if the terminal allows it."))
	})
}

func (v *Verbs) clip(text, done string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), msg.Notify(msg.ToneGood, done))
}

// address is that of a job's file n, or "".
func address(j *state.Job, n int) string {
	switch {
	case n < len(j.Files) && j.Files[n].URL != "":
		return j.Files[n].URL
	case n < len(j.Results):
		return j.Results[n].URL
	}
	return ""
}

// cleanAddress is an address of which nothing but what is printed can reach the
// clipboard.
func cleanAddress(j *state.Job, n int) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, api.Clean(address(j, n), api.MaxAddressText).String())
}

// isVideo reports whether a job's file n is a video.
func isVideo(j *state.Job, n int) bool {
	media := ""
	switch {
	case n < len(j.Files):
		media = j.Files[n].MediaType
	case n < len(j.Results):
		media = j.Results[n].MediaType
	}
	if kind, _, ok := strings.Cut(media, "/"); ok && (kind == "image" || kind == "video") {
		return kind == "video"
	}
	return j.Kind == api.KindVideo
}
