package output

import (
	"bytes"
	"fmt"
	"io"

	"darkroom/ui/cli/say"
)

// List is a document of one list that is printed while its elements come,
// unless an expression needs all of them.
type List struct {
	p    *Printer
	name string
	n    int
	all  []any // for the expression
}

// NewList begins a document.
func (p *Printer) NewList(name string) *List { return &List{p: p, name: name, all: []any{}} }

// Add prints one more element.
func (l *List) Add(element any) error {
	p := l.p
	if p.query != nil {
		l.all = append(l.all, element)
		return nil
	}
	if len(p.fields) > 0 {
		value, err := plain(element)
		if err != nil {
			return err
		}
		if element, err = p.only(value); err != nil {
			return err
		}
	}
	l.n++
	if p.lines {
		return p.write(element, "", "")
	}
	text, err := encode(element, "    ", "  ")
	if err != nil {
		return err
	}
	start := ",\n    "
	if l.n == 1 {
		start = fmt.Sprintf("{\n  %q: [\n    ", l.name)
	}
	_, _ = io.WriteString(p.Out, start)
	_, _ = p.Out.Write(Escape(bytes.TrimSpace(text)))
	return nil
}

// End prints what is left of the document. err ended the list early: where half
// of it is printed already, no document of a failure may follow.
func (l *List) End(err error) error {
	switch {
	case err != nil && l.n == 0:
		return err
	case l.p.query != nil:
		l.p.PrintJSON(map[string]any{l.name: l.all})
	case l.p.lines:
	case l.n == 0:
		_, _ = fmt.Fprintf(l.p.Out, "{\n  %q: []\n}\n", l.name)
	default:
		_, _ = io.WriteString(l.p.Out, "\n  ]\n}\n")
	}
	if err != nil {
		l.p.Notice(err)
		return &say.Failure{Code: say.ExitFailed, Err: err, Printed: true}
	}
	return nil
}
