package picture

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"darkroom/api"
)

// Pixels sent for one cell: enough to be sharp, few enough for a slow line.
const (
	cellWide  = 10
	cellHigh  = 20
	chunkSize = 4096 // bytes of one transmission, as the protocol allows
	idsHigh   = 256  // values of an id's high byte
	idsLow    = 240  // of its low one, from 16 on
)

// encode makes the PNG that is handed to the terminal. It fails for no image that has pixels.
func encode(img image.Image) []byte {
	if b := img.Bounds(); img.ColorModel() == color.YCbCrModel { // which is written pixel by pixel
		whole := image.NewRGBA(b)
		draw.Draw(whole, b, img, b.Min, draw.Src)
		img = whole
	}
	var out bytes.Buffer
	_ = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	return out.Bytes()
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
	lines := make([]string, rows) // which number every cell, so that any part can be painted again alone
	for y := range lines {
		var cells []rune
		for x := range cols {
			cells = append(cells, kitty.Placeholder, kitty.Diacritic(y), kitty.Diacritic(x), kitty.Diacritic(id>>24))
		}
		lines[y] = fmt.Sprintf("\x1b[38;5;%dm%s\x1b[39m", id&0xff, string(cells))
	}
	return &Graphic{id, b.String(), lines}
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
	n := int(l.ids.Add(1)) + idsLow - 1 // the first ones have a high byte, unlike queryID
	return n/idsLow%idsHigh<<24 | (16 + n%idsLow)
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

// Detector learns from messages what a terminal can draw. It asks nothing by
// itself and does no I/O: its owner writes Query, hands every answer in, and
// reads Mode, which is ModeBlocks until more is proven. Answers count whenever
// they come: they may be late and out of order.
type Detector struct {
	setting  string // of the person: kitty, sixel, blocks, off, or auto
	Tmux     bool   // sequences must go through it
	capable  bool   // the terminal is one whose placeholders are known to work
	answered bool   // it says that it takes graphics
	again    int    // how often that question was repeated
	sixel    bool   // it says that it takes sixels
	Cell     Cell   // of the terminal, in pixels; zero: not known
}

// Cell is the size of a terminal's cell, in pixels.
type Cell struct{ Width, Height int }

// DefaultCell is the cell of terminals that do not say theirs.
var DefaultCell = Cell{cellWide, cellHigh}

const (
	queryID  = 31 // marks the answer to our question among others
	maxAgain = 3  // times that a terminal is asked again
)

// NewDetector starts from the setting and the environment.
func NewDetector(setting string, env func(string) string) Detector {
	d := Detector{setting: cmp.Or(setting, "auto"), Tmux: env("TMUX") != "" || strings.HasPrefix(env("TERM"), "tmux")}
	// tmux gives its own name as the version; the terminal around it shows only here.
	d.capable = d.Tmux && (env("KITTY_WINDOW_ID") != "" || env("GHOSTTY_RESOURCES_DIR") != "" || env("TERM_PROGRAM") == "ghostty")
	return d
}

// Query is what to write to the terminal at the start, if anything.
func (d Detector) Query() string {
	switch size := ansi.WindowOp(16); d.setting { // asks for the size of a cell
	case "auto":
		return d.askGraphics() + ansi.RequestNameVersion + size + ansi.RequestPrimaryDeviceAttributes
	case "kitty", "sixel":
		return size
	}
	return ""
}

func (d Detector) askGraphics() string {
	return through(d.Tmux, ansi.KittyGraphics([]byte("AAAA"), fmt.Sprintf("i=%d", queryID), "s=1", "v=1", "a=q", "t=d", "f=24"))
}

// Again is the text to write at a key or a change of the size, when a terminal is sure
// to be there: tmux drops questions as long as none is attached, and answers itself
// only questions about itself. It is asked a few times.
func (d Detector) Again() (Detector, string) {
	if !d.Tmux || !d.capable || d.answered || d.again == maxAgain || d.setting != "auto" {
		return d, ""
	}
	d.again++
	return d, d.askGraphics()
}

// Heard takes a message of the terminal.
func (d Detector) Heard(message tea.Msg) Detector {
	switch m := message.(type) {
	case tea.TerminalVersionMsg: // such as "kitty(0.48.2)"; an older kitty answers yes and draws boxes
		var major, minor int
		name := strings.ToLower(m.Name)
		if n, _ := fmt.Sscanf(name, "kitty(%d.%d", &major, &minor); n == 2 {
			d.capable = major > 0 || minor >= 28
		} else if strings.HasPrefix(name, "ghostty") {
			d.capable = true
		}
	case uv.KittyGraphicsEvent:
		d.answered = d.answered || m.Options.ID == queryID && string(m.Payload) == "OK"
	case uv.PrimaryDeviceAttributesEvent: // tmux names sixels even if the terminal around it draws none
		d.sixel = !d.Tmux && slices.Contains(m, 4) // sixel graphics
	case uv.CellSizeEvent:
		if m.Width > 0 && m.Height > 0 && m.Width <= 200 && m.Height <= 400 {
			d.Cell = Cell{m.Width, m.Height}
		}
	}
	return d
}

// Mode is how to draw pictures now. Sixels need a cell's size, and no tmux.
func (d Detector) Mode() Mode {
	sixel, auto := d.Cell != Cell{} && !d.Tmux, d.setting == "auto"
	switch {
	case d.setting == "off":
		return ModeOff
	case d.setting == "kitty", auto && d.capable && d.answered:
		return ModeKitty
	case sixel && (d.setting == "sixel" || auto && d.sixel):
		return ModeSixel
	}
	return ModeBlocks
}
