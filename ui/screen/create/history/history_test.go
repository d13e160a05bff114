package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

var now = time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)

// noStore answers no search: the tests give the answers.
type noStore struct{ Store }

func (noStore) History(context.Context, state.HistoryQuery) ([]state.Sent, error) {
	return nil, errors.New("not asked by these tests")
}

func open(t *testing.T) *history {
	k := &env.Env{Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), At: now}
	o := newOverlay(k, noStore{}, now, "")
	o.Update(tea.WindowSizeMsg{Width: 120, Height: 39})
	o.search(0)
	return o
}

// sentPrompts are requests with these prompts, the newest first.
func sentPrompts(prompts ...string) []request {
	var out []request
	for _, p := range prompts {
		out = append(out, request{Sent: state.Sent{Request: api.Request{Prompt: p}}})
	}
	return out
}

func found(by *history, search int, prompts ...string) requestsFoundMsg {
	all := sentPrompts(prompts...)
	return requestsFoundMsg{by: by, search: search, found: all, tree: tree(all)}
}

// TestTheAnswerOfTheLastSearchCounts: an answer to an earlier search, or to the
// search of an overlay that was closed, changes nothing.
func TestTheAnswerOfTheLastSearchCounts(t *testing.T) {
	t.Parallel()
	closed, o := open(t), open(t)
	o.Edit(tea.KeyPressMsg{Code: 'k', Text: "k"})
	o.Update(found(o, 1, "all of them"))
	o.Update(found(closed, 2, "of the closed one"))
	if box := ansi.Strip(o.Box(120, 40)); strings.Contains(box, "all of them") || strings.Contains(box, "closed") {
		t.Errorf("an answer to another question is shown:\n%s", box)
	}
	o.Update(found(o, 2, "koi", "kelp"))
	if box := ansi.Strip(o.Box(120, 40)); !strings.Contains(box, "koi") || !strings.Contains(box, "kelp") {
		t.Errorf("the answer is not shown:\n%s", box)
	}
	o.Edit(tea.KeyPressMsg{Code: 'x', Text: "x"})
	o.Update(requestsFoundMsg{by: o, search: 3, err: errors.New("the disk is gone")})
	if box := ansi.Strip(o.Box(120, 40)); !strings.Contains(box, "The disk is gone.") || o.whyNone() == "" {
		t.Errorf("an error is not shown:\n%s", box)
	}
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
	if !slices.Equal(got, want) {
		t.Errorf("the tree is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var branches []string // variations of one prompt are siblings
	for _, v := range tree(sentPrompts(boat+", gouache, dusk", boat+", gouache, dawn", boat+", woodcut, dusk", boat+", woodcut, dawn")) {
		branches = append(branches, v.branch)
	}
	if want := []string{"", "├ ", "└ ", "  └ "}; !slices.Equal(branches, want) {
		t.Errorf("variations have the branches %q, want %q", branches, want)
	}
	deep := []string{boat}
	for range 20 {
		deep = append([]string{deep[0] + " x"}, deep...)
	}
	for _, v := range tree(sentPrompts(deep...)) {
		if len([]rune(v.branch)) > 2*maxBranch {
			t.Errorf("a branch of %q", v.branch)
		}
	}
	if len(tree(nil)) != 0 {
		t.Error("a tree of nothing has rows")
	}
}

func TestChangesBeginWhereTheyAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"a boat at dawn", "a boat at dusk", "… boat at [dusk]"},
		{"a boat with macro lens", "a boat", "− [with][ ][macro][ ][lens]"},
		{"a boat", "a boat", "a boat"},
	} {
		var b strings.Builder
		for _, d := range changesOf(c.before, c.after) {
			if d.New {
				b.WriteString("[" + d.Text + "]")
			} else {
				b.WriteString(d.Text)
			}
		}
		if b.String() != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, b.String(), c.want)
		}
	}
}

// TestVersionsKeepTheSelection: the prompt that is selected stays so.
func TestVersionsKeepTheSelection(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.Update(found(o, 1, "neon koi in a pond", "a paper boat in the rain at dusk", "a paper boat in the rain"))
	o.List.Select(2)
	o.switchVersions()
	if one, _, _ := o.selected(); one.Request.Prompt != "a paper boat in the rain" {
		t.Errorf("selected %q", one.Request.Prompt)
	}
	if box := ansi.Strip(o.Box(120, 40)); !strings.Contains(box, "└ … the rain at dusk") || !strings.Contains(box, "all · versions") {
		t.Errorf("the tree is not drawn:\n%s", box)
	}
}
