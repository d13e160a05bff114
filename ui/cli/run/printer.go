package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/api"
	"darkroom/state"
)

// Say gives an English format with its arguments in the person's language.
func (p *Program) Say(format string, args ...any) string {
	return p.Words.Error(Sentencef(format, args...))
}

// SayIf says what Say does if it is true, else nothing.
func (p *Program) SayIf(is bool, format string, args ...any) string {
	if is {
		return p.Say(format, args...)
	}
	return ""
}

// Sentence says an error in the person's language, in one line.
func (p *Program) Sentence(err error) string { return api.OneLine(p.Words.Error(err)) }

// Joined are texts with a dot between them, without those that are empty.
func Joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// Println prints a line in the person's language.
func (p *Program) Println(format string, args ...any) { fmt.Fprintln(p.Out, p.Say(format, args...)) }

// Remark says a line on standard error, unless the run is quiet.
func (p *Program) Remark(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintln(p.Err, p.Say(format, args...))
	}
}

// Notice writes an error or a remark of the program's own to standard error. A key
// in it, such as one given for a command's name, is hidden: logs keep what is printed.
func (p *Program) Notice(err error) {
	fmt.Fprintln(p.Err, "darkroom: "+p.typed(Lines(api.HideKeys(p.Sentence(err)))))
}

// typed is a text with the commands in it as they are typed here.
func (p *Program) typed(text string) string {
	if p.Slash {
		return strings.NewReplacer("'darkroom ", "'/", ": darkroom ", ": /").Replace(text)
	}
	return text
}

// Anew is a text without what this run has said already: a cause of more than 40 bytes
// at its end, or all of it.
func (p *Program) Anew(text string) string {
	said, last := p.Said, ':'
	p.Said += text + "\n"
	for i, r := range text {
		rest := strings.TrimSpace(text[i:])
		if (last == ':' || last == '：') && len(rest) > 40 && strings.Contains(said, rest) {
			return strings.TrimRight(text[:i], " :：")
		}
		last = r
	}
	return text
}

// Fail prints an error where it belongs, once, and gives the exit code.
func (p *Program) Fail(err error) int {
	f := FailureOf(err)
	if f.Printed {
		return f.Code
	}
	p.form = structured{} // neither fields nor expressions are for failures
	if p.JSON && p.PrintJSON(p.document(f)) {
		return f.Code
	}
	if text := p.Anew(p.Sentence(refusedKey(p.Env, f.Err))); text != "" {
		p.Notice(Verbatim(text))
	}
	fmt.Fprint(p.Err, p.details(f, "  "))
	return f.Code
}

// details are the problems of a failure, and what is wrong in the first lines of a list.
func (p *Program) details(f *Failure, indent string) (text string) {
	mistake := func(one *Failure) string { // without the number of its line
		_, said, _ := strings.Cut(one.Error(), ": ")
		return said + p.details(one, "")
	}
	first, alike := []*Failure(nil), map[string]int{} // the first line of each mistake, and how many have it
	for _, one := range f.Lines {
		if alike[mistake(one)]++; alike[mistake(one)] == 1 {
			first = append(first, one)
		}
	}
	for i, one := range first {
		if i == 20 {
			text += indent + p.Say("and %d more", len(first)-i) + "\n"
			break
		}
		more := alike[mistake(one)] - 1
		line := p.Sentence(one.Err) + p.SayIf(more > 0, " (and %s)", p.Words.Count(more, "%d more line", "%d more lines"))
		text += indent + Lines(api.HideKeys(line)) + "\n" + p.details(one, indent+"  ")
	}
	for _, problem := range f.Problems {
		name := ID(problem.Field)
		if !f.Plain {
			name, problem = p.FlagOf(problem.Field), problem.Named(p.FlagOf)
		}
		said := p.Words.Problem(problem)
		switch rest, named := strings.CutPrefix(said, name+" "); { // it is said once
		case named:
			said = " " + rest
		case problem.Value == "" && strings.Contains(strings.ToLower(said), strings.ToLower(name)):
			name = ""
		default:
			said = ": " + said
		}
		if problem.Value != "" && !f.Plain {
			name += " " + strconv.Quote(api.HideKeys(api.Clean(api.OneLine(problem.Value), 60).String()))
		}
		if problem.Field == api.FieldModel && !f.Plain {
			said += " " + p.typed(p.Say("'darkroom models' lists them."))
		}
		text += indent + name + said + "\n"
	}
	return text
}

// FlagOf is how the command line gives a field, or a value of it: the flag as it was typed.
func (p *Program) FlagOf(field string) string {
	if field, _, _ = strings.Cut(field, "."); field == api.FieldPrompt {
		return "PROMPT"
	}
	return cmp.Or(p.Typed[api.FlagName(field)], "--"+api.FlagName(field))
}

// Stream is standard output or standard error. A write to a pipe that nobody
// reads, or to a stopped terminal, lasts for ever: one that is under way when the
// run is to end has a last moment. After one that failed there are no others.
type Stream struct {
	File  *os.File
	Ended <-chan struct{} // the run is to end

	failed atomic.Pointer[error]
}

// CheckOutput gives the exit code of a run whose own code is code: 1 when its
// output could not be written, unless the run failed for a reason of its own.
func (p *Program) CheckOutput(code int) int {
	if out, ok := p.Out.(*Stream); ok && out.failed.Load() != nil {
		p.Notice(Sentencef("standard output: %s", FileError(*out.failed.Load())))
		return cmp.Or(code, ExitFailed)
	}
	return code
}

const lastMoment = time.Second

// Fd is the file's number, for those who ask whether it is a terminal.
func (s *Stream) Fd() uintptr { return s.File.Fd() }

// Write writes whole texts. A terminal gets none of what would steer it, whatever
// stands in the name of a file.
func (s *Stream) Write(b []byte) (int, error) {
	text := string(b)
	if IsTerminal(s) {
		text = Lines(text)
	}
	return len(b), s.write(text)
}

func (s *Stream) write(text string) error {
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.File.WriteString(text)
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-s.Ended:
		select {
		case err = <-done:
		case <-time.After(lastMoment):
			err = os.ErrDeadlineExceeded
		}
	}
	if err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
	return err
}

// Steer writes what steers the terminal to standard error.
func (p *Program) Steer(sequence string) {
	if terminal, ok := p.Err.(*Stream); ok {
		_ = terminal.write(sequence)
	}
}

// IsTerminal reports whether all streams are terminals.
func IsTerminal(streams ...any) bool {
	return !slices.ContainsFunc(streams, func(stream any) bool {
		file, ok := stream.(interface{ Fd() uintptr })
		return !ok || !term.IsTerminal(file.Fd())
	})
}

// Size is how large a terminal is; 0 for other streams.
func Size(stream any) (columns, rows int) {
	if IsTerminal(stream) {
		columns, rows, _ = term.GetSize(stream.(interface{ Fd() uintptr }).Fd())
	}
	return columns, rows
}

// Progress keeps one line on standard error, where a terminal reads that; a line
// of "" leaves the one before. The function that it returns takes the line away.
func (p *Program) Progress(ctx context.Context, line func(context.Context) string) func() {
	if p.Quiet || p.Env("TERM") == "dumb" || !IsTerminal(p.Err) {
		return func() {}
	}
	return Aside(ctx, func(ctx context.Context) {
		const every = 500 * time.Millisecond
		for state.Sleep(ctx, every); ctx.Err() == nil; state.Sleep(ctx, every) {
			if text := line(ctx); text != "" {
				columns, _ := Size(p.Err)
				p.Steer("\r" + ansi.Truncate(text, cmp.Or(columns, 80)-1, "…") + ansi.EraseLineRight)
			}
		}
		p.Steer("\r" + ansi.EraseLineRight)
	})
}

// Aside does something next to all else. The function that it returns ends that.
func Aside(ctx context.Context, do func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { do(ctx) })
	return func() {
		cancel()
		ended.Wait()
	}
}

// ID is an id of the service as a line may show it. Ids are data and kept as
// received, so they are cleaned only here.
func ID(id string) string { return api.Clean(id, api.MaxIDText).String() }

// Address is an address of the service's as a line may show it.
func Address(address string) string { return api.Clean(address, api.MaxAddressText).String() }

// Lines is a long text with its lines, whole.
func Lines(text string) string { return api.CleanLines(text, len(text)+1).String() }

// Escape writes what could steer a terminal as JSON's escapes: the value stays
// the same. JSON itself only escapes the controls below space, and a document
// may hold an answer as it was received.
func Escape(text []byte) []byte {
	if !bytes.ContainsFunc(text, steers) {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		if !steers(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

func steers(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == utf8.RuneError || r > 0x9f && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

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

// Bar draws full cells for what is sure, shaded ones for what may be: 24 for the most.
func Bar(sure, all, most api.Credits) string {
	cells := func(part api.Credits) int { // something is at least one
		return max(int(float64(part)/float64(most)*24+0.5), int(min(part, 1)))
	}
	return strings.Repeat("█", cells(sure)) + strings.Repeat("░", cells(all)-cells(sure))
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
		row := make([]string, len(fields))
		for i, name := range fields {
			if v := document.(map[string]any)[name]; v != nil {
				row[i] = api.OneLine(api.CleanLines(fmt.Sprint(v), api.MaxErrorText).String())
			}
			if row[i] != "" && strings.Contains("=+-@", row[i][:1]) { // no program is to take it for a formula
				row[i] = "'" + row[i]
			}
		}
		_ = w.Write(row)
	}
	w.Flush()
	_, _ = io.WriteString(p.Out, text.String())
}
