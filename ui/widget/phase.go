package widget

import (
	"cmp"
	"time"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

// Look is how a phase is shown: never by colour alone.
type Look struct {
	Mark string
	Word string // an English format
}

var looks = map[api.Phase]Look{
	api.PhaseHeld:     {"□", "held"},
	api.PhaseIntent:   {"○", "recorded"},
	api.PhaseSending:  {"◌", "sending"},
	api.PhaseQueued:   {"○", "queued"},
	api.PhaseRunning:  {"◐", "running"},
	api.PhaseFetching: {"⇣", "fetching"},
	api.PhaseDone:     {"●", "done"},
	api.PhaseFailed:   {"✕", "failed"},
	api.PhaseRejected: {"✕", "rejected"},
	api.PhaseNotSent:  {"–", "not sent"},
	api.PhaseUnknown:  {"?", "unknown"},
	api.PhaseUnread:   {"?", "unread"},
	api.PhaseExpired:  {"◇", "expired"},
	api.PhaseStale:    {"…", "stale"},
}

func PhaseLook(p api.Phase) Look { return cmp.Or(looks[p], Look{"·", "recorded"}) }

func PhaseStyle(in *theme.Styles, p api.Phase) theme.Style {
	switch p {
	case api.PhaseRunning, api.PhaseSending:
		return in.Run
	case api.PhaseFetching:
		return in.Fetch
	case api.PhaseDone:
		return in.Good
	case api.PhaseUnknown, api.PhaseUnread, api.PhaseExpired, api.PhaseStale, api.PhaseNotSent:
		return in.Warn
	}
	if Broke(p) {
		return in.Bad
	}
	return in.Muted
}

// Broke reports whether a phase is filled where there are grounds.
func Broke(p api.Phase) bool { return p == api.PhaseFailed || p == api.PhaseRejected }

// PhaseText is a phase as its mark and word, painted, or filled if it is Broke.
func PhaseText(k *env.Env, p api.Phase) string {
	if look := PhaseLook(p); Broke(p) && k.Theme.Grounds() {
		return k.Theme.Failed.Paint(" " + look.Mark + " " + k.Say(look.Word) + " ")
	}
	return PhaseLine(k, p)
}

// PhaseLine is a phase as its mark and word, painted and never filled.
func PhaseLine(k *env.Env, p api.Phase) string {
	look := PhaseLook(p)
	return PhaseStyle(&k.Theme.Styles, p).Paint(look.Mark + " " + k.Say(look.Word))
}

func Turning(at time.Time) string { return [...]string{"◐", "◓", "◑", "◒"}[at.Unix()%4] }

var kindWords = map[api.Kind]string{api.KindImage: "image", api.KindVideo: "video", "": "other"}

// KindWord is an English format.
func KindWord(kind api.Kind) string { return cmp.Or(kindWords[kind], kindWords[""]) }

func PhaseWidth(k *env.Env) (wide int) {
	for _, look := range looks {
		wide = max(wide, theme.Width(k.Say(look.Word)))
	}
	return wide
}

// KindWidth is the widest word for a kind: the columns of lists agree.
func KindWidth(k *env.Env) (wide int) {
	for _, word := range kindWords {
		wide = max(wide, theme.Width(k.Say(word)))
	}
	return wide
}

var classWords = map[api.ErrorClass]string{
	api.ClassModeration: "moderation",
	api.ClassCredits:    "not enough credits",
	api.ClassCalls:      "no calls",
	api.ClassKey:        "key refused",
	api.ClassInvalid:    "invalid request",
	api.ClassRate:       "too many",
	api.ClassNetwork:    "no connection",
	api.ClassServer:     "service error",
}

func ClassWords(k *env.Env, class api.ErrorClass) string {
	return k.SayIf(classWords[class] != "", classWords[class])
}
