package env

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// Env is what every screen and overlay is handed. App alone changes it, within
// Update; commands copy what they need of it before they run.
type Env struct {
	*words.Words
	Context context.Context // ends with the program; every command waits on it
	Theme   *theme.Theme
	Clock   func() time.Time // for commands only
	Getenv  func(string) string
	Home    string // the home folder, written ~
	// Painter draws result files; nil draws none.
	Painter          Painter
	picture.Terminal // as it is now; screens draw no contact sheets
	Tmux             bool
	Kitty            bool // the terminal is kitty itself, whose clipboard takes pictures

	// What the last messages told; reading them costs nothing.
	At       time.Time // the time as of the last tick or change
	Health   state.Health
	Settings state.Settings
	Today    state.Spent
	Active   int // jobs in an active phase
	All      int // jobs there are
	Unseen   int // results that nobody looked at yet
	Asked    int // requests of agents that wait
	Focused  bool
	Slow     bool // a terminal far away, which has not answered fast
	// Example draws a prompt into a file, in commands; nil draws none.
	Example func(prompt string) (path string)
	// Now is what App handles before the next message, in this order.
	Now []tea.Msg
	// Lent counts editors that have the terminal, whose ctrl+c is for them; the command that starts one counts it.
	Lent atomic.Int32
}

// Count says one for 1 and many otherwise; both take the number as a text.
func (k *Env) Count(n int, one, many string) string {
	if n == 1 {
		return k.Say(one, Thousands(n))
	}
	return k.Say(many, Thousands(n))
}

// Said are the parts of a line that say something, without the empty ones.
func Said(parts ...string) []string {
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

// Do hands messages to App at once: a key that follows is for what they lead to, however soon
// it comes. Update alone may call it.
func (k *Env) Do(m ...tea.Msg) tea.Cmd {
	k.Now = append(k.Now, m...)
	return nil
}

// Key is the key of an action as a sentence names it.
func (k *Env) Key(action, byDefault string) string {
	if keys := k.Settings.Keys[action]; len(keys) > 0 {
		return keys[0]
	}
	return byDefault
}

func Pause(ctx context.Context, d time.Duration) { state.Sleep(ctx, d) }

// Offers tells, in commands, what the service offers and at which price.
type Offers interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}

// Painter turns a result file into lines of cells, in commands.
type Painter interface {
	Load(ctx context.Context, path string, cols, rows int, on picture.Terminal) (picture.Picture, error)
	Frames() bool // it can draw those of videos
}

// Moves reports whether anything may move on the screen.
func (k *Env) Moves() bool {
	return k.Settings.Motion && !k.Slow && k.Getenv("NO_MOTION") == ""
}

// Sentence says an error so that it can stand on a line.
func Sentence(k *Env, err error) string {
	if refusal, ok := errors.AsType[*state.Refusal](err); ok && len(refusal.Problems) > 0 {
		return k.Words.Problem(refusal.Problems[0])
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok && strings.Contains(err.Error(), "\n") {
		return strings.Join(api.Map(several.Unwrap(), func(one error) string { return Sentence(k, one) }), " ")
	}
	type reasoned interface {
		error
		Why() api.Reason
	}
	if e, ok := errors.AsType[reasoned](err); ok && e.Error() == err.Error() { // nothing is said around it
		err = e
	}
	return AsSentence(strings.Join(strings.Fields(k.Words.Error(err)), " "))
}

// Capital is a text that begins with a capital letter.
func Capital(s string) string { return words.Capital(s) }

// AsSentence is a text with a capital at its beginning and a full stop at its end.
func AsSentence(s string) string {
	if s = Capital(s); s == "" {
		return s
	}
	if last, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune(".?。？:…", last) {
		return s
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r > 0x2e80 && r < 0xfff0 }) {
		return s + "。"
	}
	return s + "."
}

func (k *Env) Reason(r api.Reason) string { return AsSentence(k.Words.Reason(r)) }

// Seconds is a short time, with a decimal up to ten seconds.
func (k *Env) Seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return k.Say("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return k.Say("%.1f s", d.Seconds())
	}
	return Short(d)
}

// Ago is how old a figure is, in steps: each other second would cost a frame, and
// with it every line that has a wide character.
func (k *Env) Ago(at time.Time) string {
	d, _ := api.Estimate{At: at}.Age(k.At)
	if d >= api.FreshFor {
		return k.Say("at %s", k.Stamp(at))
	}
	for _, step := range []time.Duration{30, 15, 5} {
		if d >= step*time.Second {
			return k.Say("%d s ago", step)
		}
	}
	return k.Say("just now")
}

// Thousands writes a number: "1,240".
func Thousands(n int) string { return (api.Credits(n) * api.Credit).String() }

// Signed puts a sign before a number.
func Signed(number string) string {
	if less, ok := strings.CutPrefix(number, "-"); ok {
		return "−" + less
	}
	return "+" + number
}

// Change is how a price differs from another, in per cent.
func Change(from, to api.Credits) string {
	return Signed(Thousands(int(math.Round(100*float64(to)/float64(max(from, 1))-100)))) + " %"
}

// Shortly says an error in one line for a pane.
func Shortly(k *Env, err error) string {
	if e, ok := errors.AsType[*api.Error](err); ok && e.Class == api.ClassNetwork {
		return k.Say("the service does not answer")
	}
	return Sentence(k, err)
}

// Look is what every drawing depends on besides its content, for keys of memos.
type Look struct {
	Theme *theme.Theme
	Words *words.Words
	day   int // times of today are written without their date
}

func (k *Env) Look() Look { return Look{k.Theme, k.Words, k.At.Year()*1000 + k.At.YearDay()} }

// Fresh reports whether a figure of the service is new enough to agree to.
func Fresh(e api.Estimate, now time.Time) bool {
	return e.Source == api.SourceService && e.Fresh(now)
}

// Figure is an estimate in words: the amount, and where it comes from.
func (k *Env) Figure(e api.Estimate) (amount, source string) {
	switch e.Source {
	case api.SourceService:
		source = "✓ " + k.Say("quoted %s", k.Ago(e.At))
	case api.SourceTable:
		source = "≈ " + k.Say("from the price list")
	default:
		return k.Say("no price"), ""
	}
	return k.Say("%s credits", e.Credits.String()), source
}

// Later sends a message after a while, or when the context ends.
func Later(ctx context.Context, wait time.Duration, message tea.Msg) tea.Cmd {
	return func() tea.Msg {
		Pause(ctx, wait)
		return message
	}
}

// Short writes a length of time as a clock does: "0:08", "3:04:10".
func Short(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Span writes a length of time in its largest unit: "40 s", "3 min".
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

// Lasted writes how long something took: "2 s", "1 min 42 s".
func (k *Env) Lasted(d time.Duration) string {
	if d < time.Minute || d >= time.Hour {
		return k.Span(d)
	}
	return k.Span(d) + " " + k.Span(d%time.Minute)
}

// SpanStays is for how long Span says the same of a time that runs out.
func SpanStays(d time.Duration) time.Duration {
	unit := time.Second
	for _, next := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour} {
		if d >= next && (next <= time.Hour || d >= 2*next) {
			unit = next
		}
	}
	return d%unit + time.Millisecond
}

// Stamp writes a moment: the time of day today, else the date as well.
func (k *Env) Stamp(t time.Time) string {
	if t = t.In(k.At.Location()); t.Format(time.DateOnly) == k.At.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// When is a time as Stamp says it, or of yesterday, for what stands alone.
func (k *Env) When(t time.Time) string {
	if t = t.In(k.At.Location()); t.Format(time.DateOnly) == k.At.AddDate(0, 0, -1).Format(time.DateOnly) {
		return k.Say("yesterday %s", t.Format("15:04"))
	}
	return k.Stamp(t)
}

// TodayLine is what today, or the month, costs before something is sent and after it, how much of
// that is uncertain, and what is left then.
func (k *Env) TodayLine(before api.Credits, after state.Spent) (said, unsure, leaves string) {
	spent, was := after.Credits.Plus(after.Possibly), before.Plus(after.Possibly).String()
	said = [...]string{k.Say("today %s", was), k.Say("this month %s", was)}[after.Period]
	if after.Credits > before {
		said += " → " + spent.String()
	}
	if after.Budget == api.BudgetUnreadable {
		said += k.Say(", budget unreadable")
	} else if after.Budget > 0 {
		said = k.Say("%s of %s", said, after.Budget.String())
	}
	unsure = k.SayIf(after.Possibly > 0, "%s of it uncertain", after.Possibly.String())
	switch left := after.Budget - spent; {
	case after.Budget <= api.BudgetUnreadable:
	case left < 0:
		leaves = k.Say("%s over the budget", (-left).String())
	default:
		leaves = k.Say("leaves %s", left.String())
	}
	return said, unsure, leaves
}
