// Package api is the contract of the generation service in Go. Sections named in
// comments are sections of the service's interface specification.
package api

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Request is one generation request. A zero field is not sent.
type Request struct {
	Kind        Kind   `json:"kind"`
	Model       string `json:"model"`
	Prompt      string `json:"prompt"`
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

	// Vary has lists of values: a pattern of api/expand, which is never sent.
	Vary map[string][]string `json:"vary,omitempty"`

	// Sync sends async false, the zero value async true, as the spec recommends.
	Sync    bool `json:"sync,omitempty"`
	NoAsync bool `json:"no_async,omitempty"`

	Extra []Extra `json:"extra,omitempty"`
}

// Waits reports whether the answer may be the result, which async true excludes.
func (r Request) Waits() bool { return r.Sync || r.NoAsync }

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

// The two kinds. The zero Kind is one that is not known.
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

// ContextReader ends a long read of a file with its context.
type ContextReader struct {
	Ctx    context.Context
	Reader io.Reader
}

func (c ContextReader) Read(b []byte) (int, error) {
	if err := c.Ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(b)
}

// Within does something that may take for ever or break down, and reports whether it has
// ended before the context, and with which panic, if any. Otherwise do keeps running.
func Within(ctx context.Context, do func()) (ended bool, broken any) {
	end := make(chan any, 1)
	go func() {
		defer func() { end <- recover() }()
		do()
	}()
	select {
	case broken = <-end:
		return true, broken
	case <-ctx.Done():
		return false, nil
	}
}

// OpenRegular opens a file, of which the error is fs.ErrInvalid if it is of another kind:
// opening a named pipe would wait for a writer.
func OpenRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	return f, info, err
}

// Seedance2 is the id of the one video model that the spec names.
const Seedance2 = "seedance2"

// Known reports whether there are requests of the kind.
func (k Kind) Known() bool { return k == KindImage || k == KindVideo }

// MaterialKind is what a prompt reference names.
type MaterialKind string

// The three kinds of materials, spelt as the tokens spell them.
const (
	MaterialImage MaterialKind = "图片"
	MaterialVideo MaterialKind = "视频"
	MaterialAudio MaterialKind = "音频"
)

// Token is a prompt reference such as 【@图片1】 ("Prompt references").
type Token struct {
	Kind       MaterialKind
	Number     int // counted from 1; 0 if its digits are not such a number
	Start, End int // bytes of the prompt
}

// TokenText gives the token of a material, such as 【@音频2】.
func TokenText(kind MaterialKind, number int) string {
	return "【@" + string(kind) + strconv.Itoa(number) + "】"
}

var (
	tokenForm  = Pattern(`【@(图片|视频|音频)([0-9]+)】`)
	numberForm = Pattern(`^[1-9][0-9]{0,8}$`)
)

// Tokens gives the prompt's references in their order.
func Tokens(prompt string) (out []Token) {
	for _, at := range tokenForm().FindAllStringSubmatchIndex(prompt, -1) {
		t := Token{Kind: MaterialKind(prompt[at[2]:at[3]]), Start: at[0], End: at[1]}
		if digits := prompt[at[4]:at[5]]; numberForm().MatchString(digits) {
			t.Number, _ = strconv.Atoi(digits)
		}
		out = append(out, t)
	}
	return out
}

// Next is a request for a video that goes on from a frame of the one that this is for, in the
// same tier, ratio and length.
func (r Request) Next(frame string) Request {
	next := Request{Kind: KindVideo, Model: Seedance2, FunctionMode: ModeFirstLastFrame, ImageURL: frame,
		AspectRatio: r.AspectRatio, Duration: r.Duration}
	if r.Model == Seedance2 {
		next.VideoModel, next.Resolution = r.VideoModel, r.Resolution
	}
	if len(Tokens(r.Prompt)) == 0 { // which name materials that it does not have
		next.Prompt = r.Prompt
	}
	return next
}

// Materials gives the addresses that tokens of a kind count. The spec leaves image_url
// together with image_files open; here the single address comes first.
func (r Request) Materials(kind MaterialKind) []string {
	names := []string{FieldImageURL, FieldImageFiles}
	switch {
	case kind == MaterialVideo:
		names = []string{FieldVideoURL, FieldVideoFiles}
	case kind == MaterialAudio:
		names = []string{FieldAudioFiles}
	case r.Mode() == ModeFirstLastFrame:
		names[1] = FieldEndImageURL
	}
	return slices.Concat(Map(names, func(name string) []string { return FieldNamed(name).Texts(&r) })...)
}

// ReadRequest reads a request that is kept as text: a recipe, the JSON body of a call,
// or a curl command that makes one. The kind is "" when the text does not tell it.
func ReadRequest(text string) (Request, bool) {
	text = strings.TrimSpace(text)
	command, ok := strings.CutPrefix(text, "curl")
	switch {
	case len(text) > 1<<20:
	case strings.HasPrefix(text, "{"):
		return bounded(readObject([]byte(text), ""))
	case ok && strings.TrimLeft(command, " \t\\\r\n") != command:
		return bounded(readCurl(command))
	}
	return Request{}, false
}

// bounded cuts lists to the spec's limit and one more, which the form complains of.
func bounded(r Request, ok bool) (Request, bool) {
	for _, f := range fields {
		if texts := f.Texts(&r); f.Max != 0 {
			f.Set(&r, texts[:min(len(texts), f.Max+1)]...)
		}
	}
	for name, values := range r.Vary {
		r.Vary[name] = values[:min(len(values), 1001)] // more requests are never sent
	}
	return r, ok
}

func readObject(raw []byte, kind Kind) (Request, bool) {
	var recipe struct {
		Kind    Kind            `json:"kind"`
		Request json.RawMessage `json:"request"`
	}
	if json.Unmarshal(raw, &recipe) == nil && recipe.Kind.Known() && strings.HasPrefix(string(recipe.Request), "{") {
		var r Request
		err := json.Unmarshal(recipe.Request, &r)
		r.Kind = recipe.Kind
		return r, err == nil && r.Prompt != ""
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(raw, &body) != nil {
		return Request{}, false
	}
	for name := range body { // a request has a model, or no unknown fields
		if f := FieldNamed(name); body[FieldModel] == nil && (f == nil || name != f.Name && name != FieldRatio) {
			return Request{}, false
		}
	}
	r, err := ParseBody(cmp.Or(kind, kindOfBody(body)), raw)
	return r, err == nil && r.Prompt != ""
}

func kindOfBody(body map[string]json.RawMessage) Kind {
	var model string
	if json.Unmarshal(body[FieldModel], &model) == nil && model == Seedance2 {
		return KindVideo
	}
	for _, f := range fields {
		switch {
		case body[f.Name] == nil:
		case !f.For(KindImage):
			return KindVideo
		case !f.For(KindVideo):
			return KindImage
		}
	}
	return ""
}

func readCurl(command string) (Request, bool) {
	words, _ := ShellWords(command)
	var kind Kind
	for _, w := range words {
		for _, k := range []Kind{KindImage, KindVideo} {
			if strings.HasSuffix(w, (Request{Kind: k}).Path()) {
				kind = k
			}
		}
	}
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		switch name {
		case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json":
			if !joined && i+1 < len(words) {
				value = words[i+1]
			}
			return readObject([]byte(value), kind)
		}
	}
	return Request{}, false
}

// ShellWords takes a command apart as a POSIX shell does. What an open quote holds is a
// word, and the command is not whole.
func ShellWords(s string) (words []string, whole bool) {
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	end := func() {
		if in {
			words = append(words, word.String())
			word.Reset()
		}
		in = false
	}
	for _, r := range s {
		switch {
		case escaped:
			escaped = false
			if r == '\n' {
				continue // the command goes on in the next line
			}
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			in = true
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, in = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			end()
		default:
			word.WriteRune(r)
			in = true
		}
	}
	end()
	return words, quote == 0 && !escaped
}

// Curl is a generation call as a shell command; the key stays a variable.
func Curl(address string, body []byte) string {
	return "curl --request POST " + QuoteShell(address) + " \\\n" +
		"  --header \"Authorization: Bearer $DARKROOM_API_KEY\" \\\n" +
		"  --header 'Content-Type: application/json' \\\n" +
		"  --data-raw " + QuoteShell(string(body)) + "\n"
}

// QuoteShell is a text as one word of a command, as it is where a POSIX shell reads
// nothing into it.
func QuoteShell(s string) string {
	if s != "" && strings.Trim(s, "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
