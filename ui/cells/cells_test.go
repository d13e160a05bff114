package cells

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

const cols, rows = 72, 14

// shown is a renderer with a terminal behind it.
type shown struct {
	out    strings.Builder
	render *uv.TerminalRenderer
	buffer uv.ScreenBuffer
	writer *Writer
	screen *vt.Emulator
	bytes  int
}

func newShown(coder *Coder) *shown {
	s := &shown{buffer: uv.NewScreenBuffer(cols, rows), screen: vt.NewEmulator(cols, rows)}
	if coder != nil {
		s.writer = &Writer{Coder: coder}
	}
	s.render = uv.NewTerminalRenderer(&s.out, []string{"TERM=xterm-256color"})
	s.render.SetColorProfile(colorprofile.TrueColor)
	s.render.SetFullscreen(true)
	s.render.SetRelativeCursor(false)
	s.render.SetScrollOptim(true)
	s.render.Erase()
	return s
}

// draw shows a frame as Bubble Tea does.
func (s *shown) draw(lines []string) {
	s.buffer.Clear()
	drawn := lines
	if s.writer != nil {
		drawn = nil
		for _, l := range lines {
			drawn = append(drawn, s.writer.Coder.Line(l))
		}
	}
	uv.NewStyledString(strings.Join(drawn, "\n")).Draw(s.buffer, s.buffer.Bounds())
	s.render.Render(s.buffer.RenderBuffer)
	s.render.MoveTo(3, 2)
	_ = s.render.Flush()
	text := s.out.String()
	s.out.Reset()
	if s.writer != nil {
		text = string(s.writer.decode(nil, []byte(text)))
	}
	s.bytes += len(text)
	_, _ = s.screen.WriteString(text)
}

// line makes a line of text, wide characters and pictures in colours.
func line(r *rand.Rand) string {
	var b strings.Builder
	for ansi.StringWidth(b.String()) < r.IntN(cols+30) {
		switch r.IntN(7) {
		case 0:
			b.WriteString(strings.Repeat("清晨的港口，船还在睡ＡＢ"[:3*(1+r.IntN(12))], 1+r.IntN(3)))
		case 1:
			for x := range 1 + r.IntN(40) {
				fmt.Fprintf(&b, "\x1b[38;2;%d;%d;9;48;2;9;%d;8m▀", r.IntN(3), x, r.IntN(2))
			}
			b.WriteString("\x1b[m")
		case 2:
			fmt.Fprintf(&b, "\x1b[1;38;2;%d;5;6m港口 harbour 哈哈哈哈\x1b[m", r.IntN(9))
		case 3:
			fmt.Fprintf(&b, "\x1b[48;5;%dm  船 \x1b[0;4mboat\x1b[24m 睡\x1b[m", r.IntN(200))
		case 4:
			b.WriteString(strings.Repeat(" ", r.IntN(20)))
		default:
			b.WriteString("the harbour at dawn, ├──┤ ● ▸ é"[:r.IntN(22)])
		}
	}
	return ansi.Truncate(b.String(), cols, "")
}

// edited is a frame with changes that move what follows: characters put in or
// taken out of lines, lines replaced, moved up or down.
func edited(r *rand.Rand, lines []string) []string {
	next := append([]string(nil), lines...)
	for range 1 + r.IntN(3) {
		y := r.IntN(rows)
		switch r.IntN(5) {
		case 0:
			next[y] = line(r)
		case 1:
			next[y] = ansi.Truncate(strings.Repeat([]string{"船", "x", " "}[r.IntN(3)], 1+r.IntN(3))+next[y], cols, "")
		case 2:
			at := r.IntN(cols)
			next[y] = ansi.Truncate(ansi.Truncate(next[y], at, "")+[]string{"港", "ab", "", "\x1b[3m船\x1b[m"}[r.IntN(4)]+ansi.TruncateLeft(next[y], at+r.IntN(4), ""), cols, "")
		case 3:
			next = append(append([]string(nil), next[1:]...), line(r))
		case 4:
			next = append([]string{line(r)}, next[:rows-1]...)
		}
	}
	return next
}

// TestCodedFramesLookAsTheyWere edits frames at random: what a terminal shows
// after any number of them is what it shows of the last one alone, drawn plainly.
func TestCodedFramesLookAsTheyWere(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 99))
		coder := &Coder{}
		coded, frame := newShown(coder), make([]string, rows)
		for i := range frame {
			frame[i] = line(r)
		}
		for n := range 25 {
			coded.draw(frame)
			plain := newShown(nil)
			plain.draw(frame)
			for y := range rows {
				for x := range cols {
					got, want := coded.screen.CellAt(x, y), plain.screen.CellAt(x, y)
					if !sameCell(got, want) {
						t.Fatalf("seed %d, frame %d, column %d of line %d is %q %v, not %q %v\n%q\n%s\n%s", seed, n, x, y,
							got.Content, got.Style.String(), want.Content, want.Style.String(), frame[y], coded.screen.String(), plain.screen.String())
					}
				}
			}
			frame = edited(r, frame)
		}
	}
}

// sameCell reports whether two cells look the same; of a blank one the
// background and lines are seen.
func sameCell(a, b *uv.Cell) bool {
	if a == nil || b == nil {
		return a == b
	}
	seen := func(c *uv.Cell) (string, uv.Style) {
		if c.Content == "" || c.Content == " " {
			return "", uv.Style{Bg: c.Style.Bg, Underline: c.Style.Underline}
		}
		return c.Content, c.Style
	}
	x, in := seen(a)
	y, as := seen(b)
	return x == y && in.Equal(&as)
}

// TestAKeyBesideWideCharactersWritesLittle: lines that stay are not written.
func TestAKeyBesideWideCharactersWritesLittle(t *testing.T) {
	t.Parallel()
	frame := make([]string, rows)
	for y := range frame {
		frame[y] = fmt.Sprintf("%d 清晨的港口，船还在睡，雾从水面升起 ", y)
	}
	s := newShown(&Coder{})
	s.draw(frame)
	s.bytes = 0
	for i := range 20 {
		next := append([]string(nil), frame...)
		next[3] = fmt.Sprintf("%d%s", i%10, next[3][1:])
		s.draw(next)
	}
	if s.bytes > 20*40 {
		t.Errorf("a key wrote %d bytes", s.bytes/20)
	}
}

// TestOldRunsAreForgotten: what is in view keeps its numbers.
func TestOldRunsAreForgotten(t *testing.T) {
	t.Parallel()
	c := &Coder{}
	stays := "船 stays"
	first := c.Line(stays)
	for i := range 20 * mostNew {
		before := c.Round()
		c.Line(fmt.Sprintf("\x1b[38;2;%d;%d;9m▀", i/250, i%250))
		if c.Round() != before {
			c.Line(stays) // as App does
		}
	}
	if len(c.ids) > 3*mostNew || len(c.ids) != len(c.runs) {
		t.Errorf("%d runs are held, under %d numbers", len(c.ids), len(c.runs))
	}
	if again := c.Line(stays); again != first {
		t.Errorf("a line that was always in view is %q, and was %q", again, first)
	}
}

// TestOtherOutputGoesThrough: what is not of the renderer stays as it is.
func TestOtherOutputGoesThrough(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain \x1b[1;31mred\x1b[m", "\x1bPq#58;2;10;20;30#58~~\x1b\\after", "\x1b]52;c;58;2;\x07", "\x1b[38;2;58;2;1mx\x1b[m", "\x1b_Gi=1;QUJD\x1b\\"} {
		file, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		w := &Writer{File: file, Coder: &Coder{}}
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
		got, _ := os.ReadFile(file.Name())
		if string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
		file.Close()
	}
}

// BenchmarkFrame is a key beside three pictures, as the renderer sees it.
func BenchmarkFrame(b *testing.B) {
	for name, coder := range map[string]*Coder{"plain": nil, "coded": {}} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			frame := make([]string, rows)
			for y := range frame {
				frame[y] = fmt.Sprintf("%d a harbour ", y)
				for range 54 {
					frame[y] += fmt.Sprintf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", r.IntN(256), r.IntN(256), 9, r.IntN(256), r.IntN(256), 9)
				}
				frame[y] += "\x1b[m"
			}
			s := newShown(coder)
			frames := [2]string{strings.Join(frame, "\n"), strings.Join(frame, "\n")[1:]}
			if coder != nil {
				for i := range frames {
					lines := strings.Split(frames[i], "\n")
					for y := range lines {
						lines[y] = coder.Line(lines[y])
					}
					frames[i] = strings.Join(lines, "\n")
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.buffer.Clear()
				uv.NewStyledString(frames[i%2]).Draw(s.buffer, s.buffer.Bounds())
				s.render.Render(s.buffer.RenderBuffer)
				_ = s.render.Flush()
				s.out.Reset()
			}
		})
	}
}
