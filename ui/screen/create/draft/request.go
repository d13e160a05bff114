package draft

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// values is every value of the form, also of fields that do not apply now.
func (d *Draft) values(rows func(kind int) []string) api.Request {
	r := api.Request{Kind: d.Kind, Model: d.Model.Value(), Prompt: d.Prompt.Value(), Vary: d.savedVary()}
	for _, s := range d.own() {
		s.Set(&r, s.choice.Value()) // one that is not a number has a problem of its own
	}
	r.Sync, r.NoAsync = d.async.Value() == asyncFalse, d.async.Value() == asyncOmit
	r.Extra = api.Pick(d.extras, extra.value)
	if d.Kind == api.KindVideo && d.Mode.Value() == api.ModeFirstLastFrame {
		r.FunctionMode = api.ModeFirstLastFrame
	}
	for kind, f := range materialFields(r.Mode() == api.ModeFirstLastFrame) {
		f.Set(&r, rows(kind)...)
	}
	return r
}

// sendable is the request to send: the draft without fields that do not apply.
func (d *Draft) sendable() api.Request {
	r := d.values(d.Materials.Values)
	r.Vary = nil
	for _, f := range api.Fields(d.Kind) {
		if !slices.Contains(d.applies, f.Name) {
			f.Set(&r)
		}
	}
	if !slices.Contains(d.applies, api.FieldFunctionMode) { // there is one image, whatever the mode was
		r.ImageURL = d.material(singleImage)
	}
	return r
}

// Load fills the form with a request. With keep, prompt and materials stay as
// they are and only what the request sets is taken over.
func (d *Draft) Load(r api.Request, keep bool) {
	d.Touched, d.loading, d.filled = true, true, true
	defer func() { d.loading = false }()
	if r.Model != "" || !keep {
		d.Model.SetValue(r.Model)
		d.Form.Settle() // first, since values that a model does not list become its defaults
	}
	d.wanted = ""
	for _, s := range d.settings {
		if v := s.Text(&r); v != "" || !keep {
			d.choose(s.Name, v)
		}
	}
	if !keep {
		d.setExtras(r)
		d.Prompt.SetValue(r.Prompt)
		d.Prompt.ToEnd()
		d.loadMaterials(r)
		d.SetVary(r.Vary)
		d.Form.ForgetUndo()
	}
	d.Form.Fresh()
	d.Form.Focus(d.Prompt)
	d.Form.Settle()
	d.give(nil)
}

func (d *Draft) loadMaterials(r api.Request) {
	d.Mode.SetValue(r.Mode())
	rows := make([][]string, lastFrame+1)
	for kind, f := range materialFields(r.Mode() == api.ModeFirstLastFrame) {
		rows[kind] = strings.FieldsFunc(strings.Join(f.Texts(&r), "\n"), func(c rune) bool { return c == '\n' })
	}
	d.Materials.SetValues(rows...)
}

// material returns the address of a kind that has one row; more are a problem.
func (d *Draft) material(kind int) string { return cmp.Or(d.Materials.Values(kind)...) }

// Empty reports whether nothing was written that could be lost.
func (d *Draft) Empty() bool {
	return d.Materials.Unwritten() && strings.TrimSpace(d.Prompt.Value()) == ""
}

func (d *Draft) Unsent() bool { return !d.Empty() && !Same(d.Request, d.Sent) }

// Saved returns the draft as it is kept, with text that is not taken over yet.
func (d *Draft) Saved() api.Request {
	r := d.values(d.Materials.Drafted)
	r.Extra = append(r.Extra, d.kept...)
	return r
}

// Remember takes a request as it was sent: choosing its model brings back its values.
func (d *Draft) Remember(r api.Request) {
	if r.Kind == d.Kind {
		d.last[r.Model] = r
	}
}

// Recall is Remember for requests of before, of which the first counts.
func (d *Draft) Recall(r api.Request) {
	if _, known := d.last[r.Model]; !known {
		d.Remember(r)
	}
}

// give marks all values but the person's own as given.
func (d *Draft) give(own map[string]bool) {
	for _, s := range d.own() {
		if !s.isNumber() && !own[s.Name] {
			d.given[s.Name] = s.choice.Value()
		}
	}
}

// recall brings back the values last sent with a model where the person set none.
func (d *Draft) recall(model string, own map[string]bool) {
	if r, ok := d.last[model]; ok {
		for _, s := range d.own() {
			c, v, options := s.choice, s.Text(&r), s.choice.Options()
			listed := len(options) == 0 || slices.ContainsFunc(options, func(o form.Option) bool { return o.Value == v })
			if !s.isNumber() && !own[s.Name] && (listed || v != "" && c.Free) {
				c.SetValue(v)
			}
		}
	}
}

// sentence says a problem as the form does: with the labels of its fields in
// place of the names of the wire.
func (d *Draft) sentence(p api.Problem) string {
	say := d.env.Say
	switch p.Code {
	case "no_model":
		if d.Unlisted() {
			return say("The models are still being read.")
		}
	case "first_frame":
		return say("The first frame is missing: add an image.")
	case "bad_token":
		for _, k := range materialKinds {
			if text := api.TokenText(k, 0); slices.Contains(p.Args, any(text)) {
				return say("%s named a material that was removed: take it out, or choose another with @.", text)
			}
		}
	}
	return d.env.Words.Problem(p.Named(d.labelOf))
}

func (d *Draft) labelOf(field string) string { return d.env.Say(api.FieldNamed(field).Label) }

// localSentence says that an address is a file of this machine, if it is.
func (d *Draft) localSentence(address string) string {
	path, local := state.LocalFile(address, d.env.Home)
	name := api.Clean(path, 200).String()
	return cmp.Or(d.env.SayIf(local && len(d.env.Settings.Upload) == 0, "%s is a local file, and the service takes URLs only.", name),
		d.env.SayIf(local, "%s is a local file: %s uploads it with your command.", name, d.env.Key("upload_file", "alt+u")))
}

// PriceProblem returns the problem of a field that the estimate depends on, or "".
func (d *Draft) PriceProblem() string {
	if p, found := api.Find(d.found, func(p api.Problem) bool { return api.Estimated(p.Field) }); found {
		return d.sentence(p)
	}
	return ""
}

// serviceProblem is the service's refusal of a field, as long as that has its value.
type serviceProblem struct {
	form.Problem
	field  *api.Field
	values []string
}

func Same(a, b api.Request) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(one) == string(two)
}

// SetServiceProblems takes the service's errors for fields of the request in the form.
func (d *Draft) SetServiceProblems(found []api.FieldError) {
	d.serviceProblems, d.seen = nil, false
	for _, e := range found {
		name, _, _ := strings.Cut(e.Field, ".")
		f := api.FieldNamed(name)
		if f == nil || !slices.Contains(d.applies, f.Name) || f.Name == api.FieldAsync {
			continue
		}
		at, text := d.formField(f.Name+strings.TrimPrefix(e.Field, name), api.OneLine(e.Text.String()))
		p := form.Problem{Field: at, Text: d.env.Say("The service: %s", text), Early: true}
		d.serviceProblems = append(d.serviceProblems, serviceProblem{Problem: p, field: f, values: slices.Clone(f.Texts(&d.Request))})
	}
	d.Form.Settle()
}

func (d *Draft) openServiceProblems() []form.Problem {
	return api.Pick(d.serviceProblems, func(p serviceProblem) (form.Problem, bool) {
		return p.Problem, slices.Equal(p.field.Texts(&d.Request), p.values)
	})
}

// Send is called when the draft is to be sent. Sent again as it is, what the service
// rejected is in the way no more.
func (d *Draft) Send() {
	if d.seen {
		d.serviceProblems = nil
	}
	d.seen = len(d.openServiceProblems()) > 0
}

// Refused takes the service's refusal of a request, and reports whether it is shown.
func (d *Draft) Refused(r api.Request, found []api.FieldError) bool {
	if d.Kind != r.Kind || !Same(d.Request, r) {
		return false
	}
	d.SetServiceProblems(found)
	return len(d.serviceProblems) > 0
}

// check is the form's rules: the spec's, each next to the field that can put it right.
func (d *Draft) check() []form.Problem {
	base := d.env.Settings.BaseURL
	d.found = api.Check(d.Request, d.Listing, base)
	for i := 1; i < len(d.Set.All) && len(d.found) == 0; i++ { // the first request that breaks a rule
		d.found = api.Check(d.Set.All[i].Request, d.Listing, base)
	}
	out := make([]form.Problem, 0, len(d.found))
	for _, p := range d.found {
		text := d.sentence(p)
		if kind, n, _ := d.rowOf(p.Field); n > 0 {
			p.Early = true // a row is typed to its end before it is one
			text = cmp.Or(d.localSentence(d.Materials.Values(kind)[n-1]), text)
		}
		field, text := d.formField(p.Field, text)
		missing := p.Code == "no_material" || p.Code == "no_such_material"
		short := d.env.SayIf(missing, "%v has no material", p.Args[:min(len(p.Args), 1)]...)
		out = append(out, form.Problem{Field: field, Text: text, Short: short, Early: p.Early, Late: p.Code == "no_prompt"})
	}
	if d.Seed.Value() != "" && d.Request.Seed == nil && slices.Contains(d.applies, api.FieldSeed) {
		text := d.env.Say("The seed is a whole number: digits only, or empty.")
		out = append(out, form.Problem{Field: api.FieldSeed, Text: text, Early: len(d.Seed.Value()) > 1})
	}
	if d.Err != nil {
		out = append(out, form.Problem{Field: api.FieldPrompt, Text: env.Sentence(d.env, d.Err)})
	}
	return slices.Concat(out, d.overfull(), d.checkExtras(), d.openServiceProblems())
}

// Values of the async field.
const (
	asyncTrue  = "true"
	asyncFalse = "false"
	asyncOmit  = "omit"
)

// extra is a field for a parameter that the spec does not name.
type extra struct {
	*form.Choice
	parameter api.Parameter
}

// ShowMore opens what is seldom needed.
func (d *Draft) ShowMore() {
	d.more.SetOpen(true)
	d.Form.Settle()
	d.Form.Focus(d.async)
}

func (d *Draft) labelMore() {
	say := d.env.Say
	d.more.Label = say("More")
	d.async.Label = say("Async")
	d.async.SetOptions([]form.Option{
		{Value: asyncTrue, Label: say("true (recommended)")},
		{Value: asyncFalse, Label: say("false: wait for the result")},
		{Value: asyncOmit, Label: say("leave it out")},
	})
	for _, e := range d.extras {
		e.Empty = say("not set")
		e.Touch()
	}
	d.nameMore()
}

func (d *Draft) nameMore() {
	d.more.Closed = strings.Join(append([]string{d.async.Label}, api.Map(d.extras, func(e extra) string { return e.Label })...), ", ")
	d.more.Touch()
}

// takeExtras gives the form a field for each parameter that the spec does not name.
// Values that were set under the same name stay.
func (d *Draft) takeExtras() {
	old := d.extras
	d.extras = nil
	tail := []form.Field{d.async}
	for _, p := range d.Listing.Extras() {
		e, known := api.Find(old, func(e extra) bool { return e.parameter.Name == p.Name })
		if e.parameter = p; !known {
			e.Choice = form.NewChoice(p.Name, api.Clean(p.Name, 40).String())
			e.Free = true
		}
		values := p.Values
		if p.JSONType() == api.TypeBoolean {
			values = []string{"true", "false"}
		}
		e.SetOptions(d.options(api.Rising(values), d.env.Say("not set")))
		e.Empty = d.env.Say("not set")
		e.Note = d.env.SayIf(p.Default != "", "default: %s", api.Clean(p.Default, 40).String())
		e.Show = func() bool { return d.more.Open() || e.Value() != "" }
		d.takeKept(e)
		d.extras = append(d.extras, e)
		tail = append(tail, e.Choice)
	}
	for _, e := range old {
		if value, ok := e.value(); ok && !slices.ContainsFunc(d.extras, func(now extra) bool { return now.parameter.Name == e.parameter.Name }) {
			d.kept = append(d.kept, value) // its model is not chosen any more
		}
	}
	d.nameMore()
	d.Form.Tail(tail...)
}

// value is the field's value, if it can be sent.
func (e extra) value() (api.Extra, bool) {
	value, ok := e.parameter.Extra(e.Value())
	return value, ok && e.Value() != ""
}

// takeKept gives a field the value that was kept under its name.
func (d *Draft) takeKept(e extra) {
	if i := slices.IndexFunc(d.kept, func(k api.Extra) bool { return k.Name == e.parameter.Name }); i >= 0 {
		e.SetValue(d.kept[i].Text())
		d.kept = slices.Delete(d.kept, i, i+1)
	}
}

func (d *Draft) setExtras(r api.Request) {
	d.kept = slices.Clone(r.Extra)
	for _, e := range d.extras {
		e.SetValue("")
		d.takeKept(e)
	}
	d.async.SetValue(asyncTrue)
	switch {
	case r.NoAsync:
		d.async.SetValue(asyncOmit)
	case r.Sync:
		d.async.SetValue(asyncFalse)
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// misfits say what a value has to be, by the type of its parameter; any other is an object.
var misfits = map[string]string{
	api.TypeInteger: "%s must be a whole number.", api.TypeNumber: "%s must be a number.",
	api.TypeBoolean: "%s must be true or false.", api.TypeArray: "%s has to be a JSON list, such as [1, 2].",
}

func (d *Draft) checkExtras() []form.Problem {
	say := d.env.Say
	return api.Pick(d.extras, func(e extra) (out form.Problem, found bool) {
		text, p := e.Value(), e.parameter
		_, fits := p.Extra(text)
		n, err := strconv.ParseFloat(text, 64)
		switch {
		case text == "":
		case !fits:
			out.Text = say(cmp.Or(misfits[p.JSONType()], "%s has to be a JSON object, such as {\"a\": 1}."), e.Label)
		case err != nil:
		case p.Min != nil && n < *p.Min:
			out.Text = say("%s must be at least %s.", e.Label, number(*p.Min))
		case p.Max != nil && n > *p.Max:
			out.Text = say("%s must be at most %s.", e.Label, number(*p.Max))
		}
		out.Field, out.Early = p.Name, true
		return out, out.Text != ""
	})
}
