package cli

import (
	"fmt"
	"io"
)

// output is standard output; it remembers the first write that failed, so that
// a command whose result went nowhere does not end as if all were well.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// checkOutput gives the exit code of a run whose own code is code: 1 when its
// output could not be written, unless the run failed for a reason of its own.
func (p *program) checkOutput(o *output, code int) int {
	if o.err == nil {
		return code
	}
	fmt.Fprintln(p.err, "darkroom: standard output: "+o.err.Error())
	if code == exitDone {
		return exitFailed
	}
	return code
}

// printPath prints the path of a result; where standard output cannot be
// written it goes to standard error, so that what was paid for is not lost.
func (p *program) printPath(path string) {
	if _, err := fmt.Fprintln(p.out, path); err != nil {
		fmt.Fprintln(p.err, path)
	}
}
