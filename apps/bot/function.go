package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"

	"github.com/migbsp/migbsp/apps/internal/lines"
)

// spin is a task that computes for its own sake.
type spin struct {
	Size   float64 // floating-point operations of a task, on average
	Spread string  // how tasks differ
	Seed   uint64
}

// spreads are the distributions of the tasks' costs.
var spreads = []string{"equal", "uniform", "heavy"}

// amount is the size of a task relative to the average. In uniform bags it is between a half and one
// and a half. In heavy bags a few tasks, up to 50 times the average, are most of the work.
func (s *spin) amount(task int) float64 {
	x := rand.New(rand.NewPCG(s.Seed, uint64(task))).Float64()
	switch s.Spread {
	case "uniform":
		return 0.5 + x
	case "heavy":
		const tail = 1.5 // P(X > x) = (x/least)^-tail
		return min(50, (tail-1)/tail*math.Pow(1-x, -1/tail))
	default:
		return 1
	}
}

// task multiplies and adds, in eight chains that a core computes side by side.
func (s *spin) task(task int) []byte {
	var x [8]float64
	for i := range x {
		x[i] = float64(task%1000+i+1) / 1024
	}
	for range int(s.Size * s.amount(task) / (2 * float64(len(x)))) {
		for i := range x {
			x[i] = x[i]*0.999999 + 1e-7
		}
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(sum))
}

// zoom computes a zoom into the Mandelbrot set, frame by frame. A task is a row of a frame: the costs
// of rows differ by more than a factor of a hundred.
type zoom struct {
	Frames, Width, Height int
	Iterations            int
}

// The target of the zoom, and the part of a frame that the next frame shows.
const (
	zoomRe, zoomIm = -0.743643887037151, 0.131825904205330
	zoomStep       = 0.7
)

// row returns, for each point of a row, the number of iterations of z -> z*z + c before z is large, 2
// bytes each.
func (z *zoom) row(task int) []byte {
	frame, y := task/z.Height, task%z.Height
	width := 3 * math.Pow(zoomStep, float64(frame))
	step := width / float64(z.Width)
	im := zoomIm + (float64(y)-float64(z.Height-1)/2)*step
	out := make([]byte, 0, 2*z.Width)
	for i := range z.Width {
		re := zoomRe + (float64(i)-float64(z.Width-1)/2)*step
		out = binary.BigEndian.AppendUint16(out, uint16(z.stays(re, im)))
	}
	return out
}

func (z *zoom) stays(re, im float64) int {
	x, y := 0.0, 0.0
	for n := range z.Iterations {
		xx, yy := x*x, y*y
		if xx+yy > 4 {
			return n
		}
		x, y = xx-yy+re, 2*x*y+im
	}
	return z.Iterations
}

// draw writes a frame, name with the frame's number before the ending, from its rows.
func (z *zoom) draw(name string, frame int, rows [][]byte) error {
	img := image.NewRGBA(image.Rect(0, 0, z.Width, z.Height))
	for y, row := range rows {
		for i := range z.Width {
			img.Set(i, y, z.colour(int(binary.BigEndian.Uint16(row[2*i:]))))
		}
	}
	return lines.Write(name, func(w *bufio.Writer) error { return png.Encode(w, img) })
}

// colour returns a colour from dark blue over orange to white; points of the set are black.
func (z *zoom) colour(n int) color.Color {
	if n >= z.Iterations {
		return color.Black
	}
	t := math.Mod(math.Log1p(float64(n))/math.Log1p(500), 1)
	part := func(from, to float64) uint8 { return uint8(255 * min(1, max(0, (t-from)/(to-from)))) }
	return color.RGBA{part(0.2, 0.7), part(0.35, 0.95), max(part(0.7, 1), 90-part(0, 1)/3), 255}
}

// frameName is the file of a frame.
func frameName(name string, frame, frames int) string {
	if frames == 1 {
		return name
	}
	ending := ".png"
	return fmt.Sprintf("%s-%03d%s", name[:len(name)-len(ending)], frame, ending)
}
