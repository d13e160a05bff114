package ui

import (
	"darkroom/api"
	"darkroom/ui/theme"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// facts gathers lines of at most w cells.
type facts struct {
	w     int
	t     *theme.Theme
	lines []string
}

func (f *facts) painted(s string) { f.lines = append(f.lines, ansi.Truncate(s, f.w, "…")) }

func (f *facts) gap() {
	if n := len(f.lines); n > 0 && f.lines[n-1] != "" {
		f.lines = append(f.lines, "")
	}
}

func (f *facts) wrapped(ink theme.Ink, s string) {
	if s == "" {
		return
	}
	for _, l := range strings.Split(ansi.Wrap(s, f.w, ""), "\n") {
		f.lines = append(f.lines, ink.Paint(l))
	}
}

// joined writes parts with dots between them; a part stays whole.
func (f *facts) joined(ink theme.Ink, parts []string) {
	line := ""
	for _, part := range parts {
		switch {
		case line == "":
			line = part
		case theme.Width(line)+3+theme.Width(part) <= f.w:
			line += " · " + part
		default:
			f.wrapped(ink, line)
			line = part
		}
	}
	f.wrapped(ink, line)
}

// listed writes painted words after a lead of w cells, in as many lines as they
// need, the next ones as far in as the first.
func (f *facts) listed(lead string, w int, words []string) {
	line, used := lead, w
	for i, word := range words {
		n := theme.Width(word)
		if i > 0 && used+2+n > f.w {
			f.painted(line)
			line, used = theme.Blank(w), w
		} else if i > 0 {
			line, used = line+"  ", used+2
		}
		line, used = line+word, used+n
	}
	f.painted(line)
}

// bar is a progress bar of n cells.
func bar(t *theme.Theme, part float64, n int) string {
	full := max(min(int(part*float64(n)+0.5), n), 0)
	return t.Run.Paint(strings.Repeat("━", full)) + t.Faint.Paint(strings.Repeat("─", n-full))
}

// tilde writes the home folder as people do.
func tilde(path, home string) string {
	if home != "" && strings.HasPrefix(path, home+"/") {
		return "~" + path[len(home):]
	}
	return path
}

// requestFacts are the parts of a request but its texts and addresses.
func requestFacts(k *kit, r api.Request) []string {
	parts := []string{api.Clean(r.Model, api.MaxIDText).String()}
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(r.VideoModel)
	add(r.Size)
	add(r.Quality)
	add(r.Resolution)
	add(r.AspectRatio)
	if r.Duration != "" {
		add(k.say("%s s", r.Duration))
	}
	if r.Seed != nil {
		add(k.say("seed %d", *r.Seed))
	}
	if n := len(r.ImageFiles) + len(r.VideoFiles) + len(r.AudioFiles); n > 0 {
		add(k.words.Count(n, "%d material", "%d materials"))
	}
	return parts
}
