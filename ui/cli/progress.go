package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/state"
)

// progressEvery is how often a line about a job that is waited for is written
// anew.
const progressEvery = 500 * time.Millisecond

// showProgress keeps one line about a job on standard error while it is waited
// for, where a terminal reads that; the function that it returns takes the line
// away.
func (p *program) showProgress(ctx context.Context, s *state.Session, id string) func() {
	file, ok := p.err.(*os.File)
	if !ok || p.quiet || !term.IsTerminal(file.Fd()) || p.env("TERM") == "dumb" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		every := time.NewTicker(progressEvery)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				fmt.Fprint(p.err, "\r"+ansi.EraseLineRight)
				return
			case <-every.C:
			}
			if job, err := s.Job(ctx, id); err == nil {
				columns, _, err := term.GetSize(file.Fd())
				if err != nil {
					columns = 80
				}
				fmt.Fprint(p.err, "\r"+ansi.Truncate(p.progressLine(job, time.Now()), columns-1, "…")+ansi.EraseLineRight)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// progressLine says how far a job is.
func (p *program) progressLine(job state.Job, now time.Time) string {
	since := job.SentAt
	if since.IsZero() {
		since = job.CreatedAt
	}
	waited := max(now.Sub(since).Round(time.Second), 0)
	parts := []string{p.sentence(phaseWord(job.Phase))}
	if job.Progress > 0 && job.Progress <= 1 {
		parts = append(parts, fmt.Sprintf("%d %%", int(100*job.Progress)))
	}
	return strings.Join(append(parts, waited.String()), " · ")
}
