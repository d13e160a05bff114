package poll

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// fetchTries is how often a download is tried again.
const fetchTries = 3

// waitBefore is how long a download waits before it is tried again: 2, 8 and 32 s.
func (d *download) waitBefore(try int) time.Duration {
	return d.scale.Of(remote.Jitter(2 * time.Second << (2 * try)))
}

// download is what fetches the files of a job under one claim.
type download struct {
	*Poller
	conn     *remote.Connection
	job      store.Job
	epoch    int64
	have     map[int]store.File // saved files by number, from 1
	proven   map[int]bool       // files that are known to be of the address with their number
	polled   bool               // fresh addresses were asked for
	expired  bool
	failure  error
	answered []byte
}

func (p *Poller) fetchJob(c *remote.Connection, id string, epoch int64) {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	p.o.Go(func() { p.keep(ctx, cancel, id, store.Permit{Epoch: epoch}) })
	settings.CrashAt("download")
	j, err := p.o.Store().Job(ctx, id)
	if err == nil && j.Phase == api.PhaseFetching {
		d := &download{Poller: p, conn: c, job: j, epoch: epoch, have: map[int]store.File{}, proven: map[int]bool{}}
		err = d.run(ctx)
	}
	if ctx.Err() != nil || err != nil {
		// The program ends, or the store does not answer: another time.
		next := p.o.Now()
		switch behind, is := errors.AsType[putBehind](err); {
		case is:
			next = next.Add(time.Duration(behind))
		case err != nil && p.ctx.Err() == nil && !errors.Is(err, store.ErrLate):
			next = p.storeFailed(err)
		}
		_ = p.o.Store().Release(context.Background(), id, epoch, next)
	}
}

// putBehind is the error of a download that gives up its place to others, to be
// tried again after a wait: it was too slow, or another window is at it.
type putBehind time.Duration

func (putBehind) Error() string { return "the download is put behind others" }

// run saves the results of a job that are not saved yet, one after the other, and ends the
// job when every file is there or will never be.
func (d *download) run(ctx context.Context) error {
	for _, f := range d.job.Files {
		d.have[f.N] = f
	}
	if len(d.job.Results) == 0 {
		if err := d.refresh(ctx); err != nil && !errors.Is(err, media.ErrExpired) { // finish says that there are none
			if d.failure = d.unlessAway(ctx, err); errors.As(d.failure, new(putBehind)) {
				return d.failure
			}
		}
	}
	for n := 1; n <= len(d.job.Results); n++ {
		if f, ok := d.have[n]; ok && media.Intact(ctx, f) {
			continue
		}
		f, err := d.fetch(ctx, n)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, new(putBehind)):
			return err
		case errors.Is(err, media.ErrExpired):
			d.expired = true
		case err != nil:
			d.failure = err
		default:
			if err := d.o.Store().SaveFile(ctx, d.job.ID, d.epoch, n, f); err != nil {
				return err
			}
			d.have[n], d.proven[n] = f, true
			d.polled = false // addresses work for a while: the next ones may need fresh ones too
			d.o.Changed(d.job.ID)
		}
	}
	return d.finish(ctx)
}

// fetch saves one result in a few tries, with fresh addresses once.
func (d *download) fetch(ctx context.Context, n int) (store.File, error) {
	for try, kept := 0, int64(0); ; {
		r := d.job.Results[n-1]
		want := media.Want{Job: &d.job, N: n, Result: r, Others: slices.Sorted(maps.Keys(d.others(n))), Known: d.have[n]}
		d.work.of(d.job.ID, func(j *jobWork) {
			want.TakeOver = !j.waits.IsZero() && time.Since(j.waits) >= d.scale.Of(busyLimit)
		})
		want.Crawls = func() bool {
			defer d.Wake()
			return d.work.crawl(d.job.ID)
		}
		f, err := d.o.Fetcher(d.conn).Fetch(ctx, want)
		if errors.Is(err, media.ErrBusy) {
			return f, d.heldUp(ctx)
		}
		waited := false
		d.work.of(d.job.ID, func(j *jobWork) { waited, j.waits = !j.waits.IsZero(), time.Time{} })
		if waited { // it goes on
			d.note(ctx, "")
		}
		if known, ok := errors.AsType[*media.Error](err); ok && known.Kept >= kept+media.MinComing { // it comes, though in pieces
			try, kept = 0, known.Kept
		}
		switch other, saved := errors.AsType[*media.SavedError](err); {
		case err == nil, ctx.Err() != nil:
			return f, err
		case !d.polled && (errors.Is(err, media.ErrExpired) || final(err) && len(r.Data) > 0): // what is in an answer is in no other place
			switch fresh := d.refresh(ctx); {
			case fresh == nil:
				continue
			case errors.Is(fresh, media.ErrExpired), unheardOf(fresh):
				return f, err
			default:
				err = fresh
			}
		case saved:
			// The address led to the file of another number: they exchange theirs. Each
			// exchange proves one more file, so there are at most as many as files.
			m := d.others(n)[other.SHA256]
			d.proven[m] = true
			d.job.Results[n-1], d.job.Results[m-1] = d.job.Results[m-1], d.job.Results[n-1]
			if err := d.o.Store().SaveResults(ctx, d.job.ID, d.epoch, d.job.Results); err != nil {
				return f, err
			}
			continue
		case errors.Is(err, media.ErrSlow):
			d.work.of(d.job.ID, func(j *jobWork) {
				if j.slowFile != n || kept >= j.kept+media.MinComing { // another window may have saved the one before
					j.slowFile, j.slow, j.kept = n, 0, kept
				}
				try, j.slow = j.slow, j.slow+1
			})
			if try < fetchTries {
				return f, putBehind(d.waitBefore(try))
			}
		}
		switch {
		case final(err), errors.Is(err, media.ErrExpired):
			return f, err
		case try >= fetchTries, d.o.Remote.Health().KeyRefused:
			return f, d.unlessAway(ctx, err)
		case !remote.Sleep(ctx, d.waitBefore(try)):
			return f, ctx.Err()
		}
		try++
	}
}

// unlessAway is why a download has failed. None does while the key is refused or the network is
// away: if the service cannot be reached either, it is put behind and tried as often again.
func (d *download) unlessAway(ctx context.Context, why error) error {
	d.o.Remote.Models(ctx)
	if h := d.o.Remote.Health(); h.Online && !h.KeyRefused || !d.o.Locked { // then nobody would go on
		return why
	}
	d.work.of(d.job.ID, func(j *jobWork) { j.slow = 0 })
	return putBehind(d.waitBefore(fetchTries - 1))
}

// final reports whether trying again cannot help.
func final(err error) bool {
	var known *media.Error
	return errors.As(err, &known) && known.Final
}

// refresh polls the job once for fresh addresses.
func (d *download) refresh(ctx context.Context) error {
	if !read.PollableID(d.job.RemoteID) {
		return media.ErrExpired
	}
	a, err := d.ask(ctx, d.conn, d.job)
	d.polled = err == nil // else nobody has said that there are none
	switch {
	case err != nil:
		return err
	case len(a.Results) == 0 && !a.Left.IsZero():
		return &api.Fault{Reason: a.Left}
	case len(a.Results) == 0:
		return media.ErrExpired
	}
	clear(d.proven) // the new addresses may stand in another order
	d.job.Results, d.answered = refreshed(d.job.Results, a.Results), a.Raw
	return d.o.Store().SaveResults(ctx, d.job.ID, d.epoch, d.job.Results)
}

// finish ends the job: done only when every file is there.
func (d *download) finish(ctx context.Context) error {
	now := d.o.Now()
	r := store.Transition{
		ID: d.job.ID, Epoch: d.epoch, Phase: api.PhaseDone, Status: d.job.Status, Progress: 1,
		Raw: d.answered, EndedAt: cmp.Or(d.job.EndedAt, now), Now: now, Tally: store.Tally{Completed: true},
	}
	switch {
	case unheardOf(d.failure) && len(d.job.Results) == 0: // as it was, or without room for an answer
		r.Phase, r.ErrClass, r.Error = api.PhaseFailed, api.ClassNotFound, cmp.Or(d.job.Error, whyForgotten.Reason())
	case d.failure != nil:
		why := api.Sentence("the result could not be brought here: %v. Fetch it again")
		if final(d.failure) {
			why = "the result could not be brought here: %v"
		}
		r.Phase, r.Error = api.PhaseFailed, why.Reason(d.failure) // of no class: it may be the disk, the file or the network
	case d.expired:
		r.Phase, r.Error = api.PhaseExpired, api.Sentence("the result's link has expired, and the service gave no fresh one").Reason()
	case len(d.job.Results) == 0:
		r.Phase, r.ErrClass, r.Error = api.PhaseFailed, api.ClassUnreadable, cmp.Or(d.job.Error, whyNoResult.Reason())
	default:
		if why := d.job.Error; why.Format() == read.Left || why.Format() == read.Said || why == store.ErrTaken.Reason {
			r.Error = d.job.Error
		}
		r.Results = slices.Clone(d.job.Results)
		for i := range r.Results { // their bytes are files now
			r.Results[i].Data, r.Results[i].File = nil, ""
		}
	}
	// Before the job is done: whoever waits for that may end the program.
	if r.Phase == api.PhaseDone && d.o.Settings.Get().Recipes {
		if j, err := d.o.Store().Job(ctx, d.job.ID); err == nil {
			j.Phase, j.EndedAt = r.Phase, r.EndedAt
			if err := d.o.Fetcher(d.conn).WriteRecipe(j); err != nil {
				r.Error = cmp.Or(r.Error, api.Sentence("the recipe could not be written: %v").Reason(api.WithoutPath(err)))
			}
		}
	}
	if err := d.o.Store().Apply(ctx, r); err != nil {
		return err
	}
	d.work.of(d.job.ID, func(j *jobWork) { j.slow, j.slowFile, j.kept = 0, 0, 0 })
	d.o.Changed(d.job.ID)
	return nil
}

// others gives the hashes of the files that the address of result n may lead to in
// place of its own, with their numbers: of the files that no address proves.
func (d *download) others(n int) map[string]int {
	saved := make([]api.Result, len(d.job.Results))
	for i := range saved {
		saved[i].URL = d.have[i+1].URL
	}
	numbers := map[string]int{}
	for i, j := range pairs(saved, d.job.Results) {
		m, f := i+1, d.have[i+1]
		proven := j == i || f.URL != "" && f.URL == d.job.Results[i].URL || d.proven[m]
		if m != n && f.SHA256 != "" && !proven && f.SHA256 != d.have[n].SHA256 {
			numbers[f.SHA256] = m
		}
	}
	return numbers
}

const (
	busyWait = 8 * time.Second // while another window holds the file of a result
	// busyLimit is how long a download waits for a window that holds its file and
	// has lost its lease, as one does that was stopped. Then it is made again.
	busyLimit = 5 * time.Minute
)

// heldUp puts a download behind others because another window holds its file,
// and says so in the job. This is not counted as a failure: the other window goes
// on, its end frees the file, or its time runs out.
func (d *download) heldUp(ctx context.Context) error {
	left, first := d.scale.Of(busyLimit), false
	d.work.of(d.job.ID, func(j *jobWork) {
		first = j.waits.IsZero()
		j.waits = cmp.Or(j.waits, time.Now())
		left -= time.Since(j.waits)
	})
	if first {
		d.note(ctx, "waits for another window that began this download and does not go on, perhaps because it was stopped; at "+
			d.o.Now().Add(left).Format("15:04:05")+" it is fetched anew")
	}
	return putBehind(min(d.scale.Of(remote.Jitter(busyWait)), max(left, remote.Floor)))
}

// note says how a download stands; what it says is not needed for its end.
func (d *download) note(ctx context.Context, text string) {
	if d.o.Store().ExplainFetch(ctx, d.job.ID, d.epoch, api.CleanLines(text, api.MaxErrorText)) == nil {
		d.o.Changed(d.job.ID)
	}
}

// refreshed gives the results of a newer answer in the order of the known ones, so
// that result n stays the one whose file has the number n: services list the same
// results in any order and sign their addresses again. A result that cannot be
// recognized takes a free place, and what does not fit follows; the download tells
// those apart by their content (see download.fetch).
func refreshed(known, fresh []api.Result) []api.Result {
	if len(known) == 0 || len(fresh) == 0 {
		return fresh
	}
	list, same := slices.Clone(known), pairs(known, fresh)
	var left []api.Result
	for j, r := range fresh {
		if i := slices.Index(same, j); i >= 0 {
			list[i] = r
		} else {
			left = append(left, r)
		}
	}
	for i := range list {
		if same[i] < 0 && len(left) > 0 {
			list[i], left = left[0], left[1:]
		}
	}
	return append(list, left...)
}

// relinked gives the known results with the fresh addresses of those that are
// recognized for certain, and these addresses by number from 1: nothing is
// downloaded that could tell the others apart.
func relinked(known, fresh []api.Result) (list []api.Result, links map[int]string) {
	list, links = slices.Clone(known), map[int]string{}
	same := pairs(known, fresh)
	if len(known) == 1 && len(fresh) == 1 {
		same = []int{0}
	}
	for i, j := range same {
		if j >= 0 && fresh[j].URL != "" {
			list[i], links[i+1] = fresh[j], fresh[j].URL
		}
	}
	return list, links
}

// pairs finds for each known result the index of the same one in fresh by their
// addresses: -1 when there is none or several are as good.
func pairs(known, fresh []api.Result) []int {
	from, to := addresses(known), addresses(fresh)
	list := make([]int, len(known))
	for i := range list {
		list[i] = likest(from[i], to)
		if j := list[i]; j >= 0 && likest(to[j], from) != i {
			list[i] = -1
		}
	}
	return list
}

// likest is the index of the one address that has the most in common with
// another; -1 when none has anything, or several have as much.
func likest(of *url.URL, among []*url.URL) int {
	index, top := -1, 0
	for i, address := range among {
		switch alike := likeness(of, address); {
		case alike > top:
			index, top = i, alike
		case alike == top:
			index = -1
		}
	}
	return index
}

// likeness says how much two addresses have in common: 0 when they are of two
// results, because the paths differ. The parameters that are the same count for
// services with one path for all files; signatures are among those that differ.
func likeness(a, b *url.URL) int {
	if a == nil || b == nil || a.Path != b.Path || a.Path == "" {
		return 0
	}
	alike, theirs := len(a.Path), b.Query()
	for name, values := range a.Query() {
		if slices.Equal(theirs[name], values) {
			alike++
		}
	}
	return alike
}

// addresses parses the results' addresses; nil stands for one that cannot be read.
func addresses(results []api.Result) []*url.URL {
	return api.Map(results, func(r api.Result) *url.URL {
		u, _ := url.Parse(r.URL)
		return u
	})
}
