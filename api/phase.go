package api

// Phase is darkroom's own word for where a job stands. The service's word is
// its status.
type Phase string

// The phases of a job, in the order in which it may pass through them.
const (
	PhaseHeld     Phase = "held"     // agreed to, waits for its turn to be recorded and sent
	PhaseIntent   Phase = "intent"   // recorded, nothing sent yet
	PhaseSending  Phase = "sending"  // the one POST is on its way
	PhaseQueued   Phase = "queued"   // accepted, the service has an id for it
	PhaseRunning  Phase = "running"  // the service works on it
	PhaseFetching Phase = "fetching" // finished there, files on their way here
	PhaseDone     Phase = "done"
	PhaseFailed   Phase = "failed"   // the service says so, or nothing could be fetched
	PhaseRejected Phase = "rejected" // proven not processed
	PhaseNotSent  Phase = "not_sent" // proven that no byte left
	PhaseUnknown  Phase = "unknown"  // may have been accepted and charged
	PhaseUnread   Phase = "unread"   // accepted, but no id could be read
	PhaseExpired  Phase = "expired"  // finished, but its result links are gone
	PhaseStale    Phase = "stale"    // no end seen within seven days
)

// Ended reports whether nothing more happens to a job in this phase by itself.
func (p Phase) Ended() bool {
	switch p {
	case PhaseDone, PhaseFailed, PhaseRejected, PhaseNotSent, PhaseExpired, PhaseStale:
		return true
	}
	return false
}

// Active reports whether a job in this phase is expected to change by itself.
func (p Phase) Active() bool {
	switch p {
	case PhaseIntent, PhaseSending, PhaseQueued, PhaseRunning, PhaseFetching:
		return true
	}
	return false
}

// Spent reports whether a job in this phase counts towards the credits spent.
// Unknown and unread jobs count: they may have been charged.
func (p Phase) Spent() bool {
	switch p {
	case PhaseRejected, PhaseNotSent, PhaseIntent, PhaseFailed, PhaseHeld:
		return false
	}
	return true
}

// ProvesRefusal reports whether a status proves that the request was not
// processed. 408, 409, 425 do not, nor does any status outside the table.
func ProvesRefusal(status int) bool {
	switch status {
	case 400, 401, 402, 403, 404, 405, 413, 414, 415, 422:
		return true
	}
	return false
}
