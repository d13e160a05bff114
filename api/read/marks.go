package read

import "strings"

// markedError reports whether an answer says outright that it is an error:
// success false, a status or code of failure, an error that is not empty.
func markedError(root *node) bool {
	n := root
	if n.is(shapeArray) {
		n = n.first
	}
	if !n.is(shapeObject) {
		return false
	}
	for _, name := range [...]string{"success", "ok", "successful", "issuccess", "succeed"} {
		if c := n.get(name); c.is(shapeBool) && c.text == "false" {
			return true
		}
	}
	switch foldStatus(n.get("status").scalar()) {
	case "nok", "error", "fail", "failed", "failure":
		return true
	}
	if toldError(n) || toldError(n.get("data")) || badCodeIn(n) || badCodeIn(n.get("status")) {
		return true
	}
	for _, name := range envelopes {
		if c := n.get(name); toldError(c) || badCodeIn(c) {
			return true
		}
	}
	return false
}

// envelopes are objects that speak of the call, or hold all that it says.
var envelopes = []string{"baseresp", "response", "resp", "header", "head", "responsestatus", "responsemetadata", "meta"}

// toldError reports an error member that is not empty.
func toldError(n *node) bool {
	for _, name := range [...]string{"error", "errors", "detail", "errormessage", "errormsg", "err"} {
		if c := n.get(name); c.says() && (c.shape >= shapeArray || c.shape == shapeString && !goodWord(c.text)) && !emptyError(c) {
			return true
		}
	}
	return false
}

// badCodeIn reports a code of failure whose text does not say the contrary.
func badCodeIn(n *node) bool {
	for _, name := range [...]string{"code", "errcode", "errorcode", "errno", "statuscode", "retcode", "ret", "resultcode", "httpstatus", "httpcode", "status"} {
		c := n.get(name)
		if _, number := c.float(); name == "status" && !number { // a word: markedError knows those of failure
			continue
		}
		if badCode(c) && !goodText(n.any([]string{"message", "msg", "statusmsg", "errmsg", "errormsg", "description", "info"})) {
			return true
		}
	}
	return false
}

// emptyError tells objects such as {"code":0,"message":""}.
func emptyError(n *node) bool {
	if !n.is(shapeObject) {
		return false
	}
	for c := range n.children {
		if c.says() && c.shape != shapeBool && !goodWord(c.text) || c.shape >= shapeArray && c.size > 0 {
			return false
		}
	}
	return true
}

// badCode tells codes outside of those that services send when all is well.
func badCode(n *node) bool {
	if !n.is(shapeNumber) && !n.is(shapeString) || len(n.text) > maxWord {
		return false
	}
	switch fold(n.text) {
	case "", "0", "00", "000", "0000", "200", "201", "202", "20000", "1000", "10000", "success", "ok", "succeed", "successful", "pending", "processing", "queued":
		return strings.HasPrefix(n.text, "-") && n.says()
	}
	return n.is(shapeNumber) || codeLike(n.text)
}

func goodText(n *node) bool { return n != nil && goodWord(n.text) }
