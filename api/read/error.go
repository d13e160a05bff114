package read

import (
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

var (
	requestIDHeaders = [...]string{"X-Request-Id", "X-Fal-Request-Id", "Request-Id", "X-Trace-Id", "Cf-Ray"}
)

// Error reads an answer that is a refusal: any status of 400 or more, and
// refusals inside a 2xx. It never returns nil and the text is never empty.
func Error(status int, header http.Header, raw []byte) *api.Error {
	return words().readError(status, header, parseBody(raw))
}

func (l *vocabulary) readError(status int, header http.Header, b body) *api.Error {
	if b.err != nil {
		return readPlainError(status, header, b)
	}
	return l.readTreeError(status, header, b)
}

// readPlainError reads an answer that is not JSON: a line of text, a web page,
// nothing.
func readPlainError(status int, header http.Header, b body) *api.Error {
	e := &api.Error{Status: status, Raw: KeepRaw(b.raw)}
	text := strings.TrimSpace(string(b.raw[:min(len(b.raw), 4*api.MaxErrorText)]))
	switch {
	case text == "":
		e.Text = withoutReason(status)
	case strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") || b.err != errSyntax && b.err != errTrailing || TypeKind(Sniff(b.raw)) != "":
		e.Text = api.Clean(statusSentence(status)+" ("+notReadable(b.raw, b.err).String()+")", api.MaxErrorText)
	default:
		e.Text = api.CleanLines(text, api.MaxErrorText)
	}
	e.Class = errorClass(status, "", e.Text.String())
	if status < 400 {
		e.Class = api.ClassUnreadable
	}
	finishError(e, header)
	return e
}

func statusSentence(status int) string {
	return strings.TrimSpace(fmt.Sprintf("The service answered %d %s", status, http.StatusText(status)))
}

func withoutReason(status int) api.Text {
	return api.Clean(statusSentence(status)+" without saying why", api.MaxErrorText)
}

func finishError(e *api.Error, header http.Header) {
	for _, name := range requestIDHeaders {
		if id := header.Get(name); id != "" && e.RequestID.IsZero() {
			e.RequestID = api.Clean(id, api.MaxIDText)
		}
	}
	if d, ok := Wait(header, time.Now()); ok {
		e.RetryAfter = max(d, api.MinWait)
		e.Found = append(e.Found, api.Found{Concept: "wait", Path: "(headers)", Value: d.Round(time.Millisecond).String()})
	}
}

// readTreeError reads code, text and fields of a JSON refusal.
func (l *vocabulary) readTreeError(status int, header http.Header, b body) *api.Error {
	e := &api.Error{Status: status, Raw: KeepRaw(b.raw)}
	code, text := l.errorTexts(b.root)
	e.Code, e.Text = code.text, text.text
	if code.node != nil {
		e.Found = append(e.Found, code.node.found("code", code.text.String()))
	}
	if text.node != nil {
		e.Found = append(e.Found, text.node.found("error", text.text.String()))
	}
	e.Class = errorClass(status, codeWords(b.root), e.Text.String())
	l.fieldErrors(b.root, e)
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
		e.Text = withoutReason(status)
	}
	for _, name := range words().TraceIDKeys {
		for _, n := range b.root.places("", "error") {
			if s := n.get(name).scalar(); s != "" {
				e.RequestID = api.Clean(s, api.MaxIDText)
			}
		}
	}
	finishError(e, header)
	if e.RetryAfter == 0 {
		wait, at := bodyWait(b.root)
		if at == nil {
			wait, at = textWait(e.Text.String()), text.node
		}
		if e.RetryAfter = wait; wait > 0 && at != nil {
			e.Found = append(e.Found, at.found("wait", wait.String()))
		}
	}
	return e
}

// errorTexts gives the service's own code and its sentence. An error of one
// SCREAMING word beside a message is the code.
func (l *vocabulary) errorTexts(root *node) (code, text located) {
	n := root
	if n.is(shapeArray) && n.first.is(shapeObject) {
		n = n.first
	}
	if !n.is(shapeObject) {
		return located{}, l.sentence(n, 0)
	}
	err := n.get("error")
	code = l.codeIn(located{}, err, n)
	if err.is(shapeString) && codeLike(err.text) {
		if t := l.firstText(n.each(words().CodeNeighbours), 0); t.node != nil {
			return located{api.Clean(err.text, api.MaxIDText), err}, t
		}
	}
	if text = l.sentence(err, 0); text.node == nil {
		text = l.firstText(n.each(l.MessageKeys), 0)
	} else if text.node == err {
		text = l.addDetail(n, text)
	}
	if text.node == nil {
		text = l.unlistedText(n)
	}
	for c := range n.each(words().InnerErrors) {
		if c.is(shapeObject) && text.node == nil {
			code, text = l.codeIn(code, c.get("error"), c), l.sentence(c.any(words().InnerTexts), 0)
		}
	}
	for c := range n.children { // an object that nobody listed
		if text.node == nil && c.is(shapeObject) && !words().NotJobs[c.name] {
			text = l.unlistedText(c)
		}
	}
	return code, text
}

// unlistedText reads a string that names a message or an error.
func (l *vocabulary) unlistedText(n *node) located {
	return l.textLike(n, words().UnlistedTexts, func(c *node) bool { return c.is(shapeString) && !words().NotTexts.match(c.name) })
}

// addDetail joins a short error such as "Bad Request" with the sentence that
// says more.
func (l *vocabulary) addDetail(n *node, text located) located {
	for _, name := range words().MoreDetail {
		s := l.sentence(n.get(name), 0).text.String()
		if s != "" && !strings.Contains(text.text.String(), s) {
			return locate(text.text.String()+": "+s, text.node)
		}
	}
	return text
}

// codeIn gives the code that is known, else the first in some objects.
func (l *vocabulary) codeIn(known located, objects ...*node) located {
	for _, n := range objects {
		for c := range n.each(l.CodeKeys) {
			if known.node == nil && !goodWord(c.text) && (c.is(shapeNumber) && badCode(c) || c.is(shapeString) && codeLike(c.text)) {
				known = located{api.Clean(c.text, api.MaxIDText), c}
			}
		}
	}
	return known
}

// codeWords gathers every code-like word of the usual places, for the class.
func codeWords(root *node) string {
	var codes []string
	n := root.single()
	places := append(n.places("", "error", "data", "detail", "errors", "job"), n.places(words().Envelopes...)...)
	for _, name := range words().Envelopes {
		places = append(places, n.places(name+".error")...)
	}
	for _, p := range places {
		for _, name := range words().ClassCodes {
			if s := p.single().get(name).scalar(); codeLike(s) {
				codes = append(codes, s)
			}
		}
	}
	// A status counts as a code only when it is one of HTTP's.
	if f, ok := n.get("status").float(); ok && f >= 400 && f < 600 {
		codes = append(codes, n.get("status").text)
	}
	return strings.Join(codes, " ")
}
