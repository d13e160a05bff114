package result

import (
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/env"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// countedFrames are frames whose shade is their number; each takes so long.
type countedFrames struct {
	n, all int
	slow   time.Duration
}

func (c *countedFrames) Next() (*image.RGBA, error) {
	time.Sleep(c.slow)
	if c.n == c.all {
		return nil, io.EOF
	}
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range img.Pix {
		img.Pix[i] = uint8(c.n)
	}
	img.Set(0, 0, color.White)
	c.n++
	return img, nil
}

// playAll plays a video to its end and counts the frames that were shown.
func playAll(t *testing.T, source frames, openErr error, stopAfter int) (shown int, took time.Duration, p *Player, ended context.Context) {
	t.Helper()
	k := &env.Env{Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), Clock: time.Now, Mode: picture.ModeBlocks}
	p = NewPlayer(k)
	p.open = func(ctx context.Context, _ string, cols, rows int, _ picture.Cell) (frames, error) {
		ended = ctx
		return source, openErr
	}
	began := time.Now()
	cmd := p.Toggle("a.mp4", 40, 12)
	if !p.Playing() || p.Lines() != nil {
		t.Error("it shows something before its first frame")
	}
	for cmd != nil {
		var m tea.Msg
		if m = cmd(); m == nil {
			break
		}
		if cmd = p.Update(m.(playMsg)); p.Lines() != nil {
			shown++
		}
		if stopAfter > 0 && shown == stopAfter {
			p.Stop()
		}
	}
	return shown, time.Since(began), p, ended
}

func TestAVideoPlaysAtItsPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shown, took, p, ended := playAll(t, &countedFrames{all: 50}, nil, 0)
		if shown != 50 || took < 4800*time.Millisecond || took > 5200*time.Millisecond {
			t.Errorf("%d frames in %v", shown, took)
		}
		if p.Playing() || p.Lines() != nil || ended.Err() == nil {
			t.Error("after its end something is left")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		shown, took, _, _ := playAll(t, &countedFrames{all: 50, slow: 60 * time.Millisecond}, nil, 0)
		if shown < 45 || took > 5500*time.Millisecond {
			t.Errorf("decoded slowly: %d frames in %v", shown, took)
		}
		shown, took, _, _ = playAll(t, &countedFrames{all: 50, slow: 150 * time.Millisecond}, nil, 0)
		if shown > 40 || took > 8*time.Second {
			t.Errorf("decoded too slowly, frames are left out: %d in %v", shown, took)
		}
	})
}

func TestAVideoStopsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source := &countedFrames{all: 1000}
		shown, _, p, ended := playAll(t, source, nil, 5)
		if shown != 5 || source.n > 7 || p.Playing() || p.Lines() != nil || ended.Err() == nil {
			t.Errorf("%d frames shown, %d decoded, playing %v", shown, source.n, p.Playing())
		}
	})
}

func TestAVideoThatCannotBePlayedSaysWhy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, _, p, ended := playAll(t, nil, errors.New("ffmpeg cannot show this video: press o to play it"), 0)
		if p.Playing() || p.Why() != "Ffmpeg cannot show this video: press o to play it." || ended.Err() == nil {
			t.Errorf("%q, playing %v", p.Why(), p.Playing())
		}
	})
}
