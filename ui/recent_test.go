package ui

import (
	"context"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/picture"
)

// blockPainter draws every file as a square of blocks.
type blockPainter struct{}

func (blockPainter) Load(_ context.Context, _ string, cols, rows int, _ picture.Mode, _ colorprofile.Profile) (picture.Picture, error) {
	p := picture.Picture{Cols: min(cols, 2*rows), Rows: min(rows, cols/2)}
	for range p.Rows {
		p.Lines = append(p.Lines, strings.Repeat("▀", p.Cols))
	}
	return p, nil
}
