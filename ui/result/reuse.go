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
	return v.withFreshAddress(func(j state.Job, m msg.UsedMsg) tea.Cmd {
		return func() tea.Msg { return m }
	})
}

// makeVideo hands an image to Create as the first frame of a video.
func (v *Verbs) makeVideo() tea.Cmd {
	return v.withFreshAddress(func(j state.Job, m msg.UsedMsg) tea.Cmd {
		m.Frame, m.Prompt, m.Ratio = true, j.Request.Prompt, j.Request.AspectRatio
		return func() tea.Msg { return m }
	})
}

// withAddress does something with the shown file's address.
func (v *Verbs) withAddress(do func(state.Job, msg.UsedMsg) tea.Cmd) tea.Cmd {
	n := v.place.File()
	return v.withJob(func(j state.Job) tea.Cmd {
		m := v.address(&j, n)
		if m.Address == "" {
			return v.hint(v.k.Say("This job has no address yet."))
		}
		return do(j, m)
	})
}

// withFreshAddress is withAddress, but the service is asked once for a fresh
// address when the known one has expired. Without one it is that all the same, and
// why the service could not be asked is said last.
func (v *Verbs) withFreshAddress(do func(state.Job, msg.UsedMsg) tea.Cmd) tea.Cmd {
	n := v.place.File()
	return v.withAddress(func(old state.Job, m msg.UsedMsg) tea.Cmd {
		if !m.Expired {
			return do(old, m)
		}
		use := func(j state.Job) tea.Cmd { return do(j, v.address(&j, n)) }
		backend := v.backend
		said := v.hint(v.k.Say("The link has expired. Asking the service for a fresh one."))
		return tea.Batch(said, v.ask(func(ctx context.Context) (func(*Verbs) tea.Cmd, error) {
			j, err := backend.FreshLinks(ctx, old.ID)
			if err == nil {
				return func(*Verbs) tea.Cmd { return use(j) }, nil
			}
			return func(*Verbs) tea.Cmd {
				return msg.Sequence(use(old), func() tea.Msg { return msg.FailedMsg{Err: err} })
			}, nil
		}))
	})
}

// address is the address of a job's file, n counted from 0, and until when it can be
// used.
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

// CleanAddress is an address of which nothing but what is printed can reach the
// clipboard.
func CleanAddress(j *state.Job, n int) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, api.Clean(address(j, n), api.MaxAddressText).String())
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

// export asks for a folder, and makes a contact sheet of the marked results
// there, or of the chosen one.
func (v *Verbs) export() tea.Cmd {
	ids, title := v.about(v.k.Say("Contact sheet"))
	k, backend := v.k, v.backend
	ctx, home, say, now := k.Context, k.Home, k.Words, k.Clock
	text := k.Say("The folder for a page with copies of their files: a new or empty one, or one of an earlier export.")
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

// exported makes a contact sheet of results, the newest first, and gives the
// page's path.
func exported(ctx context.Context, backend JobReader, w sheet.Words, ids []string, dir string, now time.Time) (string, error) {
	var rows []state.Row
	for _, id := range ids {
		job, err := backend.Job(ctx, id)
		if err != nil {
			return "", err
		}
		rows = append(rows, RowOf(&job))
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
