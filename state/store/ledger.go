package store

import (
	"context"
	"time"

	"darkroom/api"
)

// accepted is the ledger's rule for what was charged for certain: a failed job
// counts only when the service had completed it.
const accepted = `(phase IN ('sending','queued','running','fetching','done','expired','stale') OR phase='failed' AND completed)`

// sumCredits adds amounts in SQL. SQLite's own sum fails when it exceeds 64
// bits; this one is exact up to 9e9 credits and stops at MaxCredits.
func sumCredits(amounts string) string {
	return `CAST(min(total(` + amounts + `), 9223372036854775807) AS INTEGER)`
}

// KindTool is the kind of a ledger line that counts calls of a tool.
const KindTool api.Kind = "tool"

// Spent is what was spent since a moment, without the budget.
func (s *Store) Spent(ctx context.Context, since time.Time) (Spent, error) {
	lines, err := s.Ledger(ctx, since)
	var all Sum
	for _, l := range lines {
		all.Add(l)
	}
	return Spent{Credits: all.Credits, Possibly: all.Possibly}, err
}

// Sum is what lines of the ledger come to. spend --json prints it.
type Sum struct {
	Jobs     int         `json:"jobs"`
	Credits  api.Credits `json:"credits"`  // accepted jobs
	Running  api.Credits `json:"-"`        // of Credits, jobs that have not ended
	Possibly api.Credits `json:"possibly"` // unknown and unread jobs, not dismissed
	Unpriced int         `json:"unpriced"` // accepted jobs without a figure
	Kept     int         `json:"-"`        // jobs with a result that was picked or starred
}

// Add adds a line.
func (s *Sum) Add(l Line) {
	s.Jobs += l.Jobs
	s.Credits = s.Credits.Plus(l.Credits)
	s.Running = s.Running.Plus(l.Running)
	s.Possibly = s.Possibly.Plus(l.Possibly)
	s.Unpriced += l.Unpriced
	s.Kept += l.Kept
}

// PerKept is what one kept result cost, of all that was spent, rounded up.
func (s *Sum) PerKept() (api.Credits, bool) {
	if s.Kept <= 0 {
		return 0, false
	}
	n := api.Credits(s.Kept)
	return s.Credits.Plus(n-1) / n, true
}

// Line is one line of the ledger: a day, model and kind. spend --json prints it.
type Line struct {
	Day   string   `json:"day"` // 2006-01-02, local
	Model string   `json:"model"`
	Kind  api.Kind `json:"kind"` // or KindTool; Model is the tool's name then
	Sum
}

// Ledger returns what was spent by local day, model and kind, newest day first. Calls of
// tools are in it that ran, or may have.
func (s *Store) Ledger(ctx context.Context, since time.Time) ([]Line, error) {
	return all(ctx, s.compiled(), func(sc scanner) (l Line, err error) {
		err = sc.Scan(&l.Day, &l.Model, &l.Kind, &l.Jobs, &l.Credits, &l.Running, &l.Possibly, &l.Unpriced, &l.Kept)
		return l, err
	}, `SELECT date(created_at/1000, 'unixepoch', 'localtime') AS day, model, kind, count(*),
	  `+sumCredits(`CASE WHEN `+accepted+` THEN credits END`)+`,
	  `+sumCredits(`CASE WHEN phase IN ('sending','queued','running','fetching') THEN credits END`)+`,
	  `+sumCredits(`CASE WHEN phase IN ('unknown','unread') AND dismissed=0 THEN credits END`)+`,
	  coalesce(sum(`+accepted+` AND source NOT IN ('service','table')), 0), sum(pick > 0 OR stars > 0 AND pick = 0)
	  FROM jobs WHERE created_at >= ?1 AND (`+accepted+` OR phase IN ('unknown','unread') AND dismissed=0)
	  GROUP BY day, model, kind
	  UNION ALL SELECT date(created_at/1000, 'unixepoch', 'localtime') AS day, name, '`+string(KindTool)+`', count(*), 0, 0, 0, count(*), 0
	  FROM toolcalls WHERE created_at >= ?1 AND phase IN ('sending','done','unknown') GROUP BY day, name
	  ORDER BY day DESC, kind, model`, millis(since))
}

// ToolCall is a call of a tool in the ledger. The protocol names no price.
type ToolCall struct {
	ID       string
	Instance string // that makes it
	Base     string
	Name     string
	Now      time.Time

	Budget api.Budgets
}

// PhaseRead is of an answered call of a tool that only reads: it costs nothing.
const PhaseRead api.Phase = "read"

// RecordTool makes it durable that a tool is about to be called, without a budget.
func (s *Store) RecordTool(ctx context.Context, c ToolCall) error {
	return s.write(ctx, func(t *transaction) {
		t.fail(s.mayRecord(t))
		t.underBudget(c.Budget, api.Estimate{Source: api.SourceNone}, c.Now, "")
		t.run(`INSERT INTO toolcalls (id, owner, base, name, phase, created_at) VALUES (?,?,?,?,'sending',?)`,
			c.ID, c.Instance, c.Base, c.Name, millis(c.Now))
	})
}

// FinishTool writes what became of a call. One that never gets here counts as made.
func (s *Store) FinishTool(ctx context.Context, id string, phase api.Phase, why api.Text, now time.Time) error {
	return s.write(ctx, func(t *transaction) {
		t.one(`UPDATE toolcalls SET phase=?, error=?, ended_at=? WHERE id=?`, phase, why.String(), millis(now), id)
	})
}

// Follow puts a job that the call of a tool began at the service among the jobs, due at
// now, and ends the call. in says what was called for, and when. A job that is there
// already is returned as it is.
func (s *Store) Follow(ctx context.Context, call, remoteID, model string, in Intent, now time.Time) (Job, error) {
	var id string
	err := s.write(ctx, func(t *transaction) {
		in.ConfirmID = "tool-" + call
		if !t.scan([]any{&id}, `SELECT id FROM jobs WHERE remote_id=? AND base=? OR confirm_id=?`, remoteID, in.Base, in.ConfirmID) {
			id = NewID()
			t.insertIntent(in, id)
			t.one(`UPDATE jobs SET phase='queued', model=?, remote_id=?, sent_at=created_at, next_poll=? WHERE id=?`,
				model, remoteID, millis(now), id)
		}
		t.one(`UPDATE toolcalls SET phase='followed', ended_at=? WHERE id=?`, millis(now), call) // it counts as its job
	})
	if err != nil {
		return Job{}, err
	}
	return s.Job(context.WithoutCancel(ctx), id)
}
