package read

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

// MaxKeptRaw is how much of an answer an Error and an Outcome keep.
const MaxKeptRaw = 64 << 10

func KeepRaw(raw []byte) []byte { return raw[:min(len(raw), MaxKeptRaw):min(len(raw), MaxKeptRaw)] }

// Error reads an answer that is a refusal: any status of 400 or more, and
// refusals told inside a 2xx. It never returns nil and the text is never
// empty.
func Error(status int, header http.Header, raw []byte) *api.Error {
	return words.readError(status, header, raw)
}

func (l *lexicon) readError(status int, header http.Header, raw []byte) *api.Error {
	root, err := parseTree(raw)
	if err != nil {
		return l.readPlainError(status, header, raw, err)
	}
	e := l.readTreeError(status, header, root)
	e.Raw = KeepRaw(raw)
	return e
}

// readPlainError reads an answer that is not JSON: a line of text, a web page,
// nothing.
func (l *lexicon) readPlainError(status int, header http.Header, raw []byte, err error) *api.Error {
	e := &api.Error{Status: status, Raw: KeepRaw(raw)}
	why := notReadable(raw, err)
	text := strings.TrimSpace(string(raw[:min(len(raw), 4*api.MaxErrorText)]))
	switch {
	case text == "":
		e.Text = api.Clean(statusSentence(status)+" without saying why", api.MaxErrorText)
	case strings.HasPrefix(text, "<") || !errors.Is(err, errSyntax) && !errors.Is(err, errTrailing) || TypeKind(Sniff(raw)) != "" || strings.HasPrefix(text, "{"):
		e.Text = api.Clean(statusSentence(status)+" ("+why+")", api.MaxErrorText)
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

// foundWait is the concept of a wait that an answer asks for.
const foundWait = "wait"

func finishError(e *api.Error, header http.Header) {
	for _, name := range [...]string{"X-Request-Id", "X-Fal-Request-Id", "Request-Id", "X-Trace-Id", "Cf-Ray"} {
		if id := header.Get(name); id != "" && e.RequestID.IsZero() {
			e.RequestID = api.Clean(id, api.MaxIDText)
		}
	}
	if d, ok := Wait(header, time.Now()); ok {
		e.RetryAfter = max(d, api.MinWait)
		e.Found = append(e.Found, api.Found{Concept: foundWait, Path: "(headers)", Value: d.Round(time.Millisecond).String()})
	}
}

// readTreeError reads code, text and fields of a JSON refusal.
func (l *lexicon) readTreeError(status int, header http.Header, root *node) *api.Error {
	e := &api.Error{Status: status}
	code, text := l.errorTexts(root)
	e.Code, e.Text = code.text, text.text
	if code.node != nil {
		e.Found = append(e.Found, code.node.found("code", code.text.String()))
	}
	if text.node != nil {
		e.Found = append(e.Found, text.node.found("error", text.text.String()))
	}
	e.Class = errorClass(status, l.codeWords(root), e.Text.String())
	e.Fields = l.fieldErrors(root, e)
	if e.Text.IsZero() {
		if e.Class == api.ClassServer && status < 300 && len(e.Fields) > 0 {
			e.Class = api.ClassInvalid
		}
		switch {
		case len(e.Fields) > 0:
			e.Text = e.Fields[0].Text
		case !e.Code.IsZero():
			e.Text = e.Code
		default:
			e.Text = api.Clean(statusSentence(status)+" without saying why", api.MaxErrorText)
		}
	}
	for _, name := range [...]string{"requestid", "traceid"} {
		for _, n := range []*node{root, root.get("error")} {
			if s := n.get(name).scalar(); s != "" {
				e.RequestID = api.Clean(s, api.MaxIDText)
			}
		}
	}
	finishError(e, header)
	if e.RetryAfter == 0 {
		wait, at := bodyWait(root)
		if at == nil {
			wait, at = textWait(e.Text.String()), text.node
		}
		if e.RetryAfter = wait; wait > 0 && at != nil {
			e.Found = append(e.Found, at.found(foundWait, wait.String()))
		}
	}
	return e
}

// errorTexts gives the service's own code and its sentence. An error of one
// SCREAMING word beside a message is the code.
func (l *lexicon) errorTexts(root *node) (code, text told) {
	n := root
	if n.is(shapeArray) && n.first.is(shapeObject) {
		n = n.first
	}
	if !n.is(shapeObject) {
		return told{}, l.sentence(n, 0)
	}
	code = l.code(n.get("error"))
	if code.node == nil {
		code = l.code(n)
	}
	err := n.get("error")
	if err.is(shapeString) && codeLike(err.text) {
		for _, name := range [...]string{"message", "msg", "detail", "errormessage", "errordescription"} {
			if t := l.sentence(n.get(name), 0); !t.text.IsZero() {
				return told{api.Clean(err.text, api.MaxIDText), err}, t
			}
		}
	}
	if text = l.sentence(err, 0); text.text.IsZero() {
		for _, name := range l.list(listMessage) {
			if text = l.sentence(n.get(name), 0); !text.text.IsZero() {
				break
			}
		}
	}
	if err.is(shapeString) && text.node == err {
		text = l.addDetail(n, text)
	}
	if text.text.IsZero() {
		text = l.strangeMessage(n)
	}
	if text.text.IsZero() {
		for _, name := range slices.Concat(envelopes, []string{"data", "job", "result", "status"}) {
			if c := n.get(name); c.is(shapeObject) {
				if code.node == nil {
					code = l.code(c.get("error"))
				}
				if code.node == nil {
					code = l.code(c)
				}
				if text = l.sentence(c.any([]string{"error", "message", "msg", "statusmsg", "errormessage", "detail", "reason"}), 0); !text.text.IsZero() {
					break
				}
			}
		}
	}
	for c := range n.children { // an object that nobody listed
		if text.text.IsZero() && c.is(shapeObject) && !skipped[c.name] {
			text = l.strangeMessage(c)
		}
	}
	return code, text
}

// strangeMessage reads a text under a name that nobody listed but that speaks
// of a message or an error.
func (l *lexicon) strangeMessage(n *node) told {
	for _, w := range [...]string{"message", "msg", "error", "fault", "reason", "detail", "desc", "info"} {
		for c := range n.children {
			if strings.Contains(c.name, w) && c.is(shapeString) && !strings.Contains(c.name, "code") && !strings.HasSuffix(c.name, "id") {
				if t := l.sentence(c, 0); !t.text.IsZero() {
					return t
				}
			}
		}
	}
	return told{}
}

// addDetail joins a short error such as "Bad Request" with the sentence that
// says more.
func (l *lexicon) addDetail(n *node, text told) told {
	for _, name := range [...]string{"message", "msg", "detail", "errordescription"} {
		t := l.sentence(n.get(name), 0)
		s := t.text.String()
		if s != "" && !strings.Contains(text.text.String(), s) {
			return told{api.CleanLines(text.text.String()+": "+s, api.MaxErrorText), text.node}
		}
	}
	return text
}

func (l *lexicon) code(n *node) told {
	if !n.is(shapeObject) {
		return told{}
	}
	for _, name := range l.list(listCode) {
		c := n.get(name)
		if c.is(shapeNumber) || c.is(shapeString) && codeLike(c.text) {
			if !goodWord(c.text) && (badCode(c) || !c.is(shapeNumber)) {
				return told{api.Clean(c.text, api.MaxIDText), c}
			}
		}
	}
	return told{}
}

// codeLike tells one word of letters, digits and joints.
func codeLike(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 100 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '/' || r == ':' || r >= '0' && r <= '9' || r|32 >= 'a' && r|32 <= 'z')
	}) < 0
}

// codeWords gathers every code-like word of the usual places, for the class.
func (l *lexicon) codeWords(root *node) string {
	var b strings.Builder
	n := root
	if n.is(shapeArray) {
		n = n.first
	}
	places := []*node{n, n.get("error"), n.get("data"), n.get("detail"), n.get("errors"), n.get("job")}
	for _, name := range envelopes {
		places = append(places, n.get(name), n.at(name, "error"))
	}
	for _, p := range places {
		if p.is(shapeArray) {
			p = p.first
		}
		for _, name := range [...]string{"code", "errorcode", "errcode", "errno", "statuscode", "httpstatus", "httpcode", "type", "errortype", "name", "reason", "error", "failcode", "extensions"} {
			if s := p.get(name).scalar(); s != "" && codeLike(s) {
				b.WriteString(s)
				b.WriteByte(' ')
			}
		}
	}
	// A status counts as a code only when it is one of HTTP's.
	if f, ok := n.get("status").float(); ok && f >= 400 && f < 600 {
		b.WriteString(n.get("status").text)
	}
	return b.String()
}
