package fault

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"darkroom/api"
)

// rewrite changes the JSON body of an answer, whatever its dialect: change is
// called with every value and its member's name ("" in an array and for the
// whole), the innermost first, and returns what replaces it, or false to
// leave it out.
func (a *Answer) rewrite(change func(name string, v any) (any, bool)) {
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	var root any
	if d.Decode(&root) != nil {
		return
	}
	root, _ = walk("", root, change)
	a.replace(root)
}

// replace makes a value the body.
func (a *Answer) replace(v any) { a.Body = encode(v) }

// encode writes JSON in which addresses stand as they are, "&" included.
func encode(v any) []byte {
	text, err := api.PlainJSON(v)
	if err != nil {
		panic(err) // v was decoded from JSON, or is a fault's own
	}
	return text
}

func walk(name string, v any, change func(string, any) (any, bool)) (any, bool) {
	switch node := v.(type) {
	case map[string]any:
		for name, member := range node {
			if inner, keep := walk(name, member, change); keep {
				node[name] = inner
			} else {
				delete(node, name)
			}
		}
	case []any:
		kept := node[:0]
		for _, element := range node {
			if inner, keep := walk("", element, change); keep {
				kept = append(kept, inner)
			}
		}
		v = kept
	}
	return change(name, v)
}

// These change the service's answer before it is written.

func lateStatus(f Fault, a *Answer) {
	a.Status, a.Type, a.Body = f.Status, "application/json", []byte(f.Body)
}

func empty(f Fault, a *Answer) { a.Status, a.Body = cmp.Or(f.Status, http.StatusOK), nil }

func otherBody(f Fault, a *Answer) {
	a.Status, a.Type, a.Body = cmp.Or(f.Status, http.StatusOK), "application/json", []byte(f.Body)
}

func garbage(_ Fault, a *Answer) {
	a.Body = []byte("{\"id\": \"\x1b[31m\x00\xff\xfe\u202e" + strings.Repeat("[{", 400) + "\x07\x9b2J")
}

func binaryBody(_ Fault, a *Answer) { a.Type, a.Body = a.File() }

func wrongType(_ Fault, a *Answer) { a.Type = "text/html; charset=utf-8" }

// set adds headers, over what the answer has.
func (a *Answer) set(h http.Header) {
	if len(h) == 0 {
		return
	}
	if a.Header = maps.Clone(a.Header); a.Header == nil {
		a.Header = http.Header{}
	}
	maps.Copy(a.Header, h)
}

// These lie about a price.

// otherPrice states the fault's JSON as the price, or its text when it is no
// JSON.
func otherPrice(f Fault, a *Answer) {
	var v any = f.Body
	if json.Valid([]byte(f.Body)) {
		v = json.RawMessage(f.Body)
	}
	a.rewritePrice(v, true)
}

func withoutPrice(_ Fault, a *Answer) {
	a.rewritePrice(nil, false)
}

func pricePerSecond(_ Fault, a *Answer) {
	if a.Price == nil {
		return
	}
	second := a.Price.Credits / api.Credits(max(1, a.Price.Seconds))
	a.rewrite(func(_ string, v any) (any, bool) {
		node, ok := v.(map[string]any)
		if !ok {
			return v, true
		}
		for name, member := range node {
			if a.isPrice(name, member) {
				node[name], node["unit"] = second, "second"
			}
		}
		return node, true
	})
}

// priceRefused refuses, and states a price of 0 under the price's own name.
func priceRefused(f Fault, a *Answer) {
	if a.Price == nil {
		return
	}
	a.Status = cmp.Or(f.Status, http.StatusOK)
	refusal := map[string]any{"success": false, "message": "This model is not available to this key."}
	a.rewrite(func(name string, v any) (any, bool) {
		if a.isPrice(name, v) {
			refusal[cmp.Or(name, "credits")] = 0
		}
		return v, true
	})
	a.replace(refusal)
}

// rewritePrice puts a value in the price's place, or leaves the price out.
func (a *Answer) rewritePrice(lie any, keep bool) {
	if a.Price == nil {
		return
	}
	a.rewrite(func(name string, v any) (any, bool) {
		if a.isPrice(name, v) {
			return lie, keep
		}
		return v, true
	})
}

// isPrice reports whether a value of the answer is its price. A code may be the
// same number and is none.
func (a *Answer) isPrice(name string, v any) bool {
	text, _ := v.(string)
	if n, ok := v.(json.Number); ok {
		text = n.String()
	}
	credits, err := api.ParseCredits(text)
	return err == nil && credits == a.Price.Credits && name != "code" && name != "status"
}

// These change what an answer says of a job and its results.

// withoutID leaves out every member and element whose text holds the job's id.
func withoutID(_ Fault, a *Answer) {
	if a.JobID == "" {
		return
	}
	a.rewrite(func(_ string, v any) (any, bool) {
		text, ok := v.(string)
		return v, !ok || !strings.Contains(text, a.JobID)
	})
}

// otherID names another job; addresses stay as they are.
func otherID(f Fault, a *Answer) {
	a.rewrite(func(_ string, v any) (any, bool) {
		if v == a.JobID && a.JobID != "" {
			v = cmp.Or(f.Body, "job_of_somebody_else")
		}
		return v, true
	})
}

// httpResult gives the result an address without TLS at a public host.
func httpResult(f Fault, a *Answer) {
	if a.Result == nil {
		return
	}
	name, _, _ := strings.Cut(path.Base(a.Result.URL), "?")
	address := cmp.Or(f.Body, "http://media.example.com/"+name)
	a.rewrite(func(_ string, v any) (any, bool) {
		if text, ok := v.(string); ok {
			v = strings.ReplaceAll(text, a.Result.URL, address)
		}
		return v, true
	})
}

// htmlResult adds a page to a list of results.
func htmlResult(_ Fault, a *Answer) {
	if a.Result != nil {
		a.listResults(a.Result.URL, a.Result.Link("viewer.html"))
	}
}

// shuffledResults lists three results, each call beginning with the next one.
func shuffledResults(f Fault, a *Answer) {
	if a.Result == nil {
		return
	}
	urls := []string{a.Result.URL, a.Result.Link("image-2.png"), a.Result.Link("image-3.png")}
	first := f.call % len(urls)
	a.listResults(slices.Concat(urls[first:], urls[:first])...)
}

// listResults puts results in the place of the one that an array of the answer
// holds, each in the same shape.
func (a *Answer) listResults(urls ...string) {
	done := false
	a.rewrite(func(_ string, v any) (any, bool) {
		list, ok := v.([]any)
		if !ok || done {
			return v, true
		}
		for i, element := range list {
			shape := string(encode(element))
			if !strings.Contains(shape, a.Result.URL) {
				continue
			}
			var all []any
			for _, u := range urls {
				all = append(all, json.RawMessage(strings.ReplaceAll(shape, a.Result.URL, u)))
			}
			done = true
			return slices.Replace(list, i, i+1, all...), true
		}
		return v, true
	})
}
