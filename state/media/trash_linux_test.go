package media

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"darkroom/state/store"
)

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
			f := store.File{Path: filepath.Join(dir, "a\nb.png"), Bytes: 4, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("ours")))}
			noError(t, os.WriteFile(f.Path, []byte("ours"), 0o600))
			trash := must(OpenTrash(data))(t)
			put := func() error { return trash.Put(t.Context(), "1", "job", 1, f) }
			do, from, to := put, f.Path, filepath.Join(trash.Dir, "1_job_1.png")
			switch name[0] {
			case 'r':
				do, from, to = func() error { return trash.Restore(t.Context(), f, "1_job_1.png") }, to, from
				noError(t, put())
			case 'd':
				do, from, to = func() error { return trash.Delete(t.Context(), f, "1_job_1.png") }, to, ""
				noError(t, put())
			case 't':
				trash.Close()
				do = func() error { _, err := OpenTrash(data); return err }
			}
			if second, err := OpenTrash(data); err == nil {
				second.Close()
				if name[0] != 't' {
					t.Error("two processes have the trash")
				}
			}
			cmd := exec.Command("sh", "-ec", script)
			cmd.Dir, cmd.Env = base, append(os.Environ(), "S="+f.Path, "D="+dir, "T="+trash.Dir, "N=1_job_1.png")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
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
