package theme

import (
	"slices"
	"testing"

	"darkroom/state/settings"
)

// The names and colours that the settings know are those of the themes.
func TestSettingsKnowEveryTheme(t *testing.T) {
	t.Parallel()
	if !slices.Equal(settings.ThemeNames, Names()) || !slices.Equal(settings.ThemeRoles, roles) {
		t.Errorf("the settings know %v and %v, the themes are %v and %v", settings.ThemeNames, settings.ThemeRoles, Names(), roles)
	}
}
