package widget

import (
	"math"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

func TestProgressBarIsAsWideAsAsked(t *testing.T) {
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
}
