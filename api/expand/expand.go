// Package expand makes many requests of one with alternatives and lists.
package expand

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"darkroom/api"
)

// Lists are the lists that a prompt can name: __colours__ takes each entry in turn.
type Lists map[string][]string

// MaxRequests bounds the requests of a text, whatever limit is set.
const MaxRequests = 1000

// DefaultLimit is how many requests one pattern may stand for when none is set.
const DefaultLimit = 24

// Set is what a pattern stands for.
type Set struct {
	All     []Variation // without those that are equal to an earlier one
	Factors []int       // what Count is the product of
	Count   int         // equal ones included
	Missing []string    // names of lists that do not exist, the first 100; they are literal
}

func (s *Set) Equal() int { return s.Count - len(s.All) }

// Several reports whether there is anything to choose.
func (s *Set) Several() bool { return len(s.Factors) > 0 }

// Variation is one request, and in what it differs from the others.
type Variation struct {
	Request api.Request
	Label   string // the values that were chosen, in the pattern's order
}

// TooManyError says that a pattern stands for more requests than are allowed.
type TooManyError struct{ Count, Limit int }

var (
	whyTooMany = api.Sentence("these are %v requests, and at most %v are sent at once")
	whyField   = api.Sentence("%v: a list cannot contain %q")
)

func (e *TooManyError) Error() string { return e.Why().String() }

func (e *TooManyError) Why() api.Reason {
	if e.Count >= maxCount { // where counting has stopped
		return whyTooMany.Reason("> 1,000,000,000", e.Limit)
	}
	return whyTooMany.Reason(e.Count, e.Limit)
}

// CycleError says that a list leads back to itself.
type CycleError struct{ Names []string }

func (e *CycleError) Error() string { return e.Why().String() }

func (e *CycleError) Why() api.Reason {
	return api.Sentence("the list %v names itself: %v").Reason(e.Names[0], strings.Join(e.Names, " → "))
}

// Requests makes every request that the pattern stands for, also those that break a
// rule. With a *TooManyError the Set has the count alone.
func Requests(pattern api.Request, lists Lists, limit int) (Set, error) {
	limit = min(limit, MaxRequests)
	p := &parser{lists: lists, read: map[string]*part{}}
	parts, err := p.parse(pattern.Prompt)
	set := Set{Count: count(parts), Missing: p.missing}
	if err != nil {
		return set, err
	}
	for i := range parts {
		if parts[i].alternatives != nil {
			set.Factors = append(set.Factors, parts[i].n)
		}
	}
	varied, err := variedFields(pattern)
	if err != nil {
		return set, err
	}
	for _, v := range varied {
		set.Factors = append(set.Factors, len(v.values))
		set.Count = min(set.Count*len(v.values), maxCount)
	}
	if set.Count > MaxRequests {
		return set, &TooManyError{set.Count, limit}
	}
	set.All = each(pattern, texts(parts), varied)
	if len(set.All) > limit {
		err = &TooManyError{len(set.All), limit}
		set.All = nil
	}
	return set, err
}

// each makes the requests of different prompts, and of those one for each value of each
// field, the last field changing first.
func each(pattern api.Request, prompts []labelled, varied []variedField) []Variation {
	var all []Variation
	pattern.Vary = nil
	seen := map[string]bool{}
	for _, p := range prompts {
		if !seen[p.text] {
			seen[p.text], pattern.Prompt = true, p.text
			v := Variation{Request: pattern}
			for _, option := range p.chosen {
				v.add(cmp.Or(api.OneLine(option), "–"))
			}
			all = append(all, v)
		}
	}
	for _, field := range varied {
		var next []Variation
		for _, v := range all {
			for _, value := range field.values {
				one := v
				field.Set(&one.Request, value) // checked before
				one.add(field.Said(fmt.Sprintf, value, true))
				next = append(next, one)
			}
		}
		all = next
	}
	return all
}

// labelWidth is how many characters of a chosen value stand in a label.
const labelWidth = 40

// add puts a value behind those of the label.
func (v *Variation) add(value string) {
	value = api.Clean(value, labelWidth).String()
	v.Label = strings.TrimPrefix(JoinLabel(v.Label, value), separator)
}

var (
	anyName = api.Pattern(`__[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*__`)
	begun   = api.Pattern(`__([\p{L}\p{N}]*(?:[-_.][\p{L}\p{N}]+)*[-_.]?)$`)
)

// Begun returns the beginning of a list's name that a text ends in, which may be empty.
func Begun(text string) (name string, ok bool) {
	if all := anyName().FindAllStringIndex(text, -1); len(all) > 0 {
		text = text[all[len(all)-1][1]:]
	}
	found := begun().FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// separator stands between the values of a label; the last one changes most often.
const separator = " · "

// SplitLabel divides a label into its last value and those before.
func SplitLabel(label string) (before, last string) {
	if i := strings.LastIndex(label, separator); i >= 0 {
		return label[:i], label[i+len(separator):]
	}
	return "", label
}

// JoinLabel puts a last value behind those before.
func JoinLabel(before, last string) string { return before + separator + last }

// Axis are the values of the columns of a grid of variations with these labels, of
// which the lines are the values before; none when fewer than two values changed.
func Axis(labels []string) []string {
	lines, longest := map[string][]string{}, ""
	for _, label := range labels {
		before, value := SplitLabel(label)
		if before == "" {
			return nil
		}
		lines[before] = append(lines[before], value)
		if len(lines[before]) > len(lines[longest]) {
			longest = before
		}
	}
	values := slices.Clone(lines[longest]) // the longest line says the order
	for _, label := range labels {
		if _, value := SplitLabel(label); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}
