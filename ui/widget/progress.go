package widget

import (
	"math"

	"charm.land/bubbles/v2/progress"

	"darkroom/ui/theme"
)

// Progress is a thin progress bar, drawn anew only when it looks different. The
// zero Progress is ready.
type Progress struct{ memo Memo[progressKey, string] }

type progressKey struct {
	theme       *theme.Theme
	full, width int
}

// View is the bar of width cells at part, from 0 to 1.
func (p *Progress) View(t *theme.Theme, part float64, width int) string {
	width = max(width, 0)
	if math.IsNaN(part) {
		part = 0
	}
	full := int(math.Round(min(max(part, 0), 1) * float64(width)))
	return p.memo.Get(progressKey{t, full, width}, func() string {
		bar := progress.New(
			progress.WithoutPercentage(), progress.WithWidth(width), progress.WithFillCharacters('━', '─'),
			progress.WithColors(t.Run.Style().GetForeground()),
		)
		bar.EmptyColor = t.Faint.Style().GetForeground()
		return bar.ViewAs(float64(full) / float64(max(width, 1)))
	})
}

// ProgressBar is a Progress within a drawing that is remembered as a whole.
func ProgressBar(t *theme.Theme, part float64, width int) string {
	return new(Progress).View(t, part, width)
}
