package state

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

var errClosed = errors.New("the session is closed")

// Standing is how things are with the service and the store right now; it does
// no I/O.
type Standing struct {
	Base       string // as shown: host and path prefix; "" when not set
	KeyHint    string // ak_…9f3c, or ""
	KeySource  string // "environment", "keyring", "session", "demo" or ""
	KeyPending bool   // the keyring has not answered yet
	KeyError   string // why there is no key, in words
	KeyRefused bool   // the service refused the key; all calls rest
	Online     bool   // the last call had an answer
	Trouble    string // what is wrong with the service, in words; "" when nothing
	RetryAt    time.Time
	ReadOnly   string // why nothing can be sent, in words; "" when it can
	Choice     bool   // ReadOnly can be lifted by ChooseStore
	Damaged    bool   // the store in use is a new one in place of a damaged one: it shows no earlier job
	Sending    int    // creates in progress
	Unsaved    int    // accepted jobs that the store could not take yet
	Demo       bool
	Version    int64 // grows with every change
}

// Standing returns how things are now.
func (s *Session) Standing() Standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing
}

// change applies f to the Standing and tells it.
func (s *Session) change(f func(*Standing)) {
	s.mu.Lock()
	before := s.standing
	f(&s.standing)
	same := s.standing == before
	if !same {
		s.standing.Version++
	}
	s.mu.Unlock()
	if !same {
		s.news.tell()
	}
}

// readHealth takes over what the store says about itself.
func (s *Session) readHealth() {
	h := s.store().Health()
	s.change(func(st *Standing) {
		st.ReadOnly = h.ReadOnly
		if st.ReadOnly == "" {
			st.ReadOnly = h.Held
		}
		st.Choice, st.Damaged = h.Choice, h.Held != ""
	})
}

func (s *Session) setReadOnly(why string) {
	s.change(func(st *Standing) {
		if st.ReadOnly == "" {
			st.ReadOnly = why
		}
	})
}

// ChooseStore is the person's decision to go on with a new store in place of a
// damaged or newer one, whose file is kept.
func (s *Session) ChooseStore(ctx context.Context) error {
	file, err := s.store().Choose(ctx)
	s.mu.Lock()
	s.file = file
	s.mu.Unlock()
	s.readHealth()
	if err == nil {
		s.join(ctx)
	}
	return err
}

// saw takes the outcome of a call into the Standing. err is nil after an
// answer that was what was asked for.
func (s *Session) saw(l *link, err error) {
	var e *api.Error
	if !errors.As(err, &e) {
		if err == nil {
			s.change(func(st *Standing) { st.Online, st.Trouble, st.RetryAt = true, "", time.Time{} })
		}
		return
	}
	refused := keyRefused(e)
	s.mu.Lock()
	current := s.link == l
	s.mu.Unlock()
	if refused && !current {
		return // the refusal of a key that was replaced meanwhile
	}
	s.change(func(st *Standing) {
		st.Online = e.Class != api.ClassNetwork
		switch {
		case refused:
			st.KeyRefused, st.Trouble = true, ErrKeyRefused.Error()
		case e.Class == api.ClassNetwork, e.Class == api.ClassRate, e.Class == api.ClassServer, e.Class == api.ClassUnreadable:
			st.Trouble = e.Error()
		default:
			st.Trouble = "" // an answer about one request, not about the service
		}
	})
}

// keyRefused reports whether every call would be refused from now on.
func keyRefused(e *api.Error) bool {
	switch e.Class {
	case api.ClassKey:
		return e.Status != 0
	case api.ClassCredits, api.ClassModeration, api.ClassRate:
		return false
	}
	return e.Status == 401 || e.Status == 403
}

// storeError gives a store's error in the words of this room.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrMissing):
		return ErrNoJob
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, store.ErrHeld):
		return ErrReadOnly
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	var several *store.AmbiguousError
	if errors.As(err, &several) {
		return err
	}
	return &storeTrouble{err}
}

// storeTrouble says a store's failure in words.
type storeTrouble struct{ cause error }

func (e *storeTrouble) Error() string { return store.Words(e.cause) }
func (e *storeTrouble) Unwrap() error { return e.cause }
