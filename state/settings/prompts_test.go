package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSavedPrompts(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "darkroom", "config.toml")
	if all, err := SavedPrompts(config); all != nil || err != nil {
		t.Fatalf("without a folder: %v, %v", all, err)
	}
	for name, text := range map[string]string{"look": "{{subject}}\nat dusk", "晨光": "a boat", "Alpha": "old"} {
		noError(t, SavePrompt(config, name, text))
	}
	noError(t, SavePrompt(config, "Alpha", "new"))
	folder := filepath.Join(filepath.Dir(config), "prompts")
	noError(t, os.WriteFile(filepath.Join(folder, "by hand.txt"), []byte("\ufeffa\r\nb\x1b[31m\r\n\r\n"), 0o600))
	all, err := SavedPrompts(config)
	want := []SavedPrompt{{"Alpha", "new"}, {"by hand", "a\nb[31m"}, {"look", "{{subject}}\nat dusk"}, {"晨光", "a boat"}}
	if err != nil || len(all) != len(want) {
		t.Fatalf("%q, %v", all, err)
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("%q, want %q", all[i], want[i])
		}
	}
	if err := RemovePrompt(config, "look"); err != nil {
		t.Error(err)
	}
	if err := RemovePrompt(config, "look"); err != nil {
		t.Errorf("one that is not there: %v", err)
	}
	for _, name := range []string{"", ".hidden", "../up", "a/b", `a\b`, "a:b", " a", "a.", "a\nb", strings.Repeat("x", maxPromptName+1)} {
		if PromptName(name) || SavePrompt(config, name, "x") == nil || RemovePrompt(config, name) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	noError(t, os.WriteFile(filepath.Join(folder, "large.txt"), make([]byte, maxPromptFile+1), 0o600))
	if _, err := SavedPrompts(config); err == nil || !strings.Contains(err.Error(), "large.txt") {
		t.Errorf("one that is too large: %v", err)
	}
}
