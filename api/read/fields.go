package read

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// maxFieldErrors bounds what one answer may name.
const maxFieldErrors = 32

var (
	// specFields are the spec's request fields by their folded names.
	specFields = func() map[string]string {
		m := map[string]string{"modelid": api.FieldModel}
		for _, f := range api.Fields("") {
			for _, name := range append([]string{f.Name}, f.Also...) {
				m[fold(name)] = f.Name
			}
		}
		m[api.FieldRatio] = api.FieldRatio
		return m
	}()
)

// ReadFieldErrors reads which fields a refusal names, with its words for each.
// The spec's names are given where they could be matched.
func ReadFieldErrors(raw []byte) []api.FieldError {
	return Error(http.StatusUnprocessableEntity, nil, raw).Fields
}

// fieldSearch gathers the fields that an answer refuses.
type fieldSearch []api.FieldError

func (s *fieldSearch) add(field, text string) {
	f := api.FieldError{Field: field, Text: cleanText(text)}
	if field != "" && !f.Text.IsZero() && len(*s) < maxFieldErrors && !slices.Contains(*s, f) {
		*s = append(*s, f)
	}
}

// refusedFields reads which fields an answer refuses.
func refusedFields(n *node, e *api.Error) []api.FieldError {
	var s fieldSearch
	text := e.Text.String()
	for outer := range n.boxes(fieldBoxes) {
		s.within(outer, fieldPlaces.has, 0)
	}
	if n.get("status").word() == "fail" { // the data of such an answer are the fields
		s.within(n.get("data"), nil, 0)
	}
	for box := range n.boxes(plainErrors) {
		s.add(fieldName(box.any(oneField).scalar()), text)
	}
	if len(s) == 0 && e.Class == api.ClassInvalid {
		s.within(n, func(name string) bool { return specFields[name] != "" }, 0) // {"prompt": ["is required"]}
		if len(s) == 0 {
			s.add(fieldInText(text), text)
		}
	}
	return s
}

// within reads the members that fit: arrays of {loc|field|path, msg}, and maps
// field → text.
func (s *fieldSearch) within(n *node, fits func(name string) bool, depth int) {
	for c := range n.children {
		field, _, _ := strings.Cut(fieldName(c.key), ".")
		switch {
		case fits != nil && !fits(c.name) || depth > 4:
		case n.is(shapeArray) && c.is(shapeString):
			s.add(fieldInText(c.text), sentence(c, 0))
		case n.is(shapeArray):
			s.issue(c, depth)
		case fieldPlaces.has(c.name) && c.shape >= shapeArray:
			s.within(c, nil, depth+1)
		case specFields[fold(field)] != "":
			s.add(fieldName(c.key), sentence(c, 1))
		}
	}
}

// issue reads one {loc|field|path, msg}.
func (s *fieldSearch) issue(n *node, depth int) {
	place := cmp.Or(n.any(issueFields), n.get("source").any(issueFields))
	if place == nil {
		s.within(n, nil, depth+1)
		return
	}
	path := place.scalar()
	for c := range place.children { // ["body","image_files",1] is image_files.2
		if c.index < 16 {
			path += "." + c.scalar()
		}
	}
	s.add(fieldName(strings.TrimPrefix(path, ".")), sentence(n.any(issueTexts), 0))
}

// fieldName gives the spec's name of a place such as body.image_files[1], else
// the service's own.
func fieldName(s string) string {
	if len(s) > 4*api.MaxIDText {
		return ""
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("./[]$ ", r) })
	for i, p := range parts {
		if f := specFields[fold(p)]; f != "" {
			if k, err := strconv.Atoi(strings.Join(parts[i+1:min(i+2, len(parts))], "")); err == nil && k >= 0 && k < 100 {
				return f + "." + strconv.Itoa(k+1)
			}
			return f
		}
	}
	return api.Clean(s, api.MaxIDText).String()
}

// A field in a sentence: its name before "is required" and the like, after
// "invalid" and the like, or in quotes.
var (
	reFieldBefore = api.Pattern(`(?i)\b([a-z][a-z_]{2,20})['"` + "`" + `]?:? (?:is |are |does |field |value |parameter )?(?:a |an )?` +
		`(?:required|missing|invalid|not |must|should|cannot|could|can't|exceeds|too |out of|has |may )`)
	reFieldAfter = api.Pattern(`(?i)\b(?:invalid|missing|unknown|unsupported|bad|required|field|parameter|param|property)` +
		`(?: value| parameter| field| for| required)*:? ['"` + "`" + `]?([a-z][a-z_]{2,20})\b`)
	reFieldQuoted = api.Pattern("['\"`]([A-Za-z][A-Za-z_]{2,20})['\"`]")
)

func fieldInText(s string) string {
	s = s[:min(len(s), 1000)]
	for _, re := range [...]func() *regexp.Regexp{reFieldQuoted, reFieldBefore, reFieldAfter} {
		for _, m := range re().FindAllStringSubmatch(s, 8) {
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
