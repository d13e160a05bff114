package read

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"darkroom/api"
)

// Saved is an answer that somebody kept in a file.
type Saved struct {
	Status int
	Header http.Header
	Body   []byte
}

// ParseSaved reads a kept answer: the body, or status line, headers and body as
// curl -i writes them. status is taken when the file has none; lines are
// further headers, each "Name: value".
func ParseSaved(raw []byte, status int, lines []string) (Saved, error) {
	a := Saved{Status: status, Header: http.Header{}, Body: raw}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return a, errHeaderLine
		}
		a.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if !bytes.HasPrefix(raw, []byte("HTTP/")) {
		return a, nil
	}
	// HTTP/2 has no minor version, which net/http does not read.
	whole := bytes.Replace(raw, []byte("HTTP/2 "), []byte("HTTP/2.0 "), 1)
	head, body, ok := bytes.Cut(whole, []byte("\r\n\r\n"))
	if !ok {
		head, body, ok = bytes.Cut(whole, []byte("\n\n"))
	}
	if !ok {
		return a, nil
	}
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(append(bytes.Clone(head), "\r\n\r\n"...))), nil)
	if err != nil {
		return a, nil
	}
	response.Body.Close()
	a.Status, a.Body = response.StatusCode, body
	for name, values := range response.Header {
		a.Header[name] = append(a.Header[name], values...)
	}
	return a, nil
}

// Explain runs every reader over the answer and gives what each found and where.
func (a Saved) Explain(kind api.Kind) []Reading { return explain(a.Body, a.Status, a.Header, kind) }

// Reading is one finding of one of the readers.
type Reading struct {
	Reader string `json:"reader"` // "create", "job", "models", "estimate" or "error"
	api.Found
	Why api.Reason `json:"-"` // of an "unread"; Value has its English
}

// explain runs every reader over one answer and gives what each found and
// where, for people who ask why darkroom read an answer as it did. status is
// that of the answer and header its headers; kind is the kind of the request,
// or empty. A reader that can do nothing with the answer has one Reading of the
// concept "unread" that says why.
func explain(raw []byte, status int, header http.Header, kind api.Kind) []Reading {
	x := &explanation{list: []Reading{}}
	b := parseBody(raw)
	if status < 400 {
		x.answer("create", words().readCreate(status, header, b, kind))
		x.answer("job", words().readJob(status, header, b, kind))
		x.models(b)
		_, found, err := words().readEstimate(b)
		x.add("estimate", found, err)
	}
	if status >= 400 || b.err == nil && markedError(b.root) {
		e := words().readError(status, header, b)
		x.add("error", e.Found, nil)
		x.say("error", "class", string(e.Class))
		if len(e.Found) == 0 {
			x.say("error", "error", e.Text.String())
		}
	}
	return x.list
}

// maxExplained is about how many findings are worth showing.
const maxExplained = 2000

type explanation struct{ list []Reading }

func (x *explanation) add(reader string, found []api.Found, err error) {
	for _, f := range found {
		if len(x.list) < maxExplained {
			x.list = append(x.list, Reading{Reader: reader, Found: f})
		}
	}
	if err != nil {
		x.unread(reader, api.ReasonOf(err))
	}
}

// say adds what follows from the whole.
func (x *explanation) say(reader, concept, value string) {
	x.add(reader, []api.Found{{Concept: concept, Path: "(root)", Value: api.Clean(value, 200).String()}}, nil)
}

// unread adds why nothing was read.
func (x *explanation) unread(reader string, why api.Reason) {
	x.say(reader, "unread", why.String())
	x.list[len(x.list)-1].Why = why
}

func (x *explanation) answer(reader string, a api.JobAnswer) {
	x.add(reader, a.Found, nil)
	if a.Class != api.StatusNone {
		x.say(reader, "class", string(a.Class))
	}
	switch {
	case !a.NotReadable.IsZero():
		x.unread(reader, a.NotReadable)
	case a.Refusal != nil:
		x.say(reader, "refusal", string(a.Refusal.Class))
	case len(a.Found) == 0:
		x.unread(reader, whyNothing.Reason())
	}
}

func (x *explanation) models(b body) {
	models, found, err := words().readModels(b)
	x.add("models", found, err)
	for _, m := range models {
		for _, p := range m.Parameters {
			value := p.Name
			if len(p.Values) > 0 {
				value = fmt.Sprintf("%s, %d values", p.Name, len(p.Values))
			}
			x.say("models", "parameter of "+api.Clean(m.ID, api.MaxIDText).String(), value)
		}
	}
}

// Why an answer cannot be read.
var (
	whyMedia   = api.Declare("read_media", "not JSON: the body is media")
	whyEmpty   = api.Declare("read_empty", "not JSON: the answer is empty")
	whyHTML    = api.Declare("read_html", "not JSON: HTML")
	whyXML     = api.Declare("read_xml", "not JSON: XML or HTML")
	whyNotJSON = api.Declare("read_not_json", "not JSON")
	whyTree    = api.Declare("read_tree", "not JSON: %v")

	whyNoAmount = api.Declare("read_no_amount", "the answer holds no amount that could be read")
	whyNoModels = api.Declare("read_no_models", "the answer lists no models that could be read")
	whyNothing  = api.Declare("read_nothing", "no id, no status and no result were found")
	whyHeader   = api.Declare("read_header_line", "give a header as Name: value")
)

var (
	errNoAmount   = whyNoAmount.Fault(nil)
	errNoModels   = whyNoModels.Fault(nil)
	errHeaderLine = whyHeader.Fault(nil)

	errEmpty    = whyEmpty.Fault(nil)
	errSyntax   = whyNotJSON.Fault(nil)
	errTrailing = api.Declare("read_trailing", "text after the JSON value").Fault(nil)
	errDeep     = api.Declare("read_deep", "nested too deeply").Fault(nil)
	errMany     = api.Declare("read_many", "too many values").Fault(nil)
)
