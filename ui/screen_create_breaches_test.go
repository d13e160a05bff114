package ui

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

// breach is a rule of api/testdata/rules.json, broken as a person types.
type breach struct {
	rule     string // its name in the table
	prepare  func(*fakeSession)
	keys     []string // each a key, or text behind a colon, or a paste behind a bar
	label    string   // of the field that the sentence stands below
	sentence string
	mend     []string // the last of them mends it
}

// unlistedModels leaves the ids of models to be typed.
func unlistedModels(d *fakeSession) {
	d.models = nil
	d.modelErr = os.ErrDeadlineExceeded
}

// listedAs changes a parameter of a model of the fake.
func listedAs(model int, p api.Parameter) func(*fakeSession) {
	return func(d *fakeSession) {
		all := d.models[model].Parameters
		for i := range all {
			if all[i].Name == p.Name {
				all[i] = p
				return
			}
		}
		d.models[model].Parameters = append(all, p)
	}
}

func number(f float64) *float64 { return &f }

// materialOf are the keys that go to the image form and a row of its materials.
func materialOf(kind, address string) []string {
	keys := []string{":a boat", "ctrl+e", ":" + address, "enter"}
	if kind == "image" {
		keys = append([]string{"ctrl+t"}, keys...)
	}
	return keys
}

func addresses(n int, end string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("https://cdn.example.com/" + string(rune('a'+i)) + end + "\n")
	}
	return b.String()
}

func breaches() []breach {
	remove := []string{"up", "delete"}
	long := func(rule, one string, kind ...string) breach {
		return breach{rule, nil, append(kind, "|"+strings.Repeat(one, 5001)), "Prompt", "5,001 characters of at most 5,000", []string{"backspace"}}
	}
	address := func(rule, text, sentence string) breach {
		return breach{rule, nil, materialOf("image", text), "Materials", sentence, remove}
	}
	duration := func(rule, text, sentence string, mend ...string) breach {
		return breach{rule, listedAs(0, api.Parameter{Name: "duration", Type: "integer", Min: number(4), Max: number(12), Default: "5"}),
			[]string{":a boat", "tab", "tab", "tab", "tab", "tab", "tab", "backspace", ":" + text}, "Duration", sentence, mend}
	}
	free := listedAs(0, api.Parameter{Name: "duration", Default: "5"})
	const private, form = "The service cannot reach", "whole address"
	return []breach{
		{"image needs a model", unlistedModels, []string{"ctrl+t", ":a boat"}, "Model", "Choose a model.", []string{":x/y"}},
		{"image model id without a provider", unlistedModels, []string{"ctrl+t", ":a boat", "tab", ":pictures"}, "Model", "provider/name", []string{":/1"}},
		{"video model for an image", unlistedModels, []string{"ctrl+t", ":a boat", "tab", ":seedance2"}, "Model", "makes videos", []string{"ctrl+u", ":a/b"}},
		{"image needs a prompt", nil, []string{"ctrl+t"}, "Prompt", "Write a prompt.", []string{":x"}},
		{"video needs a prompt", nil, nil, "Prompt", "Write a prompt.", []string{":x"}},
		{"prompt of space alone", nil, []string{":  "}, "Prompt", "Write a prompt.", []string{":x"}},
		long("prompt of 5001 characters in ASCII", "a"),
		long("prompt of 5001 characters in Chinese", "纸"),
		long("prompt of 5001 characters in emoji", "🎨"),
		long("image prompt of 5001 characters in ASCII", "a", "ctrl+t"),
		long("image prompt of 5001 characters in Chinese", "纸", "ctrl+t"),
		long("image prompt of 5001 characters in emoji", "🎨", "ctrl+t"),
		{"size that the model does not list", nil, []string{"ctrl+t", ":a boat", "tab", "tab", ":3K"}, "Size", "This model lists other values for Size", []string{"ctrl+u", ":2K"}},
		{"ratio that the model does not list", nil, []string{"ctrl+t", ":a boat", "tab", "tab", "tab", "tab", ":7:1"}, "Ratio", "This model lists other values for Ratio", []string{"ctrl+u", ":1:1"}},
		{"image_url that the model requires", listedAs(1, api.Parameter{Name: "image_url", Required: true}), []string{"ctrl+t", ":a boat"}, "Materials", "This model needs Image", []string{"ctrl+e", "|https://cdn.example.com/a.png"}},
		address("image_url that is no address", "boat", "https:// or http://"),
		address("address ftp", "ftp://cdn.example.com/a.png", "https:// or http://"),
		address("address file", "file:///home/you/a.png", "is a file of this machine"),
		address("address data", "data:image/png;base64,AAAA", ""),
		address("address without host", "https:///a.png", "has no host"),
		address("address with an empty host", "https://:443/a.png", "has no host"),
		address("address with a space", "https://cdn.example.com/a b.png", "no spaces"),
		address("address with a password", "https://me:secret@cdn.example.com/a.png", "user name or password"),
		address("address localhost", "https://localhost/a.png", private),
		address("address loopback", "https://127.0.0.1/a.png", private),
		address("address loopback IPv6", "https://[::1]/a.png", private),
		address("address private", "https://10.0.0.7/a.png", private),
		address("address home network", "https://192.168.1.7/a.png", private),
		address("address link-local", "https://169.254.1.1/a.png", private),
		address("address mapped", "https://[::ffff:10.0.0.1]/a.png", private),
		address("address decimal loopback", "https://2130706433/a.png", private),
		address("address single label", "https://nas/a.png", private),
		address("address local name", "https://nas.local/a.png", private),
		address("address with a port beyond 65535", "https://cdn.example.com:65536/a.png", form),
		{"first_last_frame without its first frame", nil, []string{":a boat", "tab", "right"}, "Materials", "The first frame is missing", []string{"ctrl+e", "|https://cdn.example.com/a.png"}},
		{"image_files: 10", nil, []string{":a boat", "ctrl+e", "|" + addresses(10, ".png")}, "Materials", "at most 9", remove},
		{"video_files: 4", nil, []string{":a boat", "ctrl+e", "|" + addresses(4, ".mp4")}, "Materials", "at most 3", remove},
		{"audio_files: 4", nil, []string{":a boat", "ctrl+e", "|https://cdn.example.com/i.png\n" + addresses(4, ".mp3")}, "Materials", "at most 3", remove},
		{"audio alone", nil, []string{":a boat", "ctrl+e", "|" + addresses(1, ".mp3")}, "Materials", "Audio goes with images or videos", []string{"|https://cdn.example.com/i.png"}},
		{"image_files with a private address", nil, materialOf("video", "https://10.0.0.7/a.png"), "Materials", "图片1: " + private, remove},
		{"video_files with a private address", nil, materialOf("video", "https://10.0.0.7/a.mp4"), "Materials", "视频1: " + private, remove},
		{"seed that JSON readers round", nil, []string{":a boat", "shift+tab", "shift+tab", ":9007199254740993"}, "Seed", "The seed has to lie between", []string{"backspace"}},
		{"duration 0", free, []string{":a boat", "tab", "tab", "tab", "tab", "tab", "tab", "backspace", ":0"}, "Duration", "above 0", []string{"backspace", ":5"}},
		{"negative duration", free, []string{":a boat", "tab", "tab", "tab", "tab", "tab", "tab", "backspace", ":-5"}, "Duration", "above 0", []string{"home", "delete"}},
		duration("duration below the listed minimum", "1", "from 4 up", ":12"),
		duration("duration above the listed maximum", "120", "up to 12", "backspace"),
		duration("duration that is no number where bounds are listed", "5s", "has to be a number", "backspace"),
		{"duration that is not listed", nil, []string{":a boat", "tab", "tab", "tab", "tab", "tab", "tab", ":7"}, "Duration", "This model lists other values for Duration", []string{"backspace", ":5"}},
		{"fast_vip at 1080p", nil, []string{":a boat", "tab", "tab", "tab", "tab", "end", "tab", "end", "shift+tab", "left"}, "Resolution", "fast_vip comes in 480p, 720p only", []string{"right"}},
		{"【@图片1】 without any", nil, []string{":a 【@图片1】"}, "Prompt", "【@图片1】 names a material that is not there", []string{"backspace"}},
		{"【@图片2】 without its material", nil, []string{":a 【@图片2】", "ctrl+e", "|" + addresses(1, ".png")}, "Prompt", "【@图片2】 names a material that is not there", []string{"ctrl+e", "|" + addresses(1, ".png")}},
		{"【@图片0】", nil, []string{":a 【@图片0】"}, "Prompt", "【@图片0】 named a material", []string{"backspace"}},
		{"【@音频1】 without any", nil, []string{":a 【@音频1】"}, "Prompt", "【@音频1】 names a material that is not there", []string{"backspace"}},
		{"【@视频1】 without any", nil, []string{":a 【@视频1】"}, "Prompt", "【@视频1】 names a material that is not there", []string{"backspace"}},
	}
}

// act does what the steps of a breach say.
func (p *pilot) act(steps []string) {
	p.t.Helper()
	for _, s := range steps {
		switch {
		case strings.HasPrefix(s, ":"):
			p.typed(s[1:])
		case strings.HasPrefix(s, "|"):
			p.paste(s[1:])
		default:
			p.keys(s)
		}
	}
}

// labelAbove is the line of labels above the first sentence of a problem that
// holds the text; "" when there is none.
func (p *pilot) labelAbove(text string) string {
	plain := strings.Split(p.screen(), "\n")
	for i, l := range plain {
		if !strings.Contains(l, "✗ ") {
			continue
		}
		if i+1 < len(plain) {
			next, _, _ := strings.Cut(strings.Trim(plain[i+1], "│ "), " │")
			l += " " + next
		}
		if !strings.Contains(strings.Join(strings.Fields(l), " "), text) {
			continue
		}
		for j := i; j >= 0; j-- {
			for _, label := range []string{"Prompt", "Mode ", "Materials", "Model", "Tier", "Size", "Quality", "Ratio", "Resolution", "Duration", "More"} {
				if at := strings.Index(plain[j], label); at >= 0 && at < 12 {
					return plain[j]
				}
			}
		}
	}
	return ""
}

// TestBreaches breaks rules of the table in the form. The sentence stands below
// its field in the frame after the key that shows it (sending is tried), and is
// gone with the key that mends it.
func TestBreaches(t *testing.T) {
	t.Parallel()
	var table []struct {
		Name string `json:"name"`
		Code string `json:"code"`
	}
	raw, err := os.ReadFile("../api/testdata/rules.json")
	if err != nil || json.Unmarshal(raw, &table) != nil {
		t.Fatal("the table of rules cannot be read", err)
	}
	codes := map[string]string{}
	for _, r := range table {
		codes[r.Name] = r.Code
	}
	all := breaches()
	for _, c := range all {
		if codes[c.rule] == "" {
			t.Errorf("%q is no breach in the table", c.rule)
			continue
		}
		t.Run(c.rule, func(t *testing.T) {
			flyCreate(t, "en", 120, 40, c.prepare, func(p *pilot) {
				p.pass(time.Second)
				p.act(c.keys)
				p.keys("ctrl+s")
				p.lacks("Review and send")
				if got := p.labelAbove(c.sentence); !strings.Contains(got, c.label) {
					t.Fatalf("no %q below %s, but %q:\n%s", c.sentence, c.label, got, p.screen())
				}
				p.act(c.mend)
				if got := p.labelAbove(c.sentence); got != "" {
					t.Errorf("%q is still there:\n%s", c.sentence, p.screen())
				}
				if len(p.session.confirmed) != 0 {
					t.Error("something was sent")
				}
			})
		})
	}
	t.Logf("%d breaches", len(all))
}

// TestTextInAFieldTriggersNothing: every printable key, and a paste of 200 lines,
// belong to the field that has the focus.
func TestTextInAFieldTriggersNothing(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		var ascii strings.Builder
		for r := ' '; r <= '~'; r++ {
			ascii.WriteRune(r)
		}
		p.typed(ascii.String())
		if got := p.kept("video").Prompt; got != ascii.String() {
			t.Errorf("typed into the prompt: %q", got)
		}
		p.keys("ctrl+e")
		p.typed(strings.TrimSpace(ascii.String()))
		if got := p.kept("video").ImageFiles; len(got) != 1 || got[0] != strings.TrimSpace(ascii.String()) {
			t.Errorf("typed into the line of a material: %q", got)
		}
		lines := strings.Repeat("yes y q 1 ? x\r\n", 200)
		p.paste(lines)
		p.keys("shift+tab", "shift+tab")
		p.paste(lines)
		if got := strings.Count(p.kept("video").Prompt, "yes y q 1 ? x"); got != 200 {
			t.Errorf("%d of 200 pasted lines are in the prompt", got)
		}
		if len(p.session.confirmed) != 0 || p.quit || p.app.top() != nil {
			t.Error("text in a field did something")
		}
	})
}

// TestALargePasteKeepsTheScreenAlive: 100 KiB in the prompt, and a key after it.
func TestALargePasteKeepsTheScreenAlive(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		text := strings.Repeat("纸船 drifts down. ", 100<<10/18)
		start := time.Now()
		p.paste(text)
		p.typed("!")
		p.shows("✗ The prompt has", "of at most 5,000")
		if got := p.kept("video").Prompt; got != text+"!" {
			t.Errorf("%d bytes are kept of %d", len(got), len(text)+1)
		}
		p.keys("ctrl+a", "backspace")
		p.typed("short")
		p.lacks("✗ The prompt has")
		if d := time.Since(start); d > time.Minute { // of the bubble's time: no command waits for the text
			t.Errorf("it took %v", d)
		}
	})
}
