package sim_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"testing"

	"darkroom/api/sim"
	"darkroom/api/sim/simtest"
)

// A create answers with the job as it was accepted, also when the work was done
// before the answer was written.
func TestCreateAnswersWithTheAcceptedJob(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{TimeScale: 1e-5})
	created := s.Ask(t, "POST", simtest.PathImages, `{"model":"lumen/still-1","prompt":"p","async":true}`)
	if status := created.Text(t, "job.status"); created.StatusCode != 200 || status != sim.Pending {
		t.Errorf("%d, status %q in %s", created.StatusCode, status, created.Body)
	}
	s.Finish(t, created.Text(t, "id"))
}

func TestImageJobFromCreateToPicture(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{Prefix: "gateway/"})
	if !strings.HasSuffix(s.URL(), "/gateway") {
		t.Fatalf("base URL %s lacks its prefix", s.URL())
	}
	body := `{"model":"lumen/still-1","prompt":"Harbour at dawn 港口的黎明","size":"1K","aspect_ratio":"16:9","async":true}`
	created := s.Ask(t, "POST", simtest.PathImages, body)
	id := created.Text(t, "id")
	if created.StatusCode != 200 || id == "" || created.Text(t, "job.status") != sim.Pending {
		t.Fatalf("%d %s", created.StatusCode, created.Body)
	}
	done := s.Finish(t, id)
	picture := s.Ask(t, "GET", done.Text(t, "job.result.images.0.url"), "")
	c, format, err := image.DecodeConfig(bytes.NewReader(picture.Body))
	if err != nil || format != "png" || c.Width != 1024 || c.Height != 576 {
		t.Fatalf("%v %s %dx%d", err, format, c.Width, c.Height)
	}
	l := s.Ledger()
	if len(l) != 1 || l[0].ID != id || string(l[0].Body) != body || l[0].Credits.String() != "12.5" || len(l[0].Files) != 1 {
		t.Fatalf("%+v", l)
	}
	if f := l[0].Files[0]; f.Bytes != int64(len(picture.Body)) || f.SHA256 != fmt.Sprintf("%x", sha256.Sum256(picture.Body)) {
		t.Errorf("the ledger tells of another file: %+v", f)
	}
}

// The program's own simulator has the service's models and no hook.
func TestSimulatorOfTheProgram(t *testing.T) {
	t.Parallel()
	plain, err := sim.Start(t.Context(), sim.Options{TimeScale: 0.001, LongSide: 32})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.Close() })
	s := &simtest.Server{Server: plain}
	if models, _ := s.Ask(t, "GET", simtest.PathModels, "").At(t, "models").([]any); len(models) != len(sim.Models()) {
		t.Errorf("%d models", len(models))
	}
	created := s.Ask(t, "POST", simtest.PathImages, stillBody)
	if done := s.Finish(t, created.Text(t, "id")); done.Text(t, "job.status") != sim.Completed {
		t.Errorf("%s", done.Body)
	}
}
