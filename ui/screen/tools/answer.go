package tools

import (
	"cmp"
	"strings"
	"time"

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

// answer is what a call of a tool came to.
type answer struct {
	state.ToolAnswer
	err      error
	at       time.Time
	spends   bool
	stopped  bool
	pictures []result.Preview // of the image files, in order
	paths    []string         // of the pictures
	text     string           // as it is copied
	painted  int64            // grows when a picture comes

	scroll widget.Scroll
	fitted answerKey // what the lines in it were made from
}

// answerKey is what the lines of an answer depend on.
type answerKey struct {
	env.Look
	w, h, picture int
	painted       int64
}

func newAnswer(m answeredMsg, c *call) *answer {
	a := &answer{ToolAnswer: m.answer, err: m.err, at: m.at, spends: c.spends, stopped: c.stopped}
	for _, f := range m.answer.Files {
		if strings.HasPrefix(f.MediaType, "image/") {
			a.pictures = append(a.pictures, result.Preview{})
			a.paths = append(a.paths, f.Path)
		}
	}
	if m.err == nil {
		a.text = copied(m.answer)
	}
	return a
}

// fit gives the window of the answer its size, and lays its lines out when they
// would be others. Pictures take so many lines at most.
func (a *answer) fit(k *env.Env, w, h, picture int) {
	key := answerKey{k.Look(), w, h, picture, a.painted}
	if key == a.fitted {
		return
	}
	a.fitted = key
	a.scroll.SetSize(w, h)
	a.scroll.SetLines(a.lines(k, w, picture))
}

// update takes the pictures that come.
func (a *answer) update(message tea.Msg) {
	for i := range a.pictures {
		if a.pictures[i].Update(message) {
			a.painted++
		}
	}
}

// file is the first file of the answer, or "".
func (a *answer) file() string {
	for _, f := range a.Files {
		if f.Path != "" {
			return f.Path
		}
	}
	return ""
}

// copied is an answer as it is copied: its addresses whole, its documents
// indented.
func copied(answer state.ToolAnswer) string {
	var all []string
	document := false
	for i, p := range answer.Parts {
		switch {
		case i < len(answer.Files) && answer.Files[i].Path != "":
			all = append(all, answer.Files[i].Path)
		case p.URL != "":
			all = append(all, p.URL)
		case p.Kind == mcp.PartText && api.IsDocument(p.Text.String()):
			document = true
			all = append(all, string(api.Indent([]byte(p.Text.String()))))
		case !p.Text.IsZero():
			all = append(all, p.Text.String())
		}
	}
	if !document && len(answer.Structured) > 0 {
		all = append(all, string(api.Indent(answer.Structured)))
	}
	return strings.Join(all, "\n")
}

// status is how the call ended, in one line.
func (a *answer) status(k *env.Env) string {
	t := k.Theme
	took := "  " + k.Seconds(a.Took) + " · " + k.Stamp(a.at)
	switch {
	case a.err != nil && a.spends && state.ToolDoubt(a.err):
		return t.Doubt.Paint("? " + k.Say("unknown"))
	case a.err != nil && a.stopped:
		return t.Muted.Paint("– " + k.Say("stopped"))
	case a.err != nil:
		return t.Bad.Paint("✕ " + k.Say("no answer"))
	case a.Failed:
		return t.Bad.Paint("✕ "+k.Say("the tool says that it failed")) + t.Muted.Paint(took)
	}
	return t.Good.Paint("● "+k.Say("done")) + t.Muted.Paint(took)
}

// lines are the answer, w cells wide; pictures take h lines at most.
func (a *answer) lines(k *env.Env, w, h int) []string {
	t := k.Theme
	f := &widget.Facts{Width: w, Theme: t}
	f.Painted(a.status(k))
	if a.err != nil {
		f.Wrapped(t.Text, env.Sentence(k, a.err))
		return f.Lines
	}
	if a.Job != "" {
		f.Wrapped(t.Muted, k.Say("The job that it began is followed in Jobs."))
	}
	f.Lines = append(f.Lines, "")
	document, picture := false, 0
	for i, p := range a.Parts {
		if i < len(a.Files) && a.Files[i].Path != "" {
			path := a.Files[i].Path
			if picture < len(a.paths) && a.paths[picture] == path {
				a.writePicture(f, picture, h)
				picture++
			}
			f.Painted(t.Muted.Paint(theme.CutLeft(widget.Tilde(path, k.Home), w)))
			continue
		}
		document = writePart(f, k, p) || document
	}
	if !document && len(a.Structured) > 0 {
		f.Gap()
		writeDocument(f, a.Structured)
	}
	if len(a.Parts) == 0 && len(a.Structured) == 0 {
		f.Painted(t.Muted.Paint(k.Say("The tool answered nothing.")))
	}
	return f.Lines
}

// writePart writes a part that is no file and reports whether it is a JSON
// document, which a service repeats as structured content.
func writePart(f *widget.Facts, k *env.Env, p mcp.Part) (document bool) {
	switch {
	case p.Kind == mcp.PartText && api.IsDocument(p.Text.String()):
		writeDocument(f, []byte(p.Text.String()))
		return true
	case p.URL != "":
		f.Wrapped(k.Theme.Text, p.Text.String())
		writeAddress(f, p.URL)
	case !p.Why.IsZero():
		f.Wrapped(k.Theme.Text, k.Words.Reason(p.Why))
	case !p.Text.IsZero():
		f.Wrapped(k.Theme.Text, p.Text.String())
	default:
		f.Painted(k.Theme.Muted.Paint(k.Say("%s, %d bytes", string(p.Kind), len(p.Data))))
	}
	return false
}

func (a *answer) writePicture(f *widget.Facts, n, h int) {
	p := &a.pictures[n]
	f.Gap()
	switch {
	case p.Why != "":
		f.Wrapped(f.Theme.Muted, p.Why)
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

// paint asks for the pictures of the answer in view.
func (s *Screen) paint() tea.Cmd {
	a := s.answer()
	if a == nil || !s.shown {
		return nil
	}
	s.arrange() // the selection may have changed since
	var cmds []tea.Cmd
	for i := range a.pictures {
		cmds = append(cmds, a.pictures[i].Want(s.k, result.Thumb{Path: a.paths[i], Cols: s.place.w, Rows: s.pictureHeight()}))
		a.painted++ // one that is asked for anew is out of view
	}
	return tea.Batch(cmds...)
}

func (s *Screen) whyNoAnswer() string {
	a := s.answer()
	return cmp.Or(s.whyTyping(), s.k.SayIf(a == nil || a.text == "", "There is no answer yet."))
}

func (s *Screen) copyAnswer() tea.Cmd {
	return tea.Batch(tea.SetClipboard(s.answer().text), msg.Notify(msg.ToneGood, s.k.Say("Copied.")))
}

func (s *Screen) whyNoFile() string {
	a := s.answer()
	return cmp.Or(s.whyTyping(), s.k.SayIf(a == nil || a.file() == "", "The answer holds no file."))
}

// openFile opens the answer's first file with the system's program.
func (s *Screen) openFile() tea.Cmd {
	ctx, backend, path := s.k.Context, s.backend, s.answer().file()
	return func() tea.Msg { return msg.FailedMsg{Err: backend.OpenPath(ctx, path)} }
}
