package api

import (
	"strings"
	"testing"
	"time"
)

// More credits do not help a key that has no calls left.
func TestAdviceWithoutCallsOrCredits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, text string
		calls      bool
	}{
		{"call_quota_exceeded", "This key has used its quota of 100 calls. Raise it on the API key page.", true},
		{"quota_exceeded", "The number of requests of this key is used up.", true},
		{"", "Request limit reached", true},
		{"", "密钥的调用次数已用完", true},
		{"insufficient_credits", "This key has 3 credits left of the 12.5 that this request costs.", false},
		{"quota_exceeded", "Credit quota reached: no further calls.", false},
		{"", "Quota exceeded for this request.", false},
		{"", "积分不足，无法调用", false},
		{"", "", false},
	} {
		e := &Error{Class: ClassCredits, Status: 403, Code: Clean(c.code, 80), Text: Clean(c.text, 200)}
		if got := strings.Contains(e.Advice().String(), "call limit"); got != c.calls || got == strings.Contains(e.Advice().String(), "add credits") {
			t.Errorf("%q, %q: %q", c.code, c.text, e.Advice())
		}
	}
}

// A service may ask for any rest: the sentence names the one that is kept.
func TestAdviceNamesTheRestThatIsKept(t *testing.T) {
	t.Parallel()
	e := &Error{Class: ClassRate, Status: 429, RetryAfter: 10 * 365 * 24 * time.Hour}
	if got := e.Error(); !strings.Contains(got, "wait 1h0m0s") {
		t.Errorf("%q", got)
	}
}
