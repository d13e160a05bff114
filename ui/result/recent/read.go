package recent

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/result"
)

// Backend is what Recent needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	result.Backend
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
}

const (
	timedRows = 200 // rows from which typical times are learnt
	maxRead   = 60  // jobs that are looked at for the draft's chain
	maxCards  = 24  // cards that are kept
)

// readMsg answers a question for cards.
type readMsg struct {
	seq     int
	cards   []card
	total   int
	typical map[result.Class]result.Typical
	err     error
}

// Changed reads the newest jobs again while the strip is in view, unless that is
// under way: then it follows.
func (r *Recent) Changed(prompt string) tea.Cmd {
	if r.prompt = prompt; !r.shown || !r.latest.Changed() {
		return nil
	}
	return r.Read(prompt)
}

// Read reads the newest jobs; those whose prompt is a version of the given one
// come first.
func (r *Recent) Read(prompt string) tea.Cmd {
	r.prompt = prompt
	seq, ctx, backend := r.latest.Ask(), r.k.Context, r.backend
	held := make(map[string]state.Job, len(r.cards))
	for i := range r.cards {
		held[r.cards[i].job.ID] = r.cards[i].job
	}
	return func() tea.Msg {
		page, err := backend.Jobs(ctx, state.Query{Limit: timedRows})
		m := readMsg{seq: seq, total: page.All, err: err}
		if err == nil {
			m.typical = result.Timings(page.Rows)
			m.cards = readCards(ctx, backend, page.Rows, held, prompt)
		}
		return m
	}
}

// readCards reads the jobs of the newest rows, but those that are held as they
// are, and puts the prompt's chain first. A job that cannot be read is left out:
// Jobs says why.
func readCards(ctx context.Context, backend result.JobReader, rows []state.Row, held map[string]state.Job, prompt string) []card {
	var chain, others []card
	for i := range rows {
		if i == maxRead {
			break
		}
		if rows[i].Kind != api.KindImage && rows[i].Kind != api.KindVideo {
			continue
		}
		job, ok := held[rows[i].ID]
		if !ok || job.Version != rows[i].Version {
			var err error
			if job, err = backend.Job(ctx, rows[i].ID); err != nil {
				continue
			}
		}
		one := card{rows[i], job, result.Ratio(job.Request), SameChain(prompt, job.Request.Prompt)}
		if one.chain {
			chain = append(chain, one)
		} else {
			others = append(others, one)
		}
	}
	cards := append(chain, others...)
	for from := 0; from < len(cards); { // requests that were sent as one keep the order of the review
		to := from + 1
		for to < len(cards) && cards[to].job.Agreement != "" && cards[to].job.Agreement == cards[from].job.Agreement {
			to++
		}
		group := cards[from:to]
		slices.Reverse(group)
		if held := slices.IndexFunc(group, func(c card) bool { return c.row.Phase == api.PhaseHeld }); held >= 0 {
			slices.Reverse(group[held:]) // those stand in the order of the queue already
		}
		from = to
	}
	return cards[:min(len(cards), maxCards)]
}

// SameChain reports whether two prompts are the same, or one is the other with
// one passage changed: what they have in common at both ends is most of the
// longer one.
func SameChain(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if a == b {
		return true
	}
	const least = 12 // characters in common
	x, y := []rune(a), []rune(b)
	longer, shorter := max(len(x), len(y)), min(len(x), len(y))
	n := 0
	for n < shorter && x[n] == y[n] {
		n++
	}
	m := 0
	for m < shorter-n && x[len(x)-1-m] == y[len(y)-1-m] {
		m++
	}
	return n+m >= least && (n+m)*10 >= longer*6
}

// take puts an answer in the place of what was held. The chosen card stays
// chosen as long as it is there.
func (r *Recent) take(m readMsg) tea.Cmd {
	last, again := r.latest.Answered(m.seq, m.err)
	if !last {
		return nil
	}
	if m.err != nil {
		return r.latest.After(r.k.Context, r.Read(r.prompt))
	}
	r.cards, r.total, r.typical, r.known = m.cards, m.total, m.typical, true
	if !slices.ContainsFunc(r.cards, func(c card) bool { return c.job.ID == r.chosen }) {
		r.chosen = ""
	}
	r.edits++
	r.reveal(false)
	if again {
		return tea.Batch(r.want(), r.Read(r.prompt))
	}
	return r.want()
}
