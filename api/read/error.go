package read

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// MaxKeptRaw is how much of an answer an Error and an Outcome keep.
const MaxKeptRaw = 64 << 10

// KeepRaw gives the part of an answer that is kept.
func KeepRaw(raw []byte) []byte { return raw[:min(len(raw), MaxKeptRaw):min(len(raw), MaxKeptRaw)] }

// Error reads an answer that is a refusal: any status of 400 or more, and
// refusals inside a 2xx. It never returns nil and the text is never empty.
func Error(status int, header http.Header, raw []byte) *api.Error {
	root, err := parseTree(raw)
	if err != nil {
		return plainError(status, header, raw, err)
	}
	return treeError(status, header, raw, unwrapped(root))
}

// plainError reads an answer that is not JSON: a line of text, a web page,
// nothing.
func plainError(status int, header http.Header, raw []byte, err error) *api.Error {
	e := &api.Error{Status: status, Raw: KeepRaw(raw)}
	text := strings.TrimSpace(string(raw[:min(len(raw), 4*api.MaxErrorText)]))
	switch {
	case text == "":
		e.Text = without(status, "without saying why")
	case strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") || err != errSyntax && err != errTrailing || TypeKind(Sniff(raw)) != "":
		e.Text = without(status, "("+notReadable(raw, err).String()+")")
	default:
		e.Text = cleanText(text)
	}
	e.Class = errorClass(status, "", e.Text.String())
	if status < 400 {
		e.Class = api.ClassUnreadable
	}
	readHeader(e, header)
	return e
}

// without is the text of a refusal that does not say why; more may.
func without(status int, more string) api.Text {
	text := fmt.Sprintf("The service answered %d %s %s", status, http.StatusText(status), more)
	return api.Clean(api.OneLine(text), api.MaxErrorText)
}

// readHeader reads what the headers of a refusal say.
func readHeader(e *api.Error, header http.Header) {
	for _, name := range [...]string{"X-Request-Id", "X-Fal-Request-Id", "Request-Id", "X-Trace-Id", "Cf-Ray"} {
		if e.RequestID.IsZero() {
			e.RequestID = api.Clean(header.Get(name), api.MaxIDText)
		}
	}
	if d, ok := Wait(header, time.Now()); ok {
		e.RetryAfter = max(d, api.MinWait)
	}
}

// treeError reads code, text and fields of a JSON refusal.
func treeError(status int, header http.Header, raw []byte, root *node) *api.Error {
	e := &api.Error{Status: status, Raw: KeepRaw(raw)}
	n := root.single()
	code, text := errorTexts(root)
	e.Code, e.Text = api.Clean(code, api.MaxIDText), cleanText(text)
	e.Class = errorClass(status, codeWords(n, 0), text)
	e.Fields = refusedFields(n, e)
	switch {
	case !e.Text.IsZero():
	case len(e.Fields) > 0:
		e.Text = e.Fields[0].Text
		if e.Class == api.ClassServer && status < 300 {
			e.Class = api.ClassInvalid
		}
	case !e.Code.IsZero():
		e.Text = e.Code
	default:
		e.Text = without(status, "without saying why")
	}
	e.RequestID = api.Clean(cmp.Or(root.any(traceIDKeys).scalar(), root.get("error").any(traceIDKeys).scalar()), api.MaxIDText)
	readHeader(e, header)
	e.RetryAfter = cmp.Or(e.RetryAfter, bodyWait(root, 0), textWait(e.Text.String()))
	return e
}

// errorTexts gives the service's own code and its sentence. An error of one
// SCREAMING word next to a message is the code.
func errorTexts(root *node) (code, text string) {
	n := root
	if n.is(shapeArray) && n.first.is(shapeObject) {
		n = n.first
	}
	if !n.is(shapeObject) {
		return "", sentence(n, 0)
	}
	err := n.any(reasonKeys)
	code, text = codeIn(n.get("error"), n), firstText(n.each(reasonKeys), 0)
	if err.is(shapeString) {
		more := firstText(n.each(moreTexts), 0)
		switch {
		case more == "" || strings.Contains(text, more):
		case codeLike(err.text):
			return err.text, more
		case err.name == "error": // a short error such as "Bad Request" with the sentence that says more
			return code, text + ": " + more
		}
	}
	if text == "" {
		text = cmp.Or(firstText(n.each(messageKeys), 0), namedText(n))
	}
	for c := range n.children { // the envelope, or an object that nobody listed
		fits := (!notJobs.has(c.name) || envelopes.has(c.name)) && (!resultNodes.has(c.name) || boxes.has(c.name))
		if c = c.single(); text == "" && c.is(shapeObject) && fits {
			text = cmp.Or(firstText(c.each(messageKeys), 0), namedText(c))
			code = cmp.Or(code, codeIn(c.get("error"), c))
		}
	}
	return code, text
}

// namedText reads a string under a name that nobody listed but that speaks of a
// message or an error.
func namedText(n *node) string {
	for _, word := range textNames {
		for c := range n.children {
			if strings.Contains(c.name, word) && c.is(shapeString) && !strings.Contains(c.name, "code") && !strings.HasSuffix(c.name, "id") {
				if text := sentence(c, 0); text != "" {
					return text
				}
			}
		}
	}
	return ""
}

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
