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
		path := simtest.File(t, filepath.Join(dir, id+".png"), id)
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
	simtest.NoError(t, simtest.Must(Open(dir, words.For("en")))(t).Close()) // an export that was killed
	s, text := write(t, dir, rows, read)
	got := [4]int{s.Jobs, s.Files, strings.Count(text, "<figure>"), strings.Count(text, "<section")}
	expect.Equal(t, got, [4]int{6, 6, 6, 1}, "jobs, files, figures and sections in", text)
	for i, place := range []string{"1 / 1", "1 / 2", "2 / 1", "2 / 2"} {
		_, after, _ := strings.Cut(text, `style="grid-area: `+place+`"`)
		expect.Contains(t, after[:min(len(after), 200)], fmt.Sprintf("job%d.png", i+1), "at", place, "in", text)
	}
	expect.Lacks(t, text, "<b>a pier")
	expect.Lacks(t, text, "<title>\"")
	expect.Contains(t, text, "<b>ink · dawn</b>")
	expect.Equal(t, string(simtest.Must(os.ReadFile(filepath.Join(dir, files, "job3.png")))(t)), "job3", "the copy holds")
	_, again := write(t, dir, rows[:1], read)
	expect.Lacks(t, again, "<section", "an earlier export")
	expect.Equal(t, strings.Count(again, "<figure>"), 1, "figures of an earlier export")
}

func TestAFolderOfOthersIsRefused(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"other files": "notes.txt", "another page": page} {
		dir := t.TempDir()
		simtest.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("mine"), 0o600))
		expect.Fails(t, expect.Err(Open(dir, words.For("en"))), "earlier export", name)
		expect.Equal(t, string(simtest.Must(os.ReadFile(filepath.Join(dir, file)))(t)), "mine", name)
	}
	dir := t.TempDir()
	simtest.NoError(t, exec.Command("mkfifo", filepath.Join(dir, page)).Run()) // nobody writes to it
	expect.Fails(t, expect.Err(Open(dir, words.For("en"))), "earlier export", "a pipe")
	expect.Fails(t, expect.Err(Open(filepath.Join(dir, page), words.For("en"))), "", "no folder")
}
