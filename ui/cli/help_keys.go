package cli

import (
	"fmt"
	"strings"

	"darkroom/state"
)

// helpKeys prints every action of the screens with its usual keys, by place.
func (p *program) helpKeys() error {
	fmt.Fprintln(p.out, p.say("The actions of the screens by their names, with their usual keys. Other keys are set in the settings file:"))
	fmt.Fprint(p.out, "\n  [keys]\n  review = [\"ctrl+s\", \"f5\"]\n")
	place := ""
	for _, a := range state.KeyActions() {
		if a.Place != place {
			place = a.Place
			fmt.Fprintf(p.out, "\n%s\n", place)
		}
		fmt.Fprintln(p.out, strings.TrimRight("  "+pad(a.Name, 20)+" "+strings.Join(a.Keys, "  "), " "))
	}
	return nil
}
