package cli

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"darkroom/ui/cli/run"
	"darkroom/ui/words"
)

var update = flag.Bool("update", false, "write docs/manual again")

// inHelp is the value of a flag that says what it takes as help does.
type inHelp struct {
	pflag.Value
	takes string
}

func (v inHelp) Type() string { return v.takes }

// TestManualPages: docs/manual has a page for each command, made of what help says,
// and one of the keys.
func TestManualPages(t *testing.T) {
	t.Parallel()
	p := &run.Program{Env: func(string) string { return "" }, Words: words.For("en")}
	c := &commands{Program: p}
	root := c.root()
	want := map[string]string{"keys.md": "## The keys of the screens\n\n```\n" + printed(t, "en", "help", "keys") + "```\n"}
	for _, cmd := range slices.Insert(run.CommandsBelow(root), 0, root) {
		if !cmd.IsAvailableCommand() {
			continue
		}
		cmd.DisableAutoGenTag = true
		cmd.InitDefaultHelpFlag()
		cmd.Flags().Lookup("help").Usage = "print this help"
		rows := c.flagRows(cmd.LocalFlags())
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			_, takes, _ := strings.Cut(rows[0][0], "--"+f.Name)
			f.Value, f.Usage, f.DefValue, f.NoOptDefVal = inHelp{f.Value, strings.TrimSpace(takes)}, rows[0][1], "", ""
			rows = rows[1:]
		})
		var page bytes.Buffer
		if err := doc.GenMarkdown(cmd, &page); err != nil {
			t.Fatal(err)
		}
		want[strings.ReplaceAll(cmd.CommandPath(), " ", "_")+".md"] = strings.TrimRight(page.String(), "\n") + "\n"
	}
	folder := filepath.Join("..", "..", "docs", "manual")
	if *update {
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range files {
		files[i] = filepath.Base(path)
	}
	if names := slices.Sorted(maps.Keys(want)); !slices.Equal(files, names) {
		t.Errorf("docs/manual has %v, want %v", files, names)
	}
	for name, text := range want {
		if have, _ := os.ReadFile(filepath.Join(folder, name)); string(have) != text {
			t.Errorf("docs/manual/%s is not what help says: go test ./ui/cli -run TestManualPages -update", name)
		}
	}
}
