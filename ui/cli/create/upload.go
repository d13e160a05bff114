package create

import (
	"context"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/say"
)

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
