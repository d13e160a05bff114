package output

import (
	"encoding/json"
	"errors"

	"darkroom/api"
	"darkroom/ui/cli/say"
)

// Raw is an answer as JSON: itself, or a string when it is not JSON.
func Raw(answer []byte) json.RawMessage {
	if len(answer) == 0 {
		return json.RawMessage("null")
	}
	if json.Valid(answer) {
		return answer
	}
	text, err := json.Marshal(string(answer))
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// Valid is a document of JSON, or null for what is none.
func Valid(raw []byte) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage("null")
	}
	return raw
}

// RawOf is the answer that an error is about, or nothing.
func RawOf(err error) json.RawMessage {
	var answer *api.Error
	if !errors.As(err, &answer) || len(answer.Raw) == 0 {
		return nil
	}
	return Raw(answer.Raw)
}

// OrNull is a text, or null for "".
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type failureJSON struct {
	Error    string        `json:"error"`
	ExitCode int           `json:"exit_code"`
	Problems []problemJSON `json:"problems,omitempty"`
	// Raw is the service's answer, when that is what the error is about.
	Raw json.RawMessage `json:"raw,omitempty"`
}

type problemJSON struct {
	Field    string `json:"field"`
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

func failureDocument(f *say.Failure) failureJSON {
	d := failureJSON{Error: api.HideKeys(f.Error()), ExitCode: f.Code, Raw: RawOf(f.Err)}
	for _, problem := range f.Problems {
		d.Problems = append(d.Problems, problemJSON{problem.Field, problem.Code, say.English.Problem(problem)})
	}
	return d
}

// Documents makes a document of each element; never nil, which JSON would call
// null.
func Documents[T, D any](list []T, of func(T) D) []D {
	all := make([]D, 0, len(list))
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}
