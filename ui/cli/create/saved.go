package create

import (
	"reflect"

	"darkroom/api"
	"darkroom/ui/cli/say"
)

// Filled is the request of the flags with a prompt, or with all that the
// prompt's text says when that is a recipe, the body of a call or a curl
// command. Flags come before what the text says; async says that one was given
// for it.
func Filled(flags api.Request, async bool, prompt string) (api.Request, error) {
	r, ok := api.ReadRequest(prompt)
	if !ok {
		flags.Prompt = prompt
		return flags, nil
	}
	if r.Kind != "" && r.Kind != flags.Kind {
		return flags, say.Usagef("this is the request of another kind: use 'darkroom %s' for it", r.Kind)
	}
	sync, none := r.Sync, r.NoAsync
	if async {
		sync, none = flags.Sync, flags.NoAsync
	}
	to, from := reflect.ValueOf(&r).Elem(), reflect.ValueOf(flags)
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	r.Sync, r.NoAsync = sync, none
	return r, nil
}
