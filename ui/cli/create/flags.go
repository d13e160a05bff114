package create

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/cli/run"
	"darkroom/ui/picture"
)

type requestFlags struct {
	request api.Request       // its kind, and its lists
	async   string            // true, false or omit
	typed   map[string]string // labels in place of flags
	expand  bool              // settings may have lists,
	limit   int               // for as many requests
}

// add declares the flags, each under the label of its field too. Those that never apply to the kind are hidden, not
// missing, so that using one is answered with the form's own sentence.
func (f *requestFlags) add(cmd *cobra.Command, kind api.Kind) {
	flags, others := cmd.Flags(), map[string]string{"from": api.FlagName(api.FieldImageURL)}
	f.typed = map[string]string{}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if flag := others[name]; flag != "" && flag != name {
			f.typed[flag] = "--" + name
		}
		return pflag.NormalizedName(cmp.Or(others[name], name))
	})
	f.request.Kind = kind
	for _, field := range api.Fields(kind) {
		name := field.Flag()
		for _, other := range append([]string{field.Label}, field.Also...) { // on screen, and in listings
			others[dashed(other)] = cmp.Or(others[dashed(other)], name)
		}
		switch list, _ := field.At(&f.request).(*[]string); {
		case field.Help == "":
			continue
		case field.Name == api.FieldAsync:
			f.async = "true"
			run.OneOf(cmd, &f.async, name, field.Help, AsyncValues...)
			flags.Lookup(name).NoOptDefVal = "true"
		case list != nil:
			flags.StringArrayVar(list, name, nil, field.Help)
		default:
			flags.String(name, "", field.Help)
			flags.Lookup(name).Value = once{flags.Lookup(name).Value, flags.Lookup(name)}
		}
		flags.Lookup(name).Hidden = !field.For(kind)
	}
}

// AsyncValues are those of --async.
var AsyncValues = []string{"true", "false", "omit"}

// once is the text of a flag that takes one value: another would be lost.
type once struct {
	pflag.Value
	flag *pflag.Flag
}

func (o once) Set(text string) error {
	if o.flag.Changed && o.String() != text {
		return run.Usagef("--%s is given twice, with different values", o.flag.Name)
	}
	return o.Value.Set(text)
}

// dashed is a label, or a name in a listing, as a flag.
func dashed(name string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(name))
}

// read completes the request from the flags and the prompt's argument: "-" is
// standard input, "@file" a file, anything else the prompt itself.
func (f *requestFlags) read(p Run, cmd *cobra.Command, args []string) (api.Request, error) {
	r := f.request
	p.Typed = f.typed
	switch n := len(args); {
	case n == 1:
	case n == 2 && cmd.Flags().Changed("async"):
		meant, _ := api.Find(args, func(arg string) bool { return slices.Contains(AsyncValues, arg) })
		return r, run.Usagef("--async must be true, false or omit: write --async=%s, with no blank", cmp.Or(meant, "omit"))
	case n == 2 && cmd.Flags().Changed("json"):
		return r, run.TooMany(cmd, args)
	default:
		return r, run.Usagef("give one prompt, in quotes; \"-\" reads it from standard input, \"@file\" from a file")
	}
	prompt, err := p.ReadPrompt(cmd.Context(), args[0])
	settings, _ := p.Settings(run.Nothing) // what is wrong with them is said later
	f.limit = settings.VariationsLimit()
	if err == nil {
		r, err = f.complete(cmd)
	}
	if err == nil {
		r, err = Filled(r, cmd.Flags().Changed("async"), prompt)
	}
	return r, err
}

// complete gives the request of the flags, without a prompt.
func (f *requestFlags) complete(cmd *cobra.Command) (api.Request, error) {
	r := f.request
	r.Sync, r.NoAsync = f.async == "false", f.async == "omit"
	if f.expand {
		r.Vary = map[string][]string{}
	}
	for _, field := range api.Fields(r.Kind) {
		flag := cmd.Flags().Lookup(field.Flag())
		if flag == nil || field.Max > 0 || field.Name == api.FieldAsync {
			continue
		}
		text := flag.Value.String()
		if flag.Changed && text == "" { // most likely a variable of a script that is not set
			return r, run.Usagef("the flag %s needs a value", cmp.Or(f.typed[flag.Name], "--"+flag.Name))
		}
		if f.expand && field.Varies() && field.For(r.Kind) && !strings.HasPrefix(text, "-") { // a negative seed is one
			values, err := expand.Values(field, text, f.limit)
			if err != nil {
				return r, run.WithCode(run.ExitUsage, err)
			}
			if len(values) > 1 { // the request has the first, and lists them all
				r.Vary[field.Name], text = values, values[0]
			}
		}
		switch number, unit := strings.CutSuffix(text, "s"); {
		case field.Shape == api.ShapeInteger:
			text = strings.TrimSpace(text)
		case field.Name == api.FieldDuration && unit: // as people write 5 s
			if _, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil {
				text = strings.TrimSpace(number)
			}
		}
		if !field.Set(&r, text) {
			return r, run.BadValue(flag.Name, text, run.Sentencef("a whole number"))
		}
	}
	return r, nil
}

// RequestOf is the request that flags describe, without a prompt.
func RequestOf(kind api.Kind, flags []string) (api.Request, error) {
	f, cmd := &requestFlags{}, &cobra.Command{Use: string(kind)}
	(&cobra.Command{Use: "darkroom"}).AddCommand(cmd) // hints name it
	f.add(cmd, kind)
	if err := cmd.ParseFlags(flags); err != nil {
		return f.request, run.FlagError(cmd, err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return f.request, run.Usagef("%q is not a flag: write the prompt on a line of its own", rest[0])
	}
	return f.complete(cmd)
}

// ReadPrompt reads a file (@FILE) or standard input (-); else arg is the prompt.
func (p Run) ReadPrompt(ctx context.Context, arg string) (string, error) {
	name, file := strings.CutPrefix(arg, "@")
	if arg != "-" && (!file || strings.HasPrefix(name, "图片") || strings.HasPrefix(name, "音频")) {
		return arg, nil
	}
	if arg == "@" {
		return "", run.Usagef("name the prompt's file after the @, such as @prompt.txt")
	}
	text, err := p.ReadInput(ctx, name, run.MaxText)
	switch {
	case err != nil:
		return "", run.Usagef("the prompt cannot be read: %s", run.FileError(err))
	case len(text) == run.MaxText:
		return "", run.Usagef("the prompt is longer than %d bytes", run.MaxText)
	}
	prompt := strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n") // as editors of Windows save it
	return strings.TrimSuffix(prompt, "\n"), nil
}

// Filled is the request of the flags with a prompt, or with all that the
// prompt's text says when that is a recipe, the body of a call or a curl
// command. Flags come before that; async says that --async was given.
func Filled(flags api.Request, async bool, prompt string) (api.Request, error) {
	r, ok := api.ReadRequest(prompt)
	if !ok {
		flags.Prompt = prompt
		return flags, nil
	}
	if r.Kind != "" && r.Kind != flags.Kind {
		return flags, run.Usagef("this is a request of another kind: use 'darkroom %s' for it", r.Kind)
	}
	r.Kind = flags.Kind
	if flags.Vary != nil {
		r.Vary = flags.Vary
	}
	if async {
		r.Sync, r.NoAsync = flags.Sync, flags.NoAsync
	}
	for _, f := range api.Fields(flags.Kind) {
		if values := f.Texts(&flags); len(values) > 0 {
			f.Set(&r, values...)
		}
	}
	return r, nil
}

// localFile reads an address that is a path of this machine, also one from this
// folder, if its file is there or it looks like one.
func (p Run) localFile(text string) (path string, ok bool) {
	if path, ok = state.LocalFile(text, p.Env("HOME")); ok || strings.Contains(text, ":") {
		return path, ok
	}
	_, err := os.Stat(text)
	if err != nil && !strings.HasPrefix(text, ".") && (strings.Contains(text, "/") || filepath.Ext(text) == "") {
		return "", false
	}
	path, err = filepath.Abs(text)
	return path, err == nil
}

var frameMark = regexp.MustCompile(`^(.+)@(last|\d{1,5}(?:\.\d{1,9})?)$`)

// cutFrame takes the frame off a material that is one of a clip.
func cutFrame(text string) (clip, frame string) {
	if found := frameMark.FindStringSubmatch(text); found != nil {
		return found[1], found[2]
	}
	return text, ""
}

// saveFrame is the path of a file of this machine, or of a frame that is taken out of it.
func (p Run) saveFrame(ctx context.Context, s *state.Session, path string) (string, error) {
	clip, frame := cutFrame(path)
	if frame == "" {
		return path, nil
	}
	wanted, _ := time.ParseDuration(strings.Replace(frame, "last", "99999", 1) + "s") // beyond the end is the last one
	png, at, err := picture.NewLoader(false, state.OthersEnviron()...).Frame(ctx, clip, wanted)
	if err == nil && frame != "last" && wanted > at+time.Second {
		err = run.Sentencef("%s ends before %s s: its last frame is at %.1f s", clip, frame, at.Seconds())
	}
	if err != nil {
		return "", err
	}
	return s.Materials().SaveFrame(ctx, clip, at, png)
}

// withMaterials puts addresses in the places of the ids of jobs and of names such as @hero
// and job:ID/2 among the materials, fresh ones if they have expired. A word that is no id is most likely
// meant as one, unless it is the name of a file. It replaces each local file with a stand-in for its future
// address, and returns their paths.
func (p Run) withMaterials(ctx context.Context, s *state.Session, r api.Request) (_ api.Request, files []string, failed error) {
	var next api.Request // what is kept of the clip of which it begins with a frame
	r.MapAddresses(func(place, text string) string {
		field, _, _ := strings.Cut(place, ".")
		id, frame := cutFrame(strings.TrimPrefix(text, "job:"))
		name := text
		if _, local := p.localFile(id); !strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "job:") {
			if name = "job:" + id; local || text == "" || strings.ContainsAny(id, ":/.") {
				return text
			}
		}
		job, err := s.Job(ctx, id)
		if err == nil && len(job.Files) > 0 && job.Kind == api.KindVideo && (frame != "" || field == api.FieldImageURL) {
			if field == api.FieldImageURL && r.Kind == api.KindVideo && (r.Model == "" || r.Model == api.Seedance2) {
				next = job.Request.Next("")
			}
			return job.Files[0].Path + "@" + cmp.Or(frame, "last")
		}
		found, err := s.Materials().Find(ctx, name)
		if err == nil && found.Job == "" && s.Materials().MayAsk(ctx) && strings.HasPrefix(found.Address, "https:") {
			if _, err = s.Materials().Public(ctx, found.Address); err != nil {
				err = run.Usagef("nothing was sent: %s %s", name, err)
			}
		}
		switch {
		case errors.Is(err, state.ErrNoJob) && api.ReasonOf(err) == state.ErrNoJob.Why():
			err = run.Unsent(run.Sentencef("%s: %q is neither a URL nor the id of a job ('darkroom jobs' lists them)",
				p.FlagOf(field), run.ID(text)))
		case errors.Is(err, os.ErrNotExist) && found.Job != "":
			err = run.Unsent(err)
		case err != nil && strings.HasPrefix(name, "@"):
			err = run.WithCode(run.ExitUsage, err)
		case err == nil && found.Job != "" &&
			(strings.HasPrefix(field, "video") != (found.Kind == api.MaterialVideo) || field == api.FieldAudioFiles):
			err = run.Usagef("%s: the result of job %s is of another kind", p.FlagOf(field), found.Job)
		}
		failed = cmp.Or(failed, err)
		return cmp.Or(found.Address, text)
	})
	r.MapAddresses(func(place, text string) string {
		if _, _, end, _ := s.Materials().Result(ctx, text); api.LinkOver(text, end, time.Now()) {
			p.Notice(run.Sentencef("%s: the link has expired", p.FlagOf(place)))
		}
		if path, local := p.localFile(text); local {
			if _, frame := cutFrame(path); frame != "" && !strings.Contains(place, "image") {
				failed = cmp.Or(failed, run.Usagef("%s: a frame is an image", p.FlagOf(place)))
			}
			files, text = append(files, path), uploadedLater(path)
		}
		return text
	})
	if next.Prompt = ""; len(r.ImageFiles)+len(r.VideoFiles)+len(r.AudioFiles) > 0 || r.VideoURL != "" {
		next.FunctionMode = ""
	}
	for _, f := range api.Fields(r.Kind) {
		if values := f.Texts(&next); len(values) > 0 && len(f.Texts(&r)) == 0 {
			f.Set(&r, values...)
		}
	}
	return r, files, failed
}

// uploadedLater stands for the address that a file will have, which neither rules nor prices
// depend on. No request is sent with it.
func uploadedLater(path string) string {
	return fmt.Sprintf("https://example.com/%x", sha256.Sum256([]byte(path)))
}

// uploadFiles hands files of this machine to the person's command, and puts their
// addresses in their places. If they are not agreed to, each is asked about.
func (p Run) uploadFiles(ctx context.Context, s *state.Session, made *plan, agreed bool) (err error) {
	addresses, command := map[string]string{}, s.Settings().Upload
	for _, path := range made.files {
		if addresses[uploadedLater(path)] != "" {
			continue
		}
		file, err := p.saveFrame(ctx, s, path)
		if err != nil {
			return run.Usagef("nothing was sent: %s", err)
		}
		if !agreed && !p.Asking() {
			return run.Usagef("nothing was sent: %s is a local file; --upload hands it to your upload command", path)
		} else if !agreed {
			p.Remark("%s is uploaded with: %s", file, strings.Join(state.UploadArguments(command, file), " "))
			if err := p.Ask(ctx, "--upload", run.Sentencef("Upload this file? Everybody can read it then.")); err != nil {
				return err
			}
		}
		inTime := p.Late(run.Sentencef("uploading …"))
		address, err := s.Materials().Upload(ctx, file)
		inTime()
		if err != nil {
			return run.Usagef("nothing was sent: %s", err)
		}
		p.Remark("uploaded as %s", address)
		addresses[uploadedLater(path)] = address
	}
	uploaded := func(_, text string) string { return cmp.Or(addresses[text], text) }
	made.pattern.MapAddresses(uploaded)
	for i := range made.all {
		one := &made.all[i]
		one.Request.MapAddresses(uploaded)
		err = cmp.Or(err, valid(s, one.Request, one.model, one.Label))
	}
	return err
}

// Price completes a request and asks for its price, if it has a model. Defaults of the model are filled in.
func (p Run) Price(ctx context.Context, s *state.Session, r api.Request) (_ api.Request, e api.Estimate, err error) {
	var model api.Model
	if r, _, err = p.withMaterials(ctx, s, r); err == nil {
		model, err = p.chooseModel(ctx, s, r, s.Models(ctx))
	}
	if r.Model = model.ID; err == nil {
		err = valid(s, r, model, "")
	}
	if err != nil {
		return api.Request{}, e, err
	}
	e, why, err := run.Estimate(ctx, s, r)
	return withDefaults(r, model), e, cmp.Or(err, why)
}

// copyTo is the whole name of the file or folder that results are copied to, checked before anything is paid.
func (f *generateFlags) copyTo(name string) (string, error) {
	switch {
	case name == "":
		return "", nil
	case !f.follow.Wait:
		return "", run.Usagef("--output needs the result: leave --no-wait out")
	}
	to, err := filepath.Abs(name)
	if info, serr := os.Stat(name); os.IsPathSeparator(name[len(name)-1]) || serr == nil && info.IsDir() {
		to += string(filepath.Separator) // it is meant as a folder
	}
	if err = cmp.Or(err, state.CheckCopy(to)); err != nil {
		return "", run.Unsent(run.Sentencef("--output %s: %s", name, err))
	}
	return to, nil
}

// taken reports whether a file that a result is copied to can be one of those before, and adds it.
// Without an extension it can be each that begins with its name.
func taken(outputs map[string]bool, to string) bool {
	if to == "" || os.IsPathSeparator(to[len(to)-1]) {
		return false
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(to)); err == nil {
		to = filepath.Join(folder, filepath.Base(to))
	}
	stem := strings.TrimSuffix(to, filepath.Ext(to))
	other, mark := stem, stem+"."
	if stem == to {
		other, mark = mark, to
	}
	found := outputs[to] || outputs[other]
	outputs[to], outputs[mark] = true, true
	return found
}

// copyAll copies the files of jobs to where --output names.
func (p Run) copyAll(ctx context.Context, s *state.Session, ids []string, all []item) (err error) {
	left, why := 0, error(nil) // results that are not saved yet, because --timeout has ended the wait, and what is said of them
	for i, id := range ids {
		to := all[i].output
		if to == "" {
			continue
		}
		job, failed := s.Job(context.WithoutCancel(ctx), id)
		if job.Phase.Active() {
			left, why = left+1, run.Sentencef("the result will not be copied to %s: copy the file that 'darkroom wait %s' saves", to, id)
		}
		if failed == nil {
			failed = p.copyFiles(ctx, s, &job, to)
		}
		if !errors.Is(failed, state.ErrNoJob) { // else another window has removed it
			err = cmp.Or(err, failed)
		}
	}
	if left > 1 {
		why = run.Sentencef("%d results will not be copied: copy the files that 'darkroom wait ID…' saves", left)
	}
	p.Notice(why)
	return err
}

// copyFiles copies a job's files to where --output names. Several files of one
// job are numbered; a number that another file has is left out.
func (p Run) copyFiles(ctx context.Context, s *state.Session, job *state.Job, to string) error {
	for n, number := 0, 1; n < len(job.Files); number++ {
		name := to
		if info, err := os.Stat(to); err != nil || !info.IsDir() {
			name = state.CopyName(to, number)
		}
		copied, err := s.Results().SaveAs(ctx, job.ID, n+1, name)
		switch {
		case err == nil:
			p.Remark("copied to %s", copied)
			n++
		case name == to || !errors.Is(err, fs.ErrExist):
			p.Notice(run.Sentencef("the result is saved, but not copied: %s", err))
			return run.Printed(run.ExitFailed)
		}
	}
	return nil
}
