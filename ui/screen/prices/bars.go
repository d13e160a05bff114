package prices

import (
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Parts of a cell in eighths: from below, and from the left.
var (
	risingBlocks = []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	lyingBlocks  = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
)

// inEighths is a part of a sum in eighths of n cells, at least one when there is
// any.
func inEighths(part, all api.Credits, n int) int {
	if part <= 0 || all <= 0 {
		return 0
	}
	return max(int(min(float64(part)/float64(all), 1)*float64(n*8)+0.5), 1)
}

// barWidth is how many cells the largest share takes.
const barWidth = 12

// share draws a part of a sum as a bar with its per cent, w cells wide.
func share(t *theme.Theme, part, all api.Credits, w int) string {
	if all <= 0 {
		return ""
	}
	percent := t.Muted.Paint(widget.AlignRight(strconv.Itoa(int(float64(part)/float64(all)*100+0.5))+"%", 5))
	room := min(barWidth, w-6)
	if room < 4 {
		return percent
	}
	n := inEighths(part, all, room)
	bar := strings.Repeat("█", n/8) + lyingBlocks[n%8]
	return t.Run.Paint(bar) + theme.Blank(room-theme.Width(bar)) + percent
}

// dayChart draws a bar for each day, rows high: solid for what was spent, shaded
// above it for what may have been. The dearest day's amount and the first and
// last day stand beside it.
func dayChart(t *theme.Theme, days []state.Line, w, rows int) []string {
	top := api.Credits(0)
	for _, d := range days {
		top = max(top, d.Credits.Plus(d.Possibly))
	}
	label := env.Amount(top) + " "
	side := theme.Width(label)
	bar := min(max((w-side-1)/len(days), 1), 6)
	days = days[max(len(days)-max((w-side-1)/bar, 1), 0):] // the newest, if not all fit
	gap := 0
	if bar > 2 {
		gap = 1
	}
	lines := make([]string, 0, rows+2)
	for row := rows - 1; row >= 0; row-- {
		line := t.Muted.Paint(label) + t.Border.Paint("│")
		for _, d := range days {
			style, text := chartCell(t, d, top, rows, row)
			line += style.Paint(strings.Repeat(text, bar-gap)) + theme.Blank(gap)
		}
		lines, label = append(lines, line), theme.Blank(side)
	}
	width, first, last := bar*len(days), days[0].Day[5:], days[len(days)-1].Day[5:]
	between := theme.Blank(max(width-len(first)-len(last), 1))
	return append(lines, label+t.Border.Paint("└"+strings.Repeat("─", width)), label+" "+t.Muted.Paint(first+between+last))
}

// chartCell is the part of a day's bar in one row, row 0 being the lowest.
func chartCell(t *theme.Theme, d state.Line, top api.Credits, rows, row int) (theme.Style, string) {
	sure := inEighths(d.Credits, top, rows)
	all := sure
	if d.Possibly > 0 {
		all = max(inEighths(d.Credits.Plus(d.Possibly), top, rows), sure+1)
	}
	switch {
	case sure > row*8:
		return t.Run, risingBlocks[min(sure-row*8, 8)]
	case all > row*8:
		return t.Doubt, "░"
	}
	return t.Faint, " "
}
