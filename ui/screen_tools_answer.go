package ui

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/theme"
)

// toolResult is what a call of a tool came to.
type toolResult struct {
	answer   state.ToolAnswer
	err      error
	at       time.Time
	spends   bool
	stopped  bool
	pictures []preview // of the image files, in order
	paths    []string  // of the pictures
	top      int

	lines []string
	width int
}

func (r *toolResult) forget() { r.lines = nil }

func (r *toolResult) arrived(m arrivedMsg) bool {
	for i := range r.pictures {
		if r.pictures[i].arrived(m) {
			r.forget()
			return true
		}
	}
	return false
}

// file is the first file of the answer, or "".
func (r *toolResult) file() string {
	for _, f := range r.answer.Files {
		if f.Path != "" {
			return f.Path
		}
	}
	return ""
}

// text is the answer as it is copied: its addresses whole.
func (r *toolResult) text(k *kit) string {
	if r.err != nil {
		return ""
	}
	var all []string
	told := false
	for i, p := range r.answer.Parts {
		switch {
		case i < len(r.answer.Files) && r.answer.Files[i].Path != "":
			all = append(all, r.answer.Files[i].Path)
		case p.URL != "":
			all = append(all, p.URL)
		case p.Kind == mcp.PartText && api.IsDocument(p.Text.String()):
			told = true
			all = append(all, string(api.Indent([]byte(p.Text.String()))))
		case !p.Text.IsZero():
			all = append(all, p.Text.String())
		}
	}
	if !told && len(r.answer.Structured) > 0 {
		all = append(all, string(api.Indent(r.answer.Structured)))
	}
	return strings.Join(all, "\n")
}

// status is how the call ended, in one line.
func (r *toolResult) status(k *kit) string {
	t := k.theme
	took := "  " + k.seconds(r.answer.Took) + " · " + k.stamp(r.at)
	switch {
	case r.err != nil && r.spends && state.ToolDoubt(r.err):
		return t.Doubt.Paint("? " + k.say("unknown"))
	case r.err != nil && r.stopped:
		return t.Muted.Paint("– " + k.say("stopped"))
	case r.err != nil:
		return t.Bad.Paint("✕ " + k.say("no answer"))
	case r.answer.Failed:
		return t.Bad.Paint("✕ "+k.say("the tool says that it failed")) + t.Muted.Paint(took)
	}
	return t.Good.Paint("● "+k.say("done")) + t.Muted.Paint(took)
}

// body is the answer's lines, w cells wide; pictures take h lines at most.
func (r *toolResult) body(k *kit, w, h int) []string {
	if r.lines != nil && r.width == w {
		return r.lines
	}
	r.width = w
	f := facts{w: w, t: k.theme}
	f.painted(r.status(k))
	if r.err != nil {
		f.wrapped(k.theme.Text, sentence(k, r.err))
		r.lines = f.lines
		return r.lines
	}
	if r.answer.Job != "" {
		f.wrapped(k.theme.Muted, k.say("The job that it began is followed in Jobs."))
	}
	f.lines = append(f.lines, "")
	told, picture := false, 0
	for i, p := range r.answer.Parts {
		var file state.File
		if i < len(r.answer.Files) {
			file = r.answer.Files[i]
		}
		switch {
		case file.Path != "" && picture < len(r.paths) && r.paths[picture] == file.Path:
			r.drawPicture(&f, k, picture, h)
			picture++
			fallthrough
		case file.Path != "":
			f.painted(k.theme.Muted.Paint(theme.CutLeft(tilde(file.Path, k.home), w)))
		case p.Kind == mcp.PartText && api.IsDocument(p.Text.String()):
			told = true
			writeDocument(&f, []byte(p.Text.String()))
		case p.URL != "":
			f.wrapped(k.theme.Text, p.Text.String())
			writeAddress(&f, p.URL)
		case !p.Text.IsZero():
			f.wrapped(k.theme.Text, p.Text.String())
		default:
			f.painted(k.theme.Muted.Paint(k.say("%s, %d bytes", string(p.Kind), len(p.Data))))
		}
	}
	if !told && len(r.answer.Structured) > 0 {
		f.gap()
		writeDocument(&f, r.answer.Structured)
	}
	if len(r.answer.Parts) == 0 && len(r.answer.Structured) == 0 {
		f.painted(k.theme.Muted.Paint(k.say("The tool answered nothing.")))
	}
	r.lines = f.lines
	return r.lines
}

func (r *toolResult) drawPicture(f *facts, k *kit, n, h int) {
	p := &r.pictures[n]
	f.gap()
	switch {
	case p.why != "":
		f.wrapped(k.theme.Muted, p.why)
	case len(p.lines) > 0:
		f.lines = append(f.lines, p.lines...)
	default:
		f.lines = append(f.lines, make([]string, h)...) // it keeps its place
	}
}

// writeDocument writes JSON on lines, its names dimmed.
func writeDocument(f *facts, raw []byte) {
	text := api.CleanLines(string(api.Indent(raw)), 64<<10).String()
	for line := range strings.SplitSeq(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		for i, l := range strings.Split(ansi.Hardwrap(line[indent:], max(f.w-indent-2, 10), true), "\n") {
			lead := theme.Blank(indent)
			if i > 0 {
				lead += "  "
			}
			if name, value, ok := strings.Cut(l, `": `); ok && i == 0 && strings.HasPrefix(l, `"`) {
				f.lines = append(f.lines, lead+f.t.Muted.Paint(name+`": `)+f.t.Text.Paint(value))
				continue
			}
			f.lines = append(f.lines, lead+f.t.Text.Paint(l))
		}
	}
}

// writeAddress writes the whole of an address, over as many lines as it takes.
func writeAddress(f *facts, url string) {
	url = api.Clean(url, api.MaxAddressText).String()
	for i, l := range strings.Split(ansi.Hardwrap(url, max(f.w-2, 10), false), "\n") {
		lead := "↗ "
		if i > 0 {
			lead = "  "
		}
		f.lines = append(f.lines, f.t.Faint.Paint(lead)+f.t.Fetch.Paint(l))
	}
}
