package state

import (
	"sync"

	"darkroom/api"
	"darkroom/state/store"
)

// storage is the open store, and whether it can be written.
type storage struct {
	mu   sync.Mutex
	file *store.Store
	why  api.Reason // nothing is written although the store could be
}

// current is the store to use now. Rooms ask for it at each use.
func (st *storage) current() *store.Store {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.file
}

// replace goes on with another store.
func (st *storage) replace(file *store.Store) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.file, st.why = file, api.Reason{}
}

// forbid says why nothing is written although the store could be.
func (st *storage) forbid(why api.Reason) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.why = why
}

// health is how the store is; its ReadOnly says why nothing can be sent.
func (st *storage) health() store.Health {
	st.mu.Lock()
	defer st.mu.Unlock()
	h := st.file.Health()
	for _, why := range []api.Reason{h.Held, st.why} {
		if h.ReadOnly.IsZero() {
			h.ReadOnly = why
		}
	}
	return h
}

// explained is an answer of the store, with its error as people read it.
func explained[T any](answer T, err error) (T, error) { return answer, store.Explain(err) }
