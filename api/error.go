package api

import (
	"strconv"
	"strings"
	"time"
)

// ErrorClass groups refusals by what a person can do about them.
type ErrorClass string

// Classes of errors.
const (
	ClassKey        ErrorClass = "key"        // the key is missing, wrong or switched off
	ClassCredits    ErrorClass = "credits"    // no credits or quota left
	ClassRate       ErrorClass = "rate"       // too many calls now
	ClassInvalid    ErrorClass = "invalid"    // the request breaks a rule
	ClassModeration ErrorClass = "moderation" // the content was refused
	ClassNotFound   ErrorClass = "not_found"
	ClassConflict   ErrorClass = "conflict"
	ClassServer     ErrorClass = "server"
	ClassNetwork    ErrorClass = "network" // no answer: see Error.Sent
	ClassUnreadable ErrorClass = "unreadable"
	ClassCurrency   ErrorClass = "currency" // a price that is not in credits
)

// FieldError is a refusal of one field.
type FieldError struct {
	Field string // the spec's field name when it could be matched, else the service's
	Text  Text
}

// Error is a refusal or failure of the service, cleaned and without secrets.
type Error struct {
	Class      ErrorClass
	Status     int    // HTTP status; 0 without an answer
	Code       Text   // the service's own code
	Text       Text   // the service's sentence; empty when Reason says what happened
	Reason     Reason // what happened, when it is found here and not said by the service
	Do         Reason // what to do, when the advice of the class does not fit
	Fields     []FieldError
	RequestID  Text
	RetryAfter time.Duration // asked for by the answer; 0 when not
	Sent       bool          // with ClassNetwork: there was a connection, so bytes may have left
	Raw        []byte        // at most 64 KiB, as received but for the key
	Final      bool          // with ClassNetwork: trying again cannot cure it
	Cause      error         // the transport's error, if any; its text is not shown as it is
}

// Error gives what happened and what to do in English, without any secret: for
// logs and programs. What people read is made of Why.
func (e *Error) Error() string { return e.Why().String() }

// Why gives what happened and what to do.
func (e *Error) Why() Reason {
	happened, advice := e.Happened(), e.Advice()
	if advice.IsZero() {
		return happened
	}
	return ReasonThen.Reason(happened, advice)
}

// Unwrap gives the transport's error.
func (e *Error) Unwrap() error { return e.Cause }

// Happened gives what happened alone.
func (e *Error) Happened() Reason {
	class := classReasons[e.class()].happened.Reason()
	text := Clean(e.Text.String(), MaxErrorText)
	why := e.Reason
	if why.IsZero() && !text.IsZero() {
		why = ReasonText.Reason(text)
	}
	if e.Status == 0 || e.Class == ClassNetwork || e.Class == ClassUnreadable {
		if why.IsZero() {
			return class
		}
		return why
	}
	status := strconv.Itoa(e.Status)
	noWords := strings.HasPrefix(text.String(), "The service answered "+status) // as the reader says it
	if why.IsZero() || e.Reason.IsZero() && noWords {
		return reasonStatus.Reason(class, e.Status)
	}
	return reasonWords.Reason(class, e.Status, why)
}

// class is the class, a fault of the service when it is none of ours.
func (e *Error) class() ErrorClass {
	if _, known := classReasons[e.Class]; known {
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
		return adviseWait.Reason((ClampWait(e.RetryAfter) + time.Second - 1).Truncate(time.Second)) // as people read it, rounded up
	case e.Class == ClassCredits && e.AboutCalls():
		return adviseCalls.Reason()
	case e.Class == ClassNetwork && e.Final:
		return Reason{}
	}
	return classReasons[e.class()].advice.Reason()
}

// callWords are a service's words for a limit of calls, and creditWords those
// for an amount of credits.
var (
	callWords   = Pattern(`(?i)\b(calls|requests|(call|request)[ _-]?(quota|limit|count)\w*)\b|调用|请求数|次数`)
	creditWords = Pattern(`(?i)credit|balance|funds|payment|billing|积分|余额|点数`)
)

// AboutCalls reports whether the service's words say that the key has no calls
// left, which more credits do not change.
func (e *Error) AboutCalls() bool {
	said := e.Code.String() + " " + e.Text.String()
	return callWords().MatchString(said) && !creditWords().MatchString(said)
}

// Bounds of a wait that an answer asks for, and the wait without one. Wait
// does not apply them; ClampWait does.
const (
	MinWait     = time.Second
	MaxWait     = time.Hour
	DefaultWait = 60 * time.Second
)

// ClampWait bounds a wait by MinWait and MaxWait.
func ClampWait(d time.Duration) time.Duration { return min(max(d, MinWait), MaxWait) }
