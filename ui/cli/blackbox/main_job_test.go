//go:build linux

package blackbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestImageByCommand is the main job of a script: a prompt in, a file out.
func TestImageByCommand(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	e := h.run("image", "a lighthouse in gouache", "--aspect-ratio", "16:9", "--size", "1K", "--yes", "--json").wantCode(t, 0)
	got := document[job](t, e)
	expect.Equal(t, got.Phase+" "+got.Kind, "done image", "not the contract's done job")
	expect.Must(t, got.RemoteID != nil && got.Error == nil && got.FinishedAt != nil, "not the contract's done job", e.stdout)
	expect.That(t, got.Credits.Estimated != nil && got.Credits.Source == "service", got.Credits, "not the service's figure")
	sameAsServed(t, service, got)
	var body map[string]any
	must(t, json.Unmarshal(got.Request, &body))
	expect.That(t, body["async"] == true && body["aspect_ratio"] == "16:9", "the request", body)
	config := decodeConfig(t, got.Files[0].Path)
	ratio := float64(config.Width) / float64(config.Height)
	expect.That(t, ratio >= 1.75 && ratio <= 1.80, "the picture is", config.Width, "×", config.Height, "not 16:9")
	wantCreates(t, service, 1)
	checkStoredJob(t, h, got)
}

// checkStoredJob reads the job back with jobs and job, by all three ids.
func checkStoredJob(t *testing.T, h *home, want job) {
	t.Helper()
	listed := h.jobs()
	expect.Must(t, len(listed) == 1 && listed[0].ID == want.ID, "jobs lists", len(listed), "jobs")
	for _, id := range []string{want.ID, want.ID[:6], *want.RemoteID} {
		expect.Equal(t, document[job](t, h.run("job", id, "--json").wantCode(t, 0)).ID, want.ID, "job", id, "found")
	}
}

// sameAsServed compares every file with what the service sent.
func sameAsServed(t *testing.T, service *simtest.Server, got job) {
	t.Helper()
	expect.Must(t, len(got.Files) != 0, "the job has no files")
	served := servedBy(service)
	for _, file := range got.Files {
		content := simtest.Must(os.ReadFile(file.Path))(t)
		sum := sha256.Sum256(content)
		expect.Equal(t, hex.EncodeToString(sum[:]), file.SHA256, file.Path)
		expect.Equal(t, [2]int64{served[file.SHA256], file.Bytes}, [2]int64{int64(len(content)), int64(len(content))}, file.Path, "bytes")
		expect.That(t, filepath.IsAbs(file.Path), "the path", file.Path, "is not absolute")
		expect.Equal(t, simtest.Must(os.Stat(file.Path))(t).Mode().Perm(), 0o600, "mode of", file.Path)
	}
}

// servedBy are the files that a service has made, by their sums, with their lengths.
func servedBy(service *simtest.Server) map[string]int64 {
	served := map[string]int64{}
	for _, entry := range service.Ledger() {
		for _, file := range entry.Files {
			served[file.SHA256] = file.Bytes
		}
	}
	return served
}

func decodeConfig(t *testing.T, path string) image.Config {
	t.Helper()
	file := simtest.Must(os.Open(path))(t)
	defer file.Close()
	config, _, err := image.DecodeConfig(file)
	expect.Must(t, err == nil, path, err)
	return config
}

func TestVideoByCommand(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	e := h.run("video", "纸船【@图片1】漂过【@图片2】", "--image-files", "https://cdn.example.com/boat.png",
		"--image-files", "https://cdn.example.com/gutter.png", "--duration", "5", "--video-model", "fast",
		"--aspect-ratio", "9:16", "--seed", "41", "--yes", "--json").wantCode(t, 0)
	got := document[job](t, e)
	expect.Must(t, got.Phase == "done" && got.Kind == "video" && got.Model == "seedance2", "not the contract's done job", e.stdout)
	expect.That(t, got.Credits.Estimated != nil && *got.Credits.Estimated == 425, got.Credits, "not 425 (85 a second for 5 s)")
	sameAsServed(t, service, got)
	expect.Equal(t, got.Files[0].MediaType, "video/mp4", "media type")
}

// TestOwnResultAsReference makes an image and then a video that begins with it:
// a local service can reach its own results, and nobody else's on this machine.
func TestOwnResultAsReference(t *testing.T) {
	service, h := begin(t, simtest.Options{LongSide: 64})
	first := document[job](t, h.run("image", "a paper boat", "--yes", "--json").wantCode(t, 0))
	address := first.Files[0].URL
	expect.Must(t, strings.HasPrefix(address, service.URL()+"/"), "the result is at", address, "not at the service")
	clip := document[job](t, h.run("video", "it sails", "--image-url", address, "--duration", "4", "--yes", "--json").wantCode(t, 0))
	sameAsServed(t, service, clip)
	expect.Contains(t, string(service.Ledger()[1].Body), address, "the reference that is sent")
	h.run("video", "it sails", "--image-url", address, "--duration", "4", "--dry-run").wantCode(t, 0)
	stranger := startService(t, simtest.Options{}).URL() + "/files/a.png"
	for _, address := range []string{stranger, "http://10.0.0.1/a.png"} {
		h.run("video", "it sails", "--image-url", address, "--yes").wantCode(t, 2).says(t, "cannot reach this host")
	}
	wantCreates(t, service, 2)
}

// TestReadingCommands are those that generate nothing.
func TestReadingCommands(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	models := document[struct {
		Models []struct {
			ID, Kind   string
			Price      *struct{ Credits float64 }
			Parameters []struct{ Name string }
			Raw        json.RawMessage
		}
	}](t, h.run("models", "--json").wantCode(t, 0))
	expect.Must(t, len(models.Models) == 2, models)
	expect.That(t, len(models.Models[0].Parameters) > 0 && len(models.Models[0].Raw) > 0, models)
	estimate := document[struct {
		Credits float64
		Source  string
	}](t, h.run("estimate", "video", "x", "--video-model", "standard_vip", "--resolution", "1080p", "--duration", "10", "--json").wantCode(t, 0))
	expect.That(t, estimate.Credits == 2000 && estimate.Source == "service", "estimate =", estimate, "want 2000 from the service")
	h.run("prices", "--duration", "5").wantCode(t, 0).prints(t, "425", "1,000")
	wantCreates(t, service, 0)
}

// TestRefusedBeforeSending holds the exit codes of what never leaves.
func TestRefusedBeforeSending(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	for _, c := range []struct {
		name string
		h    *home
		code int
		says string
		args []string
	}{
		{"no yes, no terminal", h, 2, "--yes", []string{"image", "x"}},
		{"5,001 characters", h, 2, "5,001", []string{"image", strings.Repeat("字", 5001), "--yes"}},
		{"empty prompt", h, 2, "prompt", []string{"image", "", "--yes"}},
		{"materials in first_last_frame", h, 2, "image-files", []string{"video", "x", "--function-mode", "first_last_frame",
			"--image-url", "https://a.example/1.png", "--image-files", "https://a.example/2.png", "--yes"}},
		{"first_last_frame without a frame", h, 2, "frame", []string{"video", "x", "--function-mode", "first_last_frame", "--yes"}},
		{"video model for an image", h, 2, "", []string{"image", "x", "--model", "seedance2", "--yes"}},
		{"a video's flag for an image", h, 2, "duration", []string{"image", "x", "--duration", "5", "--yes"}},
		{"above max-credits", h, 2, "max-credits", []string{"video", "x", "--duration", "5", "--max-credits", "10", "--yes"}},
		{"above the budget", h.with("DARKROOM_BUDGET", "100"), 2, "budget", []string{"video", "x", "--duration", "5", "--video-model", "fast", "--yes"}},
		{"no address", h.with("DARKROOM_BASE_URL", ""), 2, "DARKROOM_BASE_URL", []string{"image", "x", "--yes"}},
		{"no key", h.with("DARKROOM_API_KEY", ""), 5, "key", []string{"image", "x", "--yes"}},
		{"an unknown flag", h, 2, "", []string{"image", "x", "--nonsense"}},
		{"an unknown command", h, 2, "", []string{"nonsense"}},
		{"no such job", h, 2, "job", []string{"job", "nonsense"}},
		{"screens without a terminal", h, 3, "terminal", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.h.run(c.args...).wantCode(t, c.code).says(t, c.says)
		})
	}
	service.AddFault(simtest.Fault{Endpoint: "estimate", Count: 1, Do: "status", Status: 422, Body: `{"error": "too large for this model"}`})
	service.AddFault(simtest.Fault{Endpoint: "estimate", From: 2, Do: "status", Status: 500})
	service.AddFault(simtest.Fault{Endpoint: "models", Do: "body", Body: `{"data": [{"id": "other/model", "type": "image"}]}`})
	h.run("image", "{a|b}", "--size", "4K", "--model", "other/model", "--expand", "--yes").wantCode(t, 2).says(t, "too large for this model")
	service.ClearFaults()
	service.AddFault(simtest.Fault{Endpoint: "estimate", Do: "status", Status: 422, Body: `{"error": "too large for this model"}`})
	h.run("image", "x", "--yes").wantCode(t, 2).says(t, "too large for this model")
	h.run("image", "{a|b}", "--expand", "--yes").wantCode(t, 2).says(t, "too large for this model")
	wantCreates(t, service, 0)
	service.ClearFaults()
	service.AddFault(simtest.Fault{Endpoint: "models", Do: "status", Status: 401})
	h.with("PATH", t.TempDir()).run("doctor").wantCode(t, 1).prints(t, "✗ API key", "– videos           ffmpeg is not installed")
}

func TestDryRunSendsNothing(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	e := h.run("image", "x", "--model", "lumen/still-1", "--quality", "high", "--dry-run").wantCode(t, 0)
	e.prints(t, "POST /api/v1/images/generations", `"quality":"high"`)
	expect.Equal(t, len(service.Calls()), 0, "calls that the service saw")
}

// TestRefusedKey is exit 5, and the job says why.
func TestRefusedKey(t *testing.T) {
	_, h := begin(t, simtest.Options{Key: "ak_another_key_0000"})
	h.run("models").wantCode(t, 5).says(t, "key")
	h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 5)
}

// TestMainJobOnScreen is the newcomer's walk: prompt, price, review, send, and
// the job that moves by itself until its file is there.
func TestMainJobOnScreen(t *testing.T) {
	service, h := begin(t, simtest.Options{TimeScale: 0.2})
	s := h.screens(120, 40)
	s.keysTo("a harbour at dawn", "a harbour at dawn", "credits")
	s.review()
	s.waitFor("/api/v1/images/generations")
	wantCreates(t, service, 0)
	s.keysTo("<enter>", "Done: “")
	listed := h.jobs()
	expect.Must(t, len(listed) == 1 && listed[0].Phase == "done", "jobs", listed)
	sameAsServed(t, service, listed[0])
	before := s.modes()
	s.quits()
	expect.That(t, s.modes() != before, "the terminal was left in the screens' modes")
}
