package jobs

import (
	"strings"
	"testing"

	"darkroom/state"
)

// A value that --filter proposes is one that it takes.
func TestFiltersThatAreProposedAreTaken(t *testing.T) {
	for key, values := range filterValues {
		for value := range strings.FieldsSeq(values) {
			if bad := (state.Query{Filter: key + ":" + value}).UnknownTerm(); bad != "" {
				t.Errorf("%s is proposed and not taken", bad)
			}
		}
	}
}
