package run

import (
	"context"
	"slices"

	"darkroom/api"
	"darkroom/state"
)

// agentMarks are variables that agents set for the commands that they run, and that
// nobody sets in the profile of a shell.
var agentMarks = []string{
	"AI_AGENT",                       // proposed by vercel/vercel: packages/detect-agent/src/index.ts at 00e6bb7
	"CLAUDECODE",                     // Claude Code, not open: as detect-agent at 00e6bb7 reads it
	"CODEX_SANDBOX_NETWORK_DISABLED", // openai/codex: codex-rs/core/src/spawn.rs at 0226fa6
	"CODEX_THREAD_ID",                // openai/codex: codex-rs/protocol/src/shell_environment.rs at 09c8e31
	"CURSOR_AGENT",                   // Cursor, not open: as detect-agent at 00e6bb7 reads it
	"GEMINI_CLI",                     // google-gemini/gemini-cli: packages/core/src/services/shellExecutionService.ts at 002a57e
	"OPENCODE",                       // anomalyco/opencode: packages/opencode/src/index.ts at 037d508
}

// AgentShell reports whether an agent has most likely started this run: --yes is
// no person's then. It is a hint against accidents and no boundary.
func (p *Program) AgentShell(s *state.Session) bool {
	return !s.Settings().AgentsYes && slices.ContainsFunc(agentMarks, func(name string) bool { return p.Env(name) != "" })
}

// Hold lets requests wait for a person that an agent has agreed to, and says how
// they are sent. It gives their ids if the settings let the entry shell send them.
func (p *Program) Hold(
	ctx context.Context, s *state.Session, requests []api.Request, limit LimitFlag, confirm ...string,
) ([]string, error) {
	asked, err := s.Agent("shell").Ask(ctx, state.NewConfirmID(), requests, limit.Amount, confirm...)
	if err != nil {
		return nil, err
	}
	if asked[0].Paused {
		return nil, Held(asked[0].ID)
	}
	return Map(asked, func(a state.Asked) string { return a.ID }), nil
}

// Held ends a run that has not sent a request, for which a person is needed.
func Held(id string) error {
	return WithCode(ExitHeld, Sentencef("held: in an agent's shell --yes is not a person's answer. A person sends it in Jobs, "+
		"or in a shell of their own with: darkroom job %s --send --all", id))
}

// HeldCall ends a run that has not called a tool, for which a person is needed.
func HeldCall() error {
	return WithCode(ExitHeld, Sentencef("not called: in an agent's shell --yes is not a person's answer. A person calls it in Tools, "+
		"or with this command in a shell of their own"))
}
