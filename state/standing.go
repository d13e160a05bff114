package state

import (
	"time"

	"darkroom/api"
)

// Standing is how things are with the service and the store right now; it does
// no I/O.
type Standing struct {
	Base       string     // as shown: host and path prefix; "" when not set
	KeyHint    string     // ak_…9f3c, or ""
	KeySource  string     // "environment", "keyring", "session", "demo" or ""
	KeyPending bool       // the keyring has not answered yet
	KeyError   api.Reason // why there is no key
	KeyRefused bool       // the service refused the key; all calls rest
	Online     bool       // the last call had an answer
	Trouble    api.Reason // what is wrong with the service; none when nothing
	RetryAt    time.Time
	ReadOnly   api.Reason // why nothing can be sent; none when it can
	Choice     bool       // ReadOnly can be lifted by ChooseStore
	Damaged    bool       // the store in use is an empty one in place of one that is damaged or cannot be read: it shows no earlier job
	Sending    int        // creates in progress
	Unsaved    int        // accepted jobs that the store could not take yet
	Demo       bool
	Version    int64 // grows with every change
}

// Standing returns how things are now.
func (s *Session) Standing() Standing {
	version := s.changes.number() // first: what is newer than it is reported after it
	h := s.remote.Health()
	st := Standing{
		Base: h.Base, KeyHint: h.KeyHint, KeySource: h.KeySource, KeyPending: h.KeyPending, KeyError: h.KeyError,
		KeyRefused: h.KeyRefused, Online: h.Online, Trouble: h.Trouble, RetryAt: h.RetryAt, Demo: s.o.Demo, Version: version,
	}
	st.ReadOnly, st.Choice, st.Damaged = s.storage.readOnly()
	st.Sending, st.Unsaved = s.submitter.Pending()
	return st
}
