package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// List returns a window of everything that was ever confirmed: the held requests
// in the order in which they are sent, then the jobs, newest first unless the
// question says otherwise. Limit 0 means 100.
func (s *Store) List(ctx context.Context, q Query) (Page, error) {
	q.Limit, q.Offset = cmp.Or(max(q.Limit, 0), 100), max(q.Offset, 0)
	p := Page{Offset: q.Offset}
	held, err := all(ctx, s.compiled(), scanRow, `SELECT `+heldRowColumns+` FROM held`+heldOrder)
	if err != nil {
		return p, err
	}
	n := len(held)
	p.Asks = slices.DeleteFunc(slices.Clone(held), func(r Row) bool { return r.Entry == "" || !r.Paused })
	switch c := parseFilter(q.Filter, time.Now()); {
	case q.Results: // only jobs have them
		held = nil
	case q.Filter != "":
		held, err = all(ctx, s.r, scanRow, `SELECT `+heldRowColumns+heldAsJobs+strings.Join(c.where, ` AND `)+heldOrder, c.args...)
	}
	first := held[min(q.Offset, len(held)):min(q.Offset+q.Limit, len(held))]
	q.Offset, q.Limit = max(q.Offset-len(held), 0), q.Limit-len(first)
	err = cmp.Or(err, s.listJobs(ctx, q, &p))
	p.Total, p.All, p.Held = p.Total+len(held), p.All+n, n
	p.Rows = slices.Insert(p.Rows, 0, first...)
	return p, err
}

// listJobs is List for the jobs.
func (s *Store) listJobs(ctx context.Context, q Query, p *Page) error {
	c := parseFilter(q.Filter, time.Now())
	var last int64
	var hidden int
	err := s.compiled().QueryRowContext(ctx, `SELECT
	  (SELECT n FROM counters WHERE name='all'), (SELECT n FROM counters WHERE name='active'),
	  (SELECT count(*) FROM jobs WHERE hidden <> 0 AND NOT ?2), (SELECT count(*) FROM jobs WHERE unseen <> 0),
	  coalesce((SELECT max(seq) FROM jobs), 0), `+changeNumber+`,
	  (SELECT count(*) FROM jobs WHERE `+openPhases+` AND phase <> 'fetching' AND base <> ?1 AND ?1 <> '')`, q.Base, c.all).
		Scan(&p.All, &p.Active, &hidden, &p.Unseen, &last, &p.Change, &p.Others)
	if err != nil {
		return err
	}
	p.All, p.Active = p.All-hidden, p.Active-p.Others
	if q.Filter != "" || q.Results || q.Sort != "" {
		return s.listMatching(ctx, q, c, p)
	}
	p.Total = p.All
	// No row is ever deleted, so while none is hidden the sequence has no holes and a window
	// can be found by its number instead of by stepping over all rows before it.
	if last != int64(p.All) {
		p.Rows, err = all(ctx, s.r, scanRow, `SELECT `+rowColumns+` FROM jobs
		  WHERE hidden = 0 ORDER BY seq DESC LIMIT ? OFFSET ?`, q.Limit, q.Offset)
		return err
	}
	p.Rows, err = all(ctx, s.compiled(), scanRow, `SELECT `+rowColumns+` FROM jobs
	  WHERE seq BETWEEN ?1 - ?2 + 1 AND ?1 ORDER BY seq DESC`, last-int64(q.Offset), q.Limit)
	return err
}

// listMatching counts the jobs that match a question, and reads a window of them.
func (s *Store) listMatching(ctx context.Context, q Query, c condition, p *Page) error {
	if q.Results {
		c.add(`files > 0`)
	}
	order := ` ORDER BY ` + cmp.Or(sorts[q.Sort], sorts[``])
	seqs, err := all(ctx, s.r, column[int64], `SELECT seq FROM jobs WHERE `+strings.Join(c.where, ` AND `)+order, c.args...)
	if err != nil {
		return err
	}
	p.Total = len(seqs)
	seqs = seqs[min(q.Offset, len(seqs)):min(q.Offset+q.Limit, len(seqs))]
	p.Rows, err = all(ctx, s.r, scanRow, `SELECT `+rowColumns+` FROM jobs WHERE seq IN (SELECT value FROM json_each(?))`+order, object{seqs})
	return err
}

// Relative is a job that another one was made from, or into.
type Relative struct {
	Row
	Sources []string // ids of the jobs whose results it used, or that it repeats
	Frame   *Frame   // that it begins with
}

// Lineage returns a job with its sources and what was made from it, oldest first, 200 at
// most. That is not an argument: SQLite compiles a question again when its limit is bound.
func (s *Store) Lineage(ctx context.Context, id string) ([]Relative, error) {
	return all(ctx, s.compiled(), func(sc scanner) (r Relative, err error) {
		r.Row, err = scanRowAnd(sc, object{&r.Frame}, object{&r.Sources})
		return r, err
	}, `WITH RECURSIVE
	  start(seq) AS (SELECT seq FROM jobs WHERE id = ?1),
	  up(seq) AS (SELECT seq FROM start UNION SELECT u.source FROM up JOIN uses u ON u.seq = up.seq
	    UNION SELECT p.seq FROM up JOIN jobs c ON c.seq = up.seq JOIN jobs p ON p.id = c.parent),
	  down(seq) AS (SELECT seq FROM start UNION SELECT u.seq FROM down JOIN uses u ON u.source = down.seq
	    UNION SELECT c.seq FROM down JOIN jobs p ON p.seq = down.seq JOIN jobs c ON c.parent = p.id AND c.parent <> '')
	  SELECT `+rowColumns+`, `+frameColumn+`, (SELECT json_group_array(id) FROM (SELECT s.id FROM jobs s WHERE s.id = jobs.parent
	    OR s.seq IN (SELECT source FROM uses WHERE uses.seq = jobs.seq) ORDER BY s.seq))
	  FROM jobs WHERE seq IN (SELECT seq FROM up UNION SELECT seq FROM down) ORDER BY seq LIMIT 200`, id)
}

// Sent is a request that was confirmed, with what became of it.
type Sent struct {
	Row
	Request api.Request
	Pattern *api.Request // of which the requests of its agreement were made; nil without one
}

// HistoryQuery asks for requests that were confirmed.
type HistoryQuery struct {
	Contains string    // in the prompt, the model or the kind
	Since    time.Time // zero: all
	Starred  bool      // only those whose job has a star
	ByModel  bool      // only the one of each model that was accepted last
	Limit    int       // 0: 100
}

// History returns requests that were confirmed, newest first.
func (s *Store) History(ctx context.Context, q HistoryQuery) ([]Sent, error) {
	q.Limit = cmp.Or(max(q.Limit, 0), 100)
	c := condition{where: []string{`hidden = 0`, `json_extract(details.request, '$.prompt') <> ''`}}
	if text := strings.ToLower(strings.TrimSpace(q.Contains)); text != "" {
		c.add(`(json_extract(details.request, '$.prompt') IN (SELECT text FROM prompts WHERE instr(folded, ?))
			OR instr(folded, ?) OR agreement IN (SELECT id FROM agreements WHERE instr(lower(json_extract(pattern, '$.prompt')), ?)))`,
			text, text, text)
	}
	if !q.Since.IsZero() {
		c.add(`created_at >= ?`, millis(q.Since))
	}
	if q.Starred {
		c.add(`pick > 0`)
	}
	if q.ByModel {
		c.add(`jobs.seq IN (SELECT CAST(value AS INTEGER) FROM notes WHERE substr(name, 1, length(?)) = ?)`, lastOfModel, lastOfModel)
	}
	return all(ctx, s.r, func(sc scanner) (one Sent, err error) {
		one.Row, err = scanRowAnd(sc, object{&one.Request}, object{&one.Pattern})
		return one, err
	}, `SELECT `+rowColumns+`, details.request, `+patternColumn+` FROM jobs JOIN details ON details.seq = jobs.seq
	  WHERE `+strings.Join(c.where, " AND ")+` ORDER BY jobs.seq DESC LIMIT `+strconv.Itoa(q.Limit), c.args...)
}

// Each calls do with each job of the list that matches the filter: the held ones
// first, then the newest; limit 0 means all. An error of do ends it. The jobs are
// those that there are at the beginning, each as it is when its page is read. While
// do waits for a pager no transaction is open.
func (s *Store) Each(ctx context.Context, q Query, do func(Job) error) error {
	c := parseFilter(q.Filter, time.Now())
	held, err := all(ctx, s.r, scanHeld, `SELECT `+heldColumns+heldAsJobs+strings.Join(c.where, ` AND `)+heldOrder, c.args...)
	last, also := column[int64](s.r.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM jobs`))
	if err = cmp.Or(err, also); err != nil {
		return err
	}
	left, given := cmp.Or(max(q.Limit, 0), math.MaxInt), map[string]bool{}
	for _, h := range held[:min(left, len(held))] {
		if err := do(h.Job); err != nil {
			return err
		}
		given[h.ID] = true
		left--
	}
	query := `SELECT ` + jobColumns + `, 'null', 0` + jobSource + `WHERE ` +
		strings.Join(append(c.where, `jobs.seq <= ? ORDER BY jobs.seq DESC LIMIT ?`), ` AND `)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pages, failed := make(chan []stored, 1), make(chan error, 1)
	next := func() { // is read while do has the page before it
		page, err := all(ctx, s.r, scanJob, query, append(slices.Clone(c.args), last, min(left, eachPage))...)
		failed <- err
		pages <- page
	}
	if left > 0 {
		go next()
	}
	for left > 0 {
		err, page := <-failed, <-pages
		if err != nil || len(page) == 0 {
			return err
		}
		if left, last = left-len(page), page[len(page)-1].seq-1; left > 0 {
			go next()
		}
		for _, j := range page {
			if given[j.ID] {
				continue // it was sent since
			}
			if err := do(j.Job); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachPage is how many jobs are read at a time.
const eachPage = 250

// condition is a filter as a part of a query.
type condition struct {
	where   []string // joined with AND
	args    []any
	all     bool   // hidden jobs too
	unknown string // the first word that begins like a term and has no meaning
}

func (c *condition) add(where string, args ...any) {
	c.where, c.args = append(c.where, where), append(c.args, args...)
}

// statesOf are the words after is: that are no phase, or stand for more than one.
var statesOf = map[string]string{
	"active":  `phase IN ('intent','sending','queued','running','fetching')`,
	"failed":  `phase IN ('failed','rejected','not_sent')`,
	"doubt":   `phase IN ('unknown','unread') AND NOT dismissed`,
	"refused": `phase = 'rejected'`, "disliked": `pick < 0`, "picked": `pick > 0`, "favourite": `pick > 0`, "favorite": `pick > 0`,
	"rejected": `(pick < 0 OR phase = 'rejected')`, "rated": `(pick <> 0 OR stars > 0)`, "unrated": `pick = 0 AND stars = 0`,
	"unpicked": `pick <= 0 AND stars = 0`,
	"noted":    `note <> ''`, "unseen": `unseen <> 0`, "result": `files > 0`, "hidden": `hidden <> 0`,
	"image": `kind = 'image'`, "video": `kind = 'video'`,
	"expiring": `phase = 'done' AND files = 0 AND expires_at > 0`,
}

// parseFilter reads the words of a filter: each is a word of a job, or one of
// is:, kind:, model:, credits:, since: and rating: with a value. A word that
// begins like one of those and has no meaning is looked for as it is. Hidden jobs
// are left out unless it asks for them.
func parseFilter(filter string, now time.Time) (c condition) {
	for word := range strings.FieldsSeq(strings.ToLower(filter)) {
		n := strings.IndexByte(word, ':') + 1
		term, meant := c.addTerm(word[:n], word[n:], now)
		if meant {
			continue
		}
		if term && c.unknown == "" {
			c.unknown = word
		}
		c.add(`(instr(folded, ?) OR instr(phase, ?) OR instr(lower(status || ' ' || remote_id || ' ' || note), ?))`, word, word, word)
	}
	if !c.all {
		c.add(`hidden = 0`)
	}
	return c
}

// UnknownTerm is the first word that begins like a term and has no meaning, or "".
func (q Query) UnknownTerm() string { return parseFilter(q.Filter, time.Time{}).unknown }

// addTerm adds what a key such as is: asks for with a value. It reports whether key is a term, and
// whether the value has a meaning for it.
func (c *condition) addTerm(key, value string, now time.Time) (term, meant bool) {
	where, arg := "", any(value)
	switch key {
	case "is:":
		c.all = c.all || value == "hidden"
		if state := statesOf[value]; state != "" {
			c.add(state)
			return true, true
		} else if api.Phase(value).Known() {
			where = `phase = ?`
		}
	case "kind:":
		if value == string(api.KindImage) || value == string(api.KindVideo) {
			where = `kind = ?`
		}
	case "model:":
		if value != "" {
			where = `instr(lower(model), ?)`
		}
	case "credits:":
		op, rest := comparison(value)
		if amount, err := api.ParseCredits(rest); err == nil {
			where, arg = `source <> 'none' AND credits `+op+` ?`, int64(amount)
		}
	case "stars:", "rating:":
		op, rest := comparison(value)
		if n, err := strconv.Atoi(rest); err == nil {
			where, arg = `stars `+op+` ?`, n
		}
	case "since:", "older:":
		if at, ok := Since(value, now); ok {
			where, arg = map[string]string{"since:": `created_at >= ?`, "older:": `created_at < ?`}[key], millis(at)
		}
	default:
		return false, false
	}
	if where != "" {
		c.add(where, arg)
	}
	return true, where != ""
}

// comparison splits ">=4" into operator and rest; "4" means "=4".
func comparison(value string) (op, rest string) {
	for _, op := range []string{">=", "<=", ">", "<", "="} {
		if rest, ok := strings.CutPrefix(value, op); ok {
			return op, rest
		}
	}
	return "=", value
}

// Since is the beginning of a day: today, yesterday, 7d, 2w, 2026-03-01 or 2026-03.
func Since(value string, now time.Time) (time.Time, bool) {
	y, m, d := now.Date()
	back := func(days int) (time.Time, bool) { return api.Midnight(y, m, d-days, now.Location()), true }
	switch value {
	case "today":
		return back(0)
	case "yesterday":
		return back(1)
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if n, ok := strings.CutSuffix(value, unit); ok {
			if count, err := strconv.Atoi(n); err == nil && count >= 0 && count < 100_000 {
				return back(count * days)
			}
		}
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(layout, value); err == nil {
			y, m, d = at.Date()
			return back(0)
		}
	}
	return time.Time{}, false
}

// sorts are the orders of the list by name; "" is that of every other name, too.
var sorts = map[string]string{
	"":        `seq DESC`,
	"oldest":  `seq`,
	"credits": `source = 'none', credits DESC, seq DESC`,
	"title":   `lower(title), seq DESC`,
	"time":    `sent_at = 0 OR ended_at = 0, ended_at - sent_at DESC, seq DESC`,
	"stars":   `stars DESC, pick DESC, seq DESC`,
}

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
	all := lines.Total()
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

// PerKept is what one kept result cost, of all that was spent, rounded up, if any price is known.
func (s *Sum) PerKept() (api.Credits, bool) {
	if s.Kept <= 0 || s.Unpriced > 0 && s.Credits == 0 {
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

// Spend is what was spent since a moment, by local day, model and kind, the newest day first.
type Spend []Line

// MonthAt is what the month of a day comes to, with what may be charged, if it goes on as until then.
func (s Spend) MonthAt(day time.Time) api.Credits {
	sum, days := s.since(day.Format("2006-01")), api.Month.Begin(day).AddDate(0, 1, -1).Day()
	return api.Credits(min(float64(sum.Credits.Plus(sum.Possibly))/float64(day.Day())*float64(days), 9e18)).Round()
}

// Total is what all lines come to.
func (s Spend) Total() Sum { return s.since("") }

func (s Spend) since(day string) (t Sum) {
	for _, l := range s {
		if l.Day >= day {
			t.Add(l)
		}
	}
	return t
}

// Ledger returns what was spent since a moment. Calls of tools are in it that ran, or may have.
func (s *Store) Ledger(ctx context.Context, since time.Time) (Spend, error) {
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
