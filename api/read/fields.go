package read

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"darkroom/api"
)

// specFields are the spec's request fields by their folded names.
var specFields = func() map[string]string {
	m := map[string]string{}
	for _, f := range [...]string{api.FieldModel, api.FieldPrompt, api.FieldSize, api.FieldQuality, api.FieldAspectRatio, api.FieldRatio,
		api.FieldImageURL, api.FieldEndImageURL, api.FieldImageFiles, api.FieldVideoURL, api.FieldVideoFiles, api.FieldAudioFiles,
		api.FieldFunctionMode, api.FieldSeed, api.FieldDuration, api.FieldResolution, api.FieldVideoModel, api.FieldAsync} {
		m[fold(f)] = f
	}
	m["imagesize"] = api.FieldSize
	m["modelid"] = api.FieldModel
	m["functionmode"] = api.FieldFunctionMode
	return m
}()

// ReadFieldErrors reads which fields a refusal names, with its words for each.
// The spec's names are given where they could be matched.
func ReadFieldErrors(raw []byte) []api.FieldError {
	return Error(http.StatusUnprocessableEntity, nil, raw).Fields
}

// maxFieldErrors bounds what one answer may name.
const maxFieldErrors = 32

// fieldErrors reads which fields an answer refuses.
func (l *lexicon) fieldErrors(root *node, e *api.Error) []api.FieldError {
	var out []api.FieldError
	add := func(field string, t told) {
		if field == "" || t.text.IsZero() || len(out) >= maxFieldErrors {
			return
		}
		for _, have := range out {
			if have.Field == field && have.Text == t.text {
				return
			}
		}
		out = append(out, api.FieldError{Field: field, Text: t.text})
		e.Found = append(e.Found, t.node.found("field", field+": "+t.text.String()))
	}
	n := root
	if n.is(shapeArray) {
		n = n.first
	}
	places := []*node{n.get("detail"), n.get("details"), n.get("errors"), n.get("issues"), n.get("fields"), n.get("violations"),
		n.get("invalidparams"), n.get("fielderrors"), n.get("validationerrors"), n.at("error", "details"),
		n.at("error", "errors"), n.at("error", "fields"), n.at("error", "issues"), n.at("error", "detail"), n.at("data", "errors"),
		n.at("details", "fielderrors"), n.at("error", "details", "fielderrors"), n.at("data", "fields")}
	if foldStatus(n.get("status").scalar()) == "fail" { // the data of such an answer are the fields
		places = append(places, n.get("data"))
	}
	for _, p := range places {
		l.fieldsIn(p, add, 0)
	}
	for _, p := range []*node{n, n.get("error")} {
		if f := p.any([]string{"param", "parameter", "field", "property"}); f.is(shapeString) {
			add(fieldName(f.text), told{e.Text, f})
		}
	}
	if len(out) == 0 && e.Class == api.ClassInvalid {
		for c := range n.children { // {"prompt": ["is required"]}
			if _, known := specFields[c.name]; known && c.is(shapeArray) {
				add(specFields[c.name], l.sentence(c, 1))
			}
		}
		if len(out) == 0 {
			add(fieldInText(e.Text.String()), told{e.Text, n})
		}
	}
	return out
}

// fieldsIn reads arrays of {loc|field|path, msg} and maps field → text.
func (l *lexicon) fieldsIn(n *node, add func(string, told), depth int) {
	if depth > 3 {
		return
	}
	switch {
	case n.is(shapeArray):
		for c := range n.children {
			if c.is(shapeObject) {
				l.fieldIssue(c, add, depth)
			} else if c.is(shapeString) {
				add(fieldInText(c.text), l.sentence(c, 0))
			}
		}
	case n.is(shapeObject):
		for c := range n.children {
			if strings.HasPrefix(c.key, "_") || c.size == 0 && c.shape != shapeString {
				continue
			}
			if c.name == "fieldviolations" || c.name == "issues" || c.name == "errors" {
				l.fieldsIn(c, add, depth+1)
				continue
			}
			f := fieldName(c.key)
			if base, _, _ := strings.Cut(f, "."); specFields[fold(base)] != "" {
				add(f, l.sentence(c, 1))
			}
		}
	}
}

func (l *lexicon) fieldIssue(n *node, add func(string, told), depth int) {
	names := []string{"loc", "path", "field", "param", "parameter", "property", "name", "pointer", "key", "instancepath", "propertypath", "fieldname",
		"parametername", "argument", "attribute"}
	place := n.any(names)
	if place == nil {
		place = n.get("source").any(names)
	}
	if place == nil {
		l.fieldsIn(n.get("fieldviolations"), add, depth+1)
		return
	}
	text := l.sentence(n.any([]string{"msg", "message", "reason", "description", "detail", "error", "defaultmessage", "title"}), 0)
	add(placeName(place), text)
}

// placeName reads ["body","image_files",1] as image_files.2.
func placeName(n *node) string {
	if n.is(shapeString) {
		return fieldName(n.text)
	}
	var parts []string
	for c := range n.children {
		if len(parts) < 16 {
			parts = append(parts, c.scalar())
		}
	}
	return fieldName(strings.Join(parts, "."))
}

// fieldName gives the spec's name of a place such as body.image_files[1], else
// the service's own.
func fieldName(s string) string {
	if len(s) > 4*api.MaxIDText {
		return ""
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("./[]$ ", r) })
	for i, p := range parts {
		f, known := specFields[fold(p)]
		if !known {
			continue
		}
		if i+1 < len(parts) {
			if k, err := strconv.Atoi(parts[i+1]); err == nil && k >= 0 && k < 100 {
				return f + "." + strconv.Itoa(k+1)
			}
		}
		return f
	}
	return api.Clean(s, api.MaxIDText).String()
}

// A field in a sentence: its name before "is required" and the like, after
// "invalid" and the like, or in quotes.
var (
	reFieldBefore = regexp.MustCompile(`(?i)\b([a-z][a-z_]{2,20})['"` + "`" + `]?:? (?:is |are |does |field |value |parameter )?(?:a |an )?(?:required|missing|invalid|not |must|should|cannot|could|can't|exceeds|too |out of|has |may )`)
	reFieldAfter  = regexp.MustCompile(`(?i)\b(?:invalid|missing|unknown|unsupported|bad|required|field|parameter|param|property)(?: value| parameter| field| for| required)*:? ['"` + "`" + `]?([a-z][a-z_]{2,20})\b`)
	reFieldQuoted = regexp.MustCompile("['\"`]([A-Za-z][A-Za-z_]{2,20})['\"`]")
)

func fieldInText(s string) string {
	if len(s) > 1000 {
		s = s[:1000]
	}
	for _, re := range []*regexp.Regexp{reFieldQuoted, reFieldBefore, reFieldAfter} {
		for _, m := range re.FindAllStringSubmatch(s, 8) {
			if f, known := specFields[fold(m[1])]; known {
				return f
			}
		}
	}
	for _, f := range chineseFields {
		if strings.Contains(s, f.word) {
			return f.field
		}
	}
	return ""
}

// chineseFields are the words for fields in Chinese sentences.
var chineseFields = [...]struct{ word, field string }{
	{"提示词", api.FieldPrompt}, {"宽高比", api.FieldAspectRatio}, {"画面比例", api.FieldAspectRatio}, {"时长", api.FieldDuration},
	{"分辨率", api.FieldResolution}, {"尺寸", api.FieldSize}, {"种子", api.FieldSeed}, {"首帧", api.FieldImageURL},
	{"尾帧", api.FieldEndImageURL}, {"模型", api.FieldModel},
}
