//go:build unix

package media

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal and its signals from the program.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func stopGroup(c *exec.Cmd, atOnce bool) error {
	if c.Process == nil {
		return nil
	}
	signal := syscall.SIGTERM
	if atOnce {
		signal = syscall.SIGKILL
	}
	return syscall.Kill(-c.Process.Pid, signal)
}

func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
