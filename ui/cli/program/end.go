package program

import (
	"context"
	"os"
	"syscall"
	"time"

	"darkroom/state"
	"darkroom/ui/cli/say"
)

// How long leaving waits for a send in progress: after the person's own key,
// and after a signal or a crash.
const (
	CloseLimit   = 10 * time.Second
	HurriedLimit = 3 * time.Second
)

// ErrAborted ends a run that was interrupted before it sent anything.
var ErrAborted = say.WithCode(say.ExitUsage, say.Sentencef("stopped; nothing was sent"))

// Within is a context with a time limit; 0 is none.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// Leave closes a session and waits, up to a limit, for a request on its way.
func (p *Program) Leave(ctx context.Context, s *state.Session, limit time.Duration) {
	if s.Health().Sending > 0 {
		p.Notice(say.Sentencef("A request is being sent: darkroom waits for its answer, %d s at most.", int(limit/time.Second)))
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if err := s.Close(closing); err != nil {
		p.Notice(err)
	}
}

// EndedBy is the end by a signal, with the exit code that shells give it.
func EndedBy(ended os.Signal) error {
	code := say.ExitSignal
	if sig, ok := ended.(syscall.Signal); ok {
		code += int(sig)
	}
	return &say.Failure{Code: code, Err: say.Sentencef("ended by %v", ended)}
}
