package create

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
	fields  []variedField
	at      int // the field that is chosen
	err     string
	set     expand.Set
	table   []action.Action
	edits   int
	w, h    int
	box     widget.Memo[editorKey, string]
}

// variedField is a field of the editor: values to choose among, or a line that
// takes any.
type variedField struct {
	name, label string
	own         string   // the form's own value
	options     []string // none: the values are typed
	names       []string // of the options, as the form has them
	chosen      []string
	option      int // the cursor among the options
	line        widget.Line
}

// variedMsg hands the lists of a draft's fields to the screen.
type variedMsg struct {
	draft int
	lists map[string][]string
}

// varied takes the lists of the editor.
func (c *Screen) varied(m variedMsg) tea.Cmd {
	d := c.drafts[m.draft]
	d.setVary(m.lists)
	d.prompt.Edited()
	d.form.Settle()
	return tea.Batch(c.changed(), c.askSums())
}

// openVariations opens the editor of the draft in view.
func (c *Screen) openVariations() tea.Cmd {
	d := c.draft()
	o := &variationEditor{env: c.env, number: c.at, pattern: d.pattern, lists: d.lists, w: c.w, h: c.h}
	for _, name := range d.varying() {
		o.fields = append(o.fields, d.editorField(name))
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

// editorField is a field of the draft as the editor shows it.
func (d *draft) editorField(name string) variedField {
	f := variedField{name: name, own: d.ownValue(name), label: d.seed.Label, chosen: slices.Clone(d.vary[name].values)}
	if c := d.choice(name); c != nil {
		f.label = c.Label
		for _, o := range c.Options() {
			if o.Value == "" {
				continue
			}
			f.options, f.names = append(f.options, o.Value), append(f.names, o.Value)
			if o.Label != "" {
				f.names[len(f.names)-1] = o.Label
			}
		}
		if name == api.FieldResolution && len(api.Resolutions("")) > len(f.options) && d.model.Value() == api.Seedance2 {
			f.options, f.names = api.Resolutions(""), api.Resolutions("") // tiers may vary too
		}
	}
	if len(f.options) == 0 {
		f.line.Set(expand.Text(name, f.chosen))
	}
	return f
}

func (o *variationEditor) close() tea.Cmd { return msg.CloseTop }

func (o *variationEditor) move(by int) func() tea.Cmd {
	return func() tea.Cmd {
		o.at = (o.at + by + len(o.fields)) % max(len(o.fields), 1)
		o.edits++
		return nil
	}
}

func (o *variationEditor) field() *variedField { return &o.fields[o.at] }

func (o *variationEditor) whyTyped() string {
	if len(o.fields) == 0 || len(o.field().options) == 0 {
		return o.env.Say("Type the values, with commas between them.")
	}
	return ""
}

func (o *variationEditor) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		f := o.field()
		f.option = (f.option + by + len(f.options)) % len(f.options)
		o.edits++
		return nil
	}
}

// toggle chooses the value under the cursor, or takes it out. The first one
// that is chosen joins the form's own.
func (o *variationEditor) toggle() tea.Cmd {
	f := o.field()
	v := f.options[f.option]
	if len(f.chosen) == 0 && f.own != "" && slices.Contains(f.options, f.own) {
		f.chosen = []string{f.own}
	}
	if i := slices.Index(f.chosen, v); i >= 0 && len(f.chosen) > 1 {
		f.chosen = slices.Delete(f.chosen, i, i+1)
	} else if i < 0 {
		f.chosen = append(f.chosen, v)
		slices.SortFunc(f.chosen, func(a, b string) int { return slices.Index(f.options, a) - slices.Index(f.options, b) })
	}
	if len(f.chosen) == 1 && f.chosen[0] == f.own {
		f.chosen = nil
	}
	return o.chose()
}

// chose counts what the lists make of the draft, and hands them to the form.
func (o *variationEditor) chose() tea.Cmd {
	o.count()
	m := variedMsg{o.number, maps.Clone(o.pattern.Vary)}
	return func() tea.Msg { return m }
}

func (o *variationEditor) count() {
	o.edits++
	o.err = ""
	o.pattern.Vary = map[string][]string{}
	for i := range o.fields {
		f := &o.fields[i]
		if len(f.options) == 0 {
			values, err := expand.Values(f.name, f.line.Text())
			if err != nil {
				o.err = env.Sentence(o.env, err)
				continue
			}
			f.chosen = values
		}
		if len(f.chosen) > 0 {
			o.pattern.Vary[f.name] = f.chosen
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
func (o *variationEditor) Typing() bool { return len(o.fields) > 0 && len(o.field().options) == 0 }

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
	o.edits++
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
		o.edits++
	}
}
