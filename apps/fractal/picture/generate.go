package picture

import "github.com/migbsp/migbsp/apps/internal/numbers"

// Generate makes a landscape in colour: mountains under a sky with clouds, in front of them a lake.
// It has smooth parts, edges and texture on all scales. Integer arithmetic makes it the same on any
// machine for the same size and seed.
func Generate(size int, seed uint64) *Picture {
	p := New(size, size, 3)
	for x := range size {
		l := landscape{seed: seed, x: x * 1024 / size}
		l.far = 400 - 260*l.line(1, 300)/one
		l.near = 560 - 240*l.line(2, 180)/one
		for y := range size {
			r, g, b := l.colour(y * 1024 / size)
			at := 3 * (y*size + x)
			p.Pix[at], p.Pix[at+1], p.Pix[at+2] = clamp(r), clamp(g), clamp(b)
		}
	}
	return p
}

// landscape is a column of the picture, which is 1024 wide and high.
type landscape struct {
	seed      uint64
	x         int
	far, near int // where mountains begin
}

// shore is the row in which the lake begins.
const shore = 700

func (l *landscape) colour(y int) (r, g, b int) {
	switch {
	case y > shore:
		return l.water(y)
	case y > l.near:
		light := 30 + 130*l.noise(3, l.x, y, 60)/one - 50*(y-l.near)/(shore-l.near+1)
		return light * 8 / 10, light, light * 6 / 10
	case y > l.far:
		if y < l.far+20+60*l.noise(4, l.x, y, 40)/one { // snow
			light := 190 + 60*l.noise(5, l.x, y, 50)/one
			return light, light, light + 8
		}
		light := 70 + 110*l.noise(6, l.x, y, 70)/one
		return light, light * 95 / 100, light * 11 / 10
	}
	return l.sky(y)
}

func (l *landscape) sky(y int) (r, g, b int) {
	r, g, b = 70+y/5, 120+y/6, 200+y/20
	dx, dy := l.x-720, y-150
	if d := dx*dx + dy*dy; d < 55*55 { // the sun
		return 255, 240, 190
	}
	cloud := l.noise(7, l.x/2, y, 160) + l.noise(8, l.x, y, 50)/3 - one*6/10
	cloud = max(0, min(one, 3*cloud))
	return r + (240-r)*cloud/one, g + (240-g)*cloud/one, b + (245-b)*cloud/one
}

// water mirrors the picture above the shore, with waves.
func (l *landscape) water(y int) (r, g, b int) {
	depth := y - shore
	wave := l.noise(9, l.x/4, depth*3, 16+depth/8) - one/2
	up := shore - depth*2 + 30*wave*depth/one/100
	r, g, b = l.colour(max(0, min(shore, up)))
	glint := 70 * wave / one
	return r*6/10 + glint, g*6/10 + 15 + glint, b*6/10 + 40 + glint
}

// one is 1 in the fixed-point numbers of noise.
const one = 1 << 12

// line is noise along x.
func (l *landscape) line(kind, scale int) int { return l.noise(kind, l.x, 0, scale) }

// noise is a number from 0 to below one at a point, continuous, of several sizes from
// a scale on down to two pixels.
func (l *landscape) noise(kind, x, y, scale int) int {
	sum, weight, all := 0, 1<<8, 0
	for ; scale >= 2 && weight > 0; scale, weight = scale/2, weight*6/10 {
		sum += weight * l.smooth(kind, x, y, scale)
		all += weight
		kind += 16
	}
	return sum / max(1, all)
}

// smooth interpolates between random numbers on a grid of the given width.
func (l *landscape) smooth(kind, x, y, width int) int {
	i, j := x/width, y/width
	u, v := ease(x%width*one/width), ease(y%width*one/width)
	upper := l.random(kind, i, j)*(one-u) + l.random(kind, i+1, j)*u
	lower := l.random(kind, i, j+1)*(one-u) + l.random(kind, i+1, j+1)*u
	return (upper/one*(one-v) + lower/one*v) / one
}

// ease is a smooth step from 0 to one.
func ease(t int) int { return t * t / one * (3*one - 2*t) / one }

func (l *landscape) random(kind, i, j int) int {
	return int(numbers.Mix(numbers.Mix(numbers.Mix(l.seed+uint64(kind))+uint64(i))+uint64(j)) % one)
}

func clamp(x int) uint8 { return uint8(max(0, min(255, x))) }
