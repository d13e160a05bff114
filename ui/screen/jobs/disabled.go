package jobs

import "darkroom/api"

// The functions below say why an action cannot be done with the selected job
// now; "" is that it can. They look at the row, so that they are true right
// after a move too.

func (s *Screen) whyNoJob() string {
	if s.list.selected() == "" {
		return s.k.Say("No job is selected.")
	}
	return ""
}

func (s *Screen) whyNotUnknown() string {
	if r := s.list.row(s.list.at); r == nil || !outcomeUnknown(r) {
		return s.k.Say("Only for jobs whose outcome is unknown.")
	}
	return ""
}

func (s *Screen) whyNotResent() string {
	if r := s.list.row(s.list.at); r != nil {
		switch r.Phase {
		case api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected, api.PhaseIntent:
			return ""
		}
	}
	return s.k.Say("Only for jobs that were not accepted. Press e to edit and send this one again.")
}

func (s *Screen) whyNotFetched() string {
	r := s.list.row(s.list.at)
	if r != nil && (r.Phase == api.PhaseExpired || r.Phase == api.PhaseFailed && r.RemoteID != "" || r.Phase == api.PhaseDone && r.Files == 0) {
		return ""
	}
	return s.k.Say("There is nothing to fetch again.")
}

func (s *Screen) whyNoFile() string {
	if r := s.list.row(s.list.at); r == nil || r.Files == 0 {
		return s.k.Say("This job has no file yet.")
	}
	return ""
}

// whyNoAddress knows the addresses of the job in the side pane; of another one
// it knows the phases that have some.
func (s *Screen) whyNoAddress() string {
	r := s.list.row(s.list.at)
	switch {
	case r == nil:
	case s.detail.loaded && s.detail.id == r.ID:
		if address(&s.detail.job, s.detail.file) != "" {
			return ""
		}
	case r.Files > 0 || r.Phase == api.PhaseDone || r.Phase == api.PhaseFetching:
		return ""
	}
	return s.k.Say("This job has no address yet.")
}

func (s *Screen) whyNotRefreshed() string {
	r := s.list.row(s.list.at)
	if r != nil && r.RemoteID != "" && (r.Phase.Active() || r.Phase == api.PhaseStale || r.Phase == api.PhaseExpired) {
		return ""
	}
	return s.k.Say("This job has ended; there is nothing to ask for.")
}

func (s *Screen) whyOneFile() string {
	if r := s.list.row(s.list.at); r != nil && r.Files > 1 {
		return ""
	}
	return s.k.Say("This job has one file at most.")
}
