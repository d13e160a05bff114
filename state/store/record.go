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
// not_sendable, stale (confirmed too late), ask_tool, downloads, too_many; of what
// an agent asks for also intent, too_many_open, declined, price_unknown, and why it
// is not sent without the person: not_granted, over_per_job, over_day.
type Refusal struct {
	Code string
	api.Fault
	Problems []api.Problem
	Prices   []api.Estimate // with the code price: what each request costs now
}

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
	owner := in.Instance
	if in.Edited {
		owner = ""
	}
	if !t.scan([]any{&in.agreement, &in.label, &in.entry}, `DELETE FROM held WHERE id=?1 AND owner=?2 AND (owner<>'' OR ?3
	  AND expires_at NOT BETWEEN 1 AND ?4) RETURNING agreement, label, entry`, in.Held, owner, in.Edited, millis(in.Now)) {
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

// Affords refuses an intent, or what may become one, that the budgets, or the grant that lets it be sent, do not cover now.
func (s *Store) Affords(ctx context.Context, j *Job, budgets api.Budgets, g *Grant, now time.Time) error {
	return s.write(ctx, func(t *transaction) {
		if t.underBudget(budgets, j.Estimate, now, j.ID); g != nil {
			t.underGrant(*g, j.Entry, j.Estimate, 0, now) // what it costs is in the sum
		}
	})
}

// underBudget refuses what the budget of a period does not allow. What is on its way
// counts as spent too, except the job itself: two windows confirming at once must not both fit.
func (t *transaction) underBudget(budgets api.Budgets, wanted api.Estimate, now time.Time, job string) {
	for period, budget := range budgets {
		if budget == 0 {
			continue
		}
		var spent api.Credits
		t.scan([]any{&spent}, `SELECT `+sumCredits(`credits`)+` FROM jobs WHERE created_at >= ? AND dismissed = 0
		  AND id <> ? AND `+mayHaveCost, millis(api.Period(period).Begin(now)), job)
		switch {
		case wanted.Known() && wanted.Credits <= budget-spent: // a sum could overflow
		case budget == api.BudgetUnreadable:
			t.refuse("budget", whyBudgetUnread)
		case !wanted.Known():
			t.refuse("budget", whyBudgetUnpriced)
		case wanted.Credits > budget: // on any day
			t.refuse("budget", whyOverBudget[period], budget.Amount(), wanted.Credits.Amount())
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
