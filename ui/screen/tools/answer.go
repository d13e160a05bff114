package tools

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// toolResult is what a call of a tool came to.
type toolResult struct {
	answer   state.ToolAnswer
	err      error
	at       time.Time
	spends   bool
	stopped  bool
	pictures []result.Preview // of the image files, in order
	paths    []string         // of the pictures
	top      int

	lines []string
	width int
}

func (r *toolResult) forget() { r.lines = nil }

func (r *toolResult) arrived(m msg.ArrivedMsg) bool {
	for i := range r.pictures {
		if r.pictures[i].Arrived(m) {
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
func (r *toolResult) text(k *env.Env) string {
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
func (r *toolResult) status(k *env.Env) string {
	t := k.Theme
	took := "  " + k.Seconds(r.answer.Took) + " · " + k.Stamp(r.at)
	switch {
	case r.err != nil && r.spends && state.ToolDoubt(r.err):
		return t.Doubt.Paint("? " + k.Say("unknown"))
	case r.err != nil && r.stopped:
		return t.Muted.Paint("– " + k.Say("stopped"))
	case r.err != nil:
		return t.Bad.Paint("✕ " + k.Say("no answer"))
	case r.answer.Failed:
		return t.Bad.Paint("✕ "+k.Say("the tool says that it failed")) + t.Muted.Paint(took)
	}
	return t.Good.Paint("● "+k.Say("done")) + t.Muted.Paint(took)
}

// body is the answer's lines, w cells wide; pictures take h lines at most.
func (r *toolResult) body(k *env.Env, w, h int) []string {
	if r.lines != nil && r.width == w {
		return r.lines
	}
	r.width = w
	f := widget.Facts{Width: w, Theme: k.Theme}
	f.Painted(r.status(k))
	if r.err != nil {
		f.Wrapped(k.Theme.Text, env.Sentence(k, r.err))
		r.lines = f.Lines
		return r.lines
	}
	if r.answer.Job != "" {
		f.Wrapped(k.Theme.Muted, k.Say("The job that it began is followed in Jobs."))
	}
	f.Lines = append(f.Lines, "")
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
			f.Painted(k.Theme.Muted.Paint(theme.CutLeft(widget.Tilde(file.Path, k.Home), w)))
		case p.Kind == mcp.PartText && api.IsDocument(p.Text.String()):
			told = true
			writeDocument(&f, []byte(p.Text.String()))
		case p.URL != "":
			f.Wrapped(k.Theme.Text, p.Text.String())
			writeAddress(&f, p.URL)
		case !p.Text.IsZero():
			f.Wrapped(k.Theme.Text, p.Text.String())
		default:
			f.Painted(k.Theme.Muted.Paint(k.Say("%s, %d bytes", string(p.Kind), len(p.Data))))
		}
	}
	if !told && len(r.answer.Structured) > 0 {
		f.Gap()
		writeDocument(&f, r.answer.Structured)
	}
	if len(r.answer.Parts) == 0 && len(r.answer.Structured) == 0 {
		f.Painted(k.Theme.Muted.Paint(k.Say("The tool answered nothing.")))
	}
	r.lines = f.Lines
	return r.lines
}

func (r *toolResult) drawPicture(f *widget.Facts, k *env.Env, n, h int) {
	p := &r.pictures[n]
	f.Gap()
	switch {
	case p.Why != "":
		f.Wrapped(k.Theme.Muted, p.Why)
	case len(p.Lines) > 0:
		f.Lines = append(f.Lines, p.Lines...)
	default:
		f.Lines = append(f.Lines, make([]string, h)...) // it keeps its place
	}
}

// writeDocument writes JSON on lines, its names dimmed.
func writeDocument(f *widget.Facts, raw []byte) {
	text := api.CleanLines(string(api.Indent(raw)), 64<<10).String()
	for line := range strings.SplitSeq(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		for i, l := range strings.Split(ansi.Hardwrap(line[indent:], max(f.Width-indent-2, 10), true), "\n") {
			lead := theme.Blank(indent)
			if i > 0 {
				lead += "  "
			}
			if name, value, ok := strings.Cut(l, `": `); ok && i == 0 && strings.HasPrefix(l, `"`) {
				f.Lines = append(f.Lines, lead+f.Theme.Muted.Paint(name+`": `)+f.Theme.Text.Paint(value))
				continue
			}
			f.Lines = append(f.Lines, lead+f.Theme.Text.Paint(l))
		}
	}
}

// writeAddress writes the whole of an address, over as many lines as it takes.
func writeAddress(f *widget.Facts, url string) {
	url = api.Clean(url, api.MaxAddressText).String()
	for i, l := range strings.Split(ansi.Hardwrap(url, max(f.Width-2, 10), false), "\n") {
		lead := "↗ "
		if i > 0 {
			lead = "  "
		}
		f.Lines = append(f.Lines, f.Theme.Faint.Paint(lead)+f.Theme.Fetch.Paint(l))
	}
}
