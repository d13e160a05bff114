package store

import (
	"os"
	"path/filepath"
	"testing"

	"darkroom/api"
)

// TestACopySendsNothingByItself: what waited to be sent when a store was copied
// waits for the person in the copy and says why, since the other one may send it;
// a store that was only moved goes on.
func TestACopySendsNothingByItself(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	path := filepath.Join(dir, "darkroom.db")
	s := openAt(t, path)
	held := Held{ID: "held1", ConfirmID: "c1", Request: api.Request{Kind: api.KindImage, Prompt: "x"}, Body: []byte("{}")}
	if fresh, err := s.Hold(ctx, Agreement{ID: "a", Instance: "me", Base: testBase, Held: []Held{held}, Now: noon}); !fresh || err != nil {
		t.Fatal(fresh, err)
	}
	j := record(t, s, intent(1))
	noError(t, s.Close())
	state := func(path string) (Held, api.Phase) {
		t.Helper()
		s := openAt(t, path)
		defer s.Close()
		list := must(s.HeldOf(ctx, "held1"))(t)
		job := must(s.Job(ctx, j.ID))(t)
		return list[0], job.Phase
	}
	moved := filepath.Join(dir, "moved.db")
	noError(t, os.Rename(path, moved))
	if h, phase := state(moved); h.Owner != "me" || h.Code != "" || phase != api.PhaseIntent {
		t.Errorf("moved: held by %q as %q, %s", h.Owner, h.Code, phase)
	}
	content := must(os.ReadFile(moved))(t)
	if err := os.Remove(moved); err != nil { // its number may be given to the copy
		t.Fatal(err)
	}
	noError(t, os.WriteFile(path, content, 0o600))
	for range 2 { // once noticed it stays
		if h, phase := state(path); h.Owner != "" || h.Code != CodeCopied || h.Reason != whyHeldCopied.Reason() || phase != api.PhaseSending {
			t.Errorf("copied: held by %q as %q (%v), %s", h.Owner, h.Code, h.Reason, phase)
		}
	}
}

// TestACopyThatCannotBeMarkedIsOnlyRead: while the store refuses to note that it is
// a copy, nothing can be sent from it.
func TestACopyThatCannotBeMarkedIsOnlyRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "darkroom.db")
	s := openAt(t, path)
	j := record(t, s, intent(1))
	// As a disk that is full, or another program that writes for long.
	for _, statement := range []string{
		`UPDATE notes SET value='1 2.3' WHERE name='file'`,
		`CREATE TRIGGER refuses BEFORE UPDATE ON notes BEGIN SELECT RAISE(FAIL, 'no room'); END`,
	} {
		must(s.w.ExecContext(t.Context(), statement))(t)
	}
	noError(t, s.Close())
	s = openAt(t, path)
	if _, err := s.MarkSending(t.Context(), j.ID, "me", noon); s.Health().ReadOnly.IsZero() || err == nil {
		t.Errorf("%+v, marked: %v", s.Health(), err)
	}
}
