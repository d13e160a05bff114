package picture

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func TestSixelsShowThePicture(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1, 1}, {5, 6}, {40, 17}, {160, 91}} {
		img := scale(landscape(320, 180), size.X, size.Y, color.Black)
		data := newSixel(img, color.RGBA{}, 1, 1).Data()
		body, ok := strings.CutPrefix(data, "\x1bP0;1q")
		if !ok || !strings.HasSuffix(body, "\x1b\\") {
			t.Fatalf("not a sixel sequence: %.20q", data)
		}
		w, h := size.X, size.Y
		shown := sixelPixels(t, strings.TrimSuffix(body, "\x1b\\"), w, h)
		want := reference(img, w, h)
		if s := ssim(blurred(shown, w, h), blurred(want, w, h), w, h); w > 8 && s < 0.9 {
			t.Errorf("%v: similarity %.3f", size, s)
		}
	}
}

// sixelPixels draws a sequence as a terminal does and gives the luminance of
// its pixels, each of which must be drawn once.
func sixelPixels(t *testing.T, body string, w, h int) []float64 {
	t.Helper()
	out := make([]float64, w*h)
	for i := range out {
		out[i] = -1
	}
	body, ok := strings.CutPrefix(body, fmt.Sprintf("\"1;1;%d;%d", w, h))
	if !ok {
		t.Fatalf("no raster of %d×%d: %.20q", w, h, body)
	}
	colours := map[int]float64{}
	x, y, colour, repeat := 0, 0, 0.0, 1
	number := func() (n int) {
		for body != "" && body[0] >= '0' && body[0] <= '9' {
			n, body = 10*n+int(body[0]-'0'), body[1:]
		}
		return n
	}
	for body != "" {
		c := body[0]
		body = body[1:]
		switch {
		case c == '#':
			n := number()
			if strings.HasPrefix(body, ";2;") {
				var rgb [3]int
				body = body[2:]
				for i := range rgb {
					body = body[1:]
					rgb[i] = number() * 255 / 100
				}
				colours[n] = luminance(rgb[0], rgb[1], rgb[2])
			}
			colour = colours[n]
		case c == '!':
			repeat = number()
		case c == '$':
			x = 0
		case c == '-':
			x, y = 0, y+6
		default:
			for ; repeat > 0; repeat-- {
				for bit := range 6 {
					if (c-'?')>>bit&1 == 0 {
						continue
					}
					if x >= w || y+bit >= h || out[(y+bit)*w+x] >= 0 {
						t.Fatalf("a pixel at %d,%d of %d×%d", x, y+bit, w, h)
					}
					out[(y+bit)*w+x] = colour
				}
				x++
			}
			repeat = 1
		}
	}
	for i, v := range out {
		if v < 0 {
			t.Fatalf("nothing at %d,%d", i%w, i/w)
		}
	}
	return out
}

// sixelFrame loads a picture in sixel mode and puts it into a frame.
func sixelFrame(t *testing.T, left, right string) (*Loader, Picture, string) {
	t.Helper()
	l := NewLoader(false)
	p, err := l.Load(t.Context(), save(t, "a.png", pngOf(t, landscape(64, 34))), 8, 4, Terminal{Mode: ModeSixel, Profile: colorprofile.TrueColor, Cell: Cell{8, 17}})
	if err != nil || p.Rows != 2 || p.Cols != 8 {
		t.Fatalf("%+v, %v", p, err)
	}
	lines := []string{"title"}
	for _, line := range p.Lines {
		lines = append(lines, left+line+right)
	}
	return l, p, strings.Join(append(lines, "footer"), "\n")
}

// place takes the marks out of a frame and says where pictures stand in it.
func place(frame string, find func(id int) *Sixel) (string, []Placed) {
	var lines []Line
	var clean []string
	for _, l := range strings.Split(frame, "\n") {
		line := ReadLine(l, find)
		lines, clean = append(lines, line), append(clean, line.Text)
	}
	return strings.Join(clean, "\n"), Place(lines)
}

func TestPicturesAreFoundInAFrame(t *testing.T) {
	t.Parallel()
	l, _, frame := sixelFrame(t, "\x1b[1mab\x1b[m│ ", " │ c")
	clean, placed := place(frame, l.Sixel)
	if strings.Contains(clean, markStart) || ansi.Strip(clean) != ansi.Strip(frame) {
		t.Errorf("the frame became %q", clean)
	}
	if len(placed) != 1 || placed[0].X != 4 || placed[0].Y != 1 || placed[0].Sixel.Cols != 8 {
		t.Fatalf("%+v", placed)
	}
	draw := placed[0].Draw()
	if !strings.HasPrefix(draw, "\x1b7\x1b[2;5H\x1bP") || !strings.HasSuffix(draw, "\x1b\\\x1b8") {
		t.Errorf("drawn by %.30q", draw)
	}
	// The same picture twice in the same lines.
	l, _, frame = sixelFrame(t, "", "")
	lines := strings.Split(frame, "\n")
	lines[1], lines[2] = lines[1]+"  "+lines[1], lines[2]+"  "+lines[2]
	if _, placed := place(strings.Join(lines, "\n"), l.Sixel); len(placed) != 2 || placed[1].X != 10 {
		t.Errorf("beside each other: %+v", placed)
	}
}

// A part of a picture is drawn in pixels as well, the same ones as in the whole.
func TestAPartOfAPictureIsFoundInAFrame(t *testing.T) {
	t.Parallel()
	l := NewLoader(false)
	p, err := l.Load(t.Context(), save(t, "a.png", pngOf(t, landscape(640, 340))), 80, 20, Terminal{Mode: ModeSixel, Profile: colorprofile.TrueColor, Cell: Cell{8, 17}})
	if err != nil || p.Rows != 20 || p.Cols != 80 {
		t.Fatalf("%d×%d, %v", p.Cols, p.Rows, err)
	}
	for _, c := range []struct{ x, y, cols, rows int }{{8, 3, 40, 10}, {0, 0, 80, 5}, {60, 0, 20, 30}, {0, 0, 80, 20}} {
		clean, placed := place("title\n"+strings.Join(Window(p.Lines, c.x, c.y, c.cols, c.rows), "\n"), l.Sixel)
		if len(placed) != 1 || placed[0].Y != 1 || strings.Contains(clean, markStart) {
			t.Fatalf("%v: %d pictures in %.200q", c, len(placed), clean)
		}
		part, whole, high := placed[0].Sixel, l.Sixel(placed[0].Sixel.ID), min(c.rows, 20-c.y)
		if part.Cols != c.cols || part.Rows != high || part.wide != 8*c.cols || len(part.pixels) != 8*c.cols*17*high {
			t.Fatalf("%v: %d×%d cells, %d pixels in lines of %d", c, part.Cols, part.Rows, len(part.pixels), part.wide)
		}
		for i, n := range part.pixels {
			if x, y := 8*c.x+i%part.wide, 17*c.y+i/part.wide; n != whole.pixels[y*whole.wide+x] {
				t.Fatalf("%v: pixel %d is another", c, i)
			}
		}
		if _, again := place("title\n"+strings.Join(Window(p.Lines, c.x, c.y, c.cols, c.rows), "\n"), l.Sixel); !again[0].Same(placed[0]) {
			t.Errorf("%v: the same part is another picture", c)
		}
	}
	if _, placed := place(strings.Join(Window(p.Lines, 50, 0, 40, 5), "\n"), l.Sixel); len(placed) != 1 || placed[0].Sixel.Cols != 30 {
		t.Errorf("past the right edge: %+v", placed)
	}
	boxed := []string{strings.Repeat(" ", 90)} // in the middle of a larger box
	for _, line := range p.Lines {
		boxed = append(boxed, "   "+line+"       ")
	}
	boxed = append(boxed, boxed[0])
	for _, c := range []struct{ x, from, cols, rows, atX, atY, width, height int }{
		{0, 0, 50, 22, 3, 1, 47, 20}, {10, 5, 50, 10, 0, 0, 50, 10}, {50, 0, 40, 22, 0, 1, 33, 20},
	} {
		_, placed := place(strings.Join(Window(boxed, c.x, c.from, c.cols, c.rows), "\n"), l.Sixel)
		if len(placed) != 1 || placed[0].X != c.atX || placed[0].Y != c.atY || placed[0].Sixel.Cols != c.width || placed[0].Sixel.Rows != c.height {
			t.Errorf("%v: in a box, %+v", c, placed)
		}
	}
	if l.Sixel(1).Part(image.Rect(50, 0, 90, 5)) != nil {
		t.Error("there is a part outside of the picture")
	}
}

func TestPicturesThatCannotBeDrawnOverStayHalfBlocks(t *testing.T) {
	t.Parallel()
	l, p, frame := sixelFrame(t, "", "")
	lines := strings.Split(frame, "\n")
	for name, f := range map[string]string{
		"wide character beside it": strings.Join([]string{lines[0], lines[1], lines[2] + " 海", lines[3]}, "\n"),
		"emoji cluster beside it":  strings.Join([]string{lines[0], "👩‍🚀" + lines[1], "👩‍🚀" + lines[2], lines[3]}, "\n"),
		"a line is missing":        strings.Join([]string{lines[0], lines[1], lines[3]}, "\n"),
		"shifted line":             strings.Join([]string{lines[0], lines[1], " " + lines[2]}, "\n"),
		"cut":                      strings.Join([]string{lines[0], ansi.Truncate(lines[1], 5, "…"), lines[2]}, "\n"),
		"covered":                  strings.Join([]string{lines[0], mark(1, 0) + "▀▀box▀▀▀", lines[2]}, "\n"),
		"forged":                   "\x1b[58;2;9;9;9m▀▀\n\x1b[58;2;m\n" + markStart,
	} {
		clean, placed := place(f, l.Sixel)
		if len(placed) != 0 || strings.Contains(clean, markStart+"0") {
			t.Errorf("%s: %+v in %q", name, placed, clean)
		}
	}
	wide := strings.Join([]string{lines[0] + " 海", lines[1], lines[2], lines[3] + "海"}, "\n")
	if _, placed := place(wide, l.Sixel); len(placed) != 1 {
		t.Errorf("a wide character above and below: %+v", placed)
	}
	if _, placed := place(frame, func(int) *Sixel { return nil }); placed != nil {
		t.Error("a picture that is not kept was placed")
	}
	if ansi.StringWidth(p.Lines[0]) != 8 || ansi.StringWidth(ansi.Truncate(p.Lines[0], 5, "")) != 5 {
		t.Error("a mark takes room")
	}
}

// What is transparent shows the background without specks of other colours: in few
// colours one of them, in sixels none where a whole cell shows it.
func TestTheBackgroundStaysPlain(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 400, 400))
	for i := range 100 * 100 {
		img.SetNRGBA(150+i%100, 150+i/100, color.NRGBA{200, 90, uint8(i), 255})
	}
	path, l := save(t, "clear.png", pngOf(t, img)), NewLoader(false)
	on := Terminal{Mode: ModeBlocks, Profile: colorprofile.ANSI256, Cell: Cell{8, 16}, Back: color.RGBA{0xfb, 0xfb, 0xf8, 255}}
	p, err := l.Load(t.Context(), path, 40, 20, on)
	if err != nil || len(p.Lines) != 20 {
		t.Fatalf("%d lines, %v", len(p.Lines), err)
	}
	for y, line := range p.Lines {
		if n := strings.Count(line, "\x1b["); (y < 5 || y >= 15) && n != 2 {
			t.Errorf("line %d has %d sequences for one colour: %q", y, n, line)
		}
	}
	on.Mode, on.Profile = ModeSixel, colorprofile.TrueColor
	must(l.Load(t.Context(), path, 40, 20, on))(t)
	s, drawn := l.Sixel(1), 0
	for i, n := range s.pixels {
		x, y := i%s.wide/8, i/s.wide/16
		if inside := x > 15 && x < 24 && y > 7 && y < 12; inside == (n == noColour) && (inside || x < 14 || x > 25 || y < 6 || y > 13) {
			t.Fatalf("pixel %d, in cell %d, %d, has colour %d", i, x, y, n)
		}
		if n != noColour {
			drawn++
		}
	}
	if part := len(s.pixels) / drawn; part < 8 {
		t.Errorf("one of %d pixels is drawn, want one of 16 and those around", part)
	}
}

func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	at := func(left, right [2]string) Placed {
		t.Helper()
		s := &Sixel{ID: 1, Cols: 2, Rows: 2}
		frame := left[0] + mark(1, 0) + "▀▀" + right[0] + "\n" + left[1] + mark(1, 1) + "▀▀" + right[1]
		_, placed := place(frame, func(int) *Sixel { return s })
		if len(placed) != 1 {
			t.Fatal(frame)
		}
		placed[0].Sixel = nil
		return placed[0]
	}
	was := at([2]string{"a", "b"}, [2]string{"c", "d"})
	for name, c := range map[string]struct {
		now                   Placed
		overwritten, scrolled bool
	}{
		"nothing":    {at([2]string{"a", "b"}, [2]string{"c", "d"}), false, false},
		"left":       {at([2]string{"x", "y"}, [2]string{"c", "d"}), false, false},
		"two lines":  {at([2]string{"x", "b"}, [2]string{"c", "y"}), false, false},
		"both sides": {at([2]string{"x", "b"}, [2]string{"y", "d"}), true, false},
	} {
		if was.Overwritten(c.now) != c.overwritten || was.Scrolled(c.now) != c.scrolled {
			t.Errorf("%s: overwritten %v, scrolled %v", name, was.Overwritten(c.now), was.Scrolled(c.now))
		}
	}
	up := Placed{before: []string{"1", "2", "3", "4"}, after: []string{"", "", "", ""}}
	down := Placed{before: []string{"2", "3", "4", "5"}, after: []string{"", "", "", ""}}
	if !up.Scrolled(down) {
		t.Error("scrolled lines were not noticed")
	}
}

func TestSixelsAreKeptWithinBounds(t *testing.T) {
	t.Parallel()
	l := NewLoader(false)
	for range 100 {
		l.keepSixel(&Sixel{Cols: wholeCells + 1, Rows: 1, pixels: make([]uint8, 1<<20), wide: 1 << 10})
	}
	if n := len(l.sixels.byID); n != sixelBytes>>20 || len(l.sixels.order) != n || l.Sixel(100) == nil || l.Sixel(1) != nil {
		t.Errorf("%d are kept", n)
	}
}
