package api

import (
	"fmt"
	"net/http"
	"time"
)

// ownError is an error in our words.
func ownError(class ErrorClass, status int, text string) *Error {
	return &Error{Class: class, Status: status, Text: Clean(text, MaxErrorText)}
}

// unreadable is the error for a 2xx or 3xx that holds nothing of use.
func unreadable(t Trip, why string) *Error {
	text := fmt.Sprintf("the service at %s answered %d", t.Host, t.Status)
	switch {
	case t.Status >= 300 && t.Status <= 399:
		text += ", a redirect, which darkroom does not follow"
	case t.Status < 200 || t.Status > 599:
		text += ", which is no answer to this call"
	case len(t.Body) == 0:
		text += " with nothing in it"
	case why != "":
		text += ", which cannot be read: " + why
	default:
		text += ", which cannot be read"
	}
	e := ownError(ClassUnreadable, t.Status, text)
	e.Raw = keep(t.Body)
	return e
}

// completeError fills what the reader left open in a refusal.
func completeError(e *Error, t Trip, now time.Time) *Error {
	if e == nil {
		e = &Error{}
	}
	e.Status = t.Status
	if e.Class == "" {
		e.Class = statusClass(t.Status)
	}
	if wait, ok := ReadWait(t.Header, now); ok {
		e.RetryAfter = max(wait, MinWait) // a wait of none was told; zero stands for not told
	}
	e.Raw = keep(t.Body)
	return e
}

// statusClass is the class of a status without any words.
func statusClass(status int) ErrorClass {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ClassKey
	case http.StatusPaymentRequired:
		return ClassCredits
	case http.StatusTooManyRequests:
		return ClassRate
	case http.StatusNotFound, http.StatusGone:
		return ClassNotFound
	case http.StatusConflict:
		return ClassConflict
	}
	if status >= 400 && status <= 499 {
		return ClassInvalid
	}
	return ClassServer
}
