package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// recipeEnd is what the recipe beside a result adds to its name.
const recipeEnd = ".darkroom.json"

// maxRecipe is the most that is read of a recipe, in bytes.
const maxRecipe = 1 << 20

func (p *commands) editCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit FILE",
		Short: "Open the form with the request of a recipe or of a result",
		Long: "Open the form with the request that FILE holds: a recipe (….darkroom.json), a result with its recipe beside it, " +
			"or a text file with the JSON body or the curl command of a call. Nothing is sent.",
		Args: program.Arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.edit(cmd.Context(), args[0]) },
	}
}

// edit opens the screens with the request that a file holds.
func (p *commands) edit(ctx context.Context, path string) error {
	r, err := p.savedRequest(ctx, path)
	if err != nil {
		return err
	}
	if p.Env("TERM") == "dumb" {
		return say.WithCode(say.ExitTerminal, errNoTerminal)
	}
	p.request = &r
	return p.openScreens(ctx)
}

// savedRequest reads the request that a file holds, or the recipe beside it.
func (p *commands) savedRequest(ctx context.Context, path string) (api.Request, error) {
	text, err := p.ReadInput(ctx, path, maxRecipe)
	if err != nil {
		return api.Request{}, say.WithCode(say.ExitUsage, say.FileError(err))
	}
	r, ok := api.ReadRequest(string(text))
	if !ok {
		beside := strings.TrimSuffix(path, filepath.Ext(path)) + recipeEnd
		if text, err = p.ReadInput(ctx, beside, maxRecipe); err == nil {
			r, ok = api.ReadRequest(string(text))
		}
	}
	if !ok {
		return api.Request{}, say.Usagef("%s holds no request, and there is no recipe beside it", path)
	}
	if r.Kind == "" {
		r.Kind = api.KindImage
	}
	return r, nil
}
