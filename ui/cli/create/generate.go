// Package create has the commands that make, send and price requests.
package create

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/run"
	"darkroom/ui/words"
)

// generateFlags are the flags of the commands that send requests.
type generateFlags struct {
	requestFlags
	yes, again, noWait   bool
	dryRun, curl, upload bool
	output               string
	maxCredits           run.LimitFlag
	follow               jobs.Following
	needs                run.Needs
}

// Run is a run of a command about a request.
type Run struct{ *run.Program }

// Commands are those that make, send and price requests.
func (p Run) Commands() []*cobra.Command {
	return []*cobra.Command{p.generateCommand(api.KindImage), p.generateCommand(api.KindVideo), p.batchCommand(), p.estimateCommand()}
}

// command is one about the request of a prompt, which is read and checked before do is called.
func (p Run) command(kind api.Kind, f *generateFlags, do func(context.Context, *state.Session, api.Request) error) *cobra.Command {
	cmd := &cobra.Command{Use: string(kind) + " PROMPT", Args: cobra.ArbitraryArgs, RunE: func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		r, err := f.read(p, cmd, args)
		if err = cmp.Or(err, f.together(cmd.Flags().Changed("output"))); err != nil {
			return err
		}
		return p.With(ctx, f.needs, func(s *state.Session) error { return do(ctx, s, r) }, func(s *state.Session) error {
			_, err := p.plan(ctx, s, r, f.expand, s.KnownModels)
			if len(run.FailureOf(err).Problems) > 0 { // of the rules that hold without a service
				return err
			}
			return nil
		})
	}}
	f.add(cmd, kind)
	return cmd
}

func (p Run) generateCommand(kind api.Kind) *cobra.Command {
	f := &generateFlags{}
	cmd := p.command(kind, f, func(ctx context.Context, s *state.Session, r api.Request) error {
		models := s.Models
		if f.dryRun {
			models = s.KnownModels
		}
		made, err := p.plan(ctx, s, r, f.expand, models)
		if err != nil {
			return err
		}
		if made.all[0].output = f.output; f.dryRun && len(made.files) == 0 && models(ctx).At.IsZero() {
			p.Notice(run.Sentencef("not checked: what %s takes, and its price, since no list of the service's models is known",
				run.ID(made.pattern.Model)))
		}
		if f.dryRun && s.Remote.Unlisted(ctx, made.pattern.Model) {
			p.NoteUnlisted(ctx, s, made.pattern.Model)
		}
		if f.expand && len(made.all) == 1 {
			p.Remark("--expand: there is nothing to choose from, so this is one request; a choice is written {red|blue}")
		}
		return p.finish(ctx, s, made, f)
	})
	flags := cmd.Flags()
	flags.BoolVar(&f.expand, "expand", false,
		"send each variation of prompt and flags as a request of its own (see above); --max-credits is for all of them")
	flags.BoolVar(&f.again, "again", false, "send even if the same request is active or its outcome is unknown")
	flags.BoolVar(&f.curl, "curl", false, "with --dry-run: print a curl command; the key stays a variable of the shell")
	return p.sending(cmd, f)
}

// sending declares the flags of every command that sends requests.
func (p Run) sending(cmd *cobra.Command, f *generateFlags) *cobra.Command {
	flags := cmd.Flags()
	flags.BoolVarP(&f.yes, "yes", "y", false, "send without asking about the price")
	flags.BoolVar(&f.upload, "upload", false, "upload local files with the configured command, without asking")
	flags.StringVarP(&f.output, "output", "o", "", "also copy the result to this FILE or into this folder; nothing is overwritten")
	flags.BoolVar(&f.noWait, "no-wait", false, "return as soon as the service has accepted the request")
	flags.BoolVar(&f.follow.Wait, "wait", true, "wait for the result and download it (default)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be sent, and send nothing")
	flags.BoolVarP(&p.Quiet, "quiet", "q", false,
		"print only the paths of the saved results (not of the copies that --output makes), or the id with --no-wait, and errors")
	cmd.MarkFlagsMutuallyExclusive("wait", "no-wait")
	f.maxCredits.Add(cmd, "max-credits", "refuse when the price is higher or unknown")
	flags.DurationVar(&f.follow.Timeout, "timeout", 0, "stop waiting after this long, such as 10m; the job goes on (default: no limit)")
	return p.JSONFlags(cmd, jobs.Document{}, call{})
}

// together refuses flags that have no meaning with each other, and says what the others need.
func (f *generateFlags) together(output bool) (err error) {
	f.follow.New, f.follow.List, f.follow.Wait = true, f.expand, f.follow.Wait && !f.noWait
	switch f.needs = run.Service; {
	case f.dryRun:
		f.needs = run.Store
	case f.follow.Wait:
		f.needs = run.Polling
	}
	switch {
	case f.expand && (f.output != "" || f.curl):
		return run.Usagef("--output and --curl are for one request: leave --expand out")
	case f.curl && !f.dryRun:
		return run.Usagef("--curl needs --dry-run: write 'darkroom %s PROMPT --dry-run --curl'", f.request.Kind)
	case f.output == "" && output:
		return run.Usagef("--output needs the name of a file or of a folder")
	}
	f.output, err = f.copyTo(f.output)
	return err
}

// Send asks about the price of what a request stands for, sends it and gives the ids.
func (p Run) Send(ctx context.Context, s *state.Session, r api.Request) ([]string, error) {
	made, err := p.plan(ctx, s, r, false, s.Models)
	if err != nil {
		return nil, err
	}
	return p.send(ctx, s, made, &generateFlags{})
}

// finish sends a plan, follows its jobs and copies their files. A dry run prints it.
func (p Run) finish(ctx context.Context, s *state.Session, made plan, f *generateFlags) (err error) {
	if f.dryRun {
		return p.printCalls(s, made, f)
	}
	if len(made.all) > 0 {
		f.follow.IDs, err = p.send(ctx, s, made, f)
	}
	if err == nil {
		err = (jobs.Run{Program: p.Program}).Follow(ctx, s, f.follow)
		err = cmp.Or(err, p.copyAll(ctx, s, f.follow.IDs, made.all))
	}
	return err
}

// send sends the requests of a plan after one agreement: one is submitted at once,
// several wait in the queue. It gives the ids of what was sent.
func (p Run) send(ctx context.Context, s *state.Session, plan plan, f *generateFlags) (ids []string, err error) {
	switch agent := f.yes && p.AgentShell(s); {
	case agent && len(plan.files) > 0: // nobody has agreed to its upload
		return nil, run.Usagef("%s is a local file: upload it and give its URL", plan.files[0])
	case agent:
		return p.Hold(ctx, s, api.Map(plan.all, func(v item) api.Request { return v.Request }), f.maxCredits.Most,
			api.Map(plan.all, func(v item) string { return v.ConfirmID })...)
	}
	if err = p.agree(ctx, s, plan, f); err == nil { // with stand-ins: what cannot be sent is not uploaded
		err = p.uploadFiles(ctx, s, &plan, f.upload)
	}
	agreed := api.Map(plan.all, func(v item) state.Agreed { return v.Agreed })
	for err == nil {
		if id, limit := state.NewConfirmID(), f.maxCredits.Most; plan.several {
			ids, err = s.Queue().Agree(ctx, state.Together{ConfirmID: id, Pattern: plan.pattern, Requests: agreed, MaxCredits: limit})
		} else {
			var job state.Job
			agreed[0].ConfirmID = id
			job, err = s.Submit(ctx, state.Confirmed{Agreed: agreed[0], MaxCredits: limit})
			ids = []string{job.ID}
		}
		dearer, again, ended, warned := run.Refused(err, "price"), run.Refused(err, "again"), run.Refused(err, "link"), time.Now()
		switch {
		case err == nil:
			return ids, nil
		case again != nil && f.yes && plan.all[0].line > 0: // --again is for more than this one
			return nil, run.Usagef("%s; no line was sent: run the list again once that job has ended or been settled", again)
		case again != nil && f.yes:
			return nil, run.Usagef("%s; use --again to send it anyway", again)
		case again != nil:
			err = p.Ask(ctx, "--again", run.Sentencef("%s. Send again for %s?", words.Capital(p.Sentence(again)), priceOf(agreed)))
		case (dearer != nil || ended != nil) && !f.yes: // it has changed while the question waited
			p.Notice(err)
			err = p.Ask(ctx, "--yes", run.Sentencef("Send it?"))
		}
		for i := range agreed {
			if agreed[i].Again = agreed[i].Again || again != nil; dearer != nil {
				agreed[i].Estimate = dearer.Prices[i]
			} else if ended != nil {
				agreed[i].Warned = warned
			}
		}
	}
	return nil, err
}

// plan is what a request stands for.
type plan struct {
	pattern api.Request // with the results of jobs that it names, and stand-ins for files until they are uploaded
	files   []string    // of this machine, which are to be uploaded
	all     []item
	several bool // they are agreed to together
}

// item is one request of a plan.
type item struct {
	state.Agreed        // without its price until that is agreed to
	line         int    // of the list that it stands in, if any
	output       string // where its result is copied to, if anywhere
	model        api.Model
}

// plan makes the requests that a pattern stands for, gives them their model and
// applies every rule, as if its files were uploaded. Without several it is one: only
// --expand sends alternatives, and the lines mode; every other brace is literal.
func (p Run) plan(
	ctx context.Context, s *state.Session, pattern api.Request, several bool, models func(context.Context) state.Listing,
) (made plan, err error) {
	if made.pattern, made.files, err = p.withMaterials(ctx, s, pattern); err != nil {
		return made, err
	}
	warned := time.Now()
	for _, path := range made.files {
		clip, _ := cutFrame(path)
		if _, err := os.Stat(clip); err != nil {
			return made, run.Unsent(run.FileError(err))
		}
		if len(s.Settings().Upload) == 0 {
			return made, run.Usagef("%s is a local file, and the service takes URLs only: set upload in %s to a command that "+
				`uploads it and prints its URL, such as upload = ["my-upload", "{file}"]`, clip, s.Settings().ConfigFile)
		}
	}
	limit := expand.MaxRequests
	if several || p.Slash {
		limit = s.Settings().VariationsLimit()
	}
	var lists expand.Lists
	var unread error
	if strings.Contains(made.pattern.Prompt, "__") { // it may name some
		lists, unread = s.Queue().Lists()
	}
	if at, rest := expand.Unclosed(made.pattern.Prompt); at > 0 && several {
		return made, run.Usagef(`the brace at character %d of the prompt is not closed, %q: add }, or write \{ for a literal brace`,
			at, run.ID(api.OneLine(rest)))
	}
	set, err := expand.Requests(made.pattern, lists, limit)
	made.several = several || p.Slash && (err != nil || set.Several())
	switch {
	case err != nil && (made.several || errors.Is(err, expand.ErrCycle)):
		return made, run.Usagef("nothing was sent: %s", err)
	case !made.several && (err != nil || set.Several()):
		return made, run.Usagef("nothing was sent: the prompt expands to %d requests; use --expand to send them all, "+
			"and write \\{ for a literal brace", set.Count)
	case !made.several:
		set = expand.Set{All: []expand.Variation{{Request: made.pattern}}, Count: 1} // backslashes too
	}
	for _, name := range set.Missing {
		path := filepath.Join(filepath.Dir(s.Settings().ConfigFile), "wildcards", name+".txt")
		_, absent := os.Stat(path)
		switch there := unread != nil && !os.IsNotExist(absent); {
		case several && there:
			return made, run.WithCode(run.ExitUsage, unread)
		case several:
			return made, run.Usagef("nothing was sent: there is no list %s; write its entries into %s, one a line", name, path)
		case there:
			p.Notice(unread)
		}
		p.Notice(run.Sentencef("there is no list %s: its name is sent as it is", name))
	}
	if n := set.Equal(); n > 0 {
		p.Remark("%d duplicates were left out", n)
	}
	model, err := p.chooseModel(ctx, s, made.pattern, models(ctx))
	if err != nil && ctx.Err() != nil {
		return made, run.ErrAborted
	} else if f := run.FailureOf(err); err != nil {
		return made, run.WithCode(f.Code, run.Sentencef("nothing was sent: %s", f.Err))
	}
	made.pattern.Model = model.ID
	for _, v := range set.All {
		v.Request.Model = model.ID
		made.all = append(made.all, item{Agreed: state.Agreed{Request: v.Request, Label: v.Label, Warned: warned}, model: model})
		err = cmp.Or(err, valid(s, v.Request, model, v.Label))
	}
	return made, err
}

// valid applies every rule to a request that has its model.
func valid(s *state.Session, r api.Request, model api.Model, label string) error {
	if s.Remote.HoldsKey(r) { // nor is it printed
		return run.WithCode(run.ExitUsage, state.ErrHoldsKey)
	}
	problems := api.Check(r, model, s.Settings().BaseURL)
	_, listed := model.Parameter(api.FieldDuration)
	free := r.Kind == api.KindVideo && r.Model != api.Seedance2 && r.Duration != "" && !listed
	if _, err := strconv.ParseFloat(r.Duration, 64); err != nil && free {
		bad := api.NewProblem(api.FieldDuration, "not_a_number", api.FieldDuration)
		bad.Value = r.Duration
		problems = append(problems, bad)
	}
	if len(problems) == 0 {
		return nil
	}
	why := run.Sentencef("invalid request, nothing was sent")
	if label != "" {
		why = run.Sentencef("invalid request %q, nothing was sent", api.OneLine(label))
	}
	return &run.Failure{Code: run.ExitUsage, Err: why, Problems: problems}
}

// chooseModel finds the listing of a request's model: without one the last used of
// the kind, else seedance2 for video and the first listed image model.
func (p Run) chooseModel(ctx context.Context, s *state.Session, r api.Request, listing state.Listing) (api.Model, error) {
	last, err := s.LastModel(ctx, r.Kind)
	if err = cmp.Or(run.Ends(ctx, listing.Err), err); err != nil {
		return api.Model{}, err
	}
	id := cmp.Or(r.Model, last, map[api.Kind]string{api.KindVideo: api.Seedance2}[r.Kind])
	if i := slices.IndexFunc(listing.Models, func(m api.Model) bool { return m.ID == id || id == "" && m.Kind == r.Kind }); i >= 0 {
		return listing.Models[i], nil
	}
	switch {
	case id != "":
	case listing.Err != nil:
		err = run.Sentencef("no model is known, and the service did not list any: %s", listing.Err)
	case listing.At.IsZero():
		err = run.Usagef(
			"no %s model is known yet, because the service was never asked: name one with --model, or run 'darkroom models'", run.Word(r.Kind))
	default:
		err = run.Usagef("the service lists no %s model: name one with --model", run.Word(r.Kind))
	}
	return api.Model{ID: id}, err
}

// agree shows each price and their sum, and has it agreed to.
func (p Run) agree(ctx context.Context, s *state.Session, made plan, f *generateFlags) error {
	all := made.all
	offer := run.Offer{
		Model: all[0].Request.Model, Price: api.Estimate{Source: api.SourceTable}, Limit: f.maxCredits,
		Questions: []error{run.Sentencef("Send it?")}, New: !f.yes || len(made.files) > 0, Yes: map[bool]int{true: 1}[f.yes],
	}
	var t run.Table
	var bad []shot
	inTime := p.ForService()
	defer inTime()
	for i, v := range all {
		e, why, err := run.Estimate(ctx, s, v.Request)
		if err != nil {
			return err
		}
		all[i].Estimate, all[i].Again = e, f.again || v.Again
		switch {
		case v.line == 0 || !f.yes:
		case !e.Known() && s.Remote.Unlisted(ctx, v.Request.Model):
			bad = append(bad, shot{line: v.line, err: run.Unpriced(ctx, s, v.Request.Model)})
		case run.RefusedRequest(why):
			bad = append(bad, shot{line: v.line, err: run.WithCode(run.ExitUsage, why)})
		}
		if v.Request.Model != all[0].Request.Model {
			offer.Model = "" // there is none of all
		}
		if len(all) == 1 {
			offer.Price, offer.Why, offer.Request = e, why, withDefaults(v.Request, v.model)
		} else if offer.Price = offer.Price.Plus(e); !run.RefusedRequest(offer.Why) && (!e.Known() || run.RefusedRequest(why)) {
			offer.Why = why
		}
		if made.several && v.Label != "" && (!p.Quiet || !f.yes) {
			label := api.OneLine(api.Clean(v.Label, 200).String())
			price := cmp.Or(p.Anew(p.Sentence(run.PriceText(e, why))), p.Sentence(run.PriceText(e, nil)))
			if v.line == 0 {
				fmt.Fprintf(p.Err, "%3d  %s · %s\n", i+1, label, price)
				continue
			}
			title := api.Clean(api.OneLine(v.Request.Prompt), 60).String()
			t.Add(p.Say("line %d", v.line), p.Sentence(run.Word(v.Request.Kind)), strings.Join(v.Request.Said(p.Say), " · "), price, title)
		}
	}
	inTime()
	if err := wrong(bad); err != nil {
		return err
	}
	t.Write(p.Err, false)
	if len(all) > 1 {
		sum := priceOf(api.Map(all, func(v item) state.Agreed { return v.Agreed }))
		offer.Words, offer.Questions[0] = run.Sentencef("%d requests · %s", len(all), sum), run.Sentencef("Send them all?")
	}
	return p.Agree(ctx, s, offer)
}

// withDefaults is a request with the settings that decide its price, as the model's
// listing and the rate table have them if they are left out.
func withDefaults(r api.Request, m api.Model) api.Request {
	left := r.VideoModel == "" && m.ID == api.Seedance2
	for _, f := range api.Settings(r.Kind) {
		if p, _ := m.Parameter(f.Name); f.Text(&r) == "" && f.Name != api.FieldAspectRatio && f.Name != api.FieldSeed {
			f.Set(&r, p.Default)
		}
	}
	if _, priced := api.RateOf(r.VideoModel, r.Resolution); left && !priced {
		if r.VideoModel = ""; r.Resolution == "1080p" {
			r.VideoModel = api.TierStandardVIP // the only one that has it
		}
	}
	return r
}

// call is what --dry-run prints.
type call struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body"`
	Line   int             `json:"line,omitempty"` // of the list
}

func (p Run) printCalls(s *state.Session, made plan, f *generateFlags) error {
	calls := api.Map(made.all, func(v item) call { return call{"POST", v.Request.Path(), v.Request.Body(v.model), v.line} })
	switch {
	case len(made.files) > 0:
		return run.Usagef("%s is a local file, and --dry-run uploads nothing: upload it and give its URL", made.files[0])
	case f.curl:
		fmt.Fprint(p.Out, api.Curl(strings.TrimRight(s.Settings().BaseURL, "/")+calls[0].Path, calls[0].Body))
	case p.JSON && f.follow.List:
		p.PrintJSON(map[string]any{"requests": calls}, "requests")
	case p.JSON:
		p.PrintJSON(calls[0])
	default:
		for _, c := range calls {
			fmt.Fprintf(p.Out, "%s %s\n%s\n", c.Method, c.Path, run.Escape(c.Body))
		}
	}
	return nil
}

func (p Run) estimateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "estimate"}
	for _, kind := range []api.Kind{api.KindImage, api.KindVideo} {
		sub := p.command(kind, &generateFlags{}, func(ctx context.Context, s *state.Session, r api.Request) error {
			r, e, err := p.Price(ctx, s, r)
			switch {
			case !e.Known() && r.Model != "" && s.Remote.Unlisted(ctx, r.Model):
				return run.Unpriced(ctx, s, r.Model)
			case !e.Known():
				return cmp.Or(err, run.Sentencef("the service gave no price that could be read"))
			case p.JSON && err != nil:
				p.Notice(run.PriceText(e, err))
			}
			raw := json.RawMessage(cmp.Or(string(bytes.TrimSpace(e.Raw)), string(run.RawOf(err))))
			return p.PrintResult(p.Sentence(run.PriceText(e, err)), estimateDocument{e.Credits, e.Source, run.Age(e), run.Valid(raw)})
		})
		cmd.AddCommand(p.JSONFlags(sub, estimateDocument{}))
	}
	return cmd
}

type estimateDocument struct {
	Credits api.Credits     `json:"credits"`
	Source  api.Source      `json:"source"`
	Age     int64           `json:"age_seconds"` // 0 for the table
	Raw     json.RawMessage `json:"raw"`
}

// priceOf is, in words, what all that is agreed to costs.
func priceOf(agreed []state.Agreed) error {
	sum := api.Estimate{Source: api.SourceTable}
	for _, one := range agreed {
		sum = sum.Plus(one.Estimate)
	}
	if sum.Known() {
		return run.Credits(sum.Credits)
	}
	return run.Sentencef("an unknown price")
}
