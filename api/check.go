package api

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Check applies every rule of the spec and of the model's listing, unless that is of
// another model. Problems come in the order of the spec's table for the kind. base
// is the service's base URL, or "".
func Check(r Request, m Model, base string) []Problem {
	c := checker{r: &r, m: r.listing(m), base: base}
	if !r.Kind.Known() {
		c.add(FieldModel, "", "no_kind")
		return c.out
	}
	for _, f := range Fields(r.Kind) {
		switch f.Name {
		case FieldModel:
			c.model()
		case FieldPrompt:
			c.prompt()
		case FieldAsync: // a bool cannot be wrong
		default:
			c.field(f)
		}
	}
	return c.out
}

type checker struct {
	r    *Request
	m    Model
	base string
	out  []Problem
}

// add notes that a value breaks a rule; "" if the rule is about no single value.
func (c *checker) add(field, value, code string, args ...any) {
	p := NewProblem(field, code, args...)
	p.Value = value
	c.out = append(c.out, p)
}

var imageModelID = Pattern(`^[^/\s]+/\S*[^/\s]$`)

func (c *checker) model() {
	id := c.r.Model
	switch {
	case strings.TrimSpace(id) == "":
		c.add(FieldModel, "", "no_model")
	case !plainText(id):
		c.add(FieldModel, id, "bad_text", FieldModel)
	case c.r.Kind == KindImage && (id == Seedance2 || c.m.Kind == KindVideo):
		c.add(FieldModel, "", "needs_image_model", id)
	case c.r.Kind == KindVideo && c.m.Kind == KindImage && id != Seedance2:
		c.add(FieldModel, "", "needs_video_model", id)
	case c.r.Kind == KindImage && c.m.Kind != KindImage && !imageModelID().MatchString(id):
		c.add(FieldModel, id, "model_form")
	}
}

// prompt applies "1 to 5000 characters" (code points) and "Prompt references". A
// prompt of white space alone counts as empty.
func (c *checker) prompt() {
	s := c.r.Prompt
	switch {
	case strings.TrimSpace(s) == "":
		c.add(FieldPrompt, "", "no_prompt")
	case !utf8.ValidString(s) || strings.ContainsFunc(s, noText):
		c.add(FieldPrompt, "", "not_utf8", FieldPrompt)
	}
	if n := utf8.RuneCountInString(s); n > MaxPrompt {
		c.add(FieldPrompt, "", "too_long", n, MaxPrompt, n-MaxPrompt)
	}
	if c.r.Kind == KindVideo && c.r.Model == Seedance2 {
		c.tokens()
	}
}

func noText(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }

func (c *checker) tokens() {
	reported := map[Token]bool{}
	for _, t := range Tokens(c.r.Prompt) {
		have, this := len(c.r.Materials(t.Kind)), Token{Kind: t.Kind, Number: t.Number}
		if t.Number >= 1 && t.Number <= have || reported[this] {
			continue
		}
		reported[this] = true
		text := c.r.Prompt[t.Start:t.End]
		switch {
		case t.Number == 0:
			c.add(FieldPrompt, "", "bad_token", Clean(text, MaxIDText).String())
		case have == 0:
			c.add(FieldPrompt, "", "no_material", text, t.Kind)
		default:
			c.add(FieldPrompt, "", "no_such_material", text, have, t.Kind)
		}
	}
}

func (c *checker) field(f *Field) {
	texts, misplaced := f.Texts(c.r), f.misplaced(c.r)
	switch {
	case len(texts) > 0 && (misplaced == "omini_only" || misplaced == "first_last_frame_only"):
		c.add(f.Name, "", misplaced, f.Name, FieldFunctionMode)
	case len(texts) > 0 && misplaced != "":
		c.add(f.Name, "", misplaced, f.Name)
	case misplaced != "":
	case len(texts) == 0:
		if f.Name == FieldImageURL && c.r.Model == Seedance2 && c.r.Mode() == ModeFirstLastFrame {
			c.add(f.Name, "", "first_frame", f.Name) // "Rules for video materials" 2
		} else if p, ok := c.m.Parameter(f.Name); ok && p.Required && p.Default == "" {
			c.add(f.Name, "", "required", c.name(f))
		}
	case f.Shape == ShapeURL:
		c.addresses(f, texts)
	case c.choice(f, texts[0]):
		c.bounds(f, texts[0])
	}
}

// Place names the value at an index of a field, as problems do: image_files.2.
func (f *Field) Place(index int) string {
	if f.Max == 0 {
		return f.Name
	}
	return f.Name + "." + strconv.Itoa(index+1)
}

// MapAddresses puts what change gives in the place of each address of a material.
func (r *Request) MapAddresses(change func(place, address string) string) {
	for _, f := range fields {
		if f.Shape == ShapeURL {
			texts := slices.Clone(f.Texts(r))
			for i, text := range texts {
				texts[i] = change(f.Place(i), text)
			}
			f.Set(r, texts...)
		}
	}
}

func (c *checker) addresses(f *Field, texts []string) {
	if f.Max != 0 && len(texts) > f.Max {
		c.add(f.Name, "", "too_many", f.Name, f.Max, len(texts)-f.Max)
	}
	for i, s := range texts {
		if code := checkAddress(s, c.base); code != "" {
			c.add(f.Place(i), s, code)
		}
	}
	// "Rules for video materials" 4
	if f.Name == FieldAudioFiles && len(c.r.Materials(MaterialImage))+len(c.r.Materials(MaterialVideo)) == 0 {
		c.add(f.Name, "", "audio_alone")
	}
}

// choice applies the values that the spec, its rate table and the listing allow.
func (c *checker) choice(f *Field, value string) bool {
	if !plainText(value) {
		c.add(f.Name, value, "bad_text", c.name(f))
		return false
	}
	if len(f.Values) > 0 && !slices.Contains(f.Values, value) {
		c.add(f.Name, value, "not_a_choice", f.Name, f.Values)
		return false
	}
	if f.Name == FieldResolution && c.r.Model == Seedance2 && !c.resolution(value) {
		return false
	}
	p, ok := c.m.Parameter(f.Name)
	if !ok || len(p.Values) == 0 || slices.ContainsFunc(p.Values, func(v string) bool { return sameValue(v, value) }) {
		return true
	}
	c.add(f.Name, value, "not_listed", c.name(f), p.Values)
	return false
}

func (c *checker) resolution(value string) bool {
	allowed := Resolutions(c.r.VideoModel)
	switch {
	case len(allowed) == 0 || slices.Contains(allowed, value): // an unknown video_model has its own problem
		return true
	case c.r.VideoModel == "":
		c.add(FieldResolution, value, "not_a_choice", FieldResolution, allowed)
	case len(allowed) == 1:
		c.add(FieldResolution, value, "fixed_resolution", c.r.VideoModel, allowed[0])
	default:
		c.add(FieldResolution, value, "impossible_pair", c.r.VideoModel, allowed, value)
	}
	return false
}

// bounds applies the number rules; a seed has to survive JSON.
func (c *checker) bounds(f *Field, value string) {
	p, ok := c.m.Parameter(f.Name)
	bounded := ok && (p.Min != nil || p.Max != nil) && len(p.Values) == 0
	if f.Name != FieldDuration && f.Name != FieldSeed && !bounded {
		return
	}
	// The rate table must read the same number of seconds as the service: "1e1" is 10 to some.
	rated := f.Name == FieldDuration && c.r.Model == Seedance2 && len(p.Values) == 0
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case f.Name == FieldSeed && (*c.r.Seed > maxSafe || *c.r.Seed < -maxSafe):
		c.add(f.Name, value, "out_of_range", int64(maxSafe))
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0) || rated && !decimal().MatchString(strings.TrimPrefix(value, "-")):
		if bounded || rated {
			c.add(f.Name, value, "not_a_number", c.name(f))
		}
	case f.Name == FieldDuration && n <= 0:
		c.add(f.Name, value, "not_positive")
	case bounded && p.Min != nil && n < *p.Min:
		c.add(f.Name, value, "below_min", c.name(f), f.withUnit(*p.Min))
	case bounded && p.Max != nil && n > *p.Max:
		c.add(f.Name, value, "above_max", c.name(f), f.withUnit(*p.Max))
	case rated && n > maxTableSeconds:
		c.add(f.Name, value, "above_max", c.name(f), f.withUnit(maxTableSeconds))
	}
}

func (f *Field) withUnit(n float64) string {
	return strings.ReplaceAll(cmp.Or(f.Unit, "%s"), "%s", strconv.FormatFloat(n, 'f', -1, 64))
}

// maxSafe is the largest integer that every JSON reader keeps exactly.
const maxSafe = 1<<53 - 1

// name is the field's name as it is sent.
func (c *checker) name(f *Field) string {
	if f.Name == FieldAspectRatio {
		return f.listedName(c.r, c.m)
	}
	return f.Name
}

// sameValue compares numbers by their worth: a listed 5 takes "5.0".
func sameValue(listed, given string) bool {
	if listed == given {
		return true
	}
	if !decimal().MatchString(listed) || !decimal().MatchString(given) {
		return false
	}
	a, _ := strconv.ParseFloat(listed, 64) // a decimal
	b, _ := strconv.ParseFloat(given, 64)
	return a == b
}

func plainText(s string) bool {
	return len(s) <= 256 && utf8.ValidString(s) && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, unicode.IsControl)
}
