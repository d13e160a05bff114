package jobs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/words"
)

// sheetOf is a gallery of five columns. Each word is a row: its sending, and
// behind a colon its label.
func sheetOf(lines int, words ...string) *list {
	l := &list{days: true, total: len(words), version: 1}
	for i, w := range words {
		agreement, label, _ := strings.Cut(w, ":")
		if agreement == "-" {
			agreement = ""
		}
		l.rows = append(l.rows, state.Row{ID: fmt.Sprint(i), Agreement: agreement, Label: strings.ReplaceAll(label, "+", " · ")})
	}
	l.setView(5*lines, 5, true)
	return l
}

// drawn is the grid in view: rows by their ids, in five columns.
func drawn(l *list) string {
	var all []string
	for _, g := range l.grid() {
		cells := slices.Repeat([]string{"."}, 5)
		for n := g.From; n < g.To; n++ {
			cells[g.Column(n)] = l.row(n).ID
		}
		all = append(all, strings.Join(cells, " "))
	}
	return strings.Join(all, "\n")
}

func TestVariationsStandAsAGrid(t *testing.T) {
	t.Parallel()
	flow := slices.Repeat([]string{"-"}, 7)
	for name, c := range map[string]struct {
		rows []string
		want string
	}{
		"results of their own": {flow, "0 1 2 3 4\n5 6 . . ."},
		"one value":            {[]string{"-", "a:1", "a:2", "a:3", "-", "-"}, "0 1 2 3 4\n5 . . . ."},
		"two values":           {[]string{"a:x+1", "a:x+2", "a:x+3", "a:y+1", "a:y+2", "a:y+3", "-"}, "0 1 2 . .\n3 4 5 . .\n6 . . . ."},
		"one is missing":       {[]string{"a:x+1", "a:x+3", "a:y+1", "a:y+2", "a:y+3"}, "0 . 1 . .\n2 3 4 . ."},
		"more than fit":        {[]string{"a:x+1", "a:x+2", "a:x+3", "a:x+4", "a:x+5", "a:x+6", "a:y+1"}, "0 1 2 3 4\n5 6 . . ."},
		"two sendings":         {[]string{"a:1", "a:2", "b:1", "b:2"}, "0 1 2 3 ."},
		"the same value twice": {[]string{"a:x+1", "a:x+1", "a:x+2", "a:y+1"}, "0 1 2 . .\n3 . . . ."},
		"sent alone":           {[]string{"a:1", "-", "-", "-", "-", "-"}, "0 1 2 3 4\n5 . . . ."},
		"filtered, whole":      {[]string{"a:x+1", "a:x+2", "a:x+3", "a:y+1", "a:y+2", "a:y+3", "-"}, "0 1 2 . .\n3 4 5 . .\n6 . . . ."},
		"filtered, in part":    {[]string{"a:x+1", "a:y+3", "b:x+2", "c:1", "c:2", "-", "d:x+1"}, "0 1 2 3 4\n5 6 . . ."},
	} {
		l := sheetOf(9, c.rows...)
		l.filtered = strings.HasPrefix(name, "filtered")
		expect.Equal(t, drawn(l), c.want, name)
	}
	narrow := sheetOf(9, "-", "a:x+1", "a:x+2", "a:y+1", "a:y+2", "-")
	narrow.setView(9*7, 7, true) // two lines of two would be mostly empty
	line := narrow.lineOf(2)
	expect.That(t, line.From == 0 && line.To == 6, "two by two of seven columns stand in", line)
	sorted := sheetOf(9, "a:x+1", "a:y+1", "a:x+2")
	sorted.days = false // by credits, say: they are not sent one after the other
	expect.Equal(t, drawn(sorted), "0 1 2 . .", "in another order")
}

// A grid that would be higher than wide lies across, where its lines have room.
func TestAHighGridLiesAcross(t *testing.T) {
	t.Parallel()
	high := []string{"a:x+1", "a:x+2", "a:y+1", "a:y+2", "a:z+1", "a:z+2"}
	for name, c := range map[string]struct {
		rows []string
		want string
	}{
		"three by two":         {append([]string{"-"}, high...), "0 . . . .\n1 3 5 . .\n2 4 6 . ."},
		"two by three":         {[]string{"a:x+1", "a:x+2", "a:x+3", "a:y+1", "a:y+2", "a:y+3"}, "0 1 2 . .\n3 4 5 . ."},
		"one is missing":       {high[:5], "0 1 . . .\n2 3 . . .\n4 . . . ."},
		"the same value twice": {append(high[:5:5], "a:z+1"), "0 1 . . .\n2 3 . . .\n4 5 . . ."},
		"two by six": {[]string{"a:x+1", "a:x+2", "a:x+3", "a:x+4", "a:x+5", "a:x+6", "a:y+1", "a:y+2", "a:y+3", "a:y+4", "a:y+5", "a:y+6"},
			"0 6 . . .\n1 7 . . .\n2 8 . . .\n3 9 . . .\n4 10 . . .\n5 11 . . ."},
		"six by two": {append(high, "a:u+1", "a:u+2", "a:v+1", "a:v+2", "a:w+1", "a:w+2"),
			"0 1 . . .\n2 3 . . .\n4 5 . . .\n6 7 . . .\n8 9 . . .\n10 11 . . ."},
		"three values": {[]string{"a:x+1+i", "a:x+1+j", "a:y+1+i", "a:y+1+j", "a:z+1+i", "a:z+1+j"}, "0 1 . . .\n2 3 . . .\n4 5 . . ."},
	} {
		l := sheetOf(9, c.rows...)
		l.across = 5
		l.take(state.Page{Rows: l.rows, Total: l.total})
		expect.Equal(t, drawn(l), c.want, name)
	}
}

// A gallery has no columns that nothing stands in.
func TestColumnsWithoutCellsAreLeftOut(t *testing.T) {
	t.Parallel()
	grid := []string{"a:x+1", "a:x+2", "a:y+1", "a:y+2", "a:z+1", "a:z+2"}
	for name, c := range map[string]struct {
		rows           []string
		columns, lines int
		want           int
	}{
		"a grid of two by three":     {grid, 4, 3, 2},
		"without room for its lines": {grid, 4, 2, 0},
		"one of its own below":       {append(grid, "-"), 4, 4, 2},
		"results of their own":       {slices.Repeat([]string{"-"}, 6), 3, 2, 3},
	} {
		expect.Equal(t, sheetOf(9, c.rows...).fits(c.columns, c.lines), c.want, name, "columns")
	}
}

// TestTheGridIsTheSameFromEveryRow: wherever the view begins, each row stands in
// one line, and steps down and up lead through all of them.
func TestTheGridIsTheSameFromEveryRow(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 40 {
		switch {
		case i >= 7 && i < 13:
			words = append(words, fmt.Sprintf("a:%c+%d", 'x'+(i-7)/3, (i-7)%3))
		case i >= 20 && i < 23:
			words = append(words, fmt.Sprintf("b:%d", i))
		default:
			words = append(words, "-")
		}
	}
	l := sheetOf(3, words...)
	for n := range words {
		g := l.lineOf(n)
		expect.Must(t, n >= g.From && n < g.To, "row", n, "is in", g)
		for m := g.From; m < g.To; m++ {
			other := l.lineOf(m)
			expect.Must(t, other.From == g.From && other.To == g.To, "row", n, "is in", g, "row", m, "of it in", other)
		}
	}
	visited := map[int]bool{}
	for at, before := 0, -1; at != before; before, at = at, l.beside(at, 1) {
		l.move(at)
		visited[l.lineOf(at).From] = true
		expect.Must(t, slices.Contains(strings.Fields(drawn(l)), fmt.Sprint(at)), "row", at, "is selected and not in view of", drawn(l))
	}
	for n := range words {
		expect.That(t, visited[l.lineOf(n).From], "the line of row", n, "was passed over")
	}
	expect.Equal(t, l.beside(l.beside(8, 3), -3), 8, "three lines down and up lead from row 8 to row")
}

func TestDaysHaveNames(t *testing.T) {
	t.Parallel()
	s := &Screen{k: &env.Env{Words: words.For("en"), At: time.Date(2026, 3, 4, 0, 30, 0, 0, time.UTC)}, list: *sheetOf(1, "-")}
	for back, want := range map[int]string{0: "Today", 1: "Yesterday", 2: "Monday", 6: "Thursday", 7: "Wednesday 2026-02-25"} {
		s.list.rows[0].CreatedAt = s.k.At.AddDate(0, 0, -back)
		expect.Equal(t, s.dayName([]int{0}), want, back, "days ago")
	}
}
