// Package expand makes many requests of one with alternatives and lists.
package expand

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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

// TooMany says that a pattern stands for more requests than are allowed.
func TooMany(count, limit int) error {
	why := api.Sentence("these are %v requests, and at most %v are sent at once")
	if count >= maxCount { // where counting has stopped
		return why.Fault(nil, "> 1,000,000,000", limit)
	}
	return why.Fault(nil, count, limit)
}

var whyField = api.Sentence("%v: a list cannot contain %q")

// ErrCycle is the cause of an error that says which list leads back to itself.
var ErrCycle = api.Sentence("a list names itself").Fault(nil)

// Requests makes every request that the pattern stands for, also those that break a
// rule. If they are too many the Set has the count alone.
func Requests(pattern api.Request, lists Lists, limit int) (Set, error) {
	limit = min(limit, MaxRequests)
	p := &parser{lists: lists, read: map[string]*part{}}
	parts, err := p.parse(pattern.Prompt)
	set := Set{Count: count(parts), Missing: p.missing}
	set.Factors = api.Pick(parts, func(p *part) (int, bool) { return p.n, p.alternatives != nil })
	varied, wrong := variedFields(pattern)
	if err = cmp.Or(err, wrong); err != nil {
		return set, err
	}
	for _, v := range varied {
		set.Factors = append(set.Factors, len(v.values))
		set.Count = min(set.Count*len(v.values), maxCount)
	}
	if set.Count > MaxRequests {
		return set, TooMany(set.Count, limit)
	}
	set.All = each(pattern, texts(parts), varied)
	if len(set.All) > limit {
		set.All, err = nil, TooMany(len(set.All), limit)
	}
	return set, err
}

// each makes the requests of different prompts, and of those one for each value of each
// field, the last field changing first.
func each(pattern api.Request, prompts []labelled, varied []variedField) (all []Variation) {
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
	anyName = api.Pattern(`__[\p{L}\p{M}\p{N}]+(?:[-_.][\p{L}\p{M}\p{N}]+)*__`)
	begun   = api.Pattern(`__([\p{L}\p{M}\p{N}]*(?:[-_.][\p{L}\p{M}\p{N}]+)*[-_.]?)$`)
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

func cannotStand(field, value string) error { return whyField.Fault(nil, field, api.Clean(value, 80)) }

// variedField is a setting that has a list of values.
type variedField struct {
	*api.Field
	values []string
}

// variedFields are the settings of the pattern that have a list, as they multiply.
func variedFields(pattern api.Request) (out []variedField, _ error) {
	settings := api.Settings(pattern.Kind)
	for _, f := range settings {
		values, err := clean(f, pattern.Vary[f.Name])
		if err != nil {
			return nil, err
		}
		if len(values) > 0 {
			out = append(out, variedField{f, values})
		}
	}
	for name, values := range pattern.Vary {
		if len(values) > 0 && !slices.ContainsFunc(settings, func(f *api.Field) bool { return f.Name == name }) {
			return nil, cannotStand(name, strings.Join(values, ", "))
		}
	}
	return out, nil
}

// clean gives each value once, in the order given and written as it is sent.
func clean(field *api.Field, values []string) (out []string, _ error) {
	for _, v := range values {
		var r api.Request
		if !field.Set(&r, v) {
			return nil, cannotStand(field.Name, v)
		}
		v = field.Text(&r)
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// Values reads values between commas, and of whole numbers ranges such as 41-44. If there are
// more than MaxRequests, the error names the limit for requests.
func Values(field *api.Field, text string, limit int) (out []string, _ error) {
	limit = min(limit, MaxRequests)
	for _, v := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '，' || r == '、' || r == '\n' }) {
		v = strings.TrimSpace(v)
		if v == "" {
			continue
		}
		if field.Shape != api.ShapeInteger {
			out = append(out, v)
			continue
		}
		numbers, err := numberRange(field, v, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, numbers...)
	}
	if len(out) > MaxRequests {
		return nil, TooMany(len(out), limit)
	}
	return clean(field, out)
}

func numberRange(field *api.Field, text string, limit int) ([]string, error) {
	from, to, is := strings.Cut(strings.NewReplacer("–", "-", "..", "-", "—", "-").Replace(text), "-")
	if !is {
		to = from
	}
	first, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64) // without a sign
	last, bad := strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	switch {
	case err != nil || bad != nil || last < first:
		return nil, cannotStand(field.Name, text)
	case last-first >= MaxRequests:
		return nil, TooMany(int(min(last-first, maxCount-1))+1, limit)
	}
	var out []string
	for n := range last - first + 1 {
		out = append(out, strconv.FormatInt(first+n, 10))
	}
	return out, nil
}

// Text writes a list as Values reads it, with ranges.
func Text(field *api.Field, values []string) string {
	if field.Shape != api.ShapeInteger {
		return strings.Join(values, ", ")
	}
	var out []string
	for i := 0; i < len(values); {
		j := i
		for j+1 < len(values) && follows(values[j], values[j+1]) {
			j++
		}
		if j-i > 1 {
			out = append(out, values[i]+"-"+values[j])
		} else {
			out = append(out, values[i:j+1]...)
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

func follows(a, b string) bool {
	m, err := strconv.ParseInt(a, 10, 64)
	n, bad := strconv.ParseInt(b, 10, 64)
	return err == nil && bad == nil && n-1 == m
}
