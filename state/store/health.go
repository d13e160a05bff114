package store

import (
	"darkroom/api"
	"os"
)

// Health says why nothing can be written or sent.
type Health struct {
	Path     string     // "" when the store is only in memory
	ReadOnly api.Reason // why nothing can be written; none when it can
	Held     api.Reason // why nothing may be sent until the person chooses
	Hidden   bool       // it is an empty store in place of one whose jobs cannot be shown
	Kept     string     // where a damaged file was kept by this opening
	Choice   bool       // Choose can lift ReadOnly or Held
}

// Health returns how the store is.
func (s *Store) Health() Health {
	held := s.hold()
	return Health{Path: s.path, ReadOnly: s.readOnly, Held: held, Hidden: s.hidden || s.path != "" && !held.IsZero(), Kept: s.kept, Choice: s.path != "" && (!held.IsZero() || s.newer)}
}

// inPlace reports ErrMoved unless the open file is the one at the store's path
// (device and inode): what is about to be sent would be forgotten otherwise.
func (s *Store) inPlace() error {
	if s.file == nil { // in memory
		return nil
	}
	now, err := os.Stat(s.path)
	if err != nil || !os.SameFile(now, s.file) {
		return ErrMoved
	}
	return nil
}

func (s *Store) hold() api.Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}
