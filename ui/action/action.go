// Package action holds what a key does as a record: dispatch, footer, help and
// the list of all actions are fed by the same tables.
package action

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Action is a key binding with its handler. Each screen has one table of them.
type Action struct {
	Name    string // stable, unique in its table; help, tests and the settings' [keys] use it
	Keys    Keys   // the first is shown
	Display string // replaces the first key on the screen: "j/k"
	Label   string // an English format of the catalogue: "open", "review and send"
	Group   string // what it belongs to in help and the list of actions; "" is the screen
	Also    string // more words by which the list of actions finds it
	Handler func() tea.Cmd
	// Disabled says why it cannot be done now, or "". Nil is always possible. It
	// runs after every message: no allocation when the answer is "".
	Disabled func() string
	Hidden   bool        // kept out of the footer: ways to move that everybody tries
	Offer    func() bool // whether it belongs in the footer now; nil is always
	// Confirms: it spends, sends or settles. Nothing that was pasted, and no key
	// pressed before its question could be read, does it.
	Confirms bool
	Closes   bool // the overlay that it belongs to goes before Handler, if there is one, runs
	Always   bool // its keys work while a field is edited that could take them
	Over     bool // while it is offered, its keys go before those that work everywhere

	was     *Action // before the settings; nil until they are applied
	rebound int64   // the version of the settings whose keys it has, counted from 1
}

// Keys are keys with blanks between them, as tea names them: "ctrl+s alt+1".
type Keys string

func (k Keys) List() []string { return strings.Fields(string(k)) }

func Find(table []Action, key string) *Action {
	return first(table, func(a *Action) bool { return a.Keys != "" && strings.Contains(" "+string(a.Keys)+" ", " "+key+" ") })
}

func Named(table []Action, name string) *Action {
	return first(table, func(a *Action) bool { return a.Name == name })
}

func first(table []Action, is func(*Action) bool) *Action {
	for i := range table {
		if is(&table[i]) {
			return &table[i]
		}
	}
	return nil
}

// First returns a copy of a table in which the named actions come first.
func First(table []Action, names ...string) []Action {
	place := func(a Action) uint { return uint(slices.Index(names, a.Name)) } // the highest number for others
	return slices.SortedStableFunc(slices.Values(table), func(a, b Action) int { return cmp.Compare(place(a), place(b)) })
}

// Then has something follow on every action of a table, which it returns.
func Then(table []Action, follow func()) []Action {
	return After(table, func() tea.Cmd { follow(); return nil })
}

// After is Then for what may lead to a command.
func After(table []Action, follow func() tea.Cmd) []Action {
	for i := range table {
		do := table[i].Handler
		table[i].Handler = func() tea.Cmd { return tea.Batch(do(), follow()) }
	}
	return table
}

// Unless offers nothing of a table, which it returns, while a field takes its keys.
func Unless(typing func() bool, table []Action) []Action {
	for i := range table {
		offer := table[i].Offer
		table[i].Offer = func() bool { return !typing() && (offer == nil || offer()) }
	}
	return table
}

// By is do with a number, or another value, as a handler; Do is By for what leads to no command.
func By[T any](do func(T) tea.Cmd, n T) func() tea.Cmd { return func() tea.Cmd { return do(n) } }
func Do(do func(n int), n int) func() tea.Cmd          { return func() tea.Cmd { do(n); return nil } }

// KeyText is the key as people read it.
func (a *Action) KeyText() string {
	key, _, _ := strings.Cut(string(a.Keys), " ")
	return cmp.Or(a.Display, key)
}

// Why says why it cannot be done now, or "".
func (a *Action) Why() string {
	if a.Disabled == nil {
		return ""
	}
	return a.Disabled()
}

func (a *Action) Ready() bool { return a.Why() == "" }

// Listed reports whether it is one for the lists of keys now.
func (a *Action) Listed() bool { return (a.Offer == nil || a.Offer()) && a.Ready() }

// Offered reports whether it is one for the footer now.
func (a *Action) Offered() bool { return !a.Hidden && a.Listed() }

// signs are the keys that signs stand for.
var signs = map[string]string{"←": "left", "→": "right", "↑": "up", "↓": "down"}

// shown are the keys that Display names: "j/k", "1–5", "alt+↑/↓".
func (a *Action) shown() (keys []string) {
	if from, to, ok := strings.Cut(a.Display, "–"); ok && len(from) == 1 && len(to) == 1 {
		for c := from[0]; c <= to[0]; c++ {
			keys = append(keys, string(c))
		}
		return keys
	}
	mods := ""
	for i, part := range strings.Split(a.Display, "/") {
		if at := strings.LastIndexByte(part, '+') + 1; i == 0 && at < len(part) {
			mods, part = part[:at], part[at:]
		}
		if part != "" {
			keys = append(keys, mods+cmp.Or(signs[part], part))
		}
	}
	return keys
}

// Rows groups the actions of a table for a list of keys: those whose keys one of
// them shows with its own, such as "j/k", are one row, and so are tab and shift+tab.
func Rows(table []Action) (rows [][]*Action) {
	at := map[string]int{} // the row by a key that stands there already
	for i := range table {
		a := &table[i]
		keys, shared := a.Keys.List(), a.shown()
		if len(keys) == 0 {
			keys = shared
		}
		if slices.Contains(keys, "tab") {
			shared = append(shared, "tab", "shift+tab")
		}
		row := len(rows)
		if len(shared) < 2 {
			for _, k := range keys {
				if n, ok := at[k]; ok {
					row = n
				}
			}
		} else {
			for _, k := range shared {
				at[k] = row
			}
		}
		if row == len(rows) {
			rows = append(rows, nil)
		}
		rows[row] = append(rows[row], a)
	}
	return rows
}

// RowKey is the first key of a row as people read it, or "".
func RowKey(row []*Action) string {
	if len(row[0].shown()) > 1 {
		return row[0].Display
	}
	for _, a := range row {
		own := a.Keys.List()
		if a.Display != "" && len(own) <= 1 {
			own = a.shown()
		}
		for _, k := range own {
			if len(k) != len("shift+g") || !strings.HasPrefix(k, "shift+") { // G stands there
				return k
			}
		}
	}
	return ""
}

func Printable(m tea.KeyPressMsg) bool {
	return m.Text != "" && m.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0
}

// Binding is what the settings say of an action; an own command has its label there.
type Binding struct {
	Keys  []string
	Label string
}

// Rebind gives the actions of a table the keys of the settings, once for each version;
// what these say nothing of gets its default keys back. keysOf says which keys an
// action has, from those that were set and its default ones.
func Rebind(table []Action, version int64, set map[string]Binding, keysOf func(set, defaults []string) []string) {
	version++
	first := map[string]string{} // by a default key that its action has no more: the first of its new ones
	for i := range table {
		a := &table[i]
		if a.rebound == version {
			continue
		}
		if a.was == nil {
			a.was = new(*a)
		}
		a.Keys, a.Display, a.rebound = a.was.Keys, a.was.Display, version
		b, ok := set[a.Name]
		if a.was.Label == "" {
			a.Label = b.Label
		}
		if !ok || len(b.Keys) == 0 {
			continue
		}
		defaults := a.was.Keys.List()
		keys := withShifted(keysOf(b.Keys, defaults))
		a.Keys, a.Display = Keys(strings.Join(keys, " ")), ""
		for _, k := range defaults {
			if !slices.Contains(keys, k) {
				first[k] = keys[0]
			}
		}
	}
	if len(first) == 0 {
		return
	}
	for i := range table {
		a := &table[i]
		switch shown := a.shown(); {
		case a.Keys == "": // it shows the key of another action
			a.Display = cmp.Or(first[a.Display], a.Display)
		case len(shown) > 1 && slices.ContainsFunc(shown, func(k string) bool { return first[k] != "" }):
			a.Display = "" // it names keys which other actions have lost
		}
	}
}

// withShifted adds the other name that some terminals have for a capital letter.
func withShifted(keys []string) []string {
	var more []string
	for _, k := range keys {
		mods, base := "", k
		if i := strings.LastIndexByte(k[:len(k)-1], '+'); i >= 0 {
			mods, base = k[:i+1], k[i+1:]
		}
		r, n := utf8.DecodeRuneInString(base)
		if n != len(base) || !unicode.IsLetter(r) {
			continue
		}
		if mods == "" && unicode.IsUpper(r) {
			more = append(more, "shift+"+string(unicode.ToLower(r)))
		}
		if rest, ok := strings.CutSuffix(mods, "shift+"); ok {
			more = append(more, rest+string(unicode.ToUpper(r)))
		}
	}
	return append(keys, more...)
}
