package picture

import (
	"image"
	"image/color"

	"github.com/charmbracelet/colorprofile"
)

// Rough is a picture drawn otherwise than it is: in blocks, faint, or with an end at
// the right that fades.
type Rough struct {
	Cols, Rows int         // cells of the whole picture; 0: its own
	Side       int         // columns of a block; 1: every pixel
	Share      float64     // of the picture, from 0 to 1; the rest is the ground
	Seen, Fade int         // columns from the left that are in view, 0: all; of which the last ones fade
	Ground     color.Color // nil: black
}

// Rough draws the picture otherwise; nil if it has no pixels.
func (p Picture) Rough(r Rough) []string {
	if p.small == nil {
		return nil
	}
	if r.Cols == 0 {
		r.Cols, r.Rows = p.Cols, len(p.Lines)
	}
	if r.Seen == 0 {
		r.Seen = r.Cols
	}
	ground := color.RGBA{A: 255}
	if r.Ground != nil {
		ground = color.RGBAModel.Convert(r.Ground).(color.RGBA)
	}
	blocks := scale(p.small, (r.Cols+r.Side-1)/r.Side, (2*r.Rows+r.Side-1)/r.Side, ground)
	out := image.NewRGBA(image.Rect(0, 0, r.Seen, 2*r.Rows))
	for y := range 2 * r.Rows {
		for x := range r.Seen {
			share := r.Share
			if left := r.Seen - x; left <= r.Fade {
				share *= float64(left) / float64(r.Fade+1)
			}
			c := blocks.RGBAAt(x/r.Side, y/r.Side)
			out.SetRGBA(x, y, color.RGBA{blend(ground.R, c.R, share), blend(ground.G, c.G, share), blend(ground.B, c.B, share), 255})
		}
	}
	if r.Side == 1 || p.profile <= colorprofile.ASCII {
		return Blocks(out, p.profile)
	}
	lines := make([]string, r.Rows)
	for y := range lines { // a cell has one colour: no half block is written
		var line []byte
		last := -1
		for x := range r.Seen {
			if c := nearestTo(pixel(out, x, 2*y), p.profile); c != last {
				line = append(paint(append(line, "\x1b["...), c, p.profile, '4'), 'm')
				last = c
			}
			line = append(line, ' ')
		}
		lines[y] = string(append(line, "\x1b[m"...))
	}
	return lines
}

func blend(from, to uint8, share float64) uint8 {
	return uint8(float64(from)*(1-share) + float64(to)*share + 0.5)
}

// Gradient stands for a picture of which nothing is known but a hash: always the same
// two colours, one above the other, with light and shade.
func Gradient(hash uint64, profile colorprofile.Profile) Picture {
	const side = 8
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	tone := func(bit int) color.RGBA {
		return color.RGBA{uint8(60 + hash>>bit&127), uint8(60 + hash>>(bit+7)&127), uint8(60 + hash>>(bit+14)&127), 255}
	}
	a, b := tone(0), tone(21)
	for y := range side {
		for x := range side {
			shade := 0.7 + 0.3*float64(hash>>(uint(x*5+y*7)%56)&7)/7
			down := float64(2*y+x) / (3 * (side - 1))
			img.SetRGBA(x, y, color.RGBA{blend(0, blend(a.R, b.R, down), shade), blend(0, blend(a.G, b.G, down), shade),
				blend(0, blend(a.B, b.B, down), shade), 255})
		}
	}
	return Picture{small: img, profile: profile, Mean: mean(img)}
}

// mean is the mean colour of an image.
func mean(img *image.RGBA) color.RGBA { return shrink(img, 1, 1).RGBAAt(0, 0) }
