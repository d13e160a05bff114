package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/say"
)

// maxExplained is how long a file to explain may be, in bytes.
const maxExplained = 8 << 20

// explanation is a saved answer that a person asks about.
type explanation struct {
	file    string // "-" is standard input
	kind    string
	status  int
	headers []string // "Name: value"
}

func (x *explanation) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&x.file, "explain", "", "read an answer of a service from a file, or - for standard input, and say which path gave which value; the file may begin with the status line and headers, as curl -i writes them")
	cmd.Flags().StringVar(&x.kind, "kind", "image", "with --explain: the kind of the request that was answered, image or video")
	cmd.Flags().IntVar(&x.status, "status", 200, "with --explain: the status of the answer")
	cmd.Flags().StringArrayVar(&x.headers, "header", nil, "with --explain: a header of the answer, as Name: value; repeat for several")
}

// explain prints what every reader makes of a saved answer.
func (p run) explain(ctx context.Context, x explanation) error {
	kind := api.Kind(x.kind)
	switch {
	case kind != api.KindImage && kind != api.KindVideo:
		return say.Usagef("--kind: give image or video")
	case x.status < 100 || x.status > 599:
		return say.Usagef("--status: give a number from 100 to 599")
	}
	raw, err := p.savedAnswer(ctx, x.file)
	if err != nil {
		return err
	}
	saved, err := read.ParseSaved(raw, x.status, x.headers)
	if err != nil {
		return say.Usagef("--header: %s", err)
	}
	readings := saved.Explain(kind)
	if p.JSON {
		p.PrintJSON(map[string]any{"status": saved.Status, "readings": readings})
		return nil
	}
	p.printReadings(readings)
	return nil
}

func (p run) savedAnswer(ctx context.Context, name string) ([]byte, error) {
	raw, err := p.ReadInput(ctx, name, maxExplained+1)
	if err != nil {
		return nil, say.WithCode(say.ExitUsage, say.FileError(err))
	}
	if len(raw) > maxExplained {
		return nil, say.Usagef("--explain: the file is larger than 8 MiB, which is the most that darkroom reads of an answer")
	}
	return raw, nil
}

// readerTitles say what an answer is read as.
var readerTitles = map[string]error{
	"create":   say.Sentencef("As the answer to a generation call"),
	"job":      say.Sentencef("As the answer about a job"),
	"models":   say.Sentencef("As the listing of models"),
	"estimate": say.Sentencef("As an estimate"),
	"error":    say.Sentencef("As a refusal"),
}

func (p run) printReadings(readings []read.Reading) {
	conceptWidth, pathWidth := 0, 0
	for _, r := range readings {
		conceptWidth = max(conceptWidth, min(len(r.Concept), 24))
		pathWidth = max(pathWidth, min(len(r.Path), 44))
	}
	reader := ""
	for _, r := range readings {
		if r.Reader != reader {
			if reader != "" {
				fmt.Fprintln(p.Out)
			}
			reader = r.Reader
			fmt.Fprintln(p.Out, p.Sentence(readerTitles[reader]))
		}
		value := strings.ReplaceAll(r.Value, "\n", " ")
		if r.Concept == "unread" {
			fmt.Fprintln(p.Out, "  "+p.Say("nothing: %s", say.Because(r.Why)))
			continue
		}
		path := r.Path
		if path == "(root)" {
			path = p.Say("the whole")
		}
		fmt.Fprintf(p.Out, "  %s  %s  %s\n", output.Pad(r.Concept, conceptWidth), output.Pad(path, pathWidth), value)
	}
}
