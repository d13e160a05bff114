package api

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Check applies every rule of the spec and of the model's listing to a
// request. Problems come in the order of the spec's table for the kind. The
// model may be the zero Model when its listing is not known; a listing of
// another model than the request's is not used. The base is the service's base
// URL, or "" when it is not known: addresses of a service on this machine may
// be used with that service.
func Check(r Request, m Model, base string) []Problem {
	c := checker{r: &r, m: r.listing(m), base: base}
	if r.Kind != KindImage && r.Kind != KindVideo {
		c.add(FieldModel, codeNoKind)
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

func (c *checker) add(field, code string, args ...any) {
	c.out = append(c.out, NewProblem(field, code, args...))
}

// imageModelID is "<provider>/<name>" ("What the service does").
var imageModelID = Pattern(`^[^/\s]+/\S*[^/\s]$`)

func (c *checker) model() {
	id := c.r.Model
	switch {
	case strings.TrimSpace(id) == "":
		c.add(FieldModel, codeNoModel)
	case !plainText(id):
		c.add(FieldModel, codeBadText, FieldModel)
	case c.r.Kind == KindImage && (id == Seedance2 || c.m.Kind == KindVideo):
		c.add(FieldModel, codeNeedsImageModel, id)
	case c.r.Kind == KindVideo && c.m.Kind == KindImage && id != Seedance2:
		c.add(FieldModel, codeNeedsVideoModel, id)
	case c.r.Kind == KindImage && c.m.Kind != KindImage && !imageModelID().MatchString(id):
		c.add(FieldModel, codeModelForm)
	}
}

// prompt applies "1 to 5000 characters" and "Prompt references". Characters
// are code points, as in the JSON that is sent. A prompt of white space alone is
// refused like an empty one; so is one with controls.
func (c *checker) prompt() {
	s := c.r.Prompt
	switch {
	case strings.TrimSpace(s) == "":
		c.add(FieldPrompt, codeNoPrompt)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, noText):
		c.add(FieldPrompt, codeNotUTF8, FieldPrompt)
	}
	if n := utf8.RuneCountInString(s); n > MaxPrompt {
		c.add(FieldPrompt, codeTooLong, n, MaxPrompt, n-MaxPrompt)
	}
	if c.r.Kind == KindVideo && c.r.Model == Seedance2 {
		c.tokens()
	}
}

// noText reports whether a character is a control character, as in a binary file
// or in a program's coloured output.
func noText(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }

func (c *checker) tokens() {
	reported := map[Token]bool{}
	counts := map[MaterialKind]int{}
	for _, kind := range materialKinds {
		counts[kind] = len(c.r.Materials(kind))
	}
	for _, t := range Tokens(c.r.Prompt) {
		have := counts[t.Kind]
		this := Token{Kind: t.Kind, Number: t.Number}
		if t.Number >= 1 && t.Number <= have || reported[this] {
			continue
		}
		reported[this] = true
		text := c.r.Prompt[t.Start:t.End]
		switch {
		case t.Number == 0 && t.End-t.Start > 64:
			c.add(FieldPrompt, codeBadToken, TokenText(t.Kind, 0))
		case t.Number == 0:
			c.add(FieldPrompt, codeBadToken, text)
		case have == 0:
			c.add(FieldPrompt, codeNoMaterial, text, t.Kind)
		default:
			c.add(FieldPrompt, codeNoSuchMaterial, text, have, t.Kind)
		}
	}
}

// field applies the rules that every field has, then its own.
func (c *checker) field(f *Field) {
	texts := f.Texts(c.r)
	if len(texts) == 0 {
		c.missing(f)
		return
	}
	if code := f.misplaced(c.r); code != "" {
		c.add(f.Name, code, f.Name)
		return
	}
	if f.Max > 0 && len(texts) > f.Max {
		c.add(f.Name, codeTooMany, f.Name, f.Max, len(texts)-f.Max)
	}
	if f.Shape == ShapeURL {
		c.addresses(f, texts)
	} else if c.choice(f, texts[0]) {
		c.bounds(f, texts[0])
	}
	if f.Name == FieldAudioFiles { // "Rules for video materials" 4
		if len(c.r.Materials(MaterialImage))+len(c.r.Materials(MaterialVideo)) == 0 {
			c.add(f.Name, codeAudioAlone)
		}
	}
}

// missing applies the rules about a field that is not set.
func (c *checker) missing(f *Field) {
	if f.misplaced(c.r) != "" {
		return
	}
	if f.Name == FieldImageURL && c.r.Model == Seedance2 && c.r.Mode() == ModeFirstLastFrame {
		// "Rules for video materials" 2
		c.add(f.Name, codeFirstFrame)
		return
	}
	// image_url is required as it "depends on the model".
	if p, ok := c.m.Parameter(f.Name); ok && p.Required && p.Default == "" {
		c.add(f.Name, codeRequired, c.name(f))
	}
}

func (c *checker) addresses(f *Field, texts []string) {
	for i, s := range texts {
		place := f.Name
		if f.Max > 0 {
			place += "." + strconv.Itoa(i+1)
		}
		if s == "" {
			c.add(place, codeEmptyAddress)
		} else if code := checkAddress(s, c.base); code != "" {
			c.add(place, code)
		}
	}
}

// choice applies the values that the spec, its rate table and the listing
// allow, and reports whether the value passed.
func (c *checker) choice(f *Field, value string) bool {
	if !plainText(value) {
		c.add(f.Name, codeBadText, c.name(f))
		return false
	}
	if len(f.Values) > 0 && !slices.Contains(f.Values, value) {
		c.add(f.Name, CodeNotAChoice, f.Name, f.Values)
		return false
	}
	if f.Name == FieldResolution && c.r.Model == Seedance2 && !c.resolution(value) {
		return false
	}
	p, ok := c.m.Parameter(f.Name)
	if !ok || len(p.Values) == 0 || slices.ContainsFunc(p.Values, func(v string) bool { return sameValue(v, value) }) {
		return true
	}
	c.add(f.Name, codeNotListed, c.name(f), p.Values)
	return false
}

// resolution applies the table of "Limits" and the resolution row of the
// estimate's parameters.
func (c *checker) resolution(value string) bool {
	allowed := Resolutions(c.r.VideoModel)
	switch {
	case len(allowed) == 0 || slices.Contains(allowed, value): // an unknown video_model has its own problem
		return true
	case c.r.VideoModel == "":
		c.add(FieldResolution, CodeNotAChoice, FieldResolution, allowed)
	default:
		c.out = append(c.out, pairProblem(c.r.VideoModel, value))
	}
	return false
}

// pairProblem says why a video_model does not have a resolution.
func pairProblem(videoModel, resolution string) Problem {
	allowed := Resolutions(videoModel)
	if len(allowed) == 1 {
		return NewProblem(FieldResolution, codeFixed, videoModel, allowed[0])
	}
	return NewProblem(FieldResolution, codePair, videoModel, allowed, resolution)
}

// bounds applies the number rules: a duration is above zero, a seed survives
// JSON, and the listing's min and max.
func (c *checker) bounds(f *Field, value string) {
	p, ok := c.m.Parameter(f.Name)
	bounded := ok && (p.Min != nil || p.Max != nil) && len(p.Values) == 0
	if f.Name != FieldDuration && f.Name != FieldSeed && !bounded {
		return
	}
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case f.Name == FieldSeed && (*c.r.Seed > maxSafe || *c.r.Seed < -maxSafe):
		c.add(f.Name, codeOutOfRange, int64(maxSafe))
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		if bounded {
			c.add(f.Name, codeNotNumber, c.name(f))
		}
	case f.Name == FieldDuration && n <= 0:
		c.add(f.Name, codeNotPositive)
	case bounded && p.Min != nil && n < *p.Min:
		c.add(f.Name, codeBelowMin, c.name(f), number(*p.Min))
	case bounded && p.Max != nil && n > *p.Max:
		c.add(f.Name, codeAboveMax, c.name(f), number(*p.Max))
	}
}

// maxSafe is the largest integer that every JSON reader keeps exactly.
const maxSafe = 1<<53 - 1

// name gives the field's name as it is sent.
func (c *checker) name(f *Field) string {
	if f.Name == FieldAspectRatio {
		return f.listedName(c.r, c.m)
	}
	return f.Name
}

// sameValue compares a listed value with a given one: numbers by their worth,
// so that a listed 5 takes "5.0".
func sameValue(listed, given string) bool {
	if listed == given {
		return true
	}
	if !decimal().MatchString(listed) || !decimal().MatchString(given) {
		return false
	}
	a, errA := strconv.ParseFloat(listed, 64)
	b, errB := strconv.ParseFloat(given, 64)
	return errA == nil && errB == nil && a == b
}

// maxPlain is how long a short value may be; the spec's are under ten.
const maxPlain = 256

// plainText reports whether a short value is one line of text without space
// at its ends.
func plainText(s string) bool {
	return len(s) <= maxPlain && utf8.ValidString(s) && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, unicode.IsControl)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
