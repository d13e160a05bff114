package ui

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// kit is what every screen and overlay is handed. App fills it and alone
// changes it, always within Update; commands must copy what they need of it
// into locals before they run.
type kit struct {
	ctx   context.Context // ends with the program; every command waits on it
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

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// painter turns a result file into lines of cells; *picture.Loader is one. It
// runs in commands.
type painter interface {
	Load(ctx context.Context, path string, cols, rows int, mode picture.Mode, profile colorprofile.Profile) (picture.Picture, error)
}

// erase makes the terminal forget an image that is in view no more.
func (k *kit) erase(id int) tea.Cmd {
	if id == 0 {
		return nil
	}
	return tea.Raw(picture.Erase(id, k.tmux))
}

// sentence says an error so that it can stand on a line: cleaned, one line,
// translated where it is one of ours.
func sentence(k *kit, err error) string {
	var refusal *state.Refusal
	if errors.As(err, &refusal) && len(refusal.Problems) > 0 {
		return k.problem(refusal.Problems[0])
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok && strings.Contains(err.Error(), "\n") {
		var all []string
		for _, one := range several.Unwrap() {
			all = append(all, sentence(k, one))
		}
		return strings.Join(all, " ")
	}
	text := api.CleanLines(err.Error(), api.MaxErrorText).String()
	text = strings.Join(strings.Fields(text), " ")
	return asSentence(k.translate(text))
}

// asSentence gives an error's words a capital and a full stop.
func asSentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	s = string(unicode.ToUpper(r)) + s[n:]
	switch last, _ := utf8.DecodeLastRuneInString(s); last {
	case '.', '?', '。', '？', ':', '…':
		return s
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r > 0x2e80 && r < 0xfff0 }) {
		return s + "。"
	}
	return s + "."
}

// problem says a problem in this language.
func (k *kit) problem(p api.Problem) string { return k.say(p.Format, p.Args...) }

// reason says why something failed as a sentence.
func (k *kit) reason(s string) string { return asSentence(k.translate(s)) }

// seconds writes how long a call took.
func (k *kit) seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return k.say("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return k.say("%.1f s", d.Seconds())
	}
	return short(d)
}

// ago is how old a figure is: seconds while it is new, then when it was.
func (k *kit) ago(at time.Time) string {
	d := k.at.Sub(at)
	if d >= freshFor {
		return k.say("at %s", k.stamp(at))
	}
	return k.say("%d s ago", max(int(d/time.Second), 0))
}

// amount writes credits with thousands apart: "1,240", "12.5".
func amount(c api.Credits) string {
	s := c.String()
	whole, part, dotted := strings.Cut(s, ".")
	digits := strings.TrimPrefix(whole, "-")
	if len(digits) > 3 {
		var b strings.Builder
		if len(digits) < len(whole) {
			b.WriteByte('-')
		}
		for i, r := range digits {
			if i > 0 && (len(digits)-i)%3 == 0 {
				b.WriteByte(',')
			}
			b.WriteRune(r)
		}
		whole = b.String()
	}
	if dotted {
		return whole + "." + part
	}
	return whole
}

func thousands(n int) string { return amount(api.Credits(n) * api.Credit) }

// shortly says an error in one line for a pane.
func shortly(k *kit, err error) string {
	var e *api.Error
	if errors.As(err, &e) && e.Class == api.ClassNetwork {
		return k.say("the service does not answer")
	}
	return sentence(k, err)
}
