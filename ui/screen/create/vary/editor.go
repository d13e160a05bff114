// Package vary is the overlay in which fields of a draft get lists of values.
package vary

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// variationEditor is the overlay in which fields get lists. What is chosen
// counts at once; there is nothing to be taken back.
type variationEditor struct {
	env     *env.Env
	number  int // of the draft
	pattern api.Request
	lists   expand.Lists
	fields  []editedField
	at      int // the field that is chosen
	err     string
	set     expand.Set
	table   []action.Action
	w, h    int
}

// Field is a setting in the editor: values to choose among, or one that takes any.
type Field struct {
	*api.Field
	Own     string   // the form's own value
	Options []string // none: the values are typed
	Names   []string // of the options, as the form has them
	Chosen  []string
}

type editedField struct {
	Field
	option int // the cursor among the options
	line   widget.Line
}

// ChosenMsg hands the lists of a draft's fields to the screen.
type ChosenMsg struct {
	Draft int
	Lists map[string][]string
}

// Start is what the editor begins with.
type Start struct {
	Draft   int         // which draft it edits
	Pattern api.Request // with its alternatives and lists
	Lists   expand.Lists
	Fields  []Field
	Body    widget.Rect
}

// Open opens the editor.
func Open(k *env.Env, s Start) tea.Cmd {
	o := &variationEditor{env: k, number: s.Draft, pattern: s.Pattern, lists: s.Lists, w: s.Body.W, h: s.Body.H}
	for _, f := range s.Fields {
		one := editedField{Field: f}
		if len(f.Options) == 0 {
			one.line.Set(expand.Text(f.Field, f.Chosen))
		}
		o.fields = append(o.fields, one)
	}
	o.table = []action.Action{
		{Name: "done", Keys: []string{"enter"}, Label: "done", Handler: o.close},
		{Name: "next_field", Keys: []string{"down", "tab"}, Display: "↑/↓", Label: "field", Handler: o.move(1)},
		{Name: "previous_field", Keys: []string{"up", "shift+tab"}, Label: "previous field", Hidden: true, Handler: o.move(-1)},
		{Name: "choose_value", Keys: []string{"space"}, Label: "choose", Handler: o.toggle, Disabled: o.whyTyped},
		{Name: "next_value", Keys: []string{"right"}, Display: "←/→", Label: "value", Handler: o.step(1), Disabled: o.whyTyped},
		{Name: "previous_value", Keys: []string{"left"}, Label: "previous value", Hidden: true, Handler: o.step(-1), Disabled: o.whyTyped},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: o.close},
	}
	o.count()
	return msg.Open(o)
}

func (o *variationEditor) close() tea.Cmd { return msg.CloseTop }

func (o *variationEditor) move(by int) func() tea.Cmd {
	return func() tea.Cmd {
		o.at = (o.at + by + len(o.fields)) % max(len(o.fields), 1)
		return nil
	}
}

func (o *variationEditor) field() *editedField { return &o.fields[o.at] }

func (o *variationEditor) whyTyped() string {
	return o.env.SayIf(len(o.fields) == 0 || len(o.field().Options) == 0, "Type the values, with commas between them.")
}

func (o *variationEditor) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		f := o.field()
		f.option = (f.option + by + len(f.Options)) % len(f.Options)
		return nil
	}
}

// toggle chooses the value under the cursor, or takes it out. The first one
// that is chosen joins the form's own.
func (o *variationEditor) toggle() tea.Cmd {
	f := o.field()
	v := f.Options[f.option]
	if len(f.Chosen) == 0 && f.Own != "" && slices.Contains(f.Options, f.Own) {
		f.Chosen = []string{f.Own}
	}
	if i := slices.Index(f.Chosen, v); i >= 0 && len(f.Chosen) > 1 {
		f.Chosen = slices.Delete(f.Chosen, i, i+1)
	} else if i < 0 {
		f.Chosen = append(f.Chosen, v)
		slices.SortFunc(f.Chosen, func(a, b string) int { return slices.Index(f.Options, a) - slices.Index(f.Options, b) })
	}
	if len(f.Chosen) == 1 && f.Chosen[0] == f.Own {
		f.Chosen = nil
	}
	return o.chose()
}

// chose counts what the lists make of the draft, and hands them to the form.
func (o *variationEditor) chose() tea.Cmd {
	o.count()
	m := ChosenMsg{o.number, maps.Clone(o.pattern.Vary)}
	return func() tea.Msg { return m }
}

func (o *variationEditor) count() {
	o.err = ""
	o.pattern.Vary = map[string][]string{}
	for i := range o.fields {
		f := &o.fields[i]
		if len(f.Options) == 0 {
			values, err := expand.Values(f.Field.Field, f.line.Text())
			if err != nil {
				o.err = env.Sentence(o.env, err)
				continue
			}
			f.Chosen = values
		}
		if len(f.Chosen) > 0 {
			o.pattern.Vary[f.Name] = f.Chosen
		}
	}
	var err error
	if o.set, err = expand.Requests(o.pattern, o.lists, o.env.Settings.VariationsLimit()); err != nil && o.err == "" {
		o.err = env.Sentence(o.env, err)
	}
}

func (o *variationEditor) Actions() []action.Action { return o.table }
func (o *variationEditor) Restyle()                 {}

// Typing reports whether the chosen field takes typed values.
func (o *variationEditor) Typing() bool { return len(o.fields) > 0 && len(o.field().Options) == 0 }

func (o *variationEditor) Edit(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if !o.Typing() {
		return nil, false
	}
	switch k.String() {
	case "up", "down", "tab", "shift+tab", "enter", "esc":
		return nil, false
	}
	before := o.field().line.Text()
	if !o.field().line.Edit(k) {
		return nil, false
	}
	return o.typed(before), true
}

func (o *variationEditor) typed(before string) tea.Cmd {
	if o.field().line.Text() == before {
		return nil
	}
	return o.chose()
}

func (o *variationEditor) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		o.w, o.h = body.W, body.H
	case tea.PasteMsg:
		if o.Typing() {
			before := o.field().line.Text()
			o.field().line.Insert(m.Content)
			return o.typed(before)
		}
	case msg.ClickMsg:
		o.click(m)
	}
	return nil
}

// click chooses the field on a line of the box.
func (o *variationEditor) click(m msg.ClickMsg) {
	if row := m.Y - editorFieldsAt; row >= 0 && row < len(o.fields) {
		o.at = row
	}
}
