package env

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
)

// Fresh reports whether a figure of the service is new enough to agree to.
func Fresh(e api.Estimate, now time.Time) bool {
	return e.Source == api.SourceService && now.Sub(e.At) < FreshFor
}

// Figure is an estimate in words: the amount, and where it comes from.
func (k *Env) Figure(e api.Estimate) (amount, source string) {
	switch e.Source {
	case api.SourceService:
		source = "✓ " + k.Say("quoted %s", k.Ago(e.At))
	case api.SourceTable:
		source = "≈ " + k.Say("table")
	default:
		return k.Say("no price"), ""
	}
	return k.Say("%s credits", Amount(e.Credits)), source
}

// Later sends a message after a while.
func Later(ctx context.Context, wait time.Duration, message tea.Msg) tea.Cmd {
	return func() tea.Msg {
		Pause(ctx, wait)
		return message
	}
}
