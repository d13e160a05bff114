package read

import (
	"cmp"
	"iter"
	"strings"
	"unicode"

	"darkroom/api"
)

// goodWord reports whether a text that stands where a failure would is not one.
func goodWord(s string) bool {
	return len(s) <= maxWord && (goodWords.has(fold(s)) || !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune("-_/\uFFFD", r)
	}))
}

// markedError reports whether an answer says outright that it is an error:
// success false, a status or code of failure, an error that is not empty.
func markedError(root *node) bool {
	n := root.single()
	if refused(n) || hasError(n) || hasError(n.get("data")) || badCodeIn(n) || badCodeIn(n.get("status")) {
		return true
	}
	return first(n.each(envelopes), func(c *node) bool { return hasError(c) || badCodeIn(c) }) != nil
}

// refused is markedError without the codes, whose meaning services do not
// share, and without details, which need not be of an error.
func refused(n *node) bool {
	untrue := first(n.each(successKeys), func(c *node) bool { return c.is(shapeBool) && !c.says() })
	status := n.get("status")
	return untrue != nil || status.is(shapeString) && badStatuses.has(status.word()) ||
		first(n.each(plainErrors), isError) != nil || first(n.get("data").each(plainErrors), isError) != nil
}

// hasError reports an error member that is not empty.
func hasError(n *node) bool { return first(n.each(errorKeys), isError) != nil }

// isError reports texts, and objects and lists that are not as empty as
// {"code":0,"message":""}.
func isError(n *node) bool {
	switch {
	case !n.says():
		return false
	case n.is(shapeObject):
		return first(n.children, func(c *node) bool {
			return c.says() && (c.shape >= shapeArray || c.shape != shapeBool && !goodWord(c.text))
		}) != nil
	}
	return n.is(shapeArray) || n.is(shapeString) && !goodWord(n.text)
}

// badCodeIn reports a code of failure whose text does not say the contrary.
func badCodeIn(n *node) bool {
	code := first(n.each(resultCodes), func(c *node) bool {
		_, number := c.float() // a status that is a word is known to refused
		return badCode(c) && (number || c.name != "status")
	})
	text := n.any(moreTexts)
	return code != nil && (text == nil || !goodWord(text.text))
}

// badCode reports codes that services do not send when all is well.
func badCode(n *node) bool {
	if !n.is(shapeNumber) && !n.is(shapeString) || len(n.text) > maxWord {
		return false
	}
	if f := fold(n.text); f == "" || goodCodes.has(f) {
		return strings.HasPrefix(n.text, "-") && n.says()
	}
	return n.is(shapeNumber) || codeLike(n.text)
}

// codeLike reports one word of letters, digits and joints.
func codeLike(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && len(s) <= 100 && oneToken(s, "_-./:")
}

// reason reads why a job failed. Only an answer that says failed, cancelled or
// nothing at all about the status has one: good jobs carry empty and even
// full error objects.
func (v *view) reason(class api.StatusClass) api.Text {
	failed := class == api.StatusFailed || class == api.StatusCancelled
	if !failed && class != api.StatusNone && class != api.StatusUnlisted {
		return api.Text{}
	}
	for _, s := range v.scopes {
		text := firstText(s.each(errorKeys), 0)
		if failed {
			_, text = errorTexts(s)
		}
		if text != "" {
			return cleanText(text)
		}
	}
	word := v.status.word()
	for _, p := range statusPrefixes {
		word = strings.TrimPrefix(word, p)
	}
	if !failed || !v.status.is(shapeString) || plainFailures.has(word) {
		return api.Text{}
	}
	return cleanText(v.status.text)
}

func firstText(values iter.Seq[*node], depth int) string {
	for c := range values {
		if text := sentence(c, depth); text != "" {
			return text
		}
	}
	return ""
}

// sentence reads the text in a value of any shape: a string, the message in an
// object, the messages in an array. It is cleaned.
func sentence(n *node, depth int) (text string) {
	if !n.says() || depth > 4 {
		return ""
	}
	switch n.shape {
	case shapeString:
		if inner, ok := within(n); ok && depth < 2 {
			text = sentence(inner, depth+1)
		}
		if text == "" && !goodWord(n.text) {
			text = cleanText(n.text).String()
		}
	case shapeNumber:
		if strings.Contains(n.name, "code") && n.text != "200" {
			text = n.text
		}
	case shapeArray: // the first few
		var parts []string
		for c := range n.children {
			if part := sentence(c, depth+1); part != "" {
				parts = append(parts, part)
			}
			if len(parts) == 5 {
				break
			}
		}
		text = strings.Join(parts, "; ")
	case shapeObject:
		text = cmp.Or(firstText(n.each(messageKeys), depth+1), firstText(n.each(codeKeys), depth+1))
		if text == "" && depth < 2 && n.size <= 32 {
			text = firstText(n.children, depth+1)
		}
	}
	return text
}

func cleanText(s string) api.Text { return api.CleanLines(strings.TrimSpace(s), api.MaxErrorText) }

// codeIn gives the first code in some objects.
func codeIn(objects ...*node) string {
	for _, n := range objects {
		for c := range n.each(codeKeys) {
			if !goodWord(c.text) && (c.is(shapeNumber) && badCode(c) || c.is(shapeString) && codeLike(c.text)) {
				return c.text
			}
		}
	}
	return ""
}

// codeWords gathers the code-like words of a refusal, for its class: from
// the root, from its error and from objects about the call. A status counts as
// a code only if HTTP has it.
func codeWords(n *node, depth int) string {
	var codes []string
	for c := range n.children {
		f, _ := c.float()
		switch {
		case len(codes) > maxScopes:
		case codeBoxes.has(c.name) && c.shape >= shapeArray && depth < 3:
			codes = append(codes, codeWords(c.single(), depth+1))
		case codeKeys.has(c.name) && codeLike(c.scalar()), c.name == "error" && codeLike(c.scalar()), c.name == "status" && f >= 400 && f < 600:
			codes = append(codes, c.text)
		}
	}
	return strings.Join(codes, " ")
}
