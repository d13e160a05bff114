package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Field is one row of the spec's tables of request fields.
type Field struct {
	Name    string   // on the wire and in problems
	Also    []string // other names that listings have for it
	Label   string   // on screen, in English; empty if it is not named
	Help    string   // of the flag
	Empty   string   // what the form says, in English, while it is not set
	Example string   // of several values
	Short   bool     // on one line of the form with others
	Shape   Shape
	Max     int      // of a list ("Limits"); 0 if it is not a list
	Values  []string // all that the spec allows; nil when it names no fixed set
	Unit    string   // English format of a value with its unit
	Bare    string   // English format of a value that stands without its label
	// At is where a request keeps it; nil of async, which is two members.
	At func(*Request) any

	marks mark
}

// EmptyDefault is said of a field that can be left to the service.
const EmptyDefault = "default"

// Shape is the type of a field in the spec's tables.
type Shape string

// Shapes of fields. The zero Shape is a text.
const (
	ShapeURL          Shape = "url"
	ShapeInteger      Shape = "integer"
	ShapeTextOrNumber Shape = "string or number"
	ShapeBoolean      Shape = "boolean"
)

type mark uint8

const (
	forImage    mark = 1 << iota // "Generation request: image"
	forVideo                     // "Generation request: video"
	forSeedance                  // "seedance2 only" in that table
	inOmini                      // "Rules for video materials" 1
	inFirstLast                  // "Rules for video materials" 2
	anyMode     = inOmini | inFirstLast
	anyRequest  = forImage | forVideo | anyMode
	references  = forVideo | forSeedance | inOmini
)

// fields holds the rows: the image table's own first, then the video table in its order.
var fields = []*Field{
	{Name: FieldModel, Label: "Model", marks: anyRequest,
		Help: "model id; default: the last used, else seedance2 for a video and the first listed one for an image",
		At:   func(r *Request) any { return &r.Model }},
	{Name: FieldPrompt, Label: "Prompt", marks: anyRequest, At: func(r *Request) any { return &r.Prompt }},
	{Name: FieldSize, Also: []string{"image_size"}, Label: "Size", Empty: EmptyDefault, Example: "1K, 2K",
		Help: "image size, such as 1K, 2K, 4K, auto_2K", marks: forImage | anyMode,
		At: func(r *Request) any { return &r.Size }},
	{Name: FieldQuality, Label: "Quality", Empty: EmptyDefault, Help: "low, medium or high",
		marks: forImage | anyMode, Values: []string{"low", "medium", "high"},
		At: func(r *Request) any { return &r.Quality }},
	{Name: FieldImageURL, Label: "Image", Shape: ShapeURL, marks: anyRequest,
		Help: "the image to start from (URL, file, id of a job, @NAME); a clip gives its last frame, ID@4.9 the one at 4.9 s",
		At:   func(r *Request) any { return &r.ImageURL }},
	{Name: FieldEndImageURL, Label: "Last frame", Shape: ShapeURL, marks: forVideo | forSeedance | inFirstLast,
		Help: "the last frame (URL, file, id of a job, @NAME), in first_last_frame mode",
		At:   func(r *Request) any { return &r.EndImageURL }},
	{Name: FieldImageFiles, Label: string(MaterialImage), Shape: ShapeURL, Max: MaxImageFiles, marks: references,
		Help: "reference image (URL, file, id of a job, @NAME); repeat for up to 9",
		At:   func(r *Request) any { return &r.ImageFiles }},
	{Name: FieldVideoURL, Label: "Video", Shape: ShapeURL, marks: references,
		Help: "one reference video (URL, file, id of a job, @NAME)",
		At:   func(r *Request) any { return &r.VideoURL }},
	{Name: FieldVideoFiles, Label: string(MaterialVideo), Shape: ShapeURL, Max: MaxVideoFiles, marks: references,
		Help: "reference video (URL, file, id of a job, @NAME); repeat for up to 3",
		At:   func(r *Request) any { return &r.VideoFiles }},
	{Name: FieldAudioFiles, Label: string(MaterialAudio), Shape: ShapeURL, Max: MaxAudioFiles, marks: references,
		Help: "reference audio (URL, file, @NAME); repeat for up to 3; needs images or videos",
		At:   func(r *Request) any { return &r.AudioFiles }},
	{Name: FieldFunctionMode, Also: []string{"function_mode"}, Label: "Mode",
		Help:  "omini (default): a video from reference images, videos and audio; first_last_frame: from --image-url to --end-image-url",
		marks: forVideo | forSeedance | anyMode, Values: []string{ModeOmini, ModeFirstLastFrame},
		At: func(r *Request) any { return &r.FunctionMode }},
	{Name: FieldSeed, Label: "Seed", Empty: "random", Example: "41-44", Short: true, Shape: ShapeInteger, Bare: "seed %s",
		Help: "random seed, a whole number", marks: forVideo | forSeedance | anyMode,
		At: func(r *Request) any { return &r.Seed }},
	{Name: FieldDuration, Label: "Duration", Empty: "seconds", Example: "5, 10", Short: true, Shape: ShapeTextOrNumber, Unit: "%s s",
		Help: "length of the video in seconds", marks: forVideo | anyMode,
		At: func(r *Request) any { return &r.Duration }},
	{Name: FieldAspectRatio, Also: []string{FieldRatio}, Label: "Ratio", Empty: EmptyDefault, Example: "16:9, 1:1", Short: true,
		Help: "such as 1:1, 16:9, 9:16", marks: anyRequest,
		At: func(r *Request) any { return &r.AspectRatio }},
	{Name: FieldResolution, Label: "Resolution", Example: "480p, 720p", Help: "480p, 720p or 1080p, depending on --video-model",
		marks: forVideo | anyMode,
		At:    func(r *Request) any { return &r.Resolution }},
	{Name: FieldVideoModel, Label: "Tier", Help: "tier of seedance2: fast, standard, fast_vip or standard_vip",
		marks: forVideo | forSeedance | anyMode, Values: VideoModels(),
		At: func(r *Request) any { return &r.VideoModel }},
	{Name: FieldAsync, Label: "Async", Shape: ShapeBoolean, marks: anyRequest,
		At:   func(*Request) any { return nil },
		Help: "true (default): the service answers at once with a job id; false: it may wait for the result; omit: the field is left out"},
}

const (
	MaxPrompt     = 5000 // characters
	MaxImageFiles = 9
	MaxVideoFiles = 3
	MaxAudioFiles = 3
)

var imageFields, videoFields = inOrderOf(KindImage), inOrderOf(KindVideo)

func inOrderOf(kind Kind) []*Field {
	place := func(f *Field) int {
		switch {
		case f.Name == FieldAsync: // behind those of the other kind
			return 3
		case !f.For(kind):
			return 2
		case kind == KindImage && f.Shape == ShapeURL:
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(fields), func(a, b *Field) int { return place(a) - place(b) })
}

// Fields gives every field, the kind's first and in the order of its table.
func Fields(kind Kind) []*Field {
	if kind == KindImage {
		return imageFields
	}
	return videoFields
}

// Settings gives the settings of a kind ("": all), in the order on the form.
func Settings(kind Kind) []*Field {
	return slices.DeleteFunc(slices.Clone(settings), func(f *Field) bool { return kind != "" && !f.For(kind) })
}

// settings are the fields that may vary, in the order on the form.
var settings = named(FieldVideoModel, FieldSize, FieldQuality, FieldResolution, FieldDuration, FieldAspectRatio, FieldSeed)

func named(names ...string) []*Field { return Map(names, FieldNamed) }

// Varies reports whether the field is a setting.
func (f *Field) Varies() bool { return slices.Contains(settings, f) }

// FieldNamed gives the field with a name of the spec or of listings; nil for none.
func FieldNamed(name string) *Field {
	f, _ := Find(fields, func(f *Field) bool { return f.Name == name || slices.Contains(f.Also, name) })
	return f
}

func (f *Field) For(kind Kind) bool {
	if kind == KindImage {
		return f.marks&forImage != 0
	}
	return f.marks&forVideo != 0
}

func (f *Field) Flag() string { return FlagName(f.Name) }

// FlagName is the name of the flag for a field: function-mode for functionMode.
func FlagName(field string) string {
	return strings.ToLower(strings.ReplaceAll(capital().ReplaceAllString(field, "-$0"), "_", "-"))
}

var capital = Pattern(`[A-Z]`)

// Texts gives the values of the field; none when it is not set.
func (f *Field) Texts(r *Request) []string {
	switch at := f.At(r).(type) {
	case *[]string:
		return *at
	case *string:
		if *at != "" {
			return []string{*at}
		}
	case **int64:
		if *at != nil {
			return []string{r.SeedText()}
		}
	}
	return nil
}

// Text is the value of a field that has one; "" when it is not set.
func (f *Field) Text(r *Request) string {
	texts := f.Texts(r)
	return strings.Join(texts[:min(len(texts), 1)], "")
}

// Set gives the field its values, the first one if it is not a list, and reports
// whether they fit the shape; without values it is unset.
func (f *Field) Set(r *Request, values ...string) bool {
	text := strings.Join(values[:min(len(values), 1)], "")
	switch at := f.At(r).(type) {
	case *string:
		*at = text
	case *[]string:
		*at = values
	case **int64:
		*at = nil
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			*at = &n
		}
		return *at != nil || text == ""
	}
	return true
}

// Said is a value with its unit; bare if it stands without the field's label.
func (f *Field) Said(say func(format string, args ...any) string, value string, bare bool) string {
	text, format := Clean(value, 200).String(), f.Unit
	if bare {
		format = cmp.Or(f.Bare, f.Unit)
	}
	if text == "" || format == "" {
		return text
	}
	return say(format, text)
}

// Said are the model and the settings of a request, without their labels.
func (r Request) Said(say func(format string, args ...any) string) []string {
	return append([]string{Clean(r.Model, MaxIDText).String()}, Pick(settings, func(f *Field) (string, bool) {
		text := f.Text(&r)
		return f.Said(say, text, true), text != ""
	})...)
}

func (f *Field) listedName(r *Request, m Model) string {
	if p, ok := r.listing(m).Parameter(f.Name); ok {
		return p.Name
	}
	return f.Name
}

// sentName is the field's name as it is sent: that of the ratio as the model lists it.
func (f *Field) sentName(r *Request, m Model) string {
	if f.Name == FieldAspectRatio {
		return f.listedName(r, m)
	}
	return f.Name
}

// Applies gives the names of the fields that may be set for the request's kind, model
// (seedance2 if none) and mode, in the spec's order.
func Applies(r Request) []string {
	return Pick(Fields(r.Kind), func(f *Field) (string, bool) { return f.Name, f.misplaced(&r) == "" })
}

// misplaced gives the code of why the field does not apply; "" when it does.
func (f *Field) misplaced(r *Request) string {
	framed := r.FunctionMode == ModeFirstLastFrame
	switch {
	case !f.For(r.Kind) && r.Kind == KindImage:
		return "videos_only"
	case !f.For(r.Kind):
		return "images_only"
	case f.marks&forSeedance != 0 && r.Model != Seedance2 && r.Model != "":
		return "seedance2_only"
	case !framed && f.marks&inOmini == 0:
		return "first_last_frame_only"
	case framed && f.marks&inFirstLast == 0:
		return "omini_only"
	}
	return ""
}

// Mode gives the request's functionMode ("Rules for video materials" 3).
func (r Request) Mode() string { return cmp.Or(r.FunctionMode, ModeOmini) }

var decimal = Pattern(`^[0-9]{1,18}(\.[0-9]{1,9})?$`)

// Path is the path of the generation call ("Endpoints"); "" without a kind.
func (r Request) Path() string {
	return map[Kind]string{KindImage: "/api/v1/images/generations", KindVideo: "/api/v1/videos/generations"}[r.Kind]
}

// Body is the exact JSON body of the request: the spec's names, in the spec's
// order; the ratio under the name the model lists; then the extra parameters.
func (r Request) Body(m Model) []byte {
	w := Object{}
	for _, f := range Fields(r.Kind) {
		switch f.Name {
		case FieldModel, FieldPrompt: // also when they are empty
			w.text(f.Name, f.Text(&r))
		case FieldAsync:
			if !r.NoAsync {
				w.Raw(f.Name, strconv.FormatBool(!r.Sync))
			}
		default:
			w.field(f.sentName(&r, m), f, &r)
		}
	}
	for _, e := range r.Extra {
		if FieldNamed(e.Name) == nil && extraName().MatchString(e.Name) && json.Valid(e.Value) {
			w.Raw(e.Name, string(e.Value))
		}
	}
	return w.JSON()
}

// listing gives m, unless it is the listing of another model.
func (r *Request) listing(m Model) Model {
	if m.ID != "" && m.ID != r.Model {
		return Model{}
	}
	return m
}

func (r Request) SeedText() string {
	if r.Seed == nil {
		return ""
	}
	return strconv.FormatInt(*r.Seed, 10)
}

func (w *Object) field(name string, f *Field, r *Request) {
	texts := f.Texts(r)
	switch {
	case len(texts) == 0:
	case f.Shape == ShapeInteger:
		w.Raw(name, texts[0])
	case f.Shape == ShapeTextOrNumber && decimal().MatchString(texts[0]): // else it is sent as a string
		number := strings.TrimLeft(texts[0], "0") // JSON has no leading zeros
		if number == "" || number[0] == '.' {
			number = "0" + number
		}
		w.Raw(name, number)
	case f.Max != 0:
		w.Raw(name, "["+strings.Join(Map(texts, JSONString), ",")+"]")
	default:
		w.text(name, texts[0])
	}
}

var errNotObject = Sentence("the body is not one JSON object").Fault(nil)

// ParseBody reads the body of a generation call as Body writes it and as others
// may: texts may be numbers and numbers texts, the ratio has either name, null
// counts as absent, unknown fields are skipped. The error names the field.
func ParseBody(kind Kind, body []byte) (Request, error) {
	var in map[string]json.RawMessage
	if json.Unmarshal(body, &in) != nil || in == nil {
		return Request{}, errNotObject
	}
	r := Request{Kind: kind}
	for _, f := range fields {
		names := []string{f.Name}
		if f.Name == FieldAspectRatio {
			names = append(names, FieldRatio)
		}
		for _, name := range names {
			raw := in[name]
			if raw == nil || string(raw) == "null" || len(f.Texts(&r)) > 0 {
				continue
			}
			if want := f.read(&r, raw); want != "" {
				return r, fmt.Errorf("%s has to be %s", name, want)
			}
		}
	}
	return r, nil
}

// read takes a field's JSON value; want is the type that it has to be of, if it is not.
func (f *Field) read(r *Request, raw json.RawMessage) (want string) {
	if f.Max != 0 {
		var items []*string
		if json.Unmarshal(raw, &items) != nil || slices.Contains(items, nil) {
			return "a list of texts"
		}
		f.Set(r, Map(items, func(item *string) string { return *item })...)
		return ""
	}
	var text string
	var number json.Number
	switch {
	case f.Shape == ShapeBoolean:
		text = strings.Trim(string(raw), `"`)
		if r.Sync = text == "false"; !r.Sync && text != "true" {
			return "true or false"
		}
		return ""
	case json.Unmarshal(raw, &text) == nil:
	case json.Unmarshal(raw, &number) == nil:
		text = number.String()
	case f.Shape == ShapeInteger:
		return "an integer"
	default:
		return "text"
	}
	if f.Set(r, text) {
		return ""
	}
	n, err := strconv.ParseFloat(text, 64) // such as 7.0
	if err != nil || n != math.Trunc(n) || math.Abs(n) > maxSafe {
		return "an integer"
	}
	f.Set(r, strconv.FormatInt(int64(n), 10))
	return ""
}
