// Package paint makes the files that the simulator serves: pictures drawn from
// a prompt and clips chosen by it. The same input always gives the same bytes.
package paint

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"darkroom/api"
)

// Painter draws pictures and keeps the last one, which is often asked for again. Its
// zero value is ready, and its methods may be called by any goroutine.
type Painter struct {
	mu    sync.Mutex
	input Input
	media Media
	last  []byte // drawn from these
}

// longSides are the long sides of pictures in pixels, by size.
var longSides = map[string]int{"1K": 1024, "2K": 2048, "4K": 4096, "auto_2K": 2048}

// still describes the picture of an input. Its long side is at most the
// size's, and its ratio is exact. auto_2K without a ratio picks one by prompt.
// A 4K picture is a JPEG, for a PNG of that size takes a second to make.
func (in Input) still(longSide int) Media {
	size := cmp.Or(in.Size, "1K")
	ratio := cmp.Or(in.Ratio, "1:1")
	if size == "auto_2K" && in.Ratio == "" {
		auto := []string{"1:1", "16:9", "9:16", "4:3", "3:4"}
		ratio = auto[in.Hash("ratio")%uint64(len(auto))]
	}
	longSide = cmp.Or(max(longSide, 0), longSides[size])
	across, down, _ := strings.Cut(ratio, ":")
	w, _ := strconv.Atoi(across)
	h, _ := strconv.Atoi(down)
	unit := max(1, longSide/max(w, h))
	m := Media{Name: "image.png", Type: "image/png", Width: w * unit, Height: h * unit}
	if size == "4K" {
		m.Name, m.Type = "image.jpg", "image/jpeg"
	}
	return m
}

// File gives a file's bytes: a clip, or the picture, drawn when it is first
// asked for. m is the input's Media.
func (p *Painter) File(in Input, m Media) []byte {
	if in.Kind == api.KindVideo {
		return embedded(m.clip)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || p.input != in || p.media != m {
		p.input, p.media, p.last = in, m, encode(painted(in, m), m.Type)
	}
	return p.last
}

func encode(m *image.RGBA, mediaType string) []byte {
	var b bytes.Buffer // takes everything, and no picture is empty
	if mediaType == "image/jpeg" {
		_ = jpeg.Encode(&b, m, &jpeg.Options{Quality: 88})
	} else {
		_ = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m)
	}
	return b.Bytes()
}

// Input is what decides how a file looks; zero values are the default.
type Input struct {
	Kind    api.Kind
	Prompt  string
	Image   string // address of a reference image; it is not fetched, but changes the picture
	Seed    int64
	Size    string // of an image: 1K, 2K, 4K or auto_2K
	Ratio   string // such as 16:9
	Seconds int    // of a video
}

// Media describes a file before it is made.
type Media struct {
	Name    string // such as image.png
	Type    string // content type
	Width   int
	Height  int
	Seconds int    // of a video
	clip    string // its name in clips
	poster  string // likewise
}

// Media describes the file of an input. A picture's long side is longSide
// pixels at most; 0 takes the input's.
func (in Input) Media(longSide int) Media {
	if in.Kind == api.KindVideo {
		return in.clip()
	}
	return in.still(longSide)
}

// Hash depends on what makes the files of two inputs look different, and on a
// word, so that each word gives a choice of its own.
func (in Input) Hash(word string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00%s\x00%s", in.Kind, in.Prompt, in.Seed, in.Image, word)
	sum := h.Sum64()
	// FNV spreads the last bytes badly; these two steps spread them.
	sum = (sum ^ sum>>32) * 0xd6e8feb86659fd93
	return sum ^ sum>>32
}

//go:embed clips/*.mp4 clips/*.jpg
var clips embed.FS

// clipSizes are the sizes of the embedded clips by ratio, and the
// subjects of each (clips/make.sh).
var clipSizes = map[string]struct {
	width, height int
	subjects      []string
}{
	"16:9": {640, 360, []string{"boat", "lighthouse", "koi"}}, "9:16": {360, 640, []string{"boat", "lighthouse", "koi"}},
	"1:1": {480, 480, []string{"fox"}}, "4:3": {480, 360, []string{"boat"}},
}

// clip picks the clip for a video: of its ratio, of the nearest length there
// is, and of a subject that the prompt names or the input's hash chooses from
// the first two, which suit most prompts.
func (in Input) clip() Media {
	size := clipSizes[cmp.Or(in.Ratio, "16:9")]
	seconds := 5
	if in.Seconds > 7 {
		seconds = 10
	}
	subject := size.subjects[in.Hash("clip")%uint64(min(len(size.subjects), 2))]
	for _, t := range read(in.Prompt).things {
		if slices.Contains(size.subjects, t.name) {
			subject = t.name
		}
	}
	poster := fmt.Sprintf("%dx%d", size.width, size.height)
	return Media{
		Name: "video.mp4", Type: "video/mp4", Width: size.width, Height: size.height, Seconds: seconds,
		clip: fmt.Sprintf("%s-%d-%s.mp4", poster, seconds, subject), poster: fmt.Sprintf("%s-%s.jpg", poster, subject),
	}
}

func (m Media) Poster() []byte { return embedded(m.poster) }

func embedded(name string) []byte {
	b, _ := clips.ReadFile("clips/" + name) // a test sees when the table above and the folder differ
	return b
}

type point struct{ x, y float64 }

// gap stands between the parts of a shape.
var gap = point{x: math.NaN()}

func disc(x, y, rx, ry float64) []point {
	points := make([]point, 64)
	for i := range points {
		sin, cos := math.Sincos(float64(i) / 32 * math.Pi)
		points[i] = point{x + rx*cos, y + ry*sin}
	}
	return points
}

// rounded is a smooth outline through the points (Catmull-Rom).
func rounded(p []point) (out []point) {
	for i := range p {
		a, b, c, d := p[(i+len(p)-1)%len(p)], p[i], p[(i+1)%len(p)], p[(i+2)%len(p)]
		for j := range 10 {
			t := float64(j) / 10
			curve := func(a, b, c, d float64) float64 {
				return b + t/2*(c-a+t*(2*a-5*b+4*c-d+t*(3*b-a-3*c+d)))
			}
			out = append(out, point{curve(a.x, b.x, c.x, d.x), curve(a.y, b.y, c.y, d.y)})
		}
	}
	return out
}

// stroke is the shape of a pen's line: one box for each step, all of one
// direction, with a break (a NaN) between them.
func stroke(p []point, width float64) (out []point) {
	for i := range len(p) - 1 {
		dx, dy := p[i+1].x-p[i].x, p[i+1].y-p[i].y
		d := math.Hypot(dx, dy)
		if d == 0 {
			continue
		}
		dx, dy = dx/d*width/2, dy/d*width/2
		a, b := point{p[i].x - dx*0.6, p[i].y - dy*0.6}, point{p[i+1].x + dx*0.6, p[i+1].y + dy*0.6}
		out = append(out, point{a.x - dy, a.y + dx}, point{a.x + dy, a.y - dx}, point{b.x + dy, b.y - dx}, point{b.x - dy, b.y + dx}, gap)
	}
	return out
}

// fill draws a shape as it is; its colour goes from top to foot.
func (s *scene) fill(points []point, top, foot rgb, alpha float64) {
	from, to := point{1e9, 1e9}, point{-1e9, -1e9}
	for _, p := range points {
		if !math.IsNaN(p.x) {
			from, to = point{min(from.x, p.x), min(from.y, p.y)}, point{max(to.x, p.x), max(to.y, p.y)}
		}
	}
	box := image.Rectangle{image.Pt(int(from.x), int(from.y)), image.Pt(int(to.x)+1, int(to.y)+1)}.Intersect(s.Rect)
	for at := box.Min.Y; at < box.Max.Y; at += fillRows {
		part, z := image.Rect(box.Min.X, at, box.Max.X, min(at+fillRows, box.Max.Y)), &s.pen
		z.Reset(part.Dx(), part.Dy())
		line := z.MoveTo
		for _, p := range points {
			if math.IsNaN(p.x) {
				z.ClosePath()
				line = z.MoveTo
				continue
			}
			line(float32(p.x)-float32(part.Min.X), float32(p.y)-float32(part.Min.Y))
			line = z.LineTo
		}
		z.ClosePath()
		cover := image.NewAlpha(part)
		z.Draw(cover, cover.Rect, image.Opaque, image.Point{})
		for y := part.Min.Y; y < part.Max.Y; y++ {
			c := top.mix(foot, max(0, min(1, (float64(y)-from.y)/(to.y-from.y))))
			ink := image.NewUniform(color.NRGBA{byte(c.r), byte(c.g), byte(c.b), byte(255 * min(alpha, 1))})
			draw.DrawMask(s.RGBA, image.Rect(part.Min.X, y, part.Max.X, y+1), ink, image.Point{}, cover, image.Pt(part.Min.X, y), draw.Over)
		}
	}
}

// fillRows are filled at a time: the rasterizer's memory for all rows of a 4K picture is as large as the picture.
const fillRows = 512

func (s *scene) glow(x, y, r float64, c rgb, alpha float64) {
	for at := max(0, int(y-r)); at < min(s.h, int(y+r)+1); at++ {
		s.shine(at, x, y, r, c, alpha)
	}
}

// shine draws what of a glow lies on one row.
func (s *scene) shine(at int, x, y, r float64, c rgb, alpha float64) {
	pix, dy := s.row(at), (float64(at)-y)/r
	for i := max(0, int(x-r)-1); i < min(s.w, int(x+r)+2); i++ {
		dx := (float64(i) - x) / r
		if t := 1 - dx*dx - dy*dy; t > 0.2 {
			t = (t - 0.2) / 0.8
			blend(pix[4*i:4*i+4], c, alpha*t*t)
		}
	}
}

func (s *scene) row(y int) []byte { return s.Pix[y*s.Stride : y*s.Stride+4*s.w] }

// mirror draws the water from a row on: what is above it, moved by waves, and the sun's shine.
func (s *scene) mirror(water int) {
	for y := water; y < s.h; y++ {
		depth := float64(y-water) / float64(s.h-water)
		wave := 0.6*math.Sin(9/(depth+0.02)+s.sun.x) + 0.4*math.Sin(34*math.Sqrt(depth)+s.sun.y)
		pix, above := s.row(y), s.row(max(0, water-1-int(float64(y-water)*0.9)))
		shift := 4 * int(wave*depth*s.side*0.012)
		copy(pix, above)
		copy(pix[max(shift, 0):], above[max(-shift, 0):])
		blend(pix, s.p[0].mix(s.p[4], 0.3), 0.16+0.4*depth)
		blend(pix, s.p[2], 0.12*max(0, wave))
		s.shine(y, s.sun.x, float64(y), s.side*(0.08+0.2*depth), s.p[3], 0.7*max(0, wave))
	}
}

// blend lays a colour over pixels.
func blend(pix []byte, c rgb, alpha float64) {
	a, r, g, b := int32(alpha*256), int32(c.r), int32(c.g), int32(c.b)
	for ; len(pix) >= 4; pix = pix[4:] {
		pix[0] += byte((r - int32(pix[0])) * a >> 8)
		pix[1] += byte((g - int32(pix[1])) * a >> 8)
		pix[2] += byte((b - int32(pix[2])) * a >> 8)
	}
}
