package read

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"darkroom/api"
)

// located is a text with the place it was read from; the node is nil when there
// is no text.
type located struct {
	text api.Text
	node *node
}

// goodWord reports whether a text that stands where a failure would is none.
func goodWord(s string) bool {
	return len(s) <= maxWord && (words().GoodWords[fold(s)] || !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune("-_/\uFFFD", r)
	}))
}

// markedError reports whether an answer says outright that it is an error:
// success false, a status or code of failure, an error that is not empty.
func markedError(root *node) bool {
	n := root.single()
	return refused(n, words().ErrorKeys) || slices.ContainsFunc(n.places("", "status"), badCodeIn) || slices.ContainsFunc(n.places(words().Envelopes...), func(c *node) bool {
		return hasError(c, words().ErrorKeys) || badCodeIn(c)
	})
}

// refused is markedError without the codes, whose meaning services do not
// share.
func refused(n *node, errors []string) bool {
	untrue := first(n.each(words().SuccessKeys), func(c *node) bool { return c.is(shapeBool) && !c.says() })
	return untrue != nil || n.is(shapeObject) && (words().BadStatuses[foldWord(n.get("status").scalar())] || hasError(n, errors) || hasError(n.get("data"), errors))
}

// hasError reports an error member that is not empty.
func hasError(n *node, errors []string) bool {
	return first(n.each(errors), func(c *node) bool {
		return c.says() && (c.shape >= shapeArray || c.shape == shapeString && !goodWord(c.text)) && !emptyError(c)
	}) != nil
}

// emptyError reports objects such as {"code":0,"message":""}.
func emptyError(n *node) bool {
	return n.is(shapeObject) && first(n.children, func(c *node) bool {
		return c.says() && c.shape != shapeBool && !goodWord(c.text) || c.shape >= shapeArray && c.size > 0
	}) == nil
}

// badCodeIn reports a code of failure whose text does not say the contrary.
func badCodeIn(n *node) bool {
	code := first(n.each(words().ResultCodes), func(c *node) bool {
		_, number := c.float() // a status that is a word is known to refused
		return badCode(c) && (number || c.name != "status")
	})
	text := n.any(words().ResultTexts)
	return code != nil && (text == nil || !goodWord(text.text))
}

// badCode reports codes outside of those that services send when all is well.
func badCode(n *node) bool {
	if !n.is(shapeNumber) && !n.is(shapeString) || len(n.text) > maxWord {
		return false
	}
	if f := fold(n.text); f == "" || words().GoodCodes[f] {
		return strings.HasPrefix(n.text, "-") && n.says()
	}
	return n.is(shapeNumber) || codeLike(n.text)
}

// codeLike reports one word of letters, digits and joints.
func codeLike(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && len(s) <= 100 && wordOf(s, "_-./:")
}

// reason reads why a job failed. Only an answer that says failed, cancelled or
// nothing at all about the status has one: good jobs carry empty and even
// full error objects.
func (v *jobView) reason(class api.StatusClass) located {
	if class == api.StatusSucceeded || class == api.StatusWaiting || class == api.StatusRunning {
		return located{}
	}
	failed := class == api.StatusFailed || class == api.StatusCancelled
	for _, s := range v.scopes {
		for c := range s.each(v.ReasonKeys) {
			if failed || words().HardReasons.match(c.name) {
				if t := v.sentence(c, 0); t.node != nil {
					return v.beyondCode(s, t)
				}
			}
		}
		if failed {
			if t := v.otherReason(s); t.node != nil {
				return t
			}
		}
	}
	word := foldWord(v.status.scalar())
	for _, p := range words().StatusPrefixes {
		word = strings.TrimPrefix(word, p)
	}
	if !failed || !v.status.is(shapeString) || words().PlainFailures[word] {
		return located{}
	}
	return located{api.Clean(v.status.text, api.MaxErrorText), v.status}
}

// otherReason reads the error in a result, and keys that nobody listed.
func (v *jobView) otherReason(s *node) located {
	for c := range s.each(words().ReasonResults) {
		if t := v.firstText(c.each(words().InnerReasons), 0); t.node != nil {
			return t
		}
	}
	return v.textLike(s, words().UnlistedReasons, func(c *node) bool { return !words().NotJobs[c.name] && !strings.Contains(c.name, "code") })
}

// beyondCode prefers the message beside an error that is only a code.
func (v *jobView) beyondCode(s *node, t located) located {
	if t.node.parent == s && codeLike(t.node.text) {
		for c := range s.each(words().BetterReasons) {
			if m := v.sentence(c, 0); m.node != nil && !codeLike(m.text.String()) {
				return m
			}
		}
	}
	return t
}

// textLike reads a text under a name that nobody listed but that has one of the
// words, of the members that fit.
func (l *vocabulary) textLike(n *node, parts []string, fits func(*node) bool) located {
	for _, w := range parts {
		for c := range n.children {
			if strings.Contains(c.name, w) && fits(c) {
				if t := l.sentence(c, 0); t.node != nil {
					return t
				}
			}
		}
	}
	return located{}
}

func (l *vocabulary) firstText(values iter.Seq[*node], depth int) located {
	for c := range values {
		if t := l.sentence(c, depth); t.node != nil {
			return t
		}
	}
	return located{}
}

// sentence reads the text in a value of any shape: a string, the message in an
// object, the messages in an array.
func (l *vocabulary) sentence(n *node, depth int) (t located) {
	if !n.says() || depth > 4 {
		return t
	}
	switch n.shape {
	case shapeString:
		if depth < 2 {
			inner, _ := parseWithin(n)
			t = l.sentence(inner, depth+1)
		}
		if t.node == nil && !goodWord(n.text) {
			t = locate(n.text, n)
		}
	case shapeNumber:
		if strings.Contains(n.name, "code") && n.text != "200" {
			t = locate(n.text, n)
		}
	case shapeArray: // the first few
		var parts []string
		for c := range n.children {
			if part := l.sentence(c, depth+1); part.node != nil && len(parts) < 5 {
				parts = append(parts, part.text.String())
				t.node = cmp.Or(t.node, part.node)
			} else if len(parts) == 5 {
				break
			}
		}
		t = locate(strings.Join(parts, "; "), t.node)
	case shapeObject:
		if t = l.firstText(n.each(l.MessageKeys), depth+1); t.node == nil {
			t = l.firstText(n.each(l.CodeKeys), depth+1)
		}
		if t.node == nil && depth < 2 && n.size <= 32 {
			t = l.firstText(n.texts, depth+1)
		}
	}
	return t
}

// texts walks over the children that may hold a text of any name.
func (n *node) texts(yield func(*node) bool) {
	for c := range n.children {
		if c.shape >= shapeString && !yield(c) {
			return
		}
	}
}

// locate cleans a text; one of which nothing stays is none.
func locate(s string, n *node) located {
	text := api.CleanLines(strings.TrimSpace(s), api.MaxErrorText)
	if n == nil || text.IsZero() {
		return located{}
	}
	return located{text, n}
}

// rankedID is an id with the place of its key's list: 1 is best.
type rankedID struct {
	id   string
	rank int
}

// ScanIDs gives the values that may be a job's id from an answer that was
// cut short or proves nothing, best first. accepted is false for answers that
// are not a 2xx: there a request or trace id is all the more likely and left
// out.
func ScanIDs(raw []byte, accepted bool) []string {
	root, err := parseTree(raw)
	if err == errDeep {
		return nil
	}
	var all []rankedID
	for n := range root.below {
		if rank := words().idRank(n.name, accepted); rank > 0 && n.parent.is(shapeObject) && n.shape >= shapeNumber && PollableID(n.scalar()) {
			all = append(all, rankedID{n.text, rank})
		}
		if len(all) == 64 {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b rankedID) int { return cmp.Compare(a.rank, b.rank) })
	var ids []string
	for _, f := range all {
		if !slices.Contains(ids, f.id) && len(ids) < MaxCandidates {
			ids = append(ids, f.id)
		}
	}
	return ids
}

// idRank says how likely a key holds a job's id: 1 is best, 0 is not at all.
func (l *vocabulary) idRank(name string, accepted bool) int {
	for i, names := range l.idLists {
		if slices.Contains(names, name) || i == 0 && name == "job" {
			if i == len(l.idLists)-1 && !accepted {
				return 0
			}
			return i + 1
		}
	}
	return 0
}
