package api

import (
	"cmp"
	"slices"
)

// mark says where a field belongs.
type mark uint8

const (
	forImage    mark = 1 << iota // "Generation request: image"
	forVideo                     // "Generation request: video"
	forSeedance                  // "seedance2 only" in that table
	inOmini                      // "Rules for video materials" 1
	inFirstLast                  // "Rules for video materials" 2
	isURL                        // its type is url or url[]
	anyMode     = inOmini | inFirstLast
)

// field is one row of the spec's tables of request fields.
type field struct {
	name   string
	marks  mark
	most   int                     // of a list ("Limits")
	values []string                // all that the spec allows
	list   func(*Request) []string // of a field that is no text
}

// fields holds the rows of both tables: the image table's own first, then the
// video table, whose order it keeps.
var fields = []field{
	{name: FieldModel, marks: forImage | forVideo | anyMode},
	{name: FieldPrompt, marks: forImage | forVideo | anyMode},
	{name: FieldSize, marks: forImage | anyMode},
	{name: FieldQuality, marks: forImage | anyMode, values: []string{"low", "medium", "high"}},
	{name: FieldImageURL, marks: forImage | forVideo | anyMode | isURL},
	{name: FieldEndImageURL, marks: forVideo | forSeedance | inFirstLast | isURL},
	{name: FieldImageFiles, marks: forVideo | forSeedance | inOmini | isURL, most: MaxImageFiles,
		list: func(r *Request) []string { return r.ImageFiles }},
	{name: FieldVideoURL, marks: forVideo | forSeedance | inOmini | isURL},
	{name: FieldVideoFiles, marks: forVideo | forSeedance | inOmini | isURL, most: MaxVideoFiles,
		list: func(r *Request) []string { return r.VideoFiles }},
	{name: FieldAudioFiles, marks: forVideo | forSeedance | inOmini | isURL, most: MaxAudioFiles,
		list: func(r *Request) []string { return r.AudioFiles }},
	{name: FieldFunctionMode, marks: forVideo | forSeedance | anyMode, values: []string{ModeOmini, ModeFirstLastFrame}},
	{name: FieldSeed, marks: forVideo | forSeedance | anyMode},
	{name: FieldDuration, marks: forVideo | anyMode},
	{name: FieldAspectRatio, marks: forImage | forVideo | anyMode},
	{name: FieldResolution, marks: forVideo | anyMode},
	{name: FieldVideoModel, marks: forVideo | forSeedance | anyMode, values: VideoModels()},
	{name: FieldAsync, marks: forImage | forVideo | anyMode},
}

// Limits of the spec ("Limits").
const (
	MaxPrompt     = 5000 // characters
	MaxImageFiles = 9
	MaxVideoFiles = 3
	MaxAudioFiles = 3
)

// imageOrder is the order of the image table; a field that only videos have
// comes behind it, where it is a problem.
var imageOrder = append([]string{FieldModel, FieldPrompt, FieldSize, FieldQuality, FieldAspectRatio, FieldImageURL},
	FieldEndImageURL, FieldImageFiles, FieldVideoURL, FieldVideoFiles, FieldAudioFiles, FieldFunctionMode,
	FieldSeed, FieldDuration, FieldResolution, FieldVideoModel, FieldAsync)

var videoOrder = []string{FieldModel, FieldPrompt, FieldImageURL, FieldEndImageURL, FieldImageFiles,
	FieldVideoURL, FieldVideoFiles, FieldAudioFiles, FieldFunctionMode, FieldSeed, FieldDuration,
	FieldAspectRatio, FieldResolution, FieldVideoModel, FieldSize, FieldQuality, FieldAsync}

// imageFields and videoFields are the rows in the order of each table.
var imageFields, videoFields = inOrder(imageOrder), inOrder(videoOrder)

func inOrder(names []string) []field {
	out := make([]field, 0, len(names))
	for _, name := range names {
		out = append(out, fields[slices.IndexFunc(fields, func(f field) bool { return f.name == name })])
	}
	return out
}

// Choices gives all values that the spec allows for a field; none when it names
// no fixed set.
func Choices(name string) []string {
	for _, f := range fields {
		if f.name == name {
			return slices.Clone(f.values)
		}
	}
	return nil
}

// fieldsOf gives every field, those of the kind's table first and in its order.
func fieldsOf(k Kind) []field {
	if k == KindImage {
		return imageFields
	}
	return videoFields
}

// Field is where a request keeps the text of a field of the spec; nil for those
// that are no text.
func (r *Request) Field(name string) *string {
	switch name {
	case FieldModel:
		return &r.Model
	case FieldPrompt:
		return &r.Prompt
	case FieldSize:
		return &r.Size
	case FieldQuality:
		return &r.Quality
	case FieldAspectRatio:
		return &r.AspectRatio
	case FieldImageURL:
		return &r.ImageURL
	case FieldEndImageURL:
		return &r.EndImageURL
	case FieldVideoURL:
		return &r.VideoURL
	case FieldFunctionMode:
		return &r.FunctionMode
	case FieldDuration:
		return &r.Duration
	case FieldResolution:
		return &r.Resolution
	case FieldVideoModel:
		return &r.VideoModel
	}
	return nil
}

// texts are the values of a field; none when it is not set.
func (f *field) texts(r *Request) []string {
	if f.list != nil {
		return f.list(r)
	}
	text := r.SeedText()
	if f.name != FieldSeed {
		text = *cmp.Or(r.Field(f.name), new(string))
	}
	if text == "" {
		return nil
	}
	return []string{text}
}

// Applies gives the names of the fields that may be set for the request's
// kind, model and functionMode, in the spec's order. Without a model of its
// own a video request counts as seedance2. The ratio is always called
// FieldAspectRatio here.
func Applies(r Request) []string {
	var out []string
	for _, f := range fieldsOf(r.Kind) {
		if f.misplaced(&r) == "" {
			out = append(out, f.name)
		}
	}
	return out
}

// misplaced gives the code of the reason why the field does not apply to the
// request's kind, model or mode; "" when it does.
func (f *field) misplaced(r *Request) string {
	kind := forVideo
	if r.Kind == KindImage {
		kind = forImage
	}
	mode := inOmini
	if r.FunctionMode == ModeFirstLastFrame {
		mode = inFirstLast
	}
	switch {
	case f.marks&kind == 0 && r.Kind == KindImage:
		return codeVideosOnly
	case f.marks&kind == 0:
		return codeImagesOnly
	case f.marks&forSeedance != 0 && r.Model != Seedance2 && r.Model != "":
		return codeSeedanceOnly
	case f.marks&mode == 0 && f.marks&inFirstLast != 0:
		return codeFirstLastOnly
	case f.marks&mode == 0:
		return codeOminiOnly
	}
	return ""
}

// Mode gives the functionMode that the request has, omitted or not ("Rules for
// video materials" 3).
func (r Request) Mode() string {
	if r.FunctionMode == "" {
		return ModeOmini
	}
	return r.FunctionMode
}
