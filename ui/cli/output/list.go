package output

import (
	"bytes"
	"encoding/json"
	"fmt"

	"darkroom/ui/cli/say"
)

// List is a document of one list that is printed while its elements come,
// unless an expression needs all of them.
type List struct {
	p    *Printer
	name string
	n    int
	all  []any // for the expression
	text bytes.Buffer
	one  bytes.Buffer // the element that is added, from the encoder
	json *json.Encoder
}

// flushAt is how much of a document is kept before it is written.
const flushAt = 32 << 10

// NewList begins a document.
func (p *Printer) NewList(name string) *List {
	l := &List{p: p, name: name, all: []any{}}
	prefix, indent := "    ", "  "
	if p.lines {
		prefix, indent = "", ""
	}
	l.json = encoderTo(&l.one, prefix, indent)
	return l
}

// Add prints one more element.
func (l *List) Add(element any) error {
	p := l.p
	if p.query != nil || len(p.fields) > 0 {
		value, err := plain(element)
		if err != nil {
			return err
		}
		if element, err = p.only(value); err != nil {
			return err
		}
	}
	if p.query != nil {
		l.all = append(l.all, element)
		return nil
	}
	l.n++
	switch {
	case p.lines:
	case l.n == 1:
		fmt.Fprintf(&l.text, "{\n  %q: [\n    ", l.name)
	default:
		l.text.WriteString(",\n    ")
	}
	l.one.Reset()
	if err := l.json.Encode(element); err != nil {
		return err
	}
	text := l.one.Bytes()
	if !p.lines {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	l.text.Write(Escape(text))
	if l.text.Len() >= flushAt {
		l.flush()
	}
	return nil
}

func (l *List) flush() {
	_, _ = l.p.Out.Write(l.text.Bytes())
	l.text.Reset()
}

// End prints what is left of the document. err ended the list early: where half
// of it is printed already, no document of a failure may follow.
func (l *List) End(err error) error {
	switch {
	case err != nil && l.n == 0:
		return err
	case l.p.query != nil:
		l.p.failed(l.p.printQuery(map[string]any{l.name: l.all}))
	case l.p.lines:
	case l.n == 0:
		fmt.Fprintf(&l.text, "{\n  %q: []\n}\n", l.name)
	default:
		l.text.WriteString("\n  ]\n}\n")
	}
	l.flush()
	if err != nil {
		l.p.Notice(err)
		return &say.Failure{Code: say.ExitFailed, Err: err, Printed: true}
	}
	return nil
}
