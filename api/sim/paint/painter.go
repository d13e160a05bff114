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

	"golang.org/x/image/vector"

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

func painted(in Input, m Media) *image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, m.Width, m.Height))
	newScene(in, m.Width, m.Height).render(canvas)
	return canvas
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

// op paints one filled shape, or a round glow when it has no points.
type op struct {
	points    []point
	min, max  point
	top, foot rgb // colours at min.y and max.y
	alpha     float64
}

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

// fill adds a shape as it is.
func (s *scene) fill(points []point, top, foot rgb, alpha float64) {
	o := op{points: points, min: point{1e9, 1e9}, max: point{-1e9, -1e9}, top: top, foot: foot, alpha: alpha}
	for _, p := range points {
		if !math.IsNaN(p.x) {
			o.min, o.max = point{min(o.min.x, p.x), min(o.min.y, p.y)}, point{max(o.max.x, p.x), max(o.max.y, p.y)}
		}
	}
	s.ops = append(s.ops, o)
}

func (s *scene) glow(x, y, r float64, c rgb, alpha float64) {
	s.ops = append(s.ops, op{min: point{x - r, y - r}, max: point{x + r, y + r}, top: c, alpha: alpha})
}

// render draws what the water mirrors, the water, and what stands before it.
func (s *scene) render(m *image.RGBA) {
	draw.Draw(m, m.Rect, image.Opaque, image.Point{}, draw.Src)
	for y, c := range s.sky {
		blend(row(m, y), c, 1)
	}
	for i := range s.ops[:s.shore] {
		s.ops[i].paint(m)
	}
	for y := s.water; y < s.h; y++ {
		s.mirror(m, y)
	}
	for i := range s.ops[s.shore:] {
		s.ops[s.shore+i].paint(m)
	}
}

func row(m *image.RGBA, y int) []byte { return m.Pix[y*m.Stride : y*m.Stride+4*m.Rect.Dx()] }

// mirror draws a row of the water: what is above it, moved by a wave, and the sun's shine.
func (s *scene) mirror(m *image.RGBA, y int) {
	depth := float64(y-s.water) / float64(s.h-s.water)
	wave := 0.6*math.Sin(9/(depth+0.02)+s.sun.x) + 0.4*math.Sin(34*math.Sqrt(depth)+s.sun.y)
	pix, above := row(m, y), row(m, max(0, s.water-1-int(float64(y-s.water)*0.9)))
	shift := 4 * int(wave*depth*s.side*0.012)
	copy(pix, above)
	copy(pix[max(shift, 0):], above[max(-shift, 0):])
	blend(pix, s.p[0].mix(s.p[4], 0.3), 0.16+0.4*depth)
	blend(pix, s.p[2], 0.12*max(0, wave))
	r := s.side * (0.08 + 0.2*depth)
	shine := op{min: point{s.sun.x - r, float64(y) - r}, max: point{s.sun.x + r, float64(y) + r}, top: s.p[3], alpha: 0.7 * max(0, wave)}
	shine.glow(pix, y)
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

// paint draws an op.
func (o *op) paint(m *image.RGBA) {
	box := image.Rectangle{image.Pt(int(o.min.x), int(o.min.y)), image.Pt(int(o.max.x)+1, int(o.max.y)+1)}.Intersect(m.Rect)
	var cover *image.Alpha
	if o.points != nil {
		cover = o.cover(box)
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		if o.points == nil {
			o.glow(row(m, y), y)
			continue
		}
		c := o.top.mix(o.foot, max(0, min(1, (float64(y)-o.min.y)/(o.max.y-o.min.y))))
		ink := image.NewUniform(color.NRGBA{byte(c.r), byte(c.g), byte(c.b), byte(255 * min(o.alpha, 1))})
		draw.DrawMask(m, image.Rect(box.Min.X, y, box.Max.X, y+1), ink, image.Point{}, cover, image.Pt(0, y-box.Min.Y), draw.Over)
	}
}

// cover is how much of each pixel in a box a shape covers.
func (o *op) cover(box image.Rectangle) *image.Alpha {
	mask, z := image.NewAlpha(image.Rectangle{Max: box.Size()}), vector.NewRasterizer(box.Dx(), box.Dy())
	to := z.MoveTo
	for _, p := range o.points {
		if math.IsNaN(p.x) {
			z.ClosePath()
			to = z.MoveTo
			continue
		}
		to(float32(p.x)-float32(box.Min.X), float32(p.y)-float32(box.Min.Y))
		to = z.LineTo
	}
	z.ClosePath()
	z.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	return mask
}

// glow draws what of a glow lies on one row.
func (o *op) glow(pix []byte, y int) {
	r := (o.max.x - o.min.x) / 2
	dy := (float64(y)-o.min.y)/r - 1
	for x := max(0, int(o.min.x)-1); x < min(len(pix)/4, int(o.max.x)+2); x++ {
		dx := (float64(x)-o.min.x)/r - 1
		if t := 1 - dx*dx - dy*dy; t > 0.2 {
			t = (t - 0.2) / 0.8
			blend(pix[4*x:4*x+4], o.top, o.alpha*t*t)
		}
	}
}
