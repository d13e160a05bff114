package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api"
)

// versionsOf are requests of three versions of one prompt and of another one.
func versionsOf(d *fakeSession) {
	for i, prompt := range []string{"a paper boat drifts down a rain gutter", "a paper boat drifts down a rain gutter at dusk",
		"a paper boat drifts down a rain gutter at dusk, macro lens", "neon koi in a pond"} {
		j := madeUpJob(20-2*i, prompt, api.PhaseDone)
		j.Request.Prompt = prompt
		d.add(j)
	}
	d.painter = blockPainter{}
}

func TestHistoryLooks(t *testing.T) {
	for _, c := range []struct {
		name, lang string
		w, h       int
		keys       []string
	}{
		{"all-120x40", "en", 120, 40, nil},
		{"versions-120x40", "en", 120, 40, []string{"alt+v", "down", "down"}},
		{"versions-zh-80x24", "zh", 80, 24, []string{"alt+v", "down", "down", "down"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			flyCreate(t, c.lang, c.w, c.h, versionsOf, func(p *pilot) {
				p.typed("a paper boat")
				p.keys("ctrl+r")
				p.pass(time.Second)
				p.keys(c.keys...)
				p.pass(time.Second)
				golden.RequireEqual(t, []byte(p.screen()))
				if c.lang == "zh" {
					onlyNamesInEnglish(t, p)
				}
			})
		})
	}
}

// TestVersionsOfAPrompt: the tree has each prompt below the one that it was made
// from, says what is new in it, and restores the request.
func TestVersionsOfAPrompt(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string][2]string{"en": {"all · versions", "new words of this version"}, "zh": {"全部 · 版本", "此版本新增的词"}} {
		flyCreate(t, lang, 120, 40, versionsOf, func(p *pilot) {
			p.keys("ctrl+r")
			p.pass(time.Second)
			p.keys("alt+v")
			p.shows(says[0], "└ … rain gutter at dusk", "  └ … at dusk, macro lens")
			p.typed("macro")
			p.pass(time.Second)
			p.lacks("neon koi in a pond  ")
			for range 5 {
				p.keys("backspace")
			}
			p.pass(time.Second)
			p.keys("down", "down")
			p.shows(says[1])
			p.keys("down", "up", "enter")
			if got := p.kept("video").Prompt; !strings.HasPrefix(got, "a paper boat drifts down a rain gutter at dusk") {
				t.Errorf("restored %q", got)
			}
		})
	}
}

// TestSavedPrompts: a prompt is kept under a name, inserted, and its
// placeholders are stepped through; what is not filled in is pointed out.
func TestSavedPrompts(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string]struct{ title, empty, saved, unfilled, replace string }{
		"en": {"Saved prompts", "No prompt is saved yet.", "Saved as look.", "{{light}} is not filled in: it is sent as it is.", "Replace the saved prompt look?"},
		"zh": {"已存提示词", "还没有保存任何提示词。", "已保存为 look。", "{{light}} 尚未填写：将原样发送。", "替换已存提示词 look？"},
	} {
		flyCreate(t, lang, 120, 40, nil, func(p *pilot) {
			p.typed("{{subject}} at {{light}}, {{subject}}, macro")
			p.keys("alt+s")
			p.shows(says.title, says.empty)
			p.typed("look")
			p.keys("alt+s")
			p.pass(time.Second)
			p.shows(says.saved, "{{subject}} at {{light}}")
			p.keys("esc", "ctrl+a", "backspace", "alt+s")
			p.pass(time.Second)
			p.typed("LOO")
			p.keys("enter")
			p.typed("a boat")
			p.keys("tab", "tab")
			p.typed("a koi")
			p.keys("shift+tab", "tab") // out of the field and back
			if got := p.kept("video").Prompt; got != "a boat at {{light}}, a koi, macro" {
				t.Errorf("the prompt is %q", got)
			}
			p.keys("ctrl+s")
			p.shows(says.unfilled)
			p.keys("esc", "alt+s")
			p.pass(time.Second)
			p.typed("look")
			p.keys("alt+s")
			p.shows(says.replace)
			p.keys("y")
			p.pass(time.Second)
			if got := p.session.savedPrompts["look"]; got != "a boat at {{light}}, a koi, macro" {
				t.Errorf("kept %q", got)
			}
			for range 4 {
				p.keys("backspace")
			}
			p.keys("alt+x", "y")
			p.pass(time.Second)
			p.shows(says.empty)
			if len(p.session.savedPrompts) != 0 {
				t.Errorf("left: %q", p.session.savedPrompts)
			}
		})
	}
}

func TestNamesOfSavedPrompts(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.keys("alt+s")
		p.typed("look")
		p.keys("alt+s")
		p.shows("Write a prompt first.")
		p.keys("esc")
		p.typed("a boat")
		p.keys("alt+s", "alt+s")
		p.shows("Type a name for the prompt.")
		p.typed("../look")
		p.keys("alt+s")
		p.shows("A file cannot have this name.")
		if len(p.session.savedPrompts) != 0 {
			t.Errorf("kept %q", p.session.savedPrompts)
		}
	})
}

// TestAModelBringsBackItsValues: those that were sent with it last, but not over
// what the person has just set.
func TestAModelBringsBackItsValues(t *testing.T) {
	t.Parallel()
	sent := func(d *fakeSession) {
		d.models = append(d.models, api.Model{ID: "other/pen", Kind: api.KindImage, Parameters: d.models[1].Parameters})
		d.add(madeUpJob(1, "a boat", api.PhaseDone)) // acme/brush, 2K, high
		j := madeUpJob(3, "a koi", api.PhaseDone)
		j.Model, j.Request.Model, j.Request.Size, j.Request.Quality = "other/pen", "other/pen", "1K", "low"
		d.add(j)
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage},
			"image": {Kind: api.KindImage, Model: "other/pen", Prompt: "a tram", Size: "4K", Quality: "medium"}}
	}
	for _, lang := range []string{"en", "zh"} {
		flyCreate(t, lang, 120, 40, sent, func(p *pilot) {
			has := func(model, size, quality string) {
				t.Helper()
				if got := p.kept("image"); got.Model != model || got.Size != size || got.Quality != quality {
					t.Fatalf("%s: the form has %s, %s, %s; want %s, %s, %s", lang, got.Model, got.Size, got.Quality, model, size, quality)
				}
			}
			p.keys("tab", "right")
			has("acme/brush", "2K", "high")
			p.keys("right")
			has("other/pen", "1K", "low")
			p.keys("tab", "tab", "right", "shift+tab", "shift+tab", "right")
			has("acme/brush", "2K", "medium")
		})
	}
}

// TestMaterialsThatAreOurResults: a row of the materials shows the thumbnail and
// the job of a result of ours, also after a restart.
func TestMaterialsThatAreOurResults(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		prepare := func(d *fakeSession) { d.fill(8).painter = blockPainter{} }
		flyCreate(t, lang, 120, 40, prepare, func(p *pilot) {
			p.keys("alt+r", "right", "right", "right", "right", "right", "u")
			p.pass(time.Second)
			p.keys("esc")
			p.pass(time.Second)
			line := lineWith(p, "图片1")
			if !strings.Contains(line, "▀") || strings.Contains(line, "▩") || !strings.Contains(line, "job0") {
				t.Errorf("the row is %q", line)
			}
		})
		flyCreate(t, lang, 120, 40, func(d *fakeSession) {
			prepare(d)
			d.drafts = map[string]api.Request{"video": {Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast",
				ImageFiles: []string{"https://cdn.example.com/job000005.png", "https://cdn.example.com/other.png"}}}
		}, func(p *pilot) {
			p.pass(time.Second)
			if line := lineWith(p, "图片1"); !strings.Contains(line, "▀") || !strings.Contains(line, "job0") {
				t.Errorf("after a restart the row is %q", line)
			}
			if line := lineWith(p, "图片2"); !strings.Contains(line, "▩ other.png · cdn.example.com") {
				t.Errorf("another row is %q", line)
			}
		})
	}
}

// lineWith is the first line of the screen that holds a text.
func lineWith(p *pilot, text string) string {
	for line := range strings.Lines(p.screen()) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}
