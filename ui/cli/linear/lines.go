package linear

import (
	"context"
	"fmt"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/say"
)

func (l *linear) help() string {
	return l.p.Say(`A line is a prompt: its price is shown and asked about, then it is sent.
"@FILE" takes the prompt from a file. A line that begins with a slash is a command:
  /image [FLAGS]   the next prompts make images, with these flags; /image --help
  /video [FLAGS]   the next prompts make videos
  /price           what the next prompt costs
  /jobs  /job ID  /open ID  /fetch ID  /models  /prices  /spend  /doctor
                   these and every other command of darkroom; /login keeps a key
  /quit            leave; jobs go on and are followed again next time
`)
}

// changed is a line for every job that went on to another phase, and one when
// the state of the service changed.
func (l *linear) changed(ctx context.Context, ids []string) []string {
	var lines []string
	for _, id := range ids {
		job, err := l.s.Job(ctx, id)
		if err != nil || l.phases[job.ID] == job.Phase || job.Phase == api.PhaseIntent || job.Phase == api.PhaseSending {
			continue
		}
		l.phases[job.ID] = job.Phase
		lines = append(lines, l.jobLine(job))
	}
	if trouble := troubleOf(l.s.Health()); trouble != l.trouble {
		said := say.Because(trouble)
		if l.trouble = trouble; trouble.IsZero() {
			said = say.Sentencef("the service answers again")
		}
		lines = append(lines, api.OneLine(l.p.Sentence(said)))
	}
	return lines
}

// jobLine is a job in one line: what became of it, and what it is.
func (l *linear) jobLine(job state.Job) string {
	parts := []string{l.p.Say("job %s · %s", job.ID, say.Phase(job.Phase)), l.p.Sentence(say.Word(job.Kind)), job.Title}
	if !job.Error.IsZero() {
		parts = append(parts, l.p.Reason(job))
	}
	for _, f := range job.Files {
		parts = append(parts, f.Path)
	}
	if job.Phase == api.PhaseUnknown || job.Phase == api.PhaseUnread {
		parts = append(parts, l.p.Say("see /help job for what to do"))
	}
	return api.OneLine(strings.Join(parts, " · "))
}

// printState says where requests go, what today cost and what is under way.
func (l *linear) printState(ctx context.Context) {
	p, st := l.p, l.s.Health()
	var parts []string
	switch {
	case st.Demo:
		parts = append(parts, p.Say("demo, nothing is spent"))
	case st.Base != "":
		parts = append(parts, st.Base)
		if st.KeyHint != "" {
			parts = append(parts, st.KeyHint)
		}
	default:
		parts = append(parts, p.Sentence(state.ErrNoBase))
	}
	if today, err := l.s.Today(ctx); err == nil {
		parts = append(parts, p.Say("today %s", say.Credits(today.Credits)))
	}
	if page, err := l.s.Jobs(ctx, state.Query{Limit: 1}); err == nil && page.Active > 0 {
		parts = append(parts, p.Words.Count(page.Active, "%d job under way", "%d jobs under way"))
	}
	if !st.ReadOnly.IsZero() {
		parts = append(parts, p.Sentence(say.Because(st.ReadOnly)))
	}
	l.trouble = troubleOf(st)
	fmt.Fprintln(p.Out, api.OneLine(strings.Join(parts, " · ")))
}

// troubleOf is what is wrong with the store, else with the service; none for
// nothing.
func troubleOf(st state.Health) api.Reason {
	if !st.ReadOnly.IsZero() {
		return st.ReadOnly
	}
	return st.Trouble
}
