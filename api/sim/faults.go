package sim

import "darkroom/api/sim/fault"

// Fault makes calls of an endpoint misbehave; see the fault package. The
// Server's Ledger says whether a create was accepted all the same.
type Fault = fault.Fault

// ParseFault reads a fault as the command line writes it.
func ParseFault(text string) (Fault, error) { return fault.Parse(text) }

// FaultNames are the faults as they are written down, with what each does.
func FaultNames() [][2]string { return fault.Names() }

// AddFault adds a fault while the server runs. It panics when there is no such
// kind of fault, for only tests write one down.
func (s *Server) AddFault(f Fault) {
	if err := s.faults.Add(f); err != nil {
		panic(err)
	}
}

// ClearFaults takes all faults away.
func (s *Server) ClearFaults() { s.faults.Clear() }
