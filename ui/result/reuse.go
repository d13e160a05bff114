package result

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/sheet"
	"darkroom/ui/widget"
)

// edit loads the chosen job's request into Create, with what the service refused.
func (v *Verbs) edit() tea.Cmd {
	ctx, backend := v.k.Context, v.backend
	return v.withJob(func(j state.Job) tea.Cmd {
		if j.Phase != api.PhaseRejected && IsPattern(j.Pattern, j.Request) {
			pattern := msg.LoadedMsg{Request: *j.Pattern, Pattern: true}
			text := v.k.Say("This is one of the requests of a pattern:")
			ask := widget.NewConfirm(v.k, v.k.Say("Edit the pattern?"), text+"\n\n"+api.CleanLines(j.Pattern.Prompt, 300).String(),
				"y", "edit the pattern", func() tea.Cmd { return func() tea.Msg { return pattern } })
			ask.Declined("load this one alone", func() tea.Cmd { return msg.Load(j.Request, false) })
			return msg.Open(ask)
		}
		if j.Phase != api.PhaseRejected {
			return msg.Load(j.Request, false)
		}
		id, request := j.ID, j.Request
		return func() tea.Msg {
			return msg.LoadedMsg{Request: request, Problems: FieldErrors(ctx, backend, id)}
		}
	})
}

// IsPattern reports whether a request was made of one that stands for several.
func IsPattern(pattern *api.Request, made api.Request) bool {
	return pattern != nil && (pattern.Prompt != made.Prompt || len(pattern.Vary) > 0)
}

// maxSeed is the highest seed that is drawn: it is short enough to be read.
const maxSeed = 1_000_000

// again loads the request, with another seed if it has one, and opens its review.
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

func (v *Verbs) final() tea.Cmd {
	return v.withJob(func(j state.Job) tea.Cmd {
		r := j.Request
		r.VideoModel = api.TierStandardVIP
		resolutions := api.Resolutions(r.VideoModel)
		r.Resolution = resolutions[len(resolutions)-1]
		return msg.Load(r, false)
	})
}

func (v *Verbs) use() tea.Cmd       { return v.withFreshAddress(false) }
func (v *Verbs) makeVideo() tea.Cmd { return v.withFreshAddress(true) }

func (v *Verbs) withAddress(do func(state.Job, msg.UsedMsg) tea.Cmd) tea.Cmd {
	n := v.place.File()
	return v.withJob(func(j state.Job) tea.Cmd {
		m := v.address(&j, n)
		if m.Address == "" {
			return v.hint(v.k.Say("This job has no URL yet."))
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
		if !m.Expired {
			return use(old)
		}
		backend := v.backend
		said := v.hint(v.k.Say("The link has expired. Asking the service for a fresh one."))
		var failed error
		return tea.Batch(said, ask(v, func(ctx context.Context) (j state.Job, _ error) {
			if j, failed = backend.FreshLinks(ctx, old.ID); failed != nil {
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
	m := msg.UsedMsg{Address: CleanAddress(j, n), Kind: api.MaterialImage, Job: j.ID}
	if n < len(j.Files) {
		m.Path = j.Files[n].Path
	}
	if isVideo(j, n) {
		m.Kind = api.MaterialVideo
	}
	until, known := j.ExpiresAt, !j.ExpiresAt.IsZero()
	if own, ok := api.LinkExpiry(m.Address); ok {
		until, known = own, true
	}
	m.Expired = known && !until.After(v.k.At)
	if known && !m.Expired {
		m.Expires = v.k.Span(until.Sub(v.k.At))
	}
	return m
}

func (v *Verbs) copyAddress() tea.Cmd {
	return v.withAddress(func(_ state.Job, m msg.UsedMsg) tea.Cmd {
		return v.clip(m.Address, v.k.Say("URL copied, if the terminal allows it."))
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

// CleanAddress is an address that is safe on the clipboard.
func CleanAddress(j *state.Job, n int) string {
	return api.Clean(address(j, n), api.MaxAddressText).String()
}

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

// export asks for a folder for a contact sheet of the marked results or the chosen.
func (v *Verbs) export() tea.Cmd {
	ids, title := v.about(v.k.Say("Contact sheet"))
	k, backend := v.k, v.backend
	ctx, home, say, now := k.Context, k.Home, k.Words, k.Clock
	text := k.Say("Enter a folder for the page and copies of the files: a new or empty one, or one of an earlier export.")
	return msg.Open(widget.NewAsk(k, title, text, func(typed string) tea.Cmd {
		to := absolute(typed, home)
		return func() tea.Msg {
			page, err := exported(ctx, backend, say, ids, to, now())
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.NotifiedMsg{Tone: msg.ToneGood, Text: say.Say("Exported: %s", widget.Tilde(page, home))}
		}
	}))
}

func exported(ctx context.Context, backend JobReader, w sheet.Words, ids []string, dir string, now time.Time) (string, error) {
	jobs, err := readJobs(ctx, backend, ids)
	if err != nil {
		return "", err
	}
	var rows []state.Row
	for i := range jobs {
		rows = append(rows, RowOf(&jobs[i]))
	}
	slices.SortStableFunc(rows, func(a, b state.Row) int { return b.CreatedAt.Compare(a.CreatedAt) })
	page, err := sheet.Open(dir, w)
	if err != nil {
		return "", err
	}
	defer func() { _ = page.Close() }()
	if err := page.Write(ctx, rows, backend.Job, now); err != nil {
		return "", err
	}
	return page.Index(), nil
}
