package picture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
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
	facts, err := readFacts(clip(t))
	if err != nil || facts.Duration < time.Second || facts.Duration > 10*time.Second || facts.Width < 100 || facts.Height < 100 || facts.Codec != "avc1" {
		t.Errorf("%+v, %v", facts, err)
	}
	webm := []byte("\x1a\x45\xdf\xa3\x80" + // EBML header, empty
		"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" + // a segment of unknown size
		"\x15\x49\xa9\x66\x8e" + "\x2a\xd7\xb1\x83\x0f\x42\x40" + "\x44\x89\x84\x45\x9c\x40\x00" + // 1,000,000 ns, 5000 ticks
		"\x16\x54\xae\x6b\x95" + "\xae\x93" + "\x86\x85V_VP9" + "\xe0\x8a" + "\xb0\x82\x05\x00" + "\xba\x82\x02\xd0" + "\x9a\x80" +
		"\x1f\x43\xb6\x75\x80")
	facts, err = readFacts(save(t, "a.webm", webm))
	if err != nil || facts.Duration != 5*time.Second || facts.Width != 1280 || facts.Height != 720 || facts.Codec != "vp9" {
		t.Errorf("%+v, %v", facts, err)
	}
	if got := facts.Line(); got != "5.0 s · 1280×720 · vp9 · 0.1 kB" {
		t.Errorf("said as %q", got)
	}
	if _, err := readFacts(save(t, "a.txt", []byte("no video at all"))); !errors.Is(err, errType) {
		t.Errorf("of a text: %v", err)
	}
}

func TestWithoutFFmpegTheFactsAreSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := NewLoader(false).Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
	var none *NoPoster
	if !errors.Is(err, ErrNoPoster) || !errors.As(err, &none) || none.Facts.Width == 0 || !strings.Contains(err.Error(), "×") {
		t.Errorf("%v", err)
	}
	if _, err := NewLoader(false).Play(t.Context(), clip(t), 40, 12, Cell{}); err == nil {
		t.Error("it plays without ffmpeg")
	}
}

// fakeFFmpeg puts a program in the place of ffmpeg.
func fakeFFmpeg(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for ffmpeg")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
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
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 6*maxBytes {
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
	f, err := NewLoader(false).Play(ctx, clip(t), 40, 12, Cell{})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		img, err := f.Next()
		if err != nil {
			t.Fatal(err)
		}
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
	poster, err := l.Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	contact, err := l.LoadSheet(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := readFacts(clip(t))
	if err != nil {
		t.Fatal(err)
	}
	if poster.Width != facts.Width || poster.Height != facts.Height {
		t.Errorf("the poster has %d×%d, the video %d×%d", poster.Width, poster.Height, facts.Width, facts.Height)
	}
	if w := min(facts.Width, 640); contact.Width != 3*w+8 || slices.Equal(contact.Lines, poster.Lines) {
		t.Errorf("the contact sheet is %d wide", contact.Width)
	}
	f, err := l.Play(t.Context(), clip(t), 40, 12, Cell{})
	if err != nil {
		t.Fatal(err)
	}
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
	want := int(facts.Duration.Seconds() * playRate)
	if n < want-2 || n > want+2 || changes < n/2 {
		t.Errorf("%d frames, %d of them new, of a video of %v", n, changes, facts.Duration)
	}
}

func TestMutatedVideos(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(clip(t))
	if err != nil {
		t.Fatal(err)
	}
	each := 4
	if testing.Short() {
		each = 10
	}
	random := rand.New(rand.NewPCG(3, 5))
	path, shown, drawn := filepath.Join(t.TempDir(), "mutant.mp4"), 0, 0
	for i := range 100 {
		b := mutated(random, content)
		if i%3 == 0 && len(b) > 2000 { // the boxes at the beginning
			b = append(mutated(random, b[:2000]), b[2000:]...)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readFacts(path); err != nil && !errors.Is(err, errType) {
			t.Errorf("mutant %d: facts: %v", i, err)
		}
		if i%each != 0 && os.Getenv("DARKROOM_TEST_LONG") == "" {
			continue // a run of ffmpeg takes long beside other tests
		}
		drawn++
		ok, wrong := loadMutant(t.Context(), path)
		if wrong != nil {
			t.Errorf("mutant %d: %v", i, wrong)
		}
		if ok {
			shown++
		}
	}
	t.Logf("%d of %d that were drawn are shown; DARKROOM_TEST_LONG=1 draws all 100", shown, drawn)
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Log("ffmpeg is not installed: the facts alone were read")
	} else if shown == 0 || shown == drawn {
		t.Error("the mutations are too weak or too strong")
	}
}

func FuzzVideoFacts(f *testing.F) {
	content, err := os.ReadFile(clip(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content[:2000])
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff\x15\x49\xa9\x66\x8e"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for name, form := range map[string]string{"mov": "\x00\x00\x00\x08ftyp", "matroska": "\x1a\x45\xdf\xa3\x80"} {
			facts, err := readFacts(save(t, name, append([]byte(form), content...)))
			if err == nil && (facts.Duration < 0 || facts.Duration > maxDuration || facts.Width < 0 || facts.Height < 0 || strings.ContainsAny(facts.Codec, "\x1b\n")) {
				t.Errorf("%+v", facts)
			}
		}
	})
}
