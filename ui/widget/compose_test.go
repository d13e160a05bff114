package widget

import (
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/vt"

	"darkroom/ui/theme"
)

func TestOverlayKeepsEveryCellInItsPlace(t *testing.T) {
	t.Parallel()
	th := theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)
	for _, c := range []struct {
		line string
		x    int
		want string
	}{
		{"0123456789", 0, "[--]456789"},
		{"0123456789", 3, "012[--]789"},
		{"0123456789", 6, "012345[--]"},
		{"01", 4, "01  [--]"},
		{"", 2, "  [--]"},
		{"纸船顺着水", 1, " [--] 着水"}, // halves on both sides
		{"纸船顺着水", 2, "纸[--]着水"},
		{"a👩‍👩‍👧‍👦bcdefg", 1, "a[--]defg"},
	} {
		for name, line := range map[string]string{"plain": c.line, "painted": th.Good.Paint(c.line)} {
			got := Overlay([]string{line}, []string{"[--]"}, c.x, 0)[0]
			if ansi.Strip(got) != c.want {
				t.Errorf("%s %q at %d: %q, want %q", name, c.line, c.x, ansi.Strip(got), c.want)
			}
			if w := theme.Width(got); w != max(theme.Width(c.line), c.x+4) {
				t.Errorf("%s %q at %d takes %d cells", name, c.line, c.x, w)
			}
		}
	}
	// What stands right of it keeps its colour.
	if got := Overlay([]string{th.Good.Paint("0123456789")}, []string{"[--]"}, 3, 0)[0]; !strings.HasSuffix(got, strings.TrimSuffix(th.Good.Paint("789"), "\x1b[m")+"\x1b[m") {
		t.Errorf("the right part has lost its colour: %q", got)
	}
	if got := Overlay([]string{"abc", "same"}, []string{"x", "y"}, 0, -1); !slices.Equal(got, []string{"ybc", "same"}) {
		t.Errorf("a box that begins above the body gives %q", got)
	}
}

func TestCoverPutsTheBoxIntoTheUpperMiddle(t *testing.T) {
	t.Parallel()
	th := theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)
	body := slices.Repeat([]string{th.Good.Paint("0123456789")}, 8)
	box := "[--]\n[__]"
	at := BoxAt(box, 10, 8)
	var cover Cover
	lines := cover.Lay(th, body, box, at)
	if at != (Rect{3, 2, 4, 2}) {
		t.Errorf("the box lies at %+v", at)
	}
	for y, want := range []string{"0123456789", "0123456789", "012[--]789", "012[__]789", "0123456789", "0123456789", "0123456789", "0123456789"} {
		if ansi.Strip(lines[y]) != want {
			t.Errorf("line %d is %q, want %q", y, ansi.Strip(lines[y]), want)
		}
	}
	if got := strings.Join(lines, "\n"); strings.Contains(got, th.Good.Paint("0123456789")) || !strings.Contains(got, th.Faint.Paint("789")) {
		t.Error("what the box covers is not dimmed")
	}
	if at := BoxAt(box, 2, 1); at.X != 0 || at.Y != 0 {
		t.Errorf("a box larger than the body lies at %+v", at)
	}
}

// TestCoverKeepsPictures: below a box pictures of half blocks and of placeholders
// keep their colours beside faint words, cut where the box stands.
func TestCoverKeepsPictures(t *testing.T) {
	t.Parallel()
	th := theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)
	const sky, sea = "\x1b[38;2;1;2;3;48;2;4;5;6m", "\x1b[38;5;7m"
	cell := string(kitty.Placeholder) + string(kitty.Diacritic(0)) + string(kitty.Diacritic(1)) + string(kitty.Diacritic(2))
	body := []string{th.Good.Paint("ab") + sky + "▀▀▀\x1b[m" + sea + cell + cell + "\x1b[39m" + th.Warn.Paint("yz")}
	var cover Cover
	faint := th.Faint.Paint
	if got, want := cover.Lay(th, body, "", Rect{})[0], faint("ab")+sky+"▀▀▀"+sea+cell+cell+"\x1b[m"+faint("yz"); got != want {
		t.Errorf("the line is\n%q, want\n%q", got, want)
	}
	e := vt.NewEmulator(9, 1)
	defer e.Close()
	_, _ = e.WriteString(cover.Lay(th, body, "[]", Rect{3, 0, 2, 1})[0])
	for x, want := range []string{"a", "b", "▀", "[", "]", cell, cell, "y", "z"} {
		if got := e.CellAt(x, 0); got.Content != want || want == "[" && !got.Style.IsZero() {
			t.Errorf("cell %d is %q %+v", x, got.Content, got.Style)
		}
	}
}

// BenchmarkCover is a box over a screen of 120×40, by Cover and by lipgloss.
func BenchmarkCover(b *testing.B) {
	th := theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)
	line := strings.Repeat(th.Good.Paint("paper boat")+th.Muted.Paint(" 纸船 "), 8)
	body := slices.Repeat([]string{theme.Fit(line, 120)}, 38)
	box := strings.TrimSuffix(strings.Repeat(th.Text.Paint(strings.Repeat("x", 76))+"\n", 16), "\n")
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var cover Cover // it remembers nothing
			cover.Lay(th, body, box, BoxAt(box, 120, 38))
		}
	})
	b.Run("lipgloss", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			faint := th.Faint.Style().Render(ansi.Strip(strings.Join(body, "\n")))
			lipgloss.NewCompositor(lipgloss.NewLayer(faint), lipgloss.NewLayer(box).X(22).Y(7)).Render()
		}
	})
}
