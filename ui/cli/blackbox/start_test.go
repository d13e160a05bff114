//go:build linux

package blackbox

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
)

// BenchmarkFirstFrame is from starting the program in a terminal of 120×40 to
// its first frame, with the process, the store and the terminal in between. It
// asks no service: its address leads nowhere.
func BenchmarkFirstFrame(b *testing.B) {
	for _, jobs := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("%d-jobs", jobs), func(b *testing.B) {
			env := storeOf(b, jobs)
			for b.Loop() {
				firstFrame(b, env)
			}
		})
	}
}

// storeOf makes folders with a store of n finished jobs, and gives the
// environment that leads to them.
func storeOf(b *testing.B, n int) []string {
	b.Helper()
	dir := b.TempDir()
	env := []string{"HOME=" + dir, "TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.TempDir(),
		"XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_RUNTIME_DIR=" + dir,
		"DARKROOM_BASE_URL=http://127.0.0.1:9", "DARKROOM_API_KEY=" + testKey}
	list := exec.Command(binary, "jobs")
	list.Env = env
	if out, err := list.CombinedOutput(); err != nil {
		b.Fatalf("making a store: %v\n%s", err, out)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "data", "darkroom", "darkroom.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT ?1)
		INSERT INTO jobs(id, confirm_id, remote_id, base, kind, model, phase, title, folded, body_hash, credits, source, created_at, sent_at, ended_at, version)
		SELECT printf('id%014d', i), i, 'r' || i, 'http://127.0.0.1:9', iif(i%2, 'image', 'video'), 'lumen/still-1', 'done',
		'harbour at dawn ' || i, 'harbour at dawn ' || i, i, 12000000, 'service', 1700000000000+i*1000, 1700000000000+i*1000, 1700000009000+i*1000, i FROM n
		WHERE ?1 > 0;
		INSERT INTO details(seq, request, body, estimate) SELECT seq, '{}', '{}', '{}' FROM jobs`, n)
	if err != nil {
		b.Fatal(err)
	}
	return env
}

// firstFrame starts the program, waits for its frame and ends it.
func firstFrame(b *testing.B, env []string) {
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), binary)
	cmd.Env = env
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		b.Fatal(err)
	}
	var seen []byte
	buffer := make([]byte, 32<<10)
	for !bytes.Contains(seen, []byte("darkroom")) || !bytes.Contains(seen, []byte("Prompt")) {
		n, err := file.Read(buffer)
		if err != nil {
			b.Fatalf("the program ended before its first frame: %v\n%s", err, seen)
		}
		seen = append(seen, buffer[:n]...)
	}
	b.StopTimer()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	_ = file.Close()
	b.StartTimer()
}
