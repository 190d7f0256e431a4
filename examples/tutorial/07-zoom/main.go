// Zoom counts the points of the Mandelbrot set in picture after picture, each of a
// smaller part of it. Processes have rows; those with more of the set in them have more
// to do.
package main

import (
	"flag"
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

var (
	size   = flag.Int("n", 256, "`rows` and columns of a picture")
	frames = flag.Int("frames", 60, "`pictures`")
)

func main() { bsplib.Main(zoom, bsplib.Options{CheckFlags: check}) }

func check(procs int) error {
	if *size < 1 || *frames < 1 {
		return fmt.Errorf("-n %d -frames %d: expected numbers from 1 on", *size, *frames)
	}
	return nil
}

type state struct{ Inside int }

func zoom(b *bsplib.Proc, s *state) error {
	n := *size
	first, end := b.Pid()*n/b.NProcs(), (b.Pid()+1)*n/b.NProcs()
	for k := range b.Stages(*frames) {
		scale := 3 / float64(n*(k+1))
		for y := first; y < end; y++ {
			for x := range n {
				s.Inside += inside(float64(x-n/2)*scale-0.5, float64(y-n/2)*scale)
			}
		}
	}
	all := bsplib.Allreduce(b, s.Inside, func(x, y int) int { return x + y })
	b.Report(bsplib.Result{
		Title: "Zoom", Size: fmt.Sprintf("%d pictures", *frames), Checksum: fmt.Sprintf("%016x", all),
	})
	return nil
}

// inside is 1 if the point stays where it can be seen.
func inside(re, im float64) int {
	x, y := 0.0, 0.0
	for range 100 {
		x, y = x*x-y*y+re, 2*x*y+im
		if x*x+y*y > 4 {
			return 0
		}
	}
	return 1
}
