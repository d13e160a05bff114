package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// paintedFile draws the same wherever a file lies.
var paintedFile painter = func(_ string, cols, rows int) (picture.Picture, error) {
	lines := slices.Repeat([]string{strings.Repeat("▀", min(cols, 10))}, min(rows, 5))
	return picture.Picture{Lines: lines, Cols: 10}, nil
}

const sketchSchema = `{"type":"object","required":["prompt"],"additionalProperties":false,"properties":{
 "prompt":{"type":"string","maxLength":500,"description":"what to draw"},
 "size":{"type":"string","enum":["1K","2K","4K"],"default":"2K","description":"how large"},
 "steps":{"type":"integer","minimum":1,"maximum":50},
 "safe":{"type":"boolean"},
 "tags":{"type":"array","items":{"type":"string"}}}}`

func toolbox() state.Toolbox {
	about := func(s string) api.Text { return api.CleanLines(s, 1000) }
	return state.Toolbox{Address: "https://api.example.com/api/v1/mcp", At: fakeNow, Listing: mcp.Listing{
		Path: "/api/v1/mcp", Server: about("lumen-tools 3.1"), Tools: []mcp.Tool{
			{Name: "list_styles", Title: about("List styles"), Description: about("Names every style."), ReadOnly: true, Schema: json.RawMessage(`{"type":"object"}`)},
			{Name: "sketch", Title: about("Sketch"), Description: about("Draws a quick sketch of a prompt. Costs credits."), Schema: json.RawMessage(sketchSchema)},
			{Name: "查询", Description: about("查询一个任务的状态与结果，按编号。"), ReadOnly: true, Schema: json.RawMessage(`{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}`)},
			{Name: "anything", ReadOnly: true, Schema: json.RawMessage(`{"type":"object","additionalProperties":true}`)},
		},
	}}
}

func sketched() state.ToolAnswer {
	return state.ToolAnswer{Took: 2300 * time.Millisecond, Answer: mcp.Answer{
		Parts: []mcp.Part{
			{Kind: mcp.PartText, Text: api.CleanLines("A sketch of a kettle.", 100)},
			{Kind: mcp.PartImage, MediaType: "image/png", Data: []byte("x")},
			{Kind: mcp.PartLink, URL: "https://cdn.example.com/sketch/7?expires=1&signature=2", Text: api.Clean("the same, larger", 100)},
		},
		Structured: json.RawMessage(`{"id":"job_7","address":"https://a.example/?b=1\u0026c=2"}`),
	}, Files: []state.File{{}, {Path: "/home/you/Pictures/darkroom/20260301-sketch-k3v9q2mx-2.png", MediaType: "image/png"}, {}}}
}

// flyTools runs a test on the Tools screen. Answers come when the test says so.
func flyTools(lang string, w, h int, prepare func(*fakeSession)) start {
	return flyIn(lang, w, h, func(d *fakeSession) {
		withTools(d)
		if prepare != nil {
			prepare(d)
		}
	}).then(func(p *pilot) {
		p.app.env.Painter = paintedFile
		p.keys("alt+4")
	})
}

func calledSketch(p *pilot) {
	p.keys("j", "enter", "|a kettle", "ctrl+s", "enter")
}

func TestToolsLooks(t *testing.T) {
	slow := func(d *fakeSession) {
		d.tool = func(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error) {
			c.Progress(mcp.Progress{Done: 3, Total: 20, Text: api.Clean("tracing", 20)})
			c.Progress(mcp.Progress{Done: 8, Total: 20, Text: api.Clean("inking", 20)}) // the newest is shown
			<-ctx.Done()
			return state.ToolAnswer{}, &api.Error{Class: api.ClassNetwork, Sent: true, Cause: context.Canceled, Reason: api.ReasonStopped.Reason(),
				Do: api.AdviseToolCharged.Reason()}
		}
	}
	gone := func(d *fakeSession) {
		d.box, d.toolErr = state.Toolbox{}, &api.Error{Class: api.ClassNotFound, Reason: api.ReasonNoToolEntry.Reason("api.example.com"),
			Do: api.AdviseToolEntry.Reason()}
	}
	looks(t, inEachSize(flyTools, []scene{
		{"list", nil, func(*pilot) {}},
		{"form", nil, func(p *pilot) {
			p.keys("j", "enter", "|a kettle", "down", "down", "down", "|9", "ctrl+s")
		}},
		{"broken", nil, func(p *pilot) { p.keys("j", "enter", "ctrl+t"); p.paste(`"`); p.keys("ctrl+s") }},
		{"choices", nil, func(p *pilot) { p.keys("j", "enter", "down", "down", "enter") }},
		{"ask", nil, func(p *pilot) { p.keys("j", "enter"); p.paste("a kettle"); p.keys("ctrl+s") }},
		{"answer", nil, calledSketch},
		{"calling", slow, func(p *pilot) { calledSketch(p); p.pass(time.Second) }},
		{"unknown", slow, func(p *pilot) { calledSketch(p); p.keys("ctrl+x"); p.pass(time.Second) }},
		{"gone", gone, func(*pilot) {}},
		{"clients", nil, func(p *pilot) { p.keys("c", "down") }},
	}))
}

func TestTools(t *testing.T) { flyEach(t, toolsFlights) }

var toolsFlights = []flight{
	{"tool that may spend asks first and is called once", flyTools("en", 120, 42, nil), func(p *pilot) {
		p.keys("j", "enter", "|a kettle", "ctrl+s")
		p.shows("This tool may cost credits", `"prompt": "a kettle"`)
		p.keys("esc")
		p.calls(0)
		p.keys("ctrl+s", "|\r\ny\r")
		p.calls(0)
		p.keys("enter", "enter", "enter")
		p.calls(1)
		c := p.session.called[0]
		p.expect(c.Name == "sketch" && c.Agreed && string(c.Args) == `{"prompt":"a kettle","size":"2K"}`, "%+v %s", c, c.Args)
		p.shows("done", "A sketch of a kettle.", "▀▀▀▀▀▀▀▀▀▀", "the same, larger", "https://cdn.example.com/sketch/7", "address             https://a.example/?b=1&c=2")
		p.keys("esc", "esc", "y", "o") // the last enter opened the list of sizes
		p.asked("open /home/you/Pictures/darkroom/20260301-sketch-k3v9q2mx-2.png", 1)
	}},
	{"tool's name is one word of a command", flyTools("en", 120, 40, func(d *fakeSession) {
		d.box.Tools[0].Name = "list; touch x"
	}), func(p *pilot) {
		p.shows("darkroom tools call 'list; touch x'")
	}},
	{"tool's choices steer no terminal", flyTools("en", 120, 40, func(d *fakeSession) {
		d.box.Tools[0].Schema = json.RawMessage(`{"properties":{"a":{"enum":["\u009b31mred\u001b_x","b"],"default":"\u009b31mred\u001b_x"},` +
			`"b":{"enum":["b","c"],"default":"\u202ex"}}}`)
	}), func(p *pilot) {
		p.keys("enter", "enter") // the list of a
		p.shows("▸ �31mred�_x")
		p.keys("esc", "right")
		p.shows("�31mred�_x ‹ b ›", "‹ �x › b   c")
	}},
	{"tool that reads is called at once", flyTools("en", 120, 40, nil), func(p *pilot) {
		p.keys("ctrl+s")
		p.shows("done")
		p.calls(1)
		c := p.session.called[0]
		p.expect(!c.Agreed && string(c.Args) == "{}", "%+v", c)
	}},
	{"tool arguments show problems instead of calling", flyTools("en", 120, 40, nil), func(p *pilot) {
		p.keys("j", "enter", `|{"size": "9K", "x": 1}`, "esc", "ctrl+s") // a pasted object is all arguments
		p.shows("✗ Prompt is required.", "This tool has no argument x: it takes prompt,", "Size does not match the tool's schema (enum: 9K")
		p.typed("12") // the arguments have the keys again; digits are text there
		p.shows(`"x": 1}12`)
		p.lacks("is required")
		p.isAt(msg.PlaceTools)
		p.keys("ctrl+s")
		p.shows("✗ Line 1 is not JSON")
		p.keys("ctrl+a", "|{\n\"prompt\":\"x12\"}", "ctrl+s")
		p.shows("may cost credits. The tool protocol")
		p.keys("esc", "esc", "down", "down", "ctrl+s")
		p.shows("done") // a tool that lists no arguments takes {}
		p.keys("enter", "ctrl+a", "|[1]", "ctrl+s")
		p.shows("✗ The arguments have to be one JSON object")
		p.calls(1)
	}},
	{"tool that takes no empty object", flyTools("en", 120, 40, func(d *fakeSession) {
		d.box.Tools[0].Schema = json.RawMessage(`{"type":"object","minProperties":1,"additionalProperties":true}`)
	}), func(p *pilot) {
		p.keys("ctrl+s") // no text is {}
		p.shows("minProperties")
		p.calls(0)
	}},
	// It is said, and the tool is called.
	{"tool with a schema that cannot be used", flyTools("en", 120, 40, func(d *fakeSession) {
		for i := range d.box.Tools {
			d.box.Tools[i].Schema = json.RawMessage(`{"properties":{"a":{"$ref":"https://elsewhere.example/a.json"}}}`)
		}
	}), func(p *pilot) {
		p.keys("ctrl+s")
		p.shows("The tool's schema cannot be used, so its arguments were not checked", "done")
		p.keys("j", "ctrl+s")
		p.shows("may cost credits. The tool protocol", "https://elsewhere.example/a.json", "Call it")
		p.calls(1)
	}},
	{"tool that fails says so", flyTools("en", 80, 24, func(d *fakeSession) {
		d.tool = func(context.Context, state.ToolCall) (state.ToolAnswer, error) {
			return state.ToolAnswer{Answer: mcp.Answer{Failed: true, Parts: []mcp.Part{{Kind: mcp.PartText, Text: api.Clean("there is no such job", 100)}}},
				Files: make([]state.File, 1)}, nil
		}
	}), func(p *pilot) {
		p.keys("ctrl+s")
		p.shows("✕ the tool says that it failed", "there is no such job")
		p.keys("esc")
		p.shows("List styles", "Address")
	}},
	{"tool refused key is a notice", flyTools("en", 120, 40, func(d *fakeSession) {
		d.tool = func(context.Context, state.ToolCall) (state.ToolAnswer, error) {
			return state.ToolAnswer{}, state.ErrKeyRefused
		}
	}), func(p *pilot) {
		p.keys("ctrl+s")
		p.shows("✕ no response", "The service refused the API key")
	}},
	{"tools by mouse", flyTools("en", 120, 40, nil), func(p *pilot) {
		p.send(tea.MouseClickMsg{X: 6, Y: 7, Button: tea.MouseLeft})
		p.shows("Draws a quick sketch")
		p.clickBeside("Steps", 16, 0)
		p.typed("7")
		p.shows(`"steps": 7`)
		p.send(tea.MouseWheelMsg{X: 6, Y: 3, Button: tea.MouseWheelDown})
		p.send(tea.MouseWheelMsg{X: 80, Y: 30, Button: tea.MouseWheelDown})
	}},
	{"clients name the variable alone", flyTools("en", 120, 40, nil), func(p *pilot) {
		p.keys("c")
		p.shows("darkroom mcp config claude", "The other program can only ask, and you send.")
		for range len(state.ToolClients("x")) - 1 {
			p.keys("down")
			p.shows("https://api.example.com/api/v1/mcp", "DARKROOM_API_KEY", "past darkroom's budget")
			p.lacks("ak_…9f3c\"", "Bearer ak_")
		}
		p.raw = nil
		p.keys("right", "right", "y")
		p.expect(strings.Contains(fmt.Sprint(p.raw), "mcpServers"), "copied %v", p.raw)
	}},
	// An answer that comes while one writes leaves what is written, also under another schema.
	{"typed arguments stay when the list comes anew", flyTools("en", 120, 40, nil), func(p *pilot) {
		all := p.session.box.Tools
		refresh := func(err error, tools ...mcp.Tool) {
			p.t.Helper()
			cmd := action.Named(p.app.screens[msg.PlaceTools].Actions(), "refresh").Handler()
			p.session.box.Tools, p.session.toolErr = tools, err
			p.do(cmd)
		}
		p.keys("j", "enter", "|a kettle")
		other := all[1]
		other.Schema = json.RawMessage(strings.Replace(sketchSchema, `"maximum":50`, `"maximum":60`, 1))
		refresh(nil, other, all[2])
		p.keys(":s")
		p.shows("a kettles")
		refresh(errors.New("the service is asleep"))
		p.shows("The service is asleep", "a kettles")
		refresh(nil, all[2])
		p.lacks("a kettles", "Sketch")
		p.expect(!p.app.surface().Typing(), "the form of a tool that is gone has the keys")
	}},
	{"tab goes over list, arguments and response", flyTools("en", 120, 40, nil), func(p *pilot) {
		calledSketch(p)
		tabs := func(keys ...string) (writes string) {
			for _, key := range keys {
				p.keys(key)
				writes += fmt.Sprint(p.app.surface().Typing(), " ")
			}
			return writes
		}
		got := tabs("tab", "tab", "tab", "tab", "tab", "tab", "j", "tab", "tab", "shift+tab") // five fields, the response, the list; one field
		p.expect(got == "true true true true false false false true false true ", "%s", got)
		p.shows("─ 查询 ─")
	}},
	{"a click on a narrow list is for its tool", flyTools("en", 80, 24, nil), func(p *pilot) {
		p.keys("j")
		for _, name := range []string{"anything", "List styles", "查询", "Sketch"} {
			p.clickOn(name)
			p.keys("~")
			p.shows("▸ " + name)
		}
	}},
	{"a long response scrolls", flyTools("en", 120, 24, longResponse), scrollResponse},
	{"a long response alone scrolls", flyTools("en", 80, 24, longResponse), scrollResponse},
	{"the schema has the whole description", flyTools("en", 120, 30, func(d *fakeSession) {
		d.box.Tools[0].Description = api.CleanLines(strings.Repeat("It draws a sketch of a prompt. ", 60)+"Finis.", 2000)
	}), func(p *pilot) {
		p.shows("It draws a sketch", " …")
		p.lacks("Finis.", "Schema")
		p.keys("v")
		p.send(tea.WindowSizeMsg{Width: 120, Height: 92})
		p.shows("Finis.", "Schema")
	}},
	{"tools under a budget", flyTools("en", 120, 40, func(d *fakeSession) { d.settings.Budget = 100 * api.Credit }), func(p *pilot) {
		p.keys("j", "enter", "|a kettle", "ctrl+s")
		p.shows("The cost of this tool is not known")
		p.calls(0)
	}},
	// That it costs nothing is the service's word alone, so a person agrees first.
	{"tool that reads under a budget", flyTools("en", 80, 40, func(d *fakeSession) {
		d.settings.Budget = 100 * api.Credit
		d.tool = func(_ context.Context, c state.ToolCall) (state.ToolAnswer, error) {
			if !c.UnderBudget {
				return state.ToolAnswer{}, &state.Refusal{Code: [...]string{state.CodeAskTool, "calls"}[len(d.called)/2], Fault: *api.Sentence("the tool was not called: a budget is set, and only the service says that this tool is read-only; agree to it to call it").Fault(nil)}
			}
			return sketched(), nil
		}
	}), func(p *pilot) {
		for n := range 2 {
			p.keys("ctrl+s")
			p.shows("not called: a budget is set", "Call it")
			p.lacks("no response")
			p.keys("enter")
			p.shows("● done")
			p.expect(len(p.session.called) == 2*n+2 && p.session.called[2*n+1].UnderBudget, "%+v", p.session.called)
		}
	}},
}

func longResponse(d *fakeSession) {
	d.tool = func(context.Context, state.ToolCall) (answer state.ToolAnswer, _ error) {
		for i := range 40 {
			answer.Parts = append(answer.Parts, mcp.Part{Kind: mcp.PartText, Text: api.Clean(fmt.Sprintf("line %02d.", i), 20)})
		}
		answer.Files = make([]state.File, 40)
		return answer, nil
	}
}

func scrollResponse(p *pilot) {
	if p.keys("ctrl+s"); p.app.size.W > 100 { // else it has the window, and the keys
		p.keys("tab", "tab")
	}
	p.shows("line 00.", "more lines")
	p.keys("pgdown")
	p.shows("↑ 10 ")
	p.lacks("line 00.")
	p.keys("G")
	p.shows("line 39.")
	p.send(tea.MouseWheelMsg{X: p.app.size.W - 10, Y: 20, Button: tea.MouseWheelUp})
	p.lacks("line 39.")
	p.send(tea.WindowSizeMsg{Width: p.app.size.W, Height: 30})
	p.keys("g")
	p.shows("line 00.")
}

func TestToolCallGoesOnWhileOneLooksElsewhere(t *testing.T) {
	answer := make(chan state.ToolAnswer)
	slow := func(d *fakeSession) {
		d.tool = func(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error) { return <-answer, nil }
	}
	flyTools("en", 120, 40, func(d *fakeSession) { answer = make(chan state.ToolAnswer); slow(d) })(t, func(p *pilot) {
		p.keys("ctrl+s")
		p.expect(p.app.screens[msg.PlaceTools].(interface{ Ticking() bool }).Ticking(), "no clock for a call under way")
		p.keys("ctrl+s", "down")
		p.shows("◐ calling", "may cost credits")
		p.keys("alt+2")
		answer <- sketched()
		p.pass(time.Millisecond)
		p.keys("alt+4", "up")
		p.shows("● done", "A sketch of a kettle.", "▀▀▀▀▀▀▀▀▀▀")
		ticking := p.app.screens[msg.PlaceTools].(interface{ Ticking() bool }).Ticking()
		p.expect(len(p.session.called) == 1 && !ticking, "called %d times, ticking %v", len(p.session.called), ticking)
	})
}
