package help

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/state"
	"darkroom/ui/cli/output"
)

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

// placeholders say what the flags that have a value take, in every language.
var placeholders = map[string]string{
	"addr": "ADDRESS", "aspect-ratio": "RATIO", "async": "true|false|omit", "attach": "ID", "audio-files": "URL", "base-url": "URL",
	"budget": "CREDITS", "calls": "N", "credits": "CREDITS", "dialect": "NAME", "duration": "SECONDS", "end-image-url": "URL",
	"explain": "FILE", "extra-models": "N", "fault": "FAULT", "filter": "WORDS", "function-mode": "MODE", "header": "'NAME: VALUE'", "html": "DIR",
	"image-files": "URL", "image-url": "URL", "jq": "EXPRESSION", "json": "FIELDS", "key": "KEY", "kind": "KIND", "limit": "JOBS",
	"max-credits": "CREDITS", "model": "ID", "output": "FILE", "quality": "LEVEL", "ratio": "RATIO", "resolution": "RESOLUTION",
	"seed": "N", "since": "DATE", "size": "SIZE", "status": "CODE", "time-scale": "X", "timeout": "DURATION", "top": "N",
	"video-files": "URL", "video-model": "TIER", "video-url": "URL",
}

// Placeholder is what stands behind the name of a flag that takes a value.
func Placeholder(f *pflag.Flag) string {
	name := placeholders[f.Name]
	switch {
	case name == "":
		return ""
	case f.NoOptDefVal != "":
		return "[=" + name + "]"
	}
	return " " + name
}

// Examples are the examples in the help of each command, by its path.
var Examples = map[string]string{
	"darkroom": `  darkroom demo
  darkroom login
  darkroom image "a lighthouse in a storm, gouache" --size 2K`,
	"darkroom demo": `  darkroom demo
  darkroom demo --keep`,
	"darkroom login": `  darkroom login --base-url https://api.example.com
  pass show darkroom | darkroom login`,
	"darkroom logout": `  darkroom logout`,
	"darkroom models": `  darkroom models
  darkroom models --jq '.models[] | select(.kind == "image") | .id'`,
	"darkroom prices": `  darkroom prices
  darkroom prices --duration 10 --json`,
	"darkroom image": `  darkroom image "a lighthouse in a storm" --size 2K --quality high
  darkroom image @prompt.txt --yes --max-credits 20 --output lighthouse.png
  darkroom image "a lighthouse" --dry-run --curl`,
	"darkroom video": `  darkroom video "a paper boat in the rain" --video-model fast --duration 5
  darkroom video "【@图片1】 turns around" --yes \
    --image-files https://cdn.example.com/boat.png
  darkroom video "a koi" --yes --no-wait --quiet`,
	"darkroom estimate":       `  darkroom estimate video "a koi" --video-model standard --duration 10`,
	"darkroom estimate image": `  darkroom estimate image "a koi" --size 4K --quality high`,
	"darkroom estimate video": `  darkroom estimate video "a koi" --video-model fast_vip --resolution 480p
  darkroom estimate video "a koi" --jq .credits`,
	"darkroom jobs": `  darkroom jobs
  darkroom jobs --filter "video koi" --limit 5
  darkroom jobs --json=id,phase,files`,
	"darkroom job": `  darkroom job k3f9
  darkroom job k3f9 --raw
  darkroom job k3f9 --attach 5d1c2a`,
	"darkroom spend": `  darkroom spend
  darkroom spend --since 2026-03-01 --json`,
	"darkroom wait":   `  darkroom wait k3f9 p2xa --timeout 10m`,
	"darkroom fetch":  `  darkroom fetch k3f9`,
	"darkroom edit":   `  darkroom edit 20260301-harbour-at-dawn-k3v9q2mx-1.png`,
	"darkroom open":   `  darkroom open k3f9`,
	"darkroom export": `  darkroom export --html contact-sheet --filter koi`,
	"darkroom tools": `  darkroom tools
  darkroom tools call estimate_price '{"model":"seedance2"}'`,
	"darkroom tools call": `  darkroom tools call list_models
  darkroom tools call generate_image @arguments.json --yes --timeout 2m`,
	"darkroom tools config": `  darkroom tools config`,
	"darkroom doctor": `  darkroom doctor
  darkroom doctor --json
  darkroom doctor --report > report.txt
  curl -si … > answer.txt
  darkroom doctor --explain answer.txt`,
	"darkroom simulate": `  darkroom simulate --addr 127.0.0.1:8080
  darkroom simulate --time-scale 0.1 --dialect camel`,
	"darkroom version": `  darkroom version`,
	"darkroom man":     `  darkroom man | man -l -`,
}

// Variables are the environment variables, for the manual.
var Variables = [][2]string{
	{"DARKROOM_BASE_URL", "the service's address; https, or http for this machine alone"},
	{"DARKROOM_API_KEY", "the key, instead of the one in the keyring"},
	{"DARKROOM_BUDGET", "credits that a day may cost; nothing is sent above"},
	{"DARKROOM_DOWNLOADS", "the folder for results"},
	{"DARKROOM_LANG", "the language: en or zh"},
	{"DARKROOM_OPENER", "absolute path of the program that opens results"},
	{"NO_COLOR", "no colours"},
	{"HTTPS_PROXY, NO_PROXY", "the proxy for calls and downloads"},
}

// Places are the files that darkroom keeps, for the manual.
var Places = [][2]string{
	{"~/.config/darkroom/config.toml", "settings"},
	{"~/.local/share/darkroom/", "the store of jobs, drafts and spending, and the results unless another folder is set"},
	{"~/.local/state/darkroom/", "the log, if it is on, and notes about crashes"},
	{"~/.cache/darkroom/", "what can be made again, such as thumbnails"},
}

// ExitCodes say what each exit code means, for the manual.
var ExitCodes = [][2]string{
	{"0", "done; with --no-wait: accepted"},
	{"1", "failed, rejected, not sent, expired"},
	{"2", "refused before anything was sent"},
	{"3", "needs a terminal"},
	{"4", "the store cannot be used"},
	{"5", "the key is missing or refused"},
	{"6", "unknown: the request may have been accepted and charged"},
	{"7", "stopped waiting; the job goes on"},
	{"128 + N", "the screens were ended by signal N"},
}
