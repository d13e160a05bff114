package paint

import (
	_ "embed"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// notoSans is a part of Noto Sans CJK SC, see font/make.sh and font/OFL.txt.
//
//go:embed font/noto-sans-sc.otf
var notoSans []byte

// captioner writes captions; the font is read when it is first needed.
type captioner struct {
	once sync.Once
	font *sfnt.Font
}

// captionLines is how many lines of a prompt are drawn at most.
const captionLines = 3

// draw writes text into the lower left of the picture, on a shade that lets it
// be read. A character that the font lacks is a box.
func (c *captioner) draw(m *image.RGBA, text string) {
	c.once.Do(func() {
		f, err := opentype.Parse(notoSans)
		if err != nil {
			panic(err) // embedded: a test sees it
		}
		c.font = f
	})
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	size := max(6, float64(min(w, h))/24)
	face, err := opentype.NewFace(c.font, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err)
	}
	margin := int(size * 1.2)
	lines := wrap(face, text, fixed.I(w-2*margin))
	step := int(size * 1.4)
	shade(m, h-margin-step*len(lines)-margin)
	d := font.Drawer{Dst: m, Src: image.NewUniform(color.RGBA{250, 248, 240, 255}), Face: face}
	for i, line := range lines {
		d.Dot = fixed.P(margin, h-margin-step*(len(lines)-1-i))
		d.DrawString(line)
	}
}

// shade darkens the picture from a row on downwards, gently.
func shade(m *image.RGBA, from int) {
	b := m.Bounds()
	for y := max(0, from); y < b.Dy(); y++ {
		t := float64(y-from) / float64(b.Dy()-from)
		row := image.Rect(0, y, b.Dx(), y+1)
		draw.Draw(m, row, image.NewUniform(color.RGBA{0, 0, 0, uint8(150 * min(1, 1.6*t))}), image.Point{}, draw.Over)
	}
}

// wrap breaks text into lines of at most width: at spaces, and between any two
// characters beyond Latin. What does not fit ends in an ellipsis.
func wrap(face font.Face, text string, width fixed.Int26_6) []string {
	var lines []string
	line := ""
	for _, word := range pieces(text) {
		if font.MeasureString(face, line+strings.TrimRight(word, " ")) <= width || line == "" {
			line += word
			continue
		}
		lines = append(lines, strings.TrimRight(line, " "))
		line = word
		if len(lines) == captionLines {
			lines[captionLines-1] = shorten(face, lines[captionLines-1], width)
			return lines
		}
	}
	if line = strings.TrimRight(line, " "); line != "" {
		lines = append(lines, line)
	}
	for i, line := range lines {
		if font.MeasureString(face, line) > width {
			lines[i] = shorten(face, line, width)
		}
	}
	return lines
}

// pieces splits text where a line may break; each part keeps its space.
func pieces(text string) []string {
	var out []string
	word := ""
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			continue
		}
		if r >= 0x2e80 && !unicode.IsPunct(r) && word != "" {
			out, word = append(out, word), ""
		}
		word += string(r)
		if r == ' ' || r >= 0x2e80 && !strings.ContainsRune("（《“‘【「『", r) && unicode.IsPunct(r) || len(word) > 200 {
			out, word = append(out, word), ""
		}
	}
	if word != "" {
		out = append(out, word)
	}
	return out
}

// shorten cuts a line so that it fits together with an ellipsis.
func shorten(face font.Face, line string, width fixed.Int26_6) string {
	runes := []rune(line)
	for len(runes) > 0 && font.MeasureString(face, string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ,.，。") + "…"
}
