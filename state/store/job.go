// Package store is darkroom's SQLite file: jobs and their files, what was asked and
// answered, and the leases by which several windows share the work.
package store

import (
	"encoding/json"
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
	Dismissed bool   // an unknown declared not charged
	Completed bool   // the service made it, whatever became of the files
	Agreement string // that it is of, when several were confirmed as one
	Label     string // in what it differs from the others of the agreement
	Paused    bool   // held, and nobody sends it: it waits for the person
	Entry     string // of the agent that asked for it; "" of the person's own
	Version   int64  // grows with every change

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
}

// File is one saved result.
type File struct {
	Path      string `json:"path"` // absolute
	URL       string `json:"url"`
	MediaType string `json:"media_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"` // hex
}

// Query asks for a window of the list.
type Query struct {
	// Filter is matched against title, model, phase, kind, status, note and ids; words
	// are ANDed. is:, kind:, model:, credits:, since: and rating: narrow it further.
	Filter  string
	Sort    string // "" is newest first; oldest, credits, title, time, stars
	Results bool   // only jobs with files
	Offset  int
	Limit   int
}

// Page is a window of the list and the counts that go with it.
type Page struct {
	Rows   []Row
	Offset int
	Total  int   // rows that match the filter
	All    int   // rows there are, but hidden ones; with those that are held
	Held   int   // of which are held
	Active int   // jobs in an active phase
	Unseen int   // jobs with results that nobody looked at yet
	Asks   []Row // of agents, waiting for the person
}

// Spent is what a day cost by darkroom's own ledger.
type Spent struct {
	Credits  api.Credits // accepted jobs
	Possibly api.Credits // unknown and unread jobs, not dismissed
	Unpriced int         // accepted jobs without a figure
	Budget   api.Credits // 0: none set
}

// Near reports whether at least 80 % of the budget are or may be spent.
func (s Spent) Near() bool {
	return s.Budget > 0 && s.Credits+s.Possibly >= s.Budget/5*4
}
