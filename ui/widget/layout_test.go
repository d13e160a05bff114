package widget

import (
	"math"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/vt"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

var dark = theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)

func TestOverlayKeepsEveryCellInItsPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		x    int
		want string
	}{
		{"0123456789", 0, "[--]456789"}, {"0123456789", 3, "012[--]789"}, {"0123456789", 6, "012345[--]"},
		{"01", 4, "01  [--]"}, {"", 2, "  [--]"},
		{"纸船顺着水", 1, " [--] 着水"}, // halves on both sides
		{"纸船顺着水", 2, "纸[--]着水"},
		{"a👩‍👩‍👧‍👦bcdefg", 1, "a[--]defg"},
	} {
		for name, line := range map[string]string{"plain": c.line, "painted": dark.Good.Paint(c.line)} {
			got := Overlay([]string{line}, []string{"[--]"}, c.x, 0)[0]
			expect.Equal(t, ansi.Strip(got), c.want, name, c.line, "at", c.x)
			expect.Equal(t, theme.Width(got), max(theme.Width(c.line), c.x+4), name, c.line, "at", c.x, "cells")
		}
	}
	// What stands right of it keeps its colour.
	got := Overlay([]string{dark.Good.Paint("0123456789")}, []string{"[--]"}, 3, 0)[0]
	expect.That(t, strings.HasSuffix(got, dark.Good.Paint("789")), "the right part has lost its colour", got)
	expect.List(t, Overlay([]string{"abc", "same"}, []string{"x", "y"}, 0, -1), []string{"ybc", "same"}, "a box that begins above the body")
}

func TestCoverPutsTheBoxIntoTheUpperMiddle(t *testing.T) {
	t.Parallel()
	row := strings.Repeat("0123456789", 3)
	body := slices.Repeat([]string{dark.Good.Paint(row)}, 8)
	box := "[--]\n[__]"
	at := BoxAt(box, 30, 8)
	var cover Cover
	lines := cover.Lay(dark, body, box, at)
	expect.Equal(t, at, Rect{13, 2, 4, 2}, "the box lies at")
	over := func(box string) string { return "\n" + row[:11] + box + row[19:] } // with its rim
	want := row + over("        ") + over("  [--]  ") + over("  [__]  ") + over("        ") + strings.Repeat("\n"+row, 3)
	expect.Equal(t, ansi.Strip(strings.Join(lines, "\n")), want, "the screen")
	got := strings.Join(lines, "\n")
	expect.Lacks(t, got, dark.Good.Paint(row), "what the box covers is not dimmed")
	expect.Contains(t, got, dark.Veiled.Paint(row[19:]), "beside the box")
	at = BoxAt(box, 9, 8)
	got = ansi.Strip(cover.Lay(dark, []string{row[:9], row[:9], row[:9]}, box, at)[2])
	expect.Equal(t, got, "  [--]   ", "nothing is left beside a box that leaves little")
	at = BoxAt(box, 2, 1)
	expect.That(t, at.X == 0 && at.Y == 0, "a box larger than the body lies at", at)
}

// TestCoverKeepsPictures: below a box pictures of half blocks and of placeholders
// keep their colours beside faint words, cut where the box stands.
func TestCoverKeepsPictures(t *testing.T) {
	t.Parallel()
	dark := theme.Choice{}.Theme(theme.Dark, colorprofile.ANSI) // without grounds
	const sky, sea = "\x1b[38;2;1;2;3;48;2;4;5;6m", "\x1b[38;5;7m"
	cell := string(kitty.Placeholder) + string(kitty.Diacritic(0)) + string(kitty.Diacritic(1)) + string(kitty.Diacritic(2))
	cells := strings.Repeat(cell, 5)
	body := []string{dark.Good.Paint("12345678ab") + sky + "▀▌▗\x1b[m" + sea + cells + "\x1b[39m" + dark.Warn.Paint("yz")}
	var cover Cover
	faint := dark.Faint.Paint
	expect.Equal(t, cover.Lay(dark, body, "", Rect{})[0], faint("12345678ab")+sky+"▀▌▗"+sea+cells+"\x1b[m"+faint("yz"), "the line")
	e := vt.NewEmulator(20, 1)
	defer e.Close()
	_, _ = e.WriteString(cover.Lay(dark, body, "[]", Rect{13, 0, 2, 1})[0])
	for x, want := range []string{"a", "b", "▀", " ", " ", "[", "]", " ", " ", cell, "y", "z"} {
		got := e.CellAt(8+x, 0)
		expect.That(t, got.Content == want && (want != "[" || got.Style.IsZero()), "cell", x, "is", got.Content, got.Style)
	}
}

func TestCoverKeepsGrounds(t *testing.T) {
	for n := range 2 * len(theme.Names) {
		th := theme.Choice{Name: theme.Names[n/2]}.Theme(theme.Dark+theme.Background(n%2), colorprofile.TrueColor)
		for what, style := range map[string]theme.Style{"text": th.Text, "muted": th.Muted, "good": th.Good} {
			line := new(Cover).Lay(th, []string{th.Panel.Lay(style.Paint("boat"))}, "", Rect{})[0]
			want := th.Behind(th.Panel.Colour).Lay(th.Veiled.Paint("boat"))
			expect.That(t, !th.Grounds() || line == want, theme.Names[n/2], th.On, what, "is drawn as", line)
		}
	}
}

// BenchmarkCover is a box over a screen of 120×40, by Cover and by lipgloss.
func BenchmarkCover(b *testing.B) {
	line := strings.Repeat(dark.Good.Paint("paper boat")+dark.Muted.Paint(" 纸船 "), 8)
	body := slices.Repeat([]string{theme.Fit(line, 120)}, 38)
	box := strings.TrimSuffix(strings.Repeat(dark.Text.Paint(strings.Repeat("x", 76))+"\n", 16), "\n")
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var cover Cover // it remembers nothing
			cover.Lay(dark, body, box, BoxAt(box, 120, 38))
		}
	})
	b.Run("lipgloss", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			faint := dark.Faint.Paint(ansi.Strip(strings.Join(body, "\n")))
			lipgloss.NewCompositor(lipgloss.NewLayer(faint), lipgloss.NewLayer(box).X(22).Y(7)).Render()
		}
	})
}

func TestMemosRememberEachKey(t *testing.T) {
	var m Memos[string, int]
	draws := 0
	for _, c := range []struct {
		key  string
		want int
	}{{"a", 1}, {"b", 2}, {"a", 1}, {"c", 3}, {"a", 4}, {"c", 3}, {"b", 5}} {
		expect.Equal(t, m.Get(c.key, 2, func() int { draws++; return draws }), c.want, c.key, "drawing")
	}
}

func TestBarIsAsWideAsAsked(t *testing.T) {
	for _, c := range []struct {
		part float64
		n    int
	}{{0, 4}, {0.5, 4}, {1, 4}, {2, 4}, {-1, 4}, {math.NaN(), 2}, {0.5, 0}, {0.5, -3}} {
		got := ansi.Strip(Bar(dark, c.n, Share{c.part, dark.Run, "━"}, Share{0.2, dark.Doubt, "╍"}))
		expect.Equal(t, ansi.StringWidth(got), max(c.n, 0), c.part, "of", c.n, got)
	}
}

// On grounds a bar at the right shows which part is in view. A line that is too wide moves nothing.
func TestPaneHasABar(t *testing.T) {
	t.Parallel()
	p := Pane{Width: 20, Height: 12} // of which 10 are content
	p.Scrolled(&env.Env{Theme: dark}, 5, 25)
	var at []int
	for i, line := range p.Lines(dark, []string{strings.Repeat("水", 9), Divide(strings.Repeat("rule", 9)), "x"}) {
		expect.Equal(t, ansi.StringWidth(line), p.Width, "cells of line", i)
		if strings.Contains(line, "▐") {
			at = append(at, i)
		}
	}
	expect.List(t, at, []int{2, 3}, "the bar is at")
}

func tiers() *RateGrid {
	g := &RateGrid{Unit: "credits", Rows: []string{"fast", "standard_vip"}, Cols: []string{"480p", "720p", "1080p"}, Col: 1, Wide: true, Focus: true}
	for _, credits := range []api.Credits{0, 425, 0, 425, 500, 1000} {
		c := RateCell{Figure: "–", Missing: true}
		if credits > 0 {
			c = RateCell{Figure: (credits * api.Credit).String(), Price: credits, Second: "85/s", Change: "+18 %", Amount: "+75", Sign: "•", Word: "cheapest"}
		}
		g.Cells = append(g.Cells, c)
	}
	return g
}

func drawn(g *RateGrid, w, h int) string {
	lines := api.Map(g.Lines(dark, g.Frame(w, h)), func(line string) string { return strings.TrimRight(ansi.Strip(line), " ") })
	return strings.Join(lines, "\n")
}

func TestRateGrid(t *testing.T) {
	t.Parallel()
	moved, none, rest := tiers(), tiers(), &RateGrid{Unit: "videos", Rows: []string{"fast"}, Cols: []string{"720p"}, Row: -1}
	rest.Cells = []RateCell{{Figure: "1,204", Word: "3 left"}}
	long := &RateGrid{Rows: rest.Rows, Cols: rest.Cols, Cells: []RateCell{{Figure: "425", Second: "141.666666/s", Change: "+18 %"}}, Wide: true}
	moved.Row, moved.Col = 1, 2
	none.Row, none.Wide = -1, false
	for name, c := range map[string]struct {
		grid *RateGrid
		w, h int
		want string
	}{
		"all of it": {tiers(), 104, 5, `
credits                                480p                          720p                         1080p
fast                                      –  ▸• 85/s  +75  +18 %      425                             –
standard_vip    • 85/s  +75  +18 %      425   • 85/s  +75  +18 %      500   • 85/s  +75  +18 %    1,000`},
		"no room for the difference in credits": {tiers(), 90, 5, `
credits                            480p                     720p                    1080p
fast                                  –  ▸• 85/s  +18 %      425                        –
standard_vip     • 85/s  +18 %      425   • 85/s  +18 %      500   • 85/s  +18 %    1,000`},
		"no room for what a second costs": {long, 24, 3, `
                   720p
fast  ▸  +18 %      425`},
		"per cent alone": {tiers(), 78, 3, `
credits                        480p                 720p                1080p
fast                              –  ▸• +18 %        425                    –
standard_vip     • +18 %        425   • +18 %        500   • +18 %      1,000`},
		"one row, two columns": {moved, 42, 2, `
credits                720p         1080p
standard_vip   •        500  ▸•     1,000`},
		"a word without its sign is whole or not there": {rest, 16, 3, `
videos     720p
fast      1,204`},
		"no selection": {none, 40, 9, `
credits          480p     720p    1080p
fast                –  •   425        –
standard_vip  •   425  •   500  • 1,000`},
	} {
		expect.Equal(t, drawn(c.grid, c.w, c.h), strings.TrimPrefix(c.want, "\n"), name)
	}
	expect.Equal(t, drawn(&RateGrid{}, 40, 9), "", "an empty grid")
}

// Each figure is found under a click on it, whatever is in view.
func TestRateGridCellAt(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{78, 9}, {78, 5}, {60, 4}, {42, 2}} {
		for i := range 6 {
			g := tiers()
			g.Row, g.Col = i/3, i%3
			f := g.Frame(size[0], size[1])
			x, y, ok := cursorIn(drawn(g, size[0], size[1]))
			row, col, hit := f.CellAt(x, y)
			expect.That(t, ok && hit && row == g.Row && col == g.Col, size, "cell", g.Row, g.Col, "is found as", row, col, hit)
			for _, at := range [][2]int{{f.name - 1, 1}, {f.name, 0}, {f.name, f.rows + 1}, {f.name + f.cols*f.cell, 1}} {
				_, _, hit := f.CellAt(at[0], at[1])
				expect.That(t, !hit, size, "there is a cell at", at)
			}
		}
	}
}

// cursorIn is where the cursor sign stands in drawn lines.
func cursorIn(text string) (x, y int, ok bool) {
	for y, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "▸"); at >= 0 {
			return ansi.StringWidth(line[:at]), y, true
		}
	}
	return 0, 0, false
}

func TestGridWrapsOrCuts(t *testing.T) {
	t.Parallel()
	g := Grid{Columns: []GridColumn{{Width: 6}, {Width: 10, Right: true}}, Rows: [][]string{{"size", "1K 2K 4K 8K"}, {"尺寸", "2K"}}}
	expect.Equal(t, strings.Join(g.Lines(), "|"), "size  1K 2K 4K …|尺寸          2K", "cut")
	g.Wrap = true
	expect.Equal(t, strings.Join(g.Lines(), "|"), "size    1K 2K 4K|              8K|尺寸          2K", "wrapped")
}

// BenchmarkRateGrid is a step of the selection through the table of seedance2 in three ways: as it is drawn; by
// lipgloss/table; and by lipgloss/table with a Memo for each line, of which a step draws two anew.
func BenchmarkRateGrid(b *testing.B) {
	g := tiers()
	g.Wide = false
	table := func(lines ...string) []string {
		f := g.Frame(40, 3)
		out := Grid{Columns: []GridColumn{{Width: f.name}}}
		for range g.Cols {
			out.Columns = append(out.Columns, GridColumn{Width: f.cell})
		}
		for _, line := range lines {
			out.Rows = append(out.Rows, strings.Split(line, "\x00"))
		}
		return out.Lines()
	}
	cells := func(row int) string {
		line := dark.Text.Paint(g.Rows[row])
		for col := range g.Cols {
			line += "\x00" + g.cell(dark, row, col, g.Frame(40, 3), 0.5)
		}
		return line
	}
	var rows Memos[[2]int, []string]
	for name, draw := range map[string]func(){
		"drawn": func() { g.Lines(dark, g.Frame(40, 3)) },
		"table": func() { table(cells(0), cells(1)) },
		"table-memo": func() {
			for row := range g.Rows {
				selected := -1
				if row == g.Row {
					selected = g.Col
				}
				rows.Get([2]int{row, selected}, 20, func() []string { return table(cells(row)) })
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				g.Row, g.Col, g.Focus = i%2, 2-i%3, true
				draw()
			}
		})
	}
}
