package say

import (
	"errors"
	"fmt"

	"darkroom/api"
)

// Hidden stands where a value does that could name a person, a service or a
// folder.
const Hidden = "…"

// Anonymous is what an error says without what others wrote: sentences and
// reasons of this program with their numbers, all other values Hidden.
func Anonymous(err error) error {
	var answer *api.Error
	var fault *api.Fault
	switch e := err.(type) {
	case nil:
		return Verbatim("")
	case *sentence:
		args := make([]any, len(e.args))
		for i, arg := range e.args {
			switch arg := arg.(type) {
			case int, bool:
				args[i] = arg
			case error:
				args[i] = Anonymous(arg)
			default:
				args[i] = Verbatim(Hidden)
			}
		}
		return &sentence{e.format, args}
	case *Failure:
		return Anonymous(e.Err)
	}
	switch {
	case errors.As(err, &answer):
		text := Verbatim(answer.Class)
		if answer.Status > 0 {
			text += Verbatim(fmt.Sprintf(", HTTP %d", answer.Status))
		}
		if answer.Reason.IsZero() {
			return text
		}
		return Sentencef("%s (%s)", Because(withoutValues(answer.Reason)), text)
	case errors.As(err, &fault):
		return Because(withoutValues(fault.Reason))
	}
	return Verbatim(Hidden)
}

// withoutValues is a reason with its texts Hidden; reasons within it stay.
func withoutValues(why api.Reason) api.Reason {
	if why.Code() == api.ReasonText {
		return api.NewReason(api.ReasonText, Hidden)
	}
	args := why.Args()
	for i, arg := range args {
		switch arg := arg.(type) {
		case api.Reason:
			args[i] = withoutValues(arg)
		default:
			args[i] = Hidden
		}
	}
	return api.NewReason(why.Code(), args...)
}
