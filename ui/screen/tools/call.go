package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
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

// call is a call of a tool, and how it ended.
type call struct {
	tool       mcp.Tool
	request    state.ToolCall
	began, now time.Time // of the first and the last tick
	progress   atomic.Pointer[mcp.Progress]
	stopped    bool
	cancel     context.CancelFunc

	state.ToolAnswer
	err    error
	at     time.Time
	text   string // the answer as it is copied
	scroll widget.Scroll
	fitted widget.Memo[fittedKey, []string]
}

// review checks the arguments in a command: a schema can be slow.
func (s *Screen) review() tea.Cmd {
	e := s.editor()
	if e.Leave(); !e.Try() {
		return s.refused()
	}
	s.checks++
	var args bytes.Buffer // the text, which has no problems, on one line
	_ = json.Compact(&args, []byte(cmp.Or(strings.TrimSpace(e.text.Value()), "{}")))
	check, tool, text := s.checks, s.list.selected(), e.text.Value()
	return func() tea.Msg {
		found, err := mcp.Check(tool.Schema, args.Bytes())
		return thenMsg(func(screen *Screen) tea.Cmd {
			if check != screen.checks || tool.Name != screen.list.selected().Name || text != screen.editor().text.Value() {
				return nil
			}
			return screen.checked(tool, args.Bytes(), found, err)
		})
	}
}

// refused goes to the arguments, and says what is wrong with them.
func (s *Screen) refused() tea.Cmd {
	s.on = onForm
	return msg.Notify(msg.ToneWarn, s.editor().Problems()[0].Text)
}

// checked calls the tool that was checked, unless problems were found; one that may cost
// credits is asked about first. An err is why the schema could not be used.
func (s *Screen) checked(t mcp.Tool, args json.RawMessage, found []api.Problem, err error) tea.Cmd {
	k, e := s.k, s.editor()
	request := state.ToolCall{Call: mcp.Call{Name: t.Name, Args: args, Agreed: !t.ReadOnly}}
	why := k.Say("This tool may cost credits. The tool protocol states no price.")
	var unchecked tea.Cmd
	if err != nil {
		said := env.Sentence(k, err)
		why += " " + said
		unchecked = msg.Notify(msg.ToneWarn, said)
	}
	switch {
	case len(found) > 0:
		e.checked, e.found = e.text.Value(), found
		e.Try()
		return s.refused()
	case t.ReadOnly:
		return tea.Batch(unchecked, s.begin(t, request))
	case k.Settings.Budgets() != (api.Budgets{}):
		return msg.Notify(msg.ToneWarn, k.Say("The cost of this tool is not known, so it is not called under a budget. "+
			"Remove the budget to call it."))
	}
	return s.ask(t, request, why)
}

// ask shows what would be called with, and calls it when the person agrees.
func (s *Screen) ask(t mcp.Tool, request state.ToolCall, why string) tea.Cmd {
	const most = 8
	lines := strings.SplitN(api.CleanLines(string(api.Indent(request.Args)), 600).String(), "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	text := why + "\n\n" + strings.Join(lines, "\n")
	return msg.Open(s.k, widget.NewConfirm(s.k, t.Label(), text, "enter", "call it", func() tea.Cmd { return s.settle(s.begin(t, request)) }))
}

func (s *Screen) begin(t mcp.Tool, request state.ToolCall) tea.Cmd {
	if s.call != nil {
		return nil
	}
	if s.narrow() {
		s.on = onAnswer
	}
	ctx, cancel := context.WithCancel(s.k.Context)
	backend, clock, c := s.backend, s.k.Clock, &call{tool: t, request: request, cancel: cancel}
	s.call = c
	c.request.Progress = func(p mcp.Progress) { c.progress.Store(&p) }
	return func() tea.Msg {
		defer cancel()
		c.ToolAnswer, c.err = backend.CallTool(ctx, c.request)
		c.at = clock()
		return thenMsg(func(screen *Screen) tea.Cmd { return screen.answered(c) })
	}
}

// answered keeps the result of the call in the place of the tool's last answer.
func (s *Screen) answered(c *call) tea.Cmd {
	s.call = nil
	if no, ok := errors.AsType[*state.Refusal](c.err); ok && (no.Code == state.CodeAskTool || api.ErrorClass(no.Code).UsedUp()) {
		s.on = min(s.on, onForm)
		c.request.UnderBudget = true
		return s.ask(c.tool, c.request, env.Sentence(s.k, c.err))
	}
	c.text = c.copied()
	s.editors[c.tool.Name].answer = c
	err := c.Unsaved
	if errors.Is(c.err, state.ErrKeyRefused) { // other errors are shown with the answer alone
		err = c.err
	}
	return func() tea.Msg { return msg.FailedMsg{Err: err} }
}

// fittedKey holds everything that the lines of an answer depend on.
type fittedKey struct {
	env.Look
	w, h    int
	painted uint64
}

// file is the first file of the answer, or "".
func (c *call) file() string {
	return cmp.Or(api.Map(c.Files, func(f state.File) string { return f.Path })...)
}

// copied is an answer with whole addresses and indented documents.
func (c *call) copied() string {
	all := []string{}
	for i, p := range c.Parts {
		all = append(all, cmp.Or(c.Files[i].Path, string(api.Indent(p.Document())), p.URL, p.Text.String()))
	}
	all = append(all, string(api.Indent(c.Unrepeated())))
	return strings.Join(env.Said(all...), "\n")
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
	f.Wrapped(t.Muted, k.SayIf(a.Job != "", "The job that it began is followed in Jobs."))
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
			f.Add("")
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

// writeDocument writes JSON as names, in 20 cells, and values, which are copied as they came.
func writeDocument(f *widget.Facts, raw []byte) {
	t := f.Theme
	for line := range strings.SplitSeq(api.CleanLines(string(api.Indent(raw)), 64<<10).String(), "\n") {
		text := strings.TrimLeft(line, " ")
		indent := theme.Blank(len(line) - len(text) - 2)
		if text = strings.TrimSuffix(text, ","); text == "{" && indent != "" {
			text = "·" // one of several
		} else if strings.Contains("{}[]", text) {
			continue
		}
		name, value, named := strings.Cut(text, `": `)
		if !named {
			name, value = "", text
		}
		lead := indent + t.Muted.Paint(theme.Fit(strings.Trim(name, `"`), min(len(name), 1)*20))
		if value = strings.Trim(value, `"{[`); value == "" && named {
			value = " "
		}
		writeHard(f, value, lead, theme.Blank(theme.Width(lead)), t.Text.Paint)
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

func (s *Screen) whyNoAnswer() string {
	a := s.answer()
	return cmp.Or(s.whyTyping(), s.k.SayIf(a == nil || a.text == "", "There is no response yet."))
}

func (s *Screen) whyNoFile() string {
	a := s.answer()
	return cmp.Or(s.whyTyping(), s.k.SayIf(a == nil || a.file() == "", "The response holds no file."))
}
