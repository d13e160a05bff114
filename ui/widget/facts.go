package widget

import (
	"cmp"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

// Facts gathers lines of at most Width cells.
type Facts struct {
	Width int
	Theme *theme.Theme
	Lines []string
}

func (f *Facts) Painted(s string) { f.Lines = append(f.Lines, ansi.Truncate(s, f.Width, "…")) }

func (f *Facts) Add(lines ...string) { f.Lines = append(f.Lines, lines...) }

// Gap adds a blank line, unless there is one already or nothing stands above it.
func (f *Facts) Gap() {
	if n := len(f.Lines); n > 0 && f.Lines[n-1] != "" {
		f.Lines = append(f.Lines, "")
	}
}

// Wrapped adds a text in a style, in as many lines as it takes; "" adds none.
func (f *Facts) Wrapped(style theme.Style, s string) {
	if s != "" {
		f.Lines = append(f.Lines, api.Map(Wrap(s, f.Width), style.Paint)...)
	}
}

// Muted is a text alone, in lines of at most w cells.
func Muted(k *env.Env, text string, w int) []string {
	f := Facts{Width: w}
	f.Wrapped(k.Theme.Muted, text)
	return f.Lines
}

// Joined writes parts with dots between them; a part stays whole.
func (f *Facts) Joined(style theme.Style, parts []string) {
	line := ""
	for _, part := range parts {
		if longer := line + " · " + part; line != "" && theme.Width(longer) <= f.Width {
			line = longer
		} else {
			f.Wrapped(style, line)
			line = part
		}
	}
	f.Wrapped(style, line)
}

// Tilde is a path as it is shown: below the home folder it begins with ~.
func Tilde(path, home string) string {
	if home != "" && strings.HasPrefix(path, home+"/") {
		path = "~" + path[len(home):]
	}
	return api.Clean(path, api.MaxAddressText).String()
}

// RequestFacts are the parts of a request but its texts and addresses.
func RequestFacts(k *env.Env, r api.Request) []string {
	parts := r.Said(k.Say)
	if n := len(r.ImageFiles) + len(r.VideoFiles) + len(r.AudioFiles); n > 0 {
		parts = append(parts, k.Words.Count(n, "%d material", "%d materials"))
	}
	return parts
}

// GridColumn is a column of a Grid.
type GridColumn struct {
	Width int  // in cells, the gap to the next column included
	Gap   int  // cells of it that wrapped text leaves
	Right bool // aligned to the right
}

// Grid is a table that is read: painted cells in columns of fixed widths.
type Grid struct {
	Columns []GridColumn
	Head    []string // painted; empty for no heading
	Rows    [][]string
	Wrap    bool // a long cell is written on several lines; else it is cut
}

// Lines draws the grid, each line as wide as the columns together.
func (g Grid) Lines() []string {
	styles := make([]lipgloss.Style, len(g.Columns))
	for i, c := range g.Columns {
		// Inline saves looking for where a line could be broken.
		styles[i] = lipgloss.NewStyle().Width(c.Width).PaddingRight(c.Gap).Inline(!g.Wrap)
		if c.Right {
			styles[i] = styles[i].Align(lipgloss.Right)
		}
	}
	t := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).BorderRow(false).
		Wrap(g.Wrap).
		StyleFunc(func(_, col int) lipgloss.Style { return styles[col] }).
		Headers(g.Head...).
		Rows(g.Rows...)
	return strings.Split(t.String(), "\n")
}

// Look is how a phase is shown: never by colour alone.
type Look struct {
	Mark string
	Word string // an English format
	ink  int    // the number of its style
}

// The numbers of styles, as PhaseStyle has them.
const quiet, moves, comes, good, doubtful, broken = 0, 1, 2, 3, 4, 5

var looks = map[api.Phase]Look{
	api.PhaseHeld:     {"□", "held", quiet},
	api.PhaseIntent:   {"○", "recorded", quiet},
	api.PhaseSending:  {"◌", "sending", moves},
	api.PhaseQueued:   {"○", "queued", quiet},
	api.PhaseRunning:  {"◐", "running", moves},
	api.PhaseFetching: {"⇣", "fetching", comes},
	api.PhaseDone:     {"●", "done", good},
	api.PhaseFailed:   {"✕", "failed", broken},
	api.PhaseRejected: {"✕", "rejected", broken},
	api.PhaseNotSent:  {"–", "not sent", doubtful},
	api.PhaseUnknown:  {"?", "unknown", doubtful},
	api.PhaseUnread:   {"?", "unread", doubtful},
	api.PhaseExpired:  {"◇", "expired", doubtful},
	api.PhaseStale:    {"…", "stale", doubtful},
}

func PhaseLook(p api.Phase) Look { return cmp.Or(looks[p], Look{"·", "recorded", quiet}) }

func PhaseStyle(in *theme.Styles, p api.Phase) theme.Style {
	return [...]theme.Style{in.Muted, in.Run, in.Fetch, in.Good, in.Warn, in.Bad}[PhaseLook(p).ink]
}

// Broke reports whether a phase is filled where there are grounds.
func Broke(p api.Phase) bool { return looks[p].ink == broken }

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
