package output

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// progressEvery is how often a line of progress is written anew.
const progressEvery = 500 * time.Millisecond

// Progress keeps one line on standard error, where a terminal reads that; a line
// of "" leaves the one before. The function that it returns takes the line away.
func (p *Printer) Progress(ctx context.Context, dumb bool, line func(context.Context) string) func() {
	file, ok := p.Err.(*os.File)
	if !ok || p.Quiet || dumb || !term.IsTerminal(file.Fd()) {
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
				fmt.Fprint(p.Err, "\r"+ansi.EraseLineRight)
				return
			case <-every.C:
			}
			if text := line(ctx); text != "" {
				columns, _, err := term.GetSize(file.Fd())
				if err != nil {
					columns = 80
				}
				fmt.Fprint(p.Err, "\r"+ansi.Truncate(text, columns-1, "…")+ansi.EraseLineRight)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
