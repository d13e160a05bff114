package picture

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// Limits of what is decoded. A PNG of 47 bytes can ask for gigabytes, and a
// progressive JPEG of 300 KB for minutes: each of its scans goes over the whole
// picture.
const (
	maxBytes  = 32 << 20 // of what is held in memory
	maxFile   = 96 << 20 // of a file, which is read a little at a time
	maxSide   = 16384
	maxPixels = 40_000_000
	maxScans  = 20               // of a JPEG; encoders make 10 of a progressive one
	maxMemory = 150 << 20        // of the decoder, in bytes
	maxTime   = 20 * time.Second // of the clock: a busy machine takes long for what costs little

	maxGarbage = 16 << 20 // bytes that decoding may leave to the collector
)

// checkCost refuses a picture whose decoding would take more memory or time
// than the limits, judged by its header, and for a JPEG by its markers.
func checkCost(r io.Reader, cfg image.Config, format string) error {
	if cfg.Width < 1 || cfg.Height < 1 {
		return errBroken
	}
	if cfg.Width > maxSide || cfg.Height > maxSide || cfg.Width*cfg.Height > maxPixels {
		return errSize
	}
	memory := int64(cfg.Width) * int64(cfg.Height) * bytesPerPixel(cfg.ColorModel)
	if format == "jpeg" {
		j, err := readMarkers(r)
		if err != nil {
			return err
		}
		if j.scans > maxScans {
			return errSize
		}
		memory = j.memory
	}
	if memory > maxMemory {
		return errSize
	}
	return nil
}

func bytesPerPixel(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.YCbCrModel:
		return 3
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 4
}

// markers are what the segments of a JPEG file say of its cost.
type markers struct {
	scans  int
	memory int64 // of the decoder, in bytes
}

// Markers of JPEG (ISO/IEC 10918-1, table B.1).
const (
	markerSOF0 = 0xc0 // baseline
	markerSOF2 = 0xc2 // progressive
	markerRST0 = 0xd0
	markerRST7 = 0xd7
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
)

// readMarkers goes over a JPEG file's segments to its end or to one scan too
// many. A file that ends early is judged by what there is of it.
func readMarkers(r io.Reader) (markers, error) {
	b := bufio.NewReader(r)
	var m markers
	for m.scans <= maxScans {
		c, err := nextMarker(b)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return m, nil
			}
			return m, err
		}
		switch {
		case c == markerEOI:
			return m, nil
		case c == markerSOI, c >= markerRST0 && c <= markerRST7, c == 0x01:
			continue // no length follows
		case c == markerSOS:
			m.scans++
		}
		var length [2]byte
		if _, err := io.ReadFull(b, length[:]); err != nil {
			return m, nil
		}
		n := max(int(binary.BigEndian.Uint16(length[:]))-2, 0)
		if c < markerSOF0 || c > markerSOF2 {
			if _, err := b.Discard(n); err != nil {
				return m, nil
			}
			continue
		}
		frame := make([]byte, n)
		if _, err := io.ReadFull(b, frame); err != nil {
			return m, nil
		}
		m.memory = max(m.memory, frameMemory(frame, c == markerSOF2))
	}
	return m, nil
}

// nextMarker skips to the next marker, over the data of a scan too.
func nextMarker(b *bufio.Reader) (byte, error) {
	for {
		if _, err := b.ReadSlice(0xff); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, err
		} else if err != nil {
			continue
		}
		c, err := b.ReadByte()
		for err == nil && c == 0xff { // fill bytes
			c, err = b.ReadByte()
		}
		if err != nil {
			return 0, err
		}
		if c != 0 { // 0xff00 is data
			return c, nil
		}
	}
}

// frameMemory is what the samples of a frame take: a byte each, and of a
// progressive one four more for each coefficient.
func frameMemory(frame []byte, progressive bool) int64 {
	const head = 6 // precision, height, width, number of components
	if len(frame) < head {
		return 0
	}
	height, width := int64(binary.BigEndian.Uint16(frame[1:])), int64(binary.BigEndian.Uint16(frame[3:]))
	parts := frame[head:]
	var most, all int64
	for i := 0; i+3 <= len(parts); i += 3 {
		factor := int64(parts[i+1]>>4) * int64(parts[i+1]&15)
		most, all = max(most, factor), all+factor
	}
	if most == 0 {
		return 0
	}
	perSample := int64(1)
	if progressive {
		perSample += 4
	}
	return width * height * all * perSample / most
}

// giveBack returns the memory of a large picture to the system: the collector
// would keep it for minutes, and the next picture's beside it.
func giveBack() {
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(held)
	if held[0].Value.Uint64()+held[1].Value.Uint64() > maxGarbage {
		debug.FreeOSMemory()
	}
}

const (
	// frameTime is how long a key needs until its frame is written.
	frameTime = 15 * time.Millisecond
	// heldTime is how long after the last of several keys nothing is decoded:
	// another one may follow. Several are keys that are less than rhythm apart.
	heldTime = 60 * time.Millisecond
	rhythm   = 100 * time.Millisecond
	// patience is how long keys hold back one picture at most.
	patience = 5 * time.Second
)

// pace holds pictures back while the person presses keys: the processor belongs
// to their frames.
type pace struct {
	mu          sync.Mutex
	pressed     time.Time // the last key
	frame, held time.Time // until when a cached picture waits, and one that is decoded
	limit       time.Time // until when the one whose turn it is waits at most
}

// Pressed says that the person pressed a key or turned the wheel.
func (l *Loader) Pressed() {
	p, now := &l.pace, time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame = now.Add(frameTime)
	p.held = p.frame
	if now.Sub(p.pressed) < rhythm {
		p.held = now.Add(heldTime)
	}
	p.pressed = now
}

// begin says that the next picture has its turn.
func (p *pace) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = time.Now().Add(patience)
}

// wait waits until the keys are long enough ago.
func (p *pace) wait(ctx context.Context, cached bool) {
	for ctx.Err() == nil {
		p.mu.Lock()
		until := p.held
		if cached {
			until = p.frame
		}
		if until.After(p.limit) {
			until = p.limit
		}
		p.mu.Unlock()
		rest := time.Until(until)
		if rest <= 0 {
			return
		}
		t := time.NewTimer(rest)
		select {
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
}

// paced is a file that is read between the keys: whatever decodes it reads a few
// KiB at a time.
type paced struct {
	io.ReadSeeker
	ctx  context.Context
	pace *pace
}

func (p paced) Read(b []byte) (int, error) {
	p.pace.wait(p.ctx, false)
	return p.ReadSeeker.Read(b)
}
