package api

// Codes of problems, for programs.
const (
	codeNoKind     = "no_kind"
	CodeRequired   = "required"
	codeWrongKind  = "wrong_kind"
	codeModelForm  = "model_form"
	codeBadText    = "bad_text"
	CodeTooLong    = "too_long"
	codeTooMany    = "too_many"
	codeBadToken   = "bad_token"
	codeNoMaterial = "no_material"

	codeNotForKind  = "not_for_kind"
	codeNotForModel = "not_for_model"
	codeNotForMode  = "not_for_mode"

	codeFirstFrame = "first_frame"
	codeAudioAlone = "audio_alone"
	CodeNotAChoice = "not_a_choice"
	codePair       = "impossible_pair"
	CodeNotNumber  = "not_a_number"
	CodeBelowMin   = "below_min"
	CodeAboveMax   = "above_max"
	codeOutOfRange = "out_of_range"

	codeURLSpaces  = "url_spaces"
	codeURLForm    = "url_form"
	codeURLScheme  = "url_scheme"
	codeURLHost    = "url_host"
	codeURLUser    = "url_user"
	codeURLPrivate = "url_private"
)

// EarlyCodes are those that typing on cannot cure.
var EarlyCodes = map[string]bool{
	codeWrongKind: true, CodeTooLong: true, codeTooMany: true, codePair: true, CodeAboveMax: true,
	codeNotForKind: true, codeNotForModel: true, codeNotForMode: true, codeOutOfRange: true,
	codeBadToken: true, codeURLSpaces: true, codeURLUser: true,
}

// The sentences of problems: what is wrong, then what to do.
const (
	sayNoKind     = "Choose whether to make an image or a video."
	sayNoModel    = "Choose a model."
	sayVideoModel = "%s makes videos: choose an image model."
	sayImageModel = "%s makes images: choose a video model."
	sayModelForm  = "The id of an image model has the form provider/name: choose one from the models list."
	sayBadText    = "%s has spaces at its ends or characters that cannot be seen: type it anew."
	sayNotUTF8    = "%s has bytes that are no text: type those places anew."

	sayNoPrompt    = "Write a prompt."
	sayTooLong     = "The prompt has %d characters of at most %d: remove %d."
	sayBadToken    = "%s names no material: they are numbered from 1, without leading zeros."
	sayNoMaterials = "%s names a material that is not there: add %s or take the reference out."
	sayNoMaterial  = "%s names a material that is not there: you have %d of this kind. Add %s or change the number."

	sayVideosOnly    = "%s is for videos only: leave it out."
	sayImagesOnly    = "%s is for images only: leave it out."
	saySeedanceOnly  = "%s is for seedance2 only: leave it out or choose seedance2."
	sayFirstLastOnly = "%s is for first_last_frame only: leave it out or switch functionMode to first_last_frame."
	sayOminiOnly     = "%s is for omini only: leave it out or switch functionMode to omini."

	sayRequired   = "This model needs %s: fill it in."
	sayFirstFrame = "first_last_frame needs its first frame: add image_url."
	sayTooMany    = "%s takes at most %d addresses: remove %d."
	sayAudioAlone = "Audio goes with images or videos: add one, or take the audio out."
	sayEmptyItem  = "This address is empty: fill it in or take it out."

	SayChoice   = "%s has to be one of %s."
	sayListed   = "This model lists other values for %s: choose one of %s."
	sayPair     = "%s comes in %s only, not in %s: change the resolution or the video_model."
	sayFixed    = "%s is fixed at %s: change the resolution or the video_model."
	sayNumber   = "%s has to be a number for this model."
	sayPositive = "The duration has to be above 0."
	sayMin      = "This model takes %s from %s up: choose a larger number."
	sayMax      = "This model takes %s up to %s: choose a smaller number."
	saySeed     = "The seed has to lie between -%[1]d and %[1]d: choose a smaller number."

	sayURLSpaces  = "An address has no spaces or line ends: take them out or write %%20."
	sayURLForm    = "This is not a whole address: copy it again, such as https://example.com/boat.png."
	sayURLScheme  = "An address starts with https:// or http://: write all of it."
	sayURLLocal   = "The service cannot read files of this machine: upload it and use its public https:// address."
	sayURLHost    = "This address has no host: write all of it, such as https://example.com/boat.png."
	sayURLUser    = "This address holds a user name or password: use one that everybody can open."
	sayURLPrivate = "The service cannot reach this host, it is on this machine or network only: use a public address."
)

// say the same before anything is sent.
const (
	SayToolNeeds    = "%s is required."
	SayToolWhole    = "%s has to be a whole number."
	SayToolNumber   = "%s has to be a number, such as 2.5."
	SayToolNumbers  = "%s takes one number a line: %s is none."
	SayToolYesNo    = "%s has to be true or false."
	SayToolLeast    = "%s begins at %s: choose a larger number."
	SayToolMost     = "%s ends at %s: choose a smaller number."
	SayToolShort    = "%s has %d characters and needs %d: write more."
	SayToolLong     = "%s has %d characters of at most %d: remove %d."
	SayToolFew      = "%s has %d lines and needs %d: add some."
	SayToolMany     = "%s has %d lines of at most %d: remove %d."
	SayToolJSON     = "%s is no JSON: look at its quotes and brackets."
	SayToolObject   = "The arguments have to be one JSON object, such as {\"id\": \"…\"}."
	SayToolNoField  = "This tool has no argument %s: it takes %s."
	SayToolNothing  = "This tool takes no arguments: leave %s out."
	SayToolWantText = "%s has to be a text in quotes."
	SayToolWantList = "%s has to be a list in brackets."
)

// sentences are all of the above, for whoever says them in another language.
var sentences = []string{
	sayNoKind, sayNoModel, sayVideoModel, sayImageModel, sayModelForm, sayBadText, sayNotUTF8,
	sayNoPrompt, sayTooLong, sayBadToken, sayNoMaterials, sayNoMaterial,
	sayVideosOnly, sayImagesOnly, saySeedanceOnly, sayFirstLastOnly, sayOminiOnly,
	sayRequired, sayFirstFrame, sayTooMany, sayAudioAlone, sayEmptyItem,
	SayChoice, sayListed, sayPair, sayFixed, sayNumber, sayPositive, sayMin, sayMax, saySeed,
	sayURLSpaces, sayURLForm, sayURLScheme, sayURLLocal, sayURLHost, sayURLUser, sayURLPrivate,

	SayToolNeeds, SayToolWhole, SayToolNumber, SayToolNumbers, SayToolYesNo, SayToolLeast, SayToolMost, SayToolShort, SayToolLong,
	SayToolFew, SayToolMany, SayToolJSON, SayToolObject, SayToolNoField, SayToolNothing, SayToolWantText, SayToolWantList,
}

// materialNoun completes "add …".
var materialNoun = map[MaterialKind]string{
	MaterialImage: "an image", MaterialVideo: "a video", MaterialAudio: "an audio",
}
