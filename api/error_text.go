package api

import (
	"strconv"
	"strings"
	"time"
)

// Error gives what happened and what to do in English, without any secret: for
// logs and programs. What people read is made of Happened and Advice.
func (e *Error) Error() string {
	happened, advice := e.Happened().String(), e.Advice()
	if advice.IsZero() {
		return happened
	}
	return strings.TrimRight(happened, ".") + "; " + advice.String()
}

// Unwrap gives the transport's error.
func (e *Error) Unwrap() error { return e.Cause }

// Happened gives what happened alone.
func (e *Error) Happened() Reason {
	class := Reason{Code: reasonClass + string(e.class())}
	text := Clean(e.Text.String(), MaxErrorText)
	why := e.Reason
	if why.IsZero() && !text.IsZero() {
		why = Reason{ReasonText, []any{text}}
	}
	if e.Status == 0 || e.Class == ClassNetwork || e.Class == ClassUnreadable {
		if why.IsZero() {
			return class
		}
		return why
	}
	status := strconv.Itoa(e.Status)
	if why.IsZero() || e.Reason.IsZero() && strings.HasPrefix(text.String(), "The service answered "+status) { // the reader's words for no words
		return Reason{reasonStatus, []any{class, e.Status}}
	}
	return Reason{reasonWords, []any{class, e.Status, why}}
}

// class is the class, a fault of the service when it is none of ours.
func (e *Error) class() ErrorClass {
	if _, known := reasonFormats[reasonClass+string(e.Class)]; known {
		return e.Class
	}
	return ClassServer
}

// Advice gives what to do alone; zero when there is nothing to advise.
func (e *Error) Advice() Reason {
	switch {
	case !e.Do.IsZero():
		return e.Do
	case e.Class == ClassRate && e.RetryAfter > 0:
		return Reason{adviseWait, []any{roundWait(e.RetryAfter)}}
	case e.Class == ClassNetwork && e.Final:
		return Reason{}
	}
	return Reason{Code: adviseClass + string(e.class())}
}

// roundWait makes a wait fit to be read: whole seconds, rounded up.
func roundWait(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
