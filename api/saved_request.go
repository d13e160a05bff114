package api

import (
	"encoding/json"
	"strings"
)

// maxSaved is the length of a text in which ReadRequest looks for a request.
const maxSaved = 1 << 20

// ReadRequest reads a request that somebody has kept as text: a recipe that
// darkroom writes next to a result, the JSON body of a generation call, or a curl
// command that makes one. False is any other text, such as a prompt. The kind is
// "" when the text does not tell it. Addresses and headers of a curl command are
// not taken over.
func ReadRequest(text string) (Request, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxSaved {
		return Request{}, false
	}
	if strings.HasPrefix(text, "{") {
		return readObject([]byte(text), "")
	}
	if command, ok := strings.CutPrefix(text, "curl"); ok && strings.TrimLeft(command, " \t\\\r\n") != command {
		return readCurl(command)
	}
	return Request{}, false
}

// readObject reads a recipe or a body.
func readObject(raw []byte, kind Kind) (Request, bool) {
	var recipe struct {
		Kind    Kind            `json:"kind"`
		Request json.RawMessage `json:"request"`
	}
	if json.Unmarshal(raw, &recipe) == nil && recipe.Kind.known() && strings.HasPrefix(string(recipe.Request), "{") {
		var r Request
		if json.Unmarshal(recipe.Request, &r) != nil || r.Prompt == "" {
			return Request{}, false
		}
		r.Kind = recipe.Kind
		return r, true
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(raw, &body) != nil || !ofRequest(body) {
		return Request{}, false
	}
	if kind == "" {
		kind = kindOfBody(body)
	}
	r, err := ParseBody(kind, raw)
	return r, err == nil && r.Prompt != ""
}

// ofRequest reports whether an object is the body of a call: it has a prompt,
// and a model or nothing but fields of the spec.
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

// kindOfBody is the kind that the fields of a body belong to, or "".
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

// ShellWords takes a command apart as a POSIX shell does, without expanding
// anything. What an open quote holds is a word, and the command is not whole.
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

// Curl is a generation call as a command for a POSIX shell; the key stays a
// variable. ReadRequest reads it again.
func Curl(address string, body []byte) string {
	return "curl --request POST " + quoteShell(address) + " \\\n" +
		"  --header \"Authorization: Bearer $DARKROOM_API_KEY\" \\\n" +
		"  --header 'Content-Type: application/json' \\\n" +
		"  --data-raw " + quoteShell(string(body)) + "\n"
}

// quoteShell writes s as one word for a POSIX shell.
func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
