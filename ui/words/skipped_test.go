package words

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestWhatIsNotTested says which tests are skipped on this machine, and what they
// need. go test shows nothing of a package that passes, unless it runs with -v: so
// the last package, which this is, writes it to the terminal, if there is one.
func TestWhatIsNotTested(t *testing.T) {
	var skipped []string
	for _, need := range []struct{ program, pack, what string }{
		{"ffmpeg", "ffmpeg", "frames of videos"},
		{"dbus-daemon", "dbus-daemon", "the keyring"},
		{"gnome-keyring-daemon", "gnome-keyring", "the keyring"},
		{"strace", "strace", "failing disks"},
		{"mount", "mount", "full disks"},
		{"bash", "bash", "ctrl+z"},
		{"groff", "groff-base", "the manual page"},
		{"node", "nodejs", "a tool server of others"},
	} {
		if _, err := exec.LookPath(need.program); err != nil {
			skipped = append(skipped, need.what+" (install "+need.pack+")")
		}
	}
	if _, err := os.Stat(os.Getenv("EVERYTHING_SERVER")); err != nil {
		skipped = append(skipped, "a tool server of others (set EVERYTHING_SERVER, as .ci/run does)")
	}
	if runtime.GOOS != "linux" {
		skipped = append(skipped, "the built program (use Linux)")
	}
	if os.Geteuid() != 0 {
		skipped = append(skipped, "mounts (be root)")
	}
	said := "skipped for want of a program or a right: nothing"
	if len(skipped) > 0 {
		said = "not tested on this machine: " + strings.Join(skipped, ", ") + ". .ci/run installs all of it."
	}
	t.Log(said)
	if terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil && !testing.Verbose() {
		fmt.Fprintln(terminal, said)
		_ = terminal.Close()
	}
}
