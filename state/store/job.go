// Package store is darkroom's SQLite file: jobs and their files, what was asked and
// answered, and the leases by which several windows share the work.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"darkroom/api"
)

// Row is what a list shows of a job: no body, no answers.
type Row struct {
	ID        string // ours, random, never reused
	RemoteID  string // the service's id as received; data, not text
	Kind      api.Kind
	Model     string
	Phase     api.Phase
	Status    api.Text   // the service's own word
	Error     api.Reason // what went wrong and what to do
	Title     string     // a line cut from the prompt
	Credits   api.Credits
	Source    api.Source
	Progress  float64 // 0 to 1; negative when not known
	CreatedAt time.Time
	SentAt    time.Time // zero before the POST
	EndedAt   time.Time // zero while it goes on
	ExpiresAt time.Time // of its result links; zero when not known
	Files     int
	File      string // path of the first one, or ""
	Duration  string // seconds that were asked of a video with files
	Seed      string // that was asked for with it, if any
	Dismissed bool   // an unknown declared not charged
	Completed bool   // the service made it, whatever became of the files
	Agreement string // that it is of, when several were confirmed as one
	Label     string // in what it differs from the others of the agreement
	Paused    bool   // held, and nobody sends it: it waits for the person
	Entry     string // of the agent that asked for it; "" of the person's own
	Version   int64  // grows with every change; even as it is stored

	Rating
	Note   string // the person's own words
	Hidden bool   // not in the list
	Unseen bool   // done, and not looked at yet
}

// Free reports whether nothing was charged for the job: the ledger does not count it.
func (r *Row) Free() bool {
	return r.Dismissed || r.Phase == api.PhaseRejected || r.Phase == api.PhaseNotSent || r.Phase == api.PhaseFailed && !r.Completed
}

// Job is one confirmed submission, from the moment it is recorded.
type Job struct {
	Row
	Base     string // origin and path prefix of the service it was sent to
	ErrClass api.ErrorClass
	Request  api.Request
	Body     json.RawMessage // exactly as sent
	Estimate api.Estimate
	NextPoll time.Time
	Files    []File
	Results  []api.Result // what the service returned, also before it is fetched
	Opened   bool         // opened or previewed by itself once
	Pattern  *api.Request // of which the requests of the agreement were made; nil without one
	Again    string       // the job that it was sent again as; "" without one
	Related  bool         // it was made from another job, or another one from it: see Lineage
	Tally    Tally
	Frame    *Frame // that it begins with; nil if it is not known to be one of a clip
}

// Frame is a frame of a clip.
type Frame struct {
	Job     string  `json:"job"`
	Title   string  `json:"title"` // of the job
	Seconds float64 `json:"seconds"`
}

// File is one saved result.
type File struct {
	N         int    `json:"n"`    // the number of the result, from 1
	Path      string `json:"path"` // absolute
	URL       string `json:"url"`
	MediaType string `json:"media_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"` // hex
}

// Elsewhere says that a job was sent to another service.
func (j *Job) Elsewhere() *api.Fault {
	const why = api.Sentence("this job was sent to another service (%v): use its address to ask for it")
	return why.Fault(nil, api.Clean(j.Base, api.MaxIDText))
}

// Query asks for a window of the list.
type Query struct {
	// Filter is matched against title, model, phase, kind, status, note and ids; words
	// are ANDed. is:, kind:, model:, credits:, since: and rating: narrow it further.
	Filter  string
	Sort    string // "" is newest first; oldest, credits, title, time, stars
	Results bool   // only jobs with files
	Base    string // of the service in use; "" for all
	Offset  int
	Limit   int
}

// Page is a window of the list and the counts that go with it.
type Page struct {
	Rows   []Row
	Offset int
	Total  int   // rows that match the filter
	All    int   // rows there are, with those that are held; hidden ones only if the filter asks for them
	Held   int   // of which are held
	Active int   // jobs in an active phase, without Others
	Others int   // jobs that nobody asks for, since they run at another service
	Unseen int   // jobs with results that nobody looked at yet
	Asks   []Row // of agents, waiting for the person
	Change int64 // the number of the newest change that it shows
}

// Spent is what a day or a month cost by darkroom's own ledger.
type Spent struct {
	Period   api.Period
	Credits  api.Credits // accepted jobs
	Possibly api.Credits // unknown and unread jobs, not dismissed
	Budget   api.Credits // 0: none set
	Month    *Spent      // of a day: that of its month, if it has a budget
}

// Tightest is the day or its month, whichever has the budget that leaves less.
func (s Spent) Tightest() Spent {
	if m := s.Month; m != nil && s.Budget != api.BudgetUnreadable && (s.Budget == 0 || m.Budget == api.BudgetUnreadable ||
		m.Budget-m.Credits.Plus(m.Possibly) < s.Budget-s.Credits.Plus(s.Possibly)) {
		return *m
	}
	return s
}

// Left is what the budgets leave, and false without one that can be read.
func (s Spent) Left() (api.Credits, bool) {
	t := s.Tightest()
	return max(t.Budget-t.Credits.Plus(t.Possibly), 0), t.Budget > api.BudgetUnreadable
}

// Near reports whether at least 80 % of the budget are or may be spent.
func (s Spent) Near() bool {
	return s.Budget > 0 && s.Credits+s.Possibly >= s.Budget/5*4
}

const rowColumns = `id, remote_id, kind, model, phase, status, error, reason, title, credits, source, progress,
 created_at, sent_at, ended_at, expires_at, files, dismissed, completed, 2*version, agreement, label, entry, pick, stars, note,
  hidden, unseen,
 coalesce((SELECT path FROM files WHERE files.seq = jobs.seq ORDER BY n LIMIT 1), ''),
 iif(kind = 'video' AND files, coalesce((SELECT d.request ->> 'duration' FROM details d WHERE d.seq = jobs.seq), ''), ''),
 iif(kind = 'video' AND files, coalesce((SELECT d.request ->> 'seed' FROM details d WHERE d.seq = jobs.seq), ''), ''),
 0`

func scanRow(sc scanner) (Row, error) { return scanRowAnd(sc) }

// scanRowAnd scans rowColumns and the columns behind them.
func scanRowAnd(sc scanner, behind ...any) (r Row, _ error) {
	var status, text, reason string
	err := sc.Scan(append([]any{&r.ID, &r.RemoteID, &r.Kind, &r.Model, &r.Phase, &status, &text, &reason, &r.Title, &r.Credits,
		&r.Source, &r.Progress, moment{&r.CreatedAt}, moment{&r.SentAt}, moment{&r.EndedAt}, moment{&r.ExpiresAt}, &r.Files,
		&r.Dismissed, &r.Completed, &r.Version, &r.Agreement, &r.Label, &r.Entry, &r.Pick, &r.Stars, &r.Note,
		&r.Hidden, &r.Unseen, &r.File, &r.Duration, &r.Seed, &r.Paused}, behind...)...)
	// cleaned before, but another program may have written to the file
	r.Status, r.Error = api.Clean(status, api.MaxStatusText), api.ParseReason(reason, text)
	return r, err
}

const jobColumns = rowColumns + `, ` + sentAgainAs + `, iif(files, (SELECT json_group_array(json_object(
  'n', n, 'path', path, 'url', url, 'media_type', media_type, 'bytes', bytes, 'sha256', sha256))
   FROM (SELECT * FROM files WHERE files.seq = jobs.seq ORDER BY n)), 'null'),
 jobs.seq, base, err_class, next_poll, opened, gone, gone_since, hollow, request, body, estimate, results,
` + patternColumn

// frameColumn is the frame of a clip that a video begins with.
const frameColumn = `iif(kind = 'video', coalesce((SELECT value FROM notes JOIN details d ON name = 'frame ' || (d.request ->> 'image_url')
  WHERE d.seq = jobs.seq), 'null'), 'null')`

// relatedColumn comes after jobColumns; a list of all jobs leaves it out.
const relatedColumn = `, ` + frameColumn + `, parent <> '' OR EXISTS (SELECT 1 FROM uses u WHERE u.seq = jobs.seq)
  OR EXISTS (SELECT 1 FROM uses u WHERE u.source = jobs.seq)
  OR EXISTS (SELECT 1 FROM jobs c WHERE c.parent = jobs.id AND c.parent <> '')`

const patternColumn = `coalesce((SELECT pattern FROM agreements WHERE agreements.id = agreement), 'null')`

const jobSource = ` FROM jobs LEFT JOIN details ON details.seq = jobs.seq `

// stored is a job with the number of its row.
type stored struct {
	Job
	seq int64
}

func scanJob(sc scanner) (j stored, err error) {
	j.Row, err = scanRowAnd(sc, &j.Again, object{&j.Files},
		&j.seq, &j.Base, &j.ErrClass, moment{&j.NextPoll}, &j.Opened, &j.Tally.NotFound, moment{&j.Tally.NotFoundSince}, &j.Tally.Empty,
		object{&j.Request}, (*[]byte)(&j.Body), object{&j.Estimate}, object{&j.Results}, object{&j.Pattern}, object{&j.Frame}, &j.Related)
	j.Tally.Completed = j.Completed
	if err != nil {
		return j, api.Sentence("job %v is in the list and cannot be read: %v").Fault(err, j.ID, err)
	}
	return j, nil
}

// Job returns one job, or one held request, by its local id.
func (s *Store) Job(ctx context.Context, id string) (Job, error) {
	for range 2 { // it may be sent between the two questions
		list, err := all(ctx, s.compiled(), scanJob, `SELECT `+jobColumns+relatedColumn+jobSource+`WHERE id = ? LIMIT 1`, id)
		if err != nil {
			return Job{}, cmp.Or(s.inPlace(), err)
		}
		if len(list) > 0 {
			return list[0].Job, nil
		}
		h, err := s.heldOne(ctx, id)
		if !errors.Is(err, sql.ErrNoRows) {
			return h.Job, err
		}
	}
	return Job{}, cmp.Or(s.inPlace(), error(ErrMissing))
}

// Find finds a job by its local id, else by the service's id at the base in use,
// else at another one, else by a unique prefix of either.
func (s *Store) Find(ctx context.Context, id, base string) (j Job, err error) {
	if id == "" {
		return j, ErrMissing
	}
	if j, err = s.Job(ctx, id); !errors.Is(err, ErrMissing) {
		return j, err
	}
	for i, where := range []string{
		`remote_id <> '' AND remote_id = ?1 AND base = ?2`,
		`remote_id <> '' AND remote_id = ?1 AND base <> ?2`,
		`id >= ?1 AND id < ?1 || char(0x10ffff) UNION SELECT id FROM held WHERE id >= ?1 AND id < ?1 || char(0x10ffff)
		  UNION SELECT id FROM jobs WHERE remote_id <> '' AND remote_id >= ?1 AND remote_id < ?1 || char(0x10ffff)`,
	} {
		found, err := all(ctx, s.r, column[string], `SELECT id FROM jobs WHERE `+where+` ORDER BY id LIMIT 5`, id, base)
		switch {
		case err != nil:
			return j, err
		case len(found) > 1:
			return j, [...]api.Sentence{whySame, whySame, whySeveral}[i].Fault(ErrMissing, api.Clean(id, 40), strings.Join(found, ", "))
		case len(found) == 1:
			return s.Job(ctx, found[0])
		}
	}
	return j, ErrMissing
}

// Changes returns the ids changed after a number, and the next number.
func (s *Store) Changes(ctx context.Context, after int64) (ids []string, next int64, err error) {
	if next, err = s.ChangeNumber(ctx); err == nil && next != after {
		ids, err = all(ctx, s.r, column[string], `SELECT id FROM jobs WHERE version > ?1
		  UNION ALL SELECT id FROM held WHERE version > ?1`, after)
	}
	return ids, next, err
}

// ChangeNumber is the number of the newest change.
func (s *Store) ChangeNumber(ctx context.Context) (int64, error) {
	return column[int64](s.compiled().QueryRowContext(ctx, `SELECT `+changeNumber))
}

// Answer is the newest raw answer about a job, or only the one to its "create"; nil
// without one.
func (s *Store) Answer(ctx context.Context, id, call string) ([]byte, error) {
	return value[[]byte](ctx, s.r, `SELECT raw FROM answers JOIN jobs ON jobs.seq = answers.seq
	  WHERE jobs.id = ?1 AND ?2 IN ('', call) ORDER BY at DESC, call DESC LIMIT 1`, id, call)
}

// Event is a change of a job's phase. It is written in the transaction that made the
// change; the newest 20,000 are kept.
type Event struct {
	Number int64 // grows by one
	Job    string
	Phase  api.Phase
	At     time.Time
}

// Events returns at most 1,000 events after a number, oldest first.
func (s *Store) Events(ctx context.Context, after int64) ([]Event, error) {
	return all(ctx, s.r, func(sc scanner) (e Event, err error) {
		err = sc.Scan(&e.Number, &e.Job, &e.Phase, moment{&e.At})
		return e, err
	}, `SELECT n, job, phase, at FROM events WHERE n > ? ORDER BY n LIMIT 1000`, after)
}

// LastEvent is the number of the newest event.
func (s *Store) LastEvent(ctx context.Context) (int64, error) {
	return column[int64](s.r.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM events`))
}

// AwaitEvents makes the events of some phases, with commas around each, wait from
// now on for TakeEvent. Those of other phases that the window had before wait no more,
// and without other windows those of no other phases do.
func (s *Store) AwaitEvents(ctx context.Context, phases, had string, others bool) error {
	next := func(noted string) (all string) {
		for phase := range strings.SplitSeq(noted+phases, ",") {
			p := "," + phase + ","
			stays := strings.Contains(phases, p) || others && !strings.Contains(had, p)
			if stays && phase != "" && !strings.Contains(all, p) {
				all += p
			}
		}
		return all
	}
	if noted, err := s.Note(ctx, noteHooks); err != nil || noted == next(noted) {
		return err
	}
	return s.write(ctx, func(t *transaction) {
		var noted string
		t.scan([]any{&noted}, `SELECT value FROM notes WHERE name = ?`, noteHooks)
		t.setNote(noteHooks, next(noted))
		t.run(`UPDATE events SET waits = 0 WHERE waits <> 0 AND NOT instr(?, ',' || phase || ',')`, next(noted))
	})
}

// TakeEvent takes the oldest event that waits and is of some phases; false when there is
// none. It is taken once over all windows, and durably.
func (s *Store) TakeEvent(ctx context.Context, phases string) (e Event, ok bool, err error) {
	const next = ` n = (SELECT n FROM events WHERE waits <> 0 AND instr(?, ',' || phase || ',') ORDER BY n LIMIT 1)`
	if ok, err = value[bool](ctx, s.compiled(), `SELECT EXISTS (SELECT 1 FROM events WHERE`+next+`)`, phases); !ok || err != nil {
		return e, false, err
	}
	err = s.write(ctx, func(t *transaction) {
		t.fail(s.mayRecord(t))
		ok = t.scan([]any{&e.Number, &e.Job, &e.Phase, moment{&e.At}},
			`UPDATE events SET waits = 0 WHERE`+next+` RETURNING n, job, phase, at`, phases)
	})
	return e, ok && err == nil, err
}

// Rating is what a person thinks of a job's results.
type Rating struct {
	Pick  int // 1: favourite, the pick; -1: rejected; 0: neither
	Stars int // 0 to 5
}

// MaxStars is the most stars that a Rating has.
const MaxStars = 5

// Rated is a job with the rating that it gets.
type Rated struct {
	ID string
	Rating
}

// Rate rates jobs as one step. The answer has those whose rating changed.
func (s *Store) Rate(ctx context.Context, rated []Rated) (ids []string, err error) {
	err = s.change(ctx, func(t *transaction) {
		for _, r := range rated {
			pick, stars := max(min(r.Pick, 1), -1), max(min(r.Stars, MaxStars), 0)
			if t.rows(`INSERT INTO ratings (step, seq, pick, stars)
			  SELECT `+changeNumber+`, seq, pick, stars FROM jobs WHERE id = ? AND (pick <> ? OR stars <> ?)`, r.ID, pick, stars) > 0 {
				t.run(`UPDATE jobs SET pick=?, stars=?, `+newVersion+` WHERE id=?`, pick, stars, r.ID)
				ids = append(ids, r.ID)
			}
		}
	})
	return ids, err
}

// UndoRating takes the newest step back and returns its jobs.
func (s *Store) UndoRating(ctx context.Context) (ids []string, err error) {
	err = s.write(ctx, func(t *transaction) {
		var step int64
		if !t.scan([]any{&step}, `SELECT step FROM ratings ORDER BY step DESC LIMIT 1`) {
			return
		}
		t.count()
		ids, err = all(t.ctx, t, column[string], `UPDATE jobs SET pick=before.pick, stars=before.stars, `+newVersion+`
		  FROM ratings before WHERE before.step = ? AND before.seq = jobs.seq RETURNING jobs.id`, step)
		t.fail(err)
		t.run(`DELETE FROM ratings WHERE step = ?`, step)
	})
	return ids, err
}

// MaxNote is the most bytes of a note.
const MaxNote = 500

// Annotate keeps a note with a job; "" takes it away.
func (s *Store) Annotate(ctx context.Context, id, note string) error {
	return s.update(ctx, `UPDATE jobs SET note=?, `+newVersion+` WHERE id=?`, api.Clean(note, MaxNote).String(), id)
}

// Hide takes jobs out of the list, or puts them back, and returns those that
// changed. Active jobs and those of unknown outcome stay in the list.
func (s *Store) Hide(ctx context.Context, ids []string, hidden bool) (moved []string, err error) {
	err = s.change(ctx, func(t *transaction) {
		for _, id := range ids {
			if t.rows(`UPDATE jobs SET hidden=?, unseen=0, `+newVersion+` WHERE id=? AND hidden<>? AND (? = 0
			  OR phase NOT IN ('intent','sending','queued','running','fetching') AND (phase NOT IN ('unknown','unread') OR dismissed))`,
				hidden, id, hidden, hidden) > 0 {
				moved = append(moved, id)
			}
		}
	})
	return moved, err
}

// See notes that results were looked at, and reports whether one was not before.
func (s *Store) See(ctx context.Context, ids []string) (first bool, err error) {
	const these = ` unseen <> 0 AND id IN (SELECT value FROM json_each(?))`
	first, err = value[bool](ctx, s.r, `SELECT EXISTS (SELECT 1 FROM jobs WHERE`+these+`)`, object{ids})
	if first { // nothing is written for what was seen before
		err = s.run(ctx, `UPDATE jobs SET unseen=0 WHERE`+these, object{ids})
	}
	return first && err == nil, err
}

// MarkOpened reports whether this call was the first for a finished job.
func (s *Store) MarkOpened(ctx context.Context, id string) (first bool, _ error) {
	err := s.write(ctx, func(t *transaction) {
		first = t.rows(`UPDATE jobs SET opened=1 WHERE id=? AND opened=0 AND phase='done'`, id) > 0
	})
	return first, err
}

const (
	whySame    = api.Sentence("several jobs have the id %v: name one by its own id (%v)")
	whySeveral = api.Sentence("several jobs begin with %v: write more of it (%v)")
)

// NoResult is why a job has no result, and never had; zero if it may have one.
func NoResult(r Row) api.Reason {
	if r.Completed || r.Files > 0 || r.Phase.Active() {
		return api.Reason{}
	}
	return cmp.Or(map[api.Phase]api.Sentence{
		api.PhaseHeld:     api.Sentence("job %v was not sent, so it has no results; send it with 'darkroom job %v --send'"),
		api.PhaseNotSent:  api.Sentence("job %v was not sent, so it has no results; 'darkroom job %v' says how to send it"),
		api.PhaseRejected: api.Sentence("the service refused job %v, so it has no results; 'darkroom job %v' says why"),
		api.PhaseFailed:   api.Sentence("job %v failed, so it has no results; 'darkroom job %v' says why"),
	}[r.Phase], api.Sentence("it is not known whether job %v has results; 'darkroom job %v' says why")).Reason(r.ID, r.ID)
}
