// Package doctor checks what darkroom depends on.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
	"darkroom/ui/picture"
)

// check is one line of the doctor's report. Found and Advice are sentences,
// named by their English text in JSON.
type check struct {
	Name   string
	OK     bool
	Found  error
	Advice error // nil for none
}

type checkDocument struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// Command checks what darkroom depends on.
func Command(p *run.Program) *cobra.Command {
	var newStore, forBug bool
	cmd := p.Command("doctor", run.Nothing, func(ctx context.Context, s *state.Session, _ []string) error {
		s.ExamineStore(ctx)
		if newStore { // the person's decision about a store that cannot go on
			switch why := s.Health().ReadOnly; {
			case why.IsZero():
				return run.Usagef("the database is fine: it needs no replacement")
			case !s.Health().Choice:
				return run.WithCode(run.ExitStore, run.Sentencef("a new database would have the same problem: %s", why))
			}
			if err := s.ChooseStore(ctx); err != nil {
				return run.WithCode(run.ExitStore, err)
			}
			p.Notice(run.Sentencef("a new database is in use; the old file is kept next to it in %s", s.Settings().DataDir))
		}
		checks := examine(ctx, p, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.ContainsFunc(checks, func(c check) bool { return c.mark() == "✗" }) {
			p.ExitCode = run.ExitFailed
		}
		if profile, _ := s.Remote.Profile(ctx); forBug { // without an address there is none
			printBugReport(p, checks, s.Settings())
		} else {
			report(p, checks, profile)
		}
		return nil
	})
	cmd.Flags().BoolVar(&newStore, "new-store", false, "continue with a new database in place of a damaged or newer one, whose file is kept")
	cmd.Flags().BoolVar(&forBug, "report", false, "print the text of a bug report; it contains no keys, addresses, folders or prompts")
	return p.JSONFlags(cmd, checkDocument{})
}

// examine makes the checks. One that depends on others is skipped if they fail.
func examine(ctx context.Context, p *run.Program, s *state.Session) []check {
	settings := s.Settings()
	base := check{"service address", false, run.Sentencef("none is set"),
		run.Sentencef("set DARKROOM_BASE_URL, or base_url in %s", settings.ConfigFile)}
	_, wrong := api.ParseBase(settings.BaseURL)
	if settings.BaseURL != "" {
		base.OK, base.Advice = wrong == nil, wrong
		base.Found = run.Sentencef("%s (from the %s)", settings.BaseURL, run.Word(settings.BaseFrom))
	}
	key := check{Name: "API key", Found: notChecked}
	if wrong == nil { // a key is kept for an address
		switch err := s.Remote.AwaitKey(ctx); {
		case err == nil:
			key.OK, key.Found = true, run.Sentencef("%s (from the %s)", s.Health().KeyHint, run.Word(s.Health().KeySource))
		case errors.Is(err, state.ErrNoKey) && strings.TrimSpace(settings.EnvKey) == "": // the keyring's own line says why it has none
			key.Found, key.Advice = run.Sentencef("none"), run.KeyAdvice(s)
		default:
			key.Found, key.Advice = err, run.KeyAdvice(s)
		}
	}
	service := check{Name: "service", Found: notChecked}
	if settings.BaseURL != "" && s.Health().KeyHint != "" {
		listing := s.Models(ctx)
		said := run.Sentencef("answers, %d models", len(listing.Models))
		if listing.More {
			said = run.Sentencef("answers, %d models of a longer list", len(listing.Models))
		}
		service.OK, service.Found = listing.Err == nil, cmp.Or(listing.Err, said) // an error says what to do
	}
	if s.Health().KeyRefused {
		key, service = check{"API key", false, service.Found, run.KeyAdvice(s)}, check{Name: "service", Found: notChecked}
	}
	keyring := check{Name: "keyring"}
	switch ring := s.Remote.ExamineKeyring(); {
	case !ring.Usable:
		keyring.Found = run.Because(ring.Why)
	case ring.Locked:
		keyring.Found = run.Sentencef("%s, locked", ring.Name)
		keyring.Advice = run.Sentencef("unlock it, for example by logging in to the desktop; it asks for its password when a key is wanted")
	default:
		keyring.OK, keyring.Found = true, run.Verbatim(ring.Name)
	}
	store := check{"store", true, run.Verbatim(settings.DataDir), nil}
	if why := s.Health().ReadOnly; !why.IsZero() {
		store.OK, store.Found = false, run.Because(why) // which says what to do
	}
	name := strings.TrimSuffix(p.Env("TERM")+", "+p.Env("COLORTERM"), ", ")
	terminal := check{"terminal", true, run.Verbatim(name), nil}
	if !run.IsTerminal(p.In, p.Out) {
		terminal = check{"terminal", false, run.Sentencef("standard input or output is not a terminal"),
			run.Sentencef("the screens need one; the commands do not")}
	} else if p.Env("NO_COLOR") != "" {
		terminal.Found = run.Sentencef("%s, colours off (NO_COLOR)", name)
	}
	tools := check{Name: "tool protocol", Found: notChecked}
	if service.OK {
		box, err := s.Tools(ctx)
		tools.OK, tools.Found = err == nil, cmp.Or(err, run.Sentencef("%s, %d tools", box.Address, len(box.Tools)))
	}
	videos := check{"videos", picture.Frames(), run.Sentencef("ffmpeg is installed"), nil}
	if !videos.OK {
		videos.Found, videos.Advice = run.Sentencef("ffmpeg is not installed"), run.Sentencef("install it to see videos here, and to join them")
	}
	list := append(append([]check{base}, checkSettings(settings)...),
		key, keyring, store, checkDisk(settings), terminal, videos, service, tools)
	if page, err := s.Jobs(ctx, state.Query{Limit: 1}); err == nil && page.Others > 0 {
		list = append(list, check{"jobs", false, run.Sentencef("%d running at another service", page.Others),
			run.Sentencef("use its address to ask for them; 'darkroom job ID' shows it")})
	}
	return list
}

// checkSettings says what of the settings is not used, each for itself.
func checkSettings(settings state.Settings) (checks []check) {
	file := run.Verbatim(settings.ConfigFile)
	for _, why := range settings.Problems {
		found, at := run.Because(why), file
		name, _, _ := strings.Cut(found.Error(), " ")
		variable := strings.HasPrefix(name, "DARKROOM_") || strings.HasPrefix(name, "XDG_")
		switch base := why.Format() == state.WhyBase; { // of the one in use it is said there what is wrong with it
		case base && variable:
			continue
		case base && settings.BaseFrom == "file":
			found, at = file, "base_url"
		case variable:
			at = run.Verbatim(name)
		}
		advice := run.Sentencef("correct %s", at)
		if n := len(checks); n > 0 && checks[n-1].Advice.Error() == advice.Error() { // it is said once
			checks[n-1].Advice = nil
		}
		checks = append(checks, check{"settings", false, found, advice})
	}
	if usual := run.Sentencef("the usual ones: there is no %s", file); len(checks) == 0 {
		checks = []check{{"settings", true, map[bool]error{true: file, false: usual}[settings.Found], nil}}
	}
	return checks
}

// checkDisk says how large is what darkroom keeps, each as far as 20,000 files go.
func checkDisk(settings state.Settings) check {
	paths := []string{settings.Downloads, settings.CacheDir, settings.DataDir + "/trash", settings.DataDir + "/darkroom.db"}
	sizes := api.Map(paths, func(path string) any {
		sum, left := int64(0), 20_000
		_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if left--; left < 0 {
				return fs.SkipAll
			}
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					sum += info.Size()
				}
			}
			return nil
		})
		return int((sum + 999_999) / 1e6)
	})
	return check{Name: "disk", OK: true, Found: run.Sentencef("results %d MB, cache %d MB, trash %d MB, store %d MB", sizes...)}
}

// notChecked is found by a check that others have to come before.
var notChecked = run.Sentencef("not checked: fix what is marked ✗ above first")

// mark is how a check ended: "–" if darkroom works all the same, or nothing was checked.
func (c check) mark() string {
	switch {
	case c.OK:
		return "✓"
	case c.Found == notChecked, slices.Contains([]string{"terminal", "videos", "keyring", "tool protocol", "jobs"}, c.Name):
		return "–"
	}
	return "✗"
}

// way is one of a service's ways, shown and set, with its names in JSON and in lines.
type way struct {
	key, name string
	Seen      string `json:"seen,omitempty"`
	Set       string `json:"set,omitempty"`
}

// report prints the checks, and what a service showed and the settings file says of its ways, without keys.
func report(p *run.Program, checks []check, profile state.Profile) {
	seen, set := profile.Seen, profile.Set
	ways := api.Map([]way{
		{"tools_path", "tool entry", seen.ToolsPath, set.ToolsPath},
		{"estimate", "estimates by", seen.Estimate, set.Estimate},
		{"job_id", "job id at", seen.JobID, set.JobID},
		{"answers", "async true answers", seen.Answers, set.Answers},
		{"answers_without_async", "async false answers", seen.AnswersSync, ""},
		{"ratio", "name of the ratio", "", set.Ratio},
	}, func(w way) way { return way{w.key, w.name, api.HideKeys(w.Seen), api.HideKeys(w.Set)} })
	if p.JSON {
		documents := api.Map(checks, func(c check) checkDocument {
			advice := cmp.Or(c.Advice, error(run.Verbatim("")))
			return checkDocument{c.Name, c.OK, api.HideKeys(c.Found.Error()), api.HideKeys(advice.Error())}
		})
		var known map[string]any // of a service; nil for none
		if profile.Base != "" {
			delete(profile.Ratios, "") // of models without one
			known = map[string]any{"base_url": profile.Base, "ratio_by_model": profile.Ratios, "seen_at": nil}
			for _, way := range ways {
				known[way.key] = way
			}
			if !seen.At.IsZero() {
				known["seen_at"] = seen.At.Format(time.RFC3339)
			}
		}
		p.PrintJSON(map[string]any{"checks": documents, "profile": known}, "checks")
		return
	}
	for _, c := range checks {
		printCheck(p, c, c.Found)
		if c.Advice != nil {
			fmt.Fprintf(p.Out, "  %s → %s\n", run.Pad("", 16), api.HideKeys(p.Sentence(c.Advice)))
		}
	}
	if profile.Base == "" || seen.At.IsZero() {
		return
	}
	fmt.Fprintln(p.Out)
	p.Println("What %s showed, last %s", run.Address(profile.Base), seen.At.Local().Format(time.DateTime))
	for _, way := range ways {
		value := cmp.Or(way.Set, way.Seen)
		words := value
		switch {
		case strings.HasPrefix(way.key, "answers") && value != "":
			words = p.Say(value) // job or result
		case way.key == "ratio" && value == "":
			var parts []string
			for _, name := range []string{api.FieldRatio, api.FieldAspectRatio} {
				if models := profile.Ratios[name]; len(models) > 2 {
					parts = append(parts, p.Say("%s for %d models", name, len(models)))
				} else if len(models) > 0 {
					parts = append(parts, p.Say("%s for %s", name, strings.Join(models, ", ")))
				}
			}
			words = cmp.Or(strings.Join(parts, "; "), p.Say("no model lists one; aspect_ratio is sent"))
		case value == "":
			words = p.Say("not seen yet")
		}
		if way.Set != "" {
			words = p.Say("%s (set in the settings file)", words)
		}
		fmt.Fprintf(p.Out, "  %s %s\n", run.Pad(p.Say(way.name), 22), api.Clean(api.OneLine(words), 500))
	}
	fmt.Fprintln(p.Out, "  "+p.Say("Set them by hand under [profile] in the settings file: tools_path, estimate, job_id, answers, ratio."))
}

// printCheck prints the line of a check.
func printCheck(p *run.Program, c check, found error) {
	fmt.Fprintf(p.Out, "%s %s %s\n", c.mark(), run.Pad(p.Sentence(run.Word(c.Name)), 16), api.HideKeys(p.Sentence(found)))
}

// reportedVariables are named in a report when they are set, without values.
const reportedVariables = "DARKROOM_API_KEY DARKROOM_BASE_URL DARKROOM_BUDGET DARKROOM_BUDGET_MONTH DARKROOM_CREDIT DARKROOM_DOWNLOADS " +
	"DARKROOM_LANG DARKROOM_OPENER DARKROOM_TIME_SCALE NO_COLOR TMUX STY SSH_CONNECTION DISPLAY WAYLAND_DISPLAY " +
	"DBUS_SESSION_BUS_ADDRESS HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy " +
	"XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME"

// printBugReport prints what a bug report needs. Of the checks only sentences
// of the program itself are printed, with numbers; whatever a person, a service
// or the system wrote is left out.
func printBugReport(p *run.Program, checks []check, settings state.Settings) {
	say := func(name, text string) {
		if text != "" {
			fmt.Fprintf(p.Out, "%s %s\n", run.Pad(p.Say(name), 16), api.Clean(api.OneLine(api.HideKeys(text)), 500).String())
		}
	}
	release, _ := os.ReadFile("/etc/os-release")
	_, system, _ := strings.Cut("\n"+string(release), "\nPRETTY_NAME=")
	system, _, _ = strings.Cut(system, "\n")
	p.Println("Bug report. It contains no keys, addresses, folders or prompts. Read it before you pass it on.")
	fmt.Fprintln(p.Out)
	say("version", "darkroom "+p.FullVersion+", "+runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH)
	say("system", cmp.Or(strings.Trim(system, "\"'`"), runtime.GOOS))
	names := strings.Fields("TERM COLORTERM TERM_PROGRAM TERM_PROGRAM_VERSION COLORFGBG LC_ALL LC_MESSAGES LANG")
	terminal := api.Pick(names, func(name string) (string, bool) { return name + "=" + p.Env(name), p.Env(name) != "" })
	if columns, rows := run.Size(p.Err); columns > 0 { // standard output is likely a file here
		terminal = slices.Insert(terminal, 0, fmt.Sprintf("%dx%d", columns, rows))
	}
	say("terminal", strings.Join(terminal, ", "))
	set := slices.DeleteFunc(strings.Fields(reportedVariables), func(name string) bool { return p.Env(name) == "" })
	say("also set", strings.Join(set, ", "))
	known := []string{ // with values that come from a fixed set
		"lang=" + settings.Lang, "pictures=" + settings.Pictures, "on_done=" + settings.OnDone, "after_send=" + settings.AfterSend,
		"recipes=" + strconv.FormatBool(settings.Recipes), "log=" + strconv.FormatBool(settings.Log),
	}
	ways := settings.WaysFor(settings.BaseURL)
	hidden := map[string]any{
		"theme": settings.Theme, "command": settings.Commands, "keys": settings.Keys, "base_url": settings.BaseURL, "budget": settings.Budget,
		"budget_month": settings.PerMonth, "credit": settings.Credit, "opener": settings.Opener, "player": settings.Player,
		"names": settings.Names, "profile.tools_path": ways.ToolsPath, "profile.estimate": ways.Estimate,
		"profile.job_id": ways.JobID, "profile.ratio": ways.Ratio, "profile.answers": ways.Answers,
	}
	known = append(known, api.Pick(slices.Sorted(maps.Keys(hidden)), func(name string) (string, bool) {
		return name + "=" + run.Hidden, !reflect.ValueOf(hidden[name]).IsZero()
	})...)
	say("settings", strings.Join(known, ", "))
	fmt.Fprintln(p.Out)
	for _, c := range checks {
		printCheck(p, c, run.Anonymous(c.Found))
	}
}
