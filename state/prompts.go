package state

import (
	"context"

	"darkroom/api"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// SavedPrompt is a prompt that a person keeps under a name.
type SavedPrompt = settings.SavedPrompt

// PromptName reports whether a prompt can be kept under a name.
func PromptName(name string) bool { return settings.PromptName(name) }

// Prompts is what helps to write a request: the prompts that a person keeps, and
// what was used last.
type Prompts interface {
	// Saved are the prompts that are kept, by name.
	Saved(ctx context.Context) ([]SavedPrompt, error)
	// Save keeps a prompt under a name, in place of another one of that name;
	// Remove deletes it.
	Save(ctx context.Context, name, text string) error
	Remove(ctx context.Context, name string) error
	// LastModel is the model last used for a kind, or "".
	LastModel(ctx context.Context, kind api.Kind) (string, error)
}

// Prompts hands out what helps to write a request.
func (r *records) Prompts() Prompts { return prompts{r} }

type prompts struct{ r *records }

func (p prompts) file() string { return p.r.settings.Get().ConfigFile }

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
	m, err := p.r.storage.current().LastModel(ctx, kind)
	return m, store.Explain(err)
}
