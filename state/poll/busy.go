package poll

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/timing"
)

const (
	busyWait = 8 * time.Second // while another window holds the file of a result
	// busyLimit is how long a download waits for a window that holds its file and
	// has lost its lease, as one does that was stopped. Then it is made anew.
	busyLimit = 5 * time.Minute
)

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
	return &putBehind{min(d.p.scale.Of(timing.Jitter(busyWait)), max(left, timing.Floor))}
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
