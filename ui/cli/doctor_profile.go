package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state"
)

const checkedTools = "tool protocol"

func checkTools(ctx context.Context, s *state.Session) check {
	c := check{Name: checkedTools}
	if standing := s.Standing(); standing.KeyHint == "" || standing.KeyRefused || !standing.Online {
		c.Found = "not asked"
		return c
	}
	box, err := s.Tools(ctx)
	if err != nil {
		c.Found, c.Advice = err.Error(), "if the service has tools, set tools_path under [profile] in the settings file"
		return c
	}
	c.OK, c.Found = true, fmt.Sprintf("%s, %d tools", box.Address, len(box.Tools))
	return c
}

// wayDocument is one of a service's ways: what it showed, what a person set,
// and which of them counts.
type wayDocument struct {
	Seen string `json:"seen,omitempty"`
	Set  string `json:"set,omitempty"`
}

func (w wayDocument) words(unseen string) string {
	switch {
	case w.Set != "":
		return w.Set + " (set in the settings file)"
	case w.Seen != "":
		return w.Seen
	}
	return unseen
}

// profileDocument is a Profile as --json prints it.
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
		d.At = orNull(p.Seen.At.Format(time.RFC3339))
	}
	return d
}

// printProfile says what is known of the service's ways, in lines.
func (p *program) printProfile(profile state.Profile) {
	d := profileDocumentOf(profile)
	if d == nil {
		return
	}
	const unseen = "not seen yet"
	fmt.Fprintf(p.out, "\nWhat %s showed", shownAddress(d.Base))
	if d.At != nil {
		fmt.Fprintf(p.out, ", last %s", profile.Seen.At.Local().Format(time.DateTime))
	}
	fmt.Fprintln(p.out)
	line := func(name, words string) { fmt.Fprintf(p.out, "  %-22s %s\n", name, api.Clean(words, 500)) }
	line("tool entry", d.ToolsPath.words(unseen))
	line("estimates by", d.Estimate.words(unseen))
	line("job id at", d.JobID.words(unseen))
	line("async true answers", answerWords(d.Answers, unseen))
	line("async false answers", answerWords(d.AnswersSync, unseen))
	line("name of the ratio", ratioWords(d))
	fmt.Fprintln(p.out, "  Set them by hand under [profile] in the settings file: tools_path, estimate, job_id, answers, ratio.")
}

func answerWords(w wayDocument, unseen string) string {
	for _, s := range []*string{&w.Seen, &w.Set} {
		switch *s {
		case state.AnswersJob:
			*s = "with a job"
		case state.AnswersResult:
			*s = "with the result at once"
		}
	}
	return w.words(unseen)
}

func ratioWords(d *profileDocument) string {
	if d.Ratio.Set != "" {
		return d.Ratio.words("")
	}
	var parts []string
	for _, name := range []string{api.FieldRatio, api.FieldAspectRatio} {
		if n := len(d.Ratios[name]); n > 0 {
			who := fmt.Sprintf("%d models", n)
			if n <= 2 {
				who = strings.Join(d.Ratios[name], ", ")
			}
			parts = append(parts, name+" for "+who)
		}
	}
	if len(parts) == 0 {
		return "no model lists one; aspect_ratio is sent"
	}
	return strings.Join(parts, "; ")
}
