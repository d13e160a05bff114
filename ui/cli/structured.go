package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// jsonFlag declares --json and --jq.
func (p *program) jsonFlag(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&jsonValue{p}, "json", "print one JSON document; --json=FIELDS with these fields only, such as id,phase")
	flags.Lookup("json").NoOptDefVal = "true"
	flags.Var(&jqValue{p}, "jq", "print what this jq `EXPRESSION` makes of the document, such as '.jobs[].id'")
}

// listFlags declares --json, --jq and --ndjson for a command that prints a list.
func (p *program) listFlags(cmd *cobra.Command) {
	p.jsonFlag(cmd)
	cmd.Flags().Var(&linesValue{p}, "ndjson", "print each element of the list as one line of JSON")
	cmd.Flags().Lookup("ndjson").NoOptDefVal = "true"
}

// jsonValue is the value of --json: true, false or names of fields.
type jsonValue struct{ p *program }

func (v *jsonValue) String() string { return "" }
func (v *jsonValue) Type() string   { return "bool" }
func (v *jsonValue) Set(text string) error {
	switch text {
	case "true", "":
		v.p.json = true
	case "false":
		v.p.json = false
	default:
		v.p.json = true
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				v.p.structured.fields = append(v.p.structured.fields, name)
			}
		}
	}
	return nil
}

type linesValue struct{ p *program }

func (v *linesValue) String() string   { return "" }
func (v *linesValue) Type() string     { return "bool" }
func (v *linesValue) IsBoolFlag() bool { return true }
func (v *linesValue) Set(text string) error {
	if text != "true" && text != "false" {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	v.p.structured.lines = text == "true"
	v.p.json = v.p.json || v.p.structured.lines
	return nil
}

type jqValue struct{ p *program }

func (v *jqValue) String() string { return "" }
func (v *jqValue) Type() string   { return "expression" }
func (v *jqValue) Set(text string) error {
	query, err := gojq.Parse(text)
	if err == nil {
		v.p.structured.query, err = gojq.Compile(query)
	}
	v.p.json = true
	return err
}

// printJSON writes the document of a run as the flags want it.
func (p *program) printJSON(document any) {
	text, err := encode(document)
	if err == nil {
		err = p.printStructured(text)
	}
	p.jsonFailed(err)
}

// jsonFailed notes that a document could not be printed.
func (p *program) jsonFailed(err error) {
	if err == nil {
		return
	}
	p.notice(err)
	if p.exitCode == exitDone {
		p.exitCode = exitFailed
	}
}

func encode(document any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(document)
	return bytes.TrimSpace(text.Bytes()), err
}

func (p *program) printStructured(text []byte) error {
	o := p.structured
	if o.query == nil && len(o.fields) == 0 && !o.lines {
		return p.printIndented(text)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	name, list := listOf(value)
	if len(o.fields) > 0 {
		for i, one := range list {
			kept, err := o.only(one)
			if err != nil {
				return err
			}
			list[i] = kept
		}
		if name == "" {
			kept, err := o.only(value)
			if err != nil {
				return err
			}
			value = kept
		}
	}
	switch {
	case o.query != nil:
		return p.printQuery(value)
	case o.lines && name != "":
		for _, one := range list {
			if err := p.printLine(one); err != nil {
				return err
			}
		}
		return nil
	}
	text, err := encode(value)
	if err != nil {
		return err
	}
	return p.printIndented(text)
}

func (p *program) printIndented(text []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := p.out.Write(withoutSteering(b.Bytes()))
	return ignoreWrite(err)
}

func (p *program) printLine(value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	_, err = p.out.Write(append(withoutSteering(text), '\n'))
	return ignoreWrite(err)
}

// ignoreWrite leaves an output that cannot be written to the end of the run,
// which says it once.
func ignoreWrite(error) error { return nil }

// printQuery prints the expression's results, one a line; texts as they are,
// but for what would steer a terminal.
func (p *program) printQuery(value any) error {
	results := p.structured.query.Run(value)
	for {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := v.(error); failed {
			return usage("--jq: %s", verbatim(api.Clean(err.Error(), api.MaxErrorText).String()))
		}
		if text, plain := v.(string); plain {
			fmt.Fprintln(p.out, api.CleanLines(text, len(text)+1))
			continue
		}
		if err := p.printLine(v); err != nil {
			return err
		}
	}
}

// jsonList is a document of one list that is printed while its elements come.
type jsonList struct {
	p    *program
	name string
	n    int
}

func (p *program) newList(name string) *jsonList { return &jsonList{p: p, name: name} }

// add prints one more element.
func (l *jsonList) add(element any) error {
	text, err := encode(element)
	if err != nil {
		return err
	}
	if len(l.p.structured.fields) > 0 {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return err
		}
		if value, err = l.p.structured.only(value); err != nil {
			return err
		}
		if text, err = encode(value); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if l.p.structured.lines {
		b.Write(withoutSteering(text))
		b.WriteByte('\n')
	} else {
		l.before(&b)
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "    ", "  "); err != nil {
			return err
		}
		b.Write(withoutSteering(indented.Bytes()))
	}
	l.n++
	_, err = l.p.out.Write(b.Bytes())
	return ignoreWrite(err)
}

func (l *jsonList) before(b *bytes.Buffer) {
	if l.n == 0 {
		fmt.Fprintf(b, "{\n  %q: [\n    ", l.name)
		return
	}
	b.WriteString(",\n    ")
}

// end prints what is left of the document.
func (l *jsonList) end() error {
	var err error
	switch {
	case l.p.structured.lines:
	case l.n == 0:
		_, err = fmt.Fprintf(l.p.out, "{\n  %q: []\n}\n", l.name)
	default:
		_, err = fmt.Fprint(l.p.out, "\n  ]\n}\n")
	}
	return ignoreWrite(err)
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

// only keeps the wanted fields of an object; one that it does not have is an
// error that names those it has.
func (o *structured) only(value any) (any, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return value, nil
	}
	kept := make(map[string]any, len(o.fields))
	for _, name := range o.fields {
		v, ok := object[name]
		if !ok {
			var names []string
			for known := range object {
				names = append(names, known)
			}
			slices.Sort(names)
			return nil, usage("--json: there is no field %q; there are %s", name, verbatim(strings.Join(names, ", ")))
		}
		kept[name] = v
	}
	return kept, nil
}
