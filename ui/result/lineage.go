package result

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// lineage shows what the chosen result was made from, and what from it.
func (v *Verbs) lineage() tea.Cmd {
	id, backend := v.chosen(), v.backend
	return v.ask(func(ctx context.Context) (func(*Verbs) tea.Cmd, error) {
		list, err := backend.Results().Lineage(ctx, id)
		return func(v *Verbs) tea.Cmd { return v.openLineage(list, id) }, err
	})
}

func (v *Verbs) openLineage(list []state.Relative, chosen string) tea.Cmd {
	if len(list) < 2 {
		return v.hint(v.k.Say("It was made from no result, and none from it."))
	}
	lines := append(treeLines(v.k, list, chosen), "", ChainCost(v.k, list))
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
