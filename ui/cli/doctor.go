package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui"
)

// check is one line of the doctor's report. Found and Advice are sentences,
// named by their English text in JSON.
type check struct {
	Name   string
	OK     bool
	Found  error
	Advice error // nil for none
}

// checkDocument is a check as --json prints it.
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

func (p *program) doctorCommand() *cobra.Command {
	var saved explanation
	var newStore, forBug bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the key, the keyring, the store, the terminal and the service",
		Long: "Checks the key, the keyring, the store, the terminal and the service, each with what to do.\n" +
			"With --report it prints them as a text for a bug report, with versions, system, terminal and settings, but without\n" +
			"keys, addresses, folders, prompts and texts of the service.\n\n" +
			"With --explain it asks nobody, but says what darkroom reads in a saved answer and from where: as the answer to\n" +
			"a generation call, as the answer about a job, as the listing of models, as an estimate, and as a refusal. With\n" +
			"--json that is {\"status\": 200, \"readings\": [{\"reader\": \"create|job|models|estimate|error\",\n" +
			"\"concept\": \"id|candidate|status|class|result|reason|progress|expected|model id|…|amount|unit|code|error|field|wait\",\n" +
			"\"path\": \"data.task_id\", \"value\": \"…\"}]}; a reader that can do nothing with the answer has the concept\n" +
			"\"unread\" with the reason, and the path \"(root)\" stands for what follows from the whole.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if saved.file != "" {
				return p.explain(saved)
			}
			return p.withAnyStore(cmd.Context(), false, func(s *state.Session) error {
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
				profile, err := s.Profile(cmd.Context())
				if err != nil && !errors.Is(err, state.ErrNoBase) {
					p.notice(err)
				}
				return p.report(checks, profile)
			})
		},
	}
	saved.flags(cmd)
	cmd.Flags().BoolVar(&newStore, "new-store", false, "go on with a new store in place of a damaged or newer one, whose file is kept")
	cmd.Flags().BoolVar(&forBug, "report", false, "print a text for a bug report, without keys, addresses, folders and prompts")
	p.jsonFlag(cmd)
	excludeEachOther(cmd, "report", "explain")
	excludeEachOther(cmd, "report", "json")
	return cmd
}

// newStore takes the person's decision about a store that cannot go on.
func (p *program) newStore(ctx context.Context, s *state.Session) error {
	why := s.Standing().ReadOnly
	switch {
	case why.IsZero():
		return usage("the store is well: there is no need for a new one")
	case !s.Standing().Choice:
		return withCode(exitStore, sentencef("a new store would meet the same trouble: %s", because(why)))
	}
	if err := s.ChooseStore(ctx); err != nil {
		return withCode(exitStore, err)
	}
	p.notice(sentencef("a new store is in use; the old file is kept beside it in %s", verbatim(s.Settings().DataDir)))
	return nil
}

func (p *program) examine(ctx context.Context, s *state.Session) []check {
	settings := s.Settings()
	checks := []check{p.checkBase(settings)}
	checks = append(checks, checkSettings(settings)...)
	checks = append(checks, p.checkKey(ctx, s), checkKeyring(s), checkStore(s, settings), p.checkTerminal())
	return append(checks, checkService(ctx, s, settings), checkTools(ctx, s))
}

func (p *program) checkBase(settings state.Settings) check {
	c := check{Name: "service address", OK: settings.BaseURL != "", Found: verbatim(settings.BaseURL)}
	if !c.OK {
		c.Found = sentencef("none is set")
		c.Advice = sentencef("set DARKROOM_BASE_URL, or base_url in %s", verbatim(settings.ConfigFile))
		return c
	}
	if _, err := api.ParseBase(settings.BaseURL); err != nil {
		c.OK, c.Advice = false, err
	}
	c.Found = sentencef("%s (from %s)", c.Found, word(settings.BaseFrom))
	return c
}

// checkSettings says what of the settings is not used, and which own colours are
// hard to read.
func checkSettings(settings state.Settings) []check {
	file := verbatim(settings.ConfigFile)
	c := check{Name: "settings", OK: len(settings.Problems) == 0, Found: file}
	if !c.OK {
		c.Found, c.Advice = because(settings.Problems[0]), sentencef("correct %s", file)
		if more := len(settings.Problems) - 1; more > 0 {
			c.Advice = sentencef("correct %s: %d more are said above", file, more)
		}
	}
	weak := ui.WeakColours(settings.Theme)
	if len(weak) == 0 {
		return []check{c}
	}
	return []check{c, {
		Name: checkedColours, Found: sentencef("hard to read: %s", verbatim(strings.Join(weak, ", "))),
		Advice: sentencef("choose colours with a contrast of 4.5 or more, under [theme] in %s", file),
	}}
}

// checkedColours is the check of own colours.
const checkedColours = "own colours"

func (p *program) checkKey(ctx context.Context, s *state.Session) check {
	c := check{Name: "API key"}
	if err := s.AwaitKey(ctx); err != nil {
		c.Found = err
		if errors.Is(err, state.ErrNoKey) { // the keyring's own line says why it has none
			c.Found = sentencef("none")
		}
		c.Advice = sentencef("run 'darkroom login', or set DARKROOM_API_KEY for single runs")
		return c
	}
	standing := s.Standing()
	c.OK, c.Found = true, sentencef("%s (from the %s)", verbatim(standing.KeyHint), word(standing.KeySource))
	return c
}

func checkKeyring(s *state.Session) check {
	ring := s.ExamineKeyring()
	c := check{Name: "keyring", OK: ring.Usable, Found: verbatim(ring.Name)}
	switch {
	case !ring.Usable:
		c.Found, c.Advice = because(ring.Why), sentencef("use DARKROOM_API_KEY, or type the key for one session")
	case ring.Locked:
		c.OK, c.Found = false, sentencef("%s, locked", verbatim(ring.Name))
		c.Advice = sentencef("unlock it, for example by logging in to the desktop; it asks for its password when a key is wanted")
	}
	return c
}

func checkStore(s *state.Session, settings state.Settings) check {
	c := check{Name: "store", OK: true, Found: verbatim(settings.DataDir)}
	standing := s.Standing()
	if !standing.ReadOnly.IsZero() {
		c.OK, c.Found = false, because(standing.ReadOnly)
		c.Advice = sentencef("make %s writable, with room on its disk; nothing is sent until then", verbatim(settings.DataDir))
		if standing.Choice {
			c.Advice = sentencef("'darkroom doctor --new-store' goes on without it, the file is kept; nothing is sent until then")
		}
	}
	return c
}

func (p *program) checkTerminal() check {
	c := check{Name: "terminal", OK: p.terminal()}
	if !c.OK {
		c.Found, c.Advice = sentencef("standard input or output is not a terminal"), sentencef("the screens need one; the commands do not")
		return c
	}
	name := p.env("TERM")
	if p.env("COLORTERM") != "" {
		name += ", " + p.env("COLORTERM")
	}
	c.Found = verbatim(name)
	if p.env("NO_COLOR") != "" {
		c.Found = sentencef("%s, colours off (NO_COLOR)", c.Found)
	}
	return c
}

func checkService(ctx context.Context, s *state.Session, settings state.Settings) check {
	c := check{Name: "service"}
	if settings.BaseURL == "" || s.Standing().KeyHint == "" {
		c.Found, c.Advice = sentencef("not asked"), sentencef("it needs an address and a key first")
		return c
	}
	listing := s.Models(ctx)
	if listing.Err != nil {
		c.Found, c.Advice = listing.Err, sentencef("check the address, the network and the key")
		return c
	}
	c.OK, c.Found = true, sentencef("answers, %d models", len(listing.Models))
	return c
}

// optional are the checks without which darkroom works all the same.
var optional = map[string]bool{"terminal": true, "keyring": true, checkedTools: true, checkedColours: true}

// judge makes the exit code 1 when something is not well.
func (p *program) judge(checks []check) {
	for _, c := range checks {
		if !c.OK && !optional[c.Name] {
			p.exitCode = exitFailed
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
func (p *program) report(checks []check, profile state.Profile) error {
	p.judge(checks)
	if p.json {
		documents := make([]checkDocument, len(checks))
		for i, c := range checks {
			documents[i] = checkDocumentOf(c)
		}
		p.printJSON(struct {
			Checks  []checkDocument  `json:"checks"`
			Profile *profileDocument `json:"profile"`
		}{documents, profileDocumentOf(profile)})
		return nil
	}
	for _, c := range checks {
		fmt.Fprintf(p.out, "%s %s %s\n", c.mark(), pad(p.sentence(word(c.Name)), 16), p.found(c.Found))
		if c.Advice != nil {
			fmt.Fprintf(p.out, "  %s → %s\n", pad("", 16), p.found(c.Advice))
		}
	}
	p.printProfile(profile)
	return nil
}

// found is what a check found as a line shows it: without keys.
func (p *program) found(text error) string { return oneLine(api.HideKeys(p.sentence(text))) }
