package ui

import (
	"context"
	"time"

	"darkroom/state"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// kit is what every screen and overlay is handed. App fills it and alone
// changes it, always within Update; commands must copy what they need of it
// into locals before they run.
type kit struct {
	ctx   context.Context // ends with the program; every command waits on it
	door  door
	words *words.Words
	theme *theme.Theme
	clock func() time.Time // for commands only
	env   func(string) string
	home  string // the home folder, written ~
	// painter draws result files; nil draws none.
	painter painter
	mode    picture.Mode
	tmux    bool

	// What the last messages told; reading them costs nothing.
	at       time.Time // the time as of the last tick or change
	standing state.Standing
	settings state.Settings
	today    state.Spent
	active   int // jobs in an active phase
	all      int // jobs there are
	focused  bool
}

// say is the screens' short way to a sentence.
func (k *kit) say(format string, args ...any) string { return k.words.Say(format, args...) }

// translate says a whole sentence that came from below in this language, when
// it is one of ours; else as it is.
func (k *kit) translate(sentence string) string {
	if sentence == "" {
		return ""
	}
	return k.words.Look(sentence)
}
