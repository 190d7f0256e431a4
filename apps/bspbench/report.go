package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

// report fits the line and hands over the numbers. The slowest process counts.
func (s *state) report(b *bsplib.Proc) error {
	bsplib.MaxSlice(b, s.Seconds)
	r := bsplib.Min(b, s.Rate)
	arrived := bsplib.Allreduce(b, s.Arrived, arrival.plus)
	gap, latency := fit(s.Seconds)
	b.Report(bsplib.Result{
		Title: "BSP machine", Size: fmt.Sprintf("%d processes", b.NProcs()),
		Details: []bsplib.Detail{
			{Name: "r", Value: fmt.Sprintf("%.4g Mflop/s", r/1e6)},
			{Name: "g", Value: fmt.Sprintf("%.4g flop = %.4g ns a word", gap*r, gap*1e9)},
			{Name: "l", Value: fmt.Sprintf("%.4g flop = %.4g us", latency*r, latency*1e6)},
		},
		Checks:   []bsplib.ResultCheck{{Name: "words that did not arrive", Value: float64(arrived.Wrong), Passed: arrived.Wrong == 0}},
		Checksum: fmt.Sprintf("%016x", arrived.Sum),
	})
	if arrived.Wrong > 0 {
		return bsplib.ErrNotVerified
	}
	if b.Pid() == 0 {
		whose := "measured"
		if b.Emulated() {
			whose = "EMULATED"
		}
		fmt.Printf("%s: p = %d, r = %.4g Mflop/s, g = %.4g flop, l = %.4g flop\n", whose, b.NProcs(), r/1e6, gap*r, latency*r)
	}
	return nil
}

// fit is the line t = gap*h + latency that is nearest to the measurements, by least
// squares.
func fit(seconds []float64) (gap, latency float64) {
	var n, sumH, sumT, sumHH, sumHT float64
	for k, t := range seconds {
		h := float64(size(k))
		n++
		sumH += h
		sumT += t
		sumHH += h * h
		sumHT += h * t
	}
	if spread := n*sumHH - sumH*sumH; spread > 0 {
		gap = (n*sumHT - sumH*sumT) / spread
	}
	return gap, (sumT - gap*sumH) / n
}
