package media

import (
	"errors"
	"os/exec"
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
