package ui

import (
	"darkroom/api"
	"darkroom/ui/theme"
)

// phases are all there are.
var phases = [...]api.Phase{
	api.PhaseIntent, api.PhaseSending, api.PhaseQueued, api.PhaseRunning, api.PhaseFetching, api.PhaseDone, api.PhaseFailed,
	api.PhaseRejected, api.PhaseNotSent, api.PhaseUnknown, api.PhaseUnread, api.PhaseExpired, api.PhaseStale,
}

// phaseLook is how a phase is shown: never by colour alone.
type phaseLook struct {
	mark string
	word string // an English format
}

// lookOf gives a phase's mark and word.
func lookOf(p api.Phase) phaseLook {
	switch p {
	case api.PhaseIntent:
		return phaseLook{"○", "recorded"}
	case api.PhaseSending:
		return phaseLook{"◌", "sending"}
	case api.PhaseQueued:
		return phaseLook{"○", "queued"}
	case api.PhaseRunning:
		return phaseLook{"◐", "running"}
	case api.PhaseFetching:
		return phaseLook{"⇣", "fetching"}
	case api.PhaseDone:
		return phaseLook{"●", "done"}
	case api.PhaseFailed:
		return phaseLook{"✕", "failed"}
	case api.PhaseRejected:
		return phaseLook{"✕", "rejected"}
	case api.PhaseNotSent:
		return phaseLook{"–", "not sent"}
	case api.PhaseUnknown:
		return phaseLook{"?", "unknown"}
	case api.PhaseUnread:
		return phaseLook{"?", "unread"}
	case api.PhaseExpired:
		return phaseLook{"◇", "expired"}
	case api.PhaseStale:
		return phaseLook{"…", "stale"}
	}
	return phaseLook{"·", "recorded"}
}

// phaseInk is the colour that goes with it.
func phaseInk(in *theme.Inks, p api.Phase) theme.Ink {
	switch p {
	case api.PhaseRunning, api.PhaseSending:
		return in.Run
	case api.PhaseFetching:
		return in.Fetch
	case api.PhaseDone:
		return in.Good
	case api.PhaseFailed, api.PhaseRejected:
		return in.Bad
	case api.PhaseUnknown, api.PhaseUnread:
		return in.Doubt
	case api.PhaseExpired, api.PhaseStale, api.PhaseNotSent:
		return in.Warn
	}
	return in.Wait
}

// spin are the faces of a job under way, one a second.
var spin = [...]string{"◐", "◓", "◑", "◒"}

// kindWord is an English format.
func kindWord(kind api.Kind) string {
	switch kind {
	case api.KindImage:
		return "image"
	case api.KindVideo:
		return "video"
	}
	return "other"
}

// phaseWidth is the widest word for a phase in this language.
func phaseWidth(k *kit) int {
	wide := 0
	for _, p := range phases {
		wide = max(wide, theme.Width(k.say(lookOf(p).word)))
	}
	return wide
}

// kindWidth is the widest word for a kind in this language: the columns of lists
// agree, whatever is in view.
func kindWidth(k *kit) int {
	wide := 0
	for _, kind := range []api.Kind{api.KindImage, api.KindVideo, ""} {
		wide = max(wide, theme.Width(k.say(kindWord(kind))))
	}
	return wide
}
