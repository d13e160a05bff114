package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

func tiers() *RateGrid {
	cells := func(texts ...string) []RateCell {
		out := make([]RateCell, len(texts))
		for i, s := range texts {
			out[i] = RateCell{Text: s, Rate: "85/s"}
			if s == "–" {
				out[i] = RateCell{Text: s, Mark: RateRefused}
			}
		}
		return out
	}
	return &RateGrid{
		Rows: []string{"fast", "standard_vip"}, Cols: []string{"480p", "720p", "1080p"},
		Cells: cells("–", "425", "–", "425", "500", "1,000"), Col: 1, Rated: true,
	}
}

func drawn(g *RateGrid, w, h int) string {
	lines := g.Lines(theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), g.Frame(w, h))
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return strings.Join(lines, "\n")
}

func TestRateGrid(t *testing.T) {
	t.Parallel()
	narrow, moved, low := tiers(), tiers(), tiers()
	moved.Row, moved.Col = 1, 2
	low.Cells[1].Mark, low.Cells[3].Mark = RateLowest, RateDiffers
	none := tiers()
	none.Row, none.Rated = -1, false
	for name, c := range map[string]struct {
		grid *RateGrid
		w, h int
		want string
	}{
		"rates where there is room": {tiers(), 70, 9, `
                   480p            720p           1080p
fast                  –            ▸425  85/s         –
standard_vip        425  85/s       500  85/s     1,000  85/s`},
		"figures alone": {narrow, 40, 9, `
                 480p     720p    1080p
fast                –     ▸425        –
standard_vip      425      500    1,000`},
		"one row, two columns": {moved, 32, 2, `
                720p      1080p
standard…        500     ▸1,000`},
		"marks": {low, 40, 9, `
                 480p     720p    1080p
fast                –     ▸425•       –
standard_vip      425!     500    1,000`},
		"no selection": {none, 40, 9, `
                 480p     720p    1080p
fast                –      425        –
standard_vip      425      500    1,000`},
	} {
		if got := drawn(c.grid, c.w, c.h); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if got := drawn(&RateGrid{}, 40, 9); got != "" {
		t.Errorf("an empty grid is %q", got)
	}
}

// Each figure is found under a click on it, whatever is in view.
func TestRateGridCellAt(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{70, 9}, {40, 9}, {32, 2}, {24, 2}} {
		for i := range 6 {
			g := tiers()
			g.Row, g.Col = i/3, i%3
			f := g.Frame(size[0], size[1])
			x, y, ok := cursorIn(drawn(g, size[0], size[1]))
			if row, col, hit := f.CellAt(x, y); !ok || !hit || row != g.Row || col != g.Col {
				t.Errorf("%v: cell %d,%d is found as %d,%d %v", size, g.Row, g.Col, row, col, hit)
			}
			for _, at := range [][2]int{{f.name - 1, 1}, {f.name, 0}, {f.name, f.rows + 1}, {f.name + f.cols*f.cell, 1}} {
				if _, _, hit := f.CellAt(at[0], at[1]); hit {
					t.Errorf("%v: there is a cell at %v", size, at)
				}
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
	if got, want := strings.Join(g.Lines(), "|"), "size  1K 2K 4K …|尺寸          2K"; got != want {
		t.Errorf("cut: %q, want %q", got, want)
	}
	g.Wrap = true
	if got, want := strings.Join(g.Lines(), "|"), "size    1K 2K 4K|              8K|尺寸          2K"; got != want {
		t.Errorf("wrapped: %q, want %q", got, want)
	}
	if got := (Grid{}).Lines(); got != nil {
		t.Errorf("an empty grid has %q", got)
	}
}
