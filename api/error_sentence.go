package api

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Error gives what happened and what to do, without any secret.
func (e *Error) Error() string {
	if advice := e.Advice(); advice != "" {
		return strings.TrimRight(e.Happened(), ".") + "; " + advice
	}
	return e.Happened()
}

// Unwrap gives the transport's error.
func (e *Error) Unwrap() error { return e.Cause }

// Happened gives what happened alone, on one line.
func (e *Error) Happened() string {
	text := Clean(e.Text.String(), MaxErrorText).String()
	if e.Status == 0 || e.Class == ClassNetwork || e.Class == ClassUnreadable {
		if text == "" {
			return classHappened(e.Class)
		}
		return text
	}
	if text == "" || strings.HasPrefix(text, "The service answered "+strconv.Itoa(e.Status)) { // the reader's words for no words
		return fmt.Sprintf("%s (%d)", classHappened(e.Class), e.Status)
	}
	return fmt.Sprintf("%s (%d): %s", classHappened(e.Class), e.Status, text)
}

func classHappened(class ErrorClass) string {
	switch class {
	case ClassKey:
		return "the service refused the API key"
	case ClassCredits:
		return "no credits or quota left"
	case ClassRate:
		return "too many calls for this key"
	case ClassInvalid:
		return "the service refused the request"
	case ClassModeration:
		return "the service refused the content"
	case ClassNotFound:
		return "the service does not know this"
	case ClassConflict:
		return "the service reports a conflict"
	case ClassNetwork:
		return "the service is not reachable"
	case ClassUnreadable:
		return "the service's answer cannot be read"
	case ClassCurrency:
		return "the service gives its prices in another unit than credits"
	}
	return "the service reports a fault of its own"
}

// Advice gives what to do alone; empty when there is nothing to advise.
func (e *Error) Advice() string {
	if !e.Do.IsZero() {
		return e.Do.String()
	}
	switch e.Class {
	case ClassKey:
		return "type the key again, or check it on the service's API key page"
	case ClassCredits:
		if e.aboutCalls() {
			return "raise the key's call limit on the service's API key page"
		}
		return "add credits, or raise the key's quota on the service's API key page"
	case ClassRate:
		if e.RetryAfter > 0 {
			return "wait " + roundWait(e.RetryAfter).String() + ", then try again"
		}
		return "wait a minute, then try again"
	case ClassInvalid:
		return "change it and send it again"
	case ClassModeration:
		return "change the prompt or the materials"
	case ClassNotFound:
		return "check the base URL and the id"
	case ClassConflict:
		return "look at the job on the service's site before sending again"
	case ClassNetwork:
		if e.Final {
			return ""
		}
		return "check the network and the base URL"
	case ClassUnreadable:
		return "check the base URL, or look at the raw answer"
	case ClassCurrency:
		return "look up what it costs on the service's site"
	}
	return "try again later"
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

// aboutCalls reports whether the service's words say that the key has no calls
// left, which more credits do not change.
func (e *Error) aboutCalls() bool {
	said := e.Code.String() + " " + e.Text.String()
	return callWords().MatchString(said) && !creditWords().MatchString(said)
}

// roundWait makes a wait fit to be read: whole seconds, rounded up.
func roundWait(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

// Sentence gives what became of a create in words: what happened, whether it
// may cost credits, and what to do.
func (o Outcome) Sentence() string {
	switch o.Phase {
	case PhaseQueued:
		return "the service accepted the request"
	case PhaseFetching:
		return "the service answered with the finished result"
	}
	if o.Err == nil {
		return "it is not known what became of the request"
	}
	switch o.Phase {
	case PhaseNotSent:
		return "nothing was sent: " + o.Err.Error()
	case PhaseUnread:
		return o.Err.Happened() + "; it counts as spent; read the raw answer and give the job its id"
	case PhaseUnknown:
		return o.Err.Happened() + "; the request may have been accepted and charged: look on the service's site, then attach the id, dismiss it or send it again"
	}
	return "not accepted, nothing was charged: " + o.Err.Error()
}
