package ui

import (
	"context"
	"time"

	"darkroom/state"
)

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// look reads what the header shows.
func look(ctx context.Context, d door) changedMsg {
	m := changedMsg{standing: d.Standing()}
	page, err := d.Jobs(ctx, state.Query{Limit: 1})
	if err == nil {
		m.active, m.all = page.Active, page.All
		m.today, err = d.Today(ctx)
	}
	if ctx.Err() == nil {
		m.err = err
	}
	return m
}
