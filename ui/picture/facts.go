package picture

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"darkroom/api"
)

// VideoFacts are what a video's file says of itself; what it does not say is
// zero.
type VideoFacts struct {
	Duration      time.Duration
	Width, Height int
	Codec         string
	Size          int64  // of the file, in bytes
	format        string // how the file is built
}

// Limits of what is read of a video for its facts.
const (
	maxBoxes    = 4096
	maxBoxDepth = 8
	maxBoxRead  = 64 << 10 // bytes of one box
	maxDuration = 24 * time.Hour
	maxHeader   = 1 << 20 // bytes before an image's size
)

// Line writes the facts as people read them: "5.0 s · 1280×720 · avc1 · 1.2 MB".
func (f VideoFacts) Line() string {
	var parts []string
	if f.Duration > 0 {
		parts = append(parts, fmt.Sprintf("%.1f s", f.Duration.Seconds()))
	}
	if f.Width > 0 && f.Height > 0 {
		parts = append(parts, fmt.Sprintf("%d×%d", f.Width, f.Height))
	}
	if f.Codec != "" {
		parts = append(parts, f.Codec)
	}
	if f.Size > 0 {
		size, unit := float64(f.Size)/1e6, "MB"
		if size < 0.1 {
			size, unit = size*1e3, "kB"
		}
		parts = append(parts, fmt.Sprintf("%.1f %s", size, unit))
	}
	return strings.Join(parts, " · ")
}

// NoPoster says that a video has no picture here, and what its file says.
type NoPoster struct{ Facts VideoFacts }

func (e *NoPoster) Error() string { return e.Why().String() }

// Why says it with the facts of the video before it.
func (e *NoPoster) Why() api.Reason {
	if line := e.Facts.Line(); line != "" {
		return whyNoPoster.Reason(line, api.ReasonOf(ErrNoPoster))
	}
	return api.ReasonOf(ErrNoPoster)
}

var whyNoPoster = api.Declare("picture_no_ffmpeg_facts", "%v; %v")

// Unwrap makes it an ErrNoPoster.
func (e *NoPoster) Unwrap() error { return ErrNoPoster }

// readFacts reads the facts of an MP4, MOV or WebM file. It reads headers alone,
// and of a damaged file what there is.
func readFacts(path string) (VideoFacts, error) {
	f, err := os.Open(path)
	if err != nil {
		return VideoFacts{}, unreadable(err)
	}
	defer f.Close()
	head := make([]byte, 12)
	n, _ := io.ReadFull(f, head)
	info, err := f.Stat()
	if err != nil {
		return VideoFacts{}, unreadable(err)
	}
	r := &boxReader{file: f, left: maxBoxes}
	r.facts.Size, r.facts.format = info.Size(), container(head[:n])
	switch r.facts.format {
	case "mov":
		r.boxes(0, info.Size(), 0)
	case "matroska":
		r.elements(0, info.Size(), 0)
		r.facts.Duration = seconds(r.ticks * float64(max(r.scale, 1)) / 1e9)
		if r.scale == 0 {
			r.facts.Duration = seconds(r.ticks / 1e3)
		}
	default:
		return VideoFacts{}, errType
	}
	return r.facts, nil
}

// boxReader walks through the boxes of a file, so many at most.
type boxReader struct {
	file  io.ReaderAt
	left  int
	facts VideoFacts
	// Of the MP4 track that is being read.
	width, height int
	// Of WebM: nanoseconds of a tick, and the ticks.
	scale uint64
	ticks float64
}

// read gives the beginning of a box's content.
func (r *boxReader) read(from, to int64) []byte {
	b := make([]byte, min(max(to-from, 0), maxBoxRead))
	n, _ := r.file.ReadAt(b, from)
	return b[:n]
}

// boxes reads the boxes of MP4 (ISO/IEC 14496-12) between two places.
func (r *boxReader) boxes(from, to int64, depth int) {
	for ; from+8 <= to && r.left > 0 && depth < maxBoxDepth; r.left-- {
		var head [16]byte
		if n, _ := r.file.ReadAt(head[:], from); n < 8 {
			return
		}
		size, start := int64(binary.BigEndian.Uint32(head[:])), from+8
		switch size {
		case 0:
			size = to - from
		case 1:
			size, start = int64(binary.BigEndian.Uint64(head[8:])), from+16
		}
		if size < start-from || size > to-from {
			return
		}
		r.box(string(head[4:8]), start, from+size, depth)
		from += size
	}
}

func (r *boxReader) box(name string, from, to int64, depth int) {
	switch name {
	case "moov", "mdia", "minf", "stbl":
		r.boxes(from, to, depth+1)
	case "trak":
		r.width, r.height = 0, 0
		r.boxes(from, to, depth+1)
	case "mvhd":
		b := r.read(from, to)
		var scale, length uint64
		switch {
		case len(b) >= 20 && b[0] == 0:
			scale, length = uint64(binary.BigEndian.Uint32(b[12:])), uint64(binary.BigEndian.Uint32(b[16:]))
		case len(b) >= 32 && b[0] == 1:
			scale, length = uint64(binary.BigEndian.Uint32(b[20:])), binary.BigEndian.Uint64(b[24:])
		}
		if scale > 0 {
			r.facts.Duration = seconds(float64(length) / float64(scale))
		}
	case "tkhd":
		if b := r.read(from, to); len(b) >= 8 {
			end := b[len(b)-8:] // width and height, 16 bits before the point and 16 after
			r.width, r.height = int(binary.BigEndian.Uint16(end)), int(binary.BigEndian.Uint16(end[4:]))
		}
	case "stsd":
		// Of a track with a size the first description: its length, then its codec.
		if b := r.read(from, to); len(b) >= 16 && r.width > 0 && r.height > 0 && r.facts.Codec == "" {
			r.facts.Width, r.facts.Height, r.facts.Codec = r.width, r.height, printable(b[12:16])
		}
	}
}

// Elements of WebM (Matroska, RFC 9559).
const (
	idSegment  = 0x18538067
	idInfo     = 0x1549a966
	idScale    = 0x2ad7b1
	idDuration = 0x4489
	idTracks   = 0x1654ae6b
	idTrack    = 0xae
	idCodec    = 0x86
	idVideo    = 0xe0
	idWidth    = 0xb0
	idHeight   = 0xba
	idCluster  = 0x1f43b675
)

// elements reads the elements of WebM between two places, up to the first
// frames.
func (r *boxReader) elements(from, to int64, depth int) {
	for ; from < to && r.left > 0 && depth < maxBoxDepth; r.left-- {
		head := r.read(from, min(to, from+12))
		id, n := vint(head, true)
		size, m := vint(head[min(n, len(head)):], false)
		if n == 0 || m == 0 || id == idCluster {
			return
		}
		start := from + int64(n+m)
		end := to
		if size < uint64(to-start) {
			end = start + int64(size)
		}
		r.element(id, start, end, depth)
		from = end
	}
}

func (r *boxReader) element(id uint64, from, to int64, depth int) {
	number := func() (v uint64) {
		for _, c := range r.read(from, min(to, from+8)) {
			v = v<<8 | uint64(c)
		}
		return v
	}
	switch id {
	case idSegment, idInfo, idTracks, idTrack, idVideo:
		r.elements(from, to, depth+1)
	case idScale:
		r.scale = number()
	case idDuration:
		switch to - from {
		case 4:
			r.ticks = float64(math.Float32frombits(uint32(number())))
		case 8:
			r.ticks = math.Float64frombits(number())
		}
	case idWidth:
		r.facts.Width = int(min(number(), maxSide))
	case idHeight:
		r.facts.Height = int(min(number(), maxSide))
	case idCodec:
		if name := printable(r.read(from, min(to, from+32))); strings.HasPrefix(name, "V_") {
			r.facts.Codec = strings.ToLower(strings.TrimPrefix(name, "V_"))
		}
	}
}

// vint reads a number of variable length; with mark its length stays in it, as
// ids are written.
func vint(b []byte, mark bool) (v uint64, n int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	for n = 1; b[0]>>(8-n) == 0; n++ {
	}
	if n > len(b) {
		return 0, 0
	}
	v = uint64(b[0])
	if !mark {
		v &= 1<<(8-n) - 1
	}
	for _, c := range b[1:n] {
		v = v<<8 | uint64(c)
	}
	return v, n
}

// seconds is a length of time, zero when it cannot be true.
func seconds(s float64) time.Duration {
	if !(s > 0) || s > maxDuration.Seconds() {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// printable keeps what can stand on a line of ASCII.
func printable(b []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return -1
		}
		return r
	}, string(b)))
}
