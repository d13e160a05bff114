package read

import (
	"strings"

	"darkroom/api"
)

// statusIn gives the status value of one object.
func (l *vocabulary) statusIn(n *node) *node {
	c := first(n.each(l.StatusKeys), func(c *node) bool { return statusValue(c, 0) != nil })
	if c == nil {
		c = first(n.children, func(c *node) bool {
			return words().StatusNames.match(c.name) && !words().ForeignStatus.match(c.name) && (statusValue(c, 0).is(shapeString) || words().JobNames.match(c.name) && statusValue(c, 0) != nil)
		})
	}
	return statusValue(c, 0)
}

func statusValue(n *node, depth int) *node {
	switch {
	case n == nil || depth > 1:
		return nil
	case n.is(shapeString) && n.says():
		return n
	case n.is(shapeNumber):
		if f, _ := n.float(); f >= 100 && f < 600 { // an HTTP status, not a job's
			return nil
		}
		return n
	case n.is(shapeObject):
		return statusValue(first(n.each(words().StatusParts), func(c *node) bool { return statusValue(c, depth+1) != nil }), depth+1)
	}
	return nil
}

func doneIn(n *node) *node {
	return first(n.each(words().DoneKeys), func(c *node) bool { return c.is(shapeBool) })
}

// classify says what a status word means. Only an exact known word has a
// class of its own.
func (l *vocabulary) classify(word string) api.StatusClass {
	if strings.TrimSpace(word) == "" {
		return api.StatusNone
	}
	f := foldWord(word)
	if c, ok := l.statuses[f]; ok {
		return c
	}
	for _, p := range words().StatusPrefixes {
		if c, ok := l.statuses[strings.TrimPrefix(f, p)]; ok {
			return c
		}
	}
	return api.StatusUnlisted
}

// class is the class of the answer's status. An envelope's word around a job
// says nothing about the job.
func (v *jobView) class() api.StatusClass {
	switch {
	case v.status == nil:
		return api.StatusNone
	case v.status.shape == shapeBool && v.status.text != "true":
		return api.StatusRunning
	case v.status.shape == shapeBool && v.job.get("error").says():
		return api.StatusFailed
	case v.status.shape == shapeBool:
		return api.StatusSucceeded
	case v.status.shape == shapeNumber:
		return api.StatusUnlisted // 1 means done here and queued there
	case v.envelopeStatus():
		return api.StatusNone
	}
	return v.classify(v.status.text)
}

// envelopeStatus reports whether the status is about the call: an envelope's
// word, outside of the object that has the id, or with no id at all.
func (v *jobView) envelopeStatus() bool {
	word := foldWord(v.status.text)
	switch {
	case !words().EnvelopeWords[word] || v.job == v.root.get("job"):
		return false
	case word == "nok":
		return true
	case v.idIn(v.job) != nil && word != "ok":
		return false
	case v.classify(v.status.text) == api.StatusSucceeded:
		return len(v.outputs("", true)) == 0
	}
	return v.job == v.root
}

// finished reports whether the status says that the job succeeded.
func (v *jobView) finished() bool {
	return v.status.is(shapeString) && v.classify(v.status.text) == api.StatusSucceeded || v.status.is(shapeBool) && v.status.text == "true"
}

// failing reports whether a class is that of a job that came to nothing.
func failing(class api.StatusClass) bool {
	return class == api.StatusFailed || class == api.StatusCancelled
}
