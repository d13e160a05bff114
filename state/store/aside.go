package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"darkroom/api"
)

// openBeside keeps a damaged file under a new name and starts a new one, in
// which nothing may be sent until the person says so.
func openBeside(ctx context.Context, path string) (*Store, error) {
	kept, err := keepBeside(path, "damaged")
	if err != nil {
		return openHidden(ctx, whyNotAside.Reason(plainCause(err)))
	}
	if err := prepare(path); err != nil {
		return openHidden(ctx, whyKept.Reason(kept))
	}
	s, err := openWritable(ctx, path)
	if err != nil {
		return openHidden(ctx, whyKeptNewBad.Reason(whyKept.Reason(kept), Why(err)))
	}
	s.kept = kept
	return s, nil
}

// openHidden is an empty store in memory in place of a damaged one.
func openHidden(ctx context.Context, why api.Reason) (*Store, error) {
	s, err := openMemory(ctx, why)
	if err == nil {
		s.hidden = true
	}
	return s, err
}

// holdBeside holds a store that is being made while a damaged one lies beside
// it: its jobs may be under way, and only a person can say that they do not
// matter. It is part of making the store, so that no crash and no full disk in
// between leaves one that asks nothing.
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
		if strings.HasPrefix(n.Name(), filepath.Base(path)+".damaged-") && !strings.HasSuffix(n.Name(), "-wal") && !strings.HasSuffix(n.Name(), "-shm") {
			kept = filepath.Join(filepath.Dir(path), n.Name())
		}
	}
	if kept == "" {
		return nil
	}
	return setNote(ctx, tx, noteHeld, whyKept.Reason(kept).Stored())
}

// keepBeside renames the file, its log and its index to a name that was free.
func keepBeside(path, word string) (string, error) {
	stamp := time.Now().UTC().Format("20060102-150405")
	for n := range 100 {
		kept := fmt.Sprintf("%s.%s-%s", path, word, stamp)
		if n > 0 {
			kept = fmt.Sprintf("%s-%d", kept, n)
		}
		if _, err := os.Lstat(kept); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
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
	return "", errors.New("no free name")
}
