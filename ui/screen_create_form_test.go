package ui

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/msg"
)

// bodySent is the body of the request that was sent last.
func (p *pilot) bodySent() string {
	p.t.Helper()
	p.keys("~", "ctrl+s")
	p.shows("Send this")
	p.keys("enter")
	p.expect(len(p.session.confirmed) != 0, "nothing was sent")
	r := p.session.confirmed[len(p.session.confirmed)-1].Request
	for _, m := range p.session.models {
		if m.ID == r.Model {
			return string(r.Body(m))
		}
	}
	return string(r.Body(api.Model{}))
}

func TestCreateForm(t *testing.T) { flyEach(t, createFormFlights) }

var createFormFlights = []flight{
	{"parameters that only the listing names", flyCreate("en", 120, 40, func(d *fakeSession) {
		more := []api.Parameter{{Name: "style", Type: "enum", Values: []string{"ink", "oil"}, Default: "ink"}, {Name: "steps", Type: "integer"},
			{Name: "tiled", Type: "boolean"}, {Name: "mood", Type: "string"}}
		d.models[1].Parameters = append(d.models[1].Parameters, more...)
	}), func(p *pilot) {
		p.keys("ctrl+t", ":boat")
		p.shows("More", "▾ Async, style, steps, tiled, mood")
		p.keys("shift+tab", "enter")
		p.shows("style", "not set", "default: ink", "true (recommended)")
		p.keys("down", "right", "down", "down", ":many")
		p.shows("✗ steps must be a whole number.")
		p.keys("ctrl+s")
		p.lacks("Send this")
		p.keys("backspace", "backspace", "backspace", "backspace", ":30")
		p.lacks("must be a whole number")
		p.keys("down", "right", "down", ":7")
		want := `{"model":"acme/brush","prompt":"boat","size":"1K","quality":"medium","aspect_ratio":"1:1","async":false,"steps":30,"tiled":true,"mood":"7"}`
		expect.Equal(p.t, p.bodySent(), want, "sent")
	}},
	{"models that were listed since are offered", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.session.models, p.session.listedAt = append(p.session.models, api.Model{ID: "acme/new", Kind: api.KindImage}), fakeNow.Add(time.Minute)
		p.keys("ctrl+t", "alt+2", "alt+1", "tab", "enter")
		p.shows("acme/new")
		p.asked("models", 1)
	}},
	{"async can be left out", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys("ctrl+t", ":boat", "shift+tab")
		p.lacks("Async")
		p.keys("ctrl+k", ":async", "enter", "left")
		p.shows("leave it out")
		expect.Equal(p.t, p.bodySent(), `{"model":"acme/brush","prompt":"boat","size":"1K","quality":"medium","aspect_ratio":"1:1"}`, "sent")
	}},
	// Where the spec says that values depend on the model, its listing is a help and not a limit of what can be typed.
	{"choices rise and take a typed value", flyCreate("en", 120, 50, func(d *fakeSession) {
		for i := range d.models[1].Parameters {
			if p := &d.models[1].Parameters[i]; p.Name == "size" {
				p.Values = []string{"4K", "auto_2K", "1K", "512", "2K"}
			} else if p.Name == "quality" {
				p.Values = []string{"medium", "low", "high"}
			}
		}
	}), func(p *pilot) {
		p.keys(":boat", "tab", "tab", "tab", "tab", "tab", "tab")
		p.shows("┃Duration")
		p.typed("10")
		p.shows("850 credits")
		expect.Equal(p.t, p.kept("video").Duration, "10", "the duration")
		p.keys("ctrl+t", ":boat", "tab", "tab", "home", "enter")
		var order []int
		frame := p.screen()
		for _, v := range []string{"│▸ default", "│  512", "│  1K", "│  2K", "│  auto_2K", "│  4K"} {
			order = append(order, strings.Index(frame, v))
		}
		for i, at := range order {
			expect.Must(p.t, at >= 0 && (i == 0 || at >= order[i-1]), "the sizes do not rise", order, frame)
		}
		p.keys("esc", ":3K", "ctrl+s")
		p.lacks("Send this")
		p.shows("✗ Size must be one of")
		p.keys("backspace", "backspace", ":2K")
		p.lacks("✗")
		p.keys("tab", "home")
		p.shows("┃Quality", "default")
		p.keys("right")
		p.shows("‹ low ›")
	}},
	{"a material that is named without brackets, or is not there", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":@图片3 dances")
		p.shows("! @图片3 is plain text: a material is", "named as 【@图片3】.", "Review and send   ctrl+s")
		p.keys("home", ":【", "right", "right", "right", "right", ":】", "ctrl+s")
		p.shows("【@图片3】 has no material")
		p.lacks("plain text")
	}},
	{"a problem has the focus after sending is tried", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":a boat 【@图片3】", "ctrl+e", "|https://cdn.example.com/drops.mp3", "tab", "tab", "ctrl+s")
		p.lacks("Send this", "image_files", "audio_files", "functionMode")
		p.shows("2 problems")
		p.typed("!")
		p.shows("【@图片3】!")
	}},
	// Who is quicker than the listing gets the same request, and is told what there is to wait for.
	{"typing before the models are known", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.slow, d.newcomer = 4*time.Second, true
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}), func(p *pilot) {
		p.keys(":a boat", "ctrl+s")
		p.shows("┃ a boat", "The models are still being read.")
		p.lacks("Choose a model.", "✗")
		p.pass(9 * time.Second)
		p.typed("!")
		p.shows("┃ a boat!", "‹ 1K ›", "‹ medium ›", "‹ 1:1 ›")
		p.keys("ctrl+s")
		p.shows("Send this", "Size  1K")
	}},
	{"create asks for the models again while nothing answers", flyCreate("en", 120, 40, func(d *fakeSession) {
		unreachable(d)
		d.models = nil
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}), func(p *pilot) {
		p.keys(":a boat", "tab", "tab", "tab", "right")
		p.shows("‹ low ›", "api.example.com does not answer.", "Retrying in", "or now with ctrl+g")
		p.session.modelErr, p.session.models = nil, newFakeSession().models
		p.session.estimate = newFakeSession().estimate
		p.keys("ctrl+g", "~~")
		p.shows("‹ 1K ›", "6 credits")
		p.lacks("does not answer")
	}},
	{"create asks for the models again while a stored list has none for images", flyCreate("en", 120, 40, func(d *fakeSession) {
		unreachable(d)
		d.models = d.models[:1]
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}), func(p *pilot) {
		p.keys(":a boat", "ctrl+s")
		p.shows("Nothing can be sent: api.example.com does not answer.", "Retrying in", "Service not reachable")
		p.lacks("Choose a model.", "review and send")
		p.session.modelErr, p.session.models = nil, newFakeSession().models
		p.session.estimate = newFakeSession().estimate
		p.pass(time.Minute)
		p.shows("‹ 1K ›", "12 credits")
	}},
	// What the service has against a field stands beside it until the value changes, or until it is sent again as it is.
	{"create shows what the service said beside the fields", flyCreate("en", 120, 50, nil), func(p *pilot) {
		request := api.Request{
			Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast", Resolution: "720p", Duration: "5",
			ImageFiles: []string{"https://in.example.com/1.png", "https://in.example.com/2.png"},
		}
		for _, raw := range []string{
			`{"detail":[{"loc":["body","prompt"],"message":"names a person"},{"loc":["body","image_files",1],"message":"cannot be reached"}]}`,
			`{"message":"invalid","errors":{"prompt":["names a person"],"image_files.1":["cannot be reached"]}}`,
			`{"error":{"message":"bad","details":[{"field":"prompt","message":"names a person"},{"field":"image_files[1]","message":"cannot be reached"}]}}`,
		} {
			p.send(msg.LoadedMsg{Request: request, Problems: read.Error(422, nil, []byte(raw)).Fields})
			p.pass(time.Second)
			p.shows("✗ The service: names a person", "✗ The service: 图片2: cannot be reached")
			p.typed("s")
			p.lacks("names a person")
			p.shows("✗ The service: 图片2: cannot be reached")
			p.keys("ctrl+s")
			p.lacks("Send this")
			p.keys("ctrl+s")
			p.shows("Send this")
			p.keys("esc")
		}
		p.send(msg.LoadedMsg{Request: request, Problems: []api.FieldError{{Field: "webhook_url", Text: api.Clean("no", 9)}}})
		p.lacks("The service:")
	}},
	{"create shows a refusal", flyCreate("en", 120, 50, func(d *fakeSession) {
		d.raw = []byte(`{"error":{"message":"duration must be 10","param":"duration"}}`)
	}), func(p *pilot) {
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast", Resolution: "720p", Duration: "5"}})
		p.keys("~", "ctrl+s", "enter", "~")
		p.sends(1)
		sent := p.session.confirmed[0]
		p.send(msg.RefusedMsg{Request: sent.Request, Problems: read.Error(422, nil, p.session.raw).Fields})
		p.pass(time.Second)
		p.shows("see the marked fields in Create")
		p.keys("alt+1")
		p.shows("The service: duration must be 10")
		other := sent.Request
		other.Prompt = "another"
		p.send(msg.LoadedMsg{Request: sent.Request})
		p.lacks("The service:")
		p.send(msg.RefusedMsg{Request: other, Problems: read.Error(422, nil, p.session.raw).Fields})
		p.lacks("The service:")
	}},
}

// TestASentRequestIsNotKeptAsAnUnsentDraft: after sending the form keeps the
// request, and replacing it loses nothing until it is edited again.
func TestASentRequestIsNotKeptAsAnUnsentDraft(t *testing.T) {
	for _, c := range []struct {
		name  string
		edits []string
		kept  bool
	}{{"sent", nil, false}, {"edited again", []string{"end", "!"}, true}} {
		t.Run(c.name, func(t *testing.T) {
			flyCreate("en", 120, 40, nil)(t, func(p *pilot) {
				fillBoat(p)
				p.session.add(madeUpJob(0, "glass city", api.PhaseFailed))
				p.keys("ctrl+s", "enter")
				p.sends(1)
				p.pass(10 * time.Second)
				p.keys(c.edits...)
				p.keys("ctrl+r", "~", ":glass", "~", "enter")
				p.lacks("╭─ History")
				p.shows("glass city")
				const said = "Your draft is kept"
				if c.kept {
					p.shows(said)
				} else {
					p.lacks(said)
				}
			})
		})
	}
}

// A draft that costs more than when it was last sent says so beside its price.
func TestCreateSaysThatADraftBecameDearer(t *testing.T) {
	t.Parallel()
	for sent, says := range map[api.Credits]bool{340: true, 425: false, 500: false} {
		fly(120, 40, func(d *fakeSession) {
			right := d.estimate
			d.estimate = func(r api.Request) (api.Estimate, error) {
				e, err := right(r)
				e.Sent, e.SentAt = sent*api.Credit, fakeNow.AddDate(0, 0, -9)
				return e, err
			}
		})(t, func(p *pilot) {
			p.keys("alt+1", "ctrl+t", ":a boat", "~~")
			p.shows("425 credits")
			said := strings.Contains(p.screen(), "More expensive")
			p.expect(said == says && said == strings.Contains(p.screen(), "than when last sent: 340"), "sent for %d before:\n%s", sent, p.screen())
		})
	}
}

// breach is a rule of api/testdata/rules.json, broken as a person types.
type breach struct {
	rule     string // its name in the table
	prepare  func(*fakeSession)
	keys     []string // steps
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
	const private, form = "The service cannot reach", "full URL"
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
		{"size that the model does not list", nil, []string{"ctrl+t", ":a boat", "tab", "tab", ":3K"}, "Size", "Size must be one of", []string{"ctrl+u", ":2K"}},
		{"ratio that the model does not list", nil, []string{"ctrl+t", ":a boat", "tab", "tab", "tab", "tab", ":7:1"}, "Ratio", "Ratio must be one of", []string{"ctrl+u", ":1:1"}},
		{"image_url that the model requires", listedAs(1, api.Parameter{Name: "image_url", Required: true}), []string{"ctrl+t", ":a boat"}, "Materials", "This model needs Image", []string{"ctrl+e", "|https://cdn.example.com/a.png"}},
		address("image_url that is no address", "boat", "Enter the full URL"),
		address("address ftp", "ftp://cdn.example.com/a.png", "Enter the full URL"),
		address("address file", "file:///home/you/a.png", "is a local file"),
		address("address data", "data:image/png;base64,AAAA", ""),
		address("address without host", "https:///a.png", "has no host"),
		address("address with an empty host", "https://:443/a.png", "has no host"),
		address("address with a space", "https://cdn.example.com/a b.png", "cannot contain spaces"),
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
		{"seed that JSON readers round", nil, []string{":a boat", "shift+tab", ":9007199254740993"}, "Seed", "The seed must be between", []string{"backspace"}},
		{"duration 0", free, []string{":a boat", "tab", "tab", "tab", "tab", "tab", "tab", "backspace", ":0"}, "Duration", "above 0", []string{"backspace", ":5"}},
		{"negative duration", free, []string{":a boat", "tab", "tab", "tab", "tab", "tab", "tab", "backspace", ":-5"}, "Duration", "above 0", []string{"home", "delete"}},
		duration("duration below the listed minimum", "1", "Duration must be at least 4 s", ":12"),
		duration("duration above the listed maximum", "120", "Duration must be at most 12 s", "backspace"),
		duration("duration that is no number where bounds are listed", "5s", "must be a number", "backspace"),
		{"duration that is not listed", nil, []string{":a boat", "tab", "tab", "tab", "tab", "tab", "tab", ":7"}, "Duration", "Duration must be one of", []string{"backspace", ":5"}},
		{"fast_vip at 1080p", nil, []string{":a boat", "tab", "tab", "tab", "tab", "end", "tab", "end", "shift+tab", "left"}, "Resolution", "fast_vip comes in 480p, 720p only", []string{"right"}},
		{"【@图片1】 without any", nil, []string{":a 【@图片1】"}, "Prompt", "【@图片1】 names a material that is not there", []string{"backspace"}},
		{"【@图片2】 without its material", nil, []string{":a 【@图片2】", "ctrl+e", "|" + addresses(1, ".png")}, "Prompt", "【@图片2】 names a material that is not there", []string{"ctrl+e", "|" + addresses(1, ".png")}},
		{"【@图片0】", nil, []string{":a 【@图片0】"}, "Prompt", "【@图片0】 named a material", []string{"backspace"}},
		{"【@音频1】 without any", nil, []string{":a 【@音频1】"}, "Prompt", "【@音频1】 names a material that is not there", []string{"backspace"}},
		{"【@视频1】 without any", nil, []string{":a 【@视频1】"}, "Prompt", "【@视频1】 names a material that is not there", []string{"backspace"}},
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
			if strings.Contains(plain[j], " / 5,000 ") {
				return "Prompt"
			}
			for _, label := range []string{"Mode ", "Materials", "Model", "Tier", "Size", "Quality", "Ratio", "Resolution", "Duration", "Seed", "More"} {
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
	simtest.NoError(t, json.Unmarshal(simtest.Must(os.ReadFile("../api/testdata/rules.json"))(t), &table))
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
			flyCreate("en", 120, 40, c.prepare)(t, func(p *pilot) {
				p.pass(time.Second)
				p.keys(append(c.keys, "ctrl+s")...)
				p.lacks("Send this")
				got := p.labelAbove(c.sentence)
				expect.Must(t, strings.Contains(got, c.label), "no", c.label, "above", c.sentence, "but", got, p.screen())
				p.keys(c.mend...)
				expect.Equal(t, p.labelAbove(c.sentence), "", c.sentence, "is still there", p.screen())
				p.sends(0)
			})
		})
	}
	t.Logf("%d breaches", len(all))
}

func TestCreateBreaches(t *testing.T) { flyEach(t, createBreachesFlights) }

var createBreachesFlights = []flight{
	{"text in a field triggers nothing", flyCreate("en", 120, 40, nil), func(p *pilot) {
		var ascii strings.Builder
		for r := ' '; r <= '~'; r++ {
			ascii.WriteRune(r)
		}
		p.typed(ascii.String())
		p.keeps("video", ascii.String())
		p.keys("ctrl+e", ":"+strings.TrimSpace(ascii.String()))
		expect.List(p.t, p.kept("video").ImageFiles, []string{strings.TrimSpace(ascii.String())}, "typed into the line of a material")
		lines := strings.Repeat("yes y q 1 ? x\r\n", 200)
		p.keys("|"+lines, "shift+tab", "shift+tab", "|"+lines)
		expect.Equal(p.t, strings.Count(p.kept("video").Prompt, "yes y q 1 ? x"), 200, "of 200 pasted lines are in the prompt")
		p.expect(len(p.session.confirmed) == 0 && !p.quit && p.app.top() == nil, "text in a field did something")
	}},
	// 100 KiB in the prompt, and a key after it.
	{"a large paste keeps the screen alive", flyCreate("en", 120, 40, nil), func(p *pilot) {
		text := strings.Repeat("纸船 drifts down. ", 100<<10/18)
		p.keys("|"+text, ":!")
		p.shows("✗ The prompt has", "of at most 5,000")
		p.keeps("video", text+"!")
		p.keys("ctrl+a", "backspace", ":short")
		p.lacks("✗ The prompt has")
	}},
}
