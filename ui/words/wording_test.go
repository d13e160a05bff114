package words

import (
	"regexp"
	"testing"
)

// unwanted are phrases that were replaced by standard ones: what is said must
// not fall back to them, in either language's key.
var unwanted = regexp.MustCompile(`It goes on by itself|is a reference now|the service says COMPLETED|maybe %s cr|give it its id|Look at the service's own pages|` +
	`declare it not charged|prompts sent before|ask the service again|models or figures|longer or shorter|only reads|may spend|` +
	`^needed: |This tool needs|Tell what a generation|Ask the hosts|The hosts see |Same price for more|There is no session bus, so|` +
	`already under way: confirm|problems first|things? to do|take out %d`)

func TestNothingIsSaidInTheOldWords(t *testing.T) {
	t.Parallel()
	for s := range chinese() {
		if m := unwanted.FindString(s); m != "" && s != "refuse tools that may spend, because their price is not known" {
			t.Errorf("%q is said in %q", m, s)
		}
	}
}
