package widget

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

var priceTable = Table{
	Columns: []Column{{Title: "Model"}, {Title: "Credits", Right: true}, {Title: "纸船"}},
	Rows:    [][]string{{"seedance2", "425", "fast_vip"}, {"lumen/still-1", "12.5", "a\nb"}, {"short"}},
}

func stripped(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ansi.Strip(l)
	}
	return out
}

func TestTableAlignsItsColumns(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Dark, colorprofile.TrueColor)
	want := []string{
		"Model          Credits  纸船    ",
		"seedance2          425  fast_vip",
		"lumen/still-1     12.5  a b     ",
		"short                           ",
	}
	if got := stripped(priceTable.Lines(th, 80)); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	ruled := priceTable
	ruled.Rule = true
	want = slices.Insert(want, 1, strings.Repeat("─", 32))
	lines := ruled.Lines(th, 80)
	if got := stripped(lines); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if !strings.Contains(lines[0], th.Muted.Paint("Model")) || !strings.HasPrefix(lines[1], strings.TrimSuffix(th.Border.Paint("x"), "x\x1b[m")) {
		t.Errorf("the header has other styles: %q", lines[:2])
	}
	plain := priceTable
	plain.Columns = []Column{{}, {Right: true}, {}}
	if got := stripped(plain.Lines(th, 80)); !slices.Equal(got, []string{
		"seedance2       425  fast_vip",
		"lumen/still-1  12.5  a b     ",
		"short                        ",
	}) {
		t.Errorf("without titles:\n%q", got)
	}
}

func TestTableStylesCells(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Dark, colorprofile.TrueColor)
	tb := priceTable
	tb.Style = func(row, column int) theme.Style {
		if row == 1 {
			return th.Selected.Text
		}
		return th.Good
	}
	lines := tb.Lines(th, 80)
	if !strings.Contains(lines[1], th.Good.Paint("seedance2")) {
		t.Errorf("%q", lines[1])
	}
	if strings.Contains(lines[2], "m \x1b[m ") || strings.Contains(ansi.Strip(strings.ReplaceAll(lines[2], " ", "")), " ") {
		t.Errorf("the selected row has gaps: %q", lines[2])
	}
}

// However little room there is, a row stays one line within it.
func TestTableIsCutToItsWidth(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Dark, colorprofile.TrueColor)
	for w := range 60 {
		for _, rule := range []bool{false, true} {
			tb := priceTable
			tb.Rule = rule
			lines := tb.Lines(th, w)
			want := 4
			if rule {
				want = 5
			}
			if w == 0 {
				want = 0
			}
			if len(lines) != want {
				t.Fatalf("%d cells: %d lines:\n%s", w, len(lines), strings.Join(stripped(lines), "\n"))
			}
			for _, l := range lines {
				if theme.Width(l) > w {
					t.Errorf("%d cells: %q takes %d", w, ansi.Strip(l), theme.Width(l))
				}
			}
		}
	}
	if got := ansi.Strip(priceTable.Lines(th, 24)[2]); !strings.Contains(got, "…") || !strings.Contains(got, "12.5") {
		t.Errorf("in 24 cells it is %q", got)
	}
	if (Table{}).Lines(th, 80) != nil || (Table{Columns: []Column{{}}}).Lines(th, 80) != nil {
		t.Error("an empty table has lines")
	}
}
