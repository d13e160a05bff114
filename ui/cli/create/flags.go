package create

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// maxPromptFile is how much of a prompt file or standard input is read: well
// above what 5,000 characters can take.
const maxPromptFile = 1 << 20

type requestFlags struct {
	request api.Request
	seed    string
	async   async
	ratio   string
	expand  bool // fields may have lists
}

// add declares the flags. Those that never apply to the kind are hidden, not
// missing, so that using one is answered with the form's own sentence.
func (f *requestFlags) add(cmd *cobra.Command, kind api.Kind) {
	flags, r := cmd.Flags(), &f.request
	r.Kind = kind
	image, video := kind == api.KindImage, kind == api.KindVideo
	text := func(applies bool, to *string, name, help string) {
		flags.StringVar(to, name, "", help)
		hideUnless(flags, applies, name)
	}
	list := func(to *[]string, name, help string) {
		flags.StringArrayVar(to, name, nil, help)
		hideUnless(flags, video, name)
	}
	text(true, &r.Model, "model", "model id; default: the last used, else the first listed one of this kind")
	text(image, &r.Size, "size", "image size, such as 1K, 2K, 4K, auto_2K")
	text(image, &r.Quality, "quality", "low, medium or high")
	text(true, &r.AspectRatio, "aspect-ratio", "such as 1:1, 16:9, 9:16")
	text(video, &f.ratio, "ratio", "another name of --aspect-ratio")
	text(true, &r.ImageURL, "image-url", "public address of an image to start from; the first frame in first_last_frame mode")
	text(video, &r.EndImageURL, "end-image-url", "public address of the last frame (first_last_frame mode)")
	list(&r.ImageFiles, "image-files", "public address of a reference image; repeat for up to 9")
	text(video, &r.VideoURL, "video-url", "public address of one reference video")
	list(&r.VideoFiles, "video-files", "public address of a reference video; repeat for up to 3")
	list(&r.AudioFiles, "audio-files", "public address of a reference audio; repeat for up to 3; needs images or videos")
	text(video, &r.FunctionMode, "function-mode", "omini (default) or first_last_frame")
	text(video, &f.seed, "seed", "random seed, a whole number")
	text(video, &r.Duration, "duration", "length of the video in seconds")
	text(video, &r.Resolution, "resolution", "480p, 720p or 1080p, depending on --video-model")
	text(video, &r.VideoModel, "video-model", "fast, standard, fast_vip or standard_vip")
	f.async = "true"
	flags.Var(&f.async, "async", "true: let the service answer at once with a job id (recommended); false, or omit to leave the field out")
	flags.Lookup("async").NoOptDefVal = "true"
}

func hideUnless(flags *pflag.FlagSet, applies bool, name string) {
	if !applies {
		flags.Lookup(name).Hidden = true
	}
}

// read completes the request from the flags and the prompt's argument: "-" is
// standard input, "@file" a file, anything else the prompt itself.
func (f *requestFlags) read(p Run, cmd *cobra.Command, args []string) (api.Request, error) {
	r := f.request
	if last := len(args) - 1; last > 0 && cmd.Flags().Changed("async") && f.async.Set(args[last]) == nil {
		return r, say.Usagef("write --async=%s, with no blank", say.Verbatim(args[last]))
	}
	if len(args) != 1 {
		return r, say.Usagef("give one prompt, in quotes; \"-\" reads it from standard input, \"@file\" from a file")
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
	r.Sync, r.NoAsync = f.async == "false", f.async == "omit"
	if f.ratio != "" {
		if r.AspectRatio != "" && r.AspectRatio != f.ratio {
			return r, say.Usagef("--ratio and --aspect-ratio differ: give one of them")
		}
		r.AspectRatio = f.ratio
	}
	if f.expand {
		if err := f.varied(&r); err != nil {
			return r, err
		}
	}
	if cmd.Flags().Changed("seed") {
		seed, err := strconv.ParseInt(strings.TrimSpace(f.seed), 10, 64)
		if err != nil {
			return r, say.Usagef("--seed: %q is not a whole number", f.seed)
		}
		r.Seed = &seed
	}
	return r, nil
}

// RequestOf is the request that flags describe, without a prompt.
func RequestOf(kind api.Kind, flags []string) (api.Request, error) {
	f, cmd := &requestFlags{}, &cobra.Command{Use: string(kind)}
	f.add(cmd, kind)
	if err := cmd.ParseFlags(flags); err != nil {
		return f.request, program.FlagError(cmd, err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return f.request, say.Usagef("%q is no flag: the prompt is a line of its own", rest[0])
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
		return "", say.Usagef(`name the prompt's file behind the "@", such as @prompt.txt`)
	}
	text, err := p.ReadInput(ctx, name, maxPromptFile)
	if err != nil && file {
		return "", say.Usagef("the prompt's file: %s", say.FileError(err))
	}
	if err != nil {
		return "", say.Usagef("the prompt cannot be read: %s", say.FileError(err))
	}
	if len(text) == maxPromptFile {
		return "", say.Usagef("the prompt is longer than %d bytes", maxPromptFile)
	}
	prompt := strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n") // as editors of Windows save it
	return strings.TrimSuffix(prompt, "\n"), nil
}

// async is a flag that takes true, false or omit.
type async string

func (a *async) String() string { return string(*a) }

func (a *async) Type() string { return "true|false|omit" }

// Set reads the flag's value.
func (a *async) Set(s string) error {
	switch s {
	case "true", "false", "omit":
		*a = async(s)
		return nil
	}
	return errAsync
}

var errAsync = errors.New("write true, false or omit")

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
		return flags, say.Usagef("this is the request of another kind: use 'darkroom %s' for it", r.Kind)
	}
	sync, none := r.Sync, r.NoAsync
	if async {
		sync, none = flags.Sync, flags.NoAsync
	}
	to, from := reflect.ValueOf(&r).Elem(), reflect.ValueOf(flags)
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	r.Sync, r.NoAsync = sync, none
	return r, nil
}

// uploadedHere stands for a file of this machine while the other rules are
// applied: nothing is uploaded for a request that breaks one.
const uploadedHere = "https://example.com/uploaded"

// uploadFiles hands each file of this machine among the materials to the person's
// command, and puts the address in its place. --upload agrees to all of them;
// else each is asked about.
func (p Run) uploadFiles(ctx context.Context, s *state.Session, r api.Request, f *generateFlags) (api.Request, error) {
	at := materialsOf(&r)
	files := map[string]string{} // absolute paths, by what was given
	for _, address := range at {
		if path, local := state.LocalFile(*address, p.Env("HOME")); local {
			files[*address] = path
		}
	}
	if len(files) == 0 {
		return r, nil
	}
	trial := r
	for _, address := range materialsOf(&trial) {
		if _, local := files[*address]; local {
			*address = uploadedHere
		}
	}
	if _, _, err := p.prepare(ctx, s, trial, s.Models); err != nil {
		return r, err
	}
	command := s.Settings().Upload
	done := map[string]string{}
	for _, address := range at {
		path, local := files[*address]
		switch {
		case !local:
			continue
		case len(command) == 0:
			return r, say.Usagef("%s is a file of this machine, and the service takes addresses only: set upload in the settings to a command that uploads files", say.Verbatim(path))
		case done[path] == "":
			to, err := p.uploadFile(ctx, s, path, command, f.upload)
			if err != nil {
				return r, err
			}
			done[path] = to
		}
		*address = done[path]
	}
	return r, nil
}

// uploadFile asks about one file and uploads it.
func (p Run) uploadFile(ctx context.Context, s *state.Session, path string, command []string, agreed bool) (string, error) {
	if !agreed {
		if !p.CanAsk() {
			return "", say.Usagef("nothing was sent: %s is a file of this machine; --upload hands it to your upload command", say.Verbatim(path))
		}
		p.Remark("%s is uploaded with: %s", say.Verbatim(path), say.Verbatim(strings.Join(state.UploadArguments(command, path), " ")))
		if err := p.Ask(ctx, say.Sentencef("Upload this file? Everybody can read it then.")); err != nil {
			return "", err
		}
	}
	address, err := s.Materials().Upload(ctx, path)
	if err != nil {
		return "", say.WithCode(say.ExitUsage, say.Sentencef("nothing was sent: %s", err))
	}
	p.Remark("uploaded as %s", say.Verbatim(address))
	return address, nil
}

// materialsOf are the places of a request that hold addresses. Its lists are
// made its own.
func materialsOf(r *api.Request) []*string {
	out := []*string{&r.ImageURL, &r.EndImageURL, &r.VideoURL}
	for _, list := range []*[]string{&r.ImageFiles, &r.VideoFiles, &r.AudioFiles} {
		*list = append([]string(nil), *list...)
		for i := range *list {
			out = append(out, &(*list)[i])
		}
	}
	return out
}
