package poll

import (
	"sync"
	"time"
)

const (
	pollWorkers  = 4
	fetchWorkers = 2
	maxCrawling  = 6 // downloads that go on without a worker's place
)

// work is what this window does, and remembers of jobs.
type work struct {
	mu   sync.Mutex
	jobs map[string]*jobWork
}

// deed is what is being done with a job; a person's refresh needs no free worker.
type deed int

const (
	resting deed = iota
	refreshing
	polling
	fetching
)

type jobWork struct {
	deed      deed
	refreshed time.Time // when a person last polled it
	slow      int       // tries to download slowFile that were too slow
	slowFile  int
	again     bool      // its download is tried again now, after such a try
	crawls    bool      // its download comes slowly and has given up its place
	waits     time.Time // since when its download waits for another window; zero: it does not
	late      int       // answered polls while it seems to be too old
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

// count counts the jobs of which is is true.
func (w *work) count(is func(j *jobWork) bool) (n int) {
	for _, j := range w.jobs {
		if is(j) {
			n++
		}
	}
	return n
}

// freePolls is how many workers may begin to poll.
func (w *work) freePolls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return pollWorkers - w.count(func(j *jobWork) bool { return j.deed == polling })
}

// begin marks a job as being worked on; false when it is already.
func (w *work) begin(id string, d deed) (begun bool) {
	w.of(id, func(j *jobWork) {
		if begun = j.deed == resting; begun {
			j.deed = d
		}
	})
	return begun
}

func (w *work) end(id string) {
	w.of(id, func(j *jobWork) { j.deed, j.again, j.crawls = resting, false, false })
}

// crawl gives the place of a download to another, unless there are too many without.
func (w *work) crawl(id string) (given bool) {
	w.of(id, func(j *jobWork) {
		given = j.crawls || w.count(func(o *jobWork) bool { return o.crawls }) < maxCrawling
		j.crawls = given
	})
	return given
}

// beginFetch marks a job as being fetched; bounded lets it begin only when a
// worker is free, and of downloads that were too slow before all but one worker
// are kept free.
func (w *work) beginFetch(id string, bounded bool) (begun bool) {
	w.of(id, func(j *jobWork) {
		busy := w.count(func(o *jobWork) bool { return o.deed == fetching && !o.crawls })
		again := w.count(func(o *jobWork) bool { return o.again && !o.crawls })
		if j.deed == resting && (!bounded || busy < fetchWorkers && (j.slow == 0 || again < fetchWorkers-1)) {
			begun, j.deed, j.again = true, fetching, j.slow > 0
		}
	})
	return begun
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
