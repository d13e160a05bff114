package result

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Backend is what the verbs need; it is called from commands only.
type Backend interface {
	JobReader
	Fetch(ctx context.Context, id string) error
	FreshLinks(ctx context.Context, id string) (state.Job, error)
	Attach(ctx context.Context, id, remoteID string) error
	Dismiss(ctx context.Context, id string) error
	// ResendConfirm gives the id under which sending again is confirmed, and the
	// current price; no id means that the job cannot be sent again.
	ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error)
	Resend(ctx context.Context, id, confirmID string) (state.Job, error)
	// Results hands out ratings, hiding, lineage and copies of files.
	Results() state.Results
	Materials() state.Materials
}

// Place is where results are shown: Jobs, gallery, Recent, full screen. It says which
// one the verbs are about, and shows what they change.
type Place interface {
	// Row is the chosen result; false when there is none.
	Row() (state.Row, bool)
	// Job is the whole of it, when it was read already.
	Job() (state.Job, bool)
	// File is the number of its file that is shown, from 0.
	File() int
	// At is the number of the chosen result, from 0, and how many there are.
	At() (n, of int)
	// Move chooses the result that lies so many further on.
	Move(by int) tea.Cmd
	// Enter shows the chosen result full screen, with zoom at its own size.
	Enter(zoom bool) tea.Cmd
	// SetRating shows a rating before the store has it.
	SetRating(id string, r state.Rating)
}

// Verbs are what is done with a result wherever it is shown: one table of
// actions for all places. A place has its own Verbs, puts Table into its
// table and hands every message to Update.
type Verbs struct {
	k       *env.Env
	backend Backend
	place   Place
	marks   *Marks
	rates   func() bool
	Table   []action.Action // a part of a place's table, most important first
	// ratings are those that the store does not have yet. They are written one after
	// the other, so that they are undone in the order of the keys.
	ratings []ratingStep
	writing bool // one of them
}

// NewVerbs makes the verbs of a place. While rates is true the digits rate, and
// a rating goes on to the next result.
func NewVerbs(k *env.Env, b Backend, p Place, m *Marks, rates func() bool) *Verbs {
	v := &Verbs{k: k, backend: b, place: p, marks: m, rates: rates}
	v.Table = v.makeTable()
	return v
}

// makeTable lists what can be done with a result, and says of each why it cannot be done now.
func (v *Verbs) makeTable() []action.Action {
	show := func(in state.Viewer) func() tea.Cmd { return action.By(v.show, in) }
	seen := func() bool { return v.row().Files > 0 }
	table := []action.Action{
		{Name: "settle", Display: "enter", Label: "resolve", Handler: v.Enter, Disabled: func() string {
			return v.k.SayIf(!OutcomeUnknown(v.row()), "Only for jobs whose outcome is unknown.")
		}},
		{Name: "send_again", Display: "enter", Label: "send again", Handler: v.Enter, Disabled: func() string {
			job, _ := v.place.Job() // as far as it was read
			return cmp.Or(v.k.SayIf(!NeedsSettling(v.row()) || OutcomeUnknown(v.row()), "Only for jobs that were not accepted."),
				v.sentAgain(&job, v.row().ID))
		}},
		{Name: "full_screen", Keys: "enter", Label: "full screen", Handler: v.Enter, Disabled: v.whyNone,
			Offer: func() bool { return v.row().Phase.Active() || v.row().Files > 0 }}, // it is seen, or will be
		{Name: "make_video", Keys: "v", Label: "video from this", Also: "first frames",
			Handler: action.By(v.withFreshAddress, true), Disabled: v.whyNoVideo},
		{Name: "again", Keys: "n", Label: "again", Handler: v.again, Disabled: v.whyNone},
		{Name: "compare", Keys: "c", Label: "compare", Handler: v.compare, Offer: func() bool { return seen() || v.marks.Len() > 0 },
			Disabled: func() string { return v.alone(v.whyNoResult()) }},
		{Name: "favourite", Keys: "f", Label: "favourite", Handler: action.By(v.pick, 1), Offer: seen, Disabled: v.whyNoResult},
		{Name: "open", Keys: "o", Label: "open", Handler: v.Open, Disabled: v.whyNoFiles},
		{Name: "reject", Keys: "x", Label: "reject", Handler: action.By(v.pick, -1), Offer: seen, Disabled: v.whyNoResult},
		{Name: "discard", Keys: "X shift+x", Label: "reject, files into the trash", Handler: v.discard, Offer: v.rates, Disabled: v.whyNoFile},
		{Name: "use", Keys: "u", Label: "use as reference", Handler: action.By(v.withFreshAddress, false), Disabled: v.whyNoAddress},
		{Name: "edit", Keys: "e", Label: "edit and send again", Handler: v.edit, Disabled: v.whyNone},
		{Name: "final", Keys: "F shift+f", Label: "redo in final quality", Handler: v.final, Disabled: v.whyNoDraft},
		{Name: "mark", Keys: "m", Label: "mark", Handler: v.mark, Disabled: v.whyNone},
		{Name: "facts", Keys: "i", Label: "details and raw response", Handler: v.facts, Disabled: v.whyNone},
		{Name: "lineage", Keys: "t", Label: "lineage", Handler: v.lineage, Disabled: v.whyNoResult},
		{Name: "zoom", Keys: "z", Label: "zoom", Handler: action.By(v.place.Enter, true), Disabled: v.whyNoFile},
		{Name: "reveal", Keys: "O shift+o", Label: "show in the file manager", Handler: show(state.InFileManager), Disabled: v.whyNoFile},
		{Name: "play_outside", Keys: "V shift+v", Label: "play in your player", Handler: show(state.InPlayer), Disabled: v.whyNoFile},
		{Name: "copy_address", Keys: "y", Label: "copy URL", Disabled: v.whyNoAddress, Handler: func() tea.Cmd {
			said := v.k.Say("URL copied, if the terminal allows it.")
			return v.withAddress(func(_ state.Job, m msg.UsedMsg) tea.Cmd { return msg.Copy(m.Address, said) })
		}},
		{Name: "copy_picture", Keys: "Y shift+y", Label: "copy the picture", Handler: v.copyPicture, Disabled: v.whyNoFile},
		{Name: "copy_path", Keys: "p", Label: "copy path", Disabled: v.whyNoFile, Handler: func() tea.Cmd {
			return v.withFile(func(f state.File) tea.Cmd {
				return msg.Copy(f.Path, v.k.Say("Path copied, if the terminal allows it."))
			})
		}},
		{Name: "copy_prompt", Keys: "alt+y", Label: "copy prompt", Disabled: v.whyNone, Handler: func() tea.Cmd {
			return v.withJob(func(j state.Job) tea.Cmd {
				text := api.CleanLines(j.Request.Prompt, len(j.Request.Prompt)+1).String()
				return msg.Copy(text, v.k.Say("Prompt copied, if the terminal allows it."))
			})
		}},
		{Name: "save_as", Keys: "s", Label: "save as", Handler: v.saveAs, Disabled: v.whyNoFiles},
		{Name: "export", Keys: "E shift+e", Label: "contact sheet", Handler: v.export, Disabled: v.whyNoFiles},
		{Name: "fetch", Keys: "R shift+r", Label: "fetch again", Handler: v.fetch, Offer: v.lost, Disabled: func() string {
			// Of one that is done the file may have been removed.
			return v.alone(v.whyHeld(), v.k.SayIf(v.row().Phase != api.PhaseDone && !v.lost(), "There is nothing to fetch again."))
		}},
		{Name: "annotate", Keys: "a", Label: "note", Handler: v.annotate, Disabled: v.whyNone},
		{Name: "hide", Keys: "delete", Label: "remove from the list", Handler: v.hide, Disabled: func() string {
			return v.alone(v.whyNone(), v.k.SayIf(v.row().Phase.Active(), "This job is active, so it stays in the list."),
				v.k.SayIf(OutcomeUnknown(v.row()), "The outcome of this job is unknown, so it stays in the list."))
		}},
		{Name: "undo_rating", Keys: "U shift+u", Label: "undo rating", Hidden: true, Handler: v.undoRating},
	}
	// The digits rate in the gallery.
	stars := func(n int) tea.Cmd { return v.setRating(func(r *state.Rating) bool { r.Stars = n; return true }) }
	digits := make([]action.Action, 6)
	for i, label := range [...]string{"rating", "rating 2", "rating 3", "rating 4", "rating 5", "no rating"} {
		n := (i + 1) % len(digits)
		digits[i] = action.Action{Name: "stars_" + strconv.Itoa(n), Keys: action.Keys(strconv.Itoa(n)), Label: label,
			Handler: action.By(stars, n), Disabled: v.whyNoResult, Hidden: i > 0, Offer: v.rates, Over: true}
	}
	digits[0].Display, digits[5].Name = "1–5", "stars_none"
	table = append(table, digits...)
	for i := range table {
		table[i].Group = cmp.Or(verbGroups[table[i].Name], "Results")
	}
	// The person's own commands have the keys and labels of the settings, which may change at
	// any time: there is an action for each command that there can be.
	for i := range state.MaxCommands {
		own := action.Action{Name: CommandName(i), Hidden: true, Disabled: v.whyNoFiles, Handler: action.By(v.runCommand, i)}
		table = append(table, own)
	}
	return table
}

// verbGroups are the groups of the verbs that do more than show results.
var verbGroups = map[string]string{
	"make_video": "Make", "again": "Make", "use": "Make", "edit": "Make", "final": "Make",
	"favourite": "Rate", "reject": "Rate", "discard": "Rate", "annotate": "Rate", "undo_rating": "Rate",
	"stars_1": "Rate", "stars_none": "Rate",
	"copy_address": "Copy", "copy_picture": "Copy", "copy_path": "Copy", "copy_prompt": "Copy", "save_as": "Copy", "export": "Copy",
}

// Update takes answers to what the verbs asked for.
func (v *Verbs) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(answerMsg); ok && m.asker == v {
		return m.then()
	}
	return nil
}

// The functions below say why a verb cannot be done now; "" is that it can.
// They look at the row, so that they are true right after a move too.

func (v *Verbs) whyNone() string {
	_, ok := v.place.Row()
	return v.k.SayIf(!ok, "No job is selected.")
}

// whyNoResult is for what needs a request that was sent.
func (v *Verbs) whyNoResult() string {
	return cmp.Or(v.whyHeld(), v.whyNone())
}

// alone is the first reason of why the chosen result stands in the way; of marked ones
// none does.
func (v *Verbs) alone(why ...string) string {
	if v.marks.Len() > 0 {
		return ""
	}
	return cmp.Or(why...)
}

func (v *Verbs) whyHeld() string {
	return v.k.SayIf(v.row().Phase == api.PhaseHeld, "This request was not sent yet: there is no result.")
}

func (v *Verbs) whyNoFile() string {
	return cmp.Or(v.whyNoResult(), v.k.SayIf(v.row().Files == 0, "This job has no file."))
}

func (v *Verbs) whyNoFiles() string { return v.alone(v.whyNoFile()) }

// whyNoAddress knows the addresses of a job that was read; of another one it
// knows the phases that have some.
func (v *Verbs) whyNoAddress() string {
	r, _ := v.place.Row()
	known := r.Files > 0 || r.Phase == api.PhaseDone || r.Phase == api.PhaseFetching
	if job, read := v.place.Job(); read && job.ID == r.ID {
		address, _ := fileOf(&job, v.place.File())
		known = address != ""
	}
	return cmp.Or(v.whyHeld(), v.k.SayIf(!known, "This job has no URL."))
}

func (v *Verbs) whyNoVideo() string {
	r, ok := v.place.Row()
	return cmp.Or(v.k.SayIf(!ok || r.Phase != api.PhaseHeld && r.Kind == api.KindVideo,
		"Only an image, or in full screen a frame of a clip, can be the first frame of a video."), v.whyNoAddress())
}

// whyNoDraft: a final exists of what was made at one of the fast tiers. Of a job
// that was not read only the model is known.
func (v *Verbs) whyNoDraft() string {
	r, _ := v.place.Row()
	draft := r.Kind == api.KindVideo && r.Model == api.Seedance2
	if job, read := v.place.Job(); read && job.ID == r.ID {
		draft = draft && (job.Request.VideoModel == api.TierFast || job.Request.VideoModel == api.TierFastVIP)
	}
	return cmp.Or(v.whyHeld(), v.k.SayIf(!draft, "Only for results of the tiers fast and fast_vip."))
}

// lost reports whether a result is known to be missing, or several may be.
func (v *Verbs) lost() bool {
	r, _ := v.place.Row()
	return v.marks.Len() > 0 || r.Phase == api.PhaseExpired || r.Phase == api.PhaseFailed && r.RemoteID != "" ||
		r.Phase == api.PhaseDone && r.Files == 0
}

// ratingStep writes one rating, or takes the newest back and says so.
type ratingStep func(ctx context.Context, results state.Results) (done string, err error)

// rate writes a rating when those before it are written.
func (v *Verbs) rate(step ratingStep) tea.Cmd {
	v.ratings = append(v.ratings, step)
	return v.writeRating()
}

func (v *Verbs) writeRating() tea.Cmd {
	if v.writing || len(v.ratings) == 0 {
		return nil
	}
	step, backend, done, m := v.ratings[0], v.backend, "", answerMsg{asker: v}
	v.ratings, v.writing = v.ratings[1:], true
	m.then = func() (said tea.Cmd) {
		if v.writing = false; done != "" {
			said = msg.Notify(msg.ToneHint, done)
		}
		return tea.Batch(v.writeRating(), said)
	}
	// A rating that was made is written also while the program ends.
	ctx := context.WithoutCancel(v.k.Context)
	return func() tea.Msg {
		if done, m.Err = step(ctx, backend.Results()); m.Err != nil {
			done = ""
		}
		return m
	}
}

// setRating rates the chosen result, and goes on to the next one where the
// digits rate, unless the rating only takes one back.
func (v *Verbs) setRating(set func(r *state.Rating) (goOn bool)) tea.Cmd {
	row, ok := v.place.Row()
	if !ok {
		return nil
	}
	goOn := set(&row.Rating)
	v.place.SetRating(row.ID, row.Rating)
	cmd := v.rate(func(ctx context.Context, results state.Results) (string, error) {
		return "", results.Rate(ctx, state.Rated{ID: row.ID, Rating: row.Rating})
	})
	if v.rates() && goOn {
		return tea.Batch(cmd, v.place.Move(1))
	}
	return cmd
}

func (v *Verbs) pick(pick int) tea.Cmd {
	cmd := v.setRating(func(r *state.Rating) bool {
		if r.Pick == pick {
			pick = 0
		}
		r.Pick = pick
		return pick != 0
	})
	if pick < 0 && v.rates() {
		return tea.Batch(cmd, msg.Notify(msg.ToneHint,
			v.k.Say("Rejected. %s instead moves the files into the trash as well.", v.k.Key("discard", "X"))))
	}
	return cmd
}

// discard rejects the chosen result, and moves its files into the trash.
func (v *Verbs) discard() tea.Cmd {
	row, _ := v.place.Row()
	done := v.k.Say("Files are in the trash: 'darkroom clean --undo' puts them back.")
	reject := v.setRating(func(r *state.Rating) bool { r.Pick = -1; return true })
	return tea.Batch(reject, v.rate(func(ctx context.Context, results state.Results) (string, error) {
		return done, results.Discard(ctx, row.ID)
	}))
}

// undoRating takes the newest rating back, wherever it was given.
func (v *Verbs) undoRating() tea.Cmd {
	none, undone := v.k.Say("There is no rating to undo."), v.k.Say("Rating undone:")
	return v.rate(func(ctx context.Context, results state.Results) (string, error) {
		ids, err := results.UndoRating(ctx)
		if len(ids) == 0 {
			return none, err
		}
		return undone + " " + strings.Join(ids, ", "), err
	})
}

// Marks are results that a person has marked, in the order of marking. Places
// that belong together share them.
type Marks struct {
	ids   []string
	edits uint64
}

// Toggle marks a result, or takes its mark away.
func (m *Marks) Toggle(id string) {
	if i := slices.Index(m.ids, id); i >= 0 {
		m.ids = slices.Delete(m.ids, i, i+1)
	} else {
		m.ids = append(m.ids, id)
	}
	m.edits++
}

func (m *Marks) Has(id string) bool { return slices.Contains(m.ids, id) }
func (m *Marks) Len() int           { return len(m.ids) }
func (m *Marks) IDs() []string      { return slices.Clone(m.ids) }
func (m *Marks) Edits() uint64      { return m.edits } // grows with every change

// Clear takes all marks away.
func (m *Marks) Clear() {
	m.ids = nil
	m.edits++
}

// settle is the overlay in which a job without a result is settled: what
// happened, and what can be done about it. It shows the row as it was opened.
type settle struct {
	widget.Passive
	v     *Verbs
	row   state.Row
	again string // says as what it was sent again, if it was
}

func (v *Verbs) openSettle(j state.Job) tea.Cmd {
	s := &settle{v: v, row: RowOf(&j), again: v.sentAgain(&j, j.ID)}
	s.Table = []action.Action{
		{Name: "attach", Keys: "enter a", Label: "I found it: enter its id", Closes: true, Handler: s.attach},
		{Name: "dismiss", Keys: "x", Label: "not there: mark as not charged", Closes: true, Handler: s.dismiss},
		{Name: "resend", Keys: "s", Label: "send again", Closes: true, Handler: s.resend, Disabled: func() string { return s.again }},
		{Name: "edit", Keys: "e", Label: "edit and send again", Closes: true, Handler: v.edit},
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Closes: true},
	}
	if !OutcomeUnknown(&s.row) {
		s.Table = s.Table[2:]
	}
	return msg.Open(v.k, s)
}

// sentAgain says as what the job was sent again if it is the one of the id and was.
func (v *Verbs) sentAgain(j *state.Job, id string) string {
	return v.k.SayIf(j.ID == id && j.Again != "", "It was sent again as job %s.", j.Again)
}

func (s *settle) Box(w, h int) string {
	w = min(72, w)
	k, t := s.v.k, s.v.k.Theme
	f := widget.Facts{Width: w - 4, Theme: t}
	f.Painted(widget.PhaseText(k, s.row.Phase) + "  " + t.Text.Paint(theme.Cut(s.row.Title, w-24)))
	sent := k.SayIf(!s.row.SentAt.IsZero(), "sent %s", k.Stamp(s.row.SentAt))
	f.Painted(t.Muted.Paint(strings.Join(env.Said(k.Say("%s credits", s.row.Credits.String()), sent), " · ")))
	f.Gap()
	f.Wrapped(t.Text, Failure(k, &s.row))
	title := k.Say("Not accepted")
	if OutcomeUnknown(&s.row) {
		title = k.Say("Outcome unknown")
		f.Gap()
		f.Wrapped(t.Text, k.Say("First check the service's website for this job."))
		f.Wrapped(t.Warn, "! "+cmp.Or(s.again, k.Say("Sent again, it may be charged twice.")))
	}
	return s.Keys().Boxed(w, h, title, append([]string{"", ""}, f.Lines...), 0)
}

// Keys are the button, which is what to do first, and the other ways out.
func (s *settle) Keys() widget.Keys {
	return widget.Keys{K: s.v.k, Table: s.Table, Words: env.Capital(s.v.k.Say(s.Table[0].Label))}
}

func (s *settle) attach() tea.Cmd {
	v, id, backend := s.v, s.row.ID, s.v.backend
	done := v.k.Say("Job id saved. Checking its status.")
	return msg.Open(v.k, widget.NewAsk(v.k, v.k.Say("Enter job id"),
		v.k.Say("Enter the id that the service shows for this job. Its status is then checked as usual."),
		func(typed string) tea.Cmd {
			return Call(v.k.Context, done, func(ctx context.Context) error { return backend.Attach(ctx, id, typed) })
		}))
}

func (s *settle) dismiss() tea.Cmd {
	v, id, backend := s.v, s.row.ID, s.v.backend
	done := v.k.Say("Marked as not charged; it no longer counts as spent.")
	return msg.Open(v.k, widget.NewConfirm(v.k, v.k.Say("Not charged?"),
		v.k.Say("The job stays in the list, and its credits no longer count as possibly spent. "+
			"Do this only when the service's website does not show it."),
		"y", "mark as not charged",
		func() tea.Cmd {
			return Call(v.k.Context, done, func(ctx context.Context) error { return backend.Dismiss(ctx, id) })
		}))
}

// resend asks for the price of sending the job again, and then whether to: once,
// and twice where the first request may have been charged.
func (s *settle) resend() tea.Cmd {
	row, backend, clock := s.row, s.v.backend, s.v.k.Clock
	k, ctx, id := s.v.k, s.v.k.Context, ""
	return ask(s.v, func(ctx context.Context) (price api.Estimate, err error) {
		id, price, err = backend.ResendConfirm(ctx, row.ID)
		if !price.Fresh(clock()) {
			price = api.Estimate{Source: api.SourceNone}
		}
		if again, ok := errors.AsType[*state.Refusal](err); id == "" || ok && again.Code == "again" {
			return price, err
		}
		return price, nil
	}, func(price api.Estimate) tea.Cmd {
		send := func() tea.Cmd {
			return func() tea.Msg {
				job, err := backend.Resend(ctx, row.ID, id)
				if err != nil {
					return msg.FailedMsg{Err: err}
				}
				return msg.PickedJobMsg{ID: job.ID}
			}
		}
		said := cmp.Or(k.SayIf(price.Known(), "%s credits", price.Credits.String()), k.Say("price not known"))
		if !OutcomeUnknown(&row) {
			return msg.Open(k, widget.NewConfirm(k, k.Say("Send again?"),
				k.Say("The same request is sent as a new job: %s.", said), "y", "send", send))
		}
		again := widget.NewConfirm(k, k.Say("Charged twice?"), "", "s", "send anyway", send)
		again.Warning = k.Say("If the first request was accepted, you pay for both: %s each.", said)
		first := widget.NewConfirm(k, k.Say("Send again?"), "", "y", "continue", func() tea.Cmd { return msg.Open(k, again) })
		first.Warning = k.Say("It is not known whether the first request was accepted, so this may be charged twice.")
		return msg.Open(k, first)
	})
}
