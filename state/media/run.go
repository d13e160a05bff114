package media

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"darkroom/api"
)

const (
	// keptOutput is how much of a program's output is kept, in bytes: the end.
	keptOutput = 64 << 10
	// stopPatience is how long a program has to end after it was asked to.
	stopPatience = 2 * time.Second
	// mostSaid is how much of a program's last line an error shows, in bytes.
	mostSaid = 200
)

// Why a program of the person's did not do its work.
var (
	whyProgramLate    = api.Declare("program_too_late", "%v took more than %v minutes, so it was stopped")
	whyProgramStopped = api.Declare("program_stopped", "%v was stopped")
	whyProgramMissing = api.Declare("program_missing", "%v is not there: check the settings")
	whyProgramSaid    = api.Declare("program_failed_saying", "%v failed: %v")
	whyProgramFailed  = api.Declare("program_failed", "%v failed")
)

// program prepares a program of the person's: its words as they are, without a
// shell, in the folder of the file that it is about. It sees none of our
// variables, has nothing to read, and no terminal, so that it can neither ask
// there nor write over the screen. When ctx ends, so does the program with
// those that it has started.
func program(ctx context.Context, words []string, file string, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = OthersEnviron(env)
	cmd.Dir = filepath.Dir(file)
	cmd.WaitDelay = stopPatience
	ownGroup(cmd)
	cmd.Cancel = func() error { return stopGroup(cmd, false) }
	return cmd
}

// run runs a program to its end, or for limit at the most (0 is no limit), and
// returns the end of what it wrote. Errors are *Error.
func run(ctx context.Context, words []string, file string, env []string, limit time.Duration) (out, complaint string, err error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	cmd := program(ctx, words, file, env)
	var written, complained tail
	cmd.Stdout, cmd.Stderr = &written, &complained
	err = cmd.Run()
	if err != nil && ctx.Err() != nil {
		_ = stopGroup(cmd, true) // what did not end when it was asked to
	}
	out, complaint = written.String(), complained.String()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		return out, complaint, nil // what it has left behind goes on
	}
	name, why := filepath.Base(words[0]), api.Reason{}
	switch said := api.Clean(lastLine(complaint), mostSaid); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		why = whyProgramLate.Reason(name, int(limit/time.Minute))
	case ctx.Err() != nil:
		why = whyProgramStopped.Reason(name)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return out, complaint, &Error{Reason: whyProgramMissing.Reason(words[0]), Cause: err, Final: true}
	case !said.IsZero():
		why = whyProgramSaid.Reason(name, said)
	default:
		why = whyProgramFailed.Reason(name)
	}
	return out, complaint, &Error{Reason: why, Cause: err}
}

// Run runs the words of a person's command on a file that darkroom saved, until
// it ends or ctx does, and returns the end of what it wrote, cleaned. Each
// {file} and {id} in the words is the file's path and the id of its job: nothing
// that a service says goes along. Errors are *Error.
func Run(ctx context.Context, words []string, id, file string, env []string) (api.Text, error) {
	if err := openable(file); err != nil {
		return api.Text{}, err
	}
	out, complaint, err := run(ctx, fill(words, "{file}", file, "{id}", id), file, env, 0)
	all := strings.TrimSpace(strings.TrimSpace(out) + "\n" + complaint)
	all = all[max(len(all)-keptOutput, 0):]
	return api.CleanLines(all, keptOutput), err
}

// fill puts values into words, each in the place that stands before it.
func fill(words []string, values ...string) []string {
	r := strings.NewReplacer(values...)
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = r.Replace(word)
	}
	return out
}

// lastLine is the last line that is not blank.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "\n")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// tail keeps the end of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > keptOutput {
		p = p[len(p)-keptOutput:]
	}
	if over := t.Len() + len(p) - keptOutput; over > 0 {
		t.Next(over)
	}
	_, err := t.Buffer.Write(p)
	return n, err
}
