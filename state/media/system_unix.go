//go:build unix

package media

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// unnamed makes a file in a folder that has no name, and so is gone with the process, and gives
// the path by which programs write it and what gives it a name; nil where there is no such thing.
func unnamed(root *os.Root, mode fs.FileMode) (file *os.File, path string, publish func(name string) error) {
	const tmpfile = 0o20000000 // O_TMPFILE is this and O_DIRECTORY
	if runtime.GOOS == "linux" {
		file, _ = root.OpenFile(".", os.O_RDWR|unix.O_DIRECTORY|tmpfile, mode)
	}
	if file == nil {
		return nil, "", nil
	}
	path = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd())
	return file, path, func(name string) error {
		return unix.Linkat(unix.AT_FDCWD, path, unix.AT_FDCWD, filepath.Join(root.Name(), name), unix.AT_SYMLINK_FOLLOW)
	}
}
