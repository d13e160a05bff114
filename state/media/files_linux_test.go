package media

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest/expect"
	"darkroom/state/store"
)

// A process that is forked during a download has a copy of the part's handle, and
// with it of the lock, until it runs its program. The part is removed all the same.
func TestPartIsRemovedDespiteAForkedHandle(t *testing.T) {
	t.Parallel()
	var copied atomic.Int64
	copied.Store(-1)
	var f *Fetcher
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write(pngBytes[:100])
		w.(http.Flusher).Flush()
		handles, _ := os.ReadDir("/proc/self/fd")
		for _, h := range handles {
			path, err := os.Readlink(filepath.Join("/proc/self/fd", h.Name()))
			if err != nil || filepath.Dir(path) != f.Dir || !strings.HasSuffix(path, partEnd) {
				continue
			}
			n, _ := strconv.Atoi(h.Name())
			twin, err := syscall.Dup(n)
			expect.Is(t, err, nil)
			copied.Store(int64(twin))
		}
	})
	expect.Fails(t, expect.Err(f.Fetch(t.Context(), want(base+"/x"))), "", "a cut download was taken")
	expect.Must(t, copied.Load() >= 0, "the handle was not found")
	defer syscall.Close(int(copied.Load()))
	wantFolder(t, f)
}

// TestNothingWaitsAtANamedPipe: a named pipe that stands in the place of a file
// of ours is not opened, which would wait for a writer for ever.
func TestNothingWaitsAtANamedPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "a.png")
	noError(t, syscall.Mkfifo(pipe, 0o600))
	f := New(Options{Dir: t.TempDir()})
	inside := want("")
	inside.Result.File = pipe
	ended := make(chan string, 2)
	go func() {
		expect.That(t, !Intact(t.Context(), store.File{Path: pipe}), "a pipe is taken for the saved file")
		ended <- "Intact"
		expect.Fails(t, expect.Err(f.Fetch(t.Context(), inside)), "", "a pipe is taken for a result inside an answer")
		ended <- "Fetch"
	}()
	for _, name := range []string{"Intact", "Fetch"} {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatalf("%s waits at the pipe", name)
		}
	}
}

// TestRevealShowsTheFolder with the system's opener, and says so where there is none.
func TestRevealShowsTheFolder(t *testing.T) { // not parallel: it sets PATH
	file := saved(t, "boat.png")
	program, record := recorderProgram(t, "0")
	t.Setenv("PATH", filepath.Dir(program))
	for what, err := range map[string]error{"open": Open(t.Context(), "", "", file), "reveal": Reveal(t.Context(), file)} {
		expect.Fails(t, err, "xdg-open is not there", what)
	}
	noError(t, os.Rename(program, filepath.Join(filepath.Dir(program), "xdg-open")))
	noError(t, Reveal(t.Context(), file))
	expect.That(t, strings.HasPrefix(recorded(t, record), "1\n"+filepath.Dir(file)+"\n"), "the program saw", recorded(t, record))
}

// TestAFolderThatCannotBeRead takes files, but downloads go through it.
func TestAFolderThatCannotBeRead(t *testing.T) {
	t.Chdir(t.TempDir())   // the folders above it may be closed to others
	if os.Geteuid() == 0 { // whom no mode keeps out
		noError(t, os.Chown(".", 65534, -1))
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		noError(t, syscall.Setfsuid(65534)) // of this thread
		defer syscall.Setfsuid(0)
	}
	noError(t, CheckFolder(".", ""))
	noError(t, os.Chmod(".", 0o300))
	defer os.Chmod(".", 0o700)
	expect.Fails(t, CheckFolder(".", ""), "permission denied): make the folder readable", "a folder that is not readable")
}

// TestPaste saves what the clipboard's program writes, once, and nothing that is no picture.
func TestPaste(t *testing.T) {
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "results")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("WAYLAND_DISPLAY", "")
	now := time.Date(2026, 3, 1, 14, 15, 0, 0, time.Local)
	says := func(script string) (string, error) {
		noError(t, os.WriteFile(filepath.Join(bin, "xclip"), []byte("#!/bin/sh\n"+script), 0o700))
		return Paste(t.Context(), dir, now)
	}
	for range 2 { // the second is the same one
		path, err := says(`[ "$*" = "-selection clipboard -t image/png -o" ] && printf '\211PNG\r\n\032\nrest'`)
		text, _ := os.ReadFile(path)
		expect.That(t, err == nil && path == filepath.Join(dir, "pasted-20260301-141500.png") && string(text) == "\x89PNG\r\n\x1a\nrest",
			"pasted as", path, string(text), err)
	}
	for _, script := range []string{"echo no target", "exit 1", `printf '\211PNG\r\n\032\n'; head -c 1G /dev/zero && touch "` + dir + `/read to its end"`} {
		expect.Fails(t, expect.Err(says(script)), "", script, "was saved")
	}
	expect.Equal(t, len(must(os.ReadDir(dir))(t)), 1, "files in the folder")
}

// TestTrashTouchesOnlyWhatWasSaved attacks Put, and Restore (r) and Delete (d) after a
// Put. S is the saved file, D its folder, T the trash, N the name in it. Everything
// stays as it is byte for byte, but for those with +, which succeed.
func TestTrashTouchesOnlyWhatWasSaved(t *testing.T) {
	t.Parallel()
	const same = "printf HERS >"
	for name, script := range map[string]string{
		"link": `mv "$S" x; ln -s ../x "$S"`, "link to hers": `ln -sf ../hers "$S"`, "hard link": `ln "$S" x`, "her hard link": `ln -f hers "$S"`,
		"moved": `mv $D x`, "moved, and a link": `mv $D x; ln -s x $D`, "a copy by a link": `cp -a $D x; rm -r $D; ln -s x $D`,
		"her folder": `mv $D x; mkdir $D; echo hers >"$S"`, "larger": `echo >>"$S"`, "same size": same + `"$S"`, "empty": `: >"$S"`,
		"pipe": `rm "$S"; mkfifo "$S"`, "folder": `rm "$S"; mkdir "$S"`, "case": `mv "$S" $D/A.PNG`, "a name like ours": `rm "$S"; cp hers "$S"`,
		"name taken in the trash": `cp hers $T/$N`, "link in the trash": `ln -s ../../hers $T/$N`,
		"file system": `[ $(stat -c %d $D) != $(stat -c %d $T) ]`, "+ plain": ``,
		"r there again": `cp hers "$S"`, "r link there": `ln -s ../hers "$S"`,
		"r folder is a link": `mv $D x; ln -s x $D`, "r no folder": `rmdir $D`, "r hers in the trash": same + `$T/$N`,
		"r link in the trash": `mv $T/$N x; ln -s ../../x $T/$N`, "r+ killed between two names": `ln $T/$N "$S"`, "r+ plain": ``,
		"d hers in the trash": same + `$T/$N`, "d link in the trash": `ln -sf ../../hers $T/$N`, "d+ hard link": `ln $T/$N x`, "d+ plain": ``,
		"t link": `rm -r $T; mkdir x; ln -s ../x $T`, "t file": `rm -r $T; cp hers $T`, "t lock is hers": `rm $T/lock; mkdir $T/lock`,
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir, data := filepath.Join(base, "results"), filepath.Join(base, "data")
			if name == "file system" {
				dir = filepath.Join("/dev/shm", filepath.Base(filepath.Dir(base)))
				t.Cleanup(func() { _ = os.RemoveAll(dir) })
			}
			if os.MkdirAll(dir, 0o700) != nil {
				t.Skip("this machine forbids another file system")
			}
			noError(t, errors.Join(os.MkdirAll(data, 0o700), os.WriteFile(filepath.Join(base, "hers"), []byte("HERS"), 0o600)))
			f := store.File{N: 2, Path: filepath.Join(dir, "a\nb.png"), Bytes: 4, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("ours")))}
			noError(t, os.WriteFile(f.Path, []byte("ours"), 0o600))
			trash := must(OpenTrash(data))(t)
			trash.step = "1"
			put := func() error { return trash.Put(t.Context(), "job", f) }
			do, from, to := put, f.Path, filepath.Join(trash.Dir, "1_job_2.png")
			switch name[0] {
			case 'r':
				do, from, to = func() error { return trash.Restore(t.Context(), f, "1_job_2.png") }, to, from
				noError(t, put())
			case 'd':
				do, from, to = func() error { return trash.Delete(t.Context(), f, "1_job_2.png") }, to, ""
				noError(t, put())
			case 't':
				trash.Close()
				do = func() error { _, err := OpenTrash(data); return err }
			}
			if second, err := OpenTrash(data); err == nil {
				second.Close()
				expect.Equal(t, name[0], 't', "two processes have the trash")
			}
			cmd := exec.Command("sh", "-ec", script)
			cmd.Dir, cmd.Env = base, append(os.Environ(), "S="+f.Path, "D="+dir, "T="+trash.Dir, "N=1_job_2.png")
			out, err := cmd.CombinedOutput()
			expect.Is(t, err, nil, string(out))
			tree := func() string {
				out, _ := exec.Command("find", base, dir, "-printf", `%p %y %l\n`, "-type", "f", "-exec", "sha256sum", "{}", "+").Output()
				return string(out)
			}
			before, err := tree(), do()
			_, still := os.Lstat(from)
			text, _ := os.ReadFile(to)
			hers, _ := os.ReadFile(filepath.Join(base, "hers"))
			switch ok := name[0] == '+' || name[1] == '+'; {
			case ok != (err == nil):
				t.Error(err)
			case !ok && (tree() != before || before == ""):
				t.Errorf("%v\nbefore:\n%s\nafter:\n%s", err, before, tree())
			case ok && (still == nil || to != "" && string(text) != "ours" || string(hers) != "HERS"):
				t.Errorf("%v is still there, or %q, %q", still == nil, text, hers)
			}
		})
	}
}

// TestTrashOfEarlierVersions, which counted files where a result had none: each name is of the file that it holds.
func TestTrashOfEarlierVersions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trash := must(OpenTrash(dir))(t)
	trash.step = "1"
	defer trash.Close()
	var files []store.File
	for i, text := range []string{"late", "ours", "third"} {
		f := store.File{N: i + 1, Path: filepath.Join(dir, text+".png"), Bytes: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
		files = append(files, f)
		if f.N--; f.N > 0 {
			noError(t, errors.Join(os.WriteFile(f.Path, []byte(text), 0o600), trash.Put(t.Context(), "job", f)))
		}
	}
	got := map[string]int{}
	noError(t, trash.Each(t.Context(), func(name, _, _ string, which func([]store.File) (store.File, bool)) {
		f, _ := which(files)
		got[name] = f.N
		noError(t, trash.Restore(t.Context(), f, name))
	}))
	expect.Equal(t, fmt.Sprint(got), "map[1_job_1.png:2 1_job_2.png:3]", "files")
}
