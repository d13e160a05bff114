package store

import (
	"context"
	"time"

	"darkroom/api"
)

// accepted is the ledger's rule for what was charged for certain: a failed job
// counts only when the service had completed it.
const accepted = `(phase IN ('sending','queued','running','fetching','done','expired','stale') OR phase='failed' AND completed)`

// called is the ledger's rule for calls of tools: the tool ran, or may have.
const called = `phase IN ('sending','done','unknown')`

// sumCredits adds amounts in SQL. SQLite's own sum fails when it exceeds 64
// bits; this one is exact up to 9e9 credits and stops at MaxCredits.
func sumCredits(amounts string) string {
	return `CAST(min(total(` + amounts + `), 9223372036854775807) AS INTEGER)`
}

// KindTool is the kind of a ledger line that counts calls of a tool.
const KindTool api.Kind = "tool"

// Spent is what was spent since a moment, without the budget.
func (s *Store) Spent(ctx context.Context, since time.Time) (Spent, error) {
	var sp Spent
	err := s.r.QueryRowContext(ctx, `SELECT
	  `+sumCredits(`CASE WHEN `+accepted+` THEN credits END`)+`,
	  `+sumCredits(`CASE WHEN phase IN ('unknown','unread') AND dismissed=0 THEN credits END`)+`,
	  coalesce(sum(`+accepted+` AND source NOT IN ('service','table')), 0)
	    + (SELECT count(*) FROM toolcalls WHERE created_at >= ?1 AND `+called+`)
	  FROM jobs WHERE created_at >= ?1`, millis(since)).Scan(&sp.Credits, &sp.Possibly, &sp.Unpriced)
	return sp, err
}

// Line is one line of the ledger: a day, model and kind.
type Line struct {
	Day      string // 2006-01-02, local
	Model    string
	Kind     api.Kind // or KindTool; Model is the tool's name then
	Jobs     int
	Credits  api.Credits // accepted jobs
	Possibly api.Credits // unknown and unread jobs, not dismissed
	Unpriced int         // accepted jobs without a figure
}

// Ledger returns what was spent since a moment by local day, model and kind,
// newest day first. Calls of tools have no figure.
func (s *Store) Ledger(ctx context.Context, since time.Time) ([]Line, error) {
	rows, err := s.r.QueryContext(ctx, `SELECT date(created_at/1000, 'unixepoch', 'localtime') AS day, model, kind, count(*),
	  `+sumCredits(`CASE WHEN `+accepted+` THEN credits END`)+`,
	  `+sumCredits(`CASE WHEN phase IN ('unknown','unread') AND dismissed=0 THEN credits END`)+`,
	  coalesce(sum(`+accepted+` AND source NOT IN ('service','table')), 0)
	  FROM jobs WHERE created_at >= ?1 AND (`+accepted+` OR phase IN ('unknown','unread') AND dismissed=0)
	  GROUP BY day, model, kind
	  UNION ALL SELECT date(created_at/1000, 'unixepoch', 'localtime') AS day, name, '`+string(KindTool)+`', count(*), 0, 0, count(*)
	  FROM toolcalls WHERE created_at >= ?1 AND `+called+` GROUP BY day, name
	  ORDER BY day DESC, kind, model`, millis(since))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Line
	for rows.Next() {
		var l Line
		if err := rows.Scan(&l.Day, &l.Model, &l.Kind, &l.Jobs, &l.Credits, &l.Possibly, &l.Unpriced); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, rows.Err()
}
