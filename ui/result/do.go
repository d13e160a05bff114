package result

import (
	"cmp"
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/sheet"
	"darkroom/ui/widget"
)

// answerMsg brings what a verb has asked for, and what is done then.
type answerMsg struct {
	asker         *Verbs
	msg.FailedMsg                // why there is no answer
	then          func() tea.Cmd // also without an answer
}

// ask calls read in a command, and then in Update when the answer has come.
func ask[T any](v *Verbs, read func(ctx context.Context) (T, error), then func(T) tea.Cmd) tea.Cmd {
	ctx := v.k.Context
	return func() tea.Msg {
		got, err := read(ctx)
		return answerMsg{v, msg.FailedMsg{Err: err}, func() tea.Cmd {
			if err != nil {
				return nil
			}
			return then(got)
		}}
	}
}

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
	return ask(v, func(ctx context.Context) (state.Job, error) { return v.backend.Job(ctx, row.ID) }, do)
}

// row is the chosen result, an empty one when there is none.
func (v *Verbs) row() *state.Row {
	r, _ := v.place.Row()
	return &r
}

// Call calls do in a command, and shows done, if not empty, when it went well.
func Call(ctx context.Context, done string, do func(ctx context.Context) error) tea.Cmd {
	return func() tea.Msg {
		if err := do(ctx); err != nil || done == "" {
			return msg.FailedMsg{Err: err}
		}
		return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
	}
}

// Enter shows the chosen result full screen; a job without one is settled.
func (v *Verbs) Enter() tea.Cmd {
	if NeedsSettling(v.row()) {
		return v.withJob(v.openSettle)
	}
	return v.place.Enter(false)
}

// bulk asks once and then does something with every marked result; without
// marks it does it with the chosen one at once. each is called in a command.
func (v *Verbs) bulk(question, yes, done string, each func(ctx context.Context, id string) error) tea.Cmd {
	ids, title, _ := v.about("")
	all := func() tea.Cmd { return v.forEach(ids, done, each) }
	if v.marks.Len() == 0 {
		return all()
	}
	return msg.Open(v.k, widget.NewConfirm(v.k, title, question, "enter y", yes, all))
}

// forEach does something with one result after the other, and gives the first failure and how many there were.
func (v *Verbs) forEach(ids []string, done string, do func(ctx context.Context, id string) error) tea.Cmd {
	return Call(v.k.Context, done, func(ctx context.Context) (failed error) {
		n := 0
		for _, id := range ids {
			if err := do(ctx, id); err != nil {
				failed, n = cmp.Or(failed, err), n+1
			}
		}
		if n > 0 && len(ids) > 1 {
			return api.Sentence("%v of %v failed: %v").Fault(failed, n, len(ids), failed)
		}
		return failed
	})
}

// about are the results that a verb is about, the marked ones or the chosen one, the
// title of a question about them, where one is that of a single result, and which of
// their files is meant, from 1.
func (v *Verbs) about(one string) (ids []string, title string, file int) {
	if ids = v.marks.IDs(); len(ids) > 0 {
		return ids, v.k.Words.Count(len(ids), "%d marked result", "%d marked results"), 1
	}
	return []string{v.row().ID}, one, v.place.File() + 1
}

// Open opens the shown file, or the first one of each marked result.
func (v *Verbs) Open() tea.Cmd {
	_, _, n := v.about("")
	backend := v.backend
	return v.bulk(v.k.Say("Open the first file of each?"), "open all", "",
		func(ctx context.Context, id string) error { return backend.Results().Show(ctx, id, n, state.InOpener) })
}

func (v *Verbs) fetch() tea.Cmd {
	return v.bulk(v.k.Say("Fetch their files again?"), "fetch again", v.k.Say("Fetching the files again."), v.backend.Fetch)
}

// copyPicture copies the shown picture, through the terminal if that takes it: it may be far away.
func (v *Verbs) copyPicture() tea.Cmd {
	if !v.k.Kitty {
		return v.show(state.InClipboard)
	}
	return v.withFile(func(f state.File) tea.Cmd {
		return ask(v, func(context.Context) (any, error) { return picture.Clip(f.Path, f.MediaType) }, tea.Raw)
	})
}

// show gives the shown file to another program, or to the clipboard.
func (v *Verbs) show(in state.Viewer) tea.Cmd {
	id, n, backend, done := v.row().ID, v.place.File()+1, v.backend, v.k.SayIf(in == state.InClipboard, "Picture copied.")
	return Call(v.k.Context, done, func(ctx context.Context) error { return backend.Results().Show(ctx, id, n, in) })
}

// saveAs asks where to copy the shown file, or the first ones of the marked results.
func (v *Verbs) saveAs() tea.Cmd {
	ids, title, n := v.about(v.k.Say("Save as"))
	text, end := v.k.Say("Enter a folder for copies of their first files. Nothing is overwritten."), "/" // only a folder's path has one
	if v.marks.Len() == 0 {
		text, end = v.k.Say("Enter a folder, or the path of the copy. Nothing is overwritten."), ""
	}
	home, backend := v.k.Home, v.backend
	return msg.Open(v.k, widget.NewAsk(v.k, title, text, func(typed string) tea.Cmd {
		return v.forEach(ids, v.k.Say("Saved."), func(ctx context.Context, id string) error {
			_, err := backend.Results().SaveAs(ctx, id, n, absolute(typed, home)+end)
			return err
		})
	}))
}

// absolute is a path as people type it: it begins in the home folder.
func absolute(path, home string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path)+"/", "~/"); ok || !filepath.IsAbs(path) {
		return filepath.Join(home, rest)
	}
	return path
}

// hide takes the chosen or marked results out of the list, or puts them back.
func (v *Verbs) hide() tea.Cmd {
	k, backend, hide := v.k, v.backend, !v.row().Hidden
	ids, title, _ := v.about(k.Say("Remove from the list?"))
	text := k.Say("Files, credits and the budget stay as they are. Jobs that are active or whose outcome is unknown stay in the list.")
	yes, done := "remove from the list", k.Say("Removed from the list. The filter is:hidden shows it again.")
	if !hide {
		text, yes, done = k.Say("Put them back in the list?"), "put back", k.Say("Back in the list.")
	}
	set := func(ctx context.Context) ([]string, error) { return backend.Results().Hide(ctx, hide, ids...) }
	all := func() tea.Cmd {
		v.marks.Clear()
		return ask(v, set, func(moved []string) tea.Cmd {
			if hide && len(moved) < len(ids) {
				return msg.Notify(msg.ToneHint, k.Say("Removed %d of %d from the list.", len(moved), len(ids)))
			}
			return msg.Notify(msg.ToneGood, done)
		})
	}
	if !hide && v.marks.Len() == 0 {
		return all()
	}
	return msg.Open(k, widget.NewConfirm(k, title, text, "enter y", yes, all))
}

// annotate asks for a note, below the one that there is.
func (v *Verbs) annotate() tea.Cmd {
	row, _ := v.place.Row()
	backend, done := v.backend, v.k.Say("Note saved.")
	text := strings.Join(env.Said(row.Note, v.k.SayIf(row.Note != "", "Enter - to delete this one."),
		v.k.Say("The filter also searches notes.")), "\n")
	return msg.Open(v.k, widget.NewAsk(v.k, v.k.Say("Note"), text, func(typed string) tea.Cmd {
		if typed == "-" {
			typed = ""
		}
		return Call(v.k.Context, done, func(ctx context.Context) error { return backend.Results().Annotate(ctx, row.ID, typed) })
	}))
}

// mark marks the chosen result or takes its mark away; it goes on where the digits rate.
func (v *Verbs) mark() tea.Cmd {
	v.marks.Toggle(v.row().ID)
	if v.rates() {
		return v.place.Move(1)
	}
	return nil
}

// CommandName is the name of the action that runs the person's own command i,
// from 0.
func CommandName(i int) string { return "own_command_" + strconv.Itoa(i+1) }

// runCommand runs a command of the person's, once it is agreed to if it is for several.
func (v *Verbs) runCommand(i int) tea.Cmd {
	if i >= len(v.k.Settings.Commands) {
		return nil
	}
	ids, title, n := v.about("")
	m := msg.CommandMsg{Command: v.k.Settings.Commands[i], IDs: ids, File: n}
	run := func() tea.Msg { return m }
	if v.marks.Len() == 0 {
		return run
	}
	question := v.k.Say("Run this command on the first file of each?") + "\n" + strings.Join(m.Command.Run, " ")
	return msg.Open(v.k, widget.NewConfirm(v.k, title, question, "enter y", "run", func() tea.Cmd { return run }))
}

// NeedsSettling reports whether a job without a result can be settled or sent again.
func NeedsSettling(r *state.Row) bool {
	return !r.Dismissed && slices.Contains([]api.Phase{api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected}, r.Phase)
}

// edit loads the chosen job's request into Create, with what the service refused.
func (v *Verbs) edit() tea.Cmd {
	ctx, backend := v.k.Context, v.backend
	return v.withJob(func(j state.Job) tea.Cmd {
		alone := func() tea.Cmd { return v.k.Do(msg.LoadedMsg{Request: j.Request}) }
		switch {
		case j.Phase == api.PhaseRejected:
			return func() tea.Msg {
				return msg.LoadedMsg{Request: j.Request, Problems: FieldErrors(ctx, backend, j.ID)}
			}
		case !IsPattern(j.Pattern, j.Request):
			return alone()
		}
		pattern := msg.LoadedMsg{Request: *j.Pattern, Pattern: true}
		text := v.k.Say("This is one of the requests of a pattern:")
		ask := widget.NewConfirm(v.k, v.k.Say("Edit the pattern?"), text+"\n\n"+api.CleanLines(j.Pattern.Prompt, 300).String(),
			"enter y", "edit the pattern", func() tea.Cmd { return v.k.Do(pattern) })
		ask.Table[1].Label, ask.Table[1].Handler = "load this one alone", alone
		return msg.Open(v.k, ask)
	})
}

// IsPattern reports whether a request was made of one that stands for several.
func IsPattern(pattern *api.Request, made api.Request) bool {
	return pattern != nil && (pattern.Prompt != made.Prompt || len(pattern.Vary) > 0)
}

// again loads the request, with another seed if it has one, and opens its review.
func (v *Verbs) again() tea.Cmd {
	return v.withJob(func(j state.Job) tea.Cmd {
		r := j.Request
		if r.Kind == api.KindVideo && r.Model == api.Seedance2 {
			r.Seed = new(rand.Int64N(1_000_000)) // short enough to be read
		}
		return v.k.Do(msg.LoadedMsg{Request: r, Review: true})
	})
}

// final loads the request for the best tier, in the highest resolution of that.
func (v *Verbs) final() tea.Cmd {
	return v.withJob(func(j state.Job) tea.Cmd {
		r := j.Request
		r.VideoModel = api.TierStandardVIP
		resolutions := api.Resolutions(r.VideoModel)
		r.Resolution = resolutions[len(resolutions)-1]
		return v.k.Do(msg.LoadedMsg{Request: r})
	})
}

func (v *Verbs) withAddress(do func(state.Job, msg.UsedMsg) tea.Cmd) tea.Cmd {
	n := v.place.File()
	return v.withJob(func(j state.Job) tea.Cmd {
		m := v.address(&j, n)
		if m.Address == "" {
			return msg.Notify(msg.ToneHint, v.k.Say("This job has no URL."))
		}
		return do(j, m)
	})
}

// withFreshAddress hands the shown file's address to Create, as a reference or as
// the first frame of a video with the same prompt. The service is asked
// once for a fresh address when the known one has expired. Without one it is that
// all the same, and why the service could not be asked is said last.
func (v *Verbs) withFreshAddress(frame bool) tea.Cmd {
	n := v.place.File()
	return v.withAddress(func(old state.Job, m msg.UsedMsg) tea.Cmd {
		use := func(j state.Job) tea.Cmd {
			used := v.address(&j, n)
			if frame {
				used.Frame, used.Prompt, used.Ratio = true, j.Request.Prompt, j.Request.AspectRatio
			}
			return func() tea.Msg { return used }
		}
		if !api.LinkOver(m.Address, m.Ends, v.k.At) {
			return use(old)
		}
		said := msg.Notify(msg.ToneHint, v.k.Say("The link has expired. Asking the service for a fresh one."))
		var failed error
		return tea.Batch(said, ask(v, func(ctx context.Context) (j state.Job, _ error) {
			if j, failed = v.backend.FreshLinks(ctx, old.ID); failed != nil {
				j = old
			}
			return j, nil
		}, func(j state.Job) tea.Cmd {
			if failed == nil {
				return use(j)
			}
			return msg.Sequence(use(j), func() tea.Msg { return msg.FailedMsg{Err: failed} })
		}))
	})
}

// address is that of a job's file, n counted from 0, and until when it can be used.
func (v *Verbs) address(j *state.Job, n int) msg.UsedMsg {
	m := msg.UsedMsg{Found: state.Found{Address: CleanAddress(j, n), Kind: api.MaterialImage, Job: j.ID}}
	if n < len(j.Files) {
		m.Path = j.Files[n].Path
	}
	if IsVideo(j, n) {
		m.Kind = api.MaterialVideo
	}
	m.Ends = api.LinkEnd(m.Address, j.ExpiresAt)
	return m
}

// withFile does something with the shown file.
func (v *Verbs) withFile(do func(state.File) tea.Cmd) tea.Cmd {
	n := v.place.File()
	return v.withJob(func(j state.Job) tea.Cmd {
		if n >= len(j.Files) {
			return msg.Notify(msg.ToneHint, v.k.Say("This job has no file."))
		}
		return do(j.Files[n])
	})
}

// CleanAddress is an address that is safe on the clipboard.
func CleanAddress(j *state.Job, n int) string {
	address, _ := fileOf(j, n)
	return api.Clean(address, api.MaxAddressText).String()
}

// IsVideo goes by the type of the file, and without one by the kind of the job.
func IsVideo(j *state.Job, n int) bool {
	_, media := fileOf(j, n)
	return cmp.Or(read.TypeKind(media), j.Kind) == api.KindVideo
}

// export asks for a folder for a contact sheet of the marked results or the chosen.
func (v *Verbs) export() tea.Cmd {
	ids, title, _ := v.about(v.k.Say("Contact sheet"))
	k, backend := v.k, v.backend
	ctx, home, say, now := k.Context, k.Home, k.Words, k.Clock
	text := k.Say("Enter a folder for the page and copies of the files: a new or empty one, or one of an earlier export.")
	return msg.Open(v.k, widget.NewAsk(k, title, text, func(typed string) tea.Cmd {
		return func() tea.Msg {
			jobs, err := readJobs(ctx, backend, ids)
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			rows := api.Map(jobs, func(j state.Job) state.Row { return RowOf(&j) })
			slices.SortStableFunc(rows, func(a, b state.Row) int { return b.CreatedAt.Compare(a.CreatedAt) })
			page, err := sheet.Open(absolute(typed, home), say)
			if err == nil {
				defer func() { _ = page.Close() }()
				err = page.Write(ctx, rows, backend.Job, now())
			}
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.NotifiedMsg{Tone: msg.ToneGood, Text: say.Say("Exported: %s", widget.Tilde(page.Index(), home))}
		}
	}))
}
