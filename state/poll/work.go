package poll

import (
	"sync"
	"time"
)

const (
	pollWorkers  = 4
	fetchWorkers = 2
)

// work is what is being done in this window.
type work struct {
	mu        sync.Mutex
	preferred string
	polling   int // workers that poll
	fetching  int // workers that download
	again     int // those of them that do so again, because they were too slow before
	jobs      map[string]*jobWork
}

// jobWork is what this window remembers of a job.
type jobWork struct {
	busy      bool      // it has a worker
	refreshed time.Time // when a person last polled it
	slow      int       // tries of its download that were too slow
	again     bool      // its download is tried again now
	waits     time.Time // since when its download waits for another window; zero: it does not
}

// of calls do with what is remembered of a job.
func (w *work) of(id string, do func(j *jobWork)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.jobs[id]
	if j == nil {
		j = &jobWork{}
		w.jobs[id] = j
	}
	if do(j); *j == (jobWork{}) {
		delete(w.jobs, id)
	}
}

// prefer names the job that is polled first.
func (w *work) prefer(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.preferred = id
}

// free gives the preferred job, and how many workers may poll.
func (w *work) free() (preferred string, workers int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.preferred, pollWorkers - w.polling
}

// begin marks a job as being worked on; false when it is already.
func (w *work) begin(id string) (begun bool) {
	w.of(id, func(j *jobWork) { begun, j.busy = !j.busy, true })
	return begun
}

func (w *work) end(id string) { w.of(id, func(j *jobWork) { j.busy = false }) }

// countPolling counts a worker that polls a job which has begun.
func (w *work) countPolling(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.polling += n
}

// beginFetch marks a job as being fetched; bounded lets it begin only when a
// worker is free, and of downloads that were too slow before all but one worker
// are kept free.
func (w *work) beginFetch(id string, bounded bool) (begun bool) {
	w.of(id, func(j *jobWork) {
		slow := j.slow > 0
		if j.busy || bounded && (w.fetching >= fetchWorkers || slow && w.again >= fetchWorkers-1) {
			return
		}
		begun, j.busy, j.again = true, true, slow
		w.fetching++
		if slow {
			w.again++
		}
	})
	return begun
}

func (w *work) endFetch(id string) {
	w.of(id, func(j *jobWork) {
		w.fetching--
		if j.again {
			w.again--
		}
		j.busy, j.again = false, false
	})
}

// mayRefresh reports whether a person may poll a job now, and counts it then.
func (w *work) mayRefresh(id string, every time.Duration) (may bool) {
	w.of(id, func(j *jobWork) {
		if may = time.Since(j.refreshed) >= every; may {
			j.refreshed = time.Now()
		}
	})
	return may
}
