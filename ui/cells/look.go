package cells

import "strings"

// look is how text is drawn: parameters of SGR sequences, without their last
// semicolon.
type look struct{ fore, back, rest string }

// styleOf are the parameters of an SGR sequence.
func styleOf(sequence string) (params string, ok bool) {
	params, ok = strings.CutPrefix(sequence, "\x1b[")
	if !ok || !strings.HasSuffix(params, "m") {
		return "", false
	}
	return params[:len(params)-1], true
}

// eachParam calls f with one parameter after the other, those of a colour
// together.
func eachParam(params string, f func(code, whole string)) {
	for params != "" {
		code, rest, _ := strings.Cut(params, ";")
		n := len(code)
		if code == "38" || code == "48" || code == "58" {
			more := 4
			if strings.HasPrefix(rest, "5;") {
				more = 2
			}
			for ; more > 0 && n < len(params); more-- {
				if next := strings.IndexByte(params[n+1:], ';'); next >= 0 {
					n += 1 + next
				} else {
					n = len(params)
				}
			}
		}
		f(code, params[:n])
		params = strings.TrimPrefix(params[n:], ";")
	}
}

// with is the look after a sequence with these parameters.
func (l look) with(params string) look {
	if params == "" {
		return look{}
	}
	eachParam(params, func(code, whole string) {
		switch {
		case code == "0" || code == "":
			l = look{}
		case code == "39":
			l.fore = ""
		case code == "49":
			l.back = ""
		case (code[0] == '3' || code[0] == '9') && len(code) == 2:
			l.fore = whole
		case code[0] == '4' && len(code) == 2 || code[0] == '1' && len(code) == 3:
			l.back = whole
		case l.rest == "":
			l.rest = whole
		default:
			l.rest += ";" + whole
		}
	})
	return l
}

// whole are the parameters that set a look, whatever was before.
func (l look) whole() string {
	if l == (look{}) {
		return ""
	}
	return "0" + prefixed(l.rest) + prefixed(l.fore) + prefixed(l.back)
}

// after are the parameters that set a look after another one.
func (l look) after(before look) string {
	if l.rest != before.rest || l.fore == "" && before.fore != "" || l.back == "" && before.back != "" {
		return l.whole()
	}
	params := ""
	if l.fore != before.fore {
		params = prefixed(l.fore)
	}
	if l.back != before.back {
		params += prefixed(l.back)
	}
	return strings.TrimPrefix(params, ";")
}

func prefixed(params string) string {
	if params == "" {
		return ""
	}
	return ";" + params
}
