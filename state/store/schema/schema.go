// Package schema is the form of the store's SQLite file: the tables of each
// version, how a file of an earlier one is brought to the newest or read as it
// is, and how another program's file is recognized.
package schema

import (
	"context"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Each file changes a store from the version before its number to its number.
// They only ever add: no row is dropped. One that was released is never changed.
//
//go:embed *.sql
var files embed.FS

var versions = load()

func load() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	var all []string
	for _, e := range entries { // sorted by name
		content, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		all = append(all, string(content))
	}
	return all
}

// Newest is the version that this program writes.
func Newest() int { return len(versions) }

// applicationID marks the file as darkroom's ("drkm"), so that another
// program's database under our name is not mistaken for an old store.
const applicationID = 0x64726b6d

// Places in the first page of an SQLite file (its file format, 1.3 and 1.6).
const (
	headerMagic   = "SQLite format 3\x00"
	headerVersion = 60  // user_version
	headerMark    = 68  // application_id
	headerCells   = 103 // how many tables and indexes there are
	headerLen     = 105
)

// Recognize reads the file's header without SQLite, which would change another
// program's file already by opening it for writing. It returns an ErrDamaged for
// what is surely not a store of darkroom, and nil whenever SQLite has to look.
func Recognize(path string) error {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil // the header that counts may be in the log
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, headerLen)
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil // just made
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case n < headerLen, !strings.HasPrefix(string(head), headerMagic):
		return fmt.Errorf("%w: it is no SQLite file", ErrDamaged)
	}
	version := int32(binary.BigEndian.Uint32(head[headerVersion:]))
	switch {
	case version == 0 && binary.BigEndian.Uint16(head[headerCells:]) > 0:
		return fmt.Errorf("%w: another program's tables are in it", ErrDamaged)
	case version != 0 && binary.BigEndian.Uint32(head[headerMark:]) != applicationID:
		return fmt.Errorf("%w: it has another program's mark", ErrDamaged)
	}
	return nil
}

// ShowOlder lets a connection that can only read answer queries of the newest
// version about a file of an earlier one: temporary views add the columns that
// its tables lack, with their defaults, and temporary tables stand for missing
// ones. The file is not changed. It is for a database of one connection.
func ShowOlder(ctx context.Context, db *sql.DB) error {
	have, err := version(ctx, db)
	if err != nil || have >= Newest() {
		return err
	}
	today, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		return err
	}
	defer func() { _ = today.Close() }()
	today.SetMaxOpenConns(1)
	if err := Upgrade(ctx, today, 0, Newest()); err != nil {
		return err
	}
	tables, err := pairs(ctx, today, `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		return err
	}
	for _, table := range tables {
		make, err := olderTable(ctx, db, today, table[0], table[1])
		if err != nil {
			return err
		}
		if make == "" {
			continue
		}
		if _, err := db.ExecContext(ctx, make); err != nil {
			return err
		}
	}
	return nil
}

// olderTable is the statement that stands a temporary view or table for one of
// today's in the place of an earlier one; "" when nothing is missing.
func olderTable(ctx context.Context, db, today *sql.DB, name, definition string) (string, error) {
	const columns = `SELECT name, coalesce(dflt_value, 'NULL') FROM pragma_table_info(?)`
	has, err := pairs(ctx, db, columns, name)
	if err != nil {
		return "", err
	}
	if len(has) == 0 {
		return strings.Replace(definition, "CREATE TABLE", "CREATE TEMP TABLE", 1), nil
	}
	there := map[string]bool{}
	for _, column := range has {
		there[column[0]] = true
	}
	wants, err := pairs(ctx, today, columns, name)
	if err != nil {
		return "", err
	}
	var missing strings.Builder
	for _, column := range wants {
		if !there[column[0]] {
			fmt.Fprintf(&missing, ", %s AS %s", column[1], column[0])
		}
	}
	if missing.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf(`CREATE TEMP VIEW %[1]s AS SELECT *%[2]s FROM main.%[1]s`, name, &missing), nil
}

// pairs reads rows of two texts.
func pairs(ctx context.Context, db *sql.DB, query string, args ...any) ([][2]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all [][2]string
	for rows.Next() {
		var p [2]string
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, rows.Err()
}
