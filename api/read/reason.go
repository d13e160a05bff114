package read

import (
	"strings"

	"darkroom/api"
)

// told is a text with the place it was read from.
type told struct {
	text api.Text
	node *node
}

// reason reads why a job failed. Only an answer that says failed, cancelled or
// nothing at all about the status has one: good jobs carry empty and even
// full error objects.
func (v *view) reason(class api.StatusClass) told {
	switch class {
	case api.StatusSucceeded, api.StatusWaiting, api.StatusRunning:
		return told{}
	}
	scopes := v.scopes
	if v.job != nil {
		scopes = append([]*node{v.job}, scopes...)
	}
	for _, s := range scopes {
		for _, name := range v.list(listReason) {
			if !v.failing(class) && !strings.Contains(name, "err") && !strings.Contains(name, "fail") && name != "detail" {
				continue
			}
			if t := v.sentence(s.get(name), 0); !t.text.IsZero() {
				return v.beyondCode(s, t)
			}
		}
		for _, name := range [...]string{"result", "output", "response"} {
			for _, key := range [...]string{"error", "errormessage", "errormsg", "message"} {
				if t := v.sentence(s.at(name, key), 0); !t.text.IsZero() && v.failing(class) {
					return t
				}
			}
		}
		if t := v.strangeReason(s, class); !t.text.IsZero() {
			return t
		}
	}
	if v.failing(class) && v.status.is(shapeString) && !plainFailure(foldStatus(v.status.text)) {
		return told{api.Clean(v.status.text, api.MaxErrorText), v.status}
	}
	return told{}
}

// beyondCode prefers the message beside an error that is only a code.
func (v *view) beyondCode(s *node, t told) told {
	if t.node.parent != s || !codeLike(t.node.text) {
		return t
	}
	for _, name := range [...]string{"message", "msg", "detail", "errormessage", "errormsg"} {
		if m := v.sentence(s.get(name), 0); !m.text.IsZero() && !codeLike(m.text.String()) {
			return m
		}
	}
	return t
}

func (v *view) failing(class api.StatusClass) bool {
	return class == api.StatusFailed || class == api.StatusCancelled
}

// strangeReason reads keys that nobody listed but that speak of failure.
func (v *view) strangeReason(s *node, class api.StatusClass) told {
	if !v.failing(class) {
		return told{}
	}
	for _, w := range [...]string{"reason", "error", "fail", "message", "msg", "detail"} {
		for c := range s.children {
			if strings.Contains(c.name, w) && !skipped[c.name] && !strings.Contains(c.name, "code") {
				if t := v.sentence(c, 0); !t.text.IsZero() {
					return t
				}
			}
		}
	}
	return told{}
}

// plainFailure words say only that the job failed, which is known already.
func plainFailure(word string) bool {
	for _, p := range statusPrefixes {
		word = strings.TrimPrefix(word, p)
	}
	switch word {
	case "failed", "failure", "fail", "error", "errored", "cancelled", "canceled", "cancel", "失败", "已失败", "已取消":
		return true
	}
	return false
}

// maxWord is how long a text may be that is one of a few known words, with all
// that folding takes off it.
const maxWord = 200

// goodWord tells texts that are no failure though they stand where one would.
func goodWord(s string) bool {
	if len(s) > maxWord {
		return false
	}
	switch fold(s) {
	case "", "success", "succeed", "succeeded", "ok", "none", "null", "nil", "noerror", "false", "0", "成功", "操作成功", "请求成功":
		return true
	}
	return false
}

// sentence reads the text in a value of any shape: a string, the message in an
// object, the messages in an array.
func (l *lexicon) sentence(n *node, depth int) told {
	if !n.says() || depth > 4 {
		return told{}
	}
	switch n.shape {
	case shapeString:
		if inner, ok := parseWithin(n); ok && inner.says() && depth < 2 {
			if t := l.sentence(inner, depth+1); !t.text.IsZero() {
				return t
			}
		}
		if !goodWord(n.text) {
			return told{api.CleanLines(strings.TrimSpace(n.text), api.MaxErrorText), n}
		}
	case shapeNumber:
		if strings.Contains(n.name, "code") && n.text != "200" {
			return told{api.Clean(n.text, api.MaxErrorText), n}
		}
	case shapeArray:
		return l.sentences(n, depth)
	case shapeObject:
		for _, name := range l.list(listMessage) {
			if t := l.sentence(n.get(name), depth+1); !t.text.IsZero() {
				return t
			}
		}
		for _, name := range l.list(listCode) {
			if t := l.sentence(n.get(name), depth+1); !t.text.IsZero() {
				return t
			}
		}
		if depth < 2 && n.size <= 32 {
			for c := range n.children {
				if c.shape >= shapeString {
					if t := l.sentence(c, depth+1); !t.text.IsZero() {
						return t
					}
				}
			}
		}
	}
	return told{}
}

// sentences joins the first few texts of an array.
func (l *lexicon) sentences(n *node, depth int) told {
	var parts []string
	var first *node
	for c := range n.children {
		t := l.sentence(c, depth+1)
		if t.text.IsZero() {
			continue
		}
		if first == nil {
			first = t.node
		}
		if parts = append(parts, t.text.String()); len(parts) == 5 {
			break
		}
	}
	if first == nil {
		return told{}
	}
	return told{api.CleanLines(strings.Join(parts, "; "), api.MaxErrorText), first}
}
