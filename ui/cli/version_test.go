package cli

import (
	"runtime/debug"
	"testing"
)

// The version of a program that was not linked as a release is what the go
// command wrote into it.
func TestBuiltVersion(t *testing.T) {
	t.Parallel()
	const revision, at = "0123456789abcdef0123456789abcdef01234567", "2026-11-22T05:39:05Z"
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: at}}
	for _, c := range []struct {
		module   string
		settings []debug.BuildSetting
		want     string
	}{
		{"", nil, "dev"},
		{"(devel)", vcs, "dev (0123456, 2026-11-22)"},
		{"v0.0.0-20261122053905-0123456789ab", vcs, "dev (0123456, 2026-11-22)"},
		{"v0.0.0-20261122053905-0123456789ab+dirty", append(vcs[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"}),
			"dev (0123456 modified, 2026-11-22)"},
		{"v1.2.3", nil, "1.2.3"},
		{"v1.2.3", vcs, "1.2.3 (0123456, 2026-11-22)"},
	} {
		if got := builtVersion(&debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}); got != c.want {
			t.Errorf("module %q, settings %v: %q, want %q", c.module, c.settings, got, c.want)
		}
	}
	if got, want := withCommit("1.2.3", shortCommit(revision), at), "1.2.3 (0123456, 2026-11-22)"; got != want {
		t.Errorf("a linked version is %q, want %q", got, want)
	}
}
