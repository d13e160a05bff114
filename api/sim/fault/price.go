package fault

import (
	"cmp"
	"encoding/json"
	"net/http"

	"darkroom/api"
)

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
