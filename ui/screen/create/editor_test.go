package create

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnEditedPromptIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompt.txt")
	for text, want := range map[string]int{"a boat\n": len("a boat"), strings.Repeat("a boat ", 1<<20): maxEdited} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m := (editorReadyMsg{path: path}).ended(nil); m.Err != nil || len(m.text) != want {
			t.Errorf("%d bytes of %d are taken: %v", len(m.text), len(text), m.Err)
		}
	}
}
