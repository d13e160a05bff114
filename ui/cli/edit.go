package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

func (p *commands) editCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit FILE",
		Short: "Open the form with the request of a recipe or of a result",
		Long: "Open the form with the request that FILE holds: a recipe (….darkroom.json), a result with its recipe within or beside it, " +
			"or a text file with the JSON body or the curl command of a call. Nothing is sent.",
		Example: `  darkroom edit 20260301-harbour-at-dawn-k3v9q2mx-1.png`,
		Args:    run.Arguments(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.edit(cmd.Context(), args[0]) },
	}
}

// edit opens the screens with the request that a file holds.
func (p *commands) edit(ctx context.Context, path string) error {
	r, err := p.savedRequest(ctx, path)
	if err != nil {
		return err
	}
	if p.Env("TERM") == "dumb" {
		return run.WithCode(run.ExitTerminal, errNoTerminal)
	}
	p.request = &r
	return p.openScreens(ctx)
}

// maxRequest is the most that is read of a request that comes through a pipe.
const maxRequest = 1 << 20

// savedRequest reads the request that a file holds, or the recipe within or beside
// it. A pipe is read until a signal comes.
func (p *commands) savedRequest(ctx context.Context, path string) (r api.Request, err error) {
	var ok bool
	if info, failed := os.Stat(path); failed == nil && !info.Mode().IsRegular() || path == "-" {
		var text []byte
		text, err = p.ReadInput(ctx, path, maxRequest)
		r, ok = api.ReadRequest(string(text))
	} else {
		r, ok, err = state.SavedRequest(path)
	}
	if err != nil {
		return r, run.WithCode(run.ExitUsage, run.FileError(err))
	}
	if !ok {
		return r, run.Usagef("%s holds no request, and there is no recipe within or beside it", path)
	}
	if r.Kind == "" {
		r.Kind = api.KindImage
	}
	return r, nil
}
