//go:build unix

package media

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
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

// moveAt moves a file from one folder to another, or links it there. A link replaces nothing.
func moveAt(from *os.Root, name string, to *os.Root, as string, link bool) error {
	a, err := from.Open(".")
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.Open(".")
	if err != nil {
		return err
	}
	defer b.Close()
	if link {
		return unix.Linkat(int(a.Fd()), name, int(b.Fd()), as, 0)
	}
	return unix.Renameat(int(a.Fd()), name, int(b.Fd()), as)
}
