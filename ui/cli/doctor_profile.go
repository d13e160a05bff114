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
		c.Found = sentencef("not asked")
		return c
	}
	box, err := s.Tools(ctx)
	if err != nil {
		c.Found, c.Advice = err, sentencef("if the service has tools, set tools_path under [profile] in the settings file")
		return c
	}
	c.OK, c.Found = true, sentencef("%s, %d tools", verbatim(box.Address), len(box.Tools))
	return c
}

// wayDocument is one of a service's ways: what it showed, what a person set,
// and which of them counts.
type wayDocument struct {
	Seen string `json:"seen,omitempty"`
	Set  string `json:"set,omitempty"`
}

func (w wayDocument) words() error {
	switch {
	case w.Set != "":
		return sentencef("%s (set in the settings file)", verbatim(w.Set))
	case w.Seen != "":
		return verbatim(w.Seen)
	}
	return sentencef("not seen yet")
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
	title := sentencef("What %s showed", verbatim(shownAddress(d.Base)))
	if d.At != nil {
		title = sentencef("What %s showed, last %s", verbatim(shownAddress(d.Base)), profile.Seen.At.Local().Format(time.DateTime))
	}
	fmt.Fprintf(p.out, "\n%s\n", p.sentence(title))
	line := func(name string, words error) {
		fmt.Fprintf(p.out, "  %s %s\n", pad(name, 22), api.Clean(p.sentence(words), 500))
	}
	line(p.say("tool entry"), d.ToolsPath.words())
	line(p.say("estimates by"), d.Estimate.words())
	line(p.say("job id at"), d.JobID.words())
	line(p.say("async true answers"), answerWords(d.Answers))
	line(p.say("async false answers"), answerWords(d.AnswersSync))
	line(p.say("name of the ratio"), ratioWords(d))
	fmt.Fprintln(p.out, "  "+p.say("Set them by hand under [profile] in the settings file: tools_path, estimate, job_id, answers, ratio."))
}

func answerWords(w wayDocument) error {
	answer := w.Seen
	if w.Set != "" {
		answer = w.Set
	}
	var said error
	switch answer {
	case state.AnswersJob:
		said = sentencef("with a job")
	case state.AnswersResult:
		said = sentencef("with the result at once")
	default:
		return w.words()
	}
	if w.Set != "" {
		return sentencef("%s (set in the settings file)", said)
	}
	return said
}

func ratioWords(d *profileDocument) error {
	if d.Ratio.Set != "" {
		return d.Ratio.words()
	}
	var said error
	for _, name := range []string{api.FieldRatio, api.FieldAspectRatio} {
		if n := len(d.Ratios[name]); n > 0 {
			part := sentencef("%s for %d models", verbatim(name), n)
			if n <= 2 {
				part = sentencef("%s for %s", verbatim(name), verbatim(strings.Join(d.Ratios[name], ", ")))
			}
			if said != nil {
				part = sentencef("%s; %s", said, part)
			}
			said = part
		}
	}
	if said == nil {
		return sentencef("no model lists one; aspect_ratio is sent")
	}
	return said
}
