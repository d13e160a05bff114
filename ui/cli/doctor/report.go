package doctor

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// terminalVariables are printed in a report with their values: they name
// programs and what these can do.
var terminalVariables = []string{"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORFGBG", "LC_ALL", "LC_MESSAGES", "LANG"}

// reportedVariables are named in a report when they are set, without values.
var reportedVariables = []string{
	"DARKROOM_API_KEY", "DARKROOM_BASE_URL", "DARKROOM_BUDGET", "DARKROOM_DOWNLOADS", "DARKROOM_LANG", "DARKROOM_OPENER",
	"DARKROOM_TIME_SCALE",
	"NO_COLOR", "TMUX", "STY", "SSH_CONNECTION", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
}

// printBugReport prints what a bug report needs. Of the checks only sentences
// of the program itself are printed, with numbers; whatever a person, a service
// or the system wrote is left out.
func (p commands) printBugReport(checks []check, settings state.Settings) {
	line := func(name, text string) {
		if text == "" {
			return
		}
		fmt.Fprintf(p.Out, "%s %s\n", run.Pad(name, 16), api.Clean(api.OneLine(api.HideKeys(text)), 500).String())
	}
	p.Println("Report for a bug: without keys, addresses, folders and prompts. Read it before you pass it on.")
	fmt.Fprintln(p.Out)
	line(p.Say("version"), "darkroom "+p.FullVersion+", "+runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH)
	line(p.Say("libraries"), strings.Join(libraries(), ", "))
	line(p.Say("system"), system("/etc/os-release"))
	line(p.Say("terminal"), p.terminalText())
	line(p.Say("also set"), strings.Join(p.variablesSet(), ", "))
	line(p.Say("settings"), strings.Join(settingsText(settings), ", "))
	for _, problem := range settings.Problems {
		line("", p.Sentence(run.Anonymous(run.Because(problem))))
	}
	fmt.Fprintln(p.Out)
	for _, c := range checks {
		fmt.Fprintf(p.Out, "%s %s %s\n", c.mark(), run.Pad(p.Sentence(run.Word(c.Name)), 16), api.OneLine(p.Sentence(run.Anonymous(c.Found))))
	}
}

// libraries are those that drawing and storing depend on, with their versions.
func libraries() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var found []string
	for _, m := range info.Deps {
		switch m.Path {
		case "charm.land/bubbletea/v2", "charm.land/lipgloss/v2", "github.com/charmbracelet/ultraviolet", "modernc.org/sqlite":
			found = append(found, m.Path+" "+m.Version)
		}
	}
	return found
}

// system is the name that a Linux system gives itself in its os-release file;
// of others that of the kind.
func system(release string) string {
	file, err := os.Open(release)
	if err != nil {
		return runtime.GOOS
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return runtime.GOOS
}

// terminalText is the terminal's size and what it says of itself. Standard
// output is likely a file here, so the size is that of standard error.
func (p commands) terminalText() string {
	var parts []string
	if file, ok := p.Err.(interface{ Fd() uintptr }); ok {
		if columns, rows, err := term.GetSize(file.Fd()); err == nil {
			parts = append(parts, fmt.Sprintf("%dx%d", columns, rows))
		}
	}
	for _, name := range terminalVariables {
		if value := p.Env(name); value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	return strings.Join(parts, ", ")
}

func (p commands) variablesSet() []string {
	var set []string
	for _, name := range reportedVariables {
		if p.Env(name) != "" {
			set = append(set, name)
		}
	}
	return set
}

// settingsText names the settings, those with a fixed set of values with the
// value.
func settingsText(s state.Settings) []string {
	texts := []string{
		"lang=" + s.Lang, "pictures=" + s.Pictures, "on_done=" + s.OnDone, "after_send=" + s.AfterSend,
		"recipes=" + strconv.FormatBool(s.Recipes), "log=" + strconv.FormatBool(s.Log),
	}
	ways := s.WaysFor(s.BaseURL)
	for _, given := range []struct {
		name string
		set  bool
	}{
		{"theme", !reflect.DeepEqual(s.Theme, state.Theme{})}, {"command", len(s.Commands) > 0}, {"keys", len(s.Keys) > 0},
		{"base_url", s.BaseURL != ""}, {"budget", s.Budget != 0}, {"opener", s.Opener != ""}, {"player", s.Player != ""},
		{"names", s.Names != ""},
		{"profile.tools_path", ways.ToolsPath != ""}, {"profile.estimate", ways.Estimate != ""}, {"profile.job_id", ways.JobID != ""},
		{"profile.ratio", ways.Ratio != ""}, {"profile.answers", ways.Answers != ""},
	} {
		if given.set {
			texts = append(texts, given.name+"="+run.Hidden)
		}
	}
	return texts
}
