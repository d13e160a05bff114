package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"darkroom/api"
)

// Errors that callers distinguish.
var (
	// ErrReadOnly is of a write to a store that can only be read, or is held.
	ErrReadOnly = api.Sentence("the store can only be read, so nothing can be sent").Fault(nil)
	ErrMissing  = api.Sentence("there is no such job").Fault(nil)
	ErrLate     = api.Sentence("another window has taken this over").Fault(nil)
	// ErrMoved says that the file at the store's path is not the open one any
	// more: what is written now is lost, and other windows do not see it.
	ErrMoved = api.Sentence("the store's file was moved or removed while darkroom was running: " +
		"put it back or quit, then start again").Fault(nil)
)

// Store is the open file, safe for use by several goroutines and processes.
type Store struct {
	path     string
	w        *sql.DB // one connection: writers queue here, not at the file's lock
	r        *sql.DB
	readOnly api.Reason             // why nothing can be written
	hidden   bool                   // it stands in for a file that cannot be read
	asked    sync.Map               // compiled statements of r by their text, *sql.Stmt
	files    map[string]fs.FileInfo // by path, to be told from others there
	drafts   sync.Map               // by name: when the draft was saved that was read or written here last, in milliseconds
	held     atomic.Value           // the api.Reason why nothing may be sent until the person chooses
}

// Open opens the store at path, making it when it is missing. A store that
// cannot be written, is damaged or newer still opens: Health says why nothing
// can be sent. An error means that not even an empty store could be made.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := prepare(path); err != nil {
		where := filepath.Dir(path)
		if of, ok := errors.AsType[*os.PathError](err); ok {
			where = of.Path
		}
		return openReadOnly(ctx, path, whyFolder.Reason(api.WithoutPath(err), where))
	}
	given := path
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
	s, err := openWritable(ctx, path)
	switch {
	case err == nil:
		s.files[given] = s.files[path] // a link may lead elsewhere later
		return s, nil
	case errors.Is(err, errNewer):
		return openReadOnly(ctx, path, whyNewerDo.Reason())
	case errors.Is(err, errDamaged):
		return openBeside(ctx, path)
	}
	switch sqliteCode(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return openReadOnly(ctx, path, whyFolder.Reason(api.WithoutPath(err), filepath.Dir(path))) // SQLite makes files beside it
	}
	return openReadOnly(ctx, path, api.Sentence("the store cannot be used: %v").Reason(Why(err)))
}

// prepare makes the folder and the file with our own modes, before the driver
// would make the file readable for everyone.
func prepare(path string) error {
	if err := cmp.Or(unlinked(path), os.MkdirAll(filepath.Dir(path), 0o700)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = errNotRegular
	case err == nil && info.Mode().Perm()&0o077 != 0:
		_ = f.Chmod(0o600)
	}
	return cmp.Or(err, f.Close())
}

// errNotRegular is of a named pipe, too: reading it would wait for ever.
var errNotRegular = api.Sentence("it is not a regular file").Fault(nil)

// unlinked is an error for a link to the file, or to a folder above it, whose target is missing, for example on a disk that
// is not mounted; no store is made in its place.
func unlinked(path string) error {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		_, err := os.Stat(path)
		if target, no := os.Readlink(path); no == nil && err != nil {
			return api.Sentence("it is a link to %v, which cannot be opened").Fault(errNotRegular, target)
		}
	}
	return nil
}

const (
	openPatience = 5 * time.Second        // in which an opening is tried again while other windows open the same file
	openPause    = 50 * time.Millisecond  // between two tries
	startTakes   = 500 * time.Millisecond // in which one connection reads: short questions come one after the other
)

// openWritable opens the file again while other windows open it too: SQLite does
// not wait for them by itself when it changes the journal's mode or moves from
// reading to writing.
func openWritable(ctx context.Context, path string) (*Store, error) {
	for limit := time.Now().Add(openPatience); ; {
		s, err := tryWritable(ctx, path)
		if !Busy(err) || time.Now().After(limit) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(openPause/2 + rand.N(openPause)):
		}
	}
}

func tryWritable(ctx context.Context, path string) (*Store, error) {
	s := &Store{path: path}
	s.w = s.openDB("_txlock=immediate", "_pragma=synchronous(FULL)")
	s.r = s.openDB("mode=rw", "_pragma=query_only(1)") // connects when it is asked first, and makes no file
	s.w.SetMaxOpenConns(1)
	s.r.SetMaxOpenConns(1) // at the start: another one would read the tables and compile the same questions again
	time.AfterFunc(startTakes, func() { s.r.SetMaxOpenConns(2) })
	if err := s.begin(ctx); err != nil {
		_ = s.Close()
		return nil, damagedBy(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
	}
	return s, nil
}

// begin brings a file to today's form, and reads what it says of itself.
func (s *Store) begin(ctx context.Context) error {
	// SQLite would remove the log of a file that is empty now, as a crash of the disk may leave it: jobs may be in there.
	log, none := os.Stat(s.path + "-wal") // first: a log comes after what is in the file
	if info, err := os.Stat(s.path); cmp.Or(none, err) == nil && log.Size() > 0 && info.Size() == 0 {
		return errDamaged
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	// Only now: this writes into the file, and one that is damaged or another
	// program's is kept as it was found. The mode stays with the file.
	if _, err := s.w.ExecContext(ctx, `PRAGMA journal_mode=WAL`); err != nil {
		return err
	}
	held, err := s.Note(ctx, noteHeld)
	if err != nil {
		return err
	}
	s.held.Store(api.ParseReason(held, held))
	if err := s.noticeCopy(ctx); err != nil {
		return err
	}
	s.files, err = openFiles(s.path)
	return err
}

// openReadOnly shows what there is, or an empty store in memory.
func openReadOnly(ctx context.Context, path string, why api.Reason) (*Store, error) {
	info, missing := os.Stat(path)
	if missing == nil && !info.Mode().IsRegular() {
		missing = errNotRegular
	}
	if missing = cmp.Or(unlinked(path), missing); missing != nil {
		_, none := os.Stat(path + "-wal") // with jobs in it, perhaps
		return openMemory(ctx, why, none == nil || !errors.Is(missing, fs.ErrNotExist))
	}
	for _, mode := range []string{"mode=ro", "immutable=1"} {
		s := &Store{path: path, readOnly: why, files: map[string]fs.FileInfo{path: info}}
		db := s.openDB(mode)
		db.SetMaxOpenConns(1)
		db, _ = shown(ctx, db) // where it fails, the list below cannot be read
		s.w, s.r = db, db
		_, _ = db.ExecContext(ctx, `PRAGMA query_only = 1`)
		if _, err := s.List(ctx, Query{Limit: 1}); err == nil {
			return s, nil
		}
		_ = db.Close()
	}
	return openMemory(ctx, why, true)
}

// openMemory opens an empty store in place of one whose jobs cannot be shown.
func openMemory(ctx context.Context, why api.Reason, hidden bool) (*Store, error) {
	db, _, err := openMemoryDB(ctx)
	if err != nil {
		return nil, err
	}
	s := &Store{w: db, r: db, hidden: hidden}
	s.held.Store(why)
	if err := s.migrate(ctx); err != nil {
		_ = db.Close()
		return nil, api.Sentence("no store could be made: %v").Fault(err, err)
	}
	return s, nil
}

// openMemoryDB opens a database that lives as long as its one connection, and gives
// the address by which another one can fill it.
func openMemoryDB(ctx context.Context) (db *sql.DB, address string, err error) {
	address = "file:/" + NewID() + "?vfs=memdb"
	db = sql.OpenDB(placed{address + "&_txlock=immediate", func() error { return nil }})
	db.SetMaxOpenConns(1)
	return db, address, db.PingContext(ctx) // nothing lives before
}

// placed connects to the file of a store as long as it is in its place: a connection that
// was made later would read what was put there, where other jobs are due.
type placed struct {
	address string
	inPlace func() error
}

// files is the driver of files. Its lower knows all letters: that of SQLite knows those of ASCII alone.
var files = &sqlite.Driver{}

func init() {
	files.MustRegisterDeterministicScalarFunction("lower", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, _ := args[0].(string)
		return strings.ToLower(text), nil
	})
}

func (p placed) Driver() driver.Driver { return files }

func (p placed) Connect(context.Context) (driver.Conn, error) {
	c, err := p.Driver().Open(p.address)
	if moved := p.inPlace(); moved != nil {
		if err == nil {
			_ = c.Close()
		}
		return nil, moved
	}
	return c, err
}

// openDB opens the store's file; busy_timeout comes first, because the switch to WAL
// already needs it when two windows start together. Each connection keeps 300
// KiB of pages: the system keeps the file's as well.
func (s *Store) openDB(options ...string) *sql.DB {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(s.path)}
	options = append([]string{"_pragma=busy_timeout(5000)", "_pragma=mmap_size(0)", "_pragma=cache_size(-300)"}, options...)
	return sql.OpenDB(placed{"file:" + u.EscapedPath() + "?" + strings.Join(options, "&"), s.inPlace})
}

// Close closes the database.
func (s *Store) Close() error {
	return errors.Join(s.r.Close(), s.w.Close()) // which may be the same: it is closed once
}

// Health says why nothing can be written or sent.
type Health struct {
	Path     string     // "" when the store is only in memory
	ReadOnly api.Reason // why nothing can be written; none when it can
	Held     api.Reason // why nothing may be sent until the person does something
	Hidden   bool       // it is an empty store in place of one whose jobs cannot be shown
	Choice   bool       // Choose can lift ReadOnly or Held
}

// Health returns how the store is.
func (s *Store) Health() Health {
	held := s.hold()
	return Health{Path: s.path, ReadOnly: s.readOnly, Held: cmp.Or(held, s.linked()),
		Hidden: s.hidden || s.path != "" && !held.IsZero(), Choice: s.path != "" && (!held.IsZero() || s.readOnly.Is(whyNewerDo))}
}

// openFiles are the files of a store that was opened and read: its log and index
// stay until the last window closes it.
func openFiles(path string) (map[string]fs.FileInfo, error) {
	files := map[string]fs.FileInfo{}
	for _, tail := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + tail)
		if err != nil && (tail == "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		if err == nil {
			files[path+tail] = info
		}
	}
	return files, nil
}

// inPlace reports ErrMoved unless each open file is the one at its path (device and
// inode). Windows lets nobody move an open file, and may not tell a mapped index.
func (s *Store) inPlace() error {
	for path, info := range s.files {
		now, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && !os.SameFile(now, info) {
			return ErrMoved
		}
	}
	return nil
}

// linked is a reason when the file has another name: a window that opens it by that
// one has a log of its own, so that both would send what is held.
func (s *Store) linked() api.Reason {
	if info, err := os.Stat(s.path); err == nil && FileNames(info) > 1 {
		return whyLinked.Reason(s.path)
	}
	return api.Reason{}
}

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
	held, _ := s.held.Load().(api.Reason)
	return held
}

// Choose is the person's decision to go on with the new store next to a damaged
// file, or to put the file of a newer darkroom aside for a new one. It returns
// the store to use in place of s, which is closed when it is another.
func (s *Store) Choose(ctx context.Context) (*Store, error) {
	word := "newer"
	switch {
	case s.path == "":
		return s, api.Sentence("there is no place for a store: make the data folder writable, then start again").Fault(nil)
	case s.hold().Is(whyDamaged):
		word = "damaged"
	case !s.hold().IsZero():
		err := s.SetNote(ctx, noteHeld, "")
		if err == nil {
			s.held.Store(api.Reason{})
		}
		return s, err
	case !s.readOnly.Is(whyNewerDo):
		return s, nil
	}
	moved := s.inPlace() != nil // another window has chosen: what is there now has a question of its own, or none
	err := s.Close()
	if err == nil && !moved {
		_, err = keepBeside(s.path, word)
	}
	if err != nil {
		return s, err
	}
	fresh, err := Open(ctx, s.path)
	if err == nil && !moved {
		fresh, err = fresh.Choose(ctx) // one beside a damaged file asks what the person has just decided
	}
	return fresh, err
}

// Examine reads the whole file, where Open looks at what each start needs, and holds a damaged one until the person chooses.
func (s *Store) Examine(ctx context.Context) {
	verdict, err := column[string](s.r.QueryRowContext(ctx, `PRAGMA integrity_check(1)`))
	if err == nil && verdict != "ok" || sqliteCode(err) == sqlite3.SQLITE_CORRUPT {
		s.held.CompareAndSwap(api.Reason{}, whyDamaged.Reason())
	}
}

// openBeside keeps a damaged file under a new name and starts a new one, in
// which nothing may be sent until the person says so.
func openBeside(ctx context.Context, path string) (*Store, error) {
	kept, err := keepBeside(path, "damaged")
	if err != nil {
		return openMemory(ctx, api.Sentence("the store is damaged and could not be moved aside (%v)").Reason(api.WithoutPath(err)), true)
	}
	if err = prepare(path); err == nil {
		var s *Store
		if s, err = openWritable(ctx, path); err == nil {
			return s, nil
		}
	}
	return openMemory(ctx, api.Sentence("%v. The new one cannot be used: %v").Reason(whyKept.Reason(kept), Why(err)), true)
}

// holdBeside holds a store that is being made while a damaged one lies next to
// it, whose jobs may be under way. It is part of making the store, so that no
// crash and no full disk in between leaves one that asks nothing.
func holdBeside(ctx context.Context, tx *sql.Tx, path string) error {
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, n := range slices.Backward(names) { // sorted, so the newest comes first
		if strings.HasPrefix(n.Name(), filepath.Base(path)+".damaged-") && !strings.HasSuffix(n.Name(), "-wal") &&
			!strings.HasSuffix(n.Name(), "-shm") {
			t := &transaction{Tx: tx, ctx: ctx}
			t.setNote(noteHeld, whyKept.Reason(filepath.Join(filepath.Dir(path), n.Name())).Stored())
			return t.err
		}
	}
	return nil
}

// keepBeside renames the file, its log and its index to a name of this moment.
func keepBeside(path, word string) (string, error) {
	kept := fmt.Sprintf("%s.%s-%s", path, word, time.Now().UTC().Format("20060102-150405.000"))
	for _, tail := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+tail, kept+tail); err != nil && (tail == "" || !errors.Is(err, fs.ErrNotExist)) {
			return kept, err
		}
	}
	return kept, nil
}

// forkTime is how long a lock is tried again: others look at the file for a moment, and
// a process that was just forked has a copy of the handle, also of one that is closed
// here, until it runs its program.
const forkTime = 100 * time.Millisecond

// LockSoon is TryLock for that time.
func LockSoon(f *os.File) (free bool, err error) {
	for until := time.Now().Add(forkTime); ; time.Sleep(forkTime / 20) {
		if free, err = TryLock(f); free || err != nil || time.Now().After(until) {
			return free, err
		}
	}
}

// OpenLock opens a file that is to be locked. Others may remove it while it is open,
// on Windows too, where files of os.OpenFile stay.
func OpenLock(path string, flag int) (*os.File, error) {
	dir, name := filepath.Split(path)
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	return folder.OpenFile(name, flag, 0o600)
}

// Why the store is not written, or a request waits for the person.
var (
	whyFolder  = api.Sentence("the store cannot be written (%v): make %v writable, then start again")
	whyNewerDo = api.Sentence("the store was written by a newer darkroom: use that version, " +
		"or begin a new store with 'darkroom doctor --new-store' (the file is kept)")
	whyKept = api.Sentence("the store was damaged; it is kept as %v and a new, empty one was begun, " +
		"which neither shows earlier jobs nor counts their credits: 'darkroom doctor --new-store' goes on with it")
	whyDamaged = api.Sentence("the store is damaged: quit, then begin a new one with 'darkroom doctor --new-store' (the file is kept)")
	whyLinked  = api.Sentence("the store %v has another name (a hard link), by which its requests could be sent again: " +
		"delete that name, or replace the file with a copy of it while darkroom is closed")
	whyHeldCopied = api.Sentence("your jobs were copied or restored from a backup since you agreed to this: " +
		"the other copy may have sent it, and it may have been charged. Look there first")
)
