package create

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
)

func openHistory(t *testing.T, c *Screen) *history {
	t.Helper()
	m, ok := c.openHistory()().(msg.SequencedMsg)
	if !ok {
		t.Fatal("opening is no sequence")
	}
	return m.Message.(msg.OpenedMsg).Overlay.(*history)
}

func sentPrompts(prompts ...string) []state.Sent {
	var out []state.Sent
	for _, p := range prompts {
		out = append(out, state.Sent{Request: api.Request{Prompt: p}})
	}
	return out
}

// TestHistoryTakesTheAnswerOfItsLastSearch: an answer to an earlier search, or
// to the search of an overlay that was closed, changes nothing.
func TestHistoryTakesTheAnswerOfItsLastSearch(t *testing.T) {
	t.Parallel()
	c := videoScreen(t, 120, 40, boat)
	closed := openHistory(t, c)
	o := openHistory(t, c)
	o.Edit(tea.KeyPressMsg{Code: 'k', Text: "k"})
	o.Update(requestsFoundMsg{question{o.number, 1}, sentPrompts("all of them"), nil})
	o.Update(requestsFoundMsg{question{closed.number, 2}, sentPrompts("of the closed one"), nil})
	if box := plain(o.Box(120, 40)); strings.Contains(box, "all of them") || strings.Contains(box, "closed") {
		t.Errorf("an answer to another question is shown:\n%s", box)
	}
	o.Update(requestsFoundMsg{question{o.number, 2}, sentPrompts("koi", "kelp"), nil})
	if box := plain(o.Box(120, 40)); !strings.Contains(box, "koi") || !strings.Contains(box, "kelp") {
		t.Errorf("the answer is not shown:\n%s", box)
	}
	o.Edit(tea.KeyPressMsg{Code: 'x', Text: "x"})
	o.Update(requestsFoundMsg{question{o.number, 3}, nil, errors.New("the disk is gone")})
	if box := plain(o.Box(120, 40)); !strings.Contains(box, "The disk is gone.") || o.whyNone() == "" {
		t.Errorf("an error is not shown:\n%s", box)
	}
}

func TestRowsStayInView(t *testing.T) {
	t.Parallel()
	var r rows
	r.setHeight(3)
	r.setRows(5)
	for _, step := range []struct{ by, selected, top int }{{1, 1, 0}, {1, 2, 0}, {1, 3, 1}, {9, 4, 2}, {-1, 3, 2}, {-9, 0, 0}} {
		if r.move(step.by); r.selected != step.selected || r.top != step.top {
			t.Errorf("after %+d: row %d, first in view %d; want %+v", step.by, r.selected, r.top, step)
		}
	}
	r.move(4)
	if !r.click(0) || r.selected != 2 || r.click(3) || r.click(-1) {
		t.Errorf("clicks select row %d", r.selected)
	}
	r.setHeight(1)
	if r.top != 2 {
		t.Errorf("a lower window begins with row %d", r.top)
	}
	r.setRows(0)
	if r.move(1); r.selected != 0 || r.click(0) {
		t.Error("an empty list has a row")
	}
}
