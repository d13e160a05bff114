package create

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// maxPromptFile is how much of a prompt file or standard input is read: well
// above what 5,000 characters can take.
const maxPromptFile = 1 << 20

// asyncs are the values of --async.
var asyncs = []string{"true", "false", "omit"}

type requestFlags struct {
	request api.Request // its kind, and its lists
	async   string      // true, false or omit
	ratio   string
	expand  bool // settings may have lists
}

// add declares the flags. Those that never apply to the kind are hidden, not
// missing, so that using one is answered with the form's own sentence.
func (f *requestFlags) add(cmd *cobra.Command, kind api.Kind) {
	flags := cmd.Flags()
	f.request.Kind = kind
	for _, field := range api.Fields(kind) {
		name := field.Flag()
		switch list, _ := field.At(&f.request).(*[]string); {
		case field.Help == "":
			continue
		case field.Name == api.FieldAsync:
			flags.StringVar(&f.async, name, "true", field.Help)
			flags.Lookup(name).NoOptDefVal = "true"
		case list != nil:
			flags.StringArrayVar(list, name, nil, field.Help)
		default:
			flags.String(name, "", field.Help)
		}
		flags.Lookup(name).Hidden = !field.For(kind)
	}
	flags.StringVar(&f.ratio, "ratio", "", "another name of --aspect-ratio")
	flags.Lookup("ratio").Hidden = kind == api.KindImage
}

// read completes the request from the flags and the prompt's argument: "-" is
// standard input, "@file" a file, anything else the prompt itself.
func (f *requestFlags) read(p Run, cmd *cobra.Command, args []string) (api.Request, error) {
	r := f.request
	if last := len(args) - 1; last > 0 && cmd.Flags().Changed("async") && slices.Contains(asyncs, args[last]) {
		return r, run.Usagef("write --async=%s, with no blank", args[last])
	}
	if len(args) != 1 {
		return r, run.Usagef("give one prompt, in quotes; \"-\" reads it from standard input, \"@file\" from a file")
	}
	prompt, err := p.ReadPrompt(cmd.Context(), args[0])
	if err != nil {
		return r, err
	}
	if r, err = f.complete(cmd); err != nil {
		return r, err
	}
	return Filled(r, cmd.Flags().Changed("async"), prompt)
}

// complete gives the request of the flags, without a prompt.
func (f *requestFlags) complete(cmd *cobra.Command) (api.Request, error) {
	r := f.request
	if !slices.Contains(asyncs, f.async) {
		return r, run.Usagef("--%s: %q is not %s", api.FieldAsync, f.async, run.Sentencef("true, false or omit"))
	}
	r.Sync, r.NoAsync = f.async == "false", f.async == "omit"
	if f.expand {
		r.Vary = map[string][]string{}
	}
	for _, field := range api.Fields(r.Kind) {
		flag := cmd.Flags().Lookup(field.Flag())
		if flag == nil || field.Max > 0 || field.Name == api.FieldAsync {
			continue
		}
		text, err := f.text(field, flag.Value.String(), &r)
		if err != nil {
			return r, err
		}
		missing := flag.Changed && text == "" && field.Shape == api.ShapeInteger
		if missing || !field.Set(&r, text) {
			return r, run.Usagef("--%s: %q is not a whole number", flag.Name, text)
		}
	}
	return r, nil
}

// text gives the one value of a flag's text, and lets a request with several have
// them all.
func (f *requestFlags) text(field *api.Field, text string, r *api.Request) (string, error) {
	if field.Name == api.FieldAspectRatio && f.ratio != "" {
		if text != "" && text != f.ratio {
			return "", run.Usagef("--ratio and --aspect-ratio differ: give one of them")
		}
		text = f.ratio
	}
	if f.expand && field.Shown > 0 && field.For(r.Kind) {
		values, err := expand.Values(field, text)
		if err != nil {
			return "", run.WithCode(run.ExitUsage, err)
		}
		if len(values) > 1 {
			r.Vary[field.Name], text = values, values[0]
		}
	}
	if field.Shape == api.ShapeInteger {
		text = strings.TrimSpace(text)
	}
	return text, nil
}

// RequestOf is the request that flags describe, without a prompt.
func RequestOf(kind api.Kind, flags []string) (api.Request, error) {
	f, cmd := &requestFlags{}, &cobra.Command{Use: string(kind)}
	f.add(cmd, kind)
	if err := cmd.ParseFlags(flags); err != nil {
		return f.request, run.FlagError(cmd, err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return f.request, run.Usagef("%q is no flag: the prompt is a line of its own", rest[0])
	}
	return f.complete(cmd)
}

// ReadPrompt gives the prompt of an argument: what follows, a file's text (@FILE)
// or that of standard input (-).
func (p Run) ReadPrompt(ctx context.Context, arg string) (string, error) {
	name, file := strings.CutPrefix(arg, "@")
	if arg != "-" && (!file || strings.HasPrefix(name, "图片") || strings.HasPrefix(name, "音频")) {
		return arg, nil
	}
	if arg == "@" {
		return "", run.Usagef(`name the prompt's file behind the "@", such as @prompt.txt`)
	}
	text, err := p.ReadInput(ctx, name, maxPromptFile)
	if err != nil && file {
		return "", run.Usagef("the prompt's file: %s", run.FileError(err))
	}
	if err != nil {
		return "", run.Usagef("the prompt cannot be read: %s", run.FileError(err))
	}
	if len(text) == maxPromptFile {
		return "", run.Usagef("the prompt is longer than %d bytes", maxPromptFile)
	}
	prompt := strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n") // as editors of Windows save it
	return strings.TrimSuffix(prompt, "\n"), nil
}

// Filled is the request of the flags with a prompt, or with all that the
// prompt's text says when that is a recipe, the body of a call or a curl
// command. Flags come before what the text says; async says that one was given
// for it.
func Filled(flags api.Request, async bool, prompt string) (api.Request, error) {
	r, ok := api.ReadRequest(prompt)
	if !ok {
		flags.Prompt = prompt
		return flags, nil
	}
	if r.Kind != "" && r.Kind != flags.Kind {
		return flags, run.Usagef("this is the request of another kind: use 'darkroom %s' for it", r.Kind)
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

// uploadedHere stands for a file of this machine while the other rules are
// applied: nothing is uploaded for a request that breaks one.
const uploadedHere = "https://example.com/uploaded"

// uploadFiles hands each file of this machine among the materials to the person's
// command, and puts the address in its place. --upload agrees to all of them;
// else each is asked about.
func (p Run) uploadFiles(ctx context.Context, s *state.Session, r api.Request, f *generateFlags) (api.Request, error) {
	done := map[string]string{} // addresses, by absolute path
	trial, _ := withMaterials(r, func(address string) (string, error) {
		if path, local := state.LocalFile(address, p.Env("HOME")); local {
			done[path] = ""
			return uploadedHere, nil
		}
		return address, nil
	})
	if len(done) == 0 {
		return r, nil
	}
	if _, _, err := p.prepare(ctx, s, trial, s.Models(ctx)); err != nil {
		return r, err
	}
	return withMaterials(r, func(address string) (to string, err error) {
		path, local := state.LocalFile(address, p.Env("HOME"))
		if !local {
			return address, nil
		}
		if done[path] == "" {
			done[path], err = p.uploadFile(ctx, s, path, f.upload)
		}
		return done[path], err
	})
}

// uploadFile asks about one file and uploads it.
func (p Run) uploadFile(ctx context.Context, s *state.Session, path string, agreed bool) (string, error) {
	command := s.Settings().Upload
	if len(command) == 0 {
		return "", run.Usagef(
			"%s is a file of this machine, and the service takes addresses only: set upload in the settings to a command that uploads files",
			path)
	}
	if !agreed {
		if !p.CanAsk() {
			return "", run.Usagef("nothing was sent: %s is a file of this machine; --upload hands it to your upload command", path)
		}
		p.Remark("%s is uploaded with: %s", path, strings.Join(state.UploadArguments(command, path), " "))
		if err := p.Ask(ctx, run.Sentencef("Upload this file? Everybody can read it then.")); err != nil {
			return "", err
		}
	}
	address, err := s.Materials().Upload(ctx, path)
	if err != nil {
		return "", run.WithCode(run.ExitUsage, run.Sentencef("nothing was sent: %s", err))
	}
	p.Remark("uploaded as %s", address)
	return address, nil
}

// withMaterials changes each address of a request's materials.
func withMaterials(r api.Request, change func(address string) (string, error)) (api.Request, error) {
	for _, f := range api.Fields(r.Kind) {
		if f.Shape != api.ShapeURL {
			continue
		}
		addresses := slices.Clone(f.Texts(&r))
		for i, address := range addresses {
			var err error
			if addresses[i], err = change(address); err != nil {
				return r, err
			}
		}
		f.Set(&r, addresses...)
	}
	return r, nil
}
