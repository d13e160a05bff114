package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

const schema = `{"type":"object","required":["prompt"],"properties":{
 "prompt":{"type":"string","maxLength":500},
 "size":{"type":"string","enum":["1K","2K"]},
 "steps":{"type":"integer","minimum":1,"maximum":50}}}`

var now = time.Date(2026, 3, 1, 14, 5, 0, 0, time.UTC)

func tool(name string) mcp.Tool {
	return mcp.Tool{Name: name, ReadOnly: true, Schema: json.RawMessage(schema), Description: api.CleanLines(strings.Repeat("It draws a sketch of a prompt. ", 60), 2000)}
}

func boxOf(tools ...mcp.Tool) state.Toolbox {
	return state.Toolbox{Address: "https://api.example.com/mcp", At: now, Listing: mcp.Listing{Tools: tools}}
}

// noBackend is a service that nobody asks here.
type noBackend struct{ Backend }

// shown is a screen of the given size with three tools.
func shown(t *testing.T, w, h int) *Screen {
	t.Helper()
	k := &env.Env{Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), Clock: func() time.Time { return now }, At: now}
	s := New(k, noBackend{})
	s.Resize(w, h)
	s.list.asked = true
	s.Focus()
	s.Update(toolsReadMsg{box: boxOf(tool("styles"), tool("sketch"), tool("query"))})
	return s
}

// press gives keys to the screen as App does.
func press(t *testing.T, s *Screen, keys ...tea.KeyPressMsg) {
	t.Helper()
	for _, k := range keys {
		a := action.Find(s.Actions(), k.String())
		if typing := s.Typing(); typing && (a == nil || !a.Always) {
			s.Edit(k)
		} else if a.Disabled == nil || a.Disabled() == "" {
			a.Handler()
		}
	}
}

func key(code rune) tea.KeyPressMsg {
	k := tea.KeyPressMsg{Code: code}
	if code > ' ' && code < 0x7f {
		k.Text = string(code)
	}
	return k
}

var (
	tab     = key(tea.KeyTab)
	backTab = tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	enter   = key(tea.KeyEnter)
	pageDn  = key(tea.KeyPgDown)
)

func view(s *Screen) string { return ansi.Strip(strings.Join(s.View(), "\n")) }

func TestTypedArgumentsStayWhenTheListComesAnew(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 36)
	press(t, s, key('j'), enter)
	s.Update(tea.PasteMsg{Content: "a kettle"})
	other := tool("sketch")
	other.Schema = json.RawMessage(strings.Replace(schema, `"maximum":50`, `"maximum":60`, 1))
	s.Update(toolsReadMsg{box: boxOf(other, tool("query"))})
	if name := s.list.selected().Name; name != "sketch" || !strings.Contains(view(s), "a kettle") || !s.Typing() {
		t.Errorf("%s is selected:\n%s", name, view(s))
	}
	s.Update(toolsReadMsg{err: errors.New("the service is asleep")})
	if got := view(s); !strings.Contains(got, "The service is asleep") || !strings.Contains(got, "a kettle") {
		t.Errorf("after a failure:\n%s", got)
	}
	s.Update(toolsReadMsg{box: boxOf(tool("query"))})
	if s.Typing() || strings.Contains(view(s), "  sketch  ") {
		t.Errorf("the form of a tool that is gone has the keys:\n%s", view(s))
	}
}

func TestAPastedObjectIsAllArguments(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 36)
	press(t, s, key('j'), enter)
	s.Update(tea.PasteMsg{Content: `{"prompt": "a kettle"}`})
	if e := s.editor(); !e.raw || e.text.Value() != `{"prompt": "a kettle"}` {
		t.Errorf("%v: %s", e.raw, e.text.Value())
	}
}

func TestTabGoesOverListArgumentsAndAnswer(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 36)
	s.answers["styles"] = &call{at: now}
	for i, step := range []struct {
		keys []tea.KeyPressMsg
		on   pane
	}{
		{[]tea.KeyPressMsg{tab}, onForm},
		{[]tea.KeyPressMsg{tab, tab}, onForm}, // it has three fields
		{[]tea.KeyPressMsg{tab}, onAnswer},
		{[]tea.KeyPressMsg{tab, key('j')}, onList},
		{[]tea.KeyPressMsg{tab}, onForm},
		{[]tea.KeyPressMsg{tab, tab, tab}, onList}, // sketch has no answer
		{[]tea.KeyPressMsg{backTab}, onForm},
	} {
		if press(t, s, step.keys...); s.on != step.on {
			t.Fatalf("step %d went to %d, want %d", i, s.on, step.on)
		}
	}
	if s.list.selected().Name != "sketch" {
		t.Error("another tool is selected")
	}
}

func TestLongAnswerScrolls(t *testing.T) {
	t.Parallel()
	for _, w := range []int{80, 120} {
		s := shown(t, w, 22)
		var parts []mcp.Part
		for i := range 40 {
			parts = append(parts, mcp.Part{Kind: mcp.PartText, Text: api.Clean("line "+string(rune('A'+i%26)), 20)})
		}
		s.call = &call{tool: tool("styles"), cancel: func() {}}
		s.Update(answeredMsg{answer: state.ToolAnswer{Answer: mcp.Answer{Parts: parts}, Files: make([]state.File, len(parts))}})
		for s.on != onAnswer {
			press(t, s, tab)
		}
		before := view(s)
		if !strings.Contains(before, "▐") || !strings.Contains(before, "line A") {
			t.Fatalf("at %d:\n%s", w, before)
		}
		press(t, s, pageDn)
		if got := view(s); strings.Index(got, "▐") <= strings.Index(before, "▐") {
			t.Errorf("page down at %d:\n%s", w, got)
		}
		press(t, s, key('G'))
		last := view(s)
		if !strings.Contains(last, "line N") || strings.LastIndex(last, "▐") <= strings.LastIndex(last, "line N") {
			t.Errorf("the end at %d:\n%s", w, last)
		}
		s.Update(msg.WheelMsg{X: w - 10, Y: 20, By: -1})
		if view(s) == last {
			t.Errorf("the wheel at %d did nothing", w)
		}
		s.Resize(w, 30) // stays within the text
		press(t, s, key('g'))
		if !strings.Contains(view(s), "line A") {
			t.Errorf("the top at %d:\n%s", w, view(s))
		}
	}
}

func TestSchemaShowsTheWholeDescription(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 30)
	if got := view(s); strings.Count(got, "draws a sketch") > 20 || !strings.Contains(got, "…") {
		t.Errorf("the description takes the form's place:\n%s", got)
	}
	opened, ok := action.Find(s.Actions(), "v").Handler()().(msg.OpenedMsg)
	if ok {
		opened.Overlay.Update(tea.WindowSizeMsg{Width: 120, Height: 92})
	}
	if !ok || strings.Count(ansi.Strip(opened.Overlay.Box(120, 90)), "draws a sketch") < 40 {
		t.Error("the schema lacks the description")
	}
}
