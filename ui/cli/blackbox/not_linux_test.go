//go:build !linux

package blackbox

import "testing"

// TestNeedsLinux says that what this folder shows is not shown here.
func TestNeedsLinux(t *testing.T) {
	t.Skip("NOT RUN: the black-box tests work with Linux's pseudo terminals, mounts, /proc and strace; run them there before you rely on a change")
}
