package jobs

import "darkroom/api"

// The functions below say why an action cannot be done with the selected job
// now; "" is that it can. They look at the row, so that they are true right
// after a move too.

func (s *Screen) whyNotRefreshed() string {
	r := s.list.row(s.list.at)
	if r != nil && r.RemoteID != "" && (r.Phase.Active() || r.Phase == api.PhaseStale || r.Phase == api.PhaseExpired) {
		return ""
	}
	return s.k.Say("This job has ended; there is nothing to ask for.")
}
