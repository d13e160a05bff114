package help

import (
	"fmt"
	"strings"

	"darkroom/state"
	"darkroom/ui/cli/output"
)

// helpKeys prints every action of the screens with its usual keys, by place.
func (p run) helpKeys() error {
	p.Println("The actions of the screens by their names, with their usual keys. Other keys are set in the settings file:")
	fmt.Fprint(p.Out, "\n  [keys]\n  review = [\"ctrl+s\", \"f5\"]\n")
	place := ""
	for _, a := range state.KeyActions() {
		if a.Place != place {
			place = a.Place
			fmt.Fprintf(p.Out, "\n%s\n", place)
		}
		fmt.Fprintln(p.Out, strings.TrimRight("  "+output.Pad(a.Name, 20)+" "+strings.Join(a.Keys, "  "), " "))
	}
	return nil
}
