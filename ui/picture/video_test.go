package picture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// clip is one of the simulator's clips.
func clip(t testing.TB) string {
	t.Helper()
	all, err := filepath.Glob("../../api/sim/paint/*/*.mp4")
	if err != nil || len(all) == 0 {
		t.Fatalf("the simulator has no clips: %v", err)
	}
	slices.Sort(all)
	return all[0]
}

// withFFmpeg skips a test loudly where ffmpeg is not installed.
func withFFmpeg(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed: what is drawn of videos is NOT tested")
	}
	return program
}

func TestFactsOfVideos(t *testing.T) {
	t.Parallel()
	withFFmpeg(t)
	l := NewLoader(false)
	video, err := l.probe(t.Context(), clip(t), "mov")
	if err != nil || video.seconds < 1 || video.seconds > 10 || video.width < 100 || video.height < 100 {
		t.Errorf("%+v, %v", video, err)
	}
	if _, err := l.probe(t.Context(), save(t, "a.txt", []byte("not a video at all")), "mov"); !errors.Is(err, errVideo) {
		t.Errorf("of a text: %v", err)
	}
}

func TestWithoutFFmpegItIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := NewLoader(false).Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, ErrNoPoster) {
		t.Errorf("%v", err)
	}
	if _, err := NewLoader(false).Play(t.Context(), clip(t), 40, 12, Cell{}); !errors.Is(err, ErrNoPoster) {
		t.Errorf("it plays without ffmpeg: %v", err)
	}
}

// fakeFFmpeg puts a program in the place of ffmpeg, and one that knows every video
// in that of ffprobe.
func fakeFFmpeg(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for ffmpeg")
	}
	dir := t.TempDir()
	probe := `echo '{"streams": [{"width": 360, "height": 640}], "format": {"duration": "10.0"}}'`
	for name, script := range map[string]string{"ffmpeg": script, "ffprobe": probe} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700))
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestFFmpegIsHeldInBounds(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	t.Setenv("DARKROOM_API_KEY", "ak_secret")
	picture := save(t, "a.png", pngOf(t, gradient(64, 36)))
	fakeFFmpeg(t, `{ printf '%s\n' "$@"; env; ulimit -v; } > '`+said+`'; cat '`+picture+`'`)
	l := NewLoader(false)
	l.RunIn([]string{"PATH=" + os.Getenv("PATH"), "HOME=/handed/over"})
	p, err := l.Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
	if err != nil || p.Width != 64 {
		t.Fatalf("%+v, %v", p, err)
	}
	b, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, want := range []string{"-nostdin\n", "-protocol_whitelist\nfile\n", "-f\nmov\n-enable_drefs\n0\n-i\nfile:" + clip(t) + "\n", "-max_alloc\n", "-max_pixels\n40000000\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing among\n%s", want, text)
		}
	}
	if strings.Contains(text, "ak_secret") || strings.Contains(text, "DARKROOM_") || !strings.Contains(text, "HOME=/handed/over\n") {
		t.Errorf("its environment is not the one that was handed over:\n%s", text)
	}
	if runtime.GOOS == "linux" && !strings.Contains(text, "\n2097152\n") {
		t.Errorf("its memory is not bounded:\n%s", text)
	}
}

// A program that hangs, floods or fails is ended, with a reason.
func TestFFmpegThatMisbehaves(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	fakeFFmpeg(t, `exec sleep 600`)
	began := time.Now()
	if _, err := NewLoader(false).Load(ctx, clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Minute {
		t.Errorf("one that hangs: %v after %v", err, time.Since(began))
	}
	fakeFFmpeg(t, `exec yes`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := NewLoader(false).Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, errVideo) {
		t.Errorf("one that floods: %v", err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 6*maxOutput {
		t.Errorf("one that floods made %d MiB", grown>>20)
	}
	fakeFFmpeg(t, `exit 1`)
	if _, err := NewLoader(false).Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, errVideo) {
		t.Errorf("one that fails: %v", err)
	}
}

func TestPlayingStopsWithItsContext(t *testing.T) {
	fakeFFmpeg(t, `exec yes`)
	ctx, stop := context.WithCancel(t.Context())
	f := must(NewLoader(false).Play(ctx, clip(t), 40, 12, Cell{}))(t)
	for range 5 {
		img := must(f.Next())(t)
		if img.Rect.Dx() > 40 || img.Rect.Dy() > 24 {
			t.Fatal(img.Rect)
		}
	}
	stop()
	<-f.done
	if f.cmd.ProcessState == nil {
		t.Error("it was not reaped")
	}
	if _, err := f.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after its end: %v", err)
	}
}

func TestFramesOfAVideo(t *testing.T) {
	withFFmpeg(t)
	l := NewLoader(false)
	poster := must(l.Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}))(t)
	contact := must(l.LoadStills(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}))(t)
	video := must(l.probe(t.Context(), clip(t), "mov"))(t)
	if poster.Width != video.width || poster.Height != video.height {
		t.Errorf("the poster has %d×%d, the video %d×%d", poster.Width, poster.Height, video.width, video.height)
	}
	if w := min(video.width, 640); contact.Width != 3*w+8 || slices.Equal(contact.Lines, poster.Lines) {
		t.Errorf("the contact sheet is %d wide", contact.Width)
	}
	f := must(l.Play(t.Context(), clip(t), 40, 12, Cell{}))(t)
	n, last := 0, []byte(nil)
	changes := 0
	for {
		img, err := f.Next()
		if err != nil {
			break
		}
		if !bytes.Equal(img.Pix, last) {
			changes++
		}
		n, last = n+1, img.Pix
	}
	want := int(video.seconds * playRate)
	if n < want-2 || n > want+2 || changes < n/2 {
		t.Errorf("%d frames, %d of them new, of a video of %v s", n, changes, video.seconds)
	}
}
