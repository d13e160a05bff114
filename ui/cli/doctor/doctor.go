// Package doctor checks what darkroom depends on.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
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

func checkDocumentOf(c check) checkDocument {
	d := checkDocument{Name: c.Name, OK: c.OK, Found: api.HideKeys(c.Found.Error())}
	if c.Advice != nil {
		d.Advice = api.HideKeys(c.Advice.Error())
	}
	return d
}

type commands struct{ *run.Program }

// Command checks what darkroom depends on.
func Command(one *run.Program) *cobra.Command {
	p := commands{one}
	var newStore, forBug bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the key, the keyring, the store, the terminal and the service",
		Long: "Checks the key, the keyring, the store, the terminal and the service, each with what to do. " +
			"With --report it prints them as a text for a bug report, with versions, system, terminal and settings, but without " +
			"keys, addresses, folders, prompts and texts of the service.",
		Example: `  darkroom doctor
  darkroom doctor --json
  darkroom doctor --report > report.txt`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithAnyStore(cmd.Context(), false, func(s *state.Session) error {
				if newStore {
					if err := p.newStore(cmd.Context(), s); err != nil {
						return err
					}
				}
				checks := p.examine(cmd.Context(), s)
				if forBug {
					p.printBugReport(checks, s.Settings())
					p.judge(checks)
					return nil
				}
				profile, err := s.Remote.Profile(cmd.Context())
				if err != nil && !errors.Is(err, state.ErrNoBase) {
					p.Notice(err)
				}
				return p.report(checks, profile)
			})
		},
	}
	cmd.Flags().BoolVar(&newStore, "new-store", false, "go on with a new store in place of a damaged or newer one, whose file is kept")
	cmd.Flags().BoolVar(&forBug, "report", false, "print a text for a bug report, without keys, addresses, folders and prompts")
	p.JSONFlags(cmd, checkDocument{})
	run.ExcludeEachOther(cmd, "report", "json")
	return cmd
}

// newStore takes the person's decision about a store that cannot go on.
func (p commands) newStore(ctx context.Context, s *state.Session) error {
	why := s.Health().ReadOnly
	switch {
	case why.IsZero():
		return run.Usagef("the store is well: there is no need for a new one")
	case !s.Health().Choice:
		return run.WithCode(run.ExitStore, run.Sentencef("a new store would meet the same trouble: %s", why))
	}
	if err := s.ChooseStore(ctx); err != nil {
		return run.WithCode(run.ExitStore, err)
	}
	p.Notice(run.Sentencef("a new store is in use; the old file is kept beside it in %s", s.Settings().DataDir))
	return nil
}

func (p commands) examine(ctx context.Context, s *state.Session) []check {
	settings := s.Settings()
	checks := []check{p.checkBase(settings), checkSettings(settings)}
	checks = append(checks, p.checkKey(ctx, s), checkKeyring(s), checkStore(s, settings), p.checkTerminal())
	return append(checks, checkService(ctx, s, settings), checkTools(ctx, s))
}

func (p commands) checkBase(settings state.Settings) check {
	c := check{Name: "service address", OK: settings.BaseURL != "", Found: run.Verbatim(settings.BaseURL)}
	if !c.OK {
		c.Found = run.Sentencef("none is set")
		c.Advice = run.Sentencef("set DARKROOM_BASE_URL, or base_url in %s", settings.ConfigFile)
		return c
	}
	if _, err := api.ParseBase(settings.BaseURL); err != nil {
		c.OK, c.Advice = false, err
	}
	c.Found = run.Sentencef("%s (from the %s)", c.Found, run.Word(settings.BaseFrom))
	return c
}

// checkSettings says what of the settings is not used.
func checkSettings(settings state.Settings) check {
	file := run.Verbatim(settings.ConfigFile)
	c := check{Name: "settings", OK: len(settings.Problems) == 0, Found: file}
	if !c.OK {
		c.Found = run.Because(settings.Problems[0])
		if name, _, _ := strings.Cut(c.Found.Error(), " "); strings.HasPrefix(name, "DARKROOM_") {
			file = run.Verbatim(name)
		}
		c.Advice = run.Sentencef("correct %s", file)
		if more := len(settings.Problems) - 1; more > 0 {
			c.Advice = run.Sentencef("correct %s: %d more are said above", file, more)
		}
	}
	if _, err := os.Stat(settings.ConfigFile); c.OK && errors.Is(err, fs.ErrNotExist) {
		c.Found = run.Sentencef("the usual ones: there is no %s", file)
	}
	return c
}

func (p commands) checkKey(ctx context.Context, s *state.Session) check {
	c := check{Name: "API key"}
	if err := s.Remote.AwaitKey(ctx); err != nil {
		c.Found = err
		if errors.Is(err, state.ErrNoKey) { // the keyring's own line says why it has none
			c.Found = run.Sentencef("none")
		}
		c.Advice = run.Sentencef("run 'darkroom login', or set DARKROOM_API_KEY for single runs")
		return c
	}
	health := s.Health()
	c.OK, c.Found = true, run.Sentencef("%s (from the %s)", health.KeyHint, run.Word(health.KeySource))
	return c
}

func checkKeyring(s *state.Session) check {
	ring := s.Remote.ExamineKeyring()
	c := check{Name: "keyring", OK: ring.Usable, Found: run.Verbatim(ring.Name)}
	switch {
	case !ring.Usable:
		c.Found = run.Because(ring.Why)
	case ring.Locked:
		c.OK, c.Found = false, run.Sentencef("%s, locked", ring.Name)
		c.Advice = run.Sentencef("unlock it, for example by logging in to the desktop; it asks for its password when a key is wanted")
	}
	return c
}

func checkStore(s *state.Session, settings state.Settings) check {
	c := check{Name: "store", OK: true, Found: run.Verbatim(settings.DataDir)}
	health := s.Health()
	if !health.ReadOnly.IsZero() {
		c.OK, c.Found = false, run.Because(health.ReadOnly)
		c.Advice = run.Sentencef("make %s writable, with room on its disk; nothing is sent until then", settings.DataDir)
		if health.Choice {
			c.Advice = run.Sentencef("'darkroom doctor --new-store' goes on without it, the file is kept; nothing is sent until then")
		}
	}
	return c
}

func (p commands) checkTerminal() check {
	c := check{Name: "terminal", OK: p.Terminal()}
	if !c.OK {
		c.Found, c.Advice = run.Sentencef("standard input or output is not a terminal"),
			run.Sentencef("the screens need one; the commands do not")
		return c
	}
	name := p.Env("TERM")
	if p.Env("COLORTERM") != "" {
		name += ", " + p.Env("COLORTERM")
	}
	c.Found = run.Verbatim(name)
	if p.Env("NO_COLOR") != "" {
		c.Found = run.Sentencef("%s, colours off (NO_COLOR)", c.Found)
	}
	return c
}

func checkService(ctx context.Context, s *state.Session, settings state.Settings) check {
	c := check{Name: "service"}
	if settings.BaseURL == "" || s.Health().KeyHint == "" {
		c.Found, c.Advice = run.Sentencef("not asked"), run.Sentencef("it needs an address and a key first")
		return c
	}
	listing := s.Models(ctx)
	if listing.Err != nil {
		c.Found, c.Advice = listing.Err, run.Sentencef("check the address, the network and the key")
		if s.Health().KeyRefused {
			c.Advice = run.Sentencef("run 'darkroom login', or set DARKROOM_API_KEY for single runs")
		}
		return c
	}
	c.OK, c.Found = true, run.Sentencef("answers, %d models", len(listing.Models))
	if listing.More {
		c.Found = run.Sentencef("answers, %d models of a longer list", len(listing.Models))
	}
	return c
}

// optional are the checks without which darkroom works all the same.
var optional = map[string]bool{"terminal": true, "keyring": true, checkedTools: true}

// judge makes the exit code 1 when something is not well.
func (p commands) judge(checks []check) {
	for _, c := range checks {
		if !c.OK && !optional[c.Name] {
			p.ExitCode = run.ExitFailed
		}
	}
}

// mark shows in front of a line how a check ended.
func (c check) mark() string {
	switch {
	case c.OK:
		return "✓"
	case optional[c.Name]:
		return "–"
	}
	return "✗"
}

// report prints the checks and what is known of the service; anything that is
// not well is exit 1.
func (p commands) report(checks []check, profile state.Profile) error {
	p.judge(checks)
	if p.JSON {
		p.PrintJSON(struct {
			Checks  []checkDocument  `json:"checks"`
			Profile *profileDocument `json:"profile"`
		}{run.Map(checks, checkDocumentOf), profileDocumentOf(profile)})
		return nil
	}
	for _, c := range checks {
		fmt.Fprintf(p.Out, "%s %s %s\n", c.mark(), run.Pad(p.Sentence(run.Word(c.Name)), 16), p.found(c.Found))
		if c.Advice != nil {
			fmt.Fprintf(p.Out, "  %s → %s\n", run.Pad("", 16), p.found(c.Advice))
		}
	}
	p.printProfile(profile)
	return nil
}

// found is what a check found as a line shows it: without keys.
func (p commands) found(text error) string { return api.OneLine(api.HideKeys(p.Sentence(text))) }

const checkedTools = "tool protocol"

func checkTools(ctx context.Context, s *state.Session) check {
	c := check{Name: checkedTools}
	if health := s.Health(); health.KeyHint == "" || health.KeyRefused || !health.Online {
		c.Found = run.Sentencef("not asked")
		return c
	}
	box, err := s.Tools(ctx)
	if err != nil {
		c.Found, c.Advice = err, run.Sentencef("if the service has tools, set tools_path under [profile] in the settings file")
		return c
	}
	c.OK, c.Found = true, run.Sentencef("%s, %d tools", box.Address, len(box.Tools))
	return c
}

// wayDocument is one of a service's ways: what it showed, what a person set,
// and which of them counts.
type wayDocument struct {
	Seen string `json:"seen,omitempty"`
	Set  string `json:"set,omitempty"`
}

// words says what counts; names has sentences for some values.
func (w wayDocument) words(names map[string]error) error {
	value := cmp.Or(w.Set, w.Seen)
	said := names[value]
	if said == nil {
		said = run.Verbatim(value)
	}
	switch {
	case w.Set != "":
		return run.Sentencef("%s (set in the settings file)", said)
	case w.Seen != "":
		return said
	}
	return run.Sentencef("not seen yet")
}

type profileDocument struct {
	Base        string              `json:"base_url"`
	ToolsPath   wayDocument         `json:"tools_path"`
	Estimate    wayDocument         `json:"estimate"`
	JobID       wayDocument         `json:"job_id"`
	Answers     wayDocument         `json:"answers"`
	AnswersSync wayDocument         `json:"answers_without_async"`
	Ratio       wayDocument         `json:"ratio"`
	Ratios      map[string][]string `json:"ratio_by_model"`
	At          *string             `json:"seen_at"`
}

func profileDocumentOf(p state.Profile) *profileDocument {
	if p.Base == "" {
		return nil
	}
	d := &profileDocument{
		Base:        p.Base,
		ToolsPath:   wayDocument{p.Seen.ToolsPath, p.Set.ToolsPath},
		Estimate:    wayDocument{p.Seen.Estimate, p.Set.Estimate},
		JobID:       wayDocument{p.Seen.JobID, p.Set.JobID},
		Answers:     wayDocument{p.Seen.Answers, p.Set.Answers},
		AnswersSync: wayDocument{Seen: p.Seen.AnswersSync},
		Ratio:       wayDocument{Set: p.Set.Ratio},
		Ratios:      map[string][]string{},
	}
	for _, name := range []string{api.FieldRatio, api.FieldAspectRatio} {
		if models := p.Ratios[name]; len(models) > 0 {
			d.Ratios[name] = slices.Clone(models)
		}
	}
	for _, w := range []*wayDocument{&d.ToolsPath, &d.Estimate, &d.JobID, &d.Answers, &d.Ratio} {
		w.Seen, w.Set = api.HideKeys(w.Seen), api.HideKeys(w.Set)
	}
	if !p.Seen.At.IsZero() {
		d.At = run.OrNull(p.Seen.At.Format(time.RFC3339))
	}
	return d
}

// printProfile says what is known of the service's ways, in lines.
func (p commands) printProfile(profile state.Profile) {
	d := profileDocumentOf(profile)
	if d == nil {
		return
	}
	title := run.Sentencef("What %s showed", run.Address(d.Base))
	if d.At != nil {
		title = run.Sentencef("What %s showed, last %s", run.Address(d.Base), profile.Seen.At.Local().Format(time.DateTime))
	}
	fmt.Fprintf(p.Out, "\n%s\n", p.Sentence(title))
	line := func(name string, words error) {
		fmt.Fprintf(p.Out, "  %s %s\n", run.Pad(name, 22), api.Clean(p.Sentence(words), 500))
	}
	answers := map[string]error{state.AnswersJob: run.Sentencef("with a job"), state.AnswersResult: run.Sentencef("with the result at once")}
	line(p.Say("tool entry"), d.ToolsPath.words(nil))
	line(p.Say("estimates by"), d.Estimate.words(nil))
	line(p.Say("job id at"), d.JobID.words(nil))
	line(p.Say("async true answers"), d.Answers.words(answers))
	line(p.Say("async false answers"), d.AnswersSync.words(answers))
	line(p.Say("name of the ratio"), ratioWords(d))
	fmt.Fprintln(p.Out, "  "+p.Say("Set them by hand under [profile] in the settings file: tools_path, estimate, job_id, answers, ratio."))
}

func ratioWords(d *profileDocument) error {
	if d.Ratio.Set != "" {
		return d.Ratio.words(nil)
	}
	var said error
	for _, name := range []string{api.FieldRatio, api.FieldAspectRatio} {
		if n := len(d.Ratios[name]); n > 0 {
			part := run.Sentencef("%s for %d models", name, n)
			if n <= 2 {
				part = run.Sentencef("%s for %s", name, strings.Join(d.Ratios[name], ", "))
			}
			if said != nil {
				part = run.Sentencef("%s; %s", said, part)
			}
			said = part
		}
	}
	if said == nil {
		return run.Sentencef("no model lists one; aspect_ratio is sent")
	}
	return said
}
