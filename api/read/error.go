package read

import (
	"cmp"
	"iter"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// MaxKeptRaw is how much of an answer an Error and an Outcome keep.
const MaxKeptRaw = 64 << 10

// KeepRaw gives the part of an answer that is kept.
func KeepRaw(raw []byte) []byte { return raw[:min(len(raw), MaxKeptRaw):min(len(raw), MaxKeptRaw)] }

// Error reads an answer that is a refusal: any status of 400 or more, and
// refusals inside a 2xx. It never returns nil; the text is empty if there are no words.
func Error(status int, header http.Header, raw []byte) *api.Error {
	root, err := parseTree(raw)
	if err == nil {
		return treeError(status, header, raw, root)
	}
	e := &api.Error{Status: status, Raw: KeepRaw(raw)}
	text := strings.TrimSpace(string(raw[:min(len(raw), 4*api.MaxErrorText)]))
	if text != "" && !strings.ContainsRune("<{[", rune(text[0])) && TypeKind(Sniff(raw)) == "" {
		e.Text = cleanText(text)
	}
	if e.Class = api.ClassUnreadable; status >= 400 {
		e.Class = errorClass(status, "", cmp.Or(e.Text.String(), http.StatusText(status)))
	}
	readHeader(e, header)
	return e
}

func readHeader(e *api.Error, header http.Header) {
	for _, name := range [...]string{"X-Request-Id", "X-Fal-Request-Id", "Request-Id", "X-Trace-Id", "Cf-Ray"} {
		e.RequestID = cmp.Or(e.RequestID, api.Clean(header.Get(name), api.MaxIDText))
	}
	if d, ok := Wait(header, time.Now()); ok {
		e.RetryAfter = max(d, api.MinWait)
	}
}

func treeError(status int, header http.Header, raw []byte, root *node) *api.Error {
	e := &api.Error{Status: status, Raw: KeepRaw(raw)}
	n := root.single()
	code, text := errorTexts(root)
	e.Code, e.Text = api.Clean(code, api.MaxIDText), cleanText(text)
	e.Class = errorClass(status, codeWords(n), text)
	e.Fields = refusedFields(n, e)
	if e.Text.IsZero() && len(e.Fields) > 0 {
		e.Text = e.Fields[0].Text
		if status < 300 {
			e.Class = api.ClassInvalid
		}
	}
	e.Text = cmp.Or(e.Text, e.Code)
	e.RequestID = api.Clean(root.any(traceIDKeys).scalar(), api.MaxIDText)
	readHeader(e, header)
	e.RetryAfter = cmp.Or(e.RetryAfter, bodyWait(root), textWait(e.Text.String()))
	return e
}

// errorTexts gives the service's own code and its sentence.
func errorTexts(root *node) (code, text string) {
	n := root.single()
	if !n.is(shapeObject) {
		return "", textOf(root, 0)
	}
	isCode := func(c *node) bool { return !goodWord(c.text) && badCode(c) }
	code = cmp.Or(first(n.get("error").each(codeKeys), isCode), first(n.each(codeKeys), isCode)).scalar()
	text = textIn(n.each(reasonKeys), 0)
	more := textIn(n.each(moreTexts), 0)
	switch err := n.any(reasonKeys); {
	case !err.is(shapeString), more == "", strings.Contains(text, more):
	case codeLike(err.text):
		return err.text, more
	case err.name == "error": // a short error such as "Bad Request" with the sentence that says more
		return code, text + ": " + more
	}
	text = cmp.Or(text, textIn(n.each(messageKeys), 0), textIn(n.like(textNames), 0))
	for c := range n.children { // the envelope, or an object that nobody listed
		if text == "" && c.shape >= shapeArray && !notJobs.has(c.name) {
			inner, said := errorTexts(c)
			code, text = cmp.Or(code, inner), said
		}
	}
	return code, text
}

// specFields are the spec's request fields by their folded names.
var specFields = func() map[string]string {
	m := map[string]string{
		"modelid": api.FieldModel, "模型": api.FieldModel, "提示词": api.FieldPrompt, "宽高比": api.FieldAspectRatio,
		"画面比例": api.FieldAspectRatio, "时长": api.FieldDuration, "分辨率": api.FieldResolution, "尺寸": api.FieldSize,
		"种子": api.FieldSeed, "首帧": api.FieldImageURL, "尾帧": api.FieldEndImageURL,
	}
	for _, f := range api.Fields("") {
		for _, name := range append([]string{f.Name}, f.Also...) {
			m[fold(name)] = f.Name
		}
	}
	m[api.FieldRatio] = api.FieldRatio
	return m
}()

type fieldSearch []api.FieldError

func (s *fieldSearch) add(field, text string) {
	f := api.FieldError{Field: field, Text: cleanText(text)}
	if field != "" && !f.Text.IsZero() && len(*s) < 32 {
		*s = append(*s, f)
	}
}

func refusedFields(n *node, e *api.Error) []api.FieldError {
	var s fieldSearch
	text := e.Text.String()
	for outer := range n.boxes(fieldBoxes) { // the data of a JSend fail are the fields
		s.within(outer, outer.name == "data" && n.get("status").word() == "fail")
	}
	for box := range n.boxes(plainErrors) {
		name := fieldName(box.any(oneField).scalar())
		if !slices.ContainsFunc(s, func(f api.FieldError) bool { return f.Field == name }) { // it is named once
			s.add(name, text)
		}
	}
	if len(s) == 0 && e.Class == api.ClassInvalid {
		s.within(n, true) // {"prompt": ["is required"]}
		for _, m := range reField().FindAllStringSubmatch(text[:min(len(text), 1000)], 32) {
			if len(s) == 0 { // the first field that the sentence names
				s.add(specFields[fold(m[1]+m[2]+m[3])], text)
			}
		}
	}
	return s
}

// within reads arrays of {loc|field|path, msg} and maps field → text: those
// under names for them, or all members.
func (s *fieldSearch) within(n *node, all bool) {
	for c := range n.children {
		field, _, _ := strings.Cut(fieldName(c.key), ".")
		switch {
		case n.is(shapeArray):
			place := cmp.Or(c.any(issueFields), c.get("source").any(issueFields))
			if place == nil {
				s.within(c, true)
				continue
			}
			path := []string{place.scalar()}
			for step := range place.children { // ["body","image_files",1] is image_files.2
				path = append(path, step.scalar())
			}
			s.add(fieldName(strings.Trim(strings.Join(path, "."), ".")), textOf(c.any(issueTexts), 0))
		case fieldPlaces.has(c.name):
			s.within(c, true)
		case all && specFields[fold(field)] != "":
			s.add(fieldName(c.key), textOf(c, 0))
		}
	}
}

// fieldName gives the spec's name of body.image_files[1], else the service's own.
func fieldName(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("./[]$ ", r) })
	for i, p := range parts {
		if f := specFields[fold(p)]; f != "" {
			if k, err := strconv.Atoi(append(parts[i+1:], "")[0]); err == nil {
				return f + "." + strconv.Itoa(k+1)
			}
			return f
		}
	}
	return api.Clean(s, api.MaxIDText).String()
}

// reField finds what may be the name of a field: with a joint, at the beginning of
// a sentence or after "the", in quotes, or after a word of complaint.
var reField = api.Pattern("(?i)(?:^|[.;:\n'\"`] ?|\\bthe |\\b(?:invalid|missing|unknown|unsupported|bad|required|field|parameter|param" +
	"|property|value)(?: for)?:? )['\"`]?([a-z][a-z_]{2,20})|\\b([a-z]+_[a-z_]+)" +
	"|(提示词|宽高比|画面比例|时长|分辨率|尺寸|种子|首帧|尾帧|模型)")

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
	status := n.get("status")
	return first(n.each(successKeys), func(c *node) bool { return c.is(shapeBool) && !c.says() }) != nil ||
		status.is(shapeString) && badStatuses.has(status.word()) ||
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
	failed, keys := class == api.StatusFailed || class == api.StatusCancelled, errorKeys
	switch class {
	case api.StatusWaiting, api.StatusRunning:
		return api.Text{}
	case api.StatusSucceeded:
		keys = reasonKeys // not the details of what was made
	}
	good := func(code *node) bool { return goodCodes.has(code.word()) }
	for _, s := range v.scopes {
		text := textIn(s.each(keys), 0)
		if failed {
			_, text = errorTexts(s)
		} else if first(s.each(keys), func(c *node) bool { return first(c.each(resultCodes), good) != nil }) != nil {
			text = "" // it says that there is none
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

func textIn(values iter.Seq[*node], depth int) string {
	for c := range values {
		if text := textOf(c, depth); text != "" {
			return text
		}
	}
	return ""
}

// textOf reads the cleaned text in a string, an object or an array of messages.
func textOf(n *node, depth int) (text string) {
	if n == nil || depth > 4 {
		return ""
	}
	switch n.shape {
	case shapeString:
		if inner := within(n); inner != n {
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

// errorClass says what a person can do, by the status, the codes and the words.
func errorClass(status int, codes, text string) api.ErrorClass {
	all := spaced(codes + " " + text)
	class := classOf(status, codes, all)
	if class == api.ClassCredits && reUnit().MatchString(all) && !reMoney().MatchString(all) {
		return api.ClassCalls
	}
	return class
}

func classOf(status int, codes, all string) (class api.ErrorClass) {
	known := statusClasses[status]
	switch {
	case status >= 500:
		return api.ClassServer
	case status < 300: // words for trouble of the service go first: "the upstream sent an invalid answer" proves nothing
		return cmp.Or(firstOf(all, api.ClassCredits, api.ClassModeration), numberClass(codes, all),
			firstOf(all, api.ClassServer, api.ClassRate, api.ClassKey, api.ClassNotFound, api.ClassConflict, api.ClassInvalid),
			api.ClassServer)
	case status == 403:
		class = firstOf(all, api.ClassCredits, api.ClassModeration, api.ClassRate)
	case status == 429 && (firstOf(all, api.ClassRate) == "" || firstOf(all, api.ClassCalls) != "" && !reRest().MatchString(all)):
		class = firstOf(all, api.ClassCredits)
	case known == api.ClassNotFound && reKeyStrong().MatchString(spaced(codes)): // a code such as InvalidApiKey names the cause
		class = api.ClassKey
	case known == "":
		class = firstOf(all, api.ClassCredits, api.ClassModeration)
		if class == "" && reKeyStrong().MatchString(all) {
			class = api.ClassKey
		}
		class = cmp.Or(class, firstOf(spaced(codes), api.ClassRate))
	}
	return cmp.Or(class, known, api.ClassInvalid)
}

func firstOf(s string, classes ...api.ErrorClass) api.ErrorClass {
	c, _ := api.Find(classes, func(c api.ErrorClass) bool {
		return classPatterns[c]().MatchString(s) || c == api.ClassCredits && classPatterns[api.ClassCalls]().MatchString(s)
	})
	return c
}

// numberClass reads codes that are HTTP statuses.
func numberClass(codes, all string) api.ErrorClass {
	for code := range strings.FieldsSeq(codes) {
		n, _ := strconv.Atoi(code)
		if api.ProvesRefusal(n) || statusClasses[n] != "" || n >= 500 && n <= 504 {
			return classOf(n, "", all)
		}
	}
	return ""
}

var (
	reHump  = api.Pattern(`([a-z])([A-Z])`)
	reJoint = api.Pattern(`[^a-z0-9\x{80}-\x{10FFFF}]+`)
)

// spaced parts insufficient_quota, InvalidParameter and "rate-limit" into words.
func spaced(s string) string {
	s = reHump().ReplaceAllString(s[:min(len(s), 4000)], "$1 $2")
	return reJoint().ReplaceAllString(strings.ToLower(s), " ")
}

// maxReadWait keeps arithmetic on absurd figures within a time.Duration.
const maxReadWait = 10 * 365 * 24 * time.Hour

// Wait reads how long an answer asks to wait: retry-after-ms, Retry-After
// (whole or fractional seconds, or a date against the answer's own Date), then
// RateLimit-Reset and x-ratelimit-reset… (seconds, a duration such as 6m0s, or
// above 1e9 a Unix time). now stands in for a missing Date header. A date in
// the past is a wait of 0; what cannot be read is not a wait at all.
func Wait(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	values := api.Map(header.Values("Retry-After-Ms"), func(ms string) string { return strings.TrimSpace(ms) + "ms" })
	for _, v := range append(values, header.Values("Retry-After")...) {
		if d, ok := waitValue(v, now); ok {
			return d, true
		}
	}
	// A window of a rate limit with calls left is not what holds the caller up, so
	// one with none left goes first; among equals the longest wait is the safe one.
	spent := false
	for name, values := range header {
		lower := strings.ToLower(name)
		none := strings.TrimSpace(header.Get(strings.Replace(lower, "-reset", "-remaining", 1))) == "0"
		if !strings.HasPrefix(strings.TrimPrefix(lower, "x-"), "ratelimit-reset") || spent && !none {
			continue
		}
		for _, v := range values {
			if d, readable := waitValue(v, now); readable && none && !spent {
				wait, spent, ok = d, true, true
			} else if readable {
				wait, ok = max(wait, d), true
			}
		}
	}
	return wait, ok
}

// waitValue reads one value: seconds, a Unix time, a duration or a date. It rounds
// up, so that a wait is never a little too short.
func waitValue(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	at, err := http.ParseTime(v)
	n := 0.0
	if strings.Trim(v, "0123456789.") == "" { // no sign, hex, NaN or Inf
		if n, err = strconv.ParseFloat(v, 64); err == nil && n <= 1e9 {
			return min(time.Duration(math.Ceil(n*float64(time.Second))), maxReadWait), true
		}
		if n > 1e12 { // a Unix time in milliseconds
			n = min(n, 1e15) / 1000
		}
		at = time.UnixMilli(int64(n * 1000))
	}
	if err == nil {
		return min(max(at.Sub(now), 0), maxReadWait), true
	}
	d, err := time.ParseDuration(v)
	return min(max(d, 0), maxReadWait), err == nil && !strings.HasPrefix(v, "-")
}

// bodyWait reads a wait in the body, in seconds or as a duration such as "34s".
func bodyWait(root *node) (wait time.Duration) {
	root.below(func(n *node) {
		if waitKeys.has(n.name) && wait == 0 {
			d, _ := time.ParseDuration(n.scalar())
			if f, _ := n.float(); f <= 3600 {
				d = max(d, time.Duration(f*float64(time.Second)))
			}
			if d > 0 && d <= time.Hour {
				wait = d
			}
		}
	})
	return wait
}

// reWait reads "try again in 20s" and "available in 1 second".
var reWait = api.Pattern(`(?i)\b(?:retry|try again|available|wait)[a-z ]{0,16} ([0-9]{1,4}(?:\.[0-9]+)?)` +
	` ?(s|secs?|seconds?|m|mins?|minutes?)\b|([0-9]{1,4}(?:\.[0-9]+)?) ?(秒|分钟)[之以]?后`)

func textWait(text string) time.Duration {
	m := reWait().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	unit := "s"
	if strings.HasPrefix(strings.ToLower(m[2]), "m") || m[4] == "分钟" {
		unit = "m"
	}
	d, _ := time.ParseDuration(m[1] + m[3] + unit)
	return min(d, time.Hour)
}
