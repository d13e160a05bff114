package api

import (
	"strconv"
	"strings"
	"time"
)

// ErrorClass groups refusals by what a person can do about them.
type ErrorClass string

const (
	ClassKey        ErrorClass = "key"        // the key is missing, wrong or switched off
	ClassCredits    ErrorClass = "credits"    // no credits or quota left
	ClassCalls      ErrorClass = "calls"      // no calls left, which more credits do not change
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

// UsedUp reports whether the key has nothing left until a person changes that.
func (c ErrorClass) UsedUp() bool { return c == ClassCredits || c == ClassCalls }

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

func (e *Error) Error() string { return e.Why().String() }
func (e *Error) Unwrap() error { return e.Cause }

// Why gives what happened and what to do.
func (e *Error) Why() Reason {
	if advice := e.Advice(); !advice.IsZero() {
		return ReasonThen.Reason(e.Happened(), advice)
	}
	return e.Happened()
}

// Happened gives what happened, without the advice.
func (e *Error) Happened() Reason {
	class, why := classReasons[e.class()].happened.Reason(), e.Reason
	if why.IsZero() && !e.Text.IsZero() {
		why = ReasonText.Reason(Clean(e.Text.String(), MaxErrorText))
	}
	plain := e.Status == 0 || e.Class == ClassNetwork || e.Class == ClassUnreadable
	// The reader puts an answer without words into these.
	noWords := e.Reason.IsZero() && strings.HasPrefix(e.Text.String(), "The service answered "+strconv.Itoa(e.Status))
	switch {
	case plain && !why.IsZero():
		return why
	case plain:
		return class
	case why.IsZero() || noWords:
		return Sentence("%v (%v)").Reason(class, e.Status)
	}
	return Sentence("%v (%v): %v").Reason(class, e.Status, why)
}

// class is the class, or a fault of the service for one that is not known.
func (e *Error) class() ErrorClass {
	if _, known := classReasons[e.Class]; known {
		return e.Class
	}
	return ClassServer
}

// Advice gives what to do; zero when there is nothing to advise.
func (e *Error) Advice() Reason {
	switch {
	case !e.Do.IsZero():
		return e.Do
	case (e.Class == ClassKey || e.Class.UsedUp()) && e.Reason.IsZero() && strings.Contains(e.Text.String(), ". "):
		return Reason{} // the service says what to do
	case e.Class == ClassRate && e.RetryAfter > 0:
		roundedUp := (ClampWait(e.RetryAfter) + time.Second - 1).Truncate(time.Second)
		return Sentence("wait %v, then try again").Reason(roundedUp)
	case e.Class == ClassNetwork && e.Final:
		return Reason{}
	}
	return classReasons[e.class()].advice.Reason()
}

// Bounds of a wait that an answer asks for, and the wait without one.
const (
	MinWait     = time.Second
	MaxWait     = time.Hour
	DefaultWait = 60 * time.Second
)

func ClampWait(d time.Duration) time.Duration { return min(max(d, MinWait), MaxWait) }
