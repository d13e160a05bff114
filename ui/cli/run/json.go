package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"darkroom/api"
)

// structured is how a command prints JSON: one document, one line for each
// element of its list, only some fields, or what an expression makes of it.
type structured struct {
	fields []string // of each element, or of the document; empty: all
	lines  bool     // --ndjson
	query  *gojq.Code
}

// JSONFlags declares --json and --jq. The fields that can be chosen are those of
// documents, each a struct or the name of a field: they are known before the command
// does anything, such as send a request.
func (p *Program) JSONFlags(cmd *cobra.Command, documents ...any) {
	cmd.Flags().BoolFunc("json", "print one JSON document; --json=FIELDS with these fields only, such as id,phase",
		func(text string) error { return p.setJSON(text, documents) })
	cmd.Flags().Func("jq", "print what this jq EXPRESSION makes of the document, such as '.jobs[].id'", p.setQuery)
}

// ListFlags declares --json, --jq and --ndjson for a command that prints a list.
func (p *Program) ListFlags(cmd *cobra.Command, documents ...any) {
	p.JSONFlags(cmd, documents...)
	cmd.Flags().BoolFunc("ndjson", "print each element of the list as one line of JSON", p.setLines)
}

func (p *Program) setJSON(text string, documents []any) error {
	p.JSON = text != "false"
	if text == "true" || text == "false" {
		return nil
	}
	known := fieldsOf(documents)
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case !slices.Contains(known, name):
			return Usagef("--json: there is no field %q; there are %s", name, strings.Join(known, ", "))
		default:
			p.form.fields = append(p.form.fields, name)
		}
	}
	return nil
}

// fieldsOf are the names of the fields of some documents.
func fieldsOf(documents []any) []string {
	var names []string
	for _, document := range documents {
		if name, ok := document.(string); ok {
			names = append(names, name)
			continue
		}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(document)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (p *Program) setLines(text string) error {
	if text != "true" && text != "false" {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	p.form.lines = text == "true"
	p.JSON = p.JSON || p.form.lines
	return nil
}

func (p *Program) setQuery(text string) error {
	query, err := gojq.Parse(text)
	if err == nil {
		p.form.query, err = gojq.Compile(query)
	}
	p.JSON = true
	return err
}

// PrintJSON writes the document of a run as the flags want it.
func (p *Program) PrintJSON(document any) {
	p.failed(p.printDocument(document))
}

// failed says that a document could not be printed.
func (p *Program) failed(err error) {
	if err == nil {
		return
	}
	p.Notice(err)
	if p.ExitCode == ExitDone {
		p.ExitCode = ExitFailed
	}
}

func (p *Program) printDocument(document any) error {
	if p.form.query == nil && len(p.form.fields) == 0 {
		return p.write(document, "  ")
	}
	document, err := plain(document)
	if err != nil {
		return err
	}
	name, list := listOf(document)
	for i := range list {
		list[i] = p.form.only(list[i])
	}
	if name == "" {
		document = p.form.only(document)
	}
	if p.form.query != nil {
		return p.printQuery(document)
	}
	return p.write(document, "  ")
}

// write prints a value as JSON and ends the line. An output that cannot be
// written is left to the end of the run, which says it once.
func (p *Program) write(value any, indent string) error {
	text, err := encode(value, "", indent)
	if err == nil {
		_, _ = p.Out.Write(Escape(text))
	}
	return err
}

// encode writes a value as JSON and ends the line.
func encode(value any, prefix, indent string) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(prefix, indent)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

// plain is a document as maps, lists and numbers.
func plain(document any) (any, error) {
	text, err := encode(document, "", "")
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	return value, decoder.Decode(&value)
}

// printQuery prints the expression's results, one a line; texts as they are,
// but for what would steer a terminal.
func (p *Program) printQuery(value any) error {
	results := p.form.query.Run(value)
	for {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := v.(error); failed {
			return Usagef("--jq: %s", api.Clean(err.Error(), api.MaxErrorText).String())
		}
		if text, plain := v.(string); plain {
			fmt.Fprintln(p.Out, Lines(text))
			continue
		}
		if err := p.write(v, ""); err != nil {
			return err
		}
	}
}

// listOf finds the one list of objects that a document is about, by its name.
func listOf(document any) (string, []any) {
	object, ok := document.(map[string]any)
	if !ok {
		return "", nil
	}
	found, elements := "", []any(nil)
	for name, value := range object {
		list, isList := value.([]any)
		if !isList {
			continue
		}
		if found != "" {
			return "", nil
		}
		found, elements = name, list
	}
	if len(object) > 1 && found != "" && !slices.Contains(listNames, found) {
		return "", nil
	}
	return found, elements
}

// listNames are the lists of documents that hold something else next to them.
var listNames = []string{"tools", "checks"}

// only keeps the wanted fields of an object; one that it does not have is null.
func (o *structured) only(value any) any {
	object, ok := value.(map[string]any)
	if !ok || len(o.fields) == 0 {
		return value
	}
	kept := make(map[string]any, len(o.fields))
	for _, name := range o.fields {
		kept[name] = object[name]
	}
	return kept
}

// PrintList prints a document of one list while each hands out its elements,
// unless an expression needs all of them. An error that ends the list early is the
// document of a failure only where no part of the list is printed.
func (p *Program) PrintList(name string, each func(add func(element any) error) error) error {
	out, n, all := bufio.NewWriterSize(p.Out, 32<<10), 0, []any{} // all are for the expression
	begin, between, end, indent := fmt.Sprintf("{\n  %q: [\n    ", name), ",\n    ", "\n  ]\n}\n", "  "
	if p.form.lines {
		begin, between, end, indent = "", "\n", "\n", ""
	}
	err := each(func(element any) (err error) {
		if p.form.query != nil || len(p.form.fields) > 0 {
			if element, err = plain(element); err != nil {
				return err
			}
			element = p.form.only(element)
		}
		switch {
		case p.form.query != nil && p.form.lines:
			return p.printQuery(element)
		case p.form.query != nil:
			all = append(all, element)
			return nil
		}
		text, err := encode(element, strings.Repeat(indent, 2), indent)
		n++
		if n > 1 {
			begin = between
		}
		_, _ = out.WriteString(begin)
		_, _ = out.Write(Escape(bytes.TrimSuffix(text, []byte("\n"))))
		return err
	})
	switch {
	case err != nil && n == 0:
		return err
	case p.form.query != nil && !p.form.lines:
		p.failed(p.printQuery(map[string]any{name: all}))
	case n > 0:
		_, _ = out.WriteString(end)
	case !p.form.lines:
		fmt.Fprintf(out, "{\n  %q: []\n}\n", name)
	}
	_ = out.Flush()
	if err == nil {
		return nil
	}
	p.Notice(err)
	return Printed(ExitFailed, err)
}

// Raw is an answer as JSON: itself, or a string when it is not JSON.
func Raw(answer []byte) json.RawMessage {
	if len(answer) == 0 {
		return json.RawMessage("null")
	}
	answer = []byte(api.HideKeys(string(answer)))
	if json.Valid(answer) {
		return answer
	}
	text, err := json.Marshal(string(answer))
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// Valid is a document of JSON, or null for what is none.
func Valid(raw []byte) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage("null")
	}
	return raw
}

// RawOf is the answer that an error is about, or nothing.
func RawOf(err error) json.RawMessage {
	var answer *api.Error
	if !errors.As(err, &answer) || len(answer.Raw) == 0 {
		return nil
	}
	return Raw(answer.Raw)
}

// OrNull is a text, or null for "".
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type failureJSON struct {
	Error    string        `json:"error"`
	ExitCode int           `json:"exit_code"`
	Problems []problemJSON `json:"problems,omitempty"`
	// Raw is the service's answer, when that is what the error is about.
	Raw json.RawMessage `json:"raw,omitempty"`
}

type problemJSON struct {
	Field    string `json:"field"`
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

func failureDocument(f *Failure) failureJSON {
	d := failureJSON{Error: api.HideKeys(f.Error()), ExitCode: f.Code, Raw: RawOf(f.Err)}
	for _, problem := range f.Problems {
		d.Problems = append(d.Problems, problemJSON{problem.Field, problem.Code, English.Problem(problem)})
	}
	return d
}

// Map makes one of each element, such as its document; never nil, which JSON
// would call null.
func Map[T, D any](list []T, of func(T) D) []D {
	all := make([]D, 0, len(list))
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}
