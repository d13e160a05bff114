package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/ui/cli/say"
)

// structured is how a command prints JSON: one document, one line for each
// element of its list, only some fields, or what an expression makes of it.
type structured struct {
	fields []string // of each element, or of the document; empty: all
	lines  bool     // --ndjson
	query  *gojq.Code
}

// value is a flag whose text a function takes.
type value struct {
	kind string
	set  func(string) error
}

func (v *value) String() string        { return "" }
func (v *value) Type() string          { return v.kind }
func (v *value) Set(text string) error { return v.set(text) }
func (v *value) IsBoolFlag() bool      { return v.kind == "bool" }

// JSONFlags declares --json and --jq. The fields that can be chosen are those of
// documents, each a struct or the name of a field: they are known before the command
// does anything, such as send a request.
func (p *Printer) JSONFlags(cmd *cobra.Command, documents ...any) {
	flags := cmd.Flags()
	flags.Var(&value{"bool", func(text string) error { return p.setJSON(text, documents) }}, "json",
		"print one JSON document; --json=FIELDS with these fields only, such as id,phase")
	flags.Lookup("json").NoOptDefVal = "true"
	flags.Var(&value{"expression", p.setQuery}, "jq", "print what this jq EXPRESSION makes of the document, such as '.jobs[].id'")
}

// ListFlags declares --json, --jq and --ndjson for a command that prints a list.
func (p *Printer) ListFlags(cmd *cobra.Command, documents ...any) {
	p.JSONFlags(cmd, documents...)
	cmd.Flags().Var(&value{"bool", p.setLines}, "ndjson", "print each element of the list as one line of JSON")
	cmd.Flags().Lookup("ndjson").NoOptDefVal = "true"
}

func (p *Printer) setJSON(text string, documents []any) error {
	p.JSON = text != "false"
	if text == "true" || text == "false" {
		return nil
	}
	known := fieldsOf(documents)
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case !slices.Contains(known, name):
			return say.Usagef("--json: there is no field %q; there are %s", name, say.Verbatim(strings.Join(known, ", ")))
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

func (p *Printer) setLines(text string) error {
	if text != "true" && text != "false" {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	p.form.lines = text == "true"
	p.JSON = p.JSON || p.form.lines
	return nil
}

func (p *Printer) setQuery(text string) error {
	query, err := gojq.Parse(text)
	if err == nil {
		p.form.query, err = gojq.Compile(query)
	}
	p.JSON = true
	return err
}

// PrintJSON writes the document of a run as the flags want it.
func (p *Printer) PrintJSON(document any) {
	p.failed(p.printDocument(document))
}

// failed says that a document could not be printed.
func (p *Printer) failed(err error) {
	if err == nil {
		return
	}
	p.Notice(err)
	if p.ExitCode == say.ExitDone {
		p.ExitCode = say.ExitFailed
	}
}

func (p *Printer) printDocument(document any) error {
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
func (p *Printer) write(value any, indent string) error {
	text, err := encode(value, indent)
	if err == nil {
		_, _ = p.Out.Write(Escape(text))
	}
	return err
}

func encode(value any, indent string) ([]byte, error) {
	var text bytes.Buffer
	err := encoderTo(&text, "", indent).Encode(value)
	return text.Bytes(), err
}

func encoderTo(text *bytes.Buffer, prefix, indent string) *json.Encoder {
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(prefix, indent)
	return encoder
}

// plain is a document as maps, lists and numbers.
func plain(document any) (any, error) {
	text, err := encode(document, "")
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
func (p *Printer) printQuery(value any) error {
	results := p.form.query.Run(value)
	for {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := v.(error); failed {
			return say.Usagef("--jq: %s", say.Verbatim(api.Clean(err.Error(), api.MaxErrorText).String()))
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

// listNames are the lists of documents that hold something else beside them.
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
