package widget

import (
	"cmp"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

// ButtonHeight is how many rows a button has.
const ButtonHeight = 3

// Block is lines on a ground of their own, w cells wide, with half a row of it above and
// below.
func Block(t *theme.Theme, ground theme.Ground, w int, lines ...string) []string {
	out := make([]string, len(lines)+2)
	for i, l := range lines {
		out[i+1] = ground.Lay(l + theme.Blank(w-theme.Width(l)))
	}
	if t.Grounds() {
		out[0], out[len(out)-1] = ground.Edge(t.Panel, w), t.Panel.Edge(ground, w)
	}
	return out
}

// Button is the one button of a screen, w cells wide: filled, or on the ground of elements
// while it is off and says what is missing. Without grounds it is a line in brackets, in reverse video.
func Button(t *theme.Theme, words, key string, w int, off bool) []string {
	ground, style := t.Filled, t.Button
	if off {
		ground, style = t.Element, t.Muted
	}
	words = theme.Cut(strings.TrimSpace(words+keyGap+key), w-2)
	left := max(w-theme.Width(words), 0) / 2
	words = theme.Blank(left) + theme.Fit(words, w-left)
	if n := len(words); n > 2 && !t.Grounds() {
		words = "[" + words[1:n-1] + "]"
	}
	return Block(t, ground, w, style.Paint(words))
}

// Keys are the last lines of a dialog: its one button, if there are words for it, with the
// other keys beside or below, or the keys alone. What stands here is not in the footer.
type Keys struct {
	K     *env.Env
	Table []action.Action
	Words string // of the button, which does the first action
	// Second are the words of a quiet button, if there is one: it does the second action.
	Second string
	Loud   bool   // it is filled: the first one is off
	Under  string // painted, below all
}

const keyGap = "   "

type spot struct {
	act *action.Action
	Rect
}

// layout flows the keys beside the button, and on below it.
func (b Keys) layout(w int) (lines []string, spots []spot) {
	t, table, at := b.K.Theme, b.Table, Rect{H: 1}
	for i, words := range [...]string{b.Words, b.Second} {
		if words == "" {
			continue
		}
		a, key := &table[0], table[0].KeyText()
		if why := a.Why(); i == 0 && why != "" {
			words, key = why, ""
		}
		at.W = min(theme.Width(strings.TrimSpace(words+keyGap+key))+4, w)
		if len(lines) == 0 || at.X+at.W > w {
			at.X, lines = 0, append(lines, make([]string, ButtonHeight)...)
		}
		at.Y = len(lines) - ButtonHeight
		block := Button(t, words, key, at.W, key == "")
		if i == 1 && !b.Loud {
			block = Block(t, t.Element, at.W, "  "+t.Text.Paint(words)+keyGap+t.Key.Paint(key)+"  ")
		}
		for y, l := range block {
			lines[at.Y+y] += theme.Blank(at.X-theme.Width(lines[at.Y+y])) + l
		}
		spots, table = append(spots, spot{a, Rect{at.X, at.Y, at.W, ButtonHeight}}), table[1:]
		at.X, at.Y = at.X+at.W+len(keyGap), at.Y+ButtonHeight/2
	}
	for i := range table {
		a := &table[i]
		if !a.Offered() {
			continue
		}
		label := " " + b.K.Say(a.Label)
		at.W = theme.Width(a.KeyText() + label)
		if len(lines) == 0 || at.X > 0 && at.X+at.W > w {
			at.X, at.Y, lines = 0, len(lines), append(lines, "")
		}
		lines[at.Y] += theme.Blank(at.X-theme.Width(lines[at.Y])) + t.Key.Paint(a.KeyText()) + t.Muted.Paint(label)
		spots = append(spots, spot{a, at})
		at.X += at.W + len(keyGap)
	}
	if b.Under != "" {
		lines = append(lines, strings.Split(b.Under, "\n")...)
	}
	return lines, spots
}

func (b Keys) Lines(w int) []string {
	lines, _ := b.layout(w)
	return lines
}

// Boxed frames the lines of an overlay above the keys, for which the last of them make room.
func (b Keys) Boxed(w, h int, title string, lines []string, more int) string {
	keys := append([]string{""}, b.Lines(w-4)...)
	cut := min(max(len(lines)+len(keys)+2-h, 0), len(lines))
	return Boxed(b.K, w, h, title, append(lines[:len(lines)-cut], keys...), more+cut)
}

// At is the action at a cell of a box of w×h cells that ends with these lines, or nil.
func (b Keys) At(w, h, x, y int) *action.Action {
	lines, spots := b.layout(w - 4)
	at, _ := api.Find(spots, func(s spot) bool { return s.Holds(x-2, y-(h-1-len(lines))) })
	return at.act
}

// Share is a part of a bar.
type Share struct {
	Part  float64 // of the whole, from 0 to 1
	Style theme.Style
	Mark  string // "━", or "╍" for what is only reserved
}

// Bar is a thin bar of parts of a whole, each seen; what is left of it is the track.
func Bar(t *theme.Theme, w int, parts ...Share) string {
	line, at, sum := "", 0, 0.0
	for _, p := range parts {
		sum += max(p.Part, 0)
		to := int(math.Round(sum * float64(w)))
		if p.Part > 0 {
			to = max(to, at+1)
		}
		to = min(to, w)
		line += p.Style.Paint(strings.Repeat(p.Mark, max(to-at, 0)))
		at = max(at, to)
	}
	return line + t.Border.Paint(strings.Repeat("─", max(w-at, 0))) // which differs also without colours
}

// Confirm asks before something that cannot be taken back.
type Confirm struct {
	Passive
	k           *env.Env
	title, text string
	Words       string // of the button, in place of the action's label
	Warning     string // what agreeing puts at risk
	Quitting    bool   // it asks before the program ends
}

const boxWidth = 64

// NewConfirm makes a confirm. key agrees, yes is an English format that says to what. The second
// action of the table is what follows if the person does not agree.
func NewConfirm(k *env.Env, title, text, key, yes string, do func() tea.Cmd) *Confirm {
	c := &Confirm{k: k, title: title, text: text}
	name := "agree"
	if len(key) == 1 && key != "y" {
		name = "agree_again" // the settings give the two no common key
	}
	c.Table = []action.Action{
		{Name: name, Keys: action.Keys(key), Label: yes, Closes: true, Handler: do, Confirms: true},
		{Name: "back", Keys: "esc n", Display: "esc", Label: "back", Closes: true},
	}
	return c
}

// Keys are the button, which says what is agreed to, and the way back.
func (c *Confirm) Keys() Keys {
	return Keys{K: c.k, Table: c.Table, Words: cmp.Or(c.Words, env.Capital(c.k.Say(c.Table[0].Label)))}
}

func (c *Confirm) Box(w, h int) string {
	width := min(boxWidth, w)
	return c.Keys().Boxed(width, h, c.title, c.head(width), 0)
}

// head is the text of a box so wide, below blank lines.
func (c *Confirm) head(width int) []string {
	f := Facts{Width: width - 4, Theme: c.k.Theme, Lines: []string{"", ""}}
	if c.Warning != "" {
		f.Wrapped(f.Theme.Warn, "! "+c.Warning)
		f.Gap()
	}
	return append(f.Lines, Muted(c.k, c.text, width-4)...)
}

type ask struct {
	Confirm
	line  Line
	width int // of the box
}

// NewAsk makes an overlay that asks for one line of text.
func NewAsk(k *env.Env, title, text string, done func(string) tea.Cmd) *ask {
	a := &ask{Confirm: Confirm{k: k, title: title, text: text}}
	a.Table = []action.Action{
		{Name: "agree", Keys: "enter", Label: "save", Confirms: true, Closes: true,
			Handler:  func() tea.Cmd { return done(strings.TrimSpace(a.line.Text())) },
			Disabled: func() string { return k.SayIf(a.line.Empty(), "Type it first.") }},
		{Name: "back", Keys: "esc", Label: "back", Closes: true},
	}
	return a
}

func (a *ask) Typing() bool                           { return true }
func (a *ask) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) { return nil, a.line.Edit(m) }

func (a *ask) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		a.width = min(boxWidth, m.Width)
	case tea.PasteMsg:
		a.line.Insert(strings.TrimSpace(m.Content))
	}
	return nil
}

func (a *ask) Cursor() *tea.Cursor { return a.line.Cursor(4, len(a.head(a.width))+2, a.width-7) }

func (a *ask) Keys() Keys { return Keys{K: a.k, Table: a.Table} }

func (a *ask) Box(_, h int) string {
	lines := append(a.head(a.width), "", Well(a.k.Theme, a.line.Window(a.width-7), a.width-4))
	return a.Keys().Boxed(a.width, h, a.title, lines, 0)
}
