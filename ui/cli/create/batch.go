package create

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// shot is a line of a list.
type shot struct {
	line    int
	cells   [][2]string // names of flags and their values
	request api.Request // as it is written
	output  string      // where its result goes
	err     error       // what is wrong in it
	key     string      // by which the line is known: what it says,
	nth     int         // and how often that stood up to here
}

// batchCommand sends what of a list was not sent before.
func (p Run) batchCommand() *cobra.Command {
	f, kind := &generateFlags{}, ""
	cmd := &cobra.Command{Use: "batch FILE", RunE: func(cmd *cobra.Command, args []string) error {
		text, err := p.ReadInput(cmd.Context(), args[0], run.MaxText)
		if err != nil {
			return run.Usagef("the list cannot be read: %s", run.FileError(err))
		}
		list, err := readShots(text, kind)
		if err = cmp.Or(err, f.together(cmd.Flags().Changed("output"))); err != nil {
			return err
		}
		f.follow.List = true
		ctx := cmd.Context()
		return p.With(ctx, f.needs, func(s *state.Session) error {
			made, err := p.unsent(ctx, s, list, f)
			switch {
			case ctx.Err() != nil:
				return run.ErrAborted
			case err == nil && len(made.all) > 0 && f.dryRun:
				f.yes = true
				err = p.agree(ctx, s, made, f)
			}
			if err != nil {
				return err
			}
			for {
				err = p.finish(ctx, s, made, f)
				if !f.yes || len(made.files) > 0 || run.Refused(err, "again") == nil && run.Refused(err, "stale") == nil {
					return err
				}
				left, late := p.unsent(ctx, s, list, f) // another run may have sent lines; files are uploaded once
				if late != nil || len(left.all) == len(made.all) {
					return cmp.Or(late, err)
				}
				made = left
			}
		}, func(*state.Session) error { return wrong(list) })
	}}
	run.OneOf(cmd, &kind, "kind", "image or video, for lines that do not say which", "image", "video")
	cmd.Flags().BoolVar(&f.again, "again", false, "also send what was sent before")
	return p.sending(cmd, f)
}

// readShots reads a list, whose format its first character tells, and makes a request of each line.
func readShots(text []byte, kind string) (list []shot, err error) {
	said := strings.TrimPrefix(string(text), "\ufeff")
	switch start := strings.TrimSpace(said); {
	case len(text) == run.MaxText:
		return nil, run.Usagef("the list is longer than %d bytes", run.MaxText)
	case start == "":
		return nil, run.Usagef("the list is empty: give %s", formats)
	case !utf8.Valid(text), strings.Contains(said, "\x00"):
		return nil, run.Usagef("this is not a text file: give %s", formats)
	case strings.HasPrefix(start, "["):
		return nil, run.Usagef("the list is one JSON array: write each object on a line of its own, as 'jq -c .[]' does")
	case strings.HasPrefix(start, "{"):
		list = lineShots(said, jsonShot)
	case strings.HasPrefix(start, "#"), listItem.MatchString(start):
		if kind == "" {
			return nil, run.Usagef("a Markdown list does not say its kind: give --kind image or --kind video")
		}
		list = lineShots(said, itemShot)
	default:
		list, err = csvShots(said)
	}
	if err == nil && (len(list) == 0 || len(list) > expand.MaxRequests) {
		err = run.Usagef("the list has %d lines: give 1 to %d", len(list), expand.MaxRequests)
	}
	seen := map[string]int{}
	for i := range list {
		one := &list[i]
		if one.err == nil {
			one.err = one.read(kind)
		}
		key, _ := api.PlainJSON(one.request) // a request can always be written
		one.key = string(key)
		seen[one.key]++
		one.nth = seen[one.key]
	}
	return list, err
}

// formats are those of lists.
var formats = run.Sentencef("CSV with a header line, lines of JSON, or a Markdown list")

// wrong is one failure of all lines of a list in which something is wrong.
func wrong(list []shot) error {
	all := &run.Failure{Code: run.ExitUsage, Err: run.Sentencef("lines of the list are wrong, nothing was sent")}
	for _, one := range list {
		if one.err != nil {
			f := *run.FailureOf(one.err)
			if f.Line, f.Err = one.line, run.Sentencef("line %d: %s", one.line, run.OfLine(f.Err)); len(f.Problems) > 0 {
				f.Err = run.Sentencef("line %d: invalid request", one.line) // that nothing was sent is said of all
			}
			all.Lines = append(all.Lines, &f)
		}
	}
	if len(all.Lines) == 0 {
		return nil
	}
	return all
}

// several has the names of a list's fields, also their labels, and whether a field takes several values.
var several = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{"output": false, "kind": false, "from": false}
	for _, field := range api.Fields(api.KindVideo) { // and those of images, which it refuses
		for _, name := range append([]string{field.Flag(), field.Label}, field.Also...) {
			names[dashed(name)] = field.Max > 0
		}
	}
	return names
})

// misnamed says what is wrong with the names of the fields.
func misnamed(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		name = dashed(strings.TrimSpace(name))
		switch list, known := several()[name]; {
		case name == "": // a column without a head
		case seen[name] && !list:
			return run.Usagef("%s is given twice", run.ID(name))
		case !known:
			return run.Usagef("there is no field %s%s", run.ID(name),
				run.Meant(name, slices.Sorted(maps.Keys(several())), run.Sentencef("; 'darkroom help batch' says which there are")))
		}
		seen[name] = true
	}
	return nil
}

// read makes a request of the cells, of the kind that they or all lines have.
func (o *shot) read(kind string) (err error) {
	prompt, flags := "", []string(nil)
	for _, c := range o.cells {
		switch name, value := dashed(strings.TrimSpace(c[0])), strings.TrimSpace(c[1]); {
		case name == "prompt":
			prompt = value
		case name == "output":
			o.output = value
		case name == "kind":
			kind = cmp.Or(strings.ToLower(value), kind)
		case value != "":
			flags = append(flags, "--"+name+"="+value)
		}
	}
	switch {
	case kind != "" && !api.Kind(kind).Known():
		return run.Usagef("%q is not a kind: write image or video", kind)
	case kind == "":
		return run.Usagef("say image or video, as its kind or for all lines with --kind")
	case prompt == "":
		return run.Usagef("there is no prompt")
	}
	o.request, err = RequestOf(api.Kind(kind), flags)
	o.request.Prompt = prompt
	return err
}

// csvShots reads CSV. Its head names the flags that the columns are the values of;
// an empty cell leaves its flag out.
func csvShots(text string) (list []shot, err error) {
	in := csv.NewReader(strings.NewReader(text))
	head, _ := in.Read()
	if !slices.ContainsFunc(head, func(name string) bool { return len(api.Near(dashed(strings.TrimSpace(name)), []string{"prompt"})) > 0 }) {
		return nil, run.Usagef("no column is named prompt: give %s", formats)
	}
	if err := misnamed(head); err != nil {
		return nil, wrong([]shot{{line: 1, err: err}})
	}
	for row, err := in.Read(); err != io.EOF; row, err = in.Read() {
		one := shot{}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			one.line, one.err = bad.Line, run.Usagef("this is not a row of CSV with %d columns", len(head))
		} else {
			one.line, _ = in.FieldPos(0)
			for i, cell := range row {
				one.cells = append(one.cells, [2]string{head[i], cell})
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// lineShots reads a list line by line: item adds a shot, or goes on with the last one.
func lineShots(text string, item func([]shot, shot, string) []shot) (list []shot) {
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			list = item(list, shot{line: i + 1}, line)
		}
	}
	return list
}

// jsonShot reads an object. A list in it repeats its flag, as for materials.
func jsonShot(list []shot, one shot, line string) []shot {
	if object := map[string]any{}; json.Unmarshal([]byte(line), &object) != nil {
		one.err = run.Usagef("this is not one JSON object")
	}
	var names []string
	in := json.NewDecoder(strings.NewReader(line))
	for token, err := in.Token(); one.err == nil && err == nil; token, err = in.Token() {
		name, is := token.(string)
		if !is { // a brace
			continue
		}
		var value json.RawMessage
		_ = in.Decode(&value)
		values := []json.RawMessage{value}
		_ = json.Unmarshal(value, &values) // null is none
		many := len(values) > 1 && !several()[dashed(name)]
		if slices.Contains(names, name) {
			one.err = run.Usagef("%s is given twice", run.ID(name))
		}
		names = append(names, name)
		for _, value := range values {
			if many || value[0] == '{' || value[0] == '[' {
				one.err = run.Usagef("%s is neither text nor a number", run.ID(name))
			}
			one.cells = append(one.cells, [2]string{name, api.Written(value)}) // null is empty
		}
	}
	one.err = cmp.Or(one.err, misnamed(names))
	return append(list, one)
}

var listItem = regexp.MustCompile(`^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)`)

// itemShot reads a line of a Markdown list. One that is indented goes on with its item.
func itemShot(list []shot, one shot, line string) []shot {
	switch found, last := listItem.FindStringSubmatch(line), len(list)-1; {
	case line[0] == '#':
		return list
	case found != nil:
		one.cells = [][2]string{{"prompt", found[1]}}
	case last >= 0 && (line[0] == ' ' || line[0] == '\t'):
		list[last].cells[0][1] += " " + strings.TrimSpace(line)
		return list
	default:
		one.cells, one.err = [][2]string{{""}}, run.Usagef("this is not a list item: put - or a number before a prompt")
	}
	return append(list, one)
}

// unsent is what of a list is to be sent, checked. What may have been sent is left out;
// what is not settled of it is named.
func (p Run) unsent(ctx context.Context, s *state.Session, list []shot, f *generateFlags) (made plan, err error) {
	if f.dryRun {
		_ = s.AwaitKey(ctx) // without one there are the prices of the table
	}
	listing, sent, last, agent := s.Models(ctx), 0, time.Time{}, f.yes && p.AgentShell(s)
	models := func(context.Context) state.Listing { return listing }
	keys := api.Map(list, func(one shot) string {
		return fmt.Sprintf("list/%x", sha256.Sum256(fmt.Appendln(nil, s.Base(), one.key, one.nth)))
	})
	known, err := s.Queue().Listed(ctx, keys)
	made.several = true
	outputs := map[string]bool{}
	for i := 0; i < len(list) && err == nil; i++ {
		one, was := list[i], known[keys[i]]
		if one.err != nil {
			continue
		}
		n, left := was.Times+1, was.Times > 0 && !f.again
		doubt := !was.Left && (was.Phase == api.PhaseUnknown || was.Phase == api.PhaseUnread)
		switch was.Phase {
		case api.PhaseHeld: // what is agreed to now takes its place
			n, left, doubt = was.Times, was.Left || agent, was.Left || agent
		case api.PhaseNotSent, api.PhaseRejected:
			left = left && was.Left
		}
		if left {
			if doubt {
				p.Notice(run.Sentencef("line %d is left out: job %s is %s", one.line, was.ID, run.Phase(was.Phase)))
				p.ExitCode = cmp.Or(p.ExitCode, run.CodeOfJob(state.Job{Row: was.Row}))
			}
			if was.Phase != api.PhaseHeld {
				sent, last = sent+1, was.CreatedAt
			} else if !was.Left {
				p.ExitCode = run.ExitHeld
			}
			continue
		}
		one.request.Model = cmp.Or(one.request.Model, was.Model)
		this, bad := p.plan(ctx, s, one.request, true, models)
		to, no := f.copyTo(cmp.Or(one.output, f.output))
		switch bad = cmp.Or(bad, no); {
		case bad != nil:
		case len(this.all) != 1:
			bad = run.Usagef("the prompt expands to %d requests: give each a line of its own", len(this.all))
		case f.dryRun && len(this.files) > 0:
			bad = run.Usagef("%s is a local file, and --dry-run uploads nothing: upload it and give its URL", this.files[0])
		case taken(outputs, to):
			bad = run.Usagef("--output %s: another line has it as well", to)
		}
		if list[i].err = bad; bad != nil {
			if run.FailureOf(bad).Code != run.ExitUsage {
				return made, bad // it is of no line
			}
			continue
		}
		made.files = append(made.files, this.files...)
		it := this.all[0]
		it.Label, it.line, it.output = "#"+strconv.Itoa(one.line), one.line, to
		it.Again, it.ConfirmID = one.nth > 1, state.ListedConfirm(keys[i], n)
		made.all = append(made.all, it)
	}
	err = cmp.Or(err, wrong(list))
	switch at := last.Local().Format(time.DateTime); {
	case sent == 0:
	case sent < len(list):
		p.Remark("%d of %d lines were sent before, the last on %s", sent, len(list), at)
	case sent == 1:
		p.Remark("the only line was sent before, on %s: --again sends it once more", at)
	default:
		p.Remark("all %d lines were sent before, the last on %s: --again sends them once more", sent, at)
	}
	return made, err
}
