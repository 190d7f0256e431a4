// Pi adds up the area of a quarter of a circle.
package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/migbsp/migbsp/bsplib"
)

var strips = flag.Int("n", 1_000_000, "`strips` that the area is cut into")

func main() {
	bsplib.Main(pi, bsplib.Options{Description: "Pi adds up the area of a quarter of a circle.", CheckFlags: check})
}

// check refuses what makes no sense before anything runs, with exit code 2.
func check(procs int) error {
	if *strips < 1 {
		return fmt.Errorf("-n %d: at least one strip is needed", *strips)
	}
	return nil
}

func pi(b *bsplib.Proc, _ *struct{}) error {
	area, width := 0.0, 1/float64(*strips)
	for i := b.Pid(); i < *strips; i += b.NProcs() {
		x := (float64(i) + 0.5) * width
		area += width * math.Sqrt(1-x*x)
	}
	area = bsplib.Allreduce(b, area, func(x, y float64) float64 { return x + y })
	off := math.Abs(4*area - math.Pi)
	b.Report(bsplib.Result{
		Title: "Pi", Size: fmt.Sprintf("%d strips", *strips),
		Details:  []bsplib.Detail{{Name: "Pi", Value: fmt.Sprintf("%.6f", 4*area)}},
		Checks:   []bsplib.ResultCheck{{Name: "error", Value: off, Limit: 1e-6, Passed: off < 1e-6}},
		Checksum: fmt.Sprintf("%016x", math.Float64bits(area)),
	})
	if off >= 1e-6 {
		return bsplib.ErrNotVerified
	}
	return nil
}
