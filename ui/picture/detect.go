package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

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
	queryID        = 31 // marks the answer to our question among others
	reportCellSize = 16 // the window operation that asks for the size of a cell
	attributeSixel = 4  // the device attribute of a terminal that draws sixels
	maxAgain       = 3  // times that a terminal is asked again
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
	size := ansi.WindowOp(reportCellSize)
	switch d.setting {
	case "auto":
	case "kitty", "sixel":
		return size
	default:
		return ""
	}
	return d.askGraphics() + ansi.RequestNameVersion + size + ansi.RequestPrimaryDeviceAttributes
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

// Version takes the terminal's name and version, such as "kitty(0.48.2)". The
// older kitty answers yes and draws boxes.
func (d Detector) Version(v string) Detector {
	v = strings.ToLower(v)
	var major, minor int
	if n, _ := fmt.Sscanf(v, "kitty(%d.%d", &major, &minor); n == 2 {
		d.capable = major > 0 || minor >= 28
	} else if strings.HasPrefix(v, "ghostty") {
		d.capable = true
	}
	return d
}

// Graphics takes a kitty graphics answer: its id and payload.
func (d Detector) Graphics(id int, payload string) Detector {
	if id == queryID && payload == "OK" {
		d.answered = true
	}
	return d
}

// Attributes takes the primary device attributes. Those of tmux are its own:
// it names sixels even if the terminal around it draws none.
func (d Detector) Attributes(all []int) Detector {
	d.sixel = !d.Tmux && slices.Contains(all, attributeSixel)
	return d
}

// CellSize takes the size of a cell in pixels.
func (d Detector) CellSize(width, height int) Detector {
	if width > 0 && height > 0 && width <= 200 && height <= 400 {
		d.Cell = Cell{width, height}
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
