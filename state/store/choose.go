package store

import (
	"context"
	"darkroom/api"
	"errors"
)

// Choose is the person's decision to go on with a store that was held: a new
// one beside a damaged file is used from now on, and a file of a newer
// darkroom is put aside for a new one. It returns the store to use in place of
// s, which is closed when it is another.
func (s *Store) Choose(ctx context.Context) (*Store, error) {
	switch {
	case s.path == "":
		return s, whyNoPlace.Fault(nil)
	case !s.hold().IsZero():
		if err := s.SetNote(ctx, noteHeld, ""); err != nil {
			return s, err
		}
		s.mu.Lock()
		s.held = api.Reason{}
		s.mu.Unlock()
		return s, nil
	case s.readOnly.IsZero():
		return s, nil
	}
	if err := prepare(s.path); err != nil {
		return s, err
	}
	if w, err := openWritable(ctx, s.path); err == nil {
		_ = s.Close()
		return w, nil
	} else if !errors.Is(err, errNewer) {
		return s, err
	}
	path := s.path
	if err := s.Close(); err != nil {
		return s, err
	}
	if _, err := keepBeside(path, "newer"); err != nil {
		return s, err
	}
	return Open(ctx, path)
}
