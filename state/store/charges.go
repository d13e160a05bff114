package store

import (
	"context"
	"encoding/json"
	"time"

	"darkroom/api"
)

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
