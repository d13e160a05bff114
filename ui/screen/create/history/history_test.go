package history

import (
	"context"
	"errors"
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
	"darkroom/ui/widget"
	"darkroom/ui/words"
)

var now = time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)

// noStore answers no search: the tests give the answers.
type noStore struct{ Store }

func (noStore) History(context.Context, state.HistoryQuery) ([]state.Sent, error) {
	return nil, errors.New("not asked by these tests")
}

func open(t *testing.T, number int) *history {
	k := &env.Env{Context: t.Context(), Words: words.For("en"), Theme: theme.New(theme.Dark, colorprofile.TrueColor), At: now}
	o := newOverlay(k, noStore{}, Start{Number: number, Session: now, Body: widget.Rect{W: 120, H: 36}})
	o.search(0)
	return o
}

func sentPrompts(prompts ...string) []state.Sent {
	var out []state.Sent
	for _, p := range prompts {
		out = append(out, state.Sent{Request: api.Request{Prompt: p}})
	}
	return out
}

// TestTheAnswerOfTheLastSearchCounts: an answer to an earlier search, or to the
// search of an overlay that was closed, changes nothing.
func TestTheAnswerOfTheLastSearchCounts(t *testing.T) {
	t.Parallel()
	closed, o := open(t, 1), open(t, 2)
	o.Edit(tea.KeyPressMsg{Code: 'k', Text: "k"})
	o.Update(requestsFoundMsg{question{o.number, 1}, sentPrompts("all of them"), nil})
	o.Update(requestsFoundMsg{question{closed.number, 2}, sentPrompts("of the closed one"), nil})
	if box := ansi.Strip(o.Box(120, 40)); strings.Contains(box, "all of them") || strings.Contains(box, "closed") {
		t.Errorf("an answer to another question is shown:\n%s", box)
	}
	o.Update(requestsFoundMsg{question{o.number, 2}, sentPrompts("koi", "kelp"), nil})
	if box := ansi.Strip(o.Box(120, 40)); !strings.Contains(box, "koi") || !strings.Contains(box, "kelp") {
		t.Errorf("the answer is not shown:\n%s", box)
	}
	o.Edit(tea.KeyPressMsg{Code: 'x', Text: "x"})
	o.Update(requestsFoundMsg{question{o.number, 3}, nil, errors.New("the disk is gone")})
	if box := ansi.Strip(o.Box(120, 40)); !strings.Contains(box, "The disk is gone.") || o.whyNone() == "" {
		t.Errorf("an error is not shown:\n%s", box)
	}
}
