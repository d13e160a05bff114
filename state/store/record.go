package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"darkroom/api"
)

// Intent is a confirmed request about to be recorded.
type Intent struct {
	// ConfirmID is never recorded twice. With a Parent it is the Again of that job:
	// what was confirmed before another window sent it again is that window's job.
	ConfirmID string
	Parent    string // the job that is sent again, if any
	Instance  string // that will send it
	Base      string
	Request   api.Request
	Body      []byte
	Title     string
	Estimate  api.Estimate
	Now       time.Time

	Held string // the held request that this is, if any; its id becomes the job's

	Edited bool   // the held request waits for the person, who sends this in its place
	Grant  *Grant // what lets a held request of an agent be sent without the person

	agreement, label, entry string // of the held request

	Budget api.Budgets
	Again  bool // permits a body equal to one that is active or unknown
}

// Refusal says why nothing was sent and nothing recorded. Code is one of problems,
// budget, max_credits, again, no_key, key_refused, no_base, store, credits,
// not_sendable, stale (confirmed too late), link (it has expired), ask_tool, downloads,
// too_many; of what an agent asks for also intent, too_many_open, declined, price_unknown,
// and why it is not sent without the person: not_granted, over_per_job, over_day, no_models.
type Refusal struct {
	Code string
	api.Fault
	Problems []api.Problem
	Prices   []api.Estimate // with the code price: what each request costs now
}

// UsedUp reports whether the key had no credits or calls left when it was last used.
func (r *Refusal) UsedUp() bool { return api.ErrorClass(r.Code).UsedUp() }

// Record writes the intent durably: budget, duplicate question and insert are
// one transaction over all windows. A confirm id that is known returns its job
// and false; nothing new is recorded then.
func (s *Store) Record(ctx context.Context, in Intent) (Job, bool, error) {
	var id string
	fresh := false
	err := s.write(ctx, func(t *transaction) {
		if t.scan([]any{&id}, `SELECT id FROM jobs WHERE confirm_id = ?`, in.ConfirmID) {
			return
		}
		t.fail(s.mayRecord(t))
		if in.Parent != "" {
			t.sendAgain(in)
		}
		if !in.Again {
			t.otherBody(in.Base, hashOf(in.Body), in.Now)
		}
		t.underBudget(in.Budget, in.Estimate, in.Now, "")
		id, fresh = NewID(), true
		if in.Held != "" {
			id = in.Held
			t.takeHeld(&in)
		}
		t.insertIntent(in, id)
	})
	if err != nil {
		return Job{}, false, err
	}
	j, err := s.Job(context.WithoutCancel(ctx), id)
	if err != nil && fresh {
		// The caller gets an error, so nobody will send it.
		_ = s.Unsend(context.WithoutCancel(ctx), id, api.PhaseNotSent, whyNotSentUnread.Reason(Why(err)), "", in.Now)
	}
	return j, fresh, err
}

// takeHeld takes a held request out of the queue to become the intent: in its turn
// it is this instance's, and an edited one waits for the person.
func (t *transaction) takeHeld(in *Intent) {
	if !t.scan([]any{&in.agreement, &in.label, &in.entry}, `DELETE FROM held WHERE id=?1 AND owner=iif(?3, '', ?2) AND (owner<>'' OR ?3
	  AND expires_at NOT BETWEEN 1 AND ?4) RETURNING agreement, label, entry`, in.Held, in.Instance, in.Edited, millis(in.Now)) {
		t.fail(ErrLate) // it is not this window's to send any more
	}
	if in.Grant != nil { // what else is in its turn is looked at then
		t.underGrant(*in.Grant, in.entry, in.Estimate, in.Estimate.Credits, in.Now)
	}
}

// mayRecord says why nothing that is to be sent can be recorded. What is a
// budget or a job to a newer darkroom, which may have opened the file, is not
// known here.
func (s *Store) mayRecord(t *transaction) error {
	if !s.hold().IsZero() {
		return ErrReadOnly
	}
	have, err := version(t.ctx, t)
	if err == nil && have > newest() {
		err = errNewer
	}
	return cmp.Or(err, s.inPlace())
}

func hashOf(body []byte) string { return fmt.Sprintf("%x", sha256.Sum256(body)) }

// sameWithin is how long an active job makes an equal body a question.
const sameWithin = 10 * time.Minute

// otherBody refuses a body that is active, or has an unknown outcome.
func (t *transaction) otherBody(base, hash string, now time.Time) {
	var unknown bool
	var id string
	if !t.scan([]any{&unknown, &id}, `SELECT phase IN ('unknown','unread'), id FROM jobs WHERE body_hash = ? AND base = ? AND dismissed = 0
	  AND (phase IN ('unknown','unread') OR phase IN ('intent','sending','queued','running','fetching') AND created_at >= ?)
	  ORDER BY 1 DESC LIMIT 1`, hash, base, millis(now.Add(-sameWithin))) {
		return
	}
	why := api.Sentence("an identical request is running: job %v")
	if unknown {
		why = api.Sentence("an identical request was sent before, as job %v, and may have been accepted and charged")
	}
	t.refuse("again", why, id)
}

func (t *transaction) refuse(code string, why api.Sentence, args ...any) {
	t.fail(&Refusal{Code: code, Fault: *why.Fault(nil, args...)})
}

// Affords refuses an intent, or what may become one, that the budgets or its grant do not cover now, and notes its price of now.
func (s *Store) Affords(ctx context.Context, j *Job, budgets api.Budgets, g *Grant, now time.Time) error {
	return s.write(ctx, func(t *transaction) {
		if t.underBudget(budgets, j.Estimate, now, j.ID); g != nil {
			t.underGrant(*g, j.Entry, j.Estimate, 0, now) // what it costs is in the sum
		}
		t.run(`UPDATE jobs SET credits=?, source=? WHERE id=?`, j.Estimate.Credits, cmp.Or(j.Estimate.Source, api.SourceNone), j.ID)
		t.run(`UPDATE details SET estimate=? WHERE seq=(SELECT seq FROM jobs WHERE id=?)`, object{j.Estimate}, j.ID)
	})
}

// underBudget refuses what the budget of a period does not allow. What is on its way
// counts as spent too, except the job itself: two windows confirming at once must not both fit.
func (t *transaction) underBudget(budgets api.Budgets, wanted api.Estimate, now time.Time, job string) {
	for period, budget := range budgets {
		if budget == 0 {
			continue
		}
		var spent, ahead api.Credits
		t.scan([]any{&spent, &ahead}, `SELECT `+sumCredits(`credits`)+`, `+sumCredits(`iif(created_at >= ?, credits, 0)`)+` FROM jobs
		  WHERE created_at >= ? AND dismissed = 0 AND id <> ? AND `+mayHaveCost,
			millis(api.Day.Begin(now.AddDate(0, 0, 1))), millis(api.Period(period).Begin(now)), job)
		switch {
		case wanted.Known() && wanted.Credits <= budget-spent: // a sum could overflow
		case budget == api.BudgetUnreadable:
			t.refuse("budget", whyBudgetUnread)
		case !wanted.Known():
			t.refuse("budget", whyBudgetUnpriced)
		case wanted.Credits > budget: // on any day
			t.refuse("budget", whyOverBudget[period], budget.Amount(), wanted.Credits.Amount())
		case ahead > 0: // waiting is no advice
			t.refuse("budget", whyBudgetAhead, budget.Amount(), wanted.Credits.Amount(), spent.Amount(), ahead.Amount())
		default:
			t.refuse("budget", whyBudget[period], budget.Amount(), wanted.Credits.Amount(), spent.Amount())
		}
	}
}

// mayHaveCost is the ledger's rule for what was, or may have been, charged, and for
// what is on its way.
const mayHaveCost = `(phase NOT IN ('rejected','not_sent','failed') OR phase = 'failed' AND completed)`

func (t *transaction) insertIntent(in Intent, id string) {
	t.count()
	r, kind := in.Request, in.Request.Kind
	seq := t.insert(`INSERT INTO jobs (id, confirm_id, parent, base, kind, model, phase, title, folded,
	  body_hash, credits, source, created_at, owner, agreement, label, entry, version)
	  VALUES (?,?,?,?,?,?,'intent',?,?,?,?,?,?,?,?,?,?,`+changeNumber+`)`,
		id, in.ConfirmID, in.Parent, in.Base, kind, r.Model, in.Title,
		strings.ToLower(in.Title+"\n"+r.Model+"\n"+string(kind)+"\n"+id), hashOf(in.Body),
		in.Estimate.Credits, cmp.Or(in.Estimate.Source, api.SourceNone), millis(in.Now), in.Instance, in.agreement, in.label, in.entry)
	t.run(`INSERT INTO details (seq, request, body, estimate) VALUES (?,?,?,?)`, seq, object{r}, in.Body, object{in.Estimate})
	if r.Prompt != "" { // a tool may have none
		t.run(`INSERT INTO prompts (text, folded, at) VALUES (?,?,?)
		  ON CONFLICT (text) DO UPDATE SET at = excluded.at`, r.Prompt, strings.ToLower(r.Prompt), millis(in.Now))
	}
	r.MapAddresses(func(_, address string) string {
		t.run(`INSERT OR IGNORE INTO uses (seq, source) SELECT ?1, seq FROM files WHERE url = ?2 AND url <> '' AND seq <> ?1
		  UNION SELECT ?1, jobs.seq FROM notes JOIN jobs ON jobs.id = value ->> 'job' WHERE name = 'frame ' || ?2`, seq, address)
		return address
	})
}

// MarkSending makes it durable that the POST is about to be sent, and returns the
// attempt's number. ErrLate: the intent was cancelled, or is being sent already.
func (s *Store) MarkSending(ctx context.Context, id, owner string, now time.Time) (attempt int64, _ error) {
	err := s.change(ctx, func(t *transaction) {
		t.fail(s.mayRecord(t))
		t.one(`UPDATE jobs SET phase='sending', error='', reason='', err_class='', next_poll=0, sent_at=?, `+newVersion+`
		  WHERE id=? AND phase='intent' AND owner=?`, millis(now), id, owner)
		attempt = t.insert(`INSERT INTO attempts (seq, started_at) SELECT seq, ? FROM jobs WHERE id=?`, millis(now), id)
	})
	return attempt, err
}

// Finish is what became of one attempt.
type Finish struct {
	ID         string
	Attempt    int64
	Phase      api.Phase // intent: it waits to be sent once more
	RemoteID   string
	Status     api.Text
	Error      api.Reason
	ErrClass   api.ErrorClass
	Progress   float64
	Results    []api.Result
	Files      []File
	HTTPStatus int
	Headers    map[string][]string
	Raw        []byte
	NextPoll   time.Time
	Now        time.Time
	Completed  bool
}

// Finish writes outcome, headers, raw answer and id of an attempt in one
// transaction, also when another window, or an older file that was put back,
// calls the job unknown or unsent: the outcome is better knowledge. It never
// undoes an id that a person attached. An error says that the outcome is
// nowhere: also ErrMoved and ErrMissing.
func (s *Store) Finish(ctx context.Context, f Finish) error {
	return s.change(ctx, func(t *transaction) {
		t.fail(s.inPlace())
		if !t.scan([]any{new(int)}, `SELECT 1 FROM jobs WHERE id=?`, f.ID) {
			t.fail(ErrMissing)
		}
		t.run(`UPDATE attempts SET ended_at=?, phase=?, http_status=?, headers=? WHERE id=?`,
			millis(f.Now), f.Phase, f.HTTPStatus, object{f.Headers}, f.Attempt)
		t.saveAnswer(f.ID, "create", f.Raw, f.Now)
		if f.Error.IsZero() && t.taken(f.ID, f.RemoteID) {
			f.Error = ErrTaken.Reason // it is followed all the same
		}
		var ended int64
		if f.Phase.Ended() {
			ended = millis(f.Now)
		}
		// One whose instance was taken for dead has no owner who could send it: it ends.
		n := t.rows(`UPDATE jobs SET phase=CASE WHEN ?='intent' AND owner='' THEN 'not_sent' ELSE ? END, remote_id=?, status=?,
		  error=?, reason=?, err_class=?, progress=?,
		  ended_at=CASE WHEN ?='intent' AND owner='' THEN ? ELSE ? END, next_poll=?, completed=?, dismissed=0,
		  owner=CASE WHEN ?='intent' THEN owner ELSE '' END,
		  expires_at=?, `+newVersion+` WHERE id=? AND (phase IN ('intent','sending','not_sent') OR phase='unknown' AND remote_id='')`,
			f.Phase, f.Phase, f.RemoteID, f.Status.String(), errorText(f.Error), f.Error.Stored(), f.ErrClass, f.Progress,
			f.Phase, millis(f.Now), ended, millis(f.NextPoll), f.Completed, f.Phase, millis(earliest(f.Results)), f.ID)
		if n == 0 {
			return
		}
		if len(f.Results) > 0 {
			t.saveResults(f.ID, f.Results)
		}
		for i, file := range f.Files {
			t.saveFile(f.ID, i+1, file)
		}
		if f.Phase == api.PhaseQueued || f.Phase == api.PhaseFetching || f.Phase == api.PhaseDone {
			t.noteSent(f)
		}
	})
}

// Unsend ends an intent as not_sent, or as rejected when the service refused it
// before. ErrLate when it left meanwhile.
func (s *Store) Unsend(ctx context.Context, id string, phase api.Phase, why api.Reason, class api.ErrorClass, now time.Time) error {
	return s.write(ctx, func(t *transaction) { t.unsend(id, phase, why, class, now) })
}

// errorText is the English of a reason, for other programs that read the file.
func errorText(why api.Reason) string { return api.CleanLines(why.String(), api.MaxErrorText).String() }

// Explain says why an intent still waits.
func (s *Store) Explain(ctx context.Context, id string, why api.Reason, until time.Time) error {
	return s.update(ctx, `UPDATE jobs SET error=?, reason=?, next_poll=?, `+newVersion+` WHERE id=? AND phase='intent'`,
		errorText(why), why.Stored(), millis(until), id)
}

func (t *transaction) saveAnswer(id, call string, raw []byte, now time.Time) {
	if len(raw) > 0 {
		t.run(`INSERT INTO answers (seq, call, at, raw) SELECT seq, ?, ?, ? FROM jobs WHERE id=?
		  ON CONFLICT (seq, call) DO UPDATE SET at=excluded.at, raw=excluded.raw`, call, millis(now), raw[:min(len(raw), MaxRaw)], id)
	}
}

// MaxRaw is how much of a raw answer is kept, in bytes.
const MaxRaw = 64 << 10

func (t *transaction) saveFile(id string, n int, f File) {
	t.run(`INSERT INTO files (seq, n, path, url, media_type, bytes, sha256)
	  SELECT seq, ?, ?, ?, ?, ?, ? FROM jobs WHERE id=?
	  ON CONFLICT (seq, n) DO UPDATE SET path=excluded.path, url=excluded.url, media_type=excluded.media_type,
	  bytes=excluded.bytes, sha256=excluded.sha256`, n, f.Path, f.URL, f.MediaType, f.Bytes, f.SHA256, id)
	t.run(`UPDATE jobs SET files=(SELECT count(*) FROM files WHERE files.seq=jobs.seq) WHERE id=?`, id)
}

func earliest(results []api.Result) (t time.Time) {
	for _, r := range results {
		if !r.ExpiresAt.IsZero() && (t.IsZero() || r.ExpiresAt.Before(t)) {
			t = r.ExpiresAt
		}
	}
	return t
}

// MayRepeat is a *Refusal unless a job in this phase can be sent again.
func MayRepeat(phase api.Phase) error {
	why := api.Sentence("already accepted, not resent; 'darkroom image' and 'darkroom video' send its prompt as a new request")
	switch phase {
	case api.PhaseHeld:
		why = api.Sentence("not sent yet, so there is nothing to send again: send it with --send")
	case api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected, api.PhaseIntent:
		return nil
	case api.PhaseSending:
		why = "it is just being sent"
	}
	return &Refusal{Code: "not_sendable", Fault: *why.Fault(nil)}
}

// ErrOutOfDate is the *Refusal of a confirmation that came too late.
var ErrOutOfDate = &Refusal{Code: "stale", Fault: *api.Sentence(
	"this confirmation is out of date: look at the job and its price, then confirm again").Fault(nil)}

// Again returns the confirm id of sending a job again: all who ask before that is
// done get the same one, and only one of them can be recorded. as is the job that it
// was sent again as, "" without one.
func (s *Store) Again(ctx context.Context, id string) (confirmID, as string, err error) {
	var n int
	err = s.r.QueryRowContext(ctx, `SELECT (`+countAgain+`), `+sentAgainAs+` FROM jobs WHERE id = ?`, id, id).Scan(&n, &as)
	return againID(id, n), as, orNone(err)
}

// sentAgainAs is the newest repetition of a job that may have been accepted.
const sentAgainAs = `coalesce(iif(phase NOT IN ('unknown','unread','not_sent','rejected','intent'), '', (SELECT c.id FROM jobs c
  WHERE c.parent = jobs.id AND c.parent <> '' AND c.phase NOT IN ('not_sent','rejected') AND NOT c.dismissed
  ORDER BY c.seq DESC LIMIT 1)), '')`

const countAgain = `SELECT count(*) FROM jobs WHERE parent = ?`

func againID(id string, n int) string { return fmt.Sprintf("%s#%d", id, n) }

// sendAgain checks that the parent can be sent again. One that waits to be sent is
// withdrawn, so that it cannot be sent too.
func (t *transaction) sendAgain(in Intent) {
	var n int
	if t.scan([]any{&n}, countAgain, in.Parent); in.ConfirmID != againID(in.Parent, n) {
		t.fail(ErrOutOfDate)
	}
	var phase api.Phase
	if !t.scan([]any{&phase}, `SELECT phase FROM jobs WHERE id = ?`, in.Parent) {
		t.fail(ErrMissing)
	}
	if phase == api.PhaseIntent {
		t.unsend(in.Parent, api.PhaseNotSent, api.Sentence("sent again as another job").Reason(), "", in.Now)
		return
	}
	t.fail(MayRepeat(phase))
}

func (t *transaction) unsend(id string, phase api.Phase, why api.Reason, class api.ErrorClass, now time.Time) {
	t.count()
	t.one(`UPDATE jobs SET phase=?, error=?, reason=?, err_class=?, ended_at=?, owner='', next_poll=0, `+newVersion+`
	  WHERE id=? AND phase='intent'`, phase, errorText(why), why.Stored(), class, millis(now), id)
}

// ErrTaken says that another job has the service's id already.
var ErrTaken = api.Sentence("another job has this id already").Fault(nil)

// Attach gives an unknown or unread job the service's id, due at now; else ErrLate.
func (s *Store) Attach(ctx context.Context, id, remoteID string, now time.Time) error {
	return s.change(ctx, func(t *transaction) {
		if t.taken(id, remoteID) {
			t.fail(ErrTaken)
		}
		t.one(`UPDATE jobs SET phase='queued', remote_id=?, error='', reason='', err_class='', dismissed=0,
		  ended_at=0, next_poll=?, gone=0, hollow=0, `+newVersion+` WHERE id=? AND phase IN ('unknown','unread')`,
			remoteID, millis(now), id)
	})
}

// taken reports whether another job has a job's id at its service.
func (t *transaction) taken(id, remoteID string) bool {
	return t.scan([]any{new(int)}, `SELECT 1 FROM jobs WHERE remote_id=? AND remote_id<>'' AND id<>?
	  AND base=(SELECT base FROM jobs WHERE id=?)`, remoteID, id, id)
}

// Knows reports whether a job of a base has an id of the service.
func (s *Store) Knows(ctx context.Context, base, id string) bool {
	known, _ := value[bool](ctx, s.r, `SELECT EXISTS (SELECT 1 FROM jobs WHERE base=? AND remote_id=?)`, base, id)
	return known
}

// Rename replaces the service's id by a better candidate.
func (s *Store) Rename(ctx context.Context, id, from, to string) error {
	return s.update(ctx, `UPDATE jobs SET remote_id=?, `+newVersion+` WHERE id=? AND remote_id=?`, to, id, from)
}

// Dismiss declares an unknown or unread job not charged. Else ErrLate.
func (s *Store) Dismiss(ctx context.Context, id string, now time.Time) error {
	return s.update(ctx, `UPDATE jobs SET dismissed=1, ended_at=?, `+newVersion+` WHERE id=? AND phase IN ('unknown','unread')`,
		millis(now), id)
}

// Why a request is not sent.
var (
	whyNotSentUnread = api.Sentence("not sent, because the store could not be read: %v")
	whyBudgetUnread  = api.Sentence("the budget or another setting cannot be read: nothing was sent; " +
		"'darkroom doctor' says which one and what to do")
	whyBudgetUnpriced = api.Sentence("a budget is set and the price of this request is not known: nothing was sent; " +
		"try again, or remove the budget")
	whyBudget = [...]api.Sentence{api.Sentence("the budget of %v a day does not allow %v more (spent or under way: %v): " +
		"nothing was sent; raise the budget (budget in the settings file, or DARKROOM_BUDGET) or wait until tomorrow"),
		api.Sentence("the budget of %v a month does not allow %v more (spent or under way: %v): " +
			"nothing was sent; raise the budget (budget_month in the settings file, or DARKROOM_BUDGET_MONTH) or wait until next month")}
	whyBudgetAhead = api.Sentence("the budget of %v does not allow %v more (spent or under way: %v, " +
		"%v of it on a date yet to come, since the clock was ahead): nothing was sent; raise the budget until then")
	whyOverBudget = [...]api.Sentence{api.Sentence("the budget is %v a day and this costs %v: nothing was sent; " +
		"raise the budget (budget in the settings file, or DARKROOM_BUDGET), or choose something cheaper"),
		api.Sentence("the budget is %v a month and this costs %v: nothing was sent; " +
			"raise the budget (budget_month in the settings file, or DARKROOM_BUDGET_MONTH), or choose something cheaper")}
)
