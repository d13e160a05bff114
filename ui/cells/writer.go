package cells

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Writer is a terminal to which a renderer writes coded frames. What else is
// written goes through as it is.
type Writer struct {
	*os.File
	Coder *Coder

	out   []byte
	cells []cell // of the number that the renderer's pen has; nil when it has none
	look  look   // the terminal's, while there are cells
	half  bool   // the first column of a wide character is to be written
}

// cell is a column of a run. That of a wide character's first column has no
// text: the character is written with the second one.
type cell struct {
	look look
	text string
	wide bool
}

func (w *Writer) Write(b []byte) (int, error) {
	if w.cells == nil && !bytes.Contains(b, []byte("58;2;")) {
		return w.File.Write(b)
	}
	w.out = w.decode(w.out[:0], b)
	if _, err := w.File.Write(w.out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// decode appends what b stands for.
func (w *Writer) decode(out, b []byte) []byte {
	for len(b) > 0 {
		n := 1
		switch {
		case b[0] == ansi.ESC:
			var sequence []byte
			sequence, _, n, _ = ansi.DecodeSequence(b, ansi.NormalState, nil)
			out = w.sequence(out, sequence)
		case w.cells == nil:
			if n = bytes.IndexByte(b, ansi.ESC); n < 0 {
				n = len(b)
			}
			out = append(out, b[:n]...)
		case b[0] >= firstCode && int(b[0]-firstCode) < len(w.cells):
			out = w.cell(out, w.cells[b[0]-firstCode])
		default:
			out = append(w.settle(out), b[0])
		}
		b = b[n:]
	}
	return w.settle(out)
}

// cell writes a column of a run.
func (w *Writer) cell(out []byte, c cell) []byte {
	if c.text == "" {
		out = w.settleHalf(out)
		w.half = true
		return out
	}
	if c.wide && !w.half {
		out = append(out, '\b')
	}
	w.half = false
	if params := c.look.after(w.look); c.look != w.look {
		out = append(append(append(out, "\x1b["...), params...), 'm')
		w.look = c.look
	}
	return append(out, c.text...)
}

// sequence writes an escape sequence of the renderer, without the numbers in it.
func (w *Writer) sequence(out, sequence []byte) []byte {
	params, style := styleOf(string(sequence))
	if !style {
		return append(w.settle(out), sequence...)
	}
	id, rest := 0, ""
	eachParam(params, func(code, whole string) {
		switch code {
		case "58":
			id = idOf(whole)
		case "59":
		default:
			rest += prefixed(whole)
		}
	})
	if id > 0 && rest == "" { // the next run follows
		out = w.settleHalf(out)
		w.use(id)
		return out
	}
	dirty := w.look != look{}
	out = w.settle(out)
	w.cells = nil
	if id > 0 {
		w.use(id)
	}
	if params == "" && dirty || params != "" && rest == "" {
		return out // reset already, or nothing but a number
	}
	return append(append(append(out, "\x1b["...), strings.TrimPrefix(rest, ";")...), 'm')
}

// settle ends what the renderer takes for text without a style.
func (w *Writer) settle(out []byte) []byte {
	out = w.settleHalf(out)
	if w.look != (look{}) {
		w.look = look{}
		out = append(out, ansi.ResetStyle...)
	}
	return out
}

// settleHalf passes over the first column of a wide character whose second one
// does not come: the renderer writes it alone only where it has not changed.
func (w *Writer) settleHalf(out []byte) []byte {
	if w.half {
		w.half = false
		out = append(out, "\x1b[C"...)
	}
	return out
}

// use takes the cells of a number.
func (w *Writer) use(id int) {
	r, _ := w.Coder.run(id)
	w.cells = w.cells[:0]
	at := r.from
	for text := r.text; text != ""; {
		one, width, n, _ := ansi.DecodeSequence(text, ansi.NormalState, nil)
		if params, style := styleOf(one); style {
			at = at.with(params)
		} else if columnsOf(one, width) == 2 {
			w.cells = append(w.cells, cell{look: at}, cell{at, one, true})
		} else {
			w.cells = append(w.cells, cell{at, one, false})
		}
		text = text[n:]
	}
	if w.cells == nil {
		w.cells = []cell{}
	}
}

// idOf is the number that a colour of an underline stands for.
func idOf(params string) int {
	id := 0
	parts := strings.Split(params, ";")
	if len(parts) != 5 {
		return 0
	}
	for _, p := range parts[2:] {
		n, _ := strconv.Atoi(p)
		id = id<<8 | n
	}
	return id
}
