package ui

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
)

func gutterIsGone(d *fakeSession) {
	d.public = func(address string) error {
		if strings.Contains(address, "gutter") {
			return &api.Fault{Reason: api.Sentence("is %v for the public").Reason(404)}
		}
		return nil
	}
}

func TestCreateMaterials(t *testing.T) { flyEach(t, createMaterialsFlights) }

var createMaterialsFlights = []flight{
	// Nobody is asked before the person agreed, each address once, and what is typed is not asked for.
	{"create asks whether materials are public", flyCreate("en", 120, 40, gutterIsGone), func(p *pilot) {
		fillBoat(p)
		p.pass(time.Minute)
		p.asked("public ", 0)
		p.keys("ctrl+p", "esc")
		p.pass(time.Minute)
		p.asked("public ", 0)
		expect.That(p.t, !p.session.mayAsk, "a no is kept as a yes")
		p.keys("ctrl+p")
		p.shows("Check that your links are public?", "without your", "The hosts will see your IP address.")
		p.keys("y")
		p.shows("! 图片2 is 404 for the public")
		p.asked("public ", 3)
		expect.That(p.t, p.session.mayAsk, "the yes is not kept")
		p.typed("one more word")
		p.pass(time.Minute)
		p.asked("public ", 3)
		// Moved, it keeps what is known under its new name; a new one is asked for
		// before the review.
		p.keys("ctrl+e", "up", "up", "alt+up")
		p.shows("! 图片1 is 404 for the public")
		p.keys("ctrl+e", "|https://cdn.example.com/new.png")
		p.pass(time.Minute)
		p.asked("public ", 3)
		p.keys("ctrl+s")
		p.asked("public ", 4)
		p.asked("public https://cdn.example.com/new.png", 1)
		p.keys("esc", "ctrl+p")
		p.asked("public ", 8)
		p.keys("ctrl+s")
		p.shows("Send this", "! 图片1 is 404 for the public") // the service knows better
		p.keys("enter")
		p.shows("send anyway", "Press enter again")
		p.sends(0)
		p.keys("enter")
		p.sends(1)
	}},
	{"one kind of materials has no other", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys("ctrl+t", "ctrl+e", "|https://a.example/1.png\nhttps://a.example/2.png", "up")
		p.shows("Image: there can be one. Remove 1. ", "delete remove")
		p.lacks("←/→")
	}},
	{"create says in one line what is not public", flyCreate("zh", 80, 24, func(d *fakeSession) { gutterIsGone(d); d.mayAsk = true }), func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+s", "esc")
		p.shows("图片2 公开访问时返回 404")
		onlyNamesInEnglish(p.t, p)
	}},
	// What a check found stands beside each row, and what is wrong with it.
	{"materials show what is known of them", flyCreate("en", 120, 40, func(d *fakeSession) {
		gutterIsGone(d)
		d.mayAsk, d.link = true, state.Link{Status: 200, Type: "image/png", Bytes: 3_200_000}
	}), func(p *pilot) {
		p.keys(":boat", "ctrl+e")
		until := fakeNow.Add(43*time.Minute + time.Second).Unix()
		p.paste(fmt.Sprintf("https://cdn.example.com/boat.png\nhttps://cdn.example.com/gutter.png\nhttps://cdn.example.com/boat.png\nhttps://cdn.example.com/s.png?Expires=%d", until))
		p.shows("same as 图片1", "link expires in 4") // minutes: keys take time here
		p.keys("ctrl+p")
		p.shows("png · 3.2 MB · public ✓", "is 404 for the public")
		p.session.link = state.Link{Status: 200, Type: "text/html"}
		p.keys("|https://cdn.example.com/page.png", "ctrl+p")
		p.shows("is a page, not a file")
	}},
	// Without a key, to its end.
	{"the end of a link comes nearer", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys("ctrl+e")
		until := fakeNow.Add(3*time.Hour + 30*time.Second)
		p.paste(fmt.Sprintf("https://cdn.example.com/s.png?Expires=%d", until.Unix()))
		p.shows("link expires in 3 h")
		for _, at := range []struct {
			left time.Duration
			says string
		}{{2*time.Hour + time.Minute, "in 2 h"}, {59*time.Minute + time.Second, "in 59 min"}, {49 * time.Minute, "in 49 min"}, {30 * time.Second, "in 30 s"}} {
			p.send(msg.TickedMsg{At: until.Add(-at.left)})
			p.shows("link expires " + at.says)
			p.expect(p.app.screens[msg.PlaceCreate].(interface{ Ticking() bool }).Ticking(), "no clock for a link that expires")
		}
		p.send(msg.TickedMsg{At: until})
		p.shows("link has expired")
		p.lacks("link expires in")
	}},
	{"an expired material is a warning in the review, and one that expires meanwhile is another", flyCreate("en", 80, 24, func(d *fakeSession) {
		d.submitErr = func(c state.Confirmed) error {
			if c.Warned.Before(fakeNow.Add(time.Hour)) {
				return &state.Refusal{Code: "link", Fault: *api.ReasonText.Fault(nil, "a link has expired")}
			}
			return nil
		}
	}), func(p *pilot) {
		p.keys(":a boat", "ctrl+e", "|https://cdn.example.com/a.png?X-Amz-Date=20200101T000000Z&X-Amz-Expires=3600", "~")
		p.shows("! 1 link has expired ctrl+e")
		p.keys("ctrl+s", "~")
		p.shows("Send this", "! 图片1 link has expired")
		p.app.env.Clock = func() time.Time { return fakeNow.Add(2 * time.Hour) }
		p.keys("enter")
		p.shows("图片1 link has expired. Press enter again to send anyway.")
		p.sends(0)
		p.keys("enter", "~")
		p.shows("A link has expired. Press enter again to send anyway.", "Send anyway")
		p.keys("enter", "~")
		p.sends(2)
		p.lacks("Send anyway")
	}},
	{"a material that is a result ends as the service said", flyCreate("en", 80, 24, func(d *fakeSession) {
		d.add(resultThatEnds(fakeNow))
	}), func(p *pilot) {
		p.keys(":a boat", "ctrl+e", "|https://cdn.example.com/ends.png", "~")
		p.shows("! 1 link has expired ctrl+e")
		p.keys("ctrl+s", "~")
		p.shows("Send this", "! 图片1 link has expired")
	}},
	{"a result that is used ends as the service said", fly(120, 40, func(d *fakeSession) {
		d.add(resultThatEnds(fakeNow.Add(2 * time.Minute)))
	}).then(func(p *pilot) {
		p.keys("alt+2", "~", "u", "~")
	}), func(p *pilot) {
		p.shows("Added as Image. Link expires in 2 min.")
		p.send(msg.TickedMsg{At: fakeNow.Add(2 * time.Minute)})
		p.shows("link has expired")
	}},
	// A row is typed to its end: what is wrong with it shows without leaving the list.
	{"the problem of a row shows at once", flyCreate("en", 120, 40, nil), func(p *pilot) {
		for address, says := range map[string]string{"hello": "Enter the full URL", "ftp://a.example/1.png": "Enter the full URL",
			"https://10.0.0.1/1.png": "The service cannot reach", "/no/such/file.png": "is a local file"} {
			p.keys("ctrl+e", ":"+address)
			p.lacks("✗")
			p.keys("enter")
			p.shows("✗ 图片1: ", says)
			p.keys("up", "delete")
		}
	}},
	{"a local file without a command", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":boat", "ctrl+e", "|/home/you/boat.png", "tab")
		p.shows("✗ 图片1: /home/you/boat.png is a local file, and the service")
		p.keys("alt+u")
		p.shows("The service takes URLs only. Set upload in the settings")
		p.asked("upload ", 0)
		p.keys("ctrl+e", "|'/home/you/my clip.mp4' '/home/you/it'\\''s.png'", "|/tmp/a\\ /b.wav /tmp/c.png '/tmp/d e.png'",
			`|C:\b.mp4 "D:\my d.mp3" E:\e.png`)
		p.shows("视频1         ▶ '/home/you/my clip.mp4'", "图片2         ▩ '/home/you/it'", "音频1         ♪ /tmp/a\\ /b.wav", "图片3         ▩ /tmp/c.png",
			"图片4         ▩ '/tmp/d e.png'", `视频2         ▶ C:\b.mp4`, `音频2         ♪ "D:\my d.mp3"`, `图片5         ▩ E:\e.png`)
	}},
	// With its path and the command in view, each by itself, never by a paste; the address takes the path's place, undoable.
	{"a local file is uploaded when asked", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.settings, d.uploaded = uploading, "https://cdn.example.com/up.png"
	}), func(p *pilot) {
		p.keys(":boat", "ctrl+e", "|'/home/you/my boat.png'\n/home/you/other.png", "up", "up", "alt+u")
		p.shows("Upload this file?", "/home/you/my boat.png", "rclone copyto /home/you/my boat.png", "there:pictures")
		p.keys("|y\ny\n", "esc")
		p.asked("upload ", 0)
		p.keys("alt+u", "y", "~")
		p.shows("Uploaded as up.png · cdn.example.com.", "图片1         ▩ up.png · cdn.example.com", "is a local file: alt+u")
		expect.List(p.t, p.session.noted("upload "), []string{"upload /home/you/my boat.png"}, "uploaded")
		p.keys("alt+z")
		p.shows("my boat.png'")
		p.keys("alt+y")
		p.session.uploadErr = errors.New("the upload command failed: no space left")
		p.keys("down", "alt+u", "y", "~")
		p.shows("The upload command failed: no space left.", "/home/you/other.png")
	}},
	{"a frame of a clip is the next one's first, and says what that needs", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":a draft")
		p.send(nextShot)
		p.shows("‹ standard_vip ›", "1080p", "First frame", "✗ First frame: /home/you/koi-frame-4.96s.png is a local file", "Set upload in the settings", "9:16")
		p.keys(":it dives")
		p.keeps("video", "it dives")
		expect.Equal(p.t, p.kept("video").ImageURL, nextShot.Request.ImageURL, "the first frame")
		p.asked("upload ", 0)
	}},
	{"a frame of a clip is uploaded when asked", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.settings, d.uploaded = uploading, "https://cdn.example.com/up.png"
	}), func(p *pilot) {
		p.send(nextShot)
		p.shows("Upload this file?", "/home/you/koi-frame-4.96s.png")
		p.keys("y", "~")
		p.shows("up.png · job job1")
		p.keys("ctrl+s", "~", "enter")
		p.sends(1)
		r := p.session.confirmed[0].Request
		expect.Equal(p.t, r.ImageURL, "https://cdn.example.com/up.png", "the first frame")
		expect.Equal(p.t, r.FunctionMode+" "+r.Prompt, api.ModeFirstLastFrame+" a koi", "the mode and the prompt")
	}},
	{"in the demo a frame is served at once", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.settings, d.uploaded, d.health.Demo = uploading, "https://cdn.example.com/up.png", true
	}), func(p *pilot) {
		p.send(nextShot)
		p.lacks("Upload this file?", "None of the materials")
		expect.List(p.t, p.session.noted("upload "), []string{"upload " + nextShot.Request.ImageURL}, "uploaded")
	}},
	{"why no fresh link could be asked for is said", useAnExpiredResult(func(d *fakeSession) { d.noFresh = errors.New("the service is not reachable") }), func(p *pilot) {
		p.shows("not reachable")
		p.expect(p.kept("image").ImageURL != "", "nothing was added")
	}},
	// It is said, and its saved file is asked about when there is a command that uploads it.
	{"a result whose link has expired is offered for upload", useAnExpiredResult(func(*fakeSession) {}), func(p *pilot) {
		p.shows("Added as Image, but its link has expired. With the setting upload its file can be")
		p.lacks("Upload this file?")
	}},
	{"an expired result is uploaded", useAnExpiredResult(func(d *fakeSession) { d.settings = uploading }), func(p *pilot) {
		p.shows("Added as Image, but its link has expired.", "Upload this file?", "rclone copyto")
		p.keys("y", "~")
		expect.Equal(p.t, p.kept("image").ImageURL, "https://cdn.example.com/up.png", "the draft")
		p.lacks("link has expired")
		p.asked("upload ", 1)
	}},
	{"a result whose link has expired is asked for a fresh one", useAnExpiredResult(func(d *fakeSession) { d.settings, d.fresh = uploading, "https://cdn.example.com/fresh.png" }), func(p *pilot) {
		p.shows("Added as Image.")
		p.lacks("Upload this file?")
		p.asked("fresh links of ", 1)
		expect.Equal(p.t, p.kept("image").ImageURL, "https://cdn.example.com/fresh.png", "the draft")
	}},
}

var nextShot = msg.LoadedMsg{Frame: "job1", Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "a koi", VideoModel: "standard_vip",
	Resolution: "1080p", Duration: "10", AspectRatio: "9:16"}.Next("/home/you/koi-frame-4.96s.png")}

// resultThatEnds is a job with a result whose link works until then.
func resultThatEnds(until time.Time) state.Job {
	j := madeUpJob(1, "a boat", api.PhaseDone)
	j.ExpiresAt, j.Files[0].URL = until, "https://cdn.example.com/ends.png"
	return j
}

// useAnExpiredResult uses a result with an expired link as a reference.
func useAnExpiredResult(prepare func(*fakeSession)) start {
	return fly(120, 40, func(d *fakeSession) {
		d.fill(13)
		for id, j := range d.jobs {
			j.ExpiresAt = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
			d.jobs[id] = j
		}
		d.uploaded = "https://cdn.example.com/up.png"
		prepare(d)
	}).then(func(p *pilot) {
		p.keys("alt+1", "ctrl+t", "alt+2", "j", "j", "j", "j", "j", "~", "u", "~")
	})
}

var uploading = state.Settings{BaseURL: "https://api.example.com", Upload: []string{"rclone", "copyto", "{file}", "there:pictures"}}

// TestOnlyLinksAreChecked: the key says what is there instead of a link, and that of uploads that there is no file.
func TestOnlyLinksAreChecked(t *testing.T) {
	for typed, says := range map[string]string{
		"": "There is no material with a link yet: add one first.", "/tmp/b.png": "/tmp/b.png is a local file: it has no link to check.",
	} {
		flyCreate("en", 120, 40, nil)(t, func(p *pilot) {
			p.keys("ctrl+e")
			p.paste(typed)
			p.keys("enter", "ctrl+p")
			p.shows(says)
			if p.keys("alt+u"); typed == "" {
				p.shows("None of the materials is a local file.")
			}
		})
	}
}

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
	looks(t, []flight{
		{"all-120x40", flyCreate("en", 120, 40, versionsOf), func(p *pilot) { p.keys(":a paper boat", "ctrl+r", "~") }},
		{"versions-120x40", flyCreate("en", 120, 40, versionsOf), func(p *pilot) { p.keys(":a paper boat", "ctrl+r", "~", "alt+v", "down", "down", "~") }},
		{"versions-zh-80x24", flyCreate("zh", 80, 24, versionsOf), func(p *pilot) {
			p.keys(":a paper boat", "ctrl+r", "~", "alt+v", "down", "down", "down", "~")
		}},
	})
}

func TestCreateMemory(t *testing.T) { flyEach(t, createMemoryFlights) }

var createMemoryFlights = []flight{
	{"names of saved prompts", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys("alt+s", ":look", "alt+s")
		p.shows("Write a prompt first.")
		p.keys("esc", ":a boat", "alt+s", "alt+s")
		p.shows("Type a name first.")
		p.keys(":../look", "alt+s")
		p.shows("A file cannot have this name.")
		p.expect(len(p.session.savedPrompts) == 0, "kept %q", p.session.savedPrompts)
	}},
	{"other pastes are text", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.paste(`{"scene":"a boat"}`)
		p.lacks("Fill the form")
		p.keeps("video", `{"scene":"a boat"}`)
		expect.Equal(p.t, p.kept("video").Kind, api.KindVideo, "the draft")
		p.keys("|/no/such/picture.png", "~")
		p.keeps("video", `{"scene":"a boat"}/no/such/picture.png`)
		p.keys("ctrl+e") // another field than the prompt
		p.paste(`{"model":"acme/brush","prompt":"a"}`)
		p.pass(time.Second)
		p.lacks("Fill the form")
	}},
	// An answer to an earlier search, or to the search of a history that was closed, changes nothing.
	{"the answer of the last search counts", flyCreate("en", 120, 40, func(d *fakeSession) { d.fill(13).slow = 3 * time.Second }), func(p *pilot) {
		p.pass(time.Minute)
		p.keys("ctrl+r", ":ko", "~", "esc", "ctrl+r", ":tr") // answered after 3 and 4 seconds
		for _, wait := range []time.Duration{2500 * time.Millisecond, 550 * time.Millisecond} {
			p.pass(wait)
			p.lacks("neon koi,", "glass city,")
		}
		p.keys("~")
		p.shows("▸ no p…  tram in the rain")
		p.lacks("glass city,")
		p.session.failRead()
		p.keys(":x", "~", "~", "~", "~")
		p.shows("The disk refused the store.")
		p.keys("enter")
		p.shows("No request matches.")
	}},
	// The tree has each prompt below the one that it was made from, says what is new in it, and restores the request.
	{"versions of a prompt", flyCreate("en", 120, 40, versionsOf), func(p *pilot) {
		p.keys("ctrl+r", "~", "down", "alt+v")
		p.shows("all · versions", "└ … rain gutter at dusk", "▸ ▀▀▀▀     └ … at dusk, macro lens") // what was selected stays so
		p.keys(":macro", "~")
		p.lacks("neon koi in a pond  ")
		p.repeat(5, "backspace")
		p.keys("~", "down", "down")
		p.shows("New words of this version")
		p.keys("down", "up", "enter")
		got := p.kept("video").Prompt
		p.expect(strings.HasPrefix(got, "a paper boat drifts down a rain gutter at dusk"), "restored %q", got)
	}},
	// A prompt is kept under a name, inserted, and its placeholders are stepped through; what is not filled in is pointed out.
	{"saved prompts", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":{{subject}} at {{light}}, {{subject}}, macro", "alt+s")
		p.shows("Saved prompts", "No prompt is saved yet.")
		p.keys(":look", "alt+s", "~")
		p.shows("Saved as look.", "{{subject}} at {{light}}")
		p.keys("esc", "ctrl+a", "backspace", "alt+s", "~", ":LOO", "enter", ":a boat", "tab", "tab", ":a koi")
		p.keys("shift+tab", "tab") // out of the field and back
		p.keeps("video", "a boat at {{light}}, a koi, macro")
		p.keys("ctrl+s")
		p.shows("{{light}} is not filled in: it is sent as it is.")
		p.keys("esc", "alt+s", "~", ":look", "alt+s")
		p.shows("Replace the saved prompt look?")
		p.keys("y", "~")
		expect.Equal(p.t, p.session.savedPrompts["prompts/look"], "a boat at {{light}}, a koi, macro", "kept")
		p.repeat(4, "backspace")
		p.keys("alt+x", "y", "~")
		p.shows("No prompt is saved yet.")
		p.expect(len(p.session.savedPrompts) == 0, "left: %q", p.session.savedPrompts)
	}},
	// A result is kept as one, found by @ in the prompt and as a row, and added once.
	{"named materials", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.results = map[string]string{"https://cdn.example.com/hero.png": "01JOB"}
	}), func(p *pilot) {
		p.keys("alt+m", ":hero", "alt+s")
		p.shows("Add a material first.")
		p.keys("esc", "ctrl+e", ":https://cdn.example.com/hero.png", "enter", "alt+m", ":the hero", "alt+s")
		p.shows("A name has letters, digits, - and _ only.")
		p.keys("ctrl+u", ":hero", "alt+s", "~")
		p.shows("Saved as hero.")
		expect.Equal(p.t, p.session.savedPrompts["cast/hero"], "job:01JOB/1", "kept")
		p.session.savedPrompts["cast/hero"] = "https://cdn.example.com/fresh.png" // as it is found
		p.keys("esc", "shift+tab", "shift+tab", ":@")
		p.shows("@hero")
		p.keys("enter", ":walks, and @hero, wav", "~", ":es", "~")
		got := p.kept("video")
		if images := strings.Join(got.ImageFiles, " "); got.Prompt != "【@图片2】 walks, and 【@图片2】, waves" ||
			images != "https://cdn.example.com/hero.png https://cdn.example.com/fresh.png" {
			p.t.Errorf("the form has %+v", got)
		}
	}},
	// Those that were sent with it last, but not over what the person has just set.
	{"a model brings back its values", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.models = append(d.models, api.Model{ID: "other/pen", Kind: api.KindImage, Parameters: d.models[1].Parameters})
		d.add(madeUpJob(1, "a boat", api.PhaseDone)) // acme/brush, 2K, high
		j := madeUpJob(3, "a koi", api.PhaseDone)
		j.Model, j.Request.Model, j.Request.Size, j.Request.Quality = "other/pen", "other/pen", "1K", "low"
		d.add(j)
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage},
			"image": {Kind: api.KindImage, Model: "other/pen", Prompt: "a tram", Size: "4K", Quality: "medium"}}
	}), func(p *pilot) {
		has := func(model, size, quality string) {
			p.t.Helper()
			got := p.kept("image")
			expect.All(p.t, strings.Join([]string{model, size, quality}, " "), got.Model, got.Size, got.Quality)
		}
		p.keys("tab", "right")
		has("acme/brush", "2K", "high")
		p.keys("right")
		has("other/pen", "1K", "low")
		p.keys("tab", "tab", "right", "shift+tab", "shift+tab", "right")
		has("acme/brush", "2K", "medium")
	}},
	{"materials that are our results", flyCreate("en", 120, 40, withResults), func(p *pilot) {
		p.keys("alt+r", "right", "right", "right", "right", "right", "u", "~", "esc", "~")
		line := lineWith(p, "图片1")
		p.expect(strings.Contains(line, "▀") && !strings.Contains(line, "▩") && strings.Contains(line, "job0"), "the row is %q", line)
	}},
	{"materials that are our results after a restart", flyCreate("en", 120, 40, func(d *fakeSession) {
		withResults(d)
		d.drafts = map[string]api.Request{"video": {Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast",
			ImageFiles: []string{"https://cdn.example.com/job000005.png", "https://cdn.example.com/other.png"}}}
	}), func(p *pilot) {
		p.pass(time.Second)
		expect.Contains(p.t, lineWith(p, "图片1"), "▀", "after a restart")
		expect.Contains(p.t, lineWith(p, "图片1"), "job0", "after a restart")
		expect.Contains(p.t, lineWith(p, "图片2"), "▩ other.png · cdn.example.com", "another row")
	}},
}

// lineWith is the first line of the screen that holds a text.
func lineWith(p *pilot, text string) string {
	p.shows(text)
	return strings.Split(p.screen(), "\n")[p.lineOf(text)]
}

func TestAPastedRequestOffersToFillTheForm(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"recipe": `{"job":"7f3a","kind":"image","model":"acme/brush","request":{"kind":"image","model":"acme/brush","prompt":"a lighthouse","size":"2K","quality":"high"},"files":[]}`,
		"body":   `{"model":"acme/brush","prompt":"a lighthouse","size":"2K","quality":"high","async":true}`,
		"file":   saved(t),
		"curl":   "curl https://api.example.com/api/v1/images/generations \\\n  --data-raw '{\"model\":\"acme/brush\",\"prompt\":\"a lighthouse\",\"size\":\"2K\",\"quality\":\"high\"}'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flyCreate("en", 120, 40, nil)(t, func(p *pilot) {
				p.keys(":mine ", "|"+text)
				p.shows("Fill the form with it?", "a lighthouse")
				p.burst("y")
				p.shows("Fill the form with it?", "Press enter again.")
				p.keys("y")
				p.lacks("Fill the form with it?")
				p.shows("[Image] Video", "acme/brush")
				got := p.kept("image")
				expect.That(t, got.Prompt == "a lighthouse" && got.Size == "2K" && got.Quality == "high" && got.Model == "acme/brush",
					"the form has", got)
				p.sends(0)
			})
			flyCreate("en", 120, 40, nil)(t, func(p *pilot) {
				p.keys(":mine ", "|"+text, "esc")
				p.lacks("Fill the form with it?")
				p.keeps("video", "mine "+text)
			})
		})
	}
}

// saved is how a terminal pastes a file with a recipe that is dropped on it.
func saved(t *testing.T) string {
	path := simtest.File(t, filepath.Join(t.TempDir(), "light house.darkroom.json"),
		`{"model":"acme/brush","prompt":"a lighthouse","size":"2K","quality":"high"}`)
	return "'" + path + "'"
}
