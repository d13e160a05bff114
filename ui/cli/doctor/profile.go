package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

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
