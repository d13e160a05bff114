package api

import (
	"slices"
	"strings"
)

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
	"agent_material": "An agent may name a file of a job that is done, as job:ID/1, or an https:// URL: use one of these.",
	"unknown_field":  "There is no field %s in this request: leave it out.",
	// Arguments of a tool.
	"tool_required":         "%s is required.",
	"tool_unknown_argument": "This tool has no argument %s: it takes %s.",
	"tool_no_arguments":     "This tool takes no arguments: leave %s out.",
	"tool_schema":           "%s does not match the tool's schema (%s).",
	"tool_not_an_object":    "The arguments have to be one JSON object, such as {\"id\": \"…\"}.",
}
