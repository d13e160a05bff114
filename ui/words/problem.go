package words

import (
	"fmt"
	"strings"

	"darkroom/api"
)

// Problem says a finding of a rule: what is wrong, then what to do.
func (w *Words) Problem(p api.Problem) string {
	format, ok := problemFormats[p.Code]
	if !ok {
		return p.String()
	}
	values := make([]any, len(p.Args))
	for i, v := range p.Args {
		values[i] = w.value(v)
	}
	if zh, ok := w.zh.Problems[p.Code]; ok {
		format = zh
	}
	return fmt.Sprintf(format, values...)
}

// materialNouns complete "add …".
var materialNouns = map[api.MaterialKind]string{
	api.MaterialImage: "an image", api.MaterialVideo: "a video", api.MaterialAudio: "an audio",
}

// mostListed is how many values a sentence lists.
const mostListed = 12

// value is a value of a code as a sentence takes it.
func (w *Words) value(v any) any {
	switch v := v.(type) {
	case api.MaterialKind:
		return w.Say(materialNouns[v])
	case []string:
		text := strings.Join(v[:min(len(v), mostListed)], ", ")
		if more := len(v) - mostListed; more > 0 {
			text += w.Say(" (%d more)", more)
		}
		return api.Clean(text, 200).String()
	case int, int64:
		return Apart(fmt.Sprint(v))
	}
	return v
}

// Apart writes the digits of a whole number with thousands apart: "1,240".
func Apart(number string) string {
	digits := strings.TrimPrefix(number, "-")
	var b strings.Builder
	b.WriteString(number[:len(number)-len(digits)])
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// problemFormats say each problem of api in English; the catalogue says them in
// Chinese. What stands in the blanks are the problem's values, in the order of
// the English format.
var problemFormats = map[string]string{
	// The request as a whole.
	"no_kind":           "Choose whether to make an image or a video.",
	"no_model":          "Choose a model.",
	"needs_image_model": "%s makes videos: choose an image model.",
	"needs_video_model": "%s makes images: choose a video model.",
	"model_form":        "The id of an image model has the form provider/name: choose one from the models list.",
	"bad_text":          "%s has spaces at its ends or characters that cannot be seen: type it anew.",
	"not_utf8":          "%s has bytes that are no text: type those places anew.",
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
	"first_last_frame_only": "%s is for first_last_frame only: leave it out or switch functionMode to first_last_frame.",
	"omini_only":            "%s is for omini only: leave it out or switch functionMode to omini.",
	// Materials.
	"required":      "This model needs %s: fill it in.",
	"first_frame":   "first_last_frame needs its first frame: add image_url.",
	"too_many":      "%s takes at most %s addresses: remove %s.",
	"audio_alone":   "Audio goes with images or videos: add one, or take the audio out.",
	"empty_address": "This address is empty: fill it in or take it out.",
	// Values.
	"not_a_choice":     "%s has to be one of %s.",
	"not_listed":       "This model lists other values for %s: choose one of %s.",
	"impossible_pair":  "%s comes in %s only, not in %s: choose another tier or resolution.",
	"fixed_resolution": "%s is fixed at %s: choose another tier or resolution.",
	"not_a_number":     "%s has to be a number for this model.",
	"not_positive":     "The duration has to be above 0.",
	"below_min":        "This model takes %s from %s up: choose a larger number.",
	"above_max":        "This model takes %s up to %s: choose a smaller number.",
	"out_of_range":     "The seed has to lie between -%[1]s and %[1]s: choose a smaller number.",
	// Addresses.
	"url_spaces":  "An address has no spaces or line ends: take them out or write %%20.",
	"url_form":    "This is not a whole address: copy it again, such as https://example.com/boat.png.",
	"url_scheme":  "An address starts with https:// or http://: write all of it.",
	"url_local":   "The service cannot read files of this machine: upload it and use its public https:// address.",
	"url_host":    "This address has no host: write all of it, such as https://example.com/boat.png.",
	"url_user":    "This address holds a user name or password: use one that everybody can open.",
	"url_private": "The service cannot reach this host, it is on this machine or network only: use a public address.",
	// Arguments of a tool.
	"tool_required":         "%s is required.",
	"tool_not_an_object":    "The arguments have to be one JSON object, such as {\"id\": \"…\"}.",
	"tool_unknown_argument": "This tool has no argument %s: it takes %s.",
	"tool_no_arguments":     "This tool takes no arguments: leave %s out.",
	"tool_schema":           "%s breaks the tool's schema (%s).",
}
