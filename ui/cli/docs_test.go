package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesInDocsExist looks up every name that stands in backquotes in docs/*.md:
// functions, tests, files, commands, flags, keys, settings. Each of its words has
// to stand in the source or in the name of a file; a flag has to be declared. The
// changes tell of names that are gone. Names of others stand here, to be found:
// sudo dnf brew cask sha256sum OWNER FOLDER x86_64 XDG_ RGB conf NN_name PlaceNotes
// __name__ Compositor Editors cellbuf paintLine lineHasDrift darkroom_VERSION_amd64
// darkroom_VERSION_x86_64 darkroom_VERSION_checksums.
func TestNamesInDocsExist(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`[\pL\pN_]+`)
	known := map[string]bool{}
	var source strings.Builder
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
		}
		for _, w := range append(word.FindAllString(string(text), -1), word.FindAllString(path, -1)...) {
			known[w] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("the pages are %v, %v", pages, err)
	}
	quoted, flag, number := regexp.MustCompile("`([^`\n]+)`"), regexp.MustCompile(`(?:^| )--([a-z-]+)`), regexp.MustCompile(`^\d+\w?$`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(page) == "CHANGELOG.md" {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			for _, f := range flag.FindAllStringSubmatch(m[1], -1) {
				if strings.HasPrefix(m[1], "darkroom") || strings.HasPrefix(m[1], "--") {
					if !strings.Contains(source.String(), `"`+f[1]+`"`) && !strings.Contains(source.String(), "--"+f[1]) {
						t.Errorf("%s: no flag --%s: `%s`", filepath.Base(page), f[1], m[1])
					}
				}
			}
			for _, w := range word.FindAllString(m[1], -1) {
				w = strings.TrimPrefix(w, "Benchmark")
				if !known[w] && !known["Benchmark"+w] && !number.MatchString(w) {
					t.Errorf("%s: %q stands nowhere in the source: `%s`", filepath.Base(page), w, m[1])
				}
			}
		}
	}
}
