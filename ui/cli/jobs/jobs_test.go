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
