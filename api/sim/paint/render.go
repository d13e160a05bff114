package paint

import (
	"image"
	"math"
	"runtime"
	"sync"
)

// render draws the scene, several rows at a time.
func (s *scene) render(m *image.RGBA) {
	var rows sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for i := range parts {
		rows.Go(func() {
			for y := i * s.h / parts; y < (i+1)*s.h/parts; y++ {
				s.row(m.Pix[y*m.Stride:y*m.Stride+4*s.w], y)
			}
		})
	}
	rows.Wait()
	for _, t := range s.stars {
		s.twinkle(m, t)
	}
}

func (s *scene) row(pix []byte, y int) {
	from, dim, shine := y, 1.0, 0.0
	if y >= s.water {
		// Water mirrors what is above it, darker towards the viewer.
		depth := float64(y-s.water) / float64(s.h-s.water)
		from = max(0, s.water-1-int(float64(y-s.water)*0.9+s.waves[y]*s.high*0.006))
		dim, shine = 0.86-0.42*depth, s.waves[y]
	}
	fy := float64(from)
	for x := range s.w {
		c := s.above(float64(x), fy, from)
		if y >= s.water {
			c = s.wet(c, float64(x), dim, shine)
		}
		for i := range s.ridges {
			r := &s.ridges[i]
			if cover := fy - r.line[x]; cover > 0 {
				t := min(1, cover/(0.35*s.high))
				ground := r.top.mix(r.foot, t)
				if y >= s.water {
					ground = ground.mix(s.sky[0], 1-dim)
				}
				c = c.mix(ground, min(1, cover))
				break
			}
		}
		pix[4*x], pix[4*x+1], pix[4*x+2], pix[4*x+3] = byte(c.r), byte(c.g), byte(c.b), 255
	}
}

// above is the sky with its sun, its glow and the circles.
func (s *scene) above(x, y float64, row int) rgb {
	c := s.sky[row]
	dx, dy := x-s.sunX, y-s.sunY
	d2 := dx*dx + dy*dy
	reach := s.sunR * s.sunR
	c = c.mix(s.light, 0.55*reach*4/(d2+reach*5))
	if d2 < reach*1.2 {
		d := math.Sqrt(d2)
		c = c.mix(s.light, max(0, min(1, s.sunR-d)))
	}
	for i := range s.discs {
		g := &s.discs[i]
		ex, ey := x-g.x, y-g.y
		if e2 := ex*ex + ey*ey; e2 < g.r*g.r {
			edge := g.r - math.Sqrt(e2)
			c = c.mix(g.colour, g.alpha*min(1, edge))
		}
	}
	return c
}

// wet is the water's look: dimmed, with the sun's path across it.
func (s *scene) wet(c rgb, x, dim, shine float64) rgb {
	c = s.sky[0].mix(c, dim)
	spread := (x - s.sunX) / (s.sunR * (1.2 + 1.6*(1-dim)))
	path := 1 / (1 + spread*spread)
	if shine > 0 {
		return c.mix(s.light, min(0.8, path*shine*0.9+shine*0.05))
	}
	return c.mix(rgb{}, -shine*0.10)
}

// twinkle draws one star where the sky is free.
func (s *scene) twinkle(m *image.RGBA, t star) {
	size := max(1, min(s.w, s.h)/420)
	for y := t.y; y < min(s.h, t.y+size); y++ {
		for x := t.x; x < min(s.w, t.x+size); x++ {
			free := true
			for i := range s.ridges {
				free = free && float64(y) < s.ridges[i].line[x]-1
			}
			if !free {
				continue
			}
			p := m.Pix[y*m.Stride+4*x:]
			for i, v := range [3]float64{s.light.r, s.light.g, s.light.b} {
				p[i] = byte(float64(p[i]) + (v-float64(p[i]))*t.light)
			}
		}
	}
}
