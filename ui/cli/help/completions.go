package help

import "github.com/spf13/cobra"

// describeCompletion gives cobra's commands for completion texts of ours, which
// can be translated.
func describeCompletion(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Print the script by which a shell completes commands and values"
		cmd.Long = "Prints the script by which a shell completes commands, flags and their values: jobs, models, tiers, tools. " +
			"The help of each shell says where it goes."
		for _, shell := range cmd.Commands() {
			text := shells[shell.Name()]
			shell.Short, shell.Long, shell.Example = text.short, text.long, text.example
		}
	}
}

var shells = map[string]struct{ short, long, example string }{
	"bash": {
		"Print the script for bash",
		"Prints the script for bash, which needs the package bash-completion. The first line is for this session, the second for every one.",
		"  source <(darkroom completion bash)\n" +
			"  darkroom completion bash > \\\n    ~/.local/share/bash-completion/completions/darkroom",
	},
	"zsh": {
		"Print the script for zsh",
		"Prints the script for zsh, in which compinit has to be on. The first line is for this session, the second for every one.",
		"  source <(darkroom completion zsh)\n" +
			"  darkroom completion zsh > \"${fpath[1]}/_darkroom\"",
	},
	"fish": {
		"Print the script for fish",
		"Prints the script for fish. The first line is for this session, the second for every one.",
		"  darkroom completion fish | source\n" +
			"  darkroom completion fish > ~/.config/fish/completions/darkroom.fish",
	},
	"powershell": {
		"Print the script for PowerShell",
		"Prints the script for PowerShell. The line is for this session; in the profile it is for every one.",
		"  darkroom completion powershell | Out-String | Invoke-Expression",
	},
}
