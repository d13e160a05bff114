package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"darkroom/api"
)

// Health says why nothing can be written or sent.
type Health struct {
	Path     string     // "" when the store is only in memory
	ReadOnly api.Reason // why nothing can be written; none when it can
	Held     api.Reason // why nothing may be sent until the person chooses
	Hidden   bool       // it is an empty store in place of one whose jobs cannot be shown
	Kept     string     // where a damaged file was kept by this opening
	Choice   bool       // Choose can lift ReadOnly or Held
}

// Health returns how the store is.
func (s *Store) Health() Health {
	held := s.hold()
	return Health{Path: s.path, ReadOnly: s.readOnly, Held: held, Kept: s.kept,
		Hidden: s.hidden || s.path != "" && !held.IsZero(), Choice: s.path != "" && (!held.IsZero() || s.readOnly.Is(whyNewerDo))}
}

type openFile struct {
	path string
	info fs.FileInfo
}

// openFiles are the files of a store that was opened and read: its log and index
// stay until the last window closes it.
func openFiles(path string) ([]openFile, error) {
	var files []openFile
	for _, tail := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + tail)
		if err != nil && (tail == "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		if err == nil {
			files = append(files, openFile{path + tail, info})
		}
	}
	return files, nil
}

// inPlace reports ErrMoved unless each open file is the one at its path (device and
// inode). Windows lets nobody move an open file, and may not tell a mapped index.
func (s *Store) inPlace() error {
	for _, f := range s.files {
		now, err := os.Stat(f.path)
		if err != nil || runtime.GOOS != "windows" && !os.SameFile(now, f.info) {
			return ErrMoved
		}
	}
	return nil
}

// noteFile holds which file the store was when it was last opened.
const noteFile = "file"

// noticeCopy looks whether the file is the one that was opened before. What a
// copy has still to be sent may have been sent from the other: it waits for the
// person, and says so. A copy that takes no writing is not to be sent from.
func (s *Store) noticeCopy(ctx context.Context) error {
	now := identity(s.path)
	before, err := s.Note(ctx, noteFile)
	if err != nil || before == now || now == "" {
		return err
	}
	err = s.write(ctx, func(t *transaction) {
		var was string
		known := t.scan([]any{&was}, `SELECT value FROM notes WHERE name=?`, noteFile)
		t.setNote(noteFile, now)
		if !known || was == now {
			return
		}
		t.count()
		t.run(`UPDATE held SET owner='', code=?, reason=?, `+newVersion, CodeCopied, whyHeldCopied.Reason().Stored())
		t.run(`UPDATE events SET waits=0`)                                                // the other store's hooks may have run
		t.run(`UPDATE jobs SET phase='sending', ` + newVersion + ` WHERE phase='intent'`) // its sender is gone: unknown
	})
	if before == "" {
		return nil // it was never opened as another file
	}
	return err
}

func (s *Store) hold() api.Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Choose is the person's decision to go on with the new store next to a damaged
// file, or to put the file of a newer darkroom aside for a new one. It returns
// the store to use in place of s, which is closed when it is another.
func (s *Store) Choose(ctx context.Context) (*Store, error) {
	switch {
	case s.path == "":
		return s, api.Sentence("there is no place for a store: make the data folder writable, then start again").Fault(nil)
	case !s.hold().IsZero():
		err := s.SetNote(ctx, noteHeld, "")
		if err == nil {
			s.mu.Lock()
			s.held = api.Reason{}
			s.mu.Unlock()
		}
		return s, err
	case s.readOnly.IsZero():
		return s, nil
	}
	if err := prepare(s.path); err != nil {
		return s, err
	}
	w, err := openWritable(ctx, s.path)
	if err == nil {
		_ = s.Close()
		return w, nil
	}
	if !errors.Is(err, errNewer) {
		return s, err
	}
	if err = s.Close(); err != nil {
		return s, err
	}
	if _, err = keepBeside(s.path, "newer"); err != nil {
		return s, err
	}
	return Open(ctx, s.path)
}

// openBeside keeps a damaged file under a new name and starts a new one, in
// which nothing may be sent until the person says so.
func openBeside(ctx context.Context, path string) (*Store, error) {
	kept, err := keepBeside(path, "damaged")
	if err != nil {
		return openMemory(ctx, api.Sentence("the store is damaged and could not be moved aside (%v)").Reason(api.WithoutPath(err)), true)
	}
	var s *Store
	if err = prepare(path); err == nil {
		s, err = openWritable(ctx, path)
	}
	if err != nil {
		return openMemory(ctx, api.Sentence("%v. The new one cannot be used: %v").Reason(whyKept.Reason(kept), Why(err)), true)
	}
	s.kept = kept
	return s, nil
}

// holdBeside holds a store that is being made while a damaged one lies next to
// it, whose jobs may be under way. It is part of making the store, so that no
// crash and no full disk in between leaves one that asks nothing.
func holdBeside(ctx context.Context, tx *sql.Tx, path string) error {
	if path == "" {
		return nil
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	kept := ""
	for _, n := range names { // sorted, so the last is the newest
		if strings.HasPrefix(n.Name(), filepath.Base(path)+".damaged-") && !strings.HasSuffix(n.Name(), "-wal") &&
			!strings.HasSuffix(n.Name(), "-shm") {
			kept = filepath.Join(filepath.Dir(path), n.Name())
		}
	}
	if kept == "" {
		return nil
	}
	t := &transaction{Tx: tx, ctx: ctx}
	t.setNote(noteHeld, whyKept.Reason(kept).Stored())
	return t.err
}

// keepBeside renames the file, its log and its index to a name of this moment.
func keepBeside(path, word string) (string, error) {
	kept := fmt.Sprintf("%s.%s-%s", path, word, time.Now().UTC().Format("20060102-150405.000"))
	if err := os.Rename(path, kept); err != nil {
		return "", err
	}
	for _, tail := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+tail, kept+tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	return kept, nil
}
