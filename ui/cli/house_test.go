package cli

import (
	"bytes"
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/cli/run"
	"darkroom/ui/words"
)

// floors orders the rooms: a room may import rooms of a lower floor, and those
// of its own folder tree that are named here.
var floors = []struct {
	room string
	may  []string
}{
	{"api", nil},
	{"api/expand", []string{"api"}},
	{"api/read", []string{"api"}},
	{"api/pricing", []string{"api"}},
	{"api/client", []string{"api", "api/read"}},
	{"api/mcp", []string{"api", "api/read", "api/client"}},
	{"api/sim", []string{"api", "api/sim/paint"}},
	{"api/sim/paint", []string{"api"}},
	{"api/sim/simtest", []string{"api", "api/sim", "api/sim/paint"}}, // for tests alone
	{"api/sim/simtest/expect", nil},
	{"state/store", []string{"api"}},
	{"state/keys", []string{"api"}},
	{"state/media", []string{"api", "state/store"}},
	{"state/settings", []string{"api", "api/expand"}},
	{"state/remote", []string{"api", "api/read", "api/client", "api/mcp", "state/keys", "state/settings", "state/store"}},
	{"state/submit", []string{"api", "api/expand", "api/read", "api/client", "api/mcp", "state/media", "state/remote", "state/settings", "state/store"}},
	{"state/poll", []string{"api", "api/read", "state/media", "state/remote", "state/settings", "state/store"}},
	{"state", []string{"api", "api/client", "api/expand", "api/pricing", "state/keys", "state/media", "state/poll", "state/remote", "state/settings", "state/store", "state/submit"}},
	{"ui/words", []string{"api"}},
	{"ui/theme", nil},
	{"ui/picture", []string{"api"}},
	{"ui/action", nil},
	{"ui/display", nil},
	{"ui/env", []string{"api", "state", "ui/picture", "ui/theme", "ui/words"}},
	{"ui/msg", []string{"api", "state", "ui/action"}},
	{"ui/widget", []string{"api", "ui/action", "ui/env", "ui/msg", "ui/theme"}},
	// A form knows no service: of api it takes the cleaning of typed text, whose
	// list of harmful characters must not exist twice.
	{"ui/form", []string{"api", "ui/theme", "ui/widget"}},
	{"ui/sheet", []string{"api", "api/expand", "state", "ui/words"}},
	{"ui/result", []string{"api", "api/read", "state", "ui/action", "ui/env", "ui/msg", "ui/picture", "ui/sheet", "ui/theme", "ui/widget"}},
	{"ui/result/recent", []string{"api", "state", "ui/action", "ui/env", "ui/msg", "ui/picture", "ui/result", "ui/theme", "ui/widget"}},
	{"ui/screen/create/history", []string{"api", "state", "ui/action", "ui/env", "ui/msg", "ui/result", "ui/result/recent", "ui/theme", "ui/widget"}},
	{"ui/screen/create/review", []string{"api", "api/expand", "state", "ui/action", "ui/env", "ui/msg", "ui/result", "ui/theme", "ui/widget"}},
	{"ui/screen/create/draft", []string{"api", "api/expand", "state", "ui/env", "ui/form", "ui/msg", "ui/widget"}},
	{"ui/screen/create", []string{"api", "api/expand", "api/pricing", "state", "ui/action", "ui/env", "ui/form", "ui/msg", "ui/result", "ui/result/recent", "ui/screen/create/draft", "ui/screen/create/history", "ui/screen/create/review", "ui/theme", "ui/widget", "ui/words"}},
	{"ui/screen/jobs", []string{"api", "api/expand", "state", "ui/action", "ui/env", "ui/msg", "ui/result", "ui/theme", "ui/widget", "ui/words"}},
	{"ui/screen/prices", []string{"api", "api/pricing", "state", "ui/action", "ui/env", "ui/msg", "ui/result", "ui/theme", "ui/widget", "ui/words"}},
	{"ui/screen/tools", []string{"api", "api/mcp", "state", "ui/action", "ui/env", "ui/form", "ui/msg", "ui/result", "ui/theme", "ui/widget", "ui/words"}},
	{"ui/screen/login", []string{"api", "state", "state/keys", "ui/action", "ui/env", "ui/msg", "ui/result", "ui/theme", "ui/widget", "ui/words"}},
	{"ui", []string{"api", "state", "ui/action", "ui/display", "ui/env", "ui/msg", "ui/picture", "ui/result", "ui/screen/create", "ui/screen/jobs", "ui/screen/login", "ui/screen/prices", "ui/screen/tools", "ui/theme", "ui/widget", "ui/words"}},
	{"ui/cli/run", []string{"api", "state", "ui/words"}},
	{"ui/cli/jobs", []string{"api", "state", "ui/cli/run", "ui/picture", "ui/sheet"}},
	{"ui/cli/create", []string{"api", "api/expand", "state", "ui/cli/jobs", "ui/cli/run", "ui/picture", "ui/words"}},
	{"ui/cli/prices", []string{"api", "api/pricing", "state", "ui/cli/run"}},
	{"ui/cli/mcp", []string{"api", "state", "ui/cli/jobs", "ui/cli/run", "ui/picture"}},
	{"ui/cli/doctor", []string{"api", "state", "ui/cli/run", "ui/picture"}},
	// The examples of an empty Create are drawn as the demo draws them, and handed to ui.
	{"ui/cli", []string{"api", "api/mcp", "api/sim", "api/sim/paint", "state", "state/keys", "ui", "ui/cli/create", "ui/cli/doctor", "ui/cli/jobs", "ui/cli/mcp", "ui/cli/prices", "ui/cli/run", "ui/widget"}},
	{"ui/cli/blackbox", nil},
	{".", []string{"ui/cli"}},
}

// onlyIn says which rooms may import what from outside.
var onlyIn = []struct {
	path  string // an import path or the start of one
	rooms []string
}{
	{"charm.land/", []string{"ui"}},
	{"github.com/zalando/go-keyring", []string{"state/keys"}},
	{"modernc.org/sqlite", []string{"state/store"}},
	{"github.com/modelcontextprotocol/", []string{"api/mcp", "api/sim", "ui/cli/mcp"}},
	{"net/http", []string{"api", "api/read", "api/client", "api/mcp", "api/sim", "api/sim/simtest", "state/media"}},
}

// forbidden packages would cost start-up time or safety.
var forbidden = map[string]string{
	"charm.land/lipgloss/v2/compat": "it asks the terminal while the program loads",
}

func TestImportsGoDownOnly(t *testing.T) {
	seen := map[string]bool{}
	for file, text := range sources(t) {
		room := filepath.ToSlash(filepath.Dir(file))
		test := strings.HasSuffix(file, "_test.go")
		seen[room] = true
		tree := simtest.Must(parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly))(t)
		for _, spec := range tree.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			why, no := forbidden[path]
			expect.That(t, !no, file, "imports", path, "which nobody may", why)
			if inner, ours := strings.CutPrefix(path, "darkroom/"); ours && !test {
				checkFloor(t, file, room, inner)
			}
			for _, rule := range onlyIn {
				may := slices.ContainsFunc(rule.rooms, func(r string) bool { return room == r || r == "ui" && strings.HasPrefix(room, "ui/") })
				expect.That(t, test || !strings.HasPrefix(path, rule.path) || may, file, "imports", path, "which only these may:", rule.rooms)
			}
		}
	}
	for _, floor := range floors {
		expect.That(t, seen[floor.room], "The room", floor.room, "has no Go file any more: take it out of the list of floors.")
	}
}

func checkFloor(t *testing.T, file, room, inner string) {
	t.Helper()
	for _, floor := range floors {
		if floor.room == room {
			expect.That(t, slices.Contains(floor.may, inner), file, "imports", inner, "but the room", room, "may only import", floor.may)
			return
		}
	}
	t.Errorf("%s stands in the room %s, which has no floor: give it one in house_test.go and in docs.", file, room)
}

// TestTopLevel holds the top of the checkout to its few entries.
func TestTopLevel(t *testing.T) {
	allowed := []string{"main.go", "ui", "api", "state", "go.mod", "go.sum", "README.md", "LICENSE", "docs", "darkroom"}
	entries := simtest.Must(os.ReadDir("../.."))(t)
	for _, entry := range entries {
		expect.That(t, strings.HasPrefix(entry.Name(), ".") || slices.Contains(allowed, entry.Name()),
			entry.Name(), "stands at the top level, where only", strings.Join(allowed, ", "), "may.")
	}
}

// TestNamesSayTheirJob refuses rooms and files named for nothing.
func TestNamesSayTheirJob(t *testing.T) {
	for file := range sources(t) {
		for _, part := range strings.Split(strings.TrimSuffix(filepath.ToSlash(file), ".go"), "/") {
			switch strings.TrimSuffix(part, "_test") {
			case "util", "utils", "common", "helper", "helpers", "misc", "types", "constants", "manager", "stubs":
				t.Errorf("%s is named %q: name it for its one job.", file, part)
			}
		}
	}
}

// TestFilesAreReadable holds the program to 140 bytes a line and 500 lines a file.
func TestFilesAreReadable(t *testing.T) {
	for file, text := range sources(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		lines := strings.Split(text, "\n")
		expect.That(t, len(lines) <= 501, file, "has", len(lines)-1, "lines")
		for i, line := range lines {
			expect.That(t, len(line) <= 140, file, i+1, "has", len(line), "bytes")
		}
	}
}

// sources are all Go files of the checkout.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, root := map[string]string{}, os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && len(path) > 1 && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			text, err := fs.ReadFile(root, path)
			files[path] = string(text)
			return err
		}
		return nil
	})
	expect.Must(t, err == nil && len(files) >= 10, "only", len(files), "Go files found", err)
	return files
}

// The key is taken out of its wrapping in these files alone.
var revealing = []string{"api/key.go", "api/client/send.go", "state/keys/keys.go", "api/sim/sim.go"}

// TestTheKeyIsUnwrappedInFewPlaces, and whoever starts another program chooses
// its environment instead of handing on our own, in which the key may be.
func TestTheKeyIsUnwrappedInFewPlaces(t *testing.T) {
	for file, text := range sources(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		expect.That(t, !strings.Contains(text, ".Reveal()") || slices.Contains(revealing, filepath.ToSlash(file)), file, "unwraps the key")
		expect.That(t, !strings.Contains(text, "exec.Command") || strings.Contains(text, "cmd.Env ="),
			file, "starts a program with our own environment")
	}
}

var update = flag.Bool("update", false, "write docs/manual again")

// inHelp is the value of a flag that says what it takes as help does.
type inHelp struct {
	pflag.Value
	takes string
}

func (v inHelp) Type() string { return v.takes }

// TestManualPages: docs/manual has a page for each command and topic, made of what help says.
func TestManualPages(t *testing.T) {
	t.Parallel()
	c := &commands{Program: &run.Program{Env: func(string) string { return "" }, Words: words.For("en")}}
	root := c.describe(c.root())
	want := map[string]string{"keys.md": "## The keys of the screens\n\n```\n" + printed(t, "en", "help", "keys") + "```\n"}
	for _, topic := range endParts {
		want[topic+".md"] = "```\n" + printed(t, "en", "help", topic) + "```\n"
	}
	for _, name := range state.SettingNames() {
		expect.That(t, regexp.MustCompile(`(?m)^  `+name[0]+` +[^ (\n]`).MatchString(want["settings.md"]),
			"help says nothing of the setting", name[0])
	}
	for _, cmd := range slices.Insert(run.CommandsBelow(root), 0, root) {
		if !cmd.IsAvailableCommand() {
			continue
		}
		cmd.DisableAutoGenTag = true
		cmd.InitDefaultHelpFlag()
		cmd.Flags().Lookup("help").Usage = "print this help"
		rows := c.flagRows(cmd.LocalFlags())
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				_, takes, _ := strings.Cut(rows[0][0], "--"+f.Name)
				f.Value, f.Usage, f.DefValue, f.NoOptDefVal = inHelp{f.Value, strings.TrimSpace(takes)}, rows[0][1], "", ""
				rows = rows[1:]
			}
		})
		var page bytes.Buffer
		simtest.NoError(t, doc.GenMarkdown(cmd, &page))
		want[strings.ReplaceAll(cmd.CommandPath(), " ", "_")+".md"] = strings.TrimRight(page.String(), "\n") + "\n"
	}
	folder := filepath.Join("..", "..", "docs", "manual")
	if *update {
		for name, text := range want {
			simtest.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
		}
	}
	files := simtest.Must(filepath.Glob(filepath.Join(folder, "*")))(t)
	for i, path := range files {
		files[i] = filepath.Base(path)
	}
	expect.List(t, files, slices.Sorted(maps.Keys(want)), "docs/manual")
	for name, text := range want {
		have, _ := os.ReadFile(filepath.Join(folder, name))
		expect.That(t, string(have) == text, "docs/manual/"+name, "is not what help says: go test ./ui/cli -run TestManualPages -update")
	}
}
