//go:build linux

package blackbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"darkroom/api/sim/simtest"
)

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
		if got := sumOf(t, f.Path); got != f.SHA256 {
			t.Errorf("%s holds %s, the document says %s", f.Path, got, f.SHA256)
		}
		said += " " + f.MediaType + " " + f.SHA256
		a.sums = append(a.sums, f.SHA256)
	}
	if len(j.Files) != 1 {
		t.Errorf("%v: %d files", args, len(j.Files))
	}
	return said
}

// The same commands against the same service in every shape it speaks give the
// same models, prices, phases and files.
func TestDialectsSayTheSame(t *testing.T) {
	t.Parallel()
	names := simtest.Dialects()
	if len(names) < 12 {
		t.Fatalf("only %d dialects: %v", len(names), names)
	}
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
			if c.got != c.want {
				t.Errorf("%s in %q:\n got %s\nwant %s (as in %q)", c.what, name, c.got, c.want, names[0])
			}
		}
		for fact, got := range all[i].facts {
			if want := all[0].facts[fact]; got != want {
				t.Errorf("%s in %q: got %s, want %s (as in %q)", fact, name, got, want, names[0])
			}
		}
		facts += len(all[i].facts)
		files += len(all[i].sums)
	}
	t.Logf("%d dialects × 4 commands (%d runs): the same models, prices, phases and files; %d files of %d sums, %d prices and choices of models read",
		len(names), 5*len(names), files, len(all[0].sums), facts)
	t.Logf("models: %s; estimates: %s; %s; %s", all[0].models, all[0].estimate, all[0].image, all[0].video)
}
