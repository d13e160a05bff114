package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Flags are refused in our words, with the value and without Go's reasons.
func TestFlagErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--limit x":           `--limit: "x" is not a whole number`,
		"--scale x":           `--scale: "x" is not a number`,
		"--wait=perhaps":      `--wait: "perhaps" is not true or false`,
		"--timeout 5":         `--timeout: "5" is not a duration such as 90s or 10m`,
		"--max-credits lots":  `--max-credits: "lots" is not an amount of credits`,
		"--nonsense":          "unknown flag: --nonsense",
		"-z":                  "unknown flag: -z",
		"--limit":             "the flag --limit needs a value",
		"--=x":                "this is not a flag: --=x",
		"--max-credits= --no": `--max-credits: "" is not an amount of credits`,
	} {
		cmd := &cobra.Command{}
		cmd.Flags().Int("limit", 0, "")
		cmd.Flags().Float64("scale", 0, "")
		cmd.Flags().Bool("wait", false, "")
		cmd.Flags().Duration("timeout", 0, "")
		cmd.Flags().Var(&LimitFlag{}, "max-credits", "")
		err := FlagError(cmd, cmd.ParseFlags(strings.Fields(line)))
		var f *Failure
		if err == nil || err.Error() != want || !errors.As(err, &f) || f.Code != ExitUsage {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
