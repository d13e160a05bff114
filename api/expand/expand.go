// Package expand makes many requests of one that has alternatives in its
// prompt and lists in its fields. It reads no files: the lists that a prompt
// names are handed to it.
package expand

import (
	"cmp"
	"slices"
	"strings"

	"darkroom/api"
)

// Lists are the lists that a prompt can name, by name: __colours__ takes each
// entry of "colours" in turn.
type Lists map[string][]string

// MaxRequests bounds the requests of a text, whatever limit is set.
const MaxRequests = 1000

// DefaultLimit is how many requests one pattern may stand for when no other
// limit is set.
const DefaultLimit = 24

// Set is what a pattern stands for.
type Set struct {
	All     []Variation // without those that are equal to an earlier one
	Factors []int       // what Count is the product of
	Count   int         // equal ones included
	Missing []string    // names of lists that do not exist; they are literal
}

// Equal is how many were left out because they are equal to another.
func (s *Set) Equal() int { return s.Count - len(s.All) }

// Several reports whether there is anything to choose, however many requests
// are left of it.
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
	whyCycle   = api.Sentence("the list %v names itself: %v")
	whyField   = api.Sentence("%v: %q cannot stand in a list")
)

func (e *TooManyError) Error() string { return e.Why().String() }

// Why gives the reason.
func (e *TooManyError) Why() api.Reason {
	if e.Count >= maxCount { // where counting has stopped
		return whyTooMany.Reason("> 1,000,000,000", e.Limit)
	}
	return whyTooMany.Reason(e.Count, e.Limit)
}

// CycleError says that a list leads back to itself.
type CycleError struct{ Names []string }

func (e *CycleError) Error() string { return e.Why().String() }

// Why gives the reason.
func (e *CycleError) Why() api.Reason {
	return whyCycle.Reason(e.Names[0], strings.Join(e.Names, " → "))
}

// Requests makes every request that the pattern stands for: its prompt with
// each choice of alternatives, for each value of its lists. Requests that break
// a rule are among them. With a *TooManyError the Set has the count alone.
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
			set.Factors = append(set.Factors, parts[i].count())
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
	set.All = each(pattern, prompts(parts), varied)
	if len(set.All) > limit {
		err = &TooManyError{len(set.All), limit}
		set.All = nil
	}
	return set, err
}

// prompts makes the prompts, each with the choices that it is of as its label.
func prompts(parts []part) []labelled {
	all := []labelled{{}}
	for i := range parts {
		options := parts[i].texts()
		next := make([]labelled, 0, len(all)*len(options))
		for _, a := range all {
			for _, o := range options {
				l := labelled{text: a.text + o, labels: a.labels}
				if parts[i].alternatives != nil {
					l.labels = append(a.labels[:len(a.labels):len(a.labels)], shortened(o))
				}
				next = append(next, l)
			}
		}
		all = next
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(l labelled) bool {
		was := seen[l.text]
		seen[l.text] = true
		return was
	})
}

// labelled is a prompt and the choices that it is of.
type labelled struct {
	text   string
	labels []string
}

// each combines the prompts with the values of the fields.
func each(pattern api.Request, prompts []labelled, varied []variedField) []Variation {
	var all []Variation
	var choose func(r api.Request, labels []string, rest []variedField)
	choose = func(r api.Request, labels []string, rest []variedField) {
		if len(rest) == 0 {
			all = append(all, Variation{r, strings.Join(labels, separator)})
			return
		}
		for _, v := range rest[0].values {
			q := r
			rest[0].Set(&q, v) // checked before
			choose(q, append(labels[:len(labels):len(labels)], rest[0].label(v)), rest[1:])
		}
	}
	pattern.Vary = nil
	for _, p := range prompts {
		pattern.Prompt = p.text
		choose(pattern, p.labels, varied)
	}
	return all
}

// labelWidth is how many characters of a chosen alternative stand in a label.
const labelWidth = 40

func shortened(text string) string {
	return cmp.Or(api.Clean(api.OneLine(text), labelWidth).String(), "–")
}

var (
	anyName = api.Pattern(`__[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*__`)
	begun   = api.Pattern(`__([\p{L}\p{N}]*(?:[-_.][\p{L}\p{N}]+)*[-_.]?)$`)
)

// Begun returns the beginning of a list's name that a text ends in: the
// part after __, which may still be empty.
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

// separator stands between the values of a label; the last one changes most
// often.
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

// Axis are the values that the columns of a grid of variations with these labels
// stand for; none when fewer than two values changed. The lines of the grid are
// the values before.
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
