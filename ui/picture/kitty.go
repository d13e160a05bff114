package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"darkroom/api"
)

// Pixels sent for one cell: enough to be sharp, few enough for a slow line.
const (
	cellWide  = 10
	cellHigh  = 20
	maxSent   = 4_000_000 // pixels
	chunkSize = 4096      // bytes of one transmission, as the protocol allows
	idsHigh   = 256       // values of an id's high byte
)

// encode makes the PNG that is handed to the terminal.
func encode(img image.Image) ([]byte, error) {
	if b := img.Bounds(); img.ColorModel() == color.YCbCrModel { // which is written pixel by pixel
		whole := image.NewRGBA(b)
		draw.Draw(whole, b, img, b.Min, draw.Src)
		img = whole
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img); err != nil {
		return nil, api.Sentence("the picture cannot be prepared for this terminal").Fault(nil)
	}
	return out.Bytes(), nil
}

// Graphic is an image that the terminal itself draws. Transmit is written
// first; only when the terminal answered OK for ID may Lines take the place of
// the blocks, or rows stay blank.
type Graphic struct {
	ID       int
	Transmit string
	Lines    []string
}

// newGraphic is an image as PNG under an id: the sequence that hands it to the terminal
// and the placeholder lines that show it. The terminal is asked to answer:
// painted too early, placeholders stay empty.
func newGraphic(content []byte, id, cols, rows int, tmux bool) *Graphic {
	text := base64.StdEncoding.EncodeToString(content)
	var b strings.Builder
	options := []string{"a=T", "U=1", "t=d", "f=100", fmt.Sprintf("i=%d", id), fmt.Sprintf("c=%d", cols), fmt.Sprintf("r=%d", rows)}
	for more := "m=1"; more == "m=1"; options = nil {
		chunk := text[:min(chunkSize, len(text))]
		if text = text[len(chunk):]; text == "" {
			more = "m=0"
		}
		b.WriteString(through(tmux, ansi.KittyGraphics([]byte(chunk), append(options, more)...)))
	}
	return &Graphic{id, b.String(), placeholders(id, cols, rows)}
}

// Clip reads a picture for kitty's clipboard. Chunks of a multiple of three bytes need no padding.
func Clip(path, kind string) (string, error) {
	f, _, err := open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil || len(content) == maxFile || !strings.HasPrefix(kind, "image/") {
		return "", api.Sentence("the clipboard takes no file like %v").Fault(err, path)
	}
	b, kind := []byte("\x1b]5522;type=write\x1b\\"), base64.StdEncoding.EncodeToString([]byte(kind))
	for chunk := range slices.Chunk(content, chunkSize/3*3) {
		b = base64.StdEncoding.AppendEncode(append(b, "\x1b]5522;type=wdata:mime="+kind+";"...), chunk)
		b = append(b, "\x1b\\"...)
	}
	return string(b) + "\x1b]5522;type=wdata\x1b\\", nil
}

// nextID gives another id each time, for as long as a terminal may hold the
// image. Its low byte travels as one of the 256 colours, of which the first 16
// are not told apart by every terminal, its high byte in each cell.
func (l *Loader) nextID() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	low, high := l.lastID&0xff, l.lastID>>24
	if low++; low < 16 || low > 255 {
		low, high = 16, (high+1)%idsHigh
	}
	l.lastID = high<<24 | low
	return l.lastID
}

// placeholders number every cell, so that any part can be painted again alone.
func placeholders(id, cols, rows int) []string {
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;5;%dm", id&0xff)
		for x := range cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
			b.WriteRune(kitty.Diacritic(id >> 24))
		}
		b.WriteString("\x1b[39m")
		lines[y] = b.String()
	}
	return lines
}

// Erase makes the terminal forget an image.
func Erase(id int, tmux bool) string {
	return through(tmux, ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", id), "q=2"))
}

// through hands a sequence to the terminal around tmux, inside of which it is written.
func through(tmux bool, sequence string) string {
	if tmux {
		return ansi.TmuxPassthrough(sequence)
	}
	return sequence
}
