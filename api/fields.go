package api

import "slices"

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
	most   int      // of a list ("Limits")
	values []string // all that the spec allows
	texts  func(*Request) []string
}

// fields holds the rows of both tables: the image table's own first, then the
// video table, whose order it keeps.
var fields = []field{
	{name: FieldModel, marks: forImage | forVideo | anyMode, texts: one(func(r *Request) string { return r.Model })},
	{name: FieldPrompt, marks: forImage | forVideo | anyMode, texts: one(func(r *Request) string { return r.Prompt })},
	{name: FieldSize, marks: forImage | anyMode, texts: one(func(r *Request) string { return r.Size })},
	{name: FieldQuality, marks: forImage | anyMode, values: []string{"low", "medium", "high"},
		texts: one(func(r *Request) string { return r.Quality })},
	{name: FieldImageURL, marks: forImage | forVideo | anyMode | isURL,
		texts: one(func(r *Request) string { return r.ImageURL })},
	{name: FieldEndImageURL, marks: forVideo | forSeedance | inFirstLast | isURL,
		texts: one(func(r *Request) string { return r.EndImageURL })},
	{name: FieldImageFiles, marks: forVideo | forSeedance | inOmini | isURL, most: MaxImageFiles,
		texts: func(r *Request) []string { return r.ImageFiles }},
	{name: FieldVideoURL, marks: forVideo | forSeedance | inOmini | isURL,
		texts: one(func(r *Request) string { return r.VideoURL })},
	{name: FieldVideoFiles, marks: forVideo | forSeedance | inOmini | isURL, most: MaxVideoFiles,
		texts: func(r *Request) []string { return r.VideoFiles }},
	{name: FieldAudioFiles, marks: forVideo | forSeedance | inOmini | isURL, most: MaxAudioFiles,
		texts: func(r *Request) []string { return r.AudioFiles }},
	{name: FieldFunctionMode, marks: forVideo | forSeedance | anyMode, values: []string{ModeOmini, ModeFirstLastFrame},
		texts: one(func(r *Request) string { return r.FunctionMode })},
	{name: FieldSeed, marks: forVideo | forSeedance | anyMode, texts: one(seedText)},
	{name: FieldDuration, marks: forVideo | anyMode, texts: one(func(r *Request) string { return r.Duration })},
	{name: FieldAspectRatio, marks: forImage | forVideo | anyMode,
		texts: one(func(r *Request) string { return r.AspectRatio })},
	{name: FieldResolution, marks: forVideo | anyMode, texts: one(func(r *Request) string { return r.Resolution })},
	{name: FieldVideoModel, marks: forVideo | forSeedance | anyMode, values: VideoModels(),
		texts: one(func(r *Request) string { return r.VideoModel })},
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

// one makes a list of a single text: empty when the text is.
func one(text func(*Request) string) func(*Request) []string {
	return func(r *Request) []string {
		if s := text(r); s != "" {
			return []string{s}
		}
		return nil
	}
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
