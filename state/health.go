package state

import (
	"darkroom/api"
	"darkroom/state/remote"
)

// Health is how things are with the service and the store right now; it does
// no I/O.
type Health struct {
	remote.Health
	ReadOnly api.Reason // why nothing can be sent; none when it can
	Choice   bool       // ReadOnly can be lifted by ChooseStore
	Damaged  bool       // the store in use is an empty one in place of one that is damaged or cannot be read: it shows no earlier job
	Sending  int        // creates in progress
	Unsaved  int        // accepted jobs that the store could not take yet
	Demo     bool
	Version  int64 // grows with every change
}

// Health returns how things are now.
func (s *Session) Health() Health {
	version := s.changes.number() // first: what is newer than it is reported after it
	h := Health{Health: s.remote.Health(), Demo: s.o.Demo, Version: version}
	h.ReadOnly, h.Choice, h.Damaged = s.storage.readOnly()
	h.Sending, h.Unsaved = s.submitter.Pending()
	return h
}
