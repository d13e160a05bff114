package state

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"darkroom/api"
	"darkroom/state/settings"
	"darkroom/state/store"
)

const noteMayAsk = "may_ask_materials"

// Materials is what is done with addresses and files of materials before a
// request is sent. Neither the key nor anything else of the session goes along.
type Materials interface {
	// Public asks a material's host once whether everybody can read the address,
	// and gives what the answer says of the file. The error says why not, in words
	// that follow the material's name.
	Public(ctx context.Context, address string) (Link, error)
	// MayAsk reports whether the person lets hosts be asked, once and for all.
	MayAsk(ctx context.Context) bool
	// LetBeAsked keeps that agreement.
	LetBeAsked(ctx context.Context) error
	// Result is the job with a result at an address, and its saved file.
	Result(ctx context.Context, address string) (job, path string, err error)
	// Upload hands a file to the person's command and gives the public address.
	Upload(ctx context.Context, file string) (string, error)
}

// Materials hands out what is done with materials.
func (s *Session) Materials() Materials { return materials{s.engine} }

type materials struct{ *engine }

func (m materials) fetcher() Fetcher { return m.fetchers.of(m.remote.Base()) }

func (m materials) Public(ctx context.Context, address string) (Link, error) {
	return m.fetcher().Public(ctx, address)
}

func (m materials) MayAsk(ctx context.Context) bool {
	v, err := m.db().Note(ctx, noteMayAsk)
	return err == nil && v != ""
}

func (m materials) LetBeAsked(ctx context.Context) error {
	return store.Explain(m.db().SetNote(ctx, noteMayAsk, "yes"))
}

func (m materials) Result(ctx context.Context, address string) (job, path string, err error) {
	job, path, err = m.db().FileAt(ctx, address)
	return job, path, store.Explain(err)
}

func (m materials) Upload(ctx context.Context, file string) (string, error) {
	return m.fetcher().Upload(ctx, m.settings.Get().Upload, file, os.Environ())
}

// LocalFile reads a path of this machine: absolute, below the home folder, as a
// file address, or quoted as terminals do it when a file is dropped on them.
func LocalFile(text, home string) (path string, ok bool) {
	text = strings.TrimSpace(text)
	if n := len(text); n > 2 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		text = text[1 : n-1]
	} else {
		text = strings.ReplaceAll(text, `\ `, " ")
	}
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		text = u.Path
	}
	if rest, below := strings.CutPrefix(text, "~/"); below && home != "" {
		text = filepath.Join(home, rest)
	}
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsFunc(text, unicode.IsControl) ||
		filepath.Base(text) == "/" {
		return "", false
	}
	return filepath.Clean(text), true
}

// SavedPrompt is a prompt that a person keeps under a name.
type SavedPrompt = settings.SavedPrompt

// Prompts is what helps to write a request.
type Prompts interface {
	// Saved are the prompts that are kept, by name.
	Saved(ctx context.Context) ([]SavedPrompt, error)
	// Save keeps a prompt under a name, in place of another one of that name.
	Save(ctx context.Context, name, text string) error
	Remove(ctx context.Context, name string) error
	// LastModel is the model last used for a kind, or "".
	LastModel(ctx context.Context, kind api.Kind) (string, error)
}

// Prompts hands out what helps to write a request.
func (s *Session) Prompts() Prompts { return prompts{s.engine} }

type prompts struct{ *engine }

func (p prompts) file() string { return p.settings.Get().ConfigFile }
func (p prompts) Saved(context.Context) ([]SavedPrompt, error) {
	return settings.SavedPrompts(p.file())
}
func (p prompts) Save(_ context.Context, name, text string) error {
	return settings.SavePrompt(p.file(), name, text)
}
func (p prompts) Remove(_ context.Context, name string) error {
	return settings.RemovePrompt(p.file(), name)
}
func (p prompts) LastModel(ctx context.Context, kind api.Kind) (string, error) {
	return explained(p.db().LastModel(ctx, kind))
}
