package jobs

import (
	"strings"
	"testing"

	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
)

// A value that --filter proposes is one that it takes.
func TestFiltersThatAreProposedAreTaken(t *testing.T) {
	for key, values := range filterValues {
		for value := range strings.FieldsSeq(values) {
			expect.Equal(t, (state.Query{Filter: key + ":" + value}).UnknownTerm(), "", "proposed and not taken")
		}
	}
}

// Of several requests, one that was removed meanwhile is left out; of one, it is said.
func TestARemovedRequest(t *testing.T) {
	gone := func(string) error { return state.ErrNoJob }
	expect.Is(t, eachLeft(Following{IDs: []string{"a", "b"}, New: true, List: true}, gone), nil, "of two")
	expect.Is(t, eachLeft(Following{IDs: []string{"a"}, New: true, List: true}, gone), state.ErrNoJob, "of one")
}
