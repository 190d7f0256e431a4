// Fft puts apps/fft/dft beside gonum's Fourier transform, on one core, in turns.
//
//	cd bench/gonum && go run ./fft
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"time"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/migbsp/migbsp/apps/fft/dft"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct{ from, to, step int } // logarithms of the sizes

func main() { measurement.Main() }

var measurement = frame.Program{
	Name: "fft", Rounds: 5, Flags: define, Command: "cd bench/gonum && go run ./fft",
	About: "Puts apps/fft/dft beside gonum's Fourier transform, on one core, in turns.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.IntVar(&s.from, "from", 8, "`logarithm` of the shortest vector")
	flags.IntVar(&s.to, "to", 22, "`logarithm` of the longest vector")
	flags.IntVar(&s.step, "step", 2, "`distance` of the logarithms between them")
	return func() (frame.Work, error) {
		if s.from < 1 || s.to < s.from || s.to > 26 || s.step < 1 {
			return nil, errors.New("-from, -to, -step: expected sizes from 2^1 to 2^26")
		}
		return s.run, nil
	}
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	t := frame.Table{
		Part: "kernels",
		Title: fmt.Sprintf("Fourier transforms on one core, Gflop/s (5 n log2 n for each), medians of %d in turns; dft has %s kernels.\n", session.Rounds, dft.Kernel()) +
			"ratio = time of dft / time of gonum's, the median of all turns: below 1 ours is faster.",
		Header: []string{"n", "dft", "gonum", "ratio"}, Text: []int{0},
	}
	for bits := s.from; bits <= s.to; bits += s.step {
		size := fmt.Sprintf("2^%d", bits)
		session.Progress("%s", size)
		ours, theirs := transforms(1 << bits)
		if err := same(ours, theirs, 1<<bits); err != nil {
			return err
		}
		var a, b []float64
		for range session.Rounds {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a, b = append(a, rate(ours, bits)), append(b, rate(theirs, bits))
		}
		t.Add(size, session.Record(size+", dft", "rate", "Gflop/s", a...).Format("%.3g"),
			session.Record(size+", gonum", "rate", "Gflop/s", b...).Format("%.3g"), frame.Ratio(b, a).Format("%.2f"))
	}
	session.Table(t)
	return nil
}

// transform transforms a vector and returns where the result is; it may spoil what it
// gets.
type transform func(x []complex128) []complex128

// transforms are ours and gonum's for n numbers. Both write to memory of their own.
func transforms(n int) (ours, theirs transform) {
	plan, gonum := dft.New(n, false), fourier.NewCmplxFFT(n)
	to := make([]complex128, n)
	ours = func(x []complex128) []complex128 {
		plan.Transform(x, to)
		return to
	}
	theirs = func(x []complex128) []complex128 { return gonum.Coefficients(to, x) }
	return ours, theirs
}

// same reports whether two transforms come to the same, but for rounding.
func same(ours, theirs transform, n int) error {
	x := vector(n)
	a := slices.Clone(ours(slices.Clone(x)))
	b := theirs(x)
	for i := range a {
		if off := cmplx.Abs(a[i] - b[i]); !(off <= 1e-13*math.Sqrt(float64(n))*math.Log2(float64(2*n))) {
			return fmt.Errorf("n = %d: number %d is %v, and gonum's is %v", n, i, a[i], b[i])
		}
	}
	return nil
}

// vector has numbers of all directions, about 1 in size.
func vector(n int) []complex128 {
	x := make([]complex128, n)
	for i := range x {
		x[i] = cmplx.Rect(1, float64(i)*float64(i%1021))
	}
	return x
}

// rate is how many Gflop/s a transform makes in about a fifth of a second.
func rate(t transform, bits int) float64 {
	original := vector(1 << bits)
	x := slices.Clone(original)
	return frame.PerSecond(200*time.Millisecond, func() { copy(x, original) }, func() { t(x) }) * 5 * float64(int(1)<<bits) * float64(bits) * 1e-9
}
