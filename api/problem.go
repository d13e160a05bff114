package api

// Problem is one finding of a rule: the field that it belongs to, a code, and
// the values that the code's sentence needs.
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
	return Problem{Field: field, Code: code, Early: problems[code].early, Args: args}
}

// Sentence returns the problem's sentence; "" for a code that is not known.
func (p Problem) Sentence() Sentence { return problems[p.Code].say }

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
	codeTooLong        = "too_long"         // characters, the limit, how many too many
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
	codeTooMany      = "too_many" // the field, the limit, how many too many
	codeAudioAlone   = "audio_alone"
	codeEmptyAddress = "empty_address"

	CodeNotAChoice  = "not_a_choice"     // the field, the choices
	codeNotListed   = "not_listed"       // the field, the choices
	codePair        = "impossible_pair"  // the video_model, its resolutions, the resolution
	codeFixed       = "fixed_resolution" // the video_model, its resolution
	codeNotNumber   = "not_a_number"     // the field
	codeNotPositive = "not_positive"
	codeBelowMin    = "below_min"    // the field, the least
	codeAboveMax    = "above_max"    // the field, the limit
	codeOutOfRange  = "out_of_range" // the limit

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
	CodeToolUnknownArgument = "tool_unknown_argument" // the known arguments
	CodeToolNoArguments     = "tool_no_arguments"
	CodeToolSchema          = "tool_schema"        // what the schema has against it
	CodeToolNotObject       = "tool_not_an_object" // no value
)

// problems maps each code to its sentence, which says what is wrong and then what
// to do, and to whether more typing cannot cure it.
var problems = map[string]struct {
	say   Sentence
	early bool
}{
	// The request as a whole.
	codeNoKind:          {"Choose whether to make an image or a video.", false},
	codeNoModel:         {"Choose a model.", false},
	codeNeedsImageModel: {"%s makes videos: choose an image model.", true},
	codeNeedsVideoModel: {"%s makes images: choose a video model.", true},
	codeModelForm:       {"The id of an image model has the form provider/name: choose one from the models list.", false},
	codeBadText:         {"%s has spaces at its ends or characters that cannot be seen: type it anew.", false},
	codeNotUTF8:         {"%s has bytes that are no text: type those places anew.", false},
	// The prompt.
	codeNoPrompt:       {"Write a prompt.", false},
	codeTooLong:        {"The prompt has %s characters of at most %s: remove %s.", true},
	codeBadToken:       {"%s names no material: they are numbered from 1, without leading zeros.", true},
	codeNoMaterial:     {"%s names a material that is not there: add %s or take the reference out.", false},
	codeNoSuchMaterial: {"%s names a material that is not there: you have %s of this kind. Add %s or change the number.", false},
	// Fields that do not go with the kind, the model or the mode.
	codeVideosOnly:    {"%s is for videos only: leave it out.", true},
	codeImagesOnly:    {"%s is for images only: leave it out.", true},
	codeSeedanceOnly:  {"%s is for seedance2 only: leave it out or choose seedance2.", true},
	codeFirstLastOnly: {"%s is for first_last_frame only: leave it out or switch functionMode to first_last_frame.", true},
	codeOminiOnly:     {"%s is for omini only: leave it out or switch functionMode to omini.", true},
	// Materials.
	codeRequired:     {"This model needs %s: fill it in.", false},
	codeFirstFrame:   {"first_last_frame needs its first frame: add image_url.", false},
	codeTooMany:      {"%s takes at most %s addresses: remove %s.", true},
	codeAudioAlone:   {"Audio goes with images or videos: add one, or take the audio out.", false},
	codeEmptyAddress: {"This address is empty: fill it in or take it out.", false},
	// Values.
	CodeNotAChoice:  {"%s has to be one of %s.", false},
	codeNotListed:   {"This model lists other values for %s: choose one of %s.", false},
	codePair:        {"%s comes in %s only, not in %s: choose another tier or resolution.", true},
	codeFixed:       {"%s is fixed at %s: choose another tier or resolution.", true},
	codeNotNumber:   {"%s has to be a number for this model.", false},
	codeNotPositive: {"The duration has to be above 0.", false},
	codeBelowMin:    {"This model takes %s from %s up: choose a larger number.", false},
	codeAboveMax:    {"This model takes %s up to %s: choose a smaller number.", true},
	codeOutOfRange:  {"The seed has to lie between -%[1]s and %[1]s: choose a smaller number.", true},
	// Addresses.
	codeURLSpaces:  {"An address has no spaces or line ends: take them out or write %%20.", true},
	codeURLForm:    {"This is not a whole address: copy it again, such as https://example.com/boat.png.", false},
	codeURLScheme:  {"An address starts with https:// or http://: write all of it.", false},
	codeURLLocal:   {"The service cannot read files of this machine: upload it and use its public https:// address.", false},
	codeURLHost:    {"This address has no host: write all of it, such as https://example.com/boat.png.", false},
	codeURLUser:    {"This address holds a user name or password: use one that everybody can open.", true},
	codeURLPrivate: {"The service cannot reach this host, it is on this machine or network only: use a public address.", false},
	// Arguments of a tool.
	CodeToolRequired:        {"%s is required.", false},
	CodeToolNotObject:       {"The arguments have to be one JSON object, such as {\"id\": \"…\"}.", false},
	CodeToolUnknownArgument: {"This tool has no argument %s: it takes %s.", false},
	CodeToolNoArguments:     {"This tool takes no arguments: leave %s out.", false},
	CodeToolSchema:          {"%s breaks the tool's schema (%s).", false},
}
