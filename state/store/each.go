package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state/store/schema"
)

var whyListApart = api.Declare("store_list_apart", "job %v is in the list and cannot be read: %v")

// eachPage is how many jobs are read at a time.
const eachPage = 250

// Each calls do with each job of the list that matches the filter: the held ones
// first, then the newest; limit 0 means all. An error of do ends it. The jobs are
// those that there are at the beginning, each as it is when its page is read, a
// page ahead of do. While do waits for a pager no transaction is open.
//
// A job has what its JSON document is made of, and nothing else.
func (s *Store) Each(ctx context.Context, q Query, do func(Job) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages := make(chan []eachJob)
	var failed error
	go func() {
		defer close(pages)
		failed = s.pages(ctx, q, pages)
	}()
	for page := range pages {
		for i := range page {
			if err := do(page[i].Job); err != nil {
				return err
			}
		}
	}
	return failed
}

func (s *Store) pages(ctx context.Context, q Query, pages chan<- []eachJob) error {
	e := each{c: parseFilter(q.Filter, time.Now()), patterns: map[string]*api.Request{}}
	if !e.c.all {
		e.c.add(`hidden = 0`)
	}
	question, err := s.r.PrepareContext(ctx, e.question())
	if err != nil {
		return err
	}
	defer func() { _ = question.Close() }()
	var page []eachJob
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		page, err = e.begin(ctx, tx, strings.Fields(fold(q.Filter)))
		return err
	})
	left := q.Limit
	if left <= 0 {
		left = len(page) + int(e.before)
	}
	for err == nil {
		page = page[:min(len(page), left)]
		select {
		case pages <- page:
		case <-ctx.Done():
			return ctx.Err()
		}
		if left -= len(page); left == 0 || e.before == 0 {
			return nil
		}
		err = s.view(ctx, func(tx *sql.Tx) (err error) {
			page, err = e.next(ctx, tx, question, min(eachPage, left))
			return err
		})
	}
	return err
}

// view runs f in one transaction that reads.
func (s *Store) view(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.r.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	return f(tx)
}

type each struct {
	c        condition
	before   int64 // jobs below this number come next; 0: none
	patterns map[string]*api.Request
}

type eachJob struct {
	Job
	seq   int64
	saved bool // it has files
}

// begin reads the held requests that have all words, and up to where the jobs
// are to be read.
func (e *each) begin(ctx context.Context, tx schema.Querier, words []string) ([]eachJob, error) {
	last, err := value[int64](ctx, tx, `SELECT coalesce(max(seq), 0) FROM jobs`)
	if err != nil {
		return nil, err
	}
	e.before = last + 1
	rows, _, err := heldRows(ctx, tx, words)
	list := make([]eachJob, len(rows))
	for i := 0; err == nil && i < len(rows); i++ {
		list[i].Job, err = heldJob(ctx, tx, rows[i].ID)
	}
	return list, err
}

// question asks for a page.
func (e *each) question() string {
	where := strings.Join(append([]string{`jobs.seq < ?`}, e.c.where...), ` AND `)
	return `SELECT jobs.seq, id, remote_id, kind, model, phase, status, error, reason, created_at,
	  ended_at, label, agreement, files > 0, body, estimate
	  FROM jobs LEFT JOIN details ON details.seq = jobs.seq WHERE ` + where + ` ORDER BY jobs.seq DESC LIMIT ?`
}

// next reads up to n further jobs with their files.
func (e *each) next(ctx context.Context, tx *sql.Tx, question *sql.Stmt, n int) ([]eachJob, error) {
	args := append(append([]any{e.before}, e.c.args...), n)
	rows, err := tx.StmtContext(ctx, question).QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	page := make([]eachJob, n)
	read := 0
	for ; rows.Next(); read++ {
		if err := page[read].scan(rows); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if e.before = 0; read == n {
		e.before = page[n-1].seq
	}
	page = page[:read]
	for i := range page {
		if err := e.pattern(ctx, tx, &page[i].Job); err != nil {
			return nil, err
		}
	}
	return page, addFiles(ctx, tx, page)
}

// scan reads a row of next. It scans no named types, which takes reflection.
func (j *eachJob) scan(sc scanner) error {
	var kind, phase, status, text, reason string
	var estimate sql.RawBytes
	var price struct { // of the estimate
		Credits api.Credits
		Source  api.Source
		Unit    string
	}
	err := sc.Scan(&j.seq, &j.ID, &j.RemoteID, &kind, &j.Model, &phase, &status, &text, &reason, moment{&j.CreatedAt},
		moment{&j.EndedAt}, &j.Label, &j.Agreement, &j.saved, (*[]byte)(&j.Body), &estimate)
	if err == nil && j.Body == nil {
		err = ErrMissing
	}
	if err == nil {
		err = json.Unmarshal(estimate, &price)
	}
	if err != nil {
		return whyListApart.Fault(err, j.ID, Why(err))
	}
	j.Estimate = api.Estimate{Credits: price.Credits, Source: price.Source, Unit: price.Unit}
	j.Kind, j.Phase = api.Kind(kind), api.Phase(phase)
	j.Status, j.Error = api.Clean(status, api.MaxStatusText), api.ParseReason(reason, text)
	return nil
}

// pattern adds the pattern of the agreement that a job is of.
func (e *each) pattern(ctx context.Context, tx schema.Querier, j *Job) error {
	if j.Agreement == "" {
		return nil
	}
	known, ok := e.patterns[j.Agreement]
	if ok {
		j.Pattern = known
		return nil
	}
	err := pattern(ctx, tx, j)
	e.patterns[j.Agreement] = j.Pattern
	return err
}

func addFiles(ctx context.Context, tx schema.Querier, page []eachJob) error {
	of := map[int64]*eachJob{}
	var seqs []int64
	for i := range page {
		if j := &page[i]; j.saved {
			of[j.seq], seqs = j, append(seqs, j.seq)
		}
	}
	if len(seqs) == 0 {
		return nil
	}
	list, err := json.Marshal(seqs)
	if err != nil {
		return err
	}
	files, err := all(ctx, tx, scanFile, `SELECT seq, `+fileColumns+` FROM files
	  WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq, n`, string(list))
	for _, f := range files {
		j := of[f.number]
		j.Files = append(j.Files, f.File)
	}
	return err
}
