package create

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// TestAnEditedPromptIsBounded, goes where it came from, and the cursor stands at its end.
func TestAnEditedPromptIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompt.txt")
	for text, want := range map[string]string{"a boat\n": "a boat", strings.Repeat("a boat ", 1<<20): "a koi"} {
		simtest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		c := New(&env.Env{Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)}, nil)
		c.Resize(120, 40)
		d := c.draft()
		d.Prompt.SetValue("a koi")
		left := edited(path, "a koi", c.at, c.env.Words, nil)
		c.switchKind() // with a key that was typed before the editor had the terminal
		c.Update(left)
		expect.Equal(t, d.Prompt.Value(), want, "of", len(text))
		c.Update(tea.KeyPressMsg{Code: '!', Text: "!"})
		expect.That(t, want == "a koi" || d.Prompt.Value() == "a boat!", "what is typed then is not at the end")
		_, err := os.Stat(path)
		expect.Equal(t, err == nil, want == "a koi", "what was not taken over is kept:", err)
		simtest.NoError(t, os.WriteFile(path, []byte(d.Prompt.Value()), 0o600))
		told, _ := c.Update(edited(path, d.Prompt.Value(), c.at, c.env.Words, nil))().(msg.NotifiedMsg)
		expect.That(t, strings.Contains(told.Text, "code --wait"), "an editor that went on by itself:", told.Text)
	}
	// What was saved before an editor failed is kept, and named.
	for text, kept := range map[string]bool{"a koi": false, "a boat": true} {
		simtest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		failed, _ := edited(path, "a koi", 0, words.For("en"), errors.New("killed")).(msg.FailedMsg)
		_, err := os.Stat(path)
		expect.That(t, (err == nil) == kept && strings.Contains(fmt.Sprint(failed.Err), path) == kept, kept, err, failed.Err)
	}
	gone, _ := edited(path+" gone", "a koi", 0, words.For("en"), nil).(msg.FailedMsg)
	expect.That(t, strings.Contains(fmt.Sprint(gone.Err), "the prompt is unchanged"), "a file that is gone:", gone.Err)
}
