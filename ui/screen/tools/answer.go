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

// answer is the result of a call of a tool.
type answer struct {
	state.ToolAnswer
	err             error
	at              time.Time
	spends, stopped bool
	text            string           // as it is copied
	pictures        []result.Preview // of the files, by their parts

	scroll widget.Scroll
	fitted answerKey // the key that its lines were made for
}

// answerKey holds everything that the lines of an answer depend on.
type answerKey struct {
	env.Look
	w, h, picture, painted int
}

func newAnswer(m answeredMsg, c *call) *answer {
	a := &answer{ToolAnswer: m.answer, err: m.err, at: m.at, spends: !c.tool.ReadOnly, stopped: c.stopped}
	a.pictures = make([]result.Preview, len(a.Files))
	a.text = a.copied()
	return a
}

// fit gives the window of the answer its size, and lays its lines out when they
// would be others. Pictures take so many lines at most.
func (a *answer) fit(k *env.Env, w, h, picture int) {
	key := answerKey{k.Look(), w, h, picture, 0}
	for i := range a.pictures {
		key.painted += a.pictures[i].Edits()
	}
	if key == a.fitted {
		return
	}
	a.fitted = key
	a.scroll.SetSize(w, h)
	a.scroll.SetLines(a.lines(k, w, picture))
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
func (a *answer) copied() string {
	var all []string
	for i, p := range a.Parts {
		if text := cmp.Or(a.Files[i].Path, string(api.Indent(p.Document())), p.URL, p.Text.String()); text != "" {
			all = append(all, text)
		}
	}
	if raw := a.Unrepeated(); len(raw) > 0 {
		all = append(all, string(api.Indent(raw)))
	}
	return strings.Join(all, "\n")
}

// status says how the call ended, in one line.
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
	for i, p := range a.Parts {
		path := a.Files[i].Path
		if path == "" {
			writePart(f, k, p)
			continue
		}
		if isPicture(a.Files[i]) {
			writePicture(f, &a.pictures[i], h)
		}
		f.Painted(t.Muted.Paint(theme.CutLeft(widget.Tilde(path, k.Home), w)))
	}
	if raw := a.Unrepeated(); len(raw) > 0 {
		f.Gap()
		writeDocument(f, raw)
	} else if len(a.Parts) == 0 {
		f.Painted(t.Muted.Paint(k.Say("The tool answered nothing.")))
	}
	return f.Lines
}

// writePart writes a part that is not a file.
func writePart(f *widget.Facts, k *env.Env, p mcp.Part) {
	t := k.Theme
	switch raw := p.Document(); {
	case raw != nil:
		writeDocument(f, raw)
	case p.URL != "":
		f.Wrapped(t.Text, p.Text.String())
		url := api.Clean(p.URL, api.MaxAddressText).String()
		writeHard(f, url, t.Faint.Paint("↗ "), "  ", func(s string) string { return t.Fetch.Paint(s) })
	case !p.Why.IsZero():
		f.Wrapped(t.Text, k.Words.Reason(p.Why))
	case !p.Text.IsZero():
		f.Wrapped(t.Text, p.Text.String())
	default:
		f.Painted(t.Muted.Paint(k.Say("%s, %d bytes", string(p.Kind), len(p.Data))))
	}
}

func isPicture(f state.File) bool { return strings.HasPrefix(f.MediaType, "image/") }

func writePicture(f *widget.Facts, p *result.Preview, h int) {
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
	for _, line := range strings.Split(ansi.Hardwrap(text, max(f.Width-theme.Width(rest), 10), true), "\n") {
		f.Lines = append(f.Lines, lead+paint(line))
		lead = rest
	}
}

// paint asks for the pictures of the answer in view, once for each size.
func (s *Screen) paint() tea.Cmd {
	a := s.answer()
	if a == nil || !s.shown || s.place.answerHigh == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for i, f := range a.Files {
		if isPicture(f) {
			cmds = append(cmds, a.pictures[i].Want(s.k, result.Thumb{Path: f.Path, Cols: s.place.w, Rows: s.pictureHeight()}))
		}
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
