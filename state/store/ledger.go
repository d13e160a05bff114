package store

import (
	"context"
	"encoding/json"
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

// Charge is what one job cost, and what tells which other jobs it belongs with.
type Charge struct {
	ID, Parent string // Parent is the job that it is another sending of
	Title      string
	CreatedAt  time.Time
	Credits    api.Credits // 0 when it may not have been charged
	Possibly   api.Credits // of an unknown outcome
	Unpriced   bool        // charged, without a figure
	Kept       bool        // the person picked or starred its result
	Request    api.Request
	Results    []string // addresses of what it made
}

// Charges gives what each job cost since a moment, the oldest first, by the rule
// of Ledger. Calls of tools have no figure and are left out.
func (s *Store) Charges(ctx context.Context, since time.Time) ([]Charge, error) {
	rows, err := s.r.QueryContext(ctx, `SELECT id, parent, title, created_at,
	  CASE WHEN `+accepted+` THEN credits ELSE 0 END,
	  CASE WHEN phase IN ('unknown','unread') AND dismissed=0 THEN credits ELSE 0 END,
	  `+accepted+` AND source NOT IN ('service','table'), pick > 0 OR stars > 0 AND pick = 0, request, results,
	  coalesce((SELECT json_group_array(url) FROM files WHERE files.seq = jobs.seq), '[]')
	  FROM jobs JOIN details USING (seq)
	  WHERE created_at >= ? AND (`+accepted+` OR phase IN ('unknown','unread') AND dismissed=0) ORDER BY jobs.seq`, millis(since))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Charge
	for rows.Next() {
		var c Charge
		var created int64
		var request, results, files string
		if err := rows.Scan(&c.ID, &c.Parent, &c.Title, &created, &c.Credits, &c.Possibly, &c.Unpriced, &c.Kept, &request, &results, &files); err != nil {
			return nil, err
		}
		c.CreatedAt = moment(created)
		// A part that cannot be read leaves the sums as they are.
		_ = json.Unmarshal([]byte(request), &c.Request)
		_ = json.Unmarshal([]byte(files), &c.Results)
		var made []api.Result
		_ = json.Unmarshal([]byte(results), &made)
		for _, r := range made {
			c.Results = append(c.Results, r.URL)
		}
		list = append(list, c)
	}
	return list, rows.Err()
}
