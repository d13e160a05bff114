package read

import (
	"cmp"
	"fmt"
	"net/http"
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
