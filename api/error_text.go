package api

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Error gives what happened and what to do in English, without any secret: for
// logs and programs. What people read is made of Why.
func (e *Error) Error() string { return e.Why().String() }

// Why gives what happened and what to do.
func (e *Error) Why() Reason {
	happened, advice := e.Happened(), e.Advice()
	if advice.IsZero() {
		return happened
	}
	return NewReason(ReasonThen, happened, advice)
}

// Unwrap gives the transport's error.
func (e *Error) Unwrap() error { return e.Cause }

// Happened gives what happened alone.
func (e *Error) Happened() Reason {
	class := NewReason(reasonClass + string(e.class()))
	text := Clean(e.Text.String(), MaxErrorText)
	why := e.Reason
	if why.IsZero() && !text.IsZero() {
		why = NewReason(ReasonText, text)
	}
	if e.Status == 0 || e.Class == ClassNetwork || e.Class == ClassUnreadable {
		if why.IsZero() {
			return class
		}
		return why
	}
	status := strconv.Itoa(e.Status)
	if why.IsZero() || e.Reason.IsZero() && strings.HasPrefix(text.String(), "The service answered "+status) { // the reader's words for no words
		return NewReason(reasonStatus, class, e.Status)
	}
	return NewReason(reasonWords, class, e.Status, why)
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
		return NewReason(adviseWait, roundWait(e.RetryAfter))
	case e.Class == ClassCredits && e.AboutCalls():
		return NewReason(adviseCalls)
	case e.Class == ClassNetwork && e.Final:
		return Reason{}
	}
	return NewReason(adviseClass + string(e.class()))
}

// callWords are a service's words for a limit of calls, and creditWords those
// for an amount of credits.
var (
	callWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(calls|requests|(call|request)[ _-]?(quota|limit|count)\w*)\b|调用|请求数|次数`)
	})
	creditWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)credit|balance|funds|payment|billing|积分|余额|点数`)
	})
)

// AboutCalls reports whether the service's words say that the key has no calls
// left, which more credits do not change.
func (e *Error) AboutCalls() bool {
	said := e.Code.String() + " " + e.Text.String()
	return callWords().MatchString(said) && !creditWords().MatchString(said)
}

// roundWait makes a wait fit to be read: whole seconds, rounded up.
func roundWait(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}
