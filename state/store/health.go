package store

import "os"

// Health says why nothing can be written or sent.
type Health struct {
	Path     string // "" when the store is only in memory
	ReadOnly string // why nothing can be written, in words; "" when it can
	Held     string // why nothing may be sent until the person chooses
	Hidden   bool   // it is an empty store in place of one whose jobs cannot be shown
	Kept     string // where a damaged file was kept by this opening
	Choice   bool   // Choose can lift ReadOnly or Held
}

// Health returns how the store is.
func (s *Store) Health() Health {
	held := s.hold()
	return Health{Path: s.path, ReadOnly: s.readOnly, Held: held, Hidden: s.hidden || s.path != "" && held != "", Kept: s.kept, Choice: s.path != "" && (held != "" || s.newer)}
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

func (s *Store) hold() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}
