package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/cli/run"
	"darkroom/ui/words"
)

// The version of a program that was not linked as a release is what the go
// command wrote into it.
func TestBuiltVersion(t *testing.T) {
	t.Parallel()
	const revision, at = "0123456789abcdef0123456789abcdef01234567", "2026-11-22T05:39:05Z"
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: at}}
	for _, c := range []struct {
		module   string
		settings []debug.BuildSetting
		want     string
	}{
		{"", nil, "dev"},
		{"(devel)", vcs, "dev (0123456, 2026-11-22)"},
		{"v0.0.0-20261122053905-0123456789ab", vcs, "dev (0123456, 2026-11-22)"},
		{"v0.0.0-20261122053905-0123456789ab+dirty", append(vcs[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"}),
			"dev (0123456 modified, 2026-11-22)"},
		{"v1.2.3", nil, "1.2.3"},
		{"v1.2.3", vcs, "1.2.3 (0123456, 2026-11-22)"},
	} {
		got := versionText("dev", "", "", &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings})
		expect.Equal(t, got, c.want, "module", c.module, "settings", c.settings)
	}
	expect.Equal(t, versionText("1.2.3", revision, at, nil), "1.2.3 (0123456, 2026-11-22)", "a linked version")
}

func TestSavedRequestsAreReadFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string { return simtest.File(t, filepath.Join(dir, name), text) }
	const recipe = `{"job":"k3v9","kind":"video","model":"seedance2","request":{"kind":"video","model":"seedance2","prompt":"a koi"}}`
	beside := write("20260301-koi-k3v9-1.mp4", "\x00\x00\x00\x18ftypisom")
	own := write("20260301-koi-k3v9-1.darkroom.json", recipe)
	for path, want := range map[string]string{
		own: "video a koi <nil>", beside: "video a koi <nil>", write("body.json", `{"model":"a/b","prompt":"c"}`): "image c <nil>",
		write("lonely.png", "\x89PNG\r\n\x1a\n"): "no recipe in it or next to it", filepath.Join(dir, "gone.png"): "there is no file", dir: "is a directory",
	} {
		r, err := (&commands{Program: &run.Program{}}).savedRequest(t.Context(), path)
		expect.Contains(t, fmt.Sprint(r.Kind, " ", r.Prompt, " ", err), want, path)
	}
}

// printed runs a command line in a language and gives what it prints.
func printed(t *testing.T, lang string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := &run.Program{Env: func(name string) string {
		return map[string]string{"DARKROOM_LANG": lang, "HOME": t.TempDir()}[name]
	}}
	p.Out, p.Err = &out, &out
	expect.Must(t, execute(t.Context(), &commands{Program: p}, args) == run.ExitDone, args, out.String())
	return out.String()
}

// everyCommand is the program and all commands below it, in a language.
func everyCommand(lang string) []*cobra.Command {
	c := &commands{Program: &run.Program{Env: func(string) string { return "" }, Words: words.For(lang)}}
	root := c.describe(c.root())
	return append([]*cobra.Command{root}, run.CommandsBelow(root)...)
}

// Every text of help has a Chinese one, as those of the manual have by TestCatalogue.
func TestHelpIsTranslated(t *testing.T) {
	t.Parallel()
	check := func(where, said string) {
		expect.That(t, said == "" || strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) }) &&
			!strings.Contains(said, "%"), where, "said as", said)
	}
	for _, cmd := range everyCommand("zh") {
		check(cmd.CommandPath(), cmd.Short)
		check(cmd.CommandPath(), cmd.Long)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			check(cmd.CommandPath()+" --"+f.Name, f.Usage)
		})
	}
}

// No line of help is wider than a terminal of 80 columns, in both languages.
func TestHelpFitsItsWidth(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand("en") {
		for _, lang := range []string{"en", "zh"} {
			text := printed(t, lang, append([]string{"help"}, strings.Fields(cmd.CommandPath())[1:]...)...)
			for line := range strings.Lines(text) {
				expect.That(t, ansi.StringWidth(strings.TrimRight(line, "\n")) <= 80, cmd.CommandPath(), "in", lang, "has a wide line:", line)
			}
			expect.Contains(t, text, map[string]string{"en": "Usage:", "zh": "用法："}[lang], cmd.CommandPath(), "in", lang)
		}
	}
}

// TestManualHasEverything: each command and flag stands in it, and nothing of
// the text is taken for a request of roff.
func TestManualHasEverything(t *testing.T) {
	t.Parallel()
	all := everyCommand("en")
	for lang, headings := range map[string][]string{
		"en": {"\nExamples:\n", ".SH ENVIRONMENT", ".SH FILES", ".SH EXIT STATUS"},
		"zh": {"\n示例：\n", ".SH 环境变量", ".SH 文件", ".SH 退出码"},
	} {
		page := printed(t, lang, "man")
		for _, cmd := range all[1:] {
			if cmd.Name() == "help" || cmd.Hidden {
				continue
			}
			expect.That(t, strings.Contains(page, ".SS "+cmd.CommandPath()), "the manual lacks", cmd.CommandPath())
			expect.That(t, cmd.Example != "" || cmd.Name() == "completion", "the help of", cmd.CommandPath(), "has no example")
		}
		for _, want := range append(headings, `\-\-aspect\-ratio`, `\-\-base\-url`, `\-\-max\-credits`) {
			expect.Contains(t, page, want, "the manual")
		}
		known := []string{".TH ", ".SH ", ".SS ", ".nf", ".in "}
		for line := range strings.Lines(page) {
			request := strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")
			expect.That(t, !request || slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(line, k) }),
				"taken for a request", line)
		}
		groff, err := exec.LookPath("groff")
		if err != nil {
			continue
		}
		cmd := exec.Command(groff, "-k", "-man", "-Tutf8", "-ww", "-P-c", "-P-u", "-P-b")
		cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
		cmd.Stdin = strings.NewReader(page)
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		text, err := cmd.Output()
		expect.That(t, err == nil && complaints.Len() == 0, "groff", err, complaints.String())
		for line := range strings.Lines(string(text)) {
			expect.That(t, ansi.StringWidth(strings.TrimRight(line, "\n")) <= 80, "the manual has a wide line:", line)
		}
	}
}

// TestNamesInDocsExist looks up every name that stands in backquotes in docs/*.md: functions, tests, files, commands,
// flags, keys, settings. Each of its words has to stand in the source or in the name of a file; a flag has to be declared,
// and a file of Go has to be there. The changes tell of names that are gone. Names of others stand here, to be found:
// sudo dnf brew cask sha256sum OWNER FOLDER x86_64 XDG_ RGB conf NN_name PlaceNotes __name__ Compositor Editors cellbuf
// paintLine lineHasDrift darkroom_VERSION_amd64 darkroom_VERSION_x86_64 darkroom_VERSION_checksums.
func TestNamesInDocsExist(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`[\pL\pN_]+`)
	known := map[string]bool{}
	var source strings.Builder
	files := []string{"/ui/cli/ping/ping.go"} // an example
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "docs"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".go") {
			source.Write(text)
			files = append(files, path)
		}
		for _, w := range append(word.FindAllString(string(text), -1), word.FindAllString(path, -1)...) {
			known[w] = true
		}
		return err
	})
	simtest.NoError(t, err)
	pages, err := filepath.Glob("../../docs/*.md")
	expect.Must(t, err == nil && len(pages) >= 5, "the pages are", pages, err)
	quoted, flag, number := regexp.MustCompile("`([^`\n]+)`"), regexp.MustCompile(`(?:^| )--([a-z-]+)`), regexp.MustCompile(`^\d+\w?$`)
	for _, page := range pages {
		text := simtest.Must(os.ReadFile(page))(t)
		if filepath.Base(page) == "CHANGELOG.md" {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			for _, f := range flag.FindAllStringSubmatch(m[1], -1) {
				if strings.HasPrefix(m[1], "darkroom") || strings.HasPrefix(m[1], "--") {
					known := strings.Contains(source.String(), `"`+f[1]+`"`) || strings.Contains(source.String(), "--"+f[1])
					expect.That(t, known, filepath.Base(page), "no flag", f[1], "of", m[1])
				}
			}
			there := slices.ContainsFunc(files, func(path string) bool { return strings.HasSuffix(path, "/"+m[1]) })
			expect.That(t, there || !strings.HasSuffix(m[1], ".go"), filepath.Base(page), "there is no file", m[1])
			for _, w := range word.FindAllString(m[1], -1) {
				w = strings.TrimPrefix(w, "Benchmark")
				expect.That(t, known[w] || known["Benchmark"+w] || number.MatchString(w),
					filepath.Base(page), w, "stands nowhere in the source:", m[1])
			}
		}
	}
}

// TestLocalZone: a TZ that names no file is a rule, also one with summer time.
func TestLocalZone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("TZ has no meaning")
	}
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for tz, want := range map[string]string{"CST-8": "20:00", "EST5EDT,M3.2.0,M11.1.0": "08:00", "<+0330>-3:30": "15:30", "nonsense": "12:00"} {
		expect.Equal(t, noon.In(localZone(tz)).Format("15:04"), want, tz)
	}
	for _, tz := range []string{"", "Asia/Tokyo", ":/etc/localtime", ":Asia/Tokyo", ":CST-8"} {
		expect.That(t, localZone(tz) == time.Local, tz, "is the standard library's")
	}
}
