package picture

import (
	"context"
	"sync/atomic"

	"github.com/charmbracelet/colorprofile"
)

// Painter draws files as half blocks for the colours last told. It is the
// Loader for screens that know neither modes nor colours.
type Painter struct {
	loader  *Loader
	off     bool
	profile atomic.Int32
}

// NewPainter makes a Painter that assumes every colour until SetProfile.
func NewPainter(l *Loader, mode Mode) *Painter {
	p := &Painter{loader: l, off: mode == ModeOff}
	p.SetProfile(colorprofile.TrueColor)
	return p
}

// SetProfile says which colours the terminal has; later pictures follow it.
func (p *Painter) SetProfile(c colorprofile.Profile) { p.profile.Store(int32(c)) }

// Paint draws the file at path for w times h cells; no line is wider than w.
func (p *Painter) Paint(ctx context.Context, path string, w, h int) ([]string, error) {
	mode := ModeBlocks
	if p.off {
		mode = ModeOff
	}
	pic, err := p.loader.Load(ctx, path, w, h, mode, colorprofile.Profile(p.profile.Load()))
	return pic.Lines, err
}
