package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// What a release is linked with (-X darkroom/ui/cli.Version=…).
var (
	Version = "dev" // such as 1.2.3
	Commit  = ""    // the revision it was built from, in hexadecimal digits
	Date    = ""    // when that was committed, RFC 3339
)

func (p *commands) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Run:     func(*cobra.Command, []string) { p.printVersion() },
		Example: `  darkroom version`,
	}
}

// printVersion is also what --version does: the library's own flag needs a
// template, with which the linker keeps every exported method of every type.
func (p *commands) printVersion() { fmt.Fprintln(p.Out, "darkroom "+versionText()) }

// versionText is the version with commit and date, such as
// "1.2.3 (0123456, 2026-11-22)".
func versionText() string {
	if Version != "dev" {
		return withCommit(Version, shortCommit(Commit), Date)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	return builtVersion(info)
}

// builtVersion is the version of a program that the go command built without
// our linker flags: that of the module, and the commit that the go command saw.
func builtVersion(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	version, commit := strings.TrimPrefix(info.Main.Version, "v"), settings["vcs.revision"]
	if version == "" || version == "(devel)" || commit != "" && strings.Contains(version, shortCommit(commit)) {
		version = "dev" // a version made of date and commit says nothing more than these
	}
	commit = shortCommit(commit)
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += " modified"
	}
	return withCommit(version, commit, settings["vcs.time"])
}

// withCommit adds commit and date to a version, as far as they are known.
func withCommit(version, commit, date string) string {
	day, _, _ := strings.Cut(date, "T")
	var known []string
	for _, part := range []string{commit, day} {
		if part != "" {
			known = append(known, part)
		}
	}
	if len(known) == 0 {
		return version
	}
	return fmt.Sprintf("%s (%s)", version, strings.Join(known, ", "))
}

// shortCommit is as much of a revision as people write.
func shortCommit(revision string) string { return revision[:min(len(revision), 7)] }
