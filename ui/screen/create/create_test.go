package create

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/api/sim/simtest"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/review"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

var now = time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)

func newEnv(t testing.TB) *env.Env {
	e := &env.Env{
		Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor),
		Clock: func() time.Time { return now }, Getenv: func(string) string { return "" }, At: now,
	}
	e.Health.KeyHint = "ak_…9f3c"
	return e
}

// fakeBackend has no more behind it than a test needs; the rest panics.
type fakeBackend struct {
	Backend
	public map[string]error
}

func (b fakeBackend) Queue() state.Queue { return fakeQueue{} }

// fakeQueue knows no lists.
type fakeQueue struct{ state.Queue }

func (fakeQueue) Lists(context.Context) (expand.Lists, error) { return nil, nil }

func (b fakeBackend) Materials() state.Materials { return fakeMaterials{fakeBackend: b} }

type fakeMaterials struct {
	state.Materials
	fakeBackend
}

func (b fakeMaterials) Public(_ context.Context, address string) (state.Link, error) {
	return state.Link{}, b.public[address]
}
func (b fakeBackend) History(context.Context, state.HistoryQuery) ([]state.Sent, error) {
	return nil, errors.New("not asked by these tests")
}

// videoScreen is a screen of the given size with a video draft in view.
func videoScreen(t testing.TB, w, h int, r api.Request) *Screen {
	c := New(newEnv(t), fakeBackend{})
	c.Resize(w, h)
	r.Kind, r.Model = api.KindVideo, api.Seedance2
	c.Update(msg.LoadedMsg{Request: r})
	return c
}

func plain(s string) string { return ansi.Strip(s) }

// seen is the screen as text.
func seen(c *Screen) string { return plain(strings.Join(c.View(), "\n")) }

var boat = api.Request{
	Prompt: "boat 【@图片1】", VideoModel: api.TierFast, Resolution: "720p", Duration: "5",
	ImageFiles: []string{"https://a.example/1.png", "https://a.example/2.png"}, AudioFiles: []string{"https://a.example/3.mp3"},
}

func TestOnlyTheAnswerOfTheLastQuestionCounts(t *testing.T) {
	t.Parallel()
	c := videoScreen(t, 120, 40, boat)
	old := c.prices[onVideo].key
	figure := func(n api.Credits) api.Estimate {
		return api.Estimate{Credits: n * api.Credit, Source: api.SourceService, At: now}
	}
	c.draft().Tier.SetValue(api.TierFastVIP)
	c.draft().Form.Settle()
	c.changed()
	c.estimated(onVideo, old, figure(7), nil)
	if p := c.prices[onVideo]; p.estimate.Source != api.SourceTable || !p.asking {
		t.Errorf("the answer for another request was taken: %+v", p)
	}
	c.estimated(onVideo, c.prices[onVideo].key, figure(501), nil)
	if p := c.prices[onVideo]; p.estimate.Credits != 501*api.Credit || p.asking {
		t.Errorf("the answer was not taken: %+v", p)
	}
	c.env.Today = state.Spent{Budget: 5000 * api.Credit}
	for _, row := range []struct {
		price api.Credits // that a review was told
		pane  string
	}{{501, "501 credits "}, {501, "100 a second × 5 s     leaves 4,499 today"}, {1200, "1,200 credits"}, {1200, "leaves 3,800 today"}, {5001, "5,001 credits"}, {5001, "1 credits over today's budget of 5,000"}} {
		c.Update(review.PricedMsg{Prices: map[string]api.Estimate{c.prices[onVideo].key: figure(row.price)}})
		if now := seen(c); !strings.Contains(now, row.pane) {
			t.Errorf("after a price of %v the pane lacks %q:\n%s", row.price, row.pane, now)
		}
	}
}

// TestSidePaneScrolls: what does not fit into the side pane is reached with the
// wheel, and drawing does not move it.
func TestSidePaneScrolls(t *testing.T) {
	t.Parallel()
	r := boat
	r.ImageFiles = nil
	b := fakeBackend{public: map[string]error{}}
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		address := "https://a.example/" + n + ".png"
		r.ImageFiles = append(r.ImageFiles, address)
		b.public[address] = errors.New("is 404 for the public")
	}
	c := videoScreen(t, 100, 20, r)
	c.backend, c.public.Allowed = b, true
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		switch m := cmd().(type) {
		case tea.BatchMsg:
			for _, one := range m {
				run(one)
			}
		default:
			c.Update(m)
		}
	}
	run(c.checkPublic())
	// The line of results is below the panes.
	panes := func() string {
		shown := seen(c)
		return shown[:strings.LastIndexByte(shown, '\n')]
	}
	first := panes()
	if !strings.Contains(first, "图片1 is 404") || strings.Contains(first, "图片9 is 404") || !strings.HasSuffix(strings.TrimRight(first, " "), "more lines") {
		t.Fatalf("the list does not begin with the first material:\n%s", first)
	}
	if panes() != first {
		t.Error("drawing twice gives two pictures")
	}
	for range 20 {
		c.Update(msg.WheelMsg{X: 90, Y: 15, By: 1})
	}
	if last := panes(); !strings.Contains(last, "图片9 is 404") || strings.HasSuffix(last, "more lines ─╯") {
		t.Errorf("the wheel does not reach the end:\n%s", last)
	}
	c.Update(msg.WheelMsg{X: 90, Y: 15, By: -20})
	if panes() != first {
		t.Error("the wheel does not lead back")
	}
}

// TestWhatChangedIsDrawn: another theme, and a spent budget.
func TestWhatChangedIsDrawn(t *testing.T) {
	c := videoScreen(t, 120, 40, boat)
	before := slices.Clone(c.View())
	c.env.Theme = theme.Choice{}.Theme(theme.Light, colorprofile.TrueColor)
	c.Restyle()
	light := c.View()
	if slices.Equal(light, before) {
		t.Error("another theme is not drawn")
	}
	c.env.Today = state.Spent{Budget: 10 * api.Credit, Credits: 9 * api.Credit}
	c.Update(msg.ChangedMsg{})
	if slices.Equal(c.View(), light) || !strings.Contains(seen(c), "over today's budget") {
		t.Error("a spent budget is not drawn")
	}
}

// Edits of the draft do not reach an open review.
func TestReviewIsOfTheDraftAsItWas(t *testing.T) {
	t.Parallel()
	c := videoScreen(t, 120, 40, boat)
	c.openReview()
	o := c.env.Now[0].(msg.OpenedMsg).Overlay
	o.Update(tea.WindowSizeMsg{Width: 120, Height: 43})
	c.draft().Prompt.Replace("koi")
	c.draft().Form.Settle()
	if !strings.Contains(plain(o.Box(120, 40)), "boat 【@图片1】") {
		t.Error("the review does not show what was reviewed")
	}
}

func TestTheCursorStandsAtTheEndAfterTheEditor(t *testing.T) {
	t.Parallel()
	c := videoScreen(t, 120, 40, boat)
	c.draft().Form.Focus(c.draft().Prompt)
	c.Update(tea.KeyPressMsg{Code: tea.KeyHome})
	c.Update(editedMsg{text: "a paper boat"})
	c.Update(tea.KeyPressMsg{Code: '!', Text: "!"})
	if got := c.draft().Prompt.Value(); got != "a paper boat!" {
		t.Errorf("typed after the editor: %q", got)
	}
}

func TestAnEditedPromptIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompt.txt")
	for text, want := range map[string]int{"a boat\n": len("a boat"), strings.Repeat("a boat ", 1<<20): maxEdited} {
		simtest.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if m := (editorReadyMsg{path: path}).ended(nil); m.Err != nil || len(m.text) != want {
			t.Errorf("%d bytes of %d are taken: %v", len(m.text), len(text), m.Err)
		}
	}
}
