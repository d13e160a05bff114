// Package expect has the comparisons of tests. Each says where it failed in the words and values that it is given.
package expect

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Equal fails unless got is want.
func Equal[T comparable](t testing.TB, got, want T, where ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %s, want %s", place(where), quoted(got), quoted(want))
	}
}

// List fails unless got has the elements of want, in their order.
func List[T comparable](t testing.TB, got, want []T, where ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%sgot %#v, want %#v", place(where), got, want)
	}
}

// Len fails unless got has n elements.
func Len[T any](t testing.TB, got []T, n int, where ...any) {
	t.Helper()
	if len(got) != n {
		t.Errorf("%sgot %d, want %d: %+v", place(where), len(got), n, got)
	}
}

// That fails, with words for the failure, unless ok.
func That(t testing.TB, ok bool, words ...any) {
	t.Helper()
	if !ok {
		t.Error(said(words))
	}
}

// All fails unless the values, with a space between them, read as want.
func All(t testing.TB, want string, values ...any) {
	t.Helper()
	Equal(t, said(values), want)
}

// Must is That for what the rest of the test needs: unless ok, the test ends.
func Must(t testing.TB, ok bool, words ...any) {
	t.Helper()
	if !ok {
		t.Fatal(said(words))
	}
}

// Contains fails unless part is in text.
func Contains(t testing.TB, text, part string, where ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s%q is not in %s", place(where), part, quoted(text))
	}
}

// Lacks fails if part is in text.
func Lacks(t testing.TB, text, part string, where ...any) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Errorf("%s%q is in %s", place(where), part, quoted(text))
	}
}

// Err is the error of a call with a result that does not matter.
func Err[T any](_ T, err error) error { return err }

// Is fails unless err is, or wraps, want.
func Is(t testing.TB, err, want error, where ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%sgot the error %v, want %v", place(where), err, want)
	}
}

// Fails fails unless there is an error that says part.
func Fails(t testing.TB, err error, part string, where ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%sgot the error %v, want one that says %q", place(where), err, part)
	}
}

func place(where []any) string {
	if len(where) == 0 {
		return ""
	}
	return said(where) + ": "
}

// said is the words and values with a space between them.
func said(words []any) string {
	return strings.TrimSuffix(fmt.Sprintf(strings.Repeat("%+v ", len(words)), words...), " ")
}

// quoted is a value as it is read best: text of one line in quotes, longer text in lines of its own.
func quoted(v any) string {
	switch s := fmt.Sprintf("%+v", v); {
	case reflect.ValueOf(v).Kind() != reflect.String:
		return s
	case strings.Contains(s, "\n"):
		return "\n" + s + "\n"
	default:
		return fmt.Sprintf("%q", v)
	}
}
