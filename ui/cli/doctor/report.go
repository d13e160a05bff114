package doctor

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// terminalVariables are printed in a report with their values: they name
// programs and what these can do.
var terminalVariables = []string{"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORFGBG", "LC_ALL", "LC_MESSAGES", "LANG"}

// reportedVariables are named in a report when they are set, without values.
var reportedVariables = []string{
	"DARKROOM_API_KEY", "DARKROOM_BASE_URL", "DARKROOM_BUDGET", "DARKROOM_BUDGET_MONTH", "DARKROOM_CREDIT",
	"DARKROOM_DOWNLOADS", "DARKROOM_LANG", "DARKROOM_OPENER",
	"DARKROOM_TIME_SCALE",
	"NO_COLOR", "TMUX", "STY", "SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
}

// printBugReport prints what a bug report needs. Of the checks only sentences
// of the program itself are printed, with numbers; whatever a person, a service
// or the system wrote is left out.
func (p commands) printBugReport(checks []check, settings state.Settings) {
	say := func(name, text string) {
		if text == "" {
			return
		}
		fmt.Fprintf(p.Out, "%s %s\n", run.Pad(p.Say(name), 16), api.Clean(api.OneLine(api.HideKeys(text)), 500).String())
	}
	var libraries []string           // that drawing and storing depend on
	info, _ := debug.ReadBuildInfo() // every build of ours has it
	for _, m := range info.Deps {
		switch m.Path {
		case "charm.land/bubbletea/v2", "charm.land/lipgloss/v2", "github.com/charmbracelet/ultraviolet", "modernc.org/sqlite":
			libraries = append(libraries, m.Path+" "+m.Version)
		}
	}
	system := runtime.GOOS
	release, _ := os.ReadFile("/etc/os-release")
	for line := range strings.Lines(string(release)) {
		if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			system = strings.Trim(name, "\"'`\n")
		}
	}
	p.Println("Bug report. It contains no keys, addresses, folders or prompts. Read it before you pass it on.")
	fmt.Fprintln(p.Out)
	say("version", "darkroom "+p.FullVersion+", "+runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH)
	say("libraries", strings.Join(libraries, ", "))
	say("system", system)
	var terminal []string
	if columns, rows := run.Size(p.Err); columns > 0 { // standard output is likely a file here
		terminal = append(terminal, fmt.Sprintf("%dx%d", columns, rows))
	}
	for _, name := range terminalVariables {
		if value := p.Env(name); value != "" {
			terminal = append(terminal, name+"="+value)
		}
	}
	say("terminal", strings.Join(terminal, ", "))
	set := slices.DeleteFunc(slices.Clone(reportedVariables), func(name string) bool { return p.Env(name) == "" })
	say("also set", strings.Join(set, ", "))
	known := []string{ // with values that come from a fixed set
		"lang=" + settings.Lang, "pictures=" + settings.Pictures, "on_done=" + settings.OnDone, "after_send=" + settings.AfterSend,
		"recipes=" + strconv.FormatBool(settings.Recipes), "log=" + strconv.FormatBool(settings.Log),
	}
	ways := settings.WaysFor(settings.BaseURL)
	for _, given := range []struct {
		name string
		set  bool
	}{
		{"theme", !reflect.DeepEqual(settings.Theme, state.Theme{})}, {"command", len(settings.Commands) > 0},
		{"keys", len(settings.Keys) > 0}, {"base_url", settings.BaseURL != ""}, {"budget", settings.Budget != 0},
		{"budget_month", settings.PerMonth != 0}, {"credit", settings.Credit.Each != 0},
		{"opener", settings.Opener != ""}, {"player", settings.Player != ""}, {"names", settings.Names != ""},
		{"profile.tools_path", ways.ToolsPath != ""}, {"profile.estimate", ways.Estimate != ""}, {"profile.job_id", ways.JobID != ""},
		{"profile.ratio", ways.Ratio != ""}, {"profile.answers", ways.Answers != ""},
	} {
		if given.set {
			known = append(known, given.name+"="+run.Hidden)
		}
	}
	say("settings", strings.Join(known, ", "))
	for _, problem := range settings.Problems {
		say("", p.Sentence(run.Anonymous(run.Because(problem))))
	}
	fmt.Fprintln(p.Out)
	for _, c := range checks {
		p.printCheck(c, run.Anonymous(c.Found))
	}
}
