package display

import (
	"bytes"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// pen is the style that the terminal writes in.
type pen struct {
	profile colorprofile.Profile
	style   uv.Style // before the profile
	link    uv.Link
}

// use changes the pen for a cell.
func (p *pen) use(out *bytes.Buffer, c *uv.Cell) {
	if c.Width == 0 {
		return
	}
	if c.Style != p.style {
		was, is := uv.ConvertStyle(p.style, p.profile), uv.ConvertStyle(c.Style, p.profile)
		out.WriteString(is.Diff(&was))
		p.style = c.Style
	}
	if c.Link != p.link {
		out.WriteString(ansi.SetHyperlink(c.Link.URL, c.Link.Params))
		p.link = c.Link
	}
}
