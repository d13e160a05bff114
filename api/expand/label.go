package expand

import (
	"slices"
	"strings"
)

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
