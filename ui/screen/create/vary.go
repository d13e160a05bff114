package create

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/screen/create/review"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// variationEditor is the overlay in which fields get lists. What is chosen
// counts at once; there is nothing to be taken back.
type variationEditor struct {
	widget.Passive
	screen *Screen
	draft  *draft.Draft
	fields []editedField
	at     int    // the field that is chosen
	err    string // why typed values are none
}

// editedField is a setting in the editor, with values to choose or to type.
type editedField struct {
	*api.Field
	own     string        // the form's own value
	options []form.Option // none: the values are typed
	chosen  []string
	option  int // the cursor among the options
	line    widget.Line
}

func (c *Screen) openVariations() tea.Cmd {
	d := c.draft()
	o := &variationEditor{screen: c, draft: d}
	o.fields = api.Map(d.Varying(), func(field *api.Field) editedField {
		f := editedField{Field: field, own: d.Choice(field.Name).Value(), chosen: d.Varied(field.Name)}
		f.options = slices.Clone(d.Choice(field.Name).Options())
		if field.Name == api.FieldResolution && d.Model.Value() == api.Seedance2 { // tiers may vary too
			f.options = api.Map(api.Resolutions(""), func(v string) form.Option { return form.Option{Value: v} })
		}
		if f.options = slices.DeleteFunc(f.options, func(o form.Option) bool { return o.Value == "" }); len(f.options) == 0 {
			f.line.Set(expand.Text(f.Field, f.chosen))
		}
		return f
	})
	o.Table = []action.Action{
		{Name: "done", Keys: "enter", Label: "done", Closes: true},
		{Name: "next_field", Keys: "down tab", Display: "↑/↓", Label: "field", Handler: action.Do(o.move, 1)},
		{Name: "previous_field", Keys: "up shift+tab", Label: "previous field", Hidden: true, Handler: action.Do(o.move, -1)},
		{Name: "choose_value", Keys: "space", Label: "choose", Handler: o.toggle, Disabled: o.whyTyped},
		{Name: "next_value", Keys: "right", Display: "←/→", Label: "value", Handler: action.Do(o.step, 1), Disabled: o.whyTyped},
		{Name: "previous_value", Keys: "left", Label: "previous value", Hidden: true, Handler: action.Do(o.step, -1), Disabled: o.whyTyped},
		{Name: "back", Keys: "esc", Label: "back", Closes: true},
	}
	return msg.Open(c.env, o)
}

func (o *variationEditor) move(by int) { o.at = (o.at + by + len(o.fields)) % len(o.fields) }

func (o *variationEditor) field() *editedField { return &o.fields[o.at] }

func (o *variationEditor) whyTyped() string {
	return o.screen.env.SayIf(o.Typing(), "Type the values, with commas between them.")
}

func (o *variationEditor) step(by int) {
	f := o.field()
	f.option = (f.option + by + len(f.options)) % len(f.options)
}

// toggle chooses the value under the cursor, or takes it out; without any it is the form's own.
func (o *variationEditor) toggle() tea.Cmd {
	f := o.field()
	chosen := api.Pick(f.options, func(o form.Option) (string, bool) {
		return o.Value, f.has(o.Value) != (o.Value == f.options[f.option].Value)
	})
	if f.chosen = chosen; len(chosen) == 0 || slices.Equal(chosen, []string{f.own}) {
		f.chosen = nil
	}
	return o.chose()
}

// has reports whether a value is sent.
func (f *editedField) has(value string) bool {
	return len(f.chosen) == 0 && value == f.own || slices.Contains(f.chosen, value)
}

// chose hands the lists to the draft, which counts what they make of it.
func (o *variationEditor) chose() tea.Cmd {
	o.err = ""
	lists := map[string][]string{}
	for i := range o.fields {
		f := &o.fields[i]
		if len(f.options) == 0 {
			values, err := expand.Values(f.Field, f.line.Text(), o.screen.env.Settings.VariationsLimit())
			if err != nil {
				o.err = env.Sentence(o.screen.env, err)
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

func (o *variationEditor) Typing() bool { return len(o.field().options) == 0 }

func (o *variationEditor) Edit(k tea.KeyPressMsg) (tea.Cmd, bool) {
	before := o.field().line.Text()
	used := o.field().line.Edit(k)
	if o.field().line.Text() == before {
		return nil, used
	}
	return o.chose(), true
}

func (o *variationEditor) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		if o.Typing() {
			o.field().line.Insert(m.Content)
			return o.chose()
		}
	case msg.ClickMsg:
		if row := m.Y - editorFieldsAt; row >= 0 && row < len(o.fields) {
			o.at = row
		}
	}
	return nil
}

const (
	editorWidth    = 84
	editorLabel    = 14 // cells of the field's name
	editorFieldsAt = 3  // the box's line that the fields begin on
)

func (o *variationEditor) Cursor() *tea.Cursor {
	if !o.Typing() {
		return nil
	}
	return o.field().line.Cursor(2+2+editorLabel, editorFieldsAt+o.at, min(editorWidth, o.screen.w)-4-editorLabel-2)
}

func (o *variationEditor) Box(w, h int) string {
	width := min(editorWidth, w)
	inner, t := width-4, o.screen.env.Theme
	lines := []string{"", ""}
	for i := range o.fields {
		lines = append(lines, o.fieldLine(i, inner))
	}
	lines = append(lines, "", o.summary(inner), "",
		t.Muted.Paint(theme.Cut(o.screen.env.Say("Each selected value becomes a separate request."), inner)),
		t.Muted.Paint(theme.Cut(o.screen.env.Say(
			"In the prompt: %s each, %s two at a time, %s each of a list", "{a|b}", "{2$$a|b|c}", "__list__"), inner)))
	return o.Keys().Boxed(width, h, o.screen.env.Say("Variations"), lines, 0)
}

func (o *variationEditor) Keys() widget.Keys { return widget.Keys{K: o.screen.env, Table: o.Table} }

func (o *variationEditor) fieldLine(i, inner int) string {
	t, f := o.screen.env.Theme, &o.fields[i]
	_, mark := t.Row(i == o.at)
	line := t.Accent.Paint(mark) + t.Text.If(i == o.at, t.Muted).Paint(theme.Fit(o.screen.env.Say(f.Label), editorLabel))
	switch {
	case len(f.options) > 0:
	case f.line.Empty() && i != o.at:
		return line + t.Faint.Paint(o.screen.env.Say("such as %s", f.Example))
	default:
		return line + t.Text.Paint(f.line.Window(inner-2-editorLabel))
	}
	row, room := "", inner-2-editorLabel
	for n, option := range f.options {
		style, box := t.Muted, "□ "
		if f.has(option.Value) {
			style, box = t.Text, "■ "
		}
		row += t.Accent.If(i == o.at && n == f.option, style).Paint(box+api.Clean(cmp.Or(option.Label, option.Value), 24).String()) + "  "
		if n == f.option {
			row = theme.CutLeft(row, room) // the one under the cursor is in view
		}
	}
	return line + theme.Cut(row, room)
}

func (o *variationEditor) summary(inner int) string {
	t := o.screen.env.Theme
	if why := cmp.Or(o.err, env.Sentence(o.screen.env, o.draft.Err)); why != "" {
		return t.Bad.Paint(theme.Cut("✗ "+why, inner))
	}
	text := countOf(o.screen.env, &o.draft.Set) + " · " + o.screen.priceShown().amount
	return t.Accent.If(len(o.draft.Set.All) > 1, t.Muted).Paint(theme.Cut(text, inner))
}

// countOf is the count of a set, and how it comes about: "3 × 2 = 6 requests".
func countOf(k *env.Env, set *expand.Set) string {
	factors := api.Pick(set.Factors, func(n int) (string, bool) { return strconv.Itoa(n), n > 1 })
	text := k.Words.Count(cmp.Or(len(set.All), set.Count), "%d request", "%d requests") +
		k.SayIf(len(set.All) > 0 && set.Equal() > 0, " (%d duplicates left out)", set.Equal())
	if len(factors) > 1 {
		text = strings.Join(factors, " × ") + " = " + text
	}
	return text
}

// readLists reads the lists and the materials that prompts can name.
func readLists(b Backend) tea.Cmd {
	return func() tea.Msg {
		lists, err := b.Queue().Lists()
		cast, also := b.SavedTexts(state.Cast)
		return thenMsg(func(s *Screen) tea.Cmd {
			if also == nil || len(cast) > 0 { // else what was known stays
				s.public.Cast = cast
			}
			for _, d := range s.drafts {
				if err == nil || len(lists) > 0 {
					d.Lists = lists
				}
				d.Form.Settle()
			}
			return tea.Batch(s.follow(quietFor), func() tea.Msg { return msg.FailedMsg{Err: cmp.Or(err, also)} })
		})
	}
}

// total is what all requests of the draft cost, as far as it is known.
func (c *Screen) total() api.Estimate {
	d, first := c.draft(), c.prices[c.at]
	if len(d.Set.All) < 2 {
		return first.estimate
	}
	return review.Total(d.Set.All, func(r *api.Request) api.Estimate {
		key := r.EstimateKey(d.Listing)
		if key == first.key {
			return first.estimate
		}
		if e, ok := c.sums[key]; ok {
			return e
		}
		return api.TableEstimate(*r)
	})
}

// askSums asks for the prices that the total of the draft lacks.
func (c *Screen) askSums() tea.Cmd {
	d, missing := c.draft(), map[string]api.Request{}
	for i := range d.Set.All {
		r := d.Set.All[i].Request
		key := r.EstimateKey(d.Listing)
		if _, ok := c.sums[key]; !ok && key != c.prices[c.at].key && !api.TableEstimate(r).Known() {
			missing[key] = r
		}
	}
	if len(missing) == 0 {
		return nil
	}
	c.summing = true
	ctx, b := c.env.Context, c.backend
	return func() tea.Msg {
		prices := map[string]api.Estimate{}
		for key, r := range missing {
			if prices[key], _ = b.Estimate(ctx, r); ctx.Err() != nil {
				return nil
			}
		}
		return thenMsg(func(s *Screen) tea.Cmd {
			s.summing = false
			s.keepPrices(prices)
			return nil
		})
	}
}

// keepPrices keeps figures that the service gave, for the total.
func (c *Screen) keepPrices(prices map[string]api.Estimate) {
	for key, e := range prices {
		if !e.Known() {
			continue
		}
		c.sums[key] = e
		if i := slices.IndexFunc(c.prices[:], func(q quote) bool { return q.key == key }); i >= 0 {
			c.prices[i].estimate = e
		}
	}
}

// repeats says what makes the next send more than one request, or one that was sent
// before, and the key that clears it.
func (c *Screen) repeats() string {
	k, d := c.env, c.draft()
	n, seeded := cmp.Or(len(d.Set.All), d.Set.Count), d.Request.Seed != nil && len(d.Pattern.Vary[api.FieldSeed]) == 0
	requests, total := k.SayIf(n > 1, "%d requests", n), c.total()
	if n > 1 && total.Known() && !slices.ContainsFunc(slices.Collect(maps.Keys(d.Pattern.Vary)), api.Estimated) {
		requests += " × " + (total.Credits / api.Credits(n)).String()
	}
	return strings.Join(env.Said(requests, k.SayIf(seeded, "seed %s at every send", d.Request.SeedText()),
		k.SayIf(d.Repeats(), "%s clears", k.Key("single", "alt+c"))), " · ")
}
