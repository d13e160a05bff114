package media

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the console's signals from the program.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// stopGroup ends a program.
func stopGroup(c *exec.Cmd, _ bool) error {
	if c.Process == nil {
		return nil
	}
	return c.Process.Kill()
}
