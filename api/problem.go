package api

// Problem is one finding of a rule: the field it stands beside, a code, and
// the values that the code's sentence needs. The sentences are not of this
// package: whoever shows a problem has them in each language.
type Problem struct {
	Field string `json:"field"` // a Field… constant; "image_files.2" names the second of a list
	Code  string `json:"code"`
	// Early problems cannot be cured by typing on (5,001 characters, an
	// impossible pair); they show at once. The others wait until the field
	// is left or sending is tried.
	Early bool `json:"-"`
	// Args are the values, in the order that the code's comment names: a
	// text, an integer, a MaterialKind, or a list of texts.
	Args []any `json:"-"`
}

// NewProblem makes a problem of a code with its values.
func NewProblem(field, code string, args ...any) Problem {
	return Problem{Field: field, Code: code, Early: problemCodes[code], Args: args}
}

// String gives field and code, for logs.
func (p Problem) String() string { return p.Field + ": " + p.Code }

// Codes of the problems of a request. Behind each stand its values.
const (
	codeNoKind          = "no_kind"
	codeNoModel         = "no_model"
	codeNeedsImageModel = "needs_image_model" // the model
	codeNeedsVideoModel = "needs_video_model" // the model
	codeModelForm       = "model_form"
	codeBadText         = "bad_text" // the field
	codeNotUTF8         = "not_utf8" // the field

	codeNoPrompt       = "no_prompt"
	codeTooLong        = "too_long"         // characters, the most, how many too many
	codeBadToken       = "bad_token"        // the reference
	codeNoMaterial     = "no_material"      // the reference, the kind of material
	codeNoSuchMaterial = "no_such_material" // the reference, how many there are, the kind of material

	codeVideosOnly    = "videos_only"           // the field
	codeImagesOnly    = "images_only"           // the field
	codeSeedanceOnly  = "seedance2_only"        // the field
	codeFirstLastOnly = "first_last_frame_only" // the field
	codeOminiOnly     = "omini_only"            // the field

	codeRequired     = "required" // the field
	codeFirstFrame   = "first_frame"
	codeTooMany      = "too_many" // the field, the most, how many too many
	codeAudioAlone   = "audio_alone"
	codeEmptyAddress = "empty_address"

	CodeNotAChoice  = "not_a_choice"     // the field, the choices
	codeNotListed   = "not_listed"       // the field, the choices
	codePair        = "impossible_pair"  // the video_model, its resolutions, the resolution
	codeFixed       = "fixed_resolution" // the video_model, its resolution
	codeNotNumber   = "not_a_number"     // the field
	codeNotPositive = "not_positive"
	codeBelowMin    = "below_min"    // the field, the least
	codeAboveMax    = "above_max"    // the field, the most
	codeOutOfRange  = "out_of_range" // the most

	codeURLSpaces  = "url_spaces"
	codeURLForm    = "url_form"
	codeURLScheme  = "url_scheme"
	codeURLLocal   = "url_local"
	codeURLHost    = "url_host"
	codeURLUser    = "url_user"
	codeURLPrivate = "url_private"
)

// Codes of the problems of a tool's arguments. All but the last begin with the
// argument.
const (
	CodeToolRequired        = "tool_required"
	CodeToolUnknownArgument = "tool_unknown_argument" // the arguments that there are
	CodeToolNoArguments     = "tool_no_arguments"
	CodeToolSchema          = "tool_schema"        // what the schema has against it
	CodeToolNotObject       = "tool_not_an_object" // no value
)

// problemCodes are all codes, and whether typing on cannot cure them.
var problemCodes = map[string]bool{
	codeNoKind: false, codeNoModel: false, codeNeedsImageModel: true, codeNeedsVideoModel: true, codeModelForm: false,
	codeBadText: false, codeNotUTF8: false,
	codeNoPrompt: false, codeTooLong: true, codeBadToken: true, codeNoMaterial: false, codeNoSuchMaterial: false,
	codeVideosOnly: true, codeImagesOnly: true, codeSeedanceOnly: true, codeFirstLastOnly: true, codeOminiOnly: true,
	codeRequired: false, codeFirstFrame: false, codeTooMany: true, codeAudioAlone: false, codeEmptyAddress: false,
	CodeNotAChoice: false, codeNotListed: false, codePair: true, codeFixed: true, codeNotNumber: false,
	codeNotPositive: false, codeBelowMin: false, codeAboveMax: true, codeOutOfRange: true,
	codeURLSpaces: true, codeURLForm: false, codeURLScheme: false, codeURLLocal: false, codeURLHost: false,
	codeURLUser: true, codeURLPrivate: false,

	CodeToolRequired: false, CodeToolUnknownArgument: false, CodeToolNoArguments: false, CodeToolSchema: false,
	CodeToolNotObject: false,
}
