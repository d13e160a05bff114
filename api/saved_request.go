package api

import (
	"cmp"
	"encoding/json"
	"strings"
)

// ReadRequest reads a request that is kept as text: a recipe, the JSON body of a call,
// or a curl command that makes one. The kind is "" when the text does not tell it.
func ReadRequest(text string) (Request, bool) {
	text = strings.TrimSpace(text)
	command, ok := strings.CutPrefix(text, "curl")
	switch {
	case len(text) > 1<<20:
	case strings.HasPrefix(text, "{"):
		return bounded(readObject([]byte(text), ""))
	case ok && strings.TrimLeft(command, " \t\\\r\n") != command:
		return bounded(readCurl(command))
	}
	return Request{}, false
}

// bounded cuts lists to the spec's limit and one more, which the form complains of.
func bounded(r Request, ok bool) (Request, bool) {
	for _, f := range fields {
		if texts := f.Texts(&r); f.Max > 0 {
			f.Set(&r, texts[:min(len(texts), f.Max+1)]...)
		}
	}
	for name, values := range r.Vary {
		r.Vary[name] = values[:min(len(values), maxValues)]
	}
	return r, ok
}

// maxValues is how many values of a field are kept: more requests are never sent.
const maxValues = 1001

func readObject(raw []byte, kind Kind) (Request, bool) {
	var recipe struct {
		Kind    Kind            `json:"kind"`
		Request json.RawMessage `json:"request"`
	}
	if json.Unmarshal(raw, &recipe) == nil && recipe.Kind.known() && strings.HasPrefix(string(recipe.Request), "{") {
		var r Request
		err := json.Unmarshal(recipe.Request, &r)
		r.Kind = recipe.Kind
		return r, err == nil && r.Prompt != ""
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(raw, &body) != nil || !ofRequest(body) {
		return Request{}, false
	}
	r, err := ParseBody(cmp.Or(kind, kindOfBody(body)), raw)
	return r, err == nil && r.Prompt != ""
}

// ofRequest reports whether an object has a prompt, and a model or no unknown fields.
func ofRequest(body map[string]json.RawMessage) bool {
	if body[FieldPrompt] == nil {
		return false
	}
	if body[FieldModel] != nil {
		return true
	}
	for name := range body {
		if f := FieldNamed(name); f == nil || name != f.Name && name != FieldRatio {
			return false
		}
	}
	return true
}

func kindOfBody(body map[string]json.RawMessage) Kind {
	var model string
	if json.Unmarshal(body[FieldModel], &model) == nil && model == Seedance2 {
		return KindVideo
	}
	for _, f := range fields {
		switch {
		case body[f.Name] == nil:
		case !f.For(KindImage):
			return KindVideo
		case !f.For(KindVideo):
			return KindImage
		}
	}
	return ""
}

func readCurl(command string) (Request, bool) {
	words, _ := ShellWords(command)
	var kind Kind
	for _, w := range words {
		for _, k := range []Kind{KindImage, KindVideo} {
			if strings.HasSuffix(w, (Request{Kind: k}).Path()) {
				kind = k
			}
		}
	}
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		switch name {
		case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json":
			if !joined && i+1 < len(words) {
				value = words[i+1]
			}
			return readObject([]byte(value), kind)
		}
	}
	return Request{}, false
}

// ShellWords takes a command apart as a POSIX shell does. What an open quote holds is a
// word, and the command is not whole.
func ShellWords(s string) (words []string, whole bool) {
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	end := func() {
		if in {
			words = append(words, word.String())
			word.Reset()
		}
		in = false
	}
	for _, r := range s {
		switch {
		case escaped:
			escaped = false
			if r == '\n' {
				continue // the command goes on in the next line
			}
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			in = true
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, in = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			end()
		default:
			word.WriteRune(r)
			in = true
		}
	}
	end()
	return words, quote == 0 && !escaped
}

// Curl is a generation call as a shell command; the key stays a variable.
func Curl(address string, body []byte) string {
	return "curl --request POST " + quoteShell(address) + " \\\n" +
		"  --header \"Authorization: Bearer $DARKROOM_API_KEY\" \\\n" +
		"  --header 'Content-Type: application/json' \\\n" +
		"  --data-raw " + quoteShell(string(body)) + "\n"
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
