package history

import (
	"fmt"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
)

// sentPrompts are requests with these prompts, the newest first.
func sentPrompts(prompts ...string) []request {
	return api.Map(prompts, func(p string) request { return request{Sent: state.Sent{Request: api.Request{Prompt: p}}} })
}

// TestTreeOfVersions: a prompt stands below the newest earlier one that it was
// made from, each prompt once, the family that was sent last first.
func TestTreeOfVersions(t *testing.T) {
	t.Parallel()
	const boat, koi = "a paper boat drifts down a rain gutter", "neon koi in a pond"
	all := sentPrompts(koi, boat+" at dusk, macro lens", boat+" at dusk", boat+" at dawn", boat, boat, "a glass city")
	var got []string
	for _, v := range tree(all) {
		line := v.branch + all[v.request].Request.Prompt
		if v.times > 1 {
			line += fmt.Sprint(" ×", v.times)
		}
		if v.parent >= 0 {
			line += " < " + all[v.parent].Request.Prompt
		}
		got = append(got, line)
	}
	want := []string{
		koi, boat + " ×2", "└ " + boat + " at dawn < " + boat, "  └ " + boat + " at dusk < " + boat + " at dawn",
		"    └ " + boat + " at dusk, macro lens < " + boat + " at dusk", "a glass city",
	}
	expect.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "the tree")
	siblings := tree(sentPrompts(boat+", gouache, dusk", boat+", gouache, dawn", boat+", woodcut, dusk", boat+", woodcut, dawn"))
	branches := api.Map(siblings, func(v version) string { return v.branch }) // variations of one prompt are siblings
	expect.List(t, branches, []string{"", "├ ", "└ ", "  └ "}, "the branches of variations")
	deep := []string{boat}
	for range 20 {
		deep = append([]string{deep[0] + " x"}, deep...)
	}
	for _, v := range tree(sentPrompts(deep...)) {
		expect.That(t, len([]rune(v.branch)) <= 2*maxBranch, "a branch of", v.branch)
	}
	expect.Equal(t, len(tree(nil)), 0, "rows of a tree of nothing")
}
