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
	said := found(t)
	for s, file := range said {
		if m := unwanted.FindString(s); m != "" {
			t.Errorf("%s: %q is said in %q", file, m, s)
		}
	}
	// What took their place is said, and in Chinese too.
	says := chinese().Sentences
	for _, s := range []string{
		"Sending…", "Added as %s. Link expires in %s.", "quoted %s", "may have cost %s cr", "Enter job id",
		"read-only", "may cost credits", "Check that your links are public?", "An identical request is running. Send again for %s?",
		"%d problems", "history", "switch pane", "duration",
	} {
		if said[s] == "" || says[s] == "" {
			t.Errorf("%q is said in %q, in Chinese as %q", s, said[s], says[s])
		}
	}
}
