package picture

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Detector learns from messages what a terminal can draw. It asks nothing by
// itself and does no I/O: its owner writes Query, hands every answer in, and
// reads Mode, which is ModeBlocks until more is proven.
type Detector struct {
	setting  string // of the person: auto, kitty, sixel, blocks, off
	tmux     bool
	capable  bool // the terminal is one whose placeholders are known to work
	answered bool // it says that it takes graphics
	closed   bool // too late for answers
}

// queryID marks the answer to our question among others.
const queryID = 31

// QueryWait is how long an answer may take; then call Due. Inside tmux the
// answers come out of order, so that only time ends the wait.
const QueryWait = 500 * time.Millisecond

// NewDetector starts from the setting and the environment.
func NewDetector(setting string, env func(string) string) Detector {
	d := Detector{setting: setting, tmux: env("TMUX") != "" || strings.HasPrefix(env("TERM"), "tmux")}
	// tmux gives its own name as the version; what it runs in shows only here.
	d.capable = d.tmux && (env("KITTY_WINDOW_ID") != "" || env("GHOSTTY_RESOURCES_DIR") != "" || env("TERM_PROGRAM") == "ghostty")
	return d
}

// Tmux reports whether sequences must go through tmux.
func (d Detector) Tmux() bool { return d.tmux }

// Query is what to write to the terminal at the start; "" when nothing depends
// on an answer.
func (d Detector) Query() string {
	if d.setting != "auto" && d.setting != "" {
		return ""
	}
	ask := ansi.KittyGraphics([]byte("AAAA"), fmt.Sprintf("i=%d", queryID), "s=1", "v=1", "a=q", "t=d", "f=24")
	if d.tmux {
		ask = ansi.TmuxPassthrough(ask)
	}
	return ask + ansi.RequestNameVersion + ansi.RequestPrimaryDeviceAttributes
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
	if id == queryID && payload == "OK" && !d.closed {
		d.answered = true
	}
	return d
}

// Attributes takes the primary device attributes, which every terminal answers
// last, so that a missing answer is a no; but not inside tmux.
func (d Detector) Attributes() Detector {
	if !d.tmux {
		d.closed = true
	}
	return d
}

// Due says that QueryWait is over.
func (d Detector) Due() Detector {
	d.closed = true
	return d
}

// Mode is how pictures are to be drawn now. Sixel is drawn as blocks.
func (d Detector) Mode() Mode {
	switch d.setting {
	case "off":
		return ModeOff
	case "kitty":
		return ModeKitty
	case "blocks", "sixel":
		return ModeBlocks
	}
	if d.capable && d.answered {
		return ModeKitty
	}
	return ModeBlocks
}
