//go:build unix

package ui

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/sys/unix"
)

// inputWithin reports whether there is something to read, and waits for it so long.
func inputWithin(f *os.File, d time.Duration) bool {
	var set unix.FdSet
	fd := int(f.Fd())
	set.Set(fd)
	wait := unix.NsecToTimeval(d.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &wait)
	return err == nil && n > 0
}

// wake continues the program, if it waits for that.
func wake() { _ = unix.Kill(unix.Getpid(), unix.SIGCONT) }

// readCellSize asks the system for the size of a cell in pixels: some terminals
// refuse to say it. The window may count a border of less than a cell.
func readCellSize() tea.Msg {
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 || size.Xpixel == 0 || size.Ypixel == 0 {
		return nil
	}
	return uv.CellSizeEvent{Width: int(size.Xpixel / size.Col), Height: int(size.Ypixel / size.Row)}
}
