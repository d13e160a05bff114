package media

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// ownGroup keeps the console's signals from the program.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func stopGroup(c *exec.Cmd, _ bool) error {
	if c.Process == nil {
		return nil
	}
	return c.Process.Kill()
}

func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// moveAt moves a file from one folder to another, or links it there. A link replaces nothing.
func moveAt(from *os.Root, name string, to *os.Root, as string, link bool) error {
	move := os.Rename
	if link {
		move = os.Link
	}
	return move(filepath.Join(from.Name(), name), filepath.Join(to.Name(), as))
}

func unnamed(*os.Root, fs.FileMode) (*os.File, string, func(string) error) { return nil, "", nil }
