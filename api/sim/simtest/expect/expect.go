// Package expect has the comparisons of tests. Each says where it failed in the words and values that it is given.
package expect

import (
	"fmt"
	"reflect"
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

func place(where []any) string {
	if len(where) == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintln(where...)) + ": "
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
