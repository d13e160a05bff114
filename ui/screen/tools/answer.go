package tools

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
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

// fittedKey holds everything that the lines of an answer depend on.
type fittedKey struct {
	env.Look
	w, h    int
	painted uint64
}

// fit gives the window of the answer its size, and lays its lines out.
func (s *Screen) fit(a *call) {
	key := fittedKey{s.k.Look(), s.page.w, s.page.answerHigh, s.thumbs.Edits()}
	a.scroll.SetSize(key.w, key.h)
	a.scroll.SetLines(a.fitted.Get(key, func() []string { return s.answerLines(a) }))
}

// file is the first file of the answer, or "".
func (c *call) file() string {
	for _, f := range c.Files {
		if f.Path != "" {
			return f.Path
		}
	}
	return ""
}

// copied is an answer with whole addresses and indented documents.
func (c *call) copied() string {
	all := []string{}
	for i, p := range c.Parts {
		all = append(all, cmp.Or(c.Files[i].Path, string(api.Indent(p.Document())), p.URL, p.Text.String()))
	}
	all = append(all, string(api.Indent(c.Unrepeated())))
	return strings.Join(slices.DeleteFunc(all, func(text string) bool { return text == "" }), "\n")
}

func (c *call) status(k *env.Env) string {
	t := k.Theme
	took := t.Muted.Paint("  " + k.Seconds(c.Took) + " · " + k.Stamp(c.at))
	switch {
	case c.err != nil && !c.tool.ReadOnly && state.ToolDoubt(c.err):
		return t.Doubt.Paint("? " + k.Say("unknown"))
	case c.err != nil && c.stopped:
		return t.Muted.Paint("– " + k.Say("stopped"))
	case c.err != nil:
		return t.Bad.Paint("✕ " + k.Say("no response"))
	case c.Failed:
		return t.Bad.Paint("✕ "+k.Say("the tool says that it failed")) + took
	}
	return t.Good.Paint("● "+k.Say("done")) + took
}

// answerLines are an answer, as wide as the page.
func (s *Screen) answerLines(a *call) []string {
	k, t := s.k, s.k.Theme
	f := &widget.Facts{Width: s.page.w, Theme: t}
	f.Painted(a.status(k))
	if a.err != nil {
		f.Wrapped(t.Text, env.Sentence(k, a.err))
		return f.Lines
	}
	if a.Job != "" {
		f.Wrapped(t.Muted, k.Say("The job that it began is followed in Jobs."))
	}
	f.Add("")
	for i := range a.Parts {
		s.writePart(f, a, i)
	}
	if raw := a.Unrepeated(); len(raw) > 0 {
		f.Gap()
		writeDocument(f, raw)
	} else if len(a.Parts) == 0 {
		f.Painted(t.Muted.Paint(k.Say("The tool returned nothing.")))
	}
	return f.Lines
}

func (s *Screen) writePart(f *widget.Facts, a *call, i int) {
	k, t, p, file := s.k, s.k.Theme, a.Parts[i], a.Files[i]
	raw := p.Document()
	switch {
	case file.Path != "":
		if th := s.thumb(file); isPicture(file) {
			f.Gap()
			lines, _ := s.thumbs.Lines(th)
			switch why := s.thumbs.Why(th); {
			case why != "":
				f.Wrapped(t.Muted, why)
			case len(lines) > 0:
				f.Add(lines...)
			default:
				f.Add(make([]string, th.Rows)...) // it keeps its place
			}
		}
		f.Painted(t.Muted.Paint(theme.CutLeft(widget.Tilde(file.Path, k.Home), f.Width)))
	case raw != nil:
		writeDocument(f, raw)
	case p.URL != "":
		f.Wrapped(t.Text, p.Text.String())
		writeHard(f, api.Clean(p.URL, api.MaxAddressText).String(), t.Faint.Paint("↗ "), "  ", t.Fetch.Paint)
	case p.Kind == mcp.PartOther:
		f.Wrapped(t.Text, k.Say("a part of a kind that darkroom does not know"))
	case !p.Text.IsZero():
		f.Wrapped(t.Text, p.Text.String())
	default:
		f.Painted(t.Muted.Paint(k.Say("%s, %d bytes", string(p.Kind), len(p.Data))))
	}
}

func isPicture(f state.File) bool { return strings.HasPrefix(f.MediaType, "image/") }

// thumb is the picture of a file. Some lines around it have to be in view as well.
func (s *Screen) thumb(f state.File) result.Thumb {
	return result.Thumb{Path: f.Path, Cols: s.page.w, Rows: max(s.page.answerHigh-6, 4), Bare: true}
}

func writeDocument(f *widget.Facts, raw []byte) {
	t := f.Theme
	for line := range strings.SplitSeq(api.CleanLines(string(api.Indent(raw)), 64<<10).String(), "\n") {
		text := strings.TrimLeft(line, " ")
		indent := theme.Blank(len(line) - len(text))
		writeHard(f, text, indent, indent+"  ", func(s string) string {
			if name, value, ok := strings.Cut(s, `": `); ok && strings.HasPrefix(s, `"`) {
				return t.Muted.Paint(name+`": `) + t.Text.Paint(value)
			}
			return t.Text.Paint(s)
		})
	}
}

// writeHard writes a text over as many lines as it takes, the first one behind
// lead and the others behind rest.
func writeHard(f *widget.Facts, text, lead, rest string, paint func(string) string) {
	for line := range strings.SplitSeq(ansi.Hardwrap(text, max(f.Width-theme.Width(rest), 10), true), "\n") {
		f.Lines = append(f.Lines, lead+paint(line))
		lead = rest
	}
}

// paint asks for the pictures of the answer in view.
func (s *Screen) paint() tea.Cmd {
	var visible []result.Thumb
	if a := s.answer(); a != nil && s.shown && s.page.answerHigh > 0 {
		for _, f := range a.Files {
			if isPicture(f) {
				visible = append(visible, s.thumb(f))
			}
		}
	}
	return s.thumbs.Want(visible)
}

func (s *Screen) whyNoAnswer() string {
	a := s.answer()
	return cmp.Or(s.whyTyping(), s.k.SayIf(a == nil || a.text == "", "There is no response yet."))
}

func (s *Screen) whyNoFile() string {
	a := s.answer()
	return cmp.Or(s.whyTyping(), s.k.SayIf(a == nil || a.file() == "", "The response holds no file."))
}

// openFile opens the answer's first file with the system's program.
func (s *Screen) openFile() tea.Cmd {
	ctx, backend, path := s.k.Context, s.backend, s.answer().file()
	return func() tea.Msg { return msg.FailedMsg{Err: backend.OpenPath(ctx, path)} }
}
