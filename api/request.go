// Package api is the generation service in Go: its requests and their rules,
// a client that sends them, and a tolerant reader of its answers. It uses
// neither disk nor screen. Sections named in comments are sections of the
// service's interface specification.
package api

// Request is one generation request ("Generation request: image" and
// "…: video"). A zero field is not sent. Fields that do not belong to the kind,
// model or mode are problems, not silently dropped.
type Request struct {
	Kind   Kind   `json:"kind"`
	Model  string `json:"model"`
	Prompt string `json:"prompt"`

	Size        string `json:"size,omitempty"`         // image
	Quality     string `json:"quality,omitempty"`      // image
	AspectRatio string `json:"aspect_ratio,omitempty"` // both; sent as aspect_ratio or ratio, whichever the model lists

	ImageURL     string   `json:"image_url,omitempty"`     // both
	EndImageURL  string   `json:"end_image_url,omitempty"` // seedance2
	ImageFiles   []string `json:"image_files,omitempty"`   // seedance2, at most 9
	VideoURL     string   `json:"video_url,omitempty"`     // seedance2
	VideoFiles   []string `json:"video_files,omitempty"`   // seedance2, at most 3
	AudioFiles   []string `json:"audio_files,omitempty"`   // seedance2, at most 3
	FunctionMode string   `json:"function_mode,omitempty"` // seedance2; sent as functionMode
	Seed         *int64   `json:"seed,omitempty"`          // seedance2
	Duration     string   `json:"duration,omitempty"`      // video; digits are sent as a number
	Resolution   string   `json:"resolution,omitempty"`    // video
	VideoModel   string   `json:"video_model,omitempty"`   // seedance2

	// Vary has the values of fields that stand for several requests each: it
	// makes this a pattern, of which api/expand makes requests. It is never sent.
	Vary map[string][]string `json:"vary,omitempty"`

	// Sync sends async false. The zero value sends async true, as the spec
	// recommends.
	Sync bool `json:"sync,omitempty"`
	// NoAsync sends no async at all.
	NoAsync bool `json:"no_async,omitempty"`

	// Extra are parameters of the model's listing that the spec does not name.
	Extra []Extra `json:"extra,omitempty"`
}

// Waits reports whether the answer may be the result itself: the spec promises a
// job id for async true alone.
func (r Request) Waits() bool { return r.Sync || r.NoAsync }

// Field names, as the spec writes them. They name a problem's place.
const (
	FieldModel        = "model"
	FieldPrompt       = "prompt"
	FieldSize         = "size"
	FieldQuality      = "quality"
	FieldAspectRatio  = "aspect_ratio"
	FieldRatio        = "ratio"
	FieldImageURL     = "image_url"
	FieldEndImageURL  = "end_image_url"
	FieldImageFiles   = "image_files"
	FieldVideoURL     = "video_url"
	FieldVideoFiles   = "video_files"
	FieldAudioFiles   = "audio_files"
	FieldFunctionMode = "functionMode"
	FieldSeed         = "seed"
	FieldDuration     = "duration"
	FieldResolution   = "resolution"
	FieldVideoModel   = "video_model"
	FieldAsync        = "async"
)

// Values of functionMode; omitted it is ModeOmini.
const (
	ModeOmini          = "omini"
	ModeFirstLastFrame = "first_last_frame"
)

// Kind says what a request makes: an image or a video.
type Kind string

// The two kinds. The zero Kind means that it is not known, as for a model
// whose listing does not say.
const (
	KindImage Kind = "image"
	KindVideo Kind = "video"
)

// MaxBytes is how large a result of a kind may be.
func MaxBytes(kind Kind) int64 {
	if kind == KindImage {
		return 256 << 20
	}
	return 4 << 30
}

// Seedance2 is the id of the one video model the spec lists by name.
const Seedance2 = "seedance2"

func (k Kind) known() bool { return k == KindImage || k == KindVideo }
