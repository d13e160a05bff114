//go:build linux

package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// Keys that terminal.write does not name.
const (
	backTab   = "\x1b[Z"
	materials = "\x05" // ctrl+e
	altUp     = "\x1b[1;3A"
	homeKey   = "\x1b[H"
	video     = "<ctrl+t>"
)

// pasted is a text as a terminal with bracketed paste hands it over.
func pasted(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// typedBody is a request as a person types it, and the body that it becomes.
type typedBody struct {
	name string
	keys []string // each in one write
	body string
}

func at(file string) string { return "https://in.example.com/" + file }

// many are n addresses of files.
func many(n int, name, end string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = at(fmt.Sprintf("%s%d.%s", name, i+1, end))
	}
	return out
}

func list(addresses []string) string { return `["` + strings.Join(addresses, `","`) + `"]` }

const (
	stillRest = `"size":"1K","quality":"medium","aspect_ratio":"1:1","async":true}`
	videoRest = `"duration":5,"ratio":"16:9","resolution":"720p","video_model":"fast","async":true}`
)

func stillBody(prompt string) string {
	return `{"model":"lumen/still-1","prompt":` + api.JSONString(prompt) + `,`
}
func videoBody(prompt string) string {
	return `{"model":"seedance2","prompt":` + api.JSONString(prompt) + `,`
}

func typedBodies() []typedBody {
	chinese := strings.Repeat("纸船漂流", 1250)
	pictures, clips, sounds := many(9, "i", "png"), many(3, "v", "mp4"), many(3, "a", "mp3")
	all := strings.Join(append(append(append([]string{}, pictures...), clips...), sounds...), "\r")
	tokens := "【@图片1】【@图片9】【@视频3】【@音频3】"
	largest := chinese[:len(chinese)-3*len([]rune(tokens))] + tokens
	references := `"image_files":` + list(pictures) + `,"video_files":` + list(clips) + `,"audio_files":` + list(sounds) + `,`
	return []typedBody{
		{"image as it opens", []string{"a boat"}, stillBody("a boat") + stillRest},
		{"image with every choice", []string{"a boat", "<tab><tab>", "<right><right><right>", "<tab>", "<right>", "<tab>", "<right><right>"},
			stillBody("a boat") + `"size":"4K","quality":"high","aspect_ratio":"9:16","async":true}`},
		{"image with values left to the service", []string{"a boat", "<tab><tab>", homeKey, "<tab>", homeKey, "<tab>", homeKey},
			stillBody("a boat") + `"async":true}`},
		{"image with a typed size and ratio", []string{"a boat", "<tab><tab>", "auto_2K", "<tab><tab>", "21:9"},
			stillBody("a boat") + `"size":"auto_2K","quality":"medium","aspect_ratio":"21:9","async":true}`},
		{"image from an image", []string{"a boat", materials, at("boat.png")},
			stillBody("a boat") + `"size":"1K","quality":"medium","aspect_ratio":"1:1","image_url":"` + at("boat.png") + `","async":true}`},
		{"image of several lines and signs", []string{"《纸船》 \"a\" <b> & 'c' \\", "\r", "👨‍👩‍👧 second line"},
			stillBody("《纸船》 \"a\" <b> & 'c' \\\n👨‍👩‍👧 second line") + stillRest},
		{"image of 5,000 Chinese characters", []string{pasted(chinese)}, stillBody(chinese) + stillRest},
		{"image with async false", []string{"a boat", "<ctrl+k>", "more settings", "<enter>", "<right>"},
			stillBody("a boat") + strings.Replace(stillRest, "true}", "false}", 1)},
		{"image without async", []string{"a boat", "<ctrl+k>", "more settings", "<enter>", "<left>"},
			stillBody("a boat") + strings.Replace(stillRest, `,"async":true`, "", 1)},
		{"image corrected while it is typed", []string{"a bot", "<left>", "a", "\x1b[F", "!", "\x7f"}, stillBody("a boat") + stillRest},

		{"video as it opens", []string{video, "a boat"}, videoBody("a boat") + videoRest},
		{"video at the highest tier", []string{video, "a boat", "<tab><tab><tab><tab>", "<left>", "<tab>", "<right>", "<tab>", "\x7f12", "<tab>", "<right>", "<tab>", "41"},
			videoBody("a boat") + `"seed":41,"duration":12,"ratio":"9:16","resolution":"1080p","video_model":"standard_vip","async":true}`},
		{"video at the lowest price", []string{video, "a boat", "<tab><tab><tab><tab>", "<right><right>", "<tab>", "<left>", "<tab>", "\x7f4"},
			videoBody("a boat") + `"duration":4,"ratio":"16:9","resolution":"480p","video_model":"fast_vip","async":true}`},
		{"video with a negative seed, without ratio and async", []string{video, "a boat", "<ctrl+k>", "more settings", "<enter>", "<left>", backTab, backTab, "-7", backTab, homeKey},
			videoBody("a boat") + `"seed":-7,"duration":5,"resolution":"720p","video_model":"fast"}`},
		{"video with materials of each kind", []string{video, materials, at("boat.png") + "\r", at("clip.mp4") + "\r", at("drops.mp3") + "\r", backTab, backTab, "@", "<enter>", " to @", "<down><down>", "<enter>"},
			videoBody("【@图片1】 to 【@音频1】") + `"image_files":["` + at("boat.png") + `"],"video_files":["` + at("clip.mp4") + `"],"audio_files":["` + at("drops.mp3") + `"],` + videoRest},
		{"video with a single image and video beside the lists", []string{video, "a boat", materials, pasted(at("1.png") + "\r" + at("2.png") + "\r" + at("3.mp4")), "<up>", "<left>", "<up>", "<left>"},
			videoBody("a boat") + `"image_url":"` + at("2.png") + `","image_files":["` + at("1.png") + `"],"video_url":"` + at("3.mp4") + `",` + videoRest},
		{"video from first to last frame", []string{video, "a boat", "<tab>", "<right>", "<tab>", at("first.png") + "\r", at("last.png")},
			videoBody("a boat") + `"image_url":"` + at("first.png") + `","end_image_url":"` + at("last.png") + `","functionMode":"first_last_frame",` + videoRest},
		{"video from a first frame", []string{video, "a boat", "<tab>", "<right>", "<tab>", at("first.png")},
			videoBody("a boat") + `"image_url":"` + at("first.png") + `","functionMode":"first_last_frame",` + videoRest},
		{"video whose materials were moved", []string{video, materials, pasted(at("1.png") + "\n" + at("2.png") + "\n" + at("3.png")), backTab, backTab, "@", "<down><down>", "<enter>", materials, "<up>", altUp, altUp},
			videoBody("【@图片1】") + `"image_files":` + list([]string{at("3.png"), at("1.png"), at("2.png")}) + `,` + videoRest},
		{"video, the largest that is legal", []string{video, pasted(largest), materials, pasted(all)}, videoBody(largest) + references + videoRest},
	}
}

// TestTypedBodies: each field of both forms, filled as a person types, becomes
// exactly the body that the service takes.
func TestTypedBodies(t *testing.T) {
	t.Parallel()
	sizes := [][2]int{{80, 24}, {120, 40}}
	typed := 0
	for i, c := range typedBodies() {
		for _, size := range sizes[times(i%2, 0):times(i%2+1, 2)] { // in turns; the long form takes both
			typed++
			t.Run(fmt.Sprintf("%s %dx%d", c.name, size[0], size[1]), func(t *testing.T) {
				service, h := begin(t, simtest.Options{LongSide: 64})
				s := h.open(size[0], size[1])
				s.waitFor("/ 5,000", "lumen/still-1")
				for _, keys := range c.keys {
					s.write(keys)
					s.idle() // separate reads: an esc sequence is one key
				}
				s.review()
				s.keys("<enter>")
				limit := time.Now().Add(screenLimit)
				for len(service.Ledger()) == 0 && time.Now().Before(limit) {
					time.Sleep(10 * time.Millisecond)
				}
				ledger := service.Ledger()
				expect.Must(t, len(ledger) == 1, len(ledger), "in the ledger, creates", creates(service), s.text())
				expect.Equal(t, string(ledger[0].Body), c.body, "the body")
			})
		}
	}
	t.Logf("%d bodies typed, %d runs", len(typedBodies()), typed)
}

// unreadable are answers in which nothing is to be found, and what of each has
// to be seen again in raw.
var unreadable = []struct{ name, body, media, raw string }{
	{"page", "<!doctype html><html><body>Sign in to <b>Hotel Net</b>\u202e</body></html>", "text/html", "Hotel Net"},
	{"empty object", `{}`, "application/json", "{}"},
	{"unknown shape", `{"weather":{"sky":"cloudy","wind":7},"stations":[{"place":"pier"}]}`, "application/json", "cloudy"},
}

func answering(t *testing.T, endpoint, body, media string) (*simtest.Server, *home) {
	t.Helper()
	return serve(t, simtest.Options{LongSide: 64, Faults: []simtest.Fault{
		{Endpoint: endpoint, Do: "body", Body: body, Header: http.Header{"Content-Type": {media}}},
	}})
}

// An answer that cannot be read is shown as it came, and nothing is made of it.
func TestUnreadableAnswers(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, c := range unreadable {
		raw := func(t *testing.T, what string, got json.RawMessage) {
			t.Helper()
			expect.Contains(t, string(got), c.raw, what)
			expect.Lacks(t, string(got), "\u202e", what)
			looked++
		}
		t.Run("create "+c.name, func(t *testing.T) {
			service, h := answering(t, "create", c.body, c.media)
			e := h.run("image", "a pier", "--yes", "--json").wantCode(t, 6)
			j := document[struct {
				job
				Raw json.RawMessage `json:"raw"`
			}](t, e)
			want := "unread"
			if c.media == "text/html" {
				want = "unknown"
			}
			expect.Equal(t, j.Phase, want, e.stdout)
			expect.That(t, j.RemoteID == nil && len(j.Files) == 0, e.stdout)
			wantCreates(t, service, 1)
			raw(t, "image --json", j.Raw)
			shown := document[struct{ Raw json.RawMessage }](t, h.run("job", j.ID, "--json").wantCode(t, 0))
			raw(t, "job --json", shown.Raw)
			plain := h.run("job", j.ID, "--raw").wantCode(t, 0).stdout
			expect.Contains(t, plain, c.raw, "job --raw")
			expect.Lacks(t, plain, "\u202e", "job --raw")
			screen := h.open(120, 40)
			screen.waitFor("Create")
			screen.keys("\x1b2") // alt+2: Jobs
			screen.waitFor("all 1")
			screen.keysTo("i", c.raw)
			screen.keys("\x11") // ctrl+q
			screen.end()
		})
		t.Run("job "+c.name, func(t *testing.T) {
			_, h := answering(t, "job", c.body, c.media)
			j := document[job](t, h.run("image", "a pier", "--yes", "--json", "--timeout", "1s").wantCode(t, 7))
			expect.That(t, j.Phase == "queued" || j.Phase == "running", "phase", j.Phase)
			expect.That(t, j.RemoteID != nil && len(j.Files) == 0, "id", j.RemoteID, "files", j.Files)
			kept := func() json.RawMessage {
				return document[struct{ Raw json.RawMessage }](t, h.run("job", j.ID, "--raw", "--json").wantCode(t, 0)).Raw
			}
			for n := 0; n < 9 && !strings.Contains(string(kept()), c.raw); n++ { // within the second, unless the machine is busy
				h.run("wait", j.ID, "--timeout", "1s").wantCode(t, 7)
			}
			raw(t, "job --raw --json", kept())
		})
		t.Run("models "+c.name, func(t *testing.T) {
			_, h := answering(t, "models", c.body, c.media)
			failure := document[struct {
				Error string
				Raw   json.RawMessage
			}](t, h.run("models", "--json").wantCode(t, 1))
			expect.That(t, failure.Error != "", "there is no error")
			raw(t, "models --json", failure.Raw)
		})
		t.Run("estimate "+c.name, func(t *testing.T) {
			service, h := answering(t, "estimate", c.body, c.media)
			failure := document[struct {
				Error string
				Raw   json.RawMessage
			}](t, h.run("estimate", "image", "a pier", "--json").wantCode(t, 1))
			expect.That(t, failure.Error != "", "there is no error")
			raw(t, "estimate image --json", failure.Raw)
			// The rate table has a figure for seedance2 whatever the service says.
			table := document[struct {
				Credits float64
				Source  string
				Raw     json.RawMessage
			}](t, h.run("estimate", "video", "a pier", "--duration", "5", "--video-model", "fast", "--resolution", "720p", "--json").wantCode(t, 0))
			expect.That(t, table.Source == "table" && table.Credits > 0, table)
			raw(t, "estimate video --json", table.Raw)
			wantCreates(t, service, 0)
		})
	}
	t.Logf("%d answers × create, job, models, estimate: nothing guessed, raw seen in %d documents and on %d screens", len(unreadable), looked, len(unreadable))
}

// heard is what the commands made of one service: everything that must not
// depend on the shape of its answers.
type heard struct {
	models   string            // ids and kinds
	facts    map[string]string // prices and choices: services of some shapes tell fewer
	estimate string
	image    string // phases and sums of the files
	video    string
	sums     []string
}

// hear runs the commands of a person against one service.
func hear(t *testing.T, base string) heard {
	t.Helper()
	h := newHome(t, base)
	models, facts := modelsHeard(t, h)
	all := heard{models: models, facts: facts, estimate: estimateHeard(t, h)}
	all.image = all.job(t, h, "image", "harbour at dawn, oil", "--aspect-ratio", "1:1", "--yes", "--wait", "--json")
	all.video = all.job(t, h, "video", "harbour at dawn, oil", "--duration", "5", "--seed", "7", "--video-model", "fast", "--resolution", "720p", "--yes", "--wait", "--json")
	return all
}

func modelsHeard(t *testing.T, h *home) (string, map[string]string) {
	t.Helper()
	type listing struct {
		Models []struct {
			ID    string `json:"id"`
			Kind  string `json:"kind"`
			Price *struct {
				Credits json.Number `json:"credits"`
				Unit    string      `json:"unit"`
			} `json:"price"`
			Parameters []struct {
				Name   string   `json:"name"`
				Values []string `json:"values"`
			} `json:"parameters"`
		} `json:"models"`
	}
	var ids []string
	facts := map[string]string{}
	for _, m := range document[listing](t, h.run("models", "--json").wantCode(t, 0)).Models {
		ids = append(ids, m.ID+" "+m.Kind)
		if m.Price != nil {
			facts[m.ID+" price"] = m.Price.Credits.String()
		}
		for _, p := range m.Parameters {
			if len(p.Values) > 0 {
				slices.Sort(p.Values)
				// The spec has aspect_ratio or ratio for the one thing.
				facts[m.ID+" "+strings.TrimPrefix(p.Name, "aspect_")] = strings.Join(p.Values, ",")
			}
		}
	}
	return strings.Join(ids, ", "), facts
}

func estimateHeard(t *testing.T, h *home) string {
	t.Helper()
	type estimate struct {
		Credits json.Number `json:"credits"`
		Source  string      `json:"source"`
	}
	var b strings.Builder
	for _, args := range [][]string{
		{"estimate", "image", "harbour", "--json"},
		{"estimate", "video", "harbour", "--duration", "5", "--video-model", "fast_vip", "--resolution", "480p", "--json"},
	} {
		e := document[estimate](t, h.run(args...).wantCode(t, 0))
		fmt.Fprintf(&b, "%s %s ", e.Credits, e.Source)
	}
	return b.String()
}

// job runs one generation to its end and says what came of it.
func (a *heard) job(t *testing.T, h *home, args ...string) string {
	t.Helper()
	j := document[job](t, h.run(args...).wantCode(t, 0))
	said := fmt.Sprintf("%s %s %s", j.Kind, j.Model, j.Phase)
	if j.RemoteID == nil {
		said += " without an id"
	}
	if j.Credits.Estimated != nil {
		said += fmt.Sprintf(" %g", *j.Credits.Estimated)
	}
	for _, f := range j.Files {
		expect.Equal(t, sumOf(t, f.Path), f.SHA256, f.Path, "and what the document says")
		said += " " + f.MediaType + " " + f.SHA256
		a.sums = append(a.sums, f.SHA256)
	}
	expect.Equal(t, len(j.Files), 1, args, "files")
	return said
}

// The same commands against the same service in every shape it speaks give the
// same models, prices, phases and files.
func TestDialectsSayTheSame(t *testing.T) {
	t.Parallel()
	names := simtest.Dialects()
	expect.Must(t, len(names) >= 13, "only", len(names), "dialects", names)
	all := make([]heard, len(names))
	var work sync.WaitGroup
	turns := make(chan struct{}, 4)
	for i, name := range names {
		base := startService(t, simtest.Options{Dialect: name}).URL()
		work.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			t.Run("dialect "+name, func(t *testing.T) { all[i] = hear(t, base) })
		})
	}
	work.Wait()
	if t.Failed() {
		return
	}
	files, facts := 0, 0
	for i, name := range names {
		for _, c := range []struct{ what, got, want string }{
			{"models", all[i].models, all[0].models},
			{"estimate", all[i].estimate, all[0].estimate},
			{"image", all[i].image, all[0].image},
			{"video", all[i].video, all[0].video},
		} {
			expect.Equal(t, c.got, c.want, c.what, "in", name, "as in", names[0])
		}
		for fact, got := range all[i].facts {
			expect.Equal(t, got, all[0].facts[fact], fact, "in", name, "as in", names[0])
		}
		facts += len(all[i].facts)
		files += len(all[i].sums)
	}
	t.Logf("%d dialects × 4 commands (%d runs): the same models, prices, phases and files; %d files of %d sums, %d prices and choices of models read",
		len(names), 5*len(names), files, len(all[0].sums), facts)
	t.Logf("models: %s; estimates: %s; %s; %s", all[0].models, all[0].estimate, all[0].image, all[0].video)
}
