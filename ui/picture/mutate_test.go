package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// mutated changes a few places of a file: bytes, lengths, cuts, repetitions.
func mutated(random *rand.Rand, content []byte) []byte {
	b := bytes.Clone(content)
	for range 1 + random.IntN(2) {
		if len(b) < 4 {
			break
		}
		at := random.IntN(len(b))
		if random.IntN(4) == 0 {
			at = random.IntN(min(len(b), 64)) // headers are there
		}
		switch random.IntN(6) {
		case 0:
			b[at] ^= 1 << random.IntN(8)
		case 1:
			b[at] = byte(random.Uint32())
		case 2:
			copy(b[at:], []byte{0xff, 0xff, 0xff, 0xff})
		case 3:
			b = b[:at]
		case 4:
			n := min(random.IntN(64), len(b)-at)
			b = append(b[:at:at], append(bytes.Repeat(b[at:at+n], 1+random.IntN(4)), b[at+n:]...)...)
		case 5:
			copy(b[at:], []byte{0, 0, 0, byte(random.IntN(32))})
		}
	}
	return b
}

// loadMutant draws a file and reports what is wrong about how that went.
func loadMutant(ctx context.Context, path string) (shown bool, wrong error) {
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	began := time.Now()
	p, err := NewLoader(false).Load(ctx, path, 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
	switch took := time.Since(began); {
	case took > 15*time.Second:
		return false, fmt.Errorf("it took %v", took)
	case err != nil && (err.Error() == "" || errors.Is(err, context.DeadlineExceeded)):
		return false, fmt.Errorf("no reason is given: %w", err)
	case err == nil && (len(p.Lines) != p.Rows || p.Rows < 1 || p.Rows > 12 || p.Cols > 40):
		return false, fmt.Errorf("%d lines for %d×%d cells", len(p.Lines), p.Cols, p.Rows)
	}
	return err == nil, nil
}

func TestMutatedImages(t *testing.T) {
	t.Parallel()
	var j, g bytes.Buffer
	noError(t, errors.Join(jpeg.Encode(&j, landscape(160, 90), nil), gif.Encode(&g, landscape(160, 90), nil)))
	seeds := [][]byte{
		j.Bytes(), g.Bytes(), pngOf(t, landscape(160, 90)), pngOf(t, ring(64, 64)), progressive(320, 240, 10, 0x22),
		[]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"),
	}
	random := rand.New(rand.NewPCG(7, 11))
	path, shown, refused := filepath.Join(t.TempDir(), "mutant"), 0, 0
	all := 500
	if testing.Short() {
		all = 100
	}
	for i := range all {
		noError(t, os.WriteFile(path, mutated(random, seeds[i%len(seeds)]), 0o600))
		ok, wrong := loadMutant(t.Context(), path)
		if wrong != nil {
			t.Errorf("mutant %d: %v", i, wrong)
		}
		if ok {
			shown++
		} else {
			refused++
		}
	}
	t.Logf("%d of %d are shown, %d refused with a reason", shown, all, refused)
	if refused < all/5 || shown < all/10 {
		t.Errorf("%d shown, %d refused: the mutations are too weak or too strong", shown, refused)
	}
}

// A picture that takes long ends when it is no longer wanted, not when it is
// done.
func TestDecodingEndsWhenTheSelectionMoves(t *testing.T) {
	t.Parallel()
	img := image.NewGray(image.Rect(0, 0, 6000, 5000))
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(img.Pix)
	var slow bytes.Buffer
	noError(t, jpeg.Encode(&slow, img, nil))
	path := save(t, "slow.jpg", slow.Bytes())
	for range 5 {
		if err, begun := endWhileDecoding(t.Context(), path); begun {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			return
		} else {
			t.Logf("it ended before it was seen to begin: %v", err)
		}
	}
	t.Error("it never was seen to begin")
}

// endWhileDecoding takes the wish for a picture back once its decoding has begun,
// and returns how that ended.
func endWhileDecoding(ctx context.Context, path string) (err error, begun bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	l := NewLoader(false)
	go func() {
		_, err := l.Load(ctx, path, 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
		done <- err
	}()
	for len(l.turn) == 0 {
		select {
		case err := <-done:
			return err, false
		default:
			runtime.Gosched()
		}
	}
	stop()
	return <-done, true
}
