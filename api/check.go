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
// prompt counts as empty if it shows nothing: white space, format characters,
// marks without a base, fillers, blank braille.
func (c *checker) prompt() {
	s := c.r.Prompt
	switch {
	case strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\u2800' || unicode.In(r, unicode.Cf, unicode.M, unicode.Other_Default_Ignorable_Code_Point)
	}) == "":
		c.add(FieldPrompt, "", "no_prompt")
	case strings.ContainsFunc(s, noText):
		c.add(FieldPrompt, "", "not_utf8", FieldPrompt)
	}
	if n := utf8.RuneCountInString(s); n > MaxPrompt {
		c.add(FieldPrompt, "", "too_long", n, MaxPrompt, n-MaxPrompt)
	}
	if c.r.Kind == KindVideo && c.r.Model == Seedance2 {
		c.tokens()
	}
}

// noText reports controls, and what stands for bytes and halves of characters that could not be read.
func noText(r rune) bool {
	return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) || r == utf8.RuneError
}

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
			c.add(f.Name, "", "required", f.sentName(c.r, c.m))
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
		c.add(f.Name, value, "bad_text", f.sentName(c.r, c.m))
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
	if !ok || p.open() || slices.ContainsFunc(p.Values, func(v string) bool { return sameValue(v, value) }) {
		return true
	}
	c.add(f.Name, value, "not_listed", f.sentName(c.r, c.m), p.Values)
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
	rated := f.Name == FieldDuration && strings.EqualFold(c.r.Model, Seedance2) && p.open()
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case f.Name == FieldSeed && (*c.r.Seed > maxSafe || *c.r.Seed < -maxSafe):
		c.add(f.Name, value, "out_of_range", int64(maxSafe))
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0) || rated && !decimal().MatchString(strings.TrimPrefix(value, "-")):
		if bounded || rated {
			c.add(f.Name, value, "not_a_number", f.sentName(c.r, c.m))
		}
	case f.Name == FieldDuration && n <= 0:
		c.add(f.Name, value, "not_positive")
	case bounded && p.Min != nil && n < *p.Min:
		c.add(f.Name, value, "below_min", f.sentName(c.r, c.m), f.withUnit(*p.Min))
	case bounded && p.Max != nil && n > *p.Max:
		c.add(f.Name, value, "above_max", f.sentName(c.r, c.m), f.withUnit(*p.Max))
	case rated && n > maxTableSeconds:
		c.add(f.Name, value, "above_max", f.sentName(c.r, c.m), f.withUnit(maxTableSeconds))
	}
}

func (f *Field) withUnit(n float64) string {
	return strings.ReplaceAll(cmp.Or(f.Unit, "%s"), "%s", strconv.FormatFloat(n, 'f', -1, 64))
}

// maxSafe is the largest integer that every JSON reader keeps exactly.
const maxSafe = 1<<53 - 1

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

// Problem is one finding of a rule, with the values that the code's sentence needs.
type Problem struct {
	Field string `json:"field"` // a Field… constant; "image_files.2" names the second of a list
	Code  string `json:"code"`
	// Early problems cannot be cured by typing on; they show at once. The others wait
	// until the field is left or sending is tried.
	Early bool   `json:"-"`
	Value string `json:"-"` // that breaks the rule, if one does
	// Args are in the order of the sentence.
	Args []any `json:"-"`
}

// NewProblem makes a problem of a code with its values.
func NewProblem(field, code string, args ...any) Problem {
	return Problem{Field: field, Code: code, Early: slices.Contains(early, code), Args: args}
}

// Sentence returns the problem's sentence; "" for a code that is not known.
func (p Problem) Sentence() Sentence { return problems[p.Code] }

// Named is the problem with the names that a person knows its fields by.
func (p Problem) Named(name func(field string) string) Problem {
	p.Args = Map(p.Args, func(arg any) any {
		if field, ok := arg.(string); ok && FieldNamed(field) != nil {
			return name(field)
		}
		return arg
	})
	return p
}

func (p Problem) String() string { return p.Field + ": " + p.Code }

// early are the codes that typing on cannot cure.
var early = strings.Fields(`
	needs_image_model needs_video_model too_long bad_token videos_only images_only seedance2_only first_last_frame_only
	omini_only too_many impossible_pair fixed_resolution above_max out_of_range url_spaces url_user`)

// problems has the sentence of each code: what is wrong, then what to do.
var problems = map[string]Sentence{
	// The request as a whole.
	"no_kind":           "Choose whether to make an image or a video.",
	"no_model":          "Choose a model.",
	"needs_image_model": "%s makes videos: choose an image model.",
	"needs_video_model": "%s makes images: choose a video model.",
	"model_form":        "The id of an image model has the form provider/name.",
	"bad_text":          "%s begins or ends with spaces, or contains invisible characters: type it again.",
	"not_utf8":          "%s contains bytes that are not text: type them again.",
	// The prompt.
	"no_prompt":        "Write a prompt.",
	"too_long":         "The prompt has %s characters of at most %s: remove %s.",
	"bad_token":        "%s names no material: they are numbered from 1, without leading zeros.",
	"no_material":      "%s names a material that is not there: add %s or take the reference out.",
	"no_such_material": "%s names a material that is not there: you have %s of this kind. Add %s or change the number.",
	// Fields that do not go with the kind, the model or the mode.
	"videos_only":           "%s is for videos only: leave it out.",
	"images_only":           "%s is for images only: leave it out.",
	"seedance2_only":        "%s is for seedance2 only: leave it out or choose seedance2.",
	"first_last_frame_only": "%s is for first_last_frame only: leave it out or switch %s to first_last_frame.",
	"omini_only":            "%s is for omini only: leave it out or switch %s to omini.",
	// What is missing, or there too often.
	"required":      "This model needs %s: fill it in.",
	"first_frame":   "first_last_frame needs its first frame: add %s.",
	"too_many":      "%s takes at most %s URLs: remove %s.",
	"audio_alone":   "Audio goes with images or videos: add one, or take the audio out.",
	"empty_address": "This URL is empty: fill it in or remove it.",
	// Values.
	"not_a_choice":     "%s must be one of %s.",
	"not_listed":       "%s must be one of %s for this model.",
	"impossible_pair":  "%s comes in %s only, not in %s: choose another tier or resolution.",
	"fixed_resolution": "%s is fixed at %s: choose another tier or resolution.",
	"not_a_number":     "%s must be a number for this model, such as 5 or 7.5.",
	"not_positive":     "The duration must be above 0.",
	"below_min":        "%s must be at least %s.",
	"above_max":        "%s must be at most %s.",
	"out_of_range":     "The seed must be between -%[1]s and %[1]s.",
	// Addresses.
	"url_spaces":     "A URL cannot contain spaces or line breaks: remove them, or write %%20.",
	"url_form":       "This is not a full URL: copy it again, such as https://example.com/boat.png.",
	"url_scheme":     "Enter the full URL, starting with https://.",
	"url_local":      "The service cannot read local files: upload it and use its public https:// URL.",
	"url_host":       "This URL has no host: enter the full URL, such as https://example.com/boat.png.",
	"url_user":       "This URL contains a user name or password: use one that everybody can open.",
	"url_private":    "The service cannot reach this host, which is on this machine or network only: use a public URL.",
	"agent_material": "An agent may name a file of a job of its own that is done, as job:ID/1, or an https:// URL: use one of these.",
	"unknown_field":  "There is no field %s in this request: leave it out.",
	// Arguments of a tool.
	"tool_required":         "%s is required.",
	"tool_unknown_argument": "This tool has no argument %s: it takes %s.",
	"tool_no_arguments":     "This tool takes no arguments: leave %s out.",
	"tool_schema":           "%s does not match the tool's schema (%s).",
	"tool_not_an_object":    "The arguments have to be one JSON object, such as {\"id\": \"…\"}.",
}
