package ui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"darkroom/api"
)

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
			flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
				p.typed("mine ")
				p.paste(text)
				p.shows("Fill the form with it?", "a lighthouse")
				p.burst("y")
				p.shows("Fill the form with it?", "Press y again.")
				p.keys("y")
				p.lacks("Fill the form with it?")
				p.shows("Image · acme/brush")
				got := p.kept("image")
				if got.Prompt != "a lighthouse" || got.Size != "2K" || got.Quality != "high" || got.Model != "acme/brush" {
					t.Errorf("the form has %+v", got)
				}
				p.sends(0)
			})
			flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
				p.typed("mine ")
				p.paste(text)
				p.keys("esc")
				p.lacks("Fill the form with it?")
				if got := p.kept("video").Prompt; got != "mine "+text {
					t.Errorf("the prompt is %q", got)
				}
			})
		})
	}
}

// saved is how a terminal pastes a file with a recipe that is dropped on it.
func saved(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "light house.darkroom.json")
	if err := os.WriteFile(path, []byte(`{"model":"acme/brush","prompt":"a lighthouse","size":"2K","quality":"high"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return "'" + path + "'"
}

func TestOtherPastesAreText(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.paste(`{"scene":"a boat"}`)
		p.lacks("Fill the form")
		if got := p.kept("video"); got.Prompt != `{"scene":"a boat"}` || got.Kind != api.KindVideo {
			t.Errorf("the form has %+v", got)
		}
		p.paste("/no/such/picture.png")
		p.pass(time.Second)
		if got := p.kept("video"); got.Prompt != `{"scene":"a boat"}/no/such/picture.png` {
			t.Errorf("the form has %+v", got)
		}
		p.keys("ctrl+e") // another field than the prompt
		p.paste(`{"model":"acme/brush","prompt":"a"}`)
		p.pass(time.Second)
		p.lacks("Fill the form")
	})
}
