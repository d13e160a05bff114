package poll

import (
	"context"
	"darkroom/api"
	"darkroom/state/remote"
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
	closed    bool
	preferred string
	busy      map[string]bool      // jobs with a worker
	refreshed map[string]time.Time // when a person last polled a job
	slow      map[string]int       // tries of downloads that were too slow, by job
	again     map[string]bool      // those of them that are tried again now
	waiting   map[string]time.Time // since when downloads wait for another window, by job
	polling   int
	fetching  int
}

func (w *work) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}

func (w *work) setPreferred(id string) {
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
func (w *work) begin(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy[id] {
		return false
	}
	w.busy[id] = true
	return true
}

func (w *work) end(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.busy, id)
}

// countPolling counts a worker that polls a job which has begun.
func (w *work) countPolling() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.polling++
}

func (w *work) endPolling(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.polling--
	delete(w.busy, id)
}

// beginFetch marks a job as being fetched; bounded lets it begin only when a
// worker is free, and of downloads that were too slow before all but one worker
// are kept free.
func (w *work) beginFetch(id string, bounded bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.busy[id] || bounded && w.fetching >= fetchWorkers {
		return false
	}
	if w.slow[id] > 0 {
		if bounded && len(w.again) >= fetchWorkers-1 {
			return false
		}
		w.again[id] = true
	}
	w.busy[id] = true
	w.fetching++
	return true
}

func (w *work) endFetch(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fetching--
	delete(w.busy, id)
	delete(w.again, id)
}

// countSlow counts a try of a job's download that was too slow, and gives the
// count of those before.
func (w *work) countSlow(id string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slow[id]++
	return w.slow[id] - 1
}

// forgetSlow begins to count anew.
func (w *work) forgetSlow(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.slow, id)
}

// mayRefresh reports whether a person may poll a job now, and counts it then.
func (w *work) mayRefresh(id string, every time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if now.Sub(w.refreshed[id]) < every {
		return false
	}
	w.refreshed[id] = now
	return true
}

// wait counts since when a job's download waits for another window; first is
// true when it begins to.
func (w *work) wait(id string) (since time.Time, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	since, waits := w.waiting[id]
	if !waits {
		since = time.Now()
		w.waiting[id] = since
	}
	return since, !waits
}

// waited reports for how long a job's download has waited for another window.
func (w *work) waited(id string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if since, waits := w.waiting[id]; waits {
		return time.Since(since)
	}
	return 0
}

// endWait reports whether a job's download waited, and forgets it.
func (w *work) endWait(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, waits := w.waiting[id]
	delete(w.waiting, id)
	return waits
}

const (
	busyWait = 8 * time.Second // while another window holds the file of a result
	// busyLimit is how long a download waits for a window that holds its file and
	// has lost its lease, as one does that was stopped. Then it is made anew.
	busyLimit = 5 * time.Minute
)

// heldUp puts a download behind others because another window holds its file,
// and says in the job what it waits for and until when. This is not counted as a
// failure: the other window goes on, its end frees the file, or its time runs out.
func (d *download) heldUp(ctx context.Context) error {
	limit := d.p.scale.Of(busyLimit)
	since, first := d.p.work.wait(d.job.ID)
	left := limit - time.Since(since)
	if first {
		until := d.p.now().Add(left)
		d.note(ctx, "waits for another window that began this download and does not go on, perhaps because it was stopped; at "+
			until.Format("15:04:05")+" it is fetched anew")
	}
	return &putBehind{min(d.p.scale.Of(remote.Jitter(busyWait)), max(left, remote.Floor))}
}

// goesOn takes back what heldUp said.
func (d *download) goesOn(ctx context.Context) {
	if d.p.work.endWait(d.job.ID) {
		d.note(ctx, "")
	}
}

// note says how a download stands; what it says is not needed for its end.
func (d *download) note(ctx context.Context, text string) {
	if d.p.o.Store().ExplainFetch(ctx, d.job.ID, d.epoch, api.CleanLines(text, api.MaxErrorText)) == nil {
		d.p.o.Changed(d.job.ID)
	}
}
