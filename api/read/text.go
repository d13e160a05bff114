package read

import (
	"cmp"
	"iter"
	"strings"

	"darkroom/api"
)

// goodWord reports whether a text that stands where a failure would is not one.
func goodWord(s string) bool {
	return len(s) <= maxWord && (strings.Trim(s, " \t\r\n-_/\uFFFD") == "" || goodWords.has(fold(s)))
}

// markedError reports whether an answer says outright that it is an error:
// success false, a status or code of failure, an error that is not empty.
func markedError(root *node) bool {
	n := root.single()
	return refused(n) || first(n.boxes(envelopes), func(c *node) bool { return hasError(c) || badCodeIn(c) }) != nil
}

// refused is markedError without the codes, whose meaning services do not
// share, and without details, which need not be of an error.
func refused(n *node) bool {
	untrue := first(n.each(successKeys), func(c *node) bool { return c.is(shapeBool) && !c.says() })
	status := n.get("status")
	return untrue != nil || status.is(shapeString) && badStatuses.has(status.word()) ||
		first(n.each(plainErrors), isError) != nil || first(n.get("data").each(plainErrors), isError) != nil
}

func hasError(n *node) bool { return first(n.each(errorKeys), isError) != nil }

// isError reports what is not as empty as {"code":0,"message":""}.
func isError(n *node) bool {
	if n.is(shapeObject) {
		return first(n.children, func(c *node) bool { return c.shape != shapeBool && !goodWord(c.text) }) != nil
	}
	return n.is(shapeArray) && n.says() || n.is(shapeString) && !goodWord(n.text)
}

// badCodeIn reports a code of failure whose text does not say the contrary. A
// status that is a word is known to refused.
func badCodeIn(n *node) bool {
	code := first(n.each(resultCodes), func(c *node) bool {
		_, number := c.float()
		return badCode(c) && (number || c.name != "status")
	})
	text := n.any(moreTexts)
	return code != nil && (text == nil || !goodWord(text.text))
}

// badCode reports codes that services do not send when all is well.
func badCode(n *node) bool {
	return n.shape != shapeBool && codeLike(n.scalar()) && !goodCodes.has(n.word())
}

func codeLike(s string) bool { return s != "" && len(s) <= 100 && oneToken(s, "_-./:") }

// reason reads why a job failed. Good jobs carry empty and even full error objects.
func (v *view) reason(class api.StatusClass) api.Text {
	failed := class == api.StatusFailed || class == api.StatusCancelled
	if !failed && class != api.StatusNone && class != api.StatusUnlisted {
		return api.Text{}
	}
	for _, s := range v.scopes {
		text := firstText(s.each(errorKeys))
		if failed {
			_, text = errorTexts(s)
		}
		if text != "" {
			return cleanText(text)
		}
	}
	if !failed || !v.status.is(shapeString) || plainFailures.has(v.status.word()) {
		return api.Text{}
	}
	return cleanText(v.status.text)
}

func firstText(values iter.Seq[*node]) string { return textIn(values, 0) }

// sentence reads the cleaned text in a string, an object or an array of messages.
func sentence(n *node) string { return textOf(n, 0) }

func textIn(values iter.Seq[*node], depth int) string {
	for c := range values {
		if text := textOf(c, depth); text != "" {
			return text
		}
	}
	return ""
}

func textOf(n *node, depth int) (text string) {
	if n == nil || depth > 4 {
		return ""
	}
	switch n.shape {
	case shapeString:
		if inner, ok := within(n); ok {
			text = textOf(inner, depth+1)
		}
		if text == "" && !goodWord(n.text) {
			text = cleanText(n.text).String()
		}
	case shapeArray:
		var parts []string
		for c := range n.children {
			if part := textOf(c, depth+1); part != "" && len(parts) < 5 {
				parts = append(parts, part)
			}
		}
		text = strings.Join(parts, "; ")
	case shapeObject:
		text = cmp.Or(textIn(n.each(messageKeys), depth+1), textIn(n.children, depth+1))
	}
	return text
}

func cleanText(s string) api.Text { return api.CleanLines(strings.TrimSpace(s), api.MaxErrorText) }

func codeIn(objects ...*node) string {
	for _, n := range objects {
		if c := first(n.each(codeKeys), func(c *node) bool { return !goodWord(c.text) && badCode(c) }); c != nil {
			return c.text
		}
	}
	return ""
}

// codeWords gathers the code-like words of a refusal and of what it holds.
func codeWords(n *node) string {
	var codes []string
	for c := range n.children {
		if (n.size == 1 || codeBoxes.has(c.name)) && c.shape >= shapeArray {
			codes = append(codes, codeWords(c.single()))
		} else if codeNames.has(c.name) && codeLike(c.scalar()) {
			codes = append(codes, c.text)
		}
	}
	return strings.Join(codes, " ")
}
