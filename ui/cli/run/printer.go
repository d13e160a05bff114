package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
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
	"darkroom/ui/words"
)

// Hidden stands for what could name a person, a service or a folder.
const Hidden = "…"

// Anonymous is what an error says without what others wrote: sentences and
// reasons of this program with their numbers, all other values Hidden.
func Anonymous(err error) error {
	if ours, ok := errors.AsType[*sentence](err); ok {
		return &sentence{ours.format, api.Map(ours.args, anonymous)}
	}
	if answer, ok := errors.AsType[*api.Error](err); ok {
		text := Verbatim(answer.Class)
		if answer.Status > 0 {
			text += Verbatim(fmt.Sprintf(", HTTP %d", answer.Status))
		}
		if answer.Reason.IsZero() {
			return text
		}
		return Sentencef("%s (%s)", anonymous(answer.Reason), text)
	}
	if fault, ok := errors.AsType[*api.Fault](err); ok {
		return &sentence{"%s", []any{anonymous(fault.Reason)}}
	}
	return Verbatim(Hidden)
}

func anonymous(value any) any {
	switch v := value.(type) {
	case int, bool:
		return v
	case error:
		return Anonymous(v)
	case api.Reason:
		return v.Format().Reason(api.Map(v.Args(), anonymous)...)
	}
	return Hidden
}

// sentence is an English format, the key of its translation, and its arguments, of
// which errors and reasons are translated too. JSON documents take its Error.
type sentence struct {
	format string
	args   []any
}

// Sentencef makes a sentence. Tests of ui/words find formats that are literals.
func Sentencef(format string, args ...any) error { return &sentence{format, args} }

// Word is a sentence of one word out of a fixed set, such as a phase.
func Word[S ~string](s S) error { return &sentence{format: string(s)} }

func (s *sentence) Error() string {
	return midStop().ReplaceAllString(fmt.Sprintf(s.format, s.args...), "$1$2")
}

// In says the sentence in a language.
func (s *sentence) In(w *words.Words) string {
	return midStop().ReplaceAllString(w.Say(s.format, slices.Clone(s.args)...), "$1$2")
}

// midStop is the full stop of a sentence that another one goes on after.
var midStop = api.Pattern(`([^.])[.。]([;)；）])`)

// Unwrap gives the errors among the arguments.
func (s *sentence) Unwrap() []error {
	return api.Pick(s.args, func(arg any) (error, bool) { err, is := arg.(error); return err, is })
}

// Verbatim is a text that is the same in every language, such as a path.
type Verbatim string

func (v Verbatim) Error() string { return string(v) }

// In is the text.
func (v Verbatim) In(*words.Words) string { return string(v) }

// Because is a reason of a package below.
func Because(why api.Reason) error { return &api.Fault{Reason: why} }

// English are the words of JSON documents, in every language.
var English = words.For("en")

// FileError says which file it is and what the system answered.
func FileError(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return Sentencef("%s: %s", path.Path, path.Err)
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return Sentencef("%s: %s", link.New, link.Err)
	}
	return err
}

// Credits is an amount with its unit, and what it is in money: "12.5 credits (0.13 EUR)".
type Credits api.Credits

func (c Credits) Error() string { return c.In(English) }

// In says the amount in a language.
func (c Credits) In(w *words.Words) string {
	return w.Reason(api.Credits(c).Amount()) + w.Credit.Of(api.Credits(c))
}

// Phase is a phase in a word; its English one is that of JSON documents.
func Phase(p api.Phase) error { return Word(ShownPhase(p)) }

// ShownPhase leaves out the phase that only exists while a job is recorded.
func ShownPhase(p api.Phase) api.Phase {
	if p == api.PhaseIntent {
		return api.PhaseSending
	}
	return p
}

// Or joins names that can be chosen from.
func Or(names []string) error {
	if len(names) == 1 {
		return Verbatim(names[0])
	}
	return Sentencef("%s or %s", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// Meant is the end of a sentence about a name that is none of these: which one is near, else what is given in place of that.
func Meant(given string, names []string, others ...error) error {
	if near := api.Near(given, names); len(near) > 0 {
		return Sentencef("; did you mean %s?", Or(api.Map(near, ID)))
	}
	return append(others, Verbatim(""))[0]
}

// Sentence says an error in the person's language, in one line.
func (p *Program) Sentence(err error) string { return api.OneLine(p.Words.Error(err)) }

// Joined are texts with a dot between them, without those that are empty.
func Joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// Println prints a line in the person's language.
func (p *Program) Println(format string, args ...any) { fmt.Fprintln(p.Out, p.Say(format, args...)) }

// Remark says a line on standard error, unless the run is quiet. It hides keys as Notice does.
func (p *Program) Remark(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintln(p.Err, api.HideKeys(p.Say(format, args...)))
	}
}

// Notice writes an error or a remark of the program's own, if there is one, to standard error. A key
// in it, such as one given for a command's name, is hidden: logs keep what is printed.
func (p *Program) Notice(err error) {
	if text := p.Sentence(err); text != "" {
		fmt.Fprintln(p.Err, "darkroom: "+p.typed(Lines(api.HideKeys(text))))
	}
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
	why := f.Err // a key that the service refused is the variable's, unless login has just read it
	answer, ok := errors.AsType[*api.Error](why)
	if p.Env("DARKROOM_API_KEY") != "" && ok != errors.Is(why, state.ErrKeyRefused) && (!ok || answer.Class == api.ClassKey) {
		why = Sentencef("the service refused the key in DARKROOM_API_KEY (401): copy it again from the service's API key page")
	}
	p.Notice(Verbatim(p.Anew(p.Sentence(why))))
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
		line := p.Sentence(one.Err) + p.SayIf(more > 0, " (and %s)", p.Count(more, "%d more line", "%d more lines"))
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
	File *os.File
	Run  context.Context // ends when the run is to end

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
	done := make(chan error, 2)
	go func() {
		_, err := s.File.WriteString(text)
		done <- err
	}()
	defer context.AfterFunc(s.Run, func() {
		time.Sleep(lastMoment)
		done <- os.ErrDeadlineExceeded
	})()
	err := <-done
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
		for state.Sleep(ctx, 500*time.Millisecond) {
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

// ChooseConfiguration gives all, or only the one that an argument names.
func ChooseConfiguration(all []state.ToolClient, args []string) ([]state.ToolClient, error) {
	if len(args) == 0 {
		return all, nil
	}
	names := api.Map(all, func(c state.ToolClient) string { return c.Name })
	if i := slices.Index(names, args[0]); i >= 0 {
		return all[i : i+1], nil
	}
	return nil, Usagef("there is no configuration %q%s", args[0], Meant(args[0], names, Sentencef("; give %s", Or(names))))
}

// PrintConfigurations prints configurations with their names and files, or a single
// one so that it can go into its file as it is.
func (p *Program) PrintConfigurations(list []state.ToolClient) {
	switch {
	case p.JSON:
		p.PrintJSON(map[string]any{"configurations": list}, "configurations")
	case len(list) == 1:
		fmt.Fprintln(p.Out, list[0].Text)
	default:
		for _, c := range list {
			fmt.Fprintf(p.Out, "# %s %s\n%s\n\n", c.Name, c.File, c.Text)
		}
	}
}
