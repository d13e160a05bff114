//go:build unix

package media

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's signals from the program, and the other way.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
