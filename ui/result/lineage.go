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

func (v *Verbs) lineage() tea.Cmd {
	id, backend := v.chosen(), v.backend
	return ask(v, func(ctx context.Context) ([]state.Relative, error) {
		return backend.Results().Lineage(ctx, id)
	}, func(list []state.Relative) tea.Cmd {
		if len(list) < 2 {
			return v.hint(v.k.Say("It was not made from a result, and no result was made from it."))
		}
		lines := append(treeLines(v.k, list, id), "", ChainCost(v.k, list))
		return msg.Open(widget.NewReader(v.k, v.k.Say("Lineage"), strings.Join(lines, "\n")))
	})
}

// treeLines draw a lineage as a tree; a job stands below the last of its sources.
func treeLines(k *env.Env, list []state.Relative, chosen string) []string {
	children := map[string][]int{} // of "": the roots
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
		children[parent] = append(children[parent], i)
	}
	var lines []string
	var draw func(i int, lead, below string)
	draw = func(i int, lead, below string) {
		lines = append(lines, lead+relativeLine(k, &list[i], list[i].ID == chosen))
		under := children[list[i].ID]
		for n, child := range under {
			branch, further := "├─ ", "│  "
			if n == len(under)-1 {
				branch, further = "└─ ", "   "
			}
			draw(child, below+branch, below+further)
		}
	}
	for _, i := range children[""] {
		draw(i, "", "")
	}
	return lines
}

func relativeLine(k *env.Env, r *state.Relative, chosen bool) string {
	parts := []string{widget.PhaseLook(r.Phase).Mark + " " + k.Say(widget.KindWord(r.Kind)), r.Title}
	parts = append(append(parts, rowCharge(k, &r.Row)...), k.Stamp(r.CreatedAt))
	if chosen {
		parts = append(parts, "◂ "+k.Say("this one"))
	}
	return strings.Join(parts, "  ")
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
