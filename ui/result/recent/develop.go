package recent

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/picture"
	"darkroom/ui/result"
)

// A picture that was awaited develops when it has come: its blocks are 8, 4 and 2 columns
// wide, and then it is sharp, as its pixels are then sent.
const (
	sharpAwaited = 16 // it has not come yet
	sharpStep    = 100 * time.Millisecond
	coarse       = 8
	sharpSteps   = 3
)

type sharpMsg struct {
	of  *Recent
	job string
}

// sharpen lets the awaited pictures that have come develop.
func (r *Recent) sharpen() tea.Cmd {
	var cmds []tea.Cmd
	from, to := r.window()
	for n := from; n < to; n++ {
		id := r.cards[n].job.ID
		th := r.thumb(n)
		if r.badges() {
			th = r.bigThumb()
		}
		_, state := r.thumbs.Lines(th)
		if state == result.ThumbReady && r.sharp[id] == sharpAwaited {
			r.sharp[id] = coarse
			cmds = append(cmds, r.sharpenLater(id))
		}
	}
	return tea.Batch(cmds...)
}

func (r *Recent) sharpenLater(id string) tea.Cmd {
	if r.sharp[id] == 1 {
		delete(r.sharp, id)
		r.thumbs.Late = 0
		return nil
	}
	return env.Later(r.k.Context, sharpStep, sharpMsg{r, id})
}

// developing is the picture of a card in cols×rows cells while th is awaited, and while it
// comes; nil if it is neither.
func (r *Recent) developing(c *card, th result.Thumb, cols, rows int) []string {
	t, side := r.k.Theme, r.sharp[c.job.ID]
	rough := picture.Rough{Cols: cols, Rows: rows, Side: coarse, Share: 0.8, Ground: t.Panel.Colour()}
	_, state := r.thumbs.Lines(th)
	switch {
	case r.k.Mode == picture.ModeOff || !t.Grounds():
		return nil
	case c.job.Phase.Active():
		rough.Share = r.waiting(&c.job).Light()
	case state == result.ThumbReady && side > 0 && side < sharpAwaited:
		rough = picture.Rough{Side: side, Share: 1}
	case state == result.ThumbNone && r.trial:
		rough.Side = 1 // nothing better is known
	case state != result.ThumbLoading || side == 0:
		return nil
	}
	if state == result.ThumbLoading {
		th.Path, th.Poster = c.source, ""
	}
	lines := r.thumbs.Rough(th, rough)
	if lines == nil && rough.Cols > 0 {
		lines = result.Gradient(r.k, c.job.Request.Prompt).Rough(rough)
	}
	return lines
}

// findSources finds what stands in for the pictures that are not there: an image that the
// job was made from, else one of the same prompt.
func findSources(ctx context.Context, backend Backend, cards []card, held map[string]card) {
	frames := picture.Frames()
	for i := range cards {
		c := &cards[i]
		was, read := held[c.job.ID]
		c.source = was.source
		if !c.job.Phase.Active() && (frames || c.job.Kind != api.KindVideo) {
			continue
		}
		if c.job.Related && (!read || was.job.Version != c.job.Version) {
			list, _ := backend.Results().Lineage(ctx, c.job.ID) // without it, less is known
			at := slices.IndexFunc(list, func(r state.Relative) bool { return r.ID == c.job.ID })
			for i := range list {
				if at >= 0 && list[i].Kind == api.KindImage && slices.Contains(list[at].Sources, list[i].ID) {
					c.source = list[i].File
				}
			}
		}
		for n := len(cards) - 1; n >= 0 && c.source == ""; n-- {
			if other := &cards[n]; other.row.Kind == api.KindImage && other.job.Request.Prompt == c.job.Request.Prompt {
				c.source = result.RowOf(&other.job).File
			}
		}
	}
}

// ExampleMsg says that an example is to become the prompt.
type ExampleMsg struct{ Prompt string }

// Examples reports whether there are examples to choose from.
func (r *Recent) Examples() bool { return r.trial && !r.badges() }

// Take makes the chosen example the prompt.
func (r *Recent) Take() tea.Cmd {
	m := ExampleMsg{r.card().job.Title}
	return func() tea.Msg { return m }
}

// examples are what is shown of what can be made, as long as there is nothing.
func (r *Recent) examples() (cards []card) {
	for _, prompt := range result.Examples(r.k) {
		row := state.Row{ID: prompt, Title: prompt, Kind: api.KindImage, Phase: api.PhaseDone}
		cards = append(cards, card{row: row, job: state.Job{Row: row, Request: api.Request{Prompt: prompt}}, ratio: 4.0 / 3})
	}
	return cards
}
