package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/state"
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/run"
	"darkroom/ui/picture"
)

// joinCommand writes the first files of jobs behind each other into a new file, which is
// whole or not there.
func (p *commands) joinCommand() *cobra.Command {
	to := ""
	cmd := p.Command("join ID ID…", run.Store, func(ctx context.Context, s *state.Session, ids []string) error {
		if info, err := os.Stat(to); to == "" || err == nil && info.IsDir() {
			return run.Usagef("--output needs the name of a new file")
		}
		if filepath.Ext(to) == "" {
			to += ".mp4"
		}
		to, err := filepath.Abs(to)
		if err = cmp.Or(err, state.CheckCopy(to)); err != nil {
			return run.Usagef("--output %s: %s", to, err)
		}
		var paths []string
		for _, id := range ids {
			job, err := jobs.Find(ctx, s, id)
			if err != nil {
				return err
			}
			if len(job.Files) == 0 || !strings.HasPrefix(job.Files[0].MediaType, "video/") {
				return run.Usagef("job %s has no video", job.ID)
			}
			paths = append(paths, job.Files[0].Path)
		}
		loader, seconds, encoded := picture.NewLoader(false, state.OthersEnviron()...), 0.0, false
		err = state.NewFile(to, 0o644, func(path string) (err error) {
			seconds, err = loader.Join(ctx, paths, path, func() {
				encoded = true
				p.Remark("the clips differ in codec, size, rate or audio: they are encoded anew")
			})
			return err
		})
		switch {
		case ctx.Err() != nil && err != nil:
			return run.Sentencef("stopped; nothing was written")
		case err != nil:
			return err
		}
		p.Remark("%d clips, %.1f s", len(paths), seconds)
		if p.JSON {
			p.PrintJSON(map[string]any{"path": to, "clips": len(paths), "seconds": seconds, "encoded": encoded})
			return nil
		}
		fmt.Fprintln(p.Out, to)
		return nil
	})
	cmd.Flags().StringVarP(&to, "output", "o", "", "the new FILE, an MP4; nothing is overwritten")
	return p.JSONFlags(cmd, "path", "clips", "seconds", "encoded")
}
