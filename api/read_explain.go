package api

import (
	"fmt"
	"net/http"
)

// Reading is one finding of one of the readers.
type Reading struct {
	Reader string `json:"reader"` // "create", "job", "models", "estimate" or "error"
	Found
}

// Explain runs every reader over one answer and gives what each found and
// where, for people who ask why darkroom read an answer as it did. status is
// that of the answer and header its headers; kind is the kind of the request,
// or empty. A reader that can do nothing with the answer has one Reading of the
// concept "unread" that says why.
func Explain(raw []byte, status int, header http.Header, kind Kind) []Reading {
	x := &explanation{list: []Reading{}}
	if status < 400 {
		x.answer("create", ReadCreate(status, header, raw, kind))
		x.answer("job", ReadJob(status, header, raw, kind))
		x.models(raw)
		_, found, err := ReadEstimate(raw)
		x.add("estimate", found, err)
	}
	if root, err := parseTree(raw); status >= 400 || err == nil && markedError(root) {
		e := ReadError(status, header, raw)
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

func (x *explanation) add(reader string, found []Found, err error) {
	for _, f := range found {
		if len(x.list) < maxExplained {
			x.list = append(x.list, Reading{reader, f})
		}
	}
	if err != nil {
		x.say(reader, "unread", err.Error())
	}
}

// say adds what follows from the whole.
func (x *explanation) say(reader, concept, value string) {
	x.add(reader, []Found{{Concept: concept, Path: "(root)", Value: Clean(value, 200).String()}}, nil)
}

func (x *explanation) answer(reader string, a JobAnswer) {
	x.add(reader, a.Found, nil)
	if a.Class != StatusNone {
		x.say(reader, "class", string(a.Class))
	}
	switch {
	case a.NotReadable != "":
		x.say(reader, "unread", a.NotReadable)
	case a.Refusal != nil:
		x.say(reader, "refusal", string(a.Refusal.Class))
	case len(a.Found) == 0:
		x.say(reader, "unread", "no id, no status and no result were found")
	}
}

func (x *explanation) models(raw []byte) {
	models, found, err := ReadModels(raw)
	x.add("models", found, err)
	for _, m := range models {
		for _, p := range m.Parameters {
			value := p.Name
			if len(p.Values) > 0 {
				value = fmt.Sprintf("%s, %d values", p.Name, len(p.Values))
			}
			x.say("models", "parameter of "+Clean(m.ID, MaxIDText).String(), value)
		}
	}
}
