package widget

import (
	"time"

	"charm.land/bubbles/v2/spinner"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

var phases = [...]api.Phase{
	api.PhaseHeld, api.PhaseIntent, api.PhaseSending, api.PhaseQueued, api.PhaseRunning, api.PhaseFetching, api.PhaseDone, api.PhaseFailed,
	api.PhaseRejected, api.PhaseNotSent, api.PhaseUnknown, api.PhaseUnread, api.PhaseExpired, api.PhaseStale,
}

// Look is how a phase is shown: never by colour alone.
type Look struct {
	Mark string
	Word string // an English format
}

// PhaseLook gives a phase's mark and word.
func PhaseLook(p api.Phase) Look {
	switch p {
	case api.PhaseHeld:
		return Look{"□", "held"}
	case api.PhaseIntent:
		return Look{"○", "recorded"}
	case api.PhaseSending:
		return Look{"◌", "sending"}
	case api.PhaseQueued:
		return Look{"○", "queued"}
	case api.PhaseRunning:
		return Look{"◐", "running"}
	case api.PhaseFetching:
		return Look{"⇣", "fetching"}
	case api.PhaseDone:
		return Look{"●", "done"}
	case api.PhaseFailed:
		return Look{"✕", "failed"}
	case api.PhaseRejected:
		return Look{"✕", "rejected"}
	case api.PhaseNotSent:
		return Look{"–", "not sent"}
	case api.PhaseUnknown:
		return Look{"?", "unknown"}
	case api.PhaseUnread:
		return Look{"?", "unread"}
	case api.PhaseExpired:
		return Look{"◇", "expired"}
	case api.PhaseStale:
		return Look{"…", "stale"}
	}
	return Look{"·", "recorded"}
}

// PhaseStyle is the colour that goes with it.
func PhaseStyle(in *theme.Styles, p api.Phase) theme.Style {
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

// Spinner is what turns beside a job that is running: the mark of its phase, one
// frame a second, which is the pace of App's clock.
var Spinner = spinner.Spinner{Frames: []string{"◐", "◓", "◑", "◒"}, FPS: time.Second}

// Spin are the frames of Spinner.
var Spin = Spinner.Frames

// KindWord is an English format.
func KindWord(kind api.Kind) string {
	switch kind {
	case api.KindImage:
		return "image"
	case api.KindVideo:
		return "video"
	}
	return "other"
}

// PhaseWidth is the widest word for a phase in this language.
func PhaseWidth(k *env.Env) int {
	wide := 0
	for _, p := range phases {
		wide = max(wide, theme.Width(k.Say(PhaseLook(p).Word)))
	}
	return wide
}

// KindWidth is the widest word for a kind in this language: the columns of lists
// agree, whatever is in view.
func KindWidth(k *env.Env) int {
	wide := 0
	for _, kind := range []api.Kind{api.KindImage, api.KindVideo, ""} {
		wide = max(wide, theme.Width(k.Say(KindWord(kind))))
	}
	return wide
}

// ClassWords says in two words what went wrong; "" when the class tells nothing.
func ClassWords(k *env.Env, class api.ErrorClass) string {
	switch class {
	case api.ClassModeration:
		return k.Say("moderation")
	case api.ClassCredits:
		return k.Say("no credits")
	case api.ClassKey:
		return k.Say("key refused")
	case api.ClassInvalid:
		return k.Say("invalid request")
	case api.ClassRate:
		return k.Say("too many")
	case api.ClassNetwork:
		return k.Say("no connection")
	case api.ClassServer:
		return k.Say("service error")
	}
	return ""
}
