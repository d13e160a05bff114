package schema

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

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
