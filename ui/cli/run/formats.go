package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
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

// fieldNames are the names that --json takes, sorted: of documents, each a struct or such a name.
func fieldNames(documents []any) (names []string) {
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
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || name == "-" })
}

// JSONFlags declares --json and --jq, last of a command's flags: those of other formats exclude them. The
// fields of documents are known before the command does anything, such as send a request.
func (p *Program) JSONFlags(cmd *cobra.Command, documents ...any) *cobra.Command {
	if known := fieldNames(documents); len(known) > 0 { // else it prints lines
		cmd.Flags().BoolFunc("json", "print one JSON document; --json=FIELDS with these fields only (see above)", func(text string) error {
			p.JSON = text != "false"
			if text == "true" || text == "false" {
				return nil
			}
			for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
				if !slices.Contains(known, name) {
					return Usagef("--json: there is no field %q; there are %s%s", name, strings.Join(known, ", "), Meant(name, known))
				}
				p.form.fields = append(p.form.fields, name)
			}
			return nil
		})
		_ = cmd.Flags().SetAnnotation("json", "fields", known) // for help
	}
	cmd.Flags().Func("jq", "filter the JSON output with a jq EXPRESSION", func(text string) error {
		p.JSON = true
		query, err := gojq.Parse(text)
		if err == nil {
			p.form.query, err = gojq.Compile(query)
		}
		if err != nil {
			why := strings.Replace(err.Error(), "unexpected EOF", "its end is missing", 1)
			if name, ok := strings.CutPrefix(strings.TrimSuffix(why, "/0"), "function not defined: "); ok {
				why = "there is no function " + name + "; a member is written with a dot before its name"
			}
			return BadValue("jq", text, Sentencef("a jq expression: %s", api.OneLine(api.Clean(why, 200).String())))
		}
		return nil
	})
	for _, other := range []string{"csv", "markdown", "report", "curl"} {
		if cmd.Flags().Lookup(other) != nil {
			cmd.MarkFlagsMutuallyExclusive(other, "json")
			cmd.MarkFlagsMutuallyExclusive(other, "jq")
		}
	}
	return cmd
}

// ListFlags declares --json, --jq and --ndjson for a command that prints a list.
func (p *Program) ListFlags(cmd *cobra.Command, documents ...any) *cobra.Command {
	cmd.Flags().BoolVar(&p.form.lines, "ndjson", false, "print each element of the list as one line of JSON")
	return p.JSONFlags(cmd, documents...)
}

// PrintJSON writes the document of a run as the flags want it, and reports whether
// all of it was written. The fields are those of its list, if it has one.
func (p *Program) PrintJSON(document any, list ...string) bool {
	value, err := p.form.chosen(document, list...)
	switch {
	case err != nil:
	case p.form.query != nil:
		err = p.printQuery(value)
	default:
		var text []byte
		text, err = encode(value, "", map[bool]string{false: "  "}[p.form.lines])
		_, _ = p.Out.Write(Escape(text))
	}
	if err != nil { // what of standard output cannot be written is said at the end of the run
		p.Notice(err)
		p.ExitCode = cmp.Or(p.ExitCode, ExitFailed)
	}
	out, ok := p.Out.(*Stream)
	return err == nil && (!ok || out.failed.Load() == nil)
}

// PrintResult writes the document of a run with --json, else a line.
func (p *Program) PrintResult(line string, document any) error {
	if p.JSON {
		p.PrintJSON(document)
	} else {
		fmt.Fprintln(p.Out, line)
	}
	return nil
}

// chosen is what flags want of a document, or of the elements of its list; a wanted
// field that an object does not have is null.
func (o *structured) chosen(document any, list ...string) (any, error) {
	if o.query == nil && len(o.fields) == 0 {
		return document, nil
	}
	value, err := plain(document)
	if err != nil || len(o.fields) == 0 {
		return value, err
	}
	kept := func(element any) any {
		some := map[string]any{}
		for _, name := range o.fields {
			some[name] = element.(map[string]any)[name]
		}
		return some
	}
	if len(list) == 0 {
		return kept(value), nil
	}
	object := value.(map[string]any)
	object[list[0]] = api.Map(object[list[0]].([]any), kept)
	return object, nil
}

// encode is json.MarshalIndent, with a line feed, that leaves <, > and & as they are.
func encode(value any, prefix, indent string) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	to.SetIndent(prefix, indent)
	err := to.Encode(value)
	return text.Bytes(), err
}

func plain(document any) (value any, err error) {
	text, err := encode(document, "", "")
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// What an expression may take.
const (
	queryHeap = 256 << 20 // bytes more than before
	queryTick = 50 * time.Millisecond
)

var queryTime = 10 * time.Second // of work, not of waiting for who reads its results

// printQuery prints the expression's results, one a line. It ends with the run.
// Functions and the encoding of a result cannot be interrupted: they are left behind.
func (p *Program) printQuery(value any) error {
	ctx, limit := p.ctx, queryTime
	if ctx.Err() != nil { // the result of a run that was interrupted
		ctx, limit = context.WithoutCancel(ctx), lastMoment
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() { ended <- eachResult(ctx, p.form.query.RunWithContext(ctx, value), lines) }()
	tick := time.NewTicker(queryTick) // it waits while a line is written
	defer tick.Stop()
	before, left := liveHeap(), limit
	for left > 0 {
		select {
		case line := <-lines:
			_, _ = p.Out.Write(line)
		case err := <-ended:
			object, _ := value.(map[string]any)
			if _, bad := err.(*Failure); bad && len(object) > 0 {
				return Sentencef("%s; the document has .%s", err, strings.Join(slices.Sorted(maps.Keys(object)), ", ."))
			}
			return err
		case <-ctx.Done():
			return errStopped
		case <-tick.C:
			left -= queryTick
		}
		if liveHeap() > before+queryHeap {
			return Sentencef("--jq: the expression needs more than %d MiB", queryHeap>>20)
		}
	}
	return Sentencef("--jq: the expression did not end within %v", limit)
}

var errStopped = Sentencef("--jq: stopped")

// eachResult hands out each result as a line, texts without terminal controls.
func eachResult(ctx context.Context, results gojq.Iter, lines chan<- []byte) error {
	for v, ok := results.Next(); ok; v, ok = results.Next() {
		var line []byte
		switch v := v.(type) {
		case error:
			if ctx.Err() != nil {
				return errStopped
			}
			why := strings.NewReplacer("cannot iterate over: null", "a member that [] is to list is missing or null",
				"an object but got: array", "an object but got a list, of which [] gives the elements:").Replace(v.Error())
			return Usagef("--jq: %s", api.Clean(why, api.MaxErrorText).String())
		case string:
			line = []byte(Lines(v) + "\n")
		default:
			text, _ := gojq.Marshal(v) // of nan and infinite too
			line = Escape(append(text, '\n'))
		}
		select {
		case lines <- line:
		case <-ctx.Done():
			return errStopped
		}
	}
	return nil
}

func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// PrintList prints a document of one list while each hands out its elements,
// unless an expression needs all of them. An error that ends the list early is the
// document of a failure only where no part of the list is printed.
func (p *Program) PrintList(name string, each func(add func(element any) error) error) error {
	all, n := []any{}, 0
	var out bytes.Buffer
	begin, between, end, indent := fmt.Sprintf("{\n  %q: [\n    ", name), ",\n    ", "\n  ]\n}\n", "  "
	if p.form.lines {
		begin, between, end, indent = "", "\n", "\n", ""
	}
	err := each(func(element any) (err error) {
		if p.form.query != nil && !p.form.lines {
			all = append(all, element)
			return nil
		}
		if element, err = p.form.chosen(element); err != nil {
			return err
		} else if p.form.query != nil {
			return p.printQuery(element)
		}
		text, err := encode(element, indent+indent, indent)
		out.WriteString(begin)
		out.Write(Escape(bytes.TrimSuffix(text, []byte("\n"))))
		if n, begin = n+1, between; out.Len() > 32<<10 {
			_, _ = out.WriteTo(p.Out)
		}
		return err
	})
	switch {
	case n > 0:
		out.WriteString(end)
		_, _ = out.WriteTo(p.Out)
	case err == nil && !p.form.lines:
		p.PrintJSON(map[string]any{name: all}, name)
	}
	if err == nil || n == 0 {
		return err
	}
	p.Notice(err)
	return Printed(ExitFailed)
}

// Raw is an answer as JSON: itself, or a string when it is not JSON.
func Raw(answer []byte) json.RawMessage {
	text := []byte(api.HideKeys(string(answer)))
	if len(text) > 0 && !json.Valid(text) {
		text, _ = json.Marshal(string(text)) // a text can always be written
	}
	return Valid(text)
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
	if answer, ok := errors.AsType[*api.Error](err); ok && len(answer.Raw) > 0 {
		return Raw(answer.Raw)
	}
	return nil
}

// OrNull is a text, or null for "".
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type failureJSON struct {
	Error    string          `json:"error"`
	ExitCode int             `json:"exit_code"`
	Flag     string          `json:"flag,omitempty"`
	Value    string          `json:"value,omitempty"`
	Line     int             `json:"line,omitempty"`
	Problems []problemJSON   `json:"problems,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"` // the service's answer, if the error is about that
	Lines    []failureJSON   `json:"lines,omitempty"`
}

// firstFlag is what the refusal of a flag begins with.
var firstFlag = api.Pattern(`^--[a-z-]+`)

func (p *Program) document(f *Failure) failureJSON {
	problems := Problems(f.Problems)
	for i, b := range f.Problems {
		if problems[i].Value = api.HideKeys(b.Value); !f.Plain {
			problems[i].Flag, problems[i].Sentence = p.FlagOf(b.Field), English.Problem(b.Named(p.FlagOf))
		}
	}
	said, value := api.HideKeys(f.Error()), api.HideKeys(f.Value)
	return failureJSON{said, f.Code, firstFlag().FindString(said), value, f.Line, problems, RawOf(f.Err), api.Map(f.Lines, p.document)}
}

type problemJSON struct {
	api.Problem
	Sentence string `json:"sentence"`
	Flag     string `json:"flag,omitempty"` // that gives the field
	Value    string `json:"value,omitempty"`
}

// Problems are problems as JSON documents have them.
func Problems(list []api.Problem) []problemJSON {
	return api.Map(list, func(p api.Problem) problemJSON { return problemJSON{Problem: p, Sentence: English.Problem(p)} })
}

// ModelOf is a model as --json prints it.
func ModelOf(m api.Model) api.Model {
	m.Label, m.Kind, m.Raw = "", KindWord(m.Kind), Valid(m.Raw)
	m.Parameters = api.Map(m.Parameters, func(p api.Parameter) api.Parameter {
		return api.Parameter{Name: p.Name, Values: append([]string{}, p.Values...), Default: p.Default}
	})
	return m
}

// KindWord is a kind, or that it is not known.
func KindWord(k api.Kind) api.Kind { return cmp.Or(k, "unknown") }

// Pad fills a text with spaces up to a width in cells.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}

// Table is rows of cells in columns as wide as their widest cell, two spaces
// apart. Every row has as many cells.
type Table [][]string

// Add adds a row.
func (t *Table) Add(cells ...string) { *t = append(*t, cells) }

// Write prints the rows, with right all but the first column aligned at the right. A failure of standard output is kept there.
func (t Table) Write(to io.Writer, right bool) {
	widths := map[int]int{}
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	begin := map[bool]string{true: "  "}[right]
	lines := api.Map(t, func(row []string) string {
		cells := slices.Clone(row)
		for i, cell := range row {
			if cells[i] = Pad(cell, widths[i]); i > 0 && right {
				cells[i] = cells[i][len(cell):] + cell
			}
		}
		return strings.TrimRight(begin+strings.Join(cells, "  "), " ") + "\n"
	})
	_, _ = io.WriteString(to, strings.Join(lines, ""))
}

// PrintTable prints rows as aligned columns below their headings where a
// terminal reads them, else with a tab between cells and without headings.
func (p *Program) PrintTable(t Table, headings ...string) {
	if IsTerminal(p.Out) {
		head := api.Map(headings, func(h string) string { return strings.ToUpper(p.Sentence(Word(h))) })
		slices.Insert(t, 0, head).Write(p.Out, false)
		return
	}
	tabs := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	lines := api.Map(t, func(row []string) string { return strings.Join(api.Map(row, tabs.Replace), "\t") + "\n" })
	_, _ = io.WriteString(p.Out, strings.Join(lines, ""))
}

// PrintCSV prints the named fields of a list as CSV, below their names.
func (p *Program) PrintCSV(list any, fields ...string) {
	value, _ := plain(list) // it can always be written
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write(fields)
	documents, _ := value.([]any)
	for _, document := range documents {
		_ = w.Write(api.Map(fields, func(name string) (cell string) {
			if v := document.(map[string]any)[name]; v != nil {
				cell = api.OneLine(api.CleanLines(fmt.Sprint(v), api.MaxErrorText).String())
			}
			if cell != "" && strings.Contains("=+-@", cell[:1]) { // no program is to take it for a formula
				cell = "'" + cell
			}
			return cell
		}))
	}
	w.Flush()
	_, _ = io.WriteString(p.Out, text.String())
}
