package widget

import (
	"math"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

func TestProgressIsDrawnWhenItLooksDifferent(t *testing.T) {
	th := theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)
	for _, c := range []struct {
		part float64
		n    int
		want string
	}{
		{0, 4, "────"}, {0.5, 4, "━━──"}, {0.1, 4, "────"}, {0.13, 4, "━───"}, {1, 4, "━━━━"}, {2, 4, "━━━━"}, {-1, 4, "────"},
		{math.NaN(), 2, "──"}, {0.5, 0, ""}, {0.5, -3, ""},
	} {
		if got := ansi.Strip(ProgressBar(th, c.part, c.n)); got != c.want {
			t.Errorf("%v of %d: %q, want %q", c.part, c.n, got, c.want)
		}
	}
	if got, want := ProgressBar(th, 0.5, 4), th.Run.Paint("━━")+th.Faint.Paint("──"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var p Progress
	p.View(th, 0.50, 10)
	if n := testing.AllocsPerRun(10, func() { p.View(th, 0.52, 10) }); n > 1 {
		t.Errorf("a bar that looks the same takes %v allocations", n)
	}
	light := theme.Choice{}.Theme(theme.Light, colorprofile.TrueColor)
	if p.View(light, 0.52, 10) != ProgressBar(light, 0.52, 10) {
		t.Error("it keeps the colours of another theme")
	}
}
