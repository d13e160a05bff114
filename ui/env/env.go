package env

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// Env is what every screen and overlay is handed. App fills it and alone
// changes it, always within Update; commands must copy what they need of it
// into locals before they run.
type Env struct {
	Context context.Context // ends with the program; every command waits on it
	Words   *words.Words
	Theme   *theme.Theme
	Clock   func() time.Time // for commands only
	Getenv  func(string) string
	Home    string // the home folder, written ~
	// Painter draws result files; nil draws none.
	Painter Painter
	Mode    picture.Mode
	Cell    picture.Cell // of the terminal
	Back    color.RGBA   // of the terminal
	Tmux    bool

	// What the last messages told; reading them costs nothing.
	At       time.Time // the time as of the last tick or change
	Health   state.Health
	Settings state.Settings
	Today    state.Spent
	Active   int // jobs in an active phase
	All      int // jobs there are
	Unseen   int // results that nobody looked at yet
	Focused  bool
}

// Say is the screens' short way to a sentence.
func (k *Env) Say(format string, args ...any) string { return k.Words.Say(format, args...) }

// SayIf is a sentence when it is true, else "": why an action cannot be done.
func (k *Env) SayIf(is bool, sentence string) string {
	if is {
		return k.Words.Say(sentence)
	}
	return ""
}

// Count says one for a number of 1 and many otherwise; both take the number as
// a text, with its thousands apart.
func (k *Env) Count(n int, one, many string) string {
	if n == 1 {
		return k.Say(one, Thousands(n))
	}
	return k.Say(many, Thousands(n))
}

// Key is the key of an action as a sentence names it: the one that was set, or
// the default one.
func (k *Env) Key(action, byDefault string) string {
	if keys := k.Settings.Keys[action]; len(keys) > 0 {
		return keys[0]
	}
	return byDefault
}

// Pause waits for d or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Painter turns a result file into lines of cells; *picture.Loader is one. It
// runs in commands.
type Painter interface {
	Load(ctx context.Context, path string, cols, rows int, on picture.Terminal) (picture.Picture, error)
}

// Terminal is what pictures are drawn for now.
func (k *Env) Terminal() picture.Terminal {
	return picture.Terminal{Mode: k.Mode, Profile: k.Theme.Colours, Cell: k.Cell, Back: k.Back}
}

// Erase makes the terminal forget an image that is in view no more.
func (k *Env) Erase(id int) tea.Cmd {
	if id == 0 {
		return nil
	}
	return tea.Raw(picture.Erase(id, k.Tmux))
}

// Sentence says an error so that it can stand on a line: cleaned, one line,
// translated where it is one of ours.
func Sentence(k *Env, err error) string {
	var refusal *state.Refusal
	if errors.As(err, &refusal) && len(refusal.Problems) > 0 {
		return k.Problem(refusal.Problems[0])
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok && strings.Contains(err.Error(), "\n") {
		var all []string
		for _, one := range several.Unwrap() {
			all = append(all, Sentence(k, one))
		}
		return strings.Join(all, " ")
	}
	var e interface {
		error
		Why() api.Reason
	}
	if errors.As(err, &e) && e.Error() == err.Error() { // nothing is said around it
		err = e
	}
	return AsSentence(strings.Join(strings.Fields(k.Words.Error(err)), " "))
}

// AsSentence gives an error's words a capital and a full stop.
func AsSentence(s string) string {
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

// Problem says a problem in this language.
func (k *Env) Problem(p api.Problem) string { return k.Words.Problem(p) }

// Reason says why something failed as a sentence.
func (k *Env) Reason(r api.Reason) string { return AsSentence(k.Words.Reason(r)) }

// Seconds writes how long a call took.
func (k *Env) Seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return k.Say("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return k.Say("%.1f s", d.Seconds())
	}
	return Short(d)
}

// Ago is how old a figure is at least: seconds while it is new, then when it
// was. Later seconds are not counted one by one: each would cost a frame, and
// with it every line that has a wide character.
func (k *Env) Ago(at time.Time) string {
	d := k.At.Sub(at)
	if d >= FreshFor {
		return k.Say("at %s", k.Stamp(at))
	}
	seconds := max(int(d/time.Second), 0)
	for _, step := range []int{30, 15, 5} {
		if seconds >= step {
			seconds = step
			break
		}
	}
	return k.Say("%d s ago", seconds)
}

// Amount writes credits with thousands apart: "1,240", "12.5".
func Amount(c api.Credits) string {
	s := c.String()
	whole, part, dotted := strings.Cut(s, ".")
	if whole = words.Apart(whole); dotted {
		return whole + "." + part
	}
	return whole
}

func Thousands(n int) string { return Amount(api.Credits(n) * api.Credit) }

// Shortly says an error in one line for a pane.
func Shortly(k *Env, err error) string {
	var e *api.Error
	if errors.As(err, &e) && e.Class == api.ClassNetwork {
		return k.Say("the service does not answer")
	}
	return Sentence(k, err)
}

// Look is what every drawing depends on besides its content. It is a part of
// the keys of memos.
type Look struct {
	Theme *theme.Theme
	Words *words.Words
	day   int // times of today are written without their date
}

// Look is the look of now.
func (k *Env) Look() Look { return Look{k.Theme, k.Words, k.At.Year()*1000 + k.At.YearDay()} }

// Fresh reports whether a figure of the service is new enough to agree to.
func Fresh(e api.Estimate, now time.Time) bool {
	return e.Source == api.SourceService && now.Sub(e.At) < FreshFor
}

// Figure is an estimate in words: the amount, and where it comes from.
func (k *Env) Figure(e api.Estimate) (amount, source string) {
	switch e.Source {
	case api.SourceService:
		source = "✓ " + k.Say("quoted %s", k.Ago(e.At))
	case api.SourceTable:
		source = "≈ " + k.Say("table")
	default:
		return k.Say("no price"), ""
	}
	return k.Say("%s credits", Amount(e.Credits)), source
}

// Later sends a message after a while.
func Later(ctx context.Context, wait time.Duration, message tea.Msg) tea.Cmd {
	return func() tea.Msg {
		Pause(ctx, wait)
		return message
	}
}

// Short writes a length of time as people read it off a clock: "0:08",
// "12:31", "3:04:10".
func Short(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Span writes a length of time in its largest unit: "40 s", "3 min", "2 h",
// "5 d".
func (k *Env) Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return k.Say("%d s", max(int(d/time.Second), 0))
	case d < time.Hour:
		return k.Say("%d min", int(d/time.Minute))
	case d < 48*time.Hour:
		return k.Say("%d h", int(d/time.Hour))
	}
	return k.Say("%d d", int(d/(24*time.Hour)))
}

// Stamp writes a moment: the time of day today, else the date as well.
func (k *Env) Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(k.At.Location())
	y, m, d := k.At.Date()
	if ty, tm, td := t.Date(); ty == y && tm == m && td == d {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// FreshFor is how long the figure of an estimate is shown without its age and
// agreed to without asking again.
const FreshFor = 60 * time.Second
