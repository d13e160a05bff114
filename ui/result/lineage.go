package result

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// lineageReadMsg brings what a result was made from and into.
type lineageReadMsg struct {
	asker *Verbs
	id    string
	list  []state.Relative
	err   error
}

// Failed is why it could not be read.
func (m lineageReadMsg) Failed() error { return m.err }

// lineage reads the tree of the chosen result.
func (v *Verbs) lineage() tea.Cmd {
	asker := v
	ctx, id, backend := v.k.Context, v.chosen(), v.backend
	return func() tea.Msg {
		list, err := backend.Results().Lineage(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return lineageReadMsg{asker, id, list, err}
	}
}

func openLineage(v *Verbs, m lineageReadMsg) tea.Cmd {
	if len(m.list) < 2 {
		return v.hint(v.k.Say("Nothing was made from this result, and it was made from no other."))
	}
	lines := append(treeLines(v.k, m.list, m.id), "", ChainCost(v.k, m.list))
	return msg.Open(widget.NewReader(v.k, v.k.Say("Lineage"), strings.Join(lines, "\n")))
}

// treeLines draw a lineage as a tree; a job with several sources stands below
// the last of them.
func treeLines(k *env.Env, list []state.Relative, chosen string) []string {
	children, roots := map[string][]int{}, []int{}
	known := map[string]bool{}
	for _, r := range list {
		known[r.ID] = true
	}
	for i, r := range list {
		parent := ""
		for _, id := range r.Sources {
			if known[id] && id != r.ID {
				parent = id
			}
		}
		if parent == "" {
			roots = append(roots, i)
		} else {
			children[parent] = append(children[parent], i)
		}
	}
	var lines []string
	var draw func(i int, lead, below string)
	draw = func(i int, lead, below string) {
		lines = append(lines, lead+relativeLine(k, &list[i], list[i].ID == chosen))
		for n, child := range children[list[i].ID] {
			if n == len(children[list[i].ID])-1 {
				draw(child, below+"└─ ", below+"   ")
			} else {
				draw(child, below+"├─ ", below+"│  ")
			}
		}
	}
	for _, i := range roots {
		draw(i, "", "")
	}
	return lines
}

func relativeLine(k *env.Env, r *state.Relative, chosen bool) string {
	look := widget.PhaseLook(r.Phase)
	line := look.Mark + " " + k.Say(widget.KindWord(r.Kind)) + "  " + r.Title
	if r.Source != api.SourceNone && r.Source != "" {
		line += "  " + k.Say("%s cr", env.Amount(r.Credits))
	}
	line += "  " + k.Stamp(r.CreatedAt)
	if chosen {
		line += "  ◂ " + k.Say("this one")
	}
	return line
}

// ChainCost is what all jobs of a lineage cost together.
func ChainCost(k *env.Env, list []state.Relative) string {
	var sum api.Credits
	for _, r := range list {
		if r.Charged {
			sum += r.Credits
		}
	}
	return k.Say("together %s cr", env.Amount(sum))
}
