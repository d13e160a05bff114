package create

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// variationEditor is the overlay in which fields get lists. What is chosen
// counts at once; there is nothing to be taken back.
type variationEditor struct {
	env    *env.Env
	screen *Screen
	draft  *draft.Draft
	fields []editedField
	at     int    // the field that is chosen
	err    string // why typed values are none
	table  []action.Action
}

// editedField is a setting in the editor: values to choose among, or one that
// takes any.
type editedField struct {
	*api.Field
	own     string   // the form's own value
	options []string // none: the values are typed
	names   []string // of the options, as the form has them
	chosen  []string
	option  int // the cursor among the options
	line    widget.Line
}

// openVariations opens the editor of the draft in view.
func (c *Screen) openVariations() tea.Cmd {
	d := c.draft()
	o := &variationEditor{env: c.env, screen: c, draft: d}
	for _, field := range d.Varying() {
		f := variedField(d, field)
		if len(f.options) == 0 {
			f.line.Set(expand.Text(f.Field, f.chosen))
		}
		o.fields = append(o.fields, f)
	}
	o.table = []action.Action{
		{Name: "done", Keys: []string{"enter"}, Label: "done", Handler: msg.Back},
		{Name: "next_field", Keys: []string{"down", "tab"}, Display: "↑/↓", Label: "field", Handler: o.move(1)},
		{Name: "previous_field", Keys: []string{"up", "shift+tab"}, Label: "previous field", Hidden: true, Handler: o.move(-1)},
		{Name: "choose_value", Keys: []string{"space"}, Label: "choose", Handler: o.toggle, Disabled: o.whyTyped},
		{Name: "next_value", Keys: []string{"right"}, Display: "←/→", Label: "value", Handler: o.step(1), Disabled: o.whyTyped},
		{Name: "previous_value", Keys: []string{"left"}, Label: "previous value", Hidden: true, Handler: o.step(-1), Disabled: o.whyTyped},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: msg.Back},
	}
	return msg.Open(o)
}

func (o *variationEditor) move(by int) func() tea.Cmd {
	return func() tea.Cmd {
		o.at = (o.at + by + len(o.fields)) % max(len(o.fields), 1)
		return nil
	}
}

func (o *variationEditor) field() *editedField { return &o.fields[o.at] }

func (o *variationEditor) whyTyped() string {
	return o.env.SayIf(len(o.fields) == 0 || len(o.field().options) == 0, "Type the values, with commas between them.")
}

func (o *variationEditor) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		f := o.field()
		f.option = (f.option + by + len(f.options)) % len(f.options)
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

// chose hands the lists to the draft, which counts what they make of it.
func (o *variationEditor) chose() tea.Cmd {
	o.err = ""
	lists := map[string][]string{}
	for i := range o.fields {
		f := &o.fields[i]
		if len(f.options) == 0 {
			values, err := expand.Values(f.Field, f.line.Text())
			if err != nil {
				o.err = env.Sentence(o.env, err)
				continue
			}
			f.chosen = values
		}
		lists[f.Name] = f.chosen
	}
	o.draft.SetVary(lists)
	o.draft.Prompt.Edited()
	o.draft.Form.Settle()
	return o.screen.settled(tea.Batch(o.screen.changed(), o.screen.askSums()))
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
	if o.field().line.Text() == before {
		return nil
	}
	return o.chose()
}

func (o *variationEditor) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
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

// Sizes of the editor.
const (
	editorWidth    = 84
	editorLabel    = 14 // cells of the field's name
	editorFieldsAt = 4  // the box's line that the fields begin on
)

func (o *variationEditor) Cursor() *tea.Cursor {
	if !o.Typing() {
		return nil
	}
	room := min(editorWidth, o.screen.w) - 4 - editorLabel - 2
	f := o.field()
	return tea.NewCursor(2+2+editorLabel+f.line.Column()-f.line.Offset(room), editorFieldsAt+o.at)
}

// Box draws the editor.
func (o *variationEditor) Box(w, h int) string {
	width := min(editorWidth, w)
	inner := width - 4
	t := o.env.Theme
	lines := []string{
		t.Muted.Paint(theme.Cut(o.env.Say("Each chosen value is a request of its own."), inner)),
		t.Muted.Paint(theme.Cut(o.env.Say("In the prompt: %s", "{a|b}, {2$$a|b|c}, __list__"), inner)), "",
	}
	for i := range o.fields {
		lines = append(lines, o.fieldLine(i, inner))
	}
	lines = append(lines, "", o.summary(inner), "", widget.KeyLine(o.env, o.table))
	return widget.Boxed(o.env, width, h, o.env.Say("Variations"), lines, 0)
}

func (o *variationEditor) fieldLine(i, inner int) string {
	t, f := o.env.Theme, &o.fields[i]
	mark, label := "  ", t.Muted
	if i == o.at {
		mark, label = "▸ ", t.Text
	}
	var b strings.Builder
	t.Accent.Write(&b, mark)
	label.Write(&b, theme.Fit(o.env.Say(f.Label), editorLabel))
	if len(f.options) == 0 {
		if f.line.Empty() && i != o.at {
			t.Faint.Write(&b, o.env.Say("such as %s", f.Example))
		} else {
			t.Text.Write(&b, f.line.Window(inner-2-editorLabel))
		}
		return b.String()
	}
	for n, v := range f.options {
		style, box := t.Muted, "□ "
		if slices.Contains(f.chosen, v) || len(f.chosen) == 0 && v == f.own {
			style, box = t.Text, "■ "
		}
		if i == o.at && n == f.option {
			style = t.Accent
		}
		style.Write(&b, box+api.Clean(f.names[n], 24).String())
		b.WriteString("  ")
	}
	return theme.Cut(b.String(), inner)
}

// summary is how many requests there are now, or why there are none.
func (o *variationEditor) summary(inner int) string {
	t := o.env.Theme
	why := o.err
	if why == "" && o.draft.Err != nil {
		why = env.Sentence(o.env, o.draft.Err)
	}
	if why != "" {
		return t.Bad.Paint(theme.Cut("✗ "+why, inner))
	}
	text := countOf(o.env, &o.draft.Set)
	if n := len(o.draft.Set.All); n <= 1 {
		return t.Muted.Paint(text)
	}
	return t.Accent.Paint(theme.Cut(text+" · "+o.env.Say("at most %s", strconv.Itoa(o.env.Settings.VariationsLimit())), inner))
}

// countOf is the count of a set, and how it comes about.
func countOf(k *env.Env, set *expand.Set) string {
	var factors []string
	for _, n := range set.Factors {
		if n > 1 {
			factors = append(factors, strconv.Itoa(n))
		}
	}
	n, left := set.Count, ""
	if len(set.All) > 0 {
		n = len(set.All)
	}
	if len(set.All) > 0 && set.Equal() > 0 {
		left = k.Say(" (%d equal left out)", set.Equal())
	}
	text := k.Words.Count(n, "%d request", "%d requests") + left
	if len(factors) > 1 {
		text = strings.Join(factors, " × ") + " = " + text
	}
	return text
}

// variedField is a field of a draft as the editor shows it.
func variedField(d *draft.Draft, field *api.Field) editedField {
	f := editedField{Field: field, own: d.OwnValue(field.Name), chosen: d.Varied(field.Name)}
	c := d.Choice(field.Name)
	if c == nil {
		return f
	}
	for _, o := range c.Options() {
		if o.Value == "" {
			continue
		}
		f.options, f.names = append(f.options, o.Value), append(f.names, cmp.Or(o.Label, o.Value))
	}
	if field.Name == api.FieldResolution && len(api.Resolutions("")) > len(f.options) && d.Model.Value() == api.Seedance2 {
		f.options, f.names = api.Resolutions(""), api.Resolutions("") // tiers may vary too
	}
	return f
}
