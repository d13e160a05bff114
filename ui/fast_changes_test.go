package ui

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
)

// Jobs that change faster than they can be read are shown all the same, and one
// read of them runs at a time.
func TestChangesFasterThanTheyAreRead(t *testing.T) {
	t.Parallel()
	const slow, every, changes = 300 * time.Millisecond, 100 * time.Millisecond, 40
	version := regexp.MustCompile(`boat (\d+)`)
	for name, keys := range map[string][]string{"spending": {"alt+3", "$"}, "jobs": {"alt+2"}, "recent": {"alt+1"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fly(t, 160, 48, func(d *fakeSession) { d.fill(3) }, func(p *pilot) {
				p.keys(keys...)
				p.pass(time.Second)
				p.session.slow = slow
				p.session.maxReads.Store(0)
				id := p.session.rows[0].ID
				for i := range changes {
					p.session.mu.Lock()
					job := p.session.jobs[id]
					job.Version++
					job.Title = fmt.Sprintf("boat %d", i)
					p.session.jobs[id], p.session.rows[0] = job, rowOf(job)
					p.session.pricing.spend = state.Spend{
						Lines: []state.Line{{Day: fakeNow.Format(time.DateOnly), Model: job.Title, Kind: api.KindImage, Jobs: 1, Credits: api.Credit}},
					}
					p.session.mu.Unlock()
					p.send(msg.ChangedMsg{Health: p.app.env.Health, All: len(p.session.rows), At: p.clock()})
					p.pass(every)
				}
				shown := version.FindStringSubmatch(p.screen())
				if shown == nil {
					t.Fatalf("none of the changes is shown:\n%s", p.screen())
				}
				if n, _ := strconv.Atoi(shown[1]); n < changes-2*int(slow/every)-1 {
					t.Errorf("change %d is shown after %d", n, changes)
				}
				if n := p.session.maxReads.Load(); n != 1 {
					t.Errorf("%d reads ran at a time", n)
				}
			})
		})
	}
}
