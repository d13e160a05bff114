package sheet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/words"
)

// made is a job with a file for each label; the first row is a result of its own.
func made(t *testing.T, labels ...string) ([]state.Row, Reader) {
	t.Helper()
	dir, jobs := t.TempDir(), map[string]state.Job{}
	var rows []state.Row
	for i, label := range labels {
		id := fmt.Sprint("job", i)
		path := filepath.Join(dir, id+".png")
		simtest.NoError(t, os.WriteFile(path, []byte(id), 0o600))
		row := state.Row{ID: id, Label: label, Files: 1}
		if label != "" {
			row.Agreement = "sending"
		}
		rows = append(rows, row)
		jobs[id] = state.Job{Row: state.Row{ID: id, Title: "<title>"}, Request: api.Request{Prompt: "<b>a pier</b>"}, Files: []state.File{{Path: path, MediaType: "image/png"}}}
	}
	return rows, func(_ context.Context, id string) (state.Job, error) { return jobs[id], nil }
}

func write(t *testing.T, dir string, rows []state.Row, read Reader) (*Sheet, string) {
	t.Helper()
	s := simtest.Must(Open(dir, words.For("en")))(t)
	defer func() { _ = s.Close() }()
	simtest.NoError(t, s.Write(t.Context(), rows, read, time.Unix(0, 0)))
	text := simtest.Must(os.ReadFile(s.Index()))(t)
	return s, string(text)
}

func TestVariationsStandAsAGridOnThePage(t *testing.T) {
	t.Parallel()
	rows, read := made(t, "", "ink · dawn", "ink · night", "gouache · dawn", "gouache · night", "")
	dir := filepath.Join(t.TempDir(), "sheet")
	s, text := write(t, dir, rows, read)
	if s.Jobs != 6 || s.Files != 6 || strings.Count(text, "<figure>") != 6 || strings.Count(text, "<section") != 1 {
		t.Errorf("%d jobs, %d files in\n%s", s.Jobs, s.Files, text)
	}
	for i, place := range []string{"1 / 1", "1 / 2", "2 / 1", "2 / 2"} {
		_, after, _ := strings.Cut(text, `style="grid-area: `+place+`"`)
		if !strings.Contains(after[:min(len(after), 200)], fmt.Sprintf("job%d.png", i+1)) {
			t.Errorf("not at %s: job%d in\n%s", place, i+1, text)
		}
	}
	if strings.Contains(text, "<b>a pier") || strings.Contains(text, "<title>\"") || !strings.Contains(text, "<b>ink · dawn</b>") {
		t.Errorf("texts are not as they should be:\n%s", text)
	}
	expect.Equal(t, string(simtest.Must(os.ReadFile(filepath.Join(dir, files, "job3.png")))(t)), "job3", "the copy holds")
	if _, again := write(t, dir, rows[:1], read); strings.Contains(again, "<section") || strings.Count(again, "<figure>") != 1 {
		t.Error("an earlier export is not brought up to date")
	}
}

func TestAFolderOfOthersIsRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"other files": "notes.txt", "another page": page} {
		dir := t.TempDir()
		simtest.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("mine"), 0o600))
		expect.Fails(t, expect.Err(Open(dir, words.For("en"))), "earlier export", name)
		if got, _ := os.ReadFile(filepath.Join(dir, file)); string(got) != "mine" {
			t.Errorf("%s: the file became %q", name, got)
		}
	}
	dir := t.TempDir()
	simtest.NoError(t, exec.Command("mkfifo", filepath.Join(dir, page)).Run()) // nobody writes to it
	expect.Fails(t, expect.Err(Open(dir, words.For("en"))), "earlier export", "a pipe")
}
