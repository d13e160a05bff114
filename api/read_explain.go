package api

import "net/http"

// Explain runs every reader over one answer and gives what each found and
// where, for people who ask why darkroom read an answer as it did. kind is the
// kind of the request, or empty. status is that of the answer; 200 when it is
// not known.
func Explain(raw []byte, status int, header http.Header, kind Kind) []Found {
	out := []Found{}
	add := func(reader string, found []Found) {
		for _, f := range found {
			f.Concept = reader + ": " + f.Concept
			out = append(out, f)
		}
	}
	say := func(reader, concept, value string) {
		add(reader, []Found{{Concept: concept, Path: "(root)", Value: Clean(value, 200).String()}})
	}
	for _, r := range [...]struct {
		name   string
		answer JobAnswer
	}{
		{"create", ReadCreate(status, header, raw, kind)},
		{"job", ReadJob(status, header, raw, kind)},
	} {
		a := r.answer
		add(r.name, a.Found)
		switch {
		case a.NotReadable != "":
			say(r.name, "unread", a.NotReadable)
		case a.Class != StatusNone:
			say(r.name, "class", string(a.Class))
		case a.Refusal != nil:
			say(r.name, "refusal", string(a.Refusal.Class))
		}
	}
	models, found, err := ReadModels(raw)
	if add("models", found); err != nil {
		say("models", "unread", err.Error())
	}
	for _, m := range models {
		for _, p := range m.Parameters {
			say("models", "parameter of "+Clean(m.ID, MaxIDText).String(), p.Name)
		}
		if len(out) > maxExplained {
			break
		}
	}
	_, found, err = ReadEstimate(raw)
	if add("estimate", found); err != nil {
		say("estimate", "unread", err.Error())
	}
	e := ReadError(status, header, raw)
	add("error", e.Found)
	say("error", "class", string(e.Class))
	return out
}

// maxExplained is about how many findings are worth showing.
const maxExplained = 2000
