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
	lines, err := s.Ledger(ctx, since)
	var sp Spent
	for _, l := range lines {
		sp.Credits, sp.Possibly = sp.Credits.Plus(l.Credits), sp.Possibly.Plus(l.Possibly)
		sp.Unpriced += l.Unpriced
	}
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
	return all(ctx, s.r, scanLine, `SELECT date(created_at/1000, 'unixepoch', 'localtime') AS day, model, kind, count(*),
	  `+sumCredits(`CASE WHEN `+accepted+` THEN credits END`)+`,
	  `+sumCredits(`CASE WHEN phase IN ('unknown','unread') AND dismissed=0 THEN credits END`)+`,
	  coalesce(sum(`+accepted+` AND source NOT IN ('service','table')), 0)
	  FROM jobs WHERE created_at >= ?1 AND (`+accepted+` OR phase IN ('unknown','unread') AND dismissed=0)
	  GROUP BY day, model, kind
	  UNION ALL SELECT date(created_at/1000, 'unixepoch', 'localtime') AS day, name, '`+string(KindTool)+`', count(*), 0, 0, count(*)
	  FROM toolcalls WHERE created_at >= ?1 AND `+called+` GROUP BY day, name
	  ORDER BY day DESC, kind, model`, millis(since))
}

func scanLine(sc scanner) (l Line, err error) {
	err = sc.Scan(&l.Day, &l.Model, &l.Kind, &l.Jobs, &l.Credits, &l.Possibly, &l.Unpriced)
	return l, err
}

// Kept is how many jobs since a moment have a result that the person picked or
// starred, among the jobs that Ledger counts.
func (s *Store) Kept(ctx context.Context, since time.Time) (int, error) {
	return column[int](s.r.QueryRowContext(ctx, `SELECT count(*) FROM jobs WHERE created_at >= ?
	  AND (`+accepted+` OR phase IN ('unknown','unread') AND dismissed=0) AND (pick > 0 OR stars > 0 AND pick = 0)`, millis(since)))
}

// ToolCall is a call of a tool that may spend credits, as the ledger keeps it.
// What it cost is not known: the tool protocol names no price.
type ToolCall struct {
	ID       string
	Instance string // that makes it
	Base     string
	Name     string
	Now      time.Time

	Budget api.Credits // a day; 0: none
}

// PhaseRead is the phase of a call of a tool that is declared to only read, once
// it was answered. Such a call is recorded and costs nothing.
const PhaseRead api.Phase = "read"

// RecordTool makes it durable that a tool is about to be called. With a budget
// it is refused, as every request without a known price is.
func (s *Store) RecordTool(ctx context.Context, c ToolCall) error {
	return s.write(ctx, func(t *transaction) {
		t.fail(s.mayRecord(t))
		t.underBudget(c.Budget, api.Estimate{Source: api.SourceNone}, c.Now)
		t.run(`INSERT INTO toolcalls (id, owner, base, name, phase, created_at) VALUES (?,?,?,?,'sending',?)`,
			c.ID, c.Instance, c.Base, c.Name, millis(c.Now))
	})
}

// FinishTool writes what became of a call: done, PhaseRead, failed, rejected,
// not_sent or unknown. A call that never gets here stays "sending" and counts as made.
func (s *Store) FinishTool(ctx context.Context, id string, phase api.Phase, why api.Text, now time.Time) error {
	return s.write(ctx, func(t *transaction) {
		t.one(`UPDATE toolcalls SET phase=?, error=?, ended_at=? WHERE id=?`, phase, why.String(), millis(now), id)
	})
}

// phaseFollowed is the phase of a call whose job stands among the jobs: it is
// there that it counts.
const phaseFollowed api.Phase = "followed"

// Followed is a job that a tool began at the service.
type Followed struct {
	Call     string // the id of the ToolCall
	Base     string
	RemoteID string
	Model    string
	Title    string
	Request  api.Request
	Body     json.RawMessage // the tool's arguments
	SentAt   time.Time
	Now      time.Time
}

// Follow puts a job that a tool began among the jobs, due at once, and ends the
// call: one entry of the ledger becomes the other. A job that is there already
// is returned as it is.
func (s *Store) Follow(ctx context.Context, a Followed) (Job, error) {
	var id string
	err := s.write(ctx, func(t *transaction) {
		confirmID := "tool-" + a.Call
		if !t.scan([]any{&id}, `SELECT id FROM jobs WHERE remote_id=? AND base=? OR confirm_id=?`, a.RemoteID, a.Base, confirmID) {
			id = NewID()
			t.insertIntent(Intent{ConfirmID: confirmID, Base: a.Base, Request: a.Request, Body: a.Body, Title: a.Title, Now: a.SentAt}, id)
			t.one(`UPDATE jobs SET phase='queued', model=?, remote_id=?, sent_at=?, next_poll=? WHERE id=?`,
				a.Model, a.RemoteID, millis(a.SentAt), millis(a.Now), id)
		}
		t.one(`UPDATE toolcalls SET phase=?, ended_at=? WHERE id=?`, phaseFollowed, millis(a.Now), a.Call)
	})
	if err != nil {
		return Job{}, err
	}
	return s.Job(context.WithoutCancel(ctx), id)
}
